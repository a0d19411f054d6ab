// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random encodings and tensors: the text comes back from its print, the entries come
/// back from the arrays (and from a native segment), and the product is the triples'.
///
/// The seed is printed; PROPERTY_SEED=N in the environment runs case N alone. How many
/// cases is fixed when compiling: the slow test is the same program with more.

#define RANDOM_VAL 30
#include "convert/build.h"
#include "devices/x_window.h"
#include "expr/reference.h"
#include "format/language.h"
#include "io/native/io_native.h"
#include "support/crash_note.h"
#include "support/native_entries.h"
#include "support/random_tensor.h"
#include "support/seed.h"
#include "tensor/walk.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { USUAL_CASES = 2500 };

typedef struct {
    cairn_env     env;
    uint64_t      seed, state;
    cairn_shape   shape;
    double        dense[RANDOM_POSITIONS]; ///< By position, row-major.
    bool          stored[RANDOM_POSITIONS];
    cairn_entries entries;
    char          text[RANDOM_FORMAT];
} property;

/// Outcomes that are counted.
typedef struct {
    int ran, refused, too_large, multiplied;
} tally;

static int position_of(const cairn_shape *shape, const cairn_coord *d)
{
    int p = 0;

    for (int k = 0; k < shape->order; k++)
        p = p * (int)shape->extent[k] + (int)d[k];
    return p;
}

/// Draw a tensor, and note what stands where.
static void draw(property *p)
{
    random_tensor(&p->env, &p->state, &p->shape, &p->entries);
    for (cairn_pos k = 0; k < p->entries.n; k++) {
        cairn_coord d[4];

        for (int j = 0; j < p->shape.order; j++)
            d[j] = p->entries.coord[j][k];
        p->stored[position_of(&p->shape, d)] = true;
        p->dense[position_of(&p->shape, d)]  = p->entries.value[k];
    }
}

/// Every stored entry once, nothing else.
static void
check_entries(const property *p, const cairn_entries *entries, const char *what)
{
    bool seen[RANDOM_POSITIONS] = {false};

    for (cairn_pos k = 0; k < entries->n; k++) {
        cairn_coord d[4];

        for (int j = 0; j < p->shape.order; j++)
            d[j] = entries->coord[j][k];
        const int q = position_of(&p->shape, d);

        cr_assert(q >= 0 && q < random_positions(&p->shape) && !seen[q]
                      && entries->value[k] == p->dense[q] && p->stored[q],
                  "seed %llu: %s: entry at position %d is wrong or twice\n%s",
                  (unsigned long long)p->seed, what, q, p->text);
        seen[q] = true;
    }
    cr_assert_eq(entries->n, p->entries.n, "seed %llu: %s: %lld of %lld entries\n%s",
                 (unsigned long long)p->seed, what, (long long)entries->n,
                 (long long)p->entries.n, p->text);
}

static void check_walk(property *p, const cairn_local *local)
{
    cairn_entries back;

    cairn_entries_init(&back, p->shape.order);
    cr_assert_eq(cairn_local_entries(local, &back), CAIRN_OK);
    check_entries(p, &back, "walk");
    cairn_entries_fini(&p->env, &back);
}

/// Through the bytes of a native segment: nothing but arrays survives.
static void check_native(property *p, const cairn_local *local, const char *text)
{
    char         *head, *segment, *format = NULL;
    int64_t       bytes, length;
    cairn_shape   shape = {0};
    cairn_entries back  = {0};

    cr_assert_eq(cairn_native_describe(local, text, 0, &head, &bytes), CAIRN_OK);
    length = bytes;
    for (int64_t k = 0; k < local->parts; k++) {
        cairn_array array[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_own_arrays(&local->part[k], array);

        for (int a = 0; a < arrays; a++)
            length += cairn_native_padded(array[a].bytes);
    }
    cr_assert_eq(cairn_alloc_zero(&p->env, length, 1, (void **)&segment), CAIRN_OK);
    memcpy(segment, head, (size_t)bytes);
    for (int64_t k = 0; k < local->parts; k++) {
        cairn_array array[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_own_arrays(&local->part[k], array);

        for (int a = 0; a < arrays; a++) {
            if (array[a].bytes)
                memcpy(segment + bytes, array[a].data, (size_t)array[a].bytes);
            bytes += cairn_native_padded(array[a].bytes);
        }
    }
    cr_assert_eq(native_entries(&p->env, segment, length, 64 << p->seed % 8, &shape,
                                &back, &format),
                 CAIRN_OK, "seed %llu: %s\n%s", (unsigned long long)p->seed,
                 p->env.message, p->text);
    check_entries(p, &back, "native segment");
    cr_assert_str_eq(format, text);
    cairn_entries_fini(&p->env, &back);
    cairn_free(&p->env, format);
    cairn_free(&p->env, segment);
    cairn_free(&p->env, head);
}

/// What X and Y are of: rows and columns of the matrix or of its transpose.
typedef struct {
    cairn_reference_op op;
    double             x[3 * RANDOM_POSITIONS], y[3 * RANDOM_POSITIONS];
} product;

/// Y(i,c) by its definition; nothing is rounded away that 1e-12 would show.
static double definition(const property *p, const product *q, int i, int c)
{
    const int  cols  = (int)p->shape.extent[1];
    const bool t     = q->op.transposed;
    const int  inner = (int)p->shape.extent[t ? 0 : 1];
    double     sum   = 0;

    for (int j = 0; j < inner; j++)
        sum += p->dense[t ? j * cols + i : i * cols + j] * q->x[j * q->op.columns + c];
    return q->op.alpha * sum;
}

static void check_product_of(property *p, const cairn_local *local, product *q)
{
    const int        rows = (int)p->shape.extent[q->op.transposed ? 1 : 0];
    cairn_reference *reference;

    for (int j = 0; j < RANDOM_POSITIONS * q->op.columns; j++)
        q->x[j] = (j % 97 + 1) / 97.0;
    memset(q->y, 0, sizeof q->y);
    cr_assert_eq(cairn_reference_create(&p->env, local, &q->op,
                                        1 + random_below(&p->state, 3), &reference),
                 CAIRN_OK);
    for (int m = 0; m < local->groups; m++)
        cr_assert_eq(cairn_reference_run(reference, m, q->x, q->y), CAIRN_OK);
    cairn_reference_destroy(&reference);
    for (int k = 0; k < rows * q->op.columns; k++) {
        const double r =
            definition(p, q, k / (int)q->op.columns, k % (int)q->op.columns);

        cr_assert(fabs(q->y[k] - r) <= 1e-12 * fabs(r),
                  "seed %llu: Y(%d) of %d columns%s = %g, not %g\n%s",
                  (unsigned long long)p->seed, k, (int)q->op.columns,
                  q->op.transposed ? ", transposed," : "", q->y[k], r, p->text);
    }
}

/// Column @p c has the bits of its product alone.
static void check_column(property *p, const cairn_local *local, const product *q, int c)
{
    const int          rows = (int)p->shape.extent[q->op.transposed ? 1 : 0];
    cairn_reference_op op   = q->op;
    cairn_reference   *reference;
    double             x[RANDOM_POSITIONS], y[RANDOM_POSITIONS] = {0};

    op.columns = 1;
    for (int j = 0; j < RANDOM_POSITIONS; j++)
        x[j] = q->x[j * q->op.columns + c];
    cr_assert_eq(cairn_reference_create(&p->env, local, &op, 1, &reference), CAIRN_OK);
    for (int m = 0; m < local->groups; m++)
        cr_assert_eq(cairn_reference_run(reference, m, x, y), CAIRN_OK);
    cairn_reference_destroy(&reference);
    for (int i = 0; i < rows; i++)
        cr_assert_eq(memcmp(&y[i], &q->y[i * q->op.columns + c], sizeof *y), 0,
                     "seed %llu: other bits in column %d\n%s",
                     (unsigned long long)p->seed, c, p->text);
}

/// A vector, and several columns, each of which has the bits of its own vector; and the
/// same of the transpose.
static void check_product(property *p, const cairn_local *local)
{
    static product one, many;

    for (int transposed = 0; transposed < 2; transposed++) {
        one.op = (cairn_reference_op){
            .columns = 1, .transposed = transposed, .alpha = transposed ? -0.5 : 1};
        many.op         = one.op;
        many.op.columns = 3;
        check_product_of(p, local, &one);
        check_product_of(p, local, &many);
        for (int c = 0; c < 3; c++)
            check_column(p, local, &many, c);
    }
}

/// The index of the dividing level under which each row was visited; -1: none yet.
typedef struct {
    int64_t index, of_row[RANDOM_POSITIONS];
    bool    twice;
} division;

static cairn_status
note_rows(void *user, const cairn_part *part, const cairn_batch *batch)
{
    division *d = user;

    (void)part;
    for (int n = 0; n < batch->n; n++) {
        int64_t *const of = &d->of_row[batch->coord[0][n]];

        d->twice = d->twice || (*of != INT64_MIN && *of != d->index);
        *of      = d->index;
    }
    return CAIRN_OK;
}

/// Threads divide the rows by one level, paddings too: no row under two of its indices.
static void check_division(property *p, const cairn_local *local, int member)
{
    const cairn_layout *layout = local->group[member].layout;
    const int           level  = cairn_layout_row_level(layout);
    division            d      = {0};
    cairn_walker       *w;

    if (level < 0) return;
    for (int i = 0; i < RANDOM_POSITIONS; i++)
        d.of_row[i] = INT64_MIN;
    cr_assert_eq(cairn_walker_create(&p->env, layout, &w), CAIRN_OK);
    for (d.index = layout->level[level].range.lo;
         d.index <= layout->level[level].range.hi; d.index++) {
        cairn_walker_restrict(w, level, d.index, d.index);
        cr_assert_eq(cairn_walk_member(w, local, member, note_rows, &d), CAIRN_OK);
        cr_assert(!d.twice, "seed %llu: a row under two indices of level %d\n%s",
                  (unsigned long long)p->seed, level, p->text);
    }
    cairn_walker_destroy(&p->env, &w);
}

/// The least and the greatest coordinates of one dimension that a walk meets.
typedef struct {
    int            dimension;
    cairn_interval box, met;
} met;

static cairn_status
note_window(void *user, const cairn_part *part, const cairn_batch *batch)
{
    met *m = user;

    (void)part;
    for (int n = 0; n < batch->n; n++) {
        const cairn_coord at = batch->coord[m->dimension][n];

        if (at < m->box.lo || at > m->box.hi) continue;
        if (at < m->met.lo) m->met.lo = at;
        if (at > m->met.hi) m->met.hi = at;
    }
    return CAIRN_OK;
}

/// A card gets all rows of X that positions name, those that hang over included, and none
/// beside the box.
static void check_window(property *p, const cairn_local *local, int member)
{
    const cairn_layout *layout = local->group[member].layout;

    for (int transposed = 0; transposed < 2 && layout->order == 2; transposed++) {
        const cairn_product_options op = {.columns = 1, .transposed = transposed};
        const cairn_device_work work   = {.tensor = local, .member = member, .op = &op};
        const cairn_interval    box    = local->box[transposed ? 0 : 1];
        const cairn_interval    rows   = cairn_x_window(&work, 1 + (int)(p->seed % 3));
        met                     m      = {
                                     transposed ? 0 : 1, box, {box.hi + 1, box.lo - 1}
        };
        cairn_walker *w;

        cr_assert_eq(cairn_walker_create(&p->env, layout, &w), CAIRN_OK);
        if (layout->inverse.exact) cairn_walker_show_overhang(w);
        cr_assert_eq(cairn_walk_member(w, local, member, note_window, &m), CAIRN_OK);
        cairn_walker_destroy(&p->env, &w);
        cr_assert(m.met.lo > m.met.hi || (rows.lo <= m.met.lo && rows.hi >= m.met.hi),
                  "seed %llu: rows %lld..%lld of %lld..%lld\n%s",
                  (unsigned long long)p->seed, (long long)rows.lo, (long long)rows.hi,
                  (long long)m.met.lo, (long long)m.met.hi, p->text);
        cr_assert(rows.lo > rows.hi || (rows.lo >= box.lo && rows.hi <= box.hi),
                  "seed %llu: beside the box", (unsigned long long)p->seed);
    }
}

static void check_print(property *p, const cairn_format *format, char **text)
{
    cairn_format *again;
    char         *twice;

    cr_assert_eq(cairn_format_print(&p->env, format, text), CAIRN_OK);
    cr_assert_eq(cairn_format_parse(&p->env, NULL, *text, "print", &again), CAIRN_OK,
                 "seed %llu: %s\n%s", (unsigned long long)p->seed, p->env.message,
                 *text);
    cr_assert_eq(cairn_format_print(&p->env, again, &twice), CAIRN_OK);
    cr_assert_str_eq(*text, twice, "seed %llu", (unsigned long long)p->seed);
    cairn_free(&p->env, twice);
    cairn_format_destroy(&again);
}

static void
check_tensor(property *p, const cairn_format *format, const char *text, tally *t)
{
    cairn_build build = {
        .format = format, .shape = p->shape, .entries = &p->entries, .value_bits = 64};
    cairn_local *local = NULL;

    for (int k = 0; k < p->shape.order; k++)
        build.box[k] = (cairn_interval){0, p->shape.extent[k] - 1};
    const cairn_status status = cairn_local_build(&p->env, &build, &local);

    p->env.memory_limit = INT64_MAX; /* what checks it stands beside it */
    if (status == CAIRN_NO_MEMORY) {
        t->too_large++;
        return;
    }
    if (status != CAIRN_OK && random_may_be_refused(p->env.message)) {
        t->refused++;
        return;
    }
    cr_assert_eq(status, CAIRN_OK, "seed %llu: %s\n%s", (unsigned long long)p->seed,
                 p->env.message, p->text);
    check_walk(p, local);
    check_native(p, local, text);
    for (int m = 0; m < local->groups; m++) {
        check_division(p, local, m);
        check_window(p, local, m);
    }
    if (p->shape.order == 2) check_product(p, local), t->multiplied++;
    t->ran++;
    cairn_local_destroy(&local);
}

static void run_case(uint64_t seed, tally *t)
{
    static property p;
    cairn_format   *format;
    char           *text;

    memset(&p, 0, sizeof p);
    cairn_env_init(&p.env);
    p.env.memory_limit = 8 << 20;
    crash_note("seed %llu", (unsigned long long)seed);
    p.seed = p.state = seed;
    draw(&p);
    random_format(&p.state, p.shape.order, p.text, sizeof p.text);
    const cairn_status status =
        cairn_format_parse(&p.env, NULL, p.text, "random", &format);

    if (status != CAIRN_OK && random_may_be_refused(p.env.message)) {
        t->refused++;
    } else {
        cr_assert_eq(status, CAIRN_OK, "seed %llu: %s\n%s", (unsigned long long)seed,
                     p.env.message, p.text);
        check_print(&p, format, &text);
        check_tensor(&p, format, text, t);
        cairn_free(&p.env, text);
        cairn_format_destroy(&format);
    }
    cairn_entries_fini(&p.env, &p.entries);
    cr_assert_eq(p.env.live_blocks, 0, "seed %llu leaks %lld blocks\n%s",
                 (unsigned long long)seed, (long long)p.env.live_blocks, p.text);
    cairn_env_fini(&p.env);
}

Test(property, random_formats_store_random_tensors, .timeout = 3600)
{
    const char *given = getenv("PROPERTY_SEED");
    uint64_t    seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    tally       t     = {0};
    const int   cases = given ? 1 : seed_cases(USUAL_CASES);

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 4 * cases && t.ran < cases; k++) {
        run_case(seed + (uint64_t)k, &t);
        if (given) break;
    }
    printf("%d cases ran, %d of them multiplied; %d refused, %d too large\n", t.ran,
           t.multiplied, t.refused, t.too_large);

    if (!given) cr_expect_geq(t.ran, cases, "only %d of %d cases ran", t.ran, cases);
}
