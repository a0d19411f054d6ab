// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From any format and distribution on some ranks to any other on others, in memory and by
/// way of a file: the arrays, rows and products of a tensor that the reference way stores
/// there at once. REDISTRIBUTION_SEED repeats one pair, as a failure prints it.

#include "distributed.h"
#include "tensor/value_storage.h"

TestSuite(redistribution, .init = up, .fini = down, .timeout = 3400);

enum { PAIRS = 15, MOST_SIDE = 60, SAID_TEXT = 80 };

/// The memory that a rank may take for what is stored at once, and for what is brought
/// from there to here beside the tensors that the test itself holds.
static int64_t limit;

/// Let @p group have the limit beside what it has in use now.
static void limit_beside_use(cairn_context *group)
{
    if (group)
        cr_assert_eq(cairn_context_set_memory(group, limit + group->env.used_bytes),
                     CAIRN_OK);
}

/// A matrix that all ranks know. Sums of its values times those of X are exact.
typedef struct {
    int64_t extent[2], n;
    int64_t coord[2 * MOST_SIDE * MOST_SIDE];
    double  value[MOST_SIDE * MOST_SIDE];
    double  a[MOST_SIDE][MOST_SIDE];
} matrix;

/// A format and a distribution on some ranks.
typedef struct {
    int  ranks;
    char name[RANDOM_FORMAT], said[SAID_TEXT];
} lies;

/// How a tensor comes from one to the other.
typedef enum { IN_MEMORY, FILE_AS_TENSOR, FILE_AS_ENTRIES, PATHS } path_kind;

static const char *const path_names[PATHS] = {"in memory", "by a file",
                                              "by a file's entries"};

typedef struct {
    uint64_t    seed;
    matrix      m;
    lies        from, to;
    path_kind   path;
    cairn_dtype dtype;
    bool        compiled; ///< Conversions by functions where there are any.
} pair;

static double value_of(uint64_t *state, int kind)
{
    switch (kind) {
    case 0: return 1;
    case 1: return random_below(state, 127) + 1;
    case 2: return random_below(state, 30000) - 30000;
    default: return (1 + random_below(state, 900)) / 8.0;
    }
}

static void draw_matrix(uint64_t *state, matrix *m)
{
    const int kind = random_below(state, 4), empty = 1 + random_below(state, 9);
    const int density[] = {random_below(state, 20), random_below(state, 90)};

    memset(m, 0, sizeof *m);
    m->extent[0] = 1 + random_below(state, MOST_SIDE);
    m->extent[1] =
        random_below(state, 2) ? m->extent[0] : 1 + random_below(state, MOST_SIDE);
    for (int64_t i = 0; i < m->extent[0]; i++)
        for (int64_t j = 0; j < m->extent[1]; j++) {
            if (i % empty == 3 || !random_chance(state, density[i % 7 == 5])) continue;
            m->coord[2 * m->n]     = i;
            m->coord[2 * m->n + 1] = j;
            m->value[m->n++] = m->a[i][j] = value_of(state, kind);
        }
}

/// A distribution. Of a graph only where there is PT-Scotch, and rows are columns.
static void draw_said(uint64_t *state, const matrix *m, bool graphs, lies *l)
{
    const bool square = m->extent[0] == m->extent[1];
    const int  rows   = (int)m->extent[0];
    const int  a = 1 + random_below(state, 5), b = 1 + random_below(state, 8);
    int        q = 1 + random_below(state, l->ranks);

    while (l->ranks % q != 0)
        q--;
    switch (random_below(state, 9 + (graphs && square))) {
    case 0: strcpy(l->said, "rows"); break;
    case 1: strcpy(l->said, "nnz"); break;
    case 2: strcpy(l->said, "cost"); break;
    case 3:
    case 4: snprintf(l->said, SAID_TEXT, "blocks<%d,%d>", l->ranks / q, q); break;
    case 5: snprintf(l->said, SAID_TEXT, "(d0*ranks/%d)", rows); break;
    case 6: snprintf(l->said, SAID_TEXT, "(d0/%d%%ranks)", a); break;
    case 7: snprintf(l->said, SAID_TEXT, "(ranks-1-d0*ranks/%d)", rows); break;
    case 8: snprintf(l->said, SAID_TEXT, "(d0/%d*%d%%7%%ranks)", a, b); break;
    default: strcpy(l->said, "graph"); break;
    }
}

static void draw_lies(uint64_t *state, const matrix *m, bool graphs, lies *l)
{
    l->ranks = 1 + random_below(state, size);
    if (random_below(state, 2))
        strcpy(l->name, formats[random_below(state, FORMATS)]);
    else
        random_format(state, 2, l->name, sizeof l->name);
    draw_said(state, m, graphs, l);
}

/// Now and then members elsewhere, which no file has: the whole has consecutive rows then.
static void draw_members(uint64_t *state, lies *l)
{
    static const char *const words[] = {"rows", "nnz", "cost"};

    if (random_below(state, 8) > 0) return;
    snprintf(l->name, sizeof l->name, "hybrid<bdia<2> @ %s,csr @ %s,0.5>",
             words[random_below(state, 3)], words[random_below(state, 3)]);
    strcpy(l->said, words[random_below(state, 3)]);
}

static void draw_pair(pair *p, uint64_t seed, bool graphs)
{
    uint64_t state = seed;

    p->seed = seed;
    draw_matrix(&state, &p->m);
    draw_lies(&state, &p->m, graphs, &p->from);
    draw_lies(&state, &p->m, graphs, &p->to);
    p->path = (path_kind)random_below(&state, PATHS);
    if (p->path == IN_MEMORY) {
        p->to.ranks = p->from.ranks;
        draw_said(&state, &p->m, graphs, &p->to);
    }
    draw_members(&state, &p->to);
    p->dtype    = random_below(&state, 3) ? CAIRN_F64 : CAIRN_F32;
    p->compiled = random_below(&state, 4) > 0;
}

/// What is refused for what it asks of these sizes, ranks or memory.
static bool may_refuse(cairn_status status)
{
    return status == CAIRN_UNSUPPORTED || status == CAIRN_NO_MEMORY
           || status == CAIRN_BAD_QUERY || status == CAIRN_BAD_FORMAT
           || status == CAIRN_OVERFLOW;
}

/// A status that some of the ranks have, on all of them.
static cairn_status of_first(cairn_status status)
{
    int code = status;

    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return (cairn_status)code;
}

static void choose_kernels(cairn_context *group, bool compiled)
{
    group->env.options.kernels =
        compiled ? CAIRN_KERNELS_AUTO : CAIRN_KERNELS_REFERENCE;
}

static cairn_status make_source(cairn_context *group, const matrix *m, cairn_source **s)
{
    return cairn_source_from_coords(group, 2, m->extent, rank == 0 ? m->n : 0, m->coord,
                                    m->value, CAIRN_BY_NNZ, s);
}

/// Store the matrix at once; @p tensor is NULL on ranks that have no part in it.
static cairn_status
store_at_once(const pair *p, const lies *l, bool compiled, cairn_tensor **tensor)
{
    cairn_context *group  = some[l->ranks];
    cairn_source  *source = NULL;
    cairn_status   status = CAIRN_OK;

    if (group) {
        choose_kernels(group, compiled);
        status = make_source(group, &p->m, &source);
        if (status == CAIRN_OK)
            status = store_as(source, l->name, l->said, p->dtype, tensor);
        cairn_source_destroy(&source);
    }
    return of_first(status);
}

/// The file's entries, stored.
static cairn_status store_file(cairn_context *group, const pair *p, cairn_tensor **made)
{
    cairn_source *source = NULL;
    cairn_status  status = cairn_source_read(group, native, CAIRN_BY_ROWS, &source);

    if (status == CAIRN_OK)
        status = store_as(source, p->to.name, p->to.said, p->dtype, made);
    cairn_source_destroy(&source);
    return status;
}

/// From there to here. @p from is destroyed.
static cairn_status bring(const pair *p, cairn_tensor **from, cairn_tensor **made)
{
    cairn_context *group  = some[p->to.ranks];
    cairn_status   status = CAIRN_OK;

    if (*from && p->path != IN_MEMORY) {
        status = cairn_tensor_write(*from, native, NULL);
        cairn_tensor_destroy(from);
    }
    status = of_first(status);
    if (status == CAIRN_OK && group) {
        choose_kernels(group, p->compiled);
        if (p->path == FILE_AS_TENSOR) status = cairn_tensor_read(group, native, from);
        if (status == CAIRN_OK && p->path == FILE_AS_ENTRIES)
            status = store_file(group, p, made);
        else if (status == CAIRN_OK)
            status = convert(*from, p->to.name, p->to.said, made);
    }
    cairn_tensor_destroy(from);
    return of_first(status);
}

/// Byte for byte the same arrays? @p where [60]: the first that is not.
static bool same_arrays(const cairn_local *a, const cairn_local *b, char *where)
{
    snprintf(where, 60, "%ld and %ld parts", (long)a->parts, (long)b->parts);
    if (a->parts != b->parts) return false;
    for (int64_t k = 0; k < a->parts; k++) {
        const cairn_part *p = &a->part[k], *q = &b->part[k];
        cairn_array       x[CAIRN_MAX_ARRAYS], y[CAIRN_MAX_ARRAYS];
        const int         arrays = cairn_part_arrays(p, x);

        snprintf(where, 60, "part %ld: %ld and %ld entries", (long)k, (long)p->nnz,
                 (long)q->nnz);
        if (arrays != cairn_part_arrays(q, y) || p->nnz != q->nnz) return false;
        for (int n = 0; n < arrays; n++) {
            snprintf(where, 60, "part %ld: array %d: %ld and %ld bytes", (long)k, n,
                     (long)x[n].bytes, (long)y[n].bytes);
            if (x[n].bytes != y[n].bytes
                || (x[n].bytes > 0
                    && memcmp(x[n].data, y[n].data, (size_t)x[n].bytes) != 0))
                return false;
        }
    }
    return true;
}

/// Are the rows of two tensors at the same places?
static bool lie_alike(const cairn_tensor *a, const cairn_tensor *b)
{
    const int64_t *p = cairn_tensor_places(a), *q = cairn_tensor_places(b);
    int64_t        first, end;

    cairn_tensor_rows(a, &first, &end);
    return same_rows(a, b) && !p == !q
           && (!p || memcmp(p, q, (size_t)(end - first) * sizeof *p) == 0);
}

/// Has a tensor the entries of the matrix, each once, on some of the ranks?
static bool has_entries(const cairn_tensor *tensor, const matrix *m)
{
    cairn_source *source = NULL;
    int64_t       n      = 0;
    bool          good   = true;

    if (tensor) good = cairn_source_from_tensor(tensor, &source) == CAIRN_OK;
    for (cairn_pos k = 0; source && k < source->entries.n; k++) {
        const cairn_entries *e = &source->entries;

        good = good && e->value[k] == m->a[e->coord[0][k]][e->coord[1][k]];
        n += e->value[k] != 0;
    }
    cairn_source_destroy(&source);
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return good && n == m->n;
}

/// Y = A X, exactly.
static bool multiplies(cairn_tensor *tensor, const matrix *m)
{
    cairn_plan *plan = NULL;
    int64_t     lo, hi, first, end;
    bool        good;
    const bool  narrow = tensor->dtype == CAIRN_F32;

    if (cairn_plan_create_spmv(tensor, &plan) != CAIRN_OK) return false;
    cairn_plan_columns(plan, &lo, &hi);
    cairn_plan_rows(plan, &first, &end);
    for (int64_t j = lo; j < hi; j++) {
        const double x = (double)(j % 7 + 1) / 8;

        if (narrow)
            cairn_plan_x_f32(plan)[j - lo] = (float)x;
        else
            cairn_plan_x(plan)[j - lo] = x;
    }
    good = cairn_plan_run(plan, NULL, NULL) == CAIRN_OK;
    for (int64_t i = first; i < end && good; i++) {
        double want = 0;

        for (int64_t j = 0; j < m->extent[1]; j++)
            want += m->a[i][j] * (double)(j % 7 + 1) / 8;
        good = narrow ? cairn_plan_y_f32(plan)[i - first] == (float)want
                      : cairn_plan_y(plan)[i - first] == want;
    }
    cairn_plan_destroy(&plan);
    return good;
}

/// What is tried, and what the library says of it.
static const char *describe(const pair *p)
{
    static char          words[3 * RANDOM_FORMAT];
    cairn_context *const group = some[p->to.ranks];

    snprintf(words, sizeof words,
             "REDISTRIBUTION_SEED=%llu: %s @ %s on %d to %s @ %s on %d, %s: %s",
             (unsigned long long)p->seed, p->from.name, p->from.said, p->from.ranks,
             p->to.name, p->to.said, p->to.ranks, path_names[p->path],
             group ? cairn_context_message(group) : "");
    return words;
}

/// @param[out] held  Whether arrays were compared; false where one of both is refused.
static void check_pair(const pair *p, bool *held)
{
    cairn_tensor      *from = NULL, *made = NULL, *want = NULL;
    char               where[60];
    const cairn_status there = store_at_once(p, &p->from, p->compiled, &from);
    const cairn_status here  = store_at_once(p, &p->to, false, &want);

    *held = there == CAIRN_OK && here == CAIRN_OK;
    limit_beside_use(some[p->to.ranks]);
    ON_ALL_RANKS((there == CAIRN_OK || may_refuse(there))
                     && (here == CAIRN_OK || may_refuse(here)),
                 "stored: %d, %d: %s", (int)there, (int)here, describe(p));
    const cairn_status status = there == CAIRN_OK ? bring(p, &from, &made) : CAIRN_OK;

    /* what comes from files is stored as narrow as it can be */
    if (want && p->path != IN_MEMORY)
        cr_assert_eq(cairn_local_narrow(want->local), CAIRN_OK);
    if (*held) {
        ON_ALL_RANKS(status == CAIRN_OK, "%d: %s", (int)status, describe(p));
        ON_ALL_RANKS(!made || lie_alike(want, made), "rows: %s", describe(p));
        ON_ALL_RANKS(!made || same_arrays(want->local, made->local, where), "%s: %s",
                     where, describe(p));
        ON_ALL_RANKS(has_entries(made, &p->m), "entries: %s", describe(p));
        ON_ALL_RANKS(!made || multiplies(made, &p->m), "Y: %s", describe(p));
    } else if (there == CAIRN_OK) {
        ON_ALL_RANKS(may_refuse(status), "%d, not %d: %s", (int)status, (int)here,
                     describe(p));
    }
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&want);
    if (some[p->to.ranks]) cairn_context_set_memory(some[p->to.ranks], limit);
}

static void set_limits(int64_t bytes)
{
    limit = bytes;
    for (int n = 1; n <= size; n++)
        if (some[n]) cairn_context_set_memory(some[n], limit);
}

/// A tensor that takes more than half of the limit is brought there while the test holds
/// the one that it is compared with: a line of 15 MB for each row, most of it padding.
Test(redistribution, a_tensor_may_take_most_of_the_limit)
{
    static pair p;
    bool        held;

    set_limits(16 << 20);
    p.dtype       = CAIRN_F64;
    p.m.extent[0] = size;
    p.m.extent[1] = MOST_SIDE;
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < MOST_SIDE; j++) {
            p.m.coord[2 * p.m.n]     = i;
            p.m.coord[2 * p.m.n + 1] = j;
            p.m.value[p.m.n++] = p.m.a[i][j] = (double)(i + j) + 0x1p-30;
        }
    p.from = (lies){size, "csr", "nnz"};
    p.to   = (lies){size, "#encoding<{ idx_map<(d0,d1)->(d0,32000*d1)> }>", "rows"};
    for (int k = 0; k < PATHS; k++) {
        p.path = (path_kind)k;
        check_pair(&p, &held);
        cr_assert(held);
    }
}

Test(redistribution, random_pairs_have_the_arrays_of_the_reference)
{
    static pair       p;
    const char *const again  = getenv("REDISTRIBUTION_SEED");
    const bool        graphs = partitions();
    uint64_t          seed   = seed_clock() * 1000003;
    int               held = 0, drawn = 0;
    bool              one;

    if (again) seed = strtoull(again, NULL, 10);
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    set_limits(64 << 20);
    for (; held < (again ? 1 : seed_cases(PAIRS)); drawn++) {
        draw_pair(&p, seed + (uint64_t)drawn, graphs);
        check_pair(&p, &one);
        held += one;
        if (again) break;
    }
    if (rank == 0) printf("%d of %d pairs held to arrays\n", held, drawn);
}
