// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Generated products in the interpreter, which knows the limits of every array: random
/// formats as in test_product_lower, but many more of them, since nothing is compiled.
/// What reads or writes outside is found even where no page ends; sums are held to the
/// triples.
///
/// The seed is printed; PRODUCT_SEED=N runs case N alone, here as there.

#include "support/ir_watch.h"
#include "support/product_case.h"
#include "support/seed.h"

enum { USUAL_CASES = 200, NARROW_CASES = 1000 };

/// What the function's arrays are. Criterion runs one test a process.
static struct {
    const cairn_kernel_part    *part;
    const cairn_product_args   *args;
    const cairn_work_partition *team;
    bool                        scatters;
    int64_t                     x_first, x_end, y_end, y_sums, alike;
} arrays;

static int64_t first_of(void *user, cairn_ir_field field)
{
    (void)user;

    const bool x = field.source == CAIRN_IR_ARG && field.level == (int)CAIRN_PRODUCT_x;

    return x ? arrays.x_first : 0;
}

static int64_t length_of_argument(int field)
{
    const cairn_work_partition *d = arrays.team;

    switch ((cairn_product_field)field) {
    case CAIRN_PRODUCT_x: return arrays.x_end;
    case CAIRN_PRODUCT_y:
    case CAIRN_PRODUCT_sums: return arrays.y_end;
    case CAIRN_PRODUCT_share:
        return arrays.scatters ? CAIRN_SHARE_FIELDS * d->shares : d->shares + 1;
    case CAIRN_PRODUCT_cut: return d->cuts;
    case CAIRN_PRODUCT_partial:
        return d->cuts == 0
                   ? 0
                   : (d->cut[d->cuts - 1] / CAIRN_CUT + 1) * arrays.args->columns;
    case CAIRN_PRODUCT_first:
    case CAIRN_PRODUCT_last: return d->steps > 0 ? 0 : d->visits;
    case CAIRN_PRODUCT_step: return 2 * d->steps;
    case CAIRN_PRODUCT_alike: return arrays.alike;
    case CAIRN_PRODUCT_y_sum: return arrays.y_sums;
    default: return 0;
    }
}

static int64_t length_of(void *user, cairn_ir_field field)
{
    (void)user;
    switch (field.source) {
    case CAIRN_IR_LEVEL_PTR: return arrays.part->level[field.level].ptr_length;
    case CAIRN_IR_LEVEL_IDX: return arrays.part->level[field.level].idx_length;
    case CAIRN_IR_VAL: return cairn_stored_values(arrays.part);
    case CAIRN_IR_DICTIONARY: return (int64_t)1 << arrays.part->val_bits;
    case CAIRN_IR_ARG: return length_of_argument(field.level);
    default: return 0;
    }
}

static int leaves_seen; ///< Kernels whose leaves were held to the rows,
static int alike_seen;  ///< and those that sum rows that are alike side by side.

/// The kernels of one variant: of each member, as is and adding.
typedef struct {
    cairn_product_kernel kernel[CAIRN_MAX_MEMBERS][2];
    bool                 wants_sums; ///< Of what comes to Y.
} variant;

static void lower_one(product_case *c, variant *all, int v, int member, bool adds)
{
    cairn_product product = c->product[v];

    if (all->kernel[member][adds].function) return;
    product.adds |= adds;
    if (all->wants_sums) cairn_product_sum_y(c->local->group[member].layout, &product);
    cr_assert_eq(cairn_product_lower(&c->env, c->local->group[member].layout, &product,
                                     "product", &all->kernel[member][adds]),
                 CAIRN_OK, "seed %llu: %s\n%s", (unsigned long long)c->seed,
                 c->env.message, c->text);
}

/// The rows of Y, or what stands beside it before it is rounded, added up; @p size: how
/// large they are in all.
static double sum_of_rows(const product_operands *o, bool before, double *size)
{
    double sum = 0;

    for (int64_t i = 0; i < o->rows; i++) {
        const double y = before && o->sums
                             ? o->sums[i * o->y_stride]
                             : product_get(o->y, o->y_narrow, i * o->y_stride);

        sum += y;
        *size += fabs(y);
    }
    return sum;
}

/// Hold what leaves say to what has come to the rows of Y.
static void check_sums(const product_case     *c,
                       const product_operands *o,
                       const double           *y_sum,
                       double                  before,
                       double                  size)
{
    double all = 0;

    for (int64_t k = 0; k < arrays.y_sums; k++)
        all += y_sum[k];
    const double come = sum_of_rows(o, false, &size) - before;

    cr_assert(fabs(come - all) <= (o->y_narrow ? 1e-5 : 1e-12) * size,
              "seed %llu: leaves say %.17g, rows %.17g\n%s",
              (unsigned long long)c->seed, all, come, c->text);
    leaves_seen += arrays.y_sums > 0;
}

/// Interpret one part's kernel. @return false: it takes too long.
static bool run_part(product_case     *c,
                     variant          *all,
                     int               v,
                     int64_t           k,
                     product_operands *o,
                     int               threads)
{
    const cairn_part    *part       = &c->local->part[k];
    const int            m          = part->where.member;
    const bool           adds       = k > 0;
    const bool           transposed = c->product[v].transposed;
    cairn_product_args   args       = product_case_args(c, v, o);
    const cairn_ir_watch watch      = {.length = length_of, .first = first_of};
    int64_t              status     = -1;
    cairn_work_partition team;

    lower_one(c, all, v, m, adds);
    cr_assert_eq(cairn_work_partition_make(&c->env, &all->kernel[m][adds].share,
                                           &part->view, o->rows, o->columns, threads,
                                           &team),
                 CAIRN_OK);
    team.alike = product_case_alike(c, v, k, &part->view);
    cairn_work_partition_use(&team, &args);
    arrays.part     = &part->view;
    arrays.args     = &args;
    arrays.team     = &team;
    arrays.scatters = all->kernel[m][adds].share.kind == CAIRN_SHARE_SCATTER;
    arrays.x_first  = c->box[!transposed].lo * o->x_stride;
    arrays.x_end    = arrays.x_first + o->cols * o->x_stride;
    arrays.y_end    = o->rows * o->y_stride;
    arrays.alike = team.alike ? part->view.level[part->layout->last].ptr_length - 1 : 0;
    alike_seen += arrays.alike > 0;

    const int64_t leaf = all->kernel[m][adds].share.leaf;
    double        size = 0, before = 0;

    arrays.y_sums = leaf > 0 ? team.share[team.shares] / leaf + team.shares : 0;
    args.y_sum    = calloc((size_t)arrays.y_sums + 1, sizeof *args.y_sum);
    if (leaf > 0 && (c->product[v].adds || adds)) before = sum_of_rows(o, true, &size);

    const char *error =
        ir_watched(all->kernel[m][adds].function, &part->view, &args, watch, &status);

    if (!error && leaf > 0) check_sums(c, o, args.y_sum, before, size);
    free(args.y_sum);
    cairn_work_partition_fini(&c->env, &team);
    if (error == ir_too_long) return false;
    cr_assert_null(error, "seed %llu: variant %d, part %lld: %s\n%s",
                   (unsigned long long)c->seed, v, (long long)k, error, c->text);
    cr_assert_eq(status, 0);
    return true;
}

static bool run_parts(product_case *c, int v, product_operands *o, int threads)
{
    variant all   = {.kernel     = {{{.function = NULL}}},
                     .wants_sums = random_below(&c->state, 2) == 1};
    bool    whole = true;

    for (int64_t k = 0; k < c->local->parts && whole; k++)
        whole = run_part(c, &all, v, k, o, threads);
    for (int m = 0; m < CAIRN_MAX_MEMBERS; m++)
        for (int adds = 0; adds < 2; adds++)
            cairn_ir_destroy(&c->env, &all.kernel[m][adds].function);
    return whole;
}

static void run_variant(product_case *c, int v)
{
    const int        threads = 1 + random_below(&c->state, 4);
    product_operands o;

    if (c->local->parts == 0) return;
    crash_note("seed %llu, variant %d", (unsigned long long)c->seed, v);
    product_operands_make(c, &c->product[v], &o);
    product_operands_expect(c, &c->product[v], &o);
    if (run_parts(c, v, &o, threads))
        for (int64_t i = 0; i < o.rows * o.columns; i++) {
            const int64_t at = i / o.columns * o.y_stride + i % o.columns;
            const double  y  = product_get(o.y, o.y_narrow, at);

            cr_assert(product_is_sum(c, &o, y, o.expected[i]),
                      "seed %llu: variant %d: y[%lld] = %g, not %g\n%s",
                      (unsigned long long)c->seed, v, (long long)at, y, o.expected[i],
                      c->text);
        }
    guarded_free(&o.memory);
    free(o.expected);
}

/// @param[in] format  NULL: drawn. @return was it a tensor?
static bool run_case(uint64_t seed, const char *format, bool narrow)
{
    static product_case c;

    c = (product_case){.seed = seed, .state = seed, .wish.narrow = narrow};
    if (format)
        by_name(format, c.text, sizeof c.text);
    else
        random_format(&c.state, 2, c.text, RANDOM_FORMAT);
    if (!product_case_open(&c)) return false;
    for (int v = 0; v < PRODUCT_VARIANTS; v++)
        product_case_draw(&c, &c.product[v]);
    for (int v = 0; v < PRODUCT_VARIANTS; v++)
        run_variant(&c, v);
    product_case_close(&c);
    return true;
}

static void run_cases(int usual, bool narrow)
{
    const char *given = getenv("PRODUCT_SEED");
    uint64_t    seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    const int   cases = given ? 1 : seed_cases(usual);
    int         ran   = 0;

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; ran < cases && k < (given ? 1 : 4 * cases); k++)
        ran += run_case(seed + (uint64_t)k, NULL, narrow);
    printf("%d tensors, %d kernels that add up, %d of rows that are alike\n", ran,
           leaves_seen, alike_seen);
    cr_assert(given || ran == cases, "only %d of %d cases", ran, cases);
    if (!given && seed_whole()) cr_assert_gt(leaves_seen, cases / 10);
}

Test(product_bounds, nothing_outside_is_touched, .timeout = 3600)
{
    run_cases(USUAL_CASES, false);
}

Test(product_bounds, narrow_values_give_the_same_sums, .timeout = 3600)
{
    run_cases(NARROW_CASES, true);
}

/// Compressed rows have loops of their own where they end unevenly, are alike or abreast:
/// few random formats are such.
Test(product_bounds, nothing_outside_compressed_rows_is_touched, .timeout = 3600)
{
    static const char *const formats[] = {"csr", "dcsr", "csc", "dcsc"};
    const uint64_t           seed      = seed_clock() * 1000003;
    const int                cases     = seed_cases(USUAL_CASES);
    int                      ran       = 0;

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < cases; k++)
        ran += run_case(seed + (uint64_t)k, formats[k % 4], k % 8 >= 4);
    printf("%d tensors, %d kernels of rows that are alike\n", ran, alike_seen);
    if (seed_whole()) cr_assert_gt(alike_seen, cases / 10);
}
