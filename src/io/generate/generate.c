// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Test problems: their parameters, and making a range of rows.

#include "io/generate/generate.h"

#include "io/generate/generate_rows.h"

#include <inttypes.h>
#include <string.h>

/* Coordinates and sums of two of them stay far from the ends of 64 bits. */
#define LARGEST ((int64_t)1 << 60)

static const cairn_generator_row kinds[] = {
#define X(name, parameters, summary) {#name, parameters, summary},
    CAIRN_GENERATOR_MAP(X)
#undef X
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/// A whole-numbered parameter and its range.
typedef struct {
    const char *name;
    size_t      offset;
    int64_t     least, most;
} parameter;

static const parameter parameters[] = {
    {"nx",     offsetof(cairn_generator, nx),     1, LARGEST         },
    {"ny",     offsetof(cairn_generator, ny),     1, LARGEST         },
    {"nz",     offsetof(cairn_generator, nz),     1, LARGEST         },
    {"n",      offsetof(cairn_generator, n),      1, LARGEST         },
    {"degree", offsetof(cairn_generator, degree), 0, LARGEST         },
    {"rows",   offsetof(cairn_generator, rows),   1, LARGEST         },
    {"cols",   offsetof(cairn_generator, cols),   1, LARGEST         },
    {"scale",  offsetof(cairn_generator, scale),  1, 40              },
    {"edges",  offsetof(cairn_generator, edges),  0, (int64_t)1 << 40},
};

enum { PARAMETERS = sizeof parameters / sizeof parameters[0] };

uint64_t cairn_random(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

const cairn_generator_row *cairn_generator_rows(int *count)
{
    *count = KINDS;
    return kinds;
}

cairn_status
cairn_generator_init(cairn_env *env, const char *name, cairn_generator *problem)
{
    const char *names[KINDS + 1] = {NULL};
    int         kind             = 0;

    for (int k = 0; k < KINDS; k++)
        names[k] = kinds[k].name;
    while (kind < KINDS && strcmp(name, names[kind]) != 0)
        kind++;
    if (kind == KINDS) {
        const char *nearest = cairn_nearest(name, names);

        return cairn_fail(env, CAIRN_BAD_OPTION,
                          "generate: %.100s: no such problem%s%s%s", name,
                          nearest ? "; did you mean " : "", nearest ? nearest : "",
                          nearest ? "?" : "");
    }
    *problem = (cairn_generator){.kind = (cairn_generator_kind)kind, .seed = 1};
    for (int k = 0; k < PARAMETERS; k++)
        *(int64_t *)((char *)problem + parameters[k].offset) = CAIRN_NOT_GIVEN;
    problem->density = CAIRN_NOT_GIVEN;
    problem->offsets = CAIRN_NOT_GIVEN;
    return CAIRN_OK;
}

/// Put @p offset into the list, which stays ascending; false when it was there.
static bool insert_offset(cairn_generator *problem, int64_t offset)
{
    int k = problem->offsets;

    while (k > 0 && problem->offset[k - 1] >= offset)
        k--;
    if (k < problem->offsets && problem->offset[k] == offset) return false;
    memmove(&problem->offset[k + 1], &problem->offset[k],
            (size_t)(problem->offsets - k) * sizeof problem->offset[0]);
    problem->offset[k] = offset;
    problem->offsets++;
    return true;
}

cairn_status cairn_generator_set_offsets(cairn_env       *env,
                                         const int64_t   *offset,
                                         int              count,
                                         cairn_generator *problem)
{
    cairn_generator set = *problem;

    CAIRN_CHECK(count >= 1 && count <= CAIRN_MAX_OFFSETS, env, CAIRN_BAD_OPTION,
                "generate: banded: needs 1 to %d --offsets", CAIRN_MAX_OFFSETS);
    set.offsets = 0;
    for (int k = 0; k < count; k++) {
        CAIRN_CHECK(offset[k] >= -LARGEST && offset[k] <= LARGEST, env,
                    CAIRN_BAD_OPTION,
                    "generate: banded: offset %" PRId64 " is beyond 2^60", offset[k]);
        CAIRN_CHECK(insert_offset(&set, offset[k]), env, CAIRN_BAD_OPTION,
                    "generate: banded: offset %" PRId64 " stands there twice",
                    offset[k]);
    }
    *problem = set;
    return CAIRN_OK;
}

/// Whether the kind has the parameter: a word of its list.
static bool has_parameter(const char *list, const char *name)
{
    const size_t n = strlen(name);

    for (const char *p = list; (p = strstr(p, name)); p += n)
        if ((p == list || p[-1] == ' ') && (p[n] == ' ' || !p[n])) return true;
    return false;
}

static cairn_status
check_number(cairn_env *env, const cairn_generator *problem, const parameter *p)
{
    const char   *kind  = kinds[problem->kind].name;
    const int64_t value = *(const int64_t *)((const char *)problem + p->offset);

    CAIRN_CHECK(value >= p->least && value <= p->most, env, CAIRN_BAD_OPTION,
                "generate: %s: needs a --%s of %" PRId64 " to %" PRId64, kind, p->name,
                p->least, p->most);
    return CAIRN_OK;
}

/// A diagonal that is not in the matrix is a slip of the hand.
static cairn_status check_offsets(cairn_env *env, const cairn_generator *problem)
{
    const char *kind = kinds[problem->kind].name;

    CAIRN_CHECK(problem->offsets >= 1 && problem->offsets <= CAIRN_MAX_OFFSETS, env,
                CAIRN_BAD_OPTION, "generate: %s: needs --offsets", kind);
    for (int k = 0; k < problem->offsets; k++)
        CAIRN_CHECK(problem->offset[k] > -problem->n && problem->offset[k] < problem->n,
                    env, CAIRN_BAD_OPTION,
                    "generate: %s: offset %" PRId64 " is outside a matrix of %" PRId64
                    " rows and columns",
                    kind, problem->offset[k], problem->n);
    return CAIRN_OK;
}

/// What a range alone does not say.
static cairn_status check_rest(cairn_env *env, const cairn_generator *problem)
{
    const char *kind = kinds[problem->kind].name;
    const char *list = kinds[problem->kind].parameters;
    const bool  fem3 = problem->kind == CAIRN_GENERATOR_fem3;

    if (has_parameter(list, "density"))
        CAIRN_CHECK(problem->density >= 0 && problem->density <= 1, env,
                    CAIRN_BAD_OPTION, "generate: %s: needs a --density of 0 to 1",
                    kind);
    if (has_parameter(list, "offsets")) CAIRN_TRY(check_offsets(env, problem));
    if (fem3)
        CAIRN_CHECK(problem->n % 3 == 0, env, CAIRN_BAD_OPTION,
                    "generate: %s: --n %" PRId64 " is not a multiple of 3", kind,
                    problem->n);
    if (has_parameter(list, "degree")) {
        const int64_t least = fem3, most = fem3 ? 1 << 20 : problem->n;

        CAIRN_CHECK(problem->degree >= least && problem->degree <= most, env,
                    CAIRN_BAD_OPTION,
                    "generate: %s: needs a --degree of %" PRId64 " to %" PRId64, kind,
                    least, most);
    }
    return CAIRN_OK;
}

static cairn_status check(cairn_env *env, const cairn_generator *problem)
{
    for (int k = 0; k < PARAMETERS; k++)
        if (has_parameter(kinds[problem->kind].parameters, parameters[k].name))
            CAIRN_TRY(check_number(env, problem, &parameters[k]));
    return check_rest(env, problem);
}

/// Rows of a grid; above LARGEST when they are too many.
static int64_t grid_points(const cairn_generator *problem)
{
    const int64_t nz    = problem->kind == CAIRN_GENERATOR_stencil5 ? 1 : problem->nz;
    int64_t       layer = 0, all = 0;

    if (__builtin_mul_overflow(problem->nx, problem->ny, &layer)
        || __builtin_mul_overflow(layer, nz, &all))
        return INT64_MAX;
    return all;
}

cairn_status cairn_generator_shape(cairn_env             *env,
                                   const cairn_generator *problem,
                                   cairn_shape           *shape)
{
    int64_t rows, cols;

    CAIRN_TRY(check(env, problem));
    switch (problem->kind) {
    case CAIRN_GENERATOR_stencil5:
    case CAIRN_GENERATOR_stencil7:
    case CAIRN_GENERATOR_stencil27: rows = cols = grid_points(problem); break;
    case CAIRN_GENERATOR_pruned: rows = problem->rows, cols = problem->cols; break;
    case CAIRN_GENERATOR_rmat: rows = cols = (int64_t)1 << problem->scale; break;
    default: rows = cols = problem->n; break;
    }
    CAIRN_CHECK(rows <= LARGEST, env, CAIRN_BAD_OPTION,
                "generate: %s: more than %" PRId64 " grid points",
                kinds[problem->kind].name, LARGEST);
    *shape = (cairn_shape){
        .order = 2, .extent = {rows, cols}
    };
    return CAIRN_OK;
}

/// Make room for picking columns at random.
static cairn_status begin_picking(cairn_env *env, int64_t picked, cairn_maker *maker)
{
    maker->slots = 2;
    while (maker->slots < 2 * picked)
        maker->slots *= 2;
    CAIRN_TRY(
        cairn_check_memory(env, "generate", (__int128)(maker->slots + picked) * 8));
    CAIRN_TRY(CAIRN_NEW(env, picked, &maker->column));
    return CAIRN_NEW(env, maker->slots, &maker->slot);
}

static void make(cairn_maker *maker, cairn_coord first, cairn_coord last)
{
    const cairn_row_kind *kind = cairn_row_kind_of(maker->problem->kind);

    maker->count = 0;
    if (!kind->make)
        cairn_maker_edges(maker, first, last);
    else
        for (cairn_coord i = first; i < last; i++)
            kind->make(maker, i);
}

/// The number of entries to make room for: the most that the rows can have, or, where
/// that says too little, counted by making them once for nothing.
static cairn_pos count_entries(cairn_maker *maker, cairn_coord first, cairn_coord last)
{
    make(maker, first, last);
    return maker->count;
}

static cairn_status reserve(cairn_env     *env,
                            cairn_maker   *maker,
                            cairn_coord    first,
                            cairn_coord    last,
                            cairn_entries *entries)
{
    const cairn_generator *problem = maker->problem;
    const cairn_row_kind  *kind    = cairn_row_kind_of(problem->kind);
    __int128               n       = last - first;

    if (kind->most)
        n *= kind->most(problem);
    else if (!kind->make && last - first == (cairn_coord)1 << problem->scale)
        n = problem->edges;
    else if (!kind->make)
        n = count_entries(maker, first, last);

    /* Of fem3 the rows alone are a lower bound: too many are refused before counting. */
    CAIRN_TRY(cairn_check_memory(env, "generate", n * cairn_entry_bytes(2)));
    if (kind->make && !kind->most) n = count_entries(maker, first, last);
    return cairn_entries_reserve(env, entries, (cairn_pos)n);
}

/// Drop repeated edges and give the others their values.
static cairn_status finish_edges(cairn_env *env, const cairn_maker *maker)
{
    cairn_entries *entries = maker->entries;

    CAIRN_TRY(cairn_entries_sort(env, entries));
    for (cairn_pos p = 0; p < entries->n; p++)
        entries->value[p] =
            cairn_maker_value(maker, entries->coord[0][p], entries->coord[1][p]);
    return CAIRN_OK;
}

cairn_status cairn_generator_run(cairn_env             *env,
                                 const cairn_generator *problem,
                                 cairn_coord            first,
                                 cairn_coord            last,
                                 cairn_entries         *entries)
{
    const cairn_row_kind *kind  = cairn_row_kind_of(problem->kind);
    cairn_maker           maker = {.problem = problem,
                                   .pattern = cairn_random(problem->seed, 0),
                                   .value   = cairn_random(problem->seed, 1)};
    cairn_status          status;
    cairn_shape           shape;

    CAIRN_TRY(cairn_generator_shape(env, problem, &shape));
    CAIRN_CHECK(first >= 0 && first <= last && last <= shape.extent[0], env,
                CAIRN_BAD_ARGUMENT,
                "generate: %s: rows %" PRId64 " to %" PRId64 " of %" PRId64,
                kinds[problem->kind].name, first, last, shape.extent[0]);
    CAIRN_GO(done, reserve(env, &maker, first, last, entries));
    if (kind->picked) CAIRN_GO(done, begin_picking(env, kind->picked(problem), &maker));
    maker.entries = entries;
    make(&maker, first, last);
    entries->n = maker.count;
    if (!kind->make) status = finish_edges(env, &maker);
    if (status != CAIRN_OK) entries->n = 0;

done:
    cairn_free(env, maker.slot);
    cairn_free(env, maker.column);
    return status;
}
