// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products that are checked by sums of columns: bits that turn in results and in arrays are
/// found and the results put right, and nothing is found where nothing is wrong.

#include "api/api.h"
#include "base/mix.h"
#include "guard/guard.h"
#include "guard/guard_compare.h"
#include "guard/guard_look.h"
#include "plan/replay_y_sum.h"
#include "support/seed.h"
#include "support/suite_context.h"

#include <float.h>
#include <math.h>

TestSuite(guard, .init = context_up, .fini = context_down, .timeout = 600);

static const char *const formats[] = {
    "csr", "coo", "bdia<64>", "ell", "hybrid<bdia<64>,csr,0.6>", "csc"};

enum { FORMATS = sizeof formats / sizeof *formats };

static uint64_t seed;

static uint64_t draw(uint64_t n)
{
    return cairn_mix(seed++) % n;
}

/// A number of any sign, within so many powers of two.
static double draw_number(int powers)
{
    const double size = 0.5 + (double)draw(1 << 20) / (1 << 21);

    return ldexp(draw(2) ? size : -size, (int)draw((uint64_t)powers));
}

static struct {
    const char   *text; ///< Of the format.
    cairn_tensor *tensor;
    cairn_plan   *plan;
    int64_t       n;
    double       *x, *y, *right;
} p;

/// The product of a matrix of @p nnz entries, checked; takes the arrays.
static void
plan_up(int64_t n, int64_t nnz, int64_t *coord, double *value, cairn_dtype dtype)
{
    const int64_t extent[2] = {n, n};
    cairn_format *format    = must_format(context, p.text);
    cairn_source *source    = NULL;

    MUST(context, cairn_source_from_coords(context, 2, extent, nnz, coord, value,
                                           CAIRN_BY_NNZ, &source));
    MUST(context, cairn_tensor_create(source, format, dtype, &p.tensor));
    MUST(context, cairn_plan_create_spmv(p.tensor, &p.plan));
    MUST(context, cairn_plan_guard(p.plan));
    cairn_source_destroy(&source);
    cairn_format_destroy(&format);
    free(coord);
    free(value);
    p.n     = n;
    p.x     = malloc((size_t)n * sizeof *p.x);
    p.y     = malloc((size_t)n * sizeof *p.y);
    p.right = malloc((size_t)n * sizeof *p.right);
}

/// A random matrix of @p n rows with a diagonal and some more entries.
static void product_up(int64_t n, const char *text, int powers, cairn_dtype dtype)
{
    const int64_t nnz   = n + 3 * n;
    int64_t      *coord = malloc((size_t)nnz * 2 * sizeof *coord);
    double       *value = malloc((size_t)nnz * sizeof *value);

    for (int64_t k = 0; k < nnz; k++) {
        coord[2 * k]     = k < n ? k : (int64_t)draw((uint64_t)n);
        coord[2 * k + 1] = k < n ? k : (int64_t)draw((uint64_t)n);
        value[k]         = draw_number(powers);
    }
    p.text = text;
    plan_up(n, nnz, coord, value, dtype);
}

/// Five random diagonals in CSR.
static void band_up(int64_t n)
{
    int64_t *coord = malloc((size_t)n * 10 * sizeof *coord), nnz = 0;
    double  *value = malloc((size_t)n * 5 * sizeof *value);

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i - 2; j <= i + 2; j++)
            if (0 <= j && j < n) {
                coord[2 * nnz]     = i;
                coord[2 * nnz + 1] = j;
                value[nnz++]       = draw_number(3);
            }
    p.text = "csr";
    plan_up(n, nnz, coord, value, CAIRN_F64);
}

static void product_down(void)
{
    cairn_plan_destroy(&p.plan);
    cairn_tensor_destroy(&p.tensor);
    free(p.x);
    free(p.y);
    free(p.right);
}

static void draw_x(int powers)
{
    for (int64_t i = 0; i < p.n; i++)
        p.x[i] = draw_number(powers);
}

/// The right result by the second look.
static cairn_guard_verdict compare(void)
{
    const cairn_guard_x x =
        cairn_guard_x_of(p.plan->guard, p.plan->replay->common.operands, p.x);

    return cairn_guard_compare(&x, p.right);
}

static cairn_status check(double *y)
{
    return cairn_guard_check(p.plan->guard, p.plan->replay->common.operands, p.x, y,
                             NULL);
}

static double turned(double value, int bit)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    bits ^= (uint64_t)1 << bit;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// Turn a bit of a result that matters: a check finds and mends it.
///
/// @return whether there was such a bit.
static bool turn_in_result(void)
{
    const int64_t             i   = (int64_t)draw((uint64_t)p.n);
    const double              to  = turned(p.right[i], (int)draw(64));
    const double              d   = fabs(to - p.right[i]);
    const cairn_guard_verdict v   = compare();
    const int64_t             had = p.plan->guard->info.found;

    cr_assert_leq(v.difference, v.bound);
    if (d <= v.bound + v.difference) return false;
    memcpy(p.y, p.right, (size_t)p.n * sizeof *p.y);
    p.y[i] = to;
    MUST(context, check(p.y));
    cr_assert_eq(p.plan->guard->info.found, had + 1, "%g in row %d, bound %g", d,
                 (int)i, v.bound);
    cr_assert(fabs(p.y[i] - p.right[i]) <= v.bound);
    return true;
}

/// Turn a bit of a stored value that matters: the run fails, and names the member.
static bool turn_in_arrays(void)
{
    const cairn_local *local = p.tensor->local;
    const cairn_part  *part  = &local->part[draw((uint64_t)local->parts)];
    char               named[64];

    if (part->view.val_kind != CAIRN_VALUE_FLOAT || part->view.val_bits != 64
        || part->view.values == 0)
        return false;
    double *const at =
        cairn_value_at(&part->view, (cairn_pos)draw((uint64_t)part->view.values));
    const double was = *at;

    *at = turned(was, (int)draw(63));
    /* What it does to y, as the product has it. */
    cairn_guard *const guard = p.plan->guard;

    p.plan->guard = NULL;
    MUST(context, cairn_plan_run(p.plan, p.x, p.y));
    p.plan->guard                   = guard;
    const cairn_guard_verdict right = compare();
    double                    d     = 0;

    for (int64_t i = 0; i < p.n; i++)
        d += p.y[i] - p.right[i];
    const bool matters = !isfinite(d) || fabs(d) > right.bound + right.difference;

    if (matters) {
        snprintf(named, sizeof named, "guard: rank 0: member %d: ", part->where.member);
        cr_assert_eq(cairn_plan_run(p.plan, p.x, p.y), CAIRN_NOT_VERIFIED);
        cr_assert_not_null(strstr(cairn_context_message(context), named), "%s",
                           cairn_context_message(context));
    }
    *at = was;
    return matters;
}

Test(guard, bits_that_turn_are_found)
{
    const int turns    = seed_cases(10000);
    int       found[2] = {0};

    seed                         = seed_clock();
    context->env.options.kernels = CAIRN_KERNELS_REFERENCE; /* many small plans */
    for (int f = 0; found[0] + found[1] < turns; f++) {
        product_up(60, formats[f % FORMATS], f % 2 ? 3 : 40, CAIRN_F64);
        draw_x(f % 3 ? 2 : 20);
        MUST(context, cairn_plan_run(p.plan, p.x, p.right));
        for (int k = 0; k < 100 && found[0] + found[1] < turns; k++)
            found[0] += turn_in_result();
        for (int k = 0; k < 100 && found[0] + found[1] < turns; k++)
            found[1] += turn_in_arrays();
        product_down();
    }
    if (seed_whole()) cr_assert(found[0] > turns / 4 && found[1] > turns / 5);
}

Test(guard, nothing_is_found_where_nothing_is_wrong)
{
    const int        products = seed_cases(5000);
    int64_t          closer   = 0;
    cairn_guard_info info     = CAIRN_GUARD_INFO;

    seed                         = seed_clock() + 1;
    context->env.options.kernels = CAIRN_KERNELS_REFERENCE;
    for (int k = 0; k < products;) {
        const bool narrow = draw(4) == 0;

        product_up(1 + (int64_t)draw(40), formats[draw(FORMATS)],
                   narrow ? 10 : 1 + (int)draw(60), narrow ? CAIRN_F32 : CAIRN_F64);
        float *const x = malloc((size_t)p.n * sizeof *x), *const y = malloc(
                                                              (size_t)p.n * sizeof *y);

        for (int l = 0; l < 200 && k < products; l++, k++) {
            draw_x(narrow ? 10 : 1 + (int)draw(100));
            for (int64_t i = 0; i < p.n; i++)
                x[i] = (float)p.x[i];
            MUST(context, narrow ? cairn_plan_run(p.plan, x, y)
                                 : cairn_plan_run(p.plan, p.x, p.y));
        }
        MUST(context, cairn_plan_guard_info(p.plan, &info));
        cr_assert_eq(info.found, 0);
        cr_assert_eq(info.unchecked, 0);
        cr_assert_gt(info.checked, 0);
        closer += p.plan->guard->closer;
        free(x);
        free(y);
        product_down();
    }
    cr_assert_leq(closer, products / 10); /* the first look is what is paid for */
}

/// The sum of y.
static long double sum_of(const double *y, int64_t n)
{
    long double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += y[i];
    return sum;
}

static void must_name_a_member(cairn_status status)
{
    cr_assert_eq(status, CAIRN_NOT_VERIFIED, "%s", p.text);
    cr_assert_not_null(
        strstr(cairn_context_message(context), "guard: rank 0: member 0"), "%s",
        cairn_context_message(context));
}

/// A checked product whose kernels add up what they write: the sum is that of y, which has
/// the bits of a product that is not checked.
static void must_add_up(void)
{
    const char *text  = p.text;
    cairn_plan *plain = NULL;
    long double sum   = 0;

    draw_x(3);
    MUST(context, cairn_plan_create_spmv(p.tensor, &plain));
    MUST(context, cairn_plan_run(plain, p.x, p.right));
    MUST(context, cairn_plan_run(p.plan, p.x, p.y));
    cr_assert(cairn_replay_y_sum(p.plan->replay, &sum), "%s", text);
    cr_assert_leq(fabsl(sum - sum_of(p.y, p.n)), 1e-6L, "%s: %Lg", text, sum);
    cr_assert_eq(memcmp(p.y, p.right, (size_t)p.n * sizeof *p.y), 0, "%s", text);
    cr_assert_eq(p.plan->guard->closer, 0, "%s", text);
    /* A number that turns is in the kernels' sum, too. */
    const cairn_part *part = &p.tensor->local->part[0];
    double *const     at   = cairn_value_at(&part->view, part->view.values / 2);

    *at += 1e3;
    must_name_a_member(cairn_plan_run(p.plan, p.x, p.y));
    *at -= 1e3;
    cairn_plan_destroy(&plain);
    product_down();
}

Test(guard, kernels_add_up_on_the_way)
{
    const char *const adding[] = {"csr", "bdia<64>", "sell<8>",
                                  "hybrid<bdia<64>,csr,0.6>"};
    long double       sum;

    seed = 9;
    for (int f = 0; f < 4; f++) {
        product_up(6000, adding[f], 3, CAIRN_F64); /* more would be uneven rows */
        must_add_up();
    }
    band_up(6000); /* rows abreast */
    must_add_up();
    product_up(60, "csc", 3, CAIRN_F64); /* meets rows again and again */
    draw_x(3);
    MUST(context, cairn_plan_run(p.plan, p.x, p.y));
    cr_assert_not(cairn_replay_y_sum(p.plan->replay, &sum));
    cr_assert_eq(p.plan->guard->info.checked, 1);
    product_down();
}

Test(guard, what_is_not_finite_is_counted_and_left)
{
    cairn_guard_info info = CAIRN_GUARD_INFO;

    seed = 3;
    product_up(30, "csr", 3, CAIRN_F64);
    draw_x(3);
    p.x[7] = INFINITY;
    MUST(context, cairn_plan_run(p.plan, p.x, p.y));
    p.x[7] = NAN;
    MUST(context, cairn_plan_run(p.plan, p.x, p.y));
    p.x[7] = 1;
    MUST(context, cairn_plan_run(p.plan, p.x, p.y));
    MUST(context, cairn_plan_guard_info(p.plan, &info));
    cr_assert_eq(info.checked, 1);
    cr_assert_eq(info.unchecked, 2);
    cr_assert_eq(info.found, 0);
    product_down();
}

Test(guard, what_leaves_f32_is_counted_and_left)
{
    cairn_guard_info info = CAIRN_GUARD_INFO;
    float            x[30], y[30];

    seed = 6;
    product_up(30, "csr", 3, CAIRN_F32);
    for (int i = 0; i < 30; i++)
        x[i] = FLT_MAX;
    MUST(context, cairn_plan_run(p.plan, x, y));
    for (int i = 0; i < 30; i++)
        x[i] = FLT_MAX / 65536;
    MUST(context, cairn_plan_run(p.plan, x, y));
    MUST(context, cairn_plan_guard_info(p.plan, &info));
    cr_assert_eq(info.unchecked, 1);
    cr_assert_eq(info.checked, 1);
    cr_assert_eq(info.found, 0);
    product_down();
}

/// The first index of a level, as far as its lowest byte has it.
static unsigned char *first_index(int level)
{
    return (unsigned char *)(uintptr_t)p.tensor->local->part[0].view.level[level].idx;
}

/// Turn an index of @p level to one that no row and no column of 60 has. A product by such
/// arrays may end the process: the check alone looks at them.
static void turn_index_away(int level)
{
    unsigned char *const at = first_index(level);

    *at ^= 64;
    memcpy(p.y, p.right, (size_t)p.n * sizeof *p.y);
    p.y[0] += 1e6;
    must_name_a_member(check(p.y));
    *at ^= 64;
    MUST(context, check(p.right));
}

Test(guard, indices_that_turn_are_found)
{
    const char *const indexed[] = {"csr", "coo", "ell", "csc"};

    seed                         = 7;
    context->env.options.kernels = CAIRN_KERNELS_REFERENCE;
    for (int f = 0; f < 4; f++) {
        product_up(60, indexed[f], 3, CAIRN_F64);
        draw_x(3);
        MUST(context, cairn_plan_run(p.plan, p.x, p.right));
        const int last = p.tensor->local->part[0].view.levels - 1;

        for (int level = 0; level <= last; level++)
            if (first_index(level)) turn_index_away(level);
        if (f < 3) { /* to the column beside it */
            *first_index(last) ^= 1;
            must_name_a_member(cairn_plan_run(p.plan, p.x, p.y));
            *first_index(last) ^= 1;
            MUST(context, cairn_plan_run(p.plan, p.x, p.y));
        }
        product_down();
    }
}

Test(guard, new_values_have_sums_of_their_own)
{
    cairn_guard_info info = CAIRN_GUARD_INFO;

    seed = 4;
    product_up(30, "csr", 3, CAIRN_F64);
    draw_x(3);
    MUST(context, cairn_plan_run(p.plan, p.x, p.y));
    MUST(context, cairn_tensor_shift(p.tensor, 5));
    MUST(context, cairn_plan_run(p.plan, p.x, p.y));
    MUST(context, cairn_plan_guard_info(p.plan, &info));
    cr_assert_eq(info.checked, 2);
    cr_assert_eq(info.found, 0);
    product_down();
}

/// Rows of -1, 2, -1 in lines of so many, which do not meet: sums of columns are 0 but for the
/// first and the last of each.
static void laplacian_up(int64_t n, int64_t line, cairn_dtype dtype)
{
    int64_t *coord = malloc((size_t)n * 6 * sizeof *coord), nnz = 0;
    double  *value = malloc((size_t)n * 3 * sizeof *value);

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i - 1; j <= i + 1; j++)
            if (0 <= j && j < n && i / line == j / line) {
                coord[2 * nnz]     = i;
                coord[2 * nnz + 1] = j;
                value[nnz++]       = i == j ? 2.0 : -1.0;
            }
    p.text = "csr";
    plan_up(n, nnz, coord, value, dtype);
}

Test(guard, sums_of_columns_that_are_mostly_0_are_listed)
{
    enum { N = 1300 };
    cairn_guard *g;
    float        x[N], y[N];

    seed = 8;
    laplacian_up(N, N, CAIRN_F64);
    g = p.plan->guard;
    cr_assert_not_null(g->all[CAIRN_GUARD_OWN].at);
    cr_assert_eq(g->all[CAIRN_GUARD_OWN].blocks, 2);
    cr_assert_eq(g->all[CAIRN_GUARD_OWN].at[0], 0);
    cr_assert_eq(g->all[CAIRN_GUARD_OWN].at[1], N - CAIRN_GUARD_BLOCK);
    draw_x(3);
    MUST(context, cairn_plan_run(p.plan, p.x, p.right));
    cr_assert_eq(g->closer, 0);
    memcpy(p.y, p.right, sizeof *p.y * N);
    p.y[1111] += 0.25;
    MUST(context, check(p.y));
    cr_assert_eq(g->info.found, 1);
    cr_assert_float_eq(p.y[1111], p.right[1111], 1e-12);
    product_down();

    laplacian_up(N, N, CAIRN_F32);
    g = p.plan->guard;
    for (int i = 0; i < N; i++)
        x[i] = (float)draw_number(3);
    MUST(context, cairn_plan_run(p.plan, x, y));
    cr_assert_eq(g->closer, 0);
    y[7] += 0.25F;
    MUST(context,
         cairn_guard_check(p.plan->guard, p.plan->replay->common.operands, x, y, NULL));
    cr_assert_eq(g->info.found, 1);
    product_down();
}

Test(guard, sums_of_columns_that_repeat_are_kept_once)
{
    enum { LINE = 20, LINES = 65, N = LINE * LINES };

    seed = 10;
    laplacian_up(N, LINE, CAIRN_F64);
    const cairn_guard         *g    = p.plan->guard;
    const cairn_guard_columns *own  = &g->all[CAIRN_GUARD_OWN];
    const cairn_guard_vector   x    = {p.x, N, false};
    long double                want = 0;

    draw_x(3);
    for (int64_t k = 0; k < LINES; k++)
        want += (long double)p.x[k * LINE] + p.x[(k + 1) * LINE - 1];
    /* The end of a line and the beginning of the next are one block. */
    cr_assert_not_null(own->at);
    cr_assert_eq(own->blocks, LINES + 1);
    cr_assert_eq(own->kinds, 1);
    cr_assert_eq(own->first[1], LINES - 1, "all but the first and the last");
    const long double all = cairn_guard_multiply_alike(own->w, own->at, LINES - 1, &x)
                            + cairn_guard_multiply_blocks(own->w + CAIRN_GUARD_BLOCK,
                                                          own->at + LINES - 1, 2, &x);

    cr_assert_leq(fabsl(all - want), 1e-12L, "%Lg, %Lg", all, want);
    MUST(context, cairn_plan_run(p.plan, p.x, p.right));
    MUST(context, check(p.right));
    cr_assert_eq(g->closer, 0);
    memcpy(p.y, p.right, sizeof *p.y * N);
    p.y[LINE] += 0.25;
    MUST(context, check(p.y));
    cr_assert_eq(g->info.found, 1);
    cr_assert_float_eq(p.y[LINE], p.right[LINE], 1e-12);
    product_down();
}

/// Threads' shares of listed blocks begin and end anywhere in their kinds.
Test(guard, threads_share_what_is_listed)
{
    enum { LINE = 12, N = 8000 * LINE, MOST = 5 };

    seed = 11;
    laplacian_up(N, LINE, CAIRN_F64);
    const cairn_guard *g       = p.plan->guard;
    int64_t *const     threads = &g->comm->env->options.threads;
    const int64_t      was     = *threads;

    draw_x(3);
    MUST(context, cairn_plan_run(p.plan, p.x, p.y));
    const cairn_guard_x x = cairn_guard_x_of(g, p.plan->replay->common.operands, p.x);
    const long double   right = sum_of(p.y, N), wrong = right + 0.001L;

    cr_assert_gt(g->all[CAIRN_GUARD_OWN].blocks * CAIRN_GUARD_BLOCK,
                 CAIRN_GUARD_PARALLEL);
    for (*threads = 1; *threads <= MOST; ++*threads) {
        cr_expect(cairn_guard_agrees(&x, p.y, &right), "%d threads", (int)*threads);
        cr_expect_not(cairn_guard_agrees(&x, p.y, &wrong));
    }
    *threads = was;
    product_down();
}

Test(guard, a_result_of_rounding_alone_is_looked_at_twice)
{
    enum { N = 1300 };

    laplacian_up(N, N, CAIRN_F64);
    for (int i = 0; i < N; i++)
        p.x[i] = i == 0 || i == N - 1 ? 0 : 1e8; /* y is 0 but near the ends */
    MUST(context, cairn_plan_run(p.plan, p.x, p.right));
    const cairn_guard_verdict v = compare();

    cr_assert(v.checked && v.difference <= v.bound);
    cr_assert_gt(v.bound, 1e-8);
    cr_assert_eq(p.plan->guard->info.found, 0);
    /* A turn that the bound lets pass is no more than that to either look. */
    memcpy(p.y, p.right, sizeof *p.y * N);
    p.y[600] += v.bound / 2;
    MUST(context, check(p.y));
    cr_assert_eq(p.plan->guard->info.found, 0);
    p.y[600] += 2 * v.bound;
    MUST(context, check(p.y));
    cr_assert_eq(p.plan->guard->info.found, 1);
    cr_assert_gt(p.plan->guard->closer, 0);
    product_down();
}

Test(guard, other_products_are_refused)
{
    cairn_product_options twice = CAIRN_PRODUCT_OPTIONS;
    cairn_plan           *other = NULL;

    seed = 5;
    product_up(10, "csr", 3, CAIRN_F64);
    twice.columns = 2;
    MUST(context, cairn_plan_create_product(p.tensor, &twice, &other));
    cr_assert_eq(cairn_plan_guard(other), CAIRN_UNSUPPORTED);
    cr_assert_eq(cairn_plan_iterate(p.plan, 2), CAIRN_UNSUPPORTED);
    cairn_plan_destroy(&other);
    product_down();
}
