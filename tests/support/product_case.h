// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tensor in some format, products with it, their generated kernels, and what the
/// triples say that the results are.

#ifndef CAIRN_TESTS_SUPPORT_PRODUCT_CASE_H
#define CAIRN_TESTS_SUPPORT_PRODUCT_CASE_H

#include "convert/build.h"
#include "format/language.h"
#include "lower/product/product_choice.h"
#include "lower/product/product_plan.h"
#include "share/alike_rows.h"
#include "share/work_partition.h"
#include "support/crash_note.h"
#include "support/guarded.h"
#include "support/kernel_batch.h"
#include "support/names.h"
#include "support/narrow_values.h"
#include "support/random_format.h"

#include <math.h>

enum { PRODUCT_VARIANTS = 3 };

/// What a test asks of a case; all else is drawn.
typedef struct {
    bool       fixed;      ///< The shape is given,
    bool       real;       ///< and sums are not exact.
    bool       exact;      ///< Sums of rows of given lengths are.
    bool       transposed; ///< All products are.
    bool       narrow;     ///< Values are of a set, stored as narrow as they are.
    int        columns;    ///< Of products with several; 0: drawn.
    int        percent;    ///< Of positions that hold an entry; 0: drawn.
    const int *lengths;    ///< Entries of each row, spread evenly; NULL: drawn.
} product_wish;

typedef struct {
    cairn_env      env;
    uint64_t       seed, state;
    char           text[RANDOM_FORMAT];
    product_wish   wish;
    narrow_set     set; ///< Of the values, if they are narrow.
    cairn_shape    shape;
    cairn_interval box[2];
    cairn_entries  entries;
    cairn_format  *format;
    cairn_local   *local;
    cairn_product  product[PRODUCT_VARIANTS];
    int kernel[PRODUCT_VARIANTS][CAIRN_MAX_MEMBERS][2]; ///< [0] as is, [1] adds.
    cairn_share share[PRODUCT_VARIANTS][CAIRN_MAX_MEMBERS][2];
} product_case;

static inline void product_case_shape(product_case *c)
{
    const bool large = random_chance(&c->state, 40);

    c->shape.order = 2;
    if (!c->wish.fixed) {
        c->shape.extent[0] = 1 + random_below(&c->state, large ? 170 : 20);
        c->shape.extent[1] = 1 + random_below(&c->state, large ? 170 : 20);
        if (random_chance(&c->state, 3))
            c->shape.extent[random_below(&c->state, 2)] = 0;
    }
    for (int k = 0; k < 2; k++) {
        const int n = (int)c->shape.extent[k];

        c->box[k] = (cairn_interval){0, n - 1};
        if (c->wish.fixed || n < 3 || !random_chance(&c->state, k == 0 ? 30 : 10))
            continue;
        c->box[k].lo = random_below(&c->state, n / 2);
        c->box[k].hi = c->box[k].lo + random_below(&c->state, n - (int)c->box[k].lo);
    }
}

/// Rows of the lengths that are given.
static inline void product_case_rows(product_case *c)
{
    const int64_t columns = c->shape.extent[1];

    cairn_entries_init(&c->entries, 2);
    for (cairn_coord i = 0; i < c->shape.extent[0]; i++)
        for (int64_t k = 0; k < c->wish.lengths[i]; k++) {
            const cairn_coord d[2] = {i, k * columns / c->wish.lengths[i]};
            const double      value =
                (1 + random_below(&c->state, 500)) / (c->wish.exact ? 8.0 : 97.0);

            cr_assert_eq(cairn_entries_add(&c->env, &c->entries, d, value), CAIRN_OK);
        }
}

/// Entries inside the box: scattered ones, and a few diagonals; in a quarter of the cases two
/// rows in three have the columns of the row before.
static inline void product_case_entries(product_case *c)
{
    static const int densities[] = {0, 1, 3, 10, 40, 100};
    const int        drawn       = densities[random_below(&c->state, 6)];
    const int        density     = c->wish.percent ? c->wish.percent : drawn;
    const bool       banded      = random_chance(&c->state, 40) || c->wish.fixed;
    uint64_t         beside      = ~c->state; /* drawn beside, as hints are */
    const bool       alike       = !c->wish.fixed && random_chance(&beside, 25);
    const size_t     columns     = (size_t)(c->box[1].hi - c->box[1].lo + 1);
    bool *const      stored      = calloc(columns + 1, sizeof *stored);

    cairn_entries_init(&c->entries, 2);
    for (cairn_coord i = c->box[0].lo; i <= c->box[0].hi; i++) {
        const bool as_before = alike && i > c->box[0].lo && random_chance(&beside, 67);

        for (cairn_coord j = c->box[1].lo; j <= c->box[1].hi; j++) {
            const cairn_coord d[2]     = {i, j};
            const bool        diagonal = banded && j - i >= -2 && j - i <= 1;
            const double      value = c->wish.narrow ? narrow_value(&c->state, c->set)
                                                     : (1 + random_below(&c->state, 500))
                                                      / (c->wish.real ? 97.0 : 8.0);
            const bool drawn_here   = diagonal || random_chance(&c->state, density);

            if (!as_before) stored[j - c->box[1].lo] = drawn_here;
            if (!stored[j - c->box[1].lo]) continue;
            cr_assert_eq(cairn_entries_add(&c->env, &c->entries, d, value), CAIRN_OK);
        }
    }
    free(stored);
}

static inline void product_case_draw(product_case *c, cairn_product *product)
{
    static const int vectors[] = {16, 32, 64};
    const bool       narrow    = random_chance(&c->state, 30);

    *product = (cairn_product){
        .transposed = random_chance(&c->state, 30) || c->wish.transposed,
        .scaled     = random_chance(&c->state, 30),
        .columns    = random_chance(&c->state, 35) ? 0 : 1,
        .operand    = narrow ? CAIRN_IR_F32 : CAIRN_IR_F64,
        .accumulate =
            narrow && random_chance(&c->state, 50) ? CAIRN_IR_F32 : CAIRN_IR_F64,
        .vector_bytes = vectors[random_below(&c->state, 3)],
    };
    product->adds  = random_chance(&c->state, 30);
    product->hints = (cairn_product_hints){
        .stream     = random_chance(&c->state, 50),
        .scattered  = random_chance(&c->state, 50),
        .fetch_x    = random_chance(&c->state, 50),
        .bypass_y   = random_chance(&c->state, 30),
        .by_columns = random_chance(&c->state, 30),
        .follow_x   = random_chance(&c->state, 30),
        .uneven     = random_chance(&c->state, 50),
        .runs       = random_chance(&c->state, 50),
    };
    /* Drawn beside: what seeds are known for stays. */
    uint64_t beside        = ~c->state;
    product->hints.abreast = random_chance(&beside, 50);
    product->hints.alike   = random_chance(&beside, 50);
    product->hints.beside  = random_chance(&beside, 50);
}

static inline void product_case_close(product_case *c)
{
    cairn_local_destroy(&c->local);
    cairn_format_destroy(&c->format);
    cairn_entries_fini(&c->env, &c->entries);
    cr_assert_eq(c->env.live_blocks, 0, "seed %llu leaks\n%s",
                 (unsigned long long)c->seed, c->text);
    cairn_env_fini(&c->env);
}

static inline bool product_case_build(product_case *c)
{
    cairn_build build = {
        .format     = c->format,
        .shape      = c->shape,
        .box        = {c->box[0], c->box[1]},
        .entries    = &c->entries,
        .value_bits = random_chance(&c->state, 25) ? 32 : 64
    };
    const cairn_status status = cairn_local_build(&c->env, &build, &c->local);

    if (status == CAIRN_NO_MEMORY || status == CAIRN_BAD_QUERY) return false;
    if (c->wish.narrow && status == CAIRN_OVERFLOW) return false; /* padding */
    if (status != CAIRN_OK && random_may_be_refused(c->env.message)) return false;
    cr_assert_eq(status, CAIRN_OK, "seed %llu: %s\n%s", (unsigned long long)c->seed,
                 c->env.message, c->text);
    return true;
}

/// Have all members say how values are stored: those of names, too.
static inline void product_case_narrow(product_case *c, const char *type)
{
    char *text = NULL;

    cr_assert_eq(cairn_format_print(&c->env, c->format, &text), CAIRN_OK);
    cr_assert_lt(strlen(text), sizeof c->text);
    strcpy(c->text, text);
    cairn_free(&c->env, text);
    narrow_text(c->text, type);
    cairn_format_destroy(&c->format);
    cr_assert_eq(cairn_format_parse(&c->env, NULL, c->text, "random", &c->format),
                 CAIRN_OK, "%s\n%s", c->env.message, c->text);
}

/// Parse the text and build a random tensor. @return false: refused, and closed.
static inline bool product_case_open(product_case *c)
{
    crash_note("seed %llu, stored", (unsigned long long)c->seed);
    cairn_env_init(&c->env);
    c->env.memory_limit = 9 << 20;
    c->set = c->wish.narrow ? (narrow_set)random_below(&c->state, NARROW_EDGES) : 0;
    product_case_shape(c);
    if (c->wish.lengths)
        product_case_rows(c);
    else
        product_case_entries(c);
    const cairn_status status =
        cairn_format_parse(&c->env, NULL, c->text, "random", &c->format);

    cr_assert(
        status == CAIRN_OK
            || (status == CAIRN_BAD_FORMAT && random_may_be_refused(c->env.message)),
        "seed %llu: %s\n%s", (unsigned long long)c->seed, c->env.message, c->text);
    if (status == CAIRN_OK && c->wish.narrow)
        product_case_narrow(c, narrow_type(&c->state, c->set));
    if (status == CAIRN_OK && product_case_build(c)) return true;
    product_case_close(c);
    return false;
}

/// Lower a variant for one member; the same key is the same kernel.
static inline void
product_case_kernel(product_case *c, kernel_batch *batch, int v, int member, bool adds)
{
    const cairn_layout  *layout  = c->local->group[member].layout;
    cairn_product        product = c->product[v];
    cairn_product_kernel kernel;
    char                *key;

    product.adds |= adds;
    cr_assert_eq(cairn_product_key(&c->env, layout, &product, &key), CAIRN_OK);
    cr_assert_eq(cairn_product_lower(&c->env, layout, &product, "product", &kernel),
                 CAIRN_OK, "seed %llu: %s\n%s", (unsigned long long)c->seed,
                 c->env.message, c->text);
    c->kernel[v][member][adds] = batch_find(batch, key);
    c->share[v][member][adds]  = kernel.share;
    if (c->kernel[v][member][adds] < 0)
        c->kernel[v][member][adds] = batch_add(batch, &c->env, key, &kernel.function);
    cairn_ir_destroy(&c->env, &kernel.function);
    cairn_free(&c->env, key);
}

/// The first part's kernel as asked for; the others add.
static inline void product_case_kernels(product_case *c, kernel_batch *batch, int v)
{
    for (int64_t k = 0; k < c->local->parts && k < 2; k++)
        product_case_kernel(c, batch, v, c->local->part[k].where.member, k > 0);
    for (int m = 1; m < c->local->groups; m++)
        product_case_kernel(c, batch, v, m, true);
}

/// Where one part is all, a product that adds may round what comes of f64 sums.
static inline void product_case_round(product_case *c, cairn_product *product)
{
    cairn_product rounded = *product;

    if (c->local->parts != 1 || product->operand != CAIRN_IR_F32
        || product->accumulate != CAIRN_IR_F64)
        return;
    rounded.wide = true;
    if (cairn_product_round(c->local->group[0].layout, &rounded)) *product = rounded;
}

static inline void product_case_lower(product_case *c, kernel_batch *batch)
{
    for (int v = 0; v < PRODUCT_VARIANTS; v++) {
        crash_note("seed %llu, variant %d, lowered", (unsigned long long)c->seed, v);
        product_case_draw(c, &c->product[v]);
        if (random_chance(&c->state, 50)) product_case_round(c, &c->product[v]);
        product_case_kernels(c, batch, v);
    }
}

static inline double product_operand(int64_t index, int64_t column)
{
    return (double)((index * 7 + column * 3) % 13) - 6;
}

static inline void product_set(void *array, bool narrow, int64_t at, double value)
{
    if (narrow)
        ((float *)array)[at] = (float)value;
    else
        ((double *)array)[at] = value;
}

static inline double product_get(const void *array, bool narrow, int64_t at)
{
    return narrow ? (double)((const float *)array)[at] : ((const double *)array)[at];
}

/// One product's operands.
typedef struct {
    guarded memory;
    int64_t rows, cols, columns, x_stride, y_stride;
    bool    narrow, y_narrow; ///< f32: X, and Y.
    void   *x, *y;            ///< At the box's first row of each.
    double *sums;             ///< What is added to where it is rounded into Y; or NULL.
    double *expected;         ///< [rows][columns]
} product_operands;

static inline void product_operands_make(product_case        *c,
                                         const cairn_product *product,
                                         product_operands    *o)
{
    const cairn_interval out   = c->box[product->transposed],
                         in    = c->box[!product->transposed];
    static const int columns[] = {1, 3, 8, 33, 70};
    const size_t     bytes     = product->operand == CAIRN_IR_F32 ? 4 : 8;

    *o = (product_operands){.rows = out.hi - out.lo + 1, .cols = in.hi - in.lo + 1};
    o->narrow   = bytes == 4;
    o->y_narrow = o->narrow && (!product->wide || product->rounds);
    o->columns  = product->columns == 1 ? 1
                  : c->wish.columns     ? c->wish.columns
                                        : columns[random_below(&c->state, 5)];
    o->x_stride = product->columns == 1 ? 1 : o->columns + random_below(&c->state, 3);
    o->y_stride = product->columns == 1 ? 1 : o->columns + random_below(&c->state, 3);
    /* Rows that are written past the caches are whole lines; Y is aligned to none, to 16
       bytes, or to a line. */
    if (product->hints.bypass_y && product->columns != 1)
        o->y_stride = (o->columns + 15) / 16 * 16;
    o->x = guarded_alloc(&o->memory, bytes * (size_t)(o->cols * o->x_stride));
    o->y = guarded_alloc(
        &o->memory, (o->y_narrow ? 4 : 8)
                        * (size_t)(o->rows * o->y_stride + random_below(&c->state, 4)));
    if (product->rounds)
        o->sums = guarded_alloc(&o->memory,
                                sizeof *o->sums * (size_t)(o->rows * o->y_stride));
    for (int64_t j = 0; j < o->cols; j++)
        for (int64_t k = 0; k < o->columns; k++)
            product_set(o->x, o->narrow, j * o->x_stride + k,
                        product_operand(in.lo + j, k) / (c->wish.real ? 7.0 : 1.0));
    o->expected = calloc((size_t)(o->rows * o->columns) + 1, sizeof(double));
}

/// Bytes of Y, with what lies between its rows.
static inline size_t product_operands_bytes(const product_operands *o)
{
    return (size_t)(o->rows * o->y_stride) * (o->y_narrow ? 4 : 8);
}

/// y before, and what it shall be. Some of what is added to is -0, unless others' sums are:
/// a row of which nothing is stored keeps it on every way.
static inline void product_operands_expect(product_case        *c,
                                           const cairn_product *product,
                                           product_operands    *o)
{
    const int  out = product->transposed, in = !out;
    const bool signs = !o->sums && !product->has_sums;

    for (int64_t i = 0; i < o->rows; i++)
        for (int64_t k = 0; k < o->columns; k++) {
            const double before =
                signs && (i + k) % 3 == 0
                    ? -0.0
                    : product_operand(i + 5, k + 1) + (o->sums ? 0x1p-30 : 0);

            if (product->adds)
                product_set(o->y, o->y_narrow, i * o->y_stride + k,
                            o->sums ? NAN : before);
            if (o->sums) o->sums[i * o->y_stride + k] = before;
            o->expected[i * o->columns + k] = product->adds ? before : 0;
        }
    for (cairn_pos e = 0; e < c->entries.n; e++)
        for (int64_t k = 0; k < o->columns; k++)
            o->expected[(c->entries.coord[out][e] - c->box[out].lo) * o->columns + k] +=
                (product->scaled ? 0.5 : 1) * c->entries.value[e]
                * product_operand(c->entries.coord[in][e], k);
    for (int64_t i = 0; o->sums && i < o->rows * o->columns; i++)
        o->expected[i] = (double)(float)o->expected[i];
}

/// What variant @p v is called with, but for the team.
static inline cairn_product_args
product_case_args(const product_case *c, int v, const product_operands *o)
{
    const int64_t first = c->box[!c->product[v].transposed].lo * o->x_stride;

    return (cairn_product_args){
        .x         = (char *)o->x - first * (o->narrow ? 4 : 8),
        .y         = o->y,
        .x_stride  = o->x_stride,
        .y_stride  = o->y_stride,
        .columns   = o->columns,
        .row_lo    = c->box[0].lo,
        .row_end   = c->box[0].hi + 1,
        .col_lo    = c->box[1].lo,
        .col_end   = c->box[1].hi + 1,
        .alpha     = 0.5,
        .y_aligned = (uintptr_t)o->y % 16 == 0,
        .sums      = o->sums,
    };
}

/// Count the rows of a part that are alike, as plans do, if variant @p v asks for them.
static inline uint8_t *
product_case_alike(product_case *c, int v, int64_t k, const cairn_kernel_part *view)
{
    const cairn_layout *layout  = c->local->part[k].layout;
    cairn_product       product = c->product[v];
    cairn_product_plan  plan;
    uint8_t            *alike = NULL;

    product.adds |= k > 0;
    cairn_product_plan_make(layout, &product, &plan);
    if (plan.hints.alike)
        cr_assert_eq(
            cairn_alike_rows_count(&c->env, &view->level[layout->last], &alike),
            CAIRN_OK);
    return alike;
}

/// Run one part's kernel on copies of its arrays that end where memory ends.
static inline void product_case_run_part(product_case       *c,
                                         const kernel_batch *batch,
                                         int                 v,
                                         int64_t             k,
                                         product_operands   *o,
                                         int                 threads)
{
    const int            m      = c->local->part[k].where.member;
    guarded              memory = {.blocks = 0};
    cairn_kernel_part    view   = guarded_part(&memory, &c->local->part[k]);
    cairn_product_args   args   = product_case_args(c, v, o);
    cairn_work_partition team;
    cairn_product_fn     run;

    cr_assert_eq(cairn_work_partition_make(&c->env, &c->share[v][m][k > 0], &view,
                                           o->rows, o->columns, threads, &team),
                 CAIRN_OK);
    team.alike = product_case_alike(c, v, k, &view);
    cairn_work_partition_use(&team, &args);
    if (team.alike) {
        const int    last = c->local->part[k].layout->last;
        const size_t rows = (size_t)view.level[last].ptr_length - 1;

        args.alike = memcpy(guarded_alloc(&memory, rows), team.alike, rows);
    }
    *(void **)&run = batch_symbol(batch, c->kernel[v][m][k > 0]);
    cr_assert_eq(run(&view, &args), 0);
    cairn_work_partition_fini(&c->env, &team);
    guarded_free(&memory);
}

static inline void product_case_run(product_case       *c,
                                    const kernel_batch *batch,
                                    int                 v,
                                    product_operands   *o,
                                    int                 threads)
{
    crash_note("seed %llu, variant %d, kernel_%d in %s", (unsigned long long)c->seed, v,
               c->kernel[v][0][0], batch->folder);
    if (getenv("PRODUCT_VERBOSE"))
        fprintf(stderr, "seed %llu, variant %d, kernel_%d in %s\n",
                (unsigned long long)c->seed, v, c->kernel[v][0][0], batch->folder);
    for (int64_t k = 0; k < c->local->parts; k++)
        product_case_run_part(c, batch, v, k, o, threads);
}

/// Sums are exact but of narrow values, which may be large or small beside what Y held.
static inline bool product_is_sum(const product_case     *c,
                                  const product_operands *o,
                                  double                  y,
                                  double                  expected)
{
    const double most = c->set == NARROW_BF16 ? 0x1p25 : 1;
    const double near = (o->y_narrow ? 0x1p-19 : 0x1p-44) * (fabs(expected) + most);

    return fabs(y - expected) <= (c->wish.narrow ? near : 0);
}

static inline void product_case_check(product_case *c, const kernel_batch *batch, int v)
{
    product_operands o;
    const int        threads = 1 + random_below(&c->state, 4);

    if (c->local->parts == 0) return; /* no bank: nothing is written */
    product_operands_make(c, &c->product[v], &o);
    product_operands_expect(c, &c->product[v], &o);
    product_case_run(c, batch, v, &o, threads);
    for (int64_t i = 0; i < o.rows; i++)
        for (int64_t k = 0; k < o.columns; k++) {
            const double y = product_get(o.y, o.y_narrow, i * o.y_stride + k);

            cr_assert(
                product_is_sum(c, &o, y, o.expected[i * o.columns + k]),
                "seed %llu: variant %d, kernel_%d in %s, %d threads: Y(%lld,%lld) = "
                "%g, not %g\n%s\n%s",
                (unsigned long long)c->seed, v, c->kernel[v][0][0], batch->folder,
                threads, (long long)i, (long long)k, y, o.expected[i * o.columns + k],
                c->text, batch->key[c->kernel[v][0][0]]);
        }
    guarded_free(&o.memory);
    free(o.expected);
}

#endif
