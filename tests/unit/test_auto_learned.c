// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What choosing a format goes by beside the rates that are shipped: this machine's memory,
/// and products that ran. Both are made up here, so that no clock has a part in it.

#include "api/api.h"
#include "auto/rates.h"
#include "lower/product/product.h"
#include "support/api.h"
#include "support/brutal.h"

#include <math.h>
#include <time.h>

static cairn_context *context;
static char           folder[64];

/// A context whose measurements are kept in a file of this test's, on a machine like the one
/// where rates were fitted.
static void start(cairn_rates_way way)
{
    cairn_costs *costs;

    must_start(&context);
    context->env.options.cost = way;
    snprintf(context->env.options.costs, sizeof context->env.options.costs,
             "%s/costs.json", folder);
    MUST(context, cairn_context_set_threads(context, 1));
    MUST(context, cairn_context_costs(context, &costs));
    if (way == CAIRN_RATES_SHIPPED || costs->memory_when > 0) return;
    costs->memory      = cairn_memory_shipped;
    costs->memory_when = time(NULL);
}

static void up(void)
{
    scratch_create(folder);
    start(CAIRN_RATES_LEARNED);
}

static void down(void)
{
    char command[128];

    cairn_context_destroy(&context);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(auto_learned, .init = up, .fini = down, .timeout = 240);

static cairn_source *make_blocks(void)
{
    const cairn_problem p = {
        .size = sizeof(cairn_problem), .n = 3000, .degree = 9, .seed = 3};
    cairn_source *source = NULL;

    MUST(context, cairn_source_generate(context, "fem3", &p, &source));
    return source;
}

static cairn_auto_info info = CAIRN_AUTO_INFO; ///< Of the last choice.

/// A candidate's text is by the names of this library's catalogue already.
static cairn_format *parse(const char *text)
{
    cairn_format *format = NULL;

    MUST(context, cairn_format_create(context, text, &format));
    return format;
}

/// The number of the candidate that is chosen by the model.
static int choose(cairn_source *source, const char *candidates)
{
    const cairn_auto_options by_model = {
        .size = sizeof(cairn_auto_options), .tries = -1, .candidates = candidates};
    cairn_format *format = NULL;
    int           chosen = -1;

    MUST(context,
         cairn_format_auto(source, CAIRN_F64, NULL, &by_model, &format, &info));
    for (int k = 0; k < info.candidates && chosen < 0; k++) {
        cairn_format *one = parse(info.candidate[k].format);

        if (strcmp(cairn_format_text(one), cairn_format_text(format)) == 0) chosen = k;
        cairn_format_destroy(&one);
    }
    cairn_format_destroy(&format);
    cr_assert(chosen >= 0);
    return chosen;
}

/// Let products with a matrix in a format of one member have taken so long, @p n times.
static void run_took(cairn_source *source, const char *text, double seconds, int n)
{
    const cairn_product_options op     = CAIRN_PRODUCT_OPTIONS;
    cairn_format               *format = parse(text);
    cairn_tensor               *tensor = NULL;
    cairn_work                  work;
    cairn_cost_device           device;

    MUST(context, cairn_tensor_create(source, format, CAIRN_F64, &tensor));
    cr_assert_eq(tensor->local->groups, 1, "%s", text);
    const cairn_device_work product = {.tensor = tensor->local, .op = &op};

    cairn_work_of_product(&product, true, &work);
    cairn_cost_device_of(&context->devices->device[0], 1, &device);
    for (int k = 0; k < n; k++)
        cairn_cost_observe(context->costs, &device, &work, seconds);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
}

/// @p n products in the candidate took @p factor times what was predicted.
static void run_took_times(cairn_source *source, int k, double factor, int n)
{
    char format[CAIRN_AUTO_TEXT];

    memcpy(format, info.candidate[k].format, sizeof format);
    run_took(source, format, factor * info.candidate[k].predicted, n);
}

Test(auto_learned, a_format_that_ran_slowly_is_not_chosen_again)
{
    cairn_source *source = make_blocks();
    const int     first  = choose(source, NULL);

    cr_assert(first > 0);
    run_took_times(source, first, 10, 6);
    cr_expect_neq(choose(source, NULL), first);
    cr_expect(strstr(info.why[1], "products that ran"), "%s", info.why[1]);
    cairn_source_destroy(&source);
}

Test(auto_learned, a_format_that_ran_fast_is_chosen)
{
    cairn_source *source = make_blocks();
    const int     first  = choose(source, NULL);

    run_took_times(source, 0, 0.05, 6);
    cr_expect(first > 0 && choose(source, NULL) == 0);
    cairn_source_destroy(&source);
}

Test(auto_learned, what_ran_as_predicted_changes_nothing)
{
    cairn_source *source = make_blocks();
    const int     first  = choose(source, NULL);
    const double  before = info.candidate[first].predicted;

    run_took_times(source, first, 1.05, 6);
    cr_expect_eq(choose(source, NULL), first);
    cr_expect_float_eq(info.candidate[first].predicted / before, 1, 0.05);
    cairn_source_destroy(&source);
}

Test(auto_learned, where_all_are_slow_the_choice_stays)
{
    cairn_source   *source = make_blocks();
    const int       first  = choose(source, NULL);
    cairn_auto_info before = info;

    for (int k = 0; k < before.candidates; k++) {
        cairn_format *format = parse(before.candidate[k].format);

        if (!format->hybrid && before.candidate[k].predicted < 1)
            run_took(source, before.candidate[k].format,
                     2 * before.candidate[k].predicted, 6);
        cairn_format_destroy(&format);
    }
    cr_expect_eq(choose(source, NULL), first);
    cr_expect_gt(info.candidate[0].predicted, 1.8 * before.candidate[0].predicted);
    cairn_source_destroy(&source);
}

Test(auto_learned, what_never_ran_moves_by_what_is_common)
{
    cairn_source   *source = make_blocks();
    const int       first  = choose(source, NULL);
    cairn_auto_info before = info;

    run_took_times(source, first, 3, 6);
    choose(source, NULL);
    const double own =
        info.candidate[first].predicted / before.candidate[first].predicted;
    const double common = info.candidate[0].predicted / before.candidate[0].predicted;

    cr_expect(1.2 < common && common < own && own < 3, "%.3f %.3f", common, own);
    cairn_source_destroy(&source);
}

/// Predicted seconds of the chosen after @p n products that took @p factor times as long.
static double after(double factor, int n)
{
    cairn_source *source = make_blocks();
    const int     first  = choose(source, NULL);
    const double  before = info.candidate[first].predicted;

    run_took_times(source, first, factor, n);
    choose(source, NULL);
    cairn_source_destroy(&source);
    const double ratio = info.candidate[first].predicted / before;

    context->costs->models = 0;
    return ratio;
}

Test(auto_learned, more_measurements_count_more)
{
    const double once = after(1.5, 1), twice = after(1.5, 2), often = after(1.5, 6);

    cr_expect(1 < once && once < twice && twice < often && often < 1.5,
              "%.3f %.3f %.3f", once, twice, often);
    cr_expect_gt(often, 1.3);
}

Test(auto_learned, an_outlier_counts_up_to_a_factor_of_two)
{
    const double once = after(1000, 1);

    cr_expect(1 < once && once <= 2, "%.3f", once);
    cr_expect_eq(context->costs->models, 0);
}

Test(auto_learned, other_work_of_the_family_counts_for_less)
{
    const cairn_problem p = {
        .size = sizeof(cairn_problem), .n = 1200, .degree = 9, .seed = 3};
    cairn_source *small = NULL, *source = make_blocks();

    MUST(context, cairn_source_generate(context, "fem3", &p, &small));
    const int    first  = choose(small, NULL);
    const double little = info.candidate[first].predicted;

    cr_expect_eq(choose(source, NULL), first);
    const double before = info.candidate[first].predicted;

    run_took(small, info.candidate[first].format, 2 * little, 6);
    choose(small, NULL);
    const double alike = info.candidate[first].predicted / little;

    choose(source, NULL);
    cr_expect_lt(info.candidate[first].predicted / before, alike);
    cairn_source_destroy(&small);
    cairn_source_destroy(&source);
}

/// A matrix that is slow for its bytes and entries stays so, whatever many others of its
/// family took: what was measured of the same work says more than a line through all.
Test(auto_learned, what_ran_says_more_than_others_of_its_family)
{
    cairn_source *source = make_blocks();
    const int     first  = choose(source, NULL);
    const double  before = info.candidate[first].predicted;

    for (int n = 600; n < 2400; n += 210) {
        const cairn_problem p = {
            .size = sizeof(cairn_problem), .n = n, .degree = 9, .seed = 3};
        cairn_source *other = NULL;

        MUST(context, cairn_source_generate(context, "fem3", &p, &other));
        run_took(other, info.candidate[first].format, before * n / 3000, 4);
        cairn_source_destroy(&other);
    }
    run_took(source, info.candidate[first].format, 2 * before, 6);
    choose(source, NULL);
    cr_expect_gt(info.candidate[first].predicted / before, 1.5);
    cairn_source_destroy(&source);
}

/// Asking is cheap: neither is a model fitted for it, nor a layout made.
Test(auto_learned, choosing_fits_no_model)
{
    cairn_source *source = make_blocks();
    const int     first  = choose(source, NULL);

    run_took_times(source, first, 2, 6);
    choose(source, NULL);
    cr_expect(strstr(info.why[1], "products that ran"), "%s", info.why[1]);
    cr_assert_eq(context->costs->models, 1);
    cr_expect(context->costs->model[0].stale);
    cairn_source_destroy(&source);
}

/* ---- shipped rates ---- */

Test(auto_learned, shipped_rates_know_nothing_of_it)
{
    cairn_source *source = make_blocks();
    const int     first  = choose(source, NULL);
    const double  before = info.candidate[first].predicted;

    run_took_times(source, first, 10, 6);
    context->costs->memory.byte *= 3;
    cairn_source_destroy(&source);
    cairn_context_destroy(&context); /* which saves it */

    start(CAIRN_RATES_LEARNED);
    cr_expect_gt(context->costs->models, 0);
    cr_expect_gt(context->costs->memory.byte, 2 * cairn_memory_shipped.byte);
    source = make_blocks();
    cr_expect_neq(choose(source, NULL), first);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);

    start(CAIRN_RATES_SHIPPED);
    source = make_blocks();
    cr_expect_eq(choose(source, NULL), first);
    cr_expect_eq(info.candidate[first].predicted, before);
    cr_expect(strstr(info.why[1], "by the model, from"), "%s", info.why[1]);
    cairn_source_destroy(&source);
}

/* ---- memory ---- */

Test(auto_learned, bytes_and_lines_are_scaled_by_the_memory_s_factors)
{
    const cairn_product_options op     = CAIRN_PRODUCT_OPTIONS;
    const cairn_counts          counts = {
                 .members = 1,
                 .work    = {{.rows    = 1e5,
                              .values  = 1e6,
                              .entries = 1e6,
                              .bytes   = 2.15e7,
                              .near    = 1e5,
                              .far     = 1e4}},
                 .leaf    = {{.kind = CAIRN_LEAF_RUN, .rows = 1, .cols = 1}}};
    cairn_predictor by = {
        .op = &op, .threads = 1, .memory = {1, 1, 1}
    };
    const cairn_rates *const rates = cairn_rates_of(&counts.leaf[0], false);
    double                   plain, slow, plain_convert, slow_convert;

    cairn_counts_predict(&counts, &by, &plain, &plain_convert);
    by.memory = (cairn_memory_rates){2, 1, 1};
    cairn_counts_predict(&counts, &by, &slow, &slow_convert);
    cr_expect_float_eq((slow_convert - plain_convert) / 1e6, rates->convert, 1e-13);
    /* Of 21.5 MB a core's cache keeps 1.5. */
    cr_expect_float_eq((slow - plain) / 2e7, rates->byte, 1e-14, "%g", slow - plain);
    by.memory = (cairn_memory_rates){1, 2, 1};
    cairn_counts_predict(&counts, &by, &slow, &slow_convert);
    cr_expect_float_eq((slow - plain) / 1e5, rates->near, 1e-13);
    by.memory = (cairn_memory_rates){1, 1, 2};
    cairn_counts_predict(&counts, &by, &slow, &slow_convert);
    cr_expect_float_eq((slow - plain) / 1e4, rates->far, 1e-13);
}

/* ---- rows of different lengths ---- */

/// Seconds of a product in CSR of @p rows rows of eight entries, @p turns of them of another
/// length than the row before, @p alike of them with its columns.
static double predict_alike(double rows, double turns, double alike, int threads)
{
    const cairn_product_options op     = CAIRN_PRODUCT_OPTIONS;
    const cairn_counts          counts = {
                 .members = 1,
                 .work    = {{.rows    = rows,
                              .turns   = turns,
                              .values  = 8 * rows,
                              .entries = 8 * rows,
                              .alike   = 8 * alike}},
                 .leaf    = {{.kind = CAIRN_LEAF_RUN, .rows = 1, .cols = 1}}};
    const cairn_predictor by = {
        .op = &op, .threads = threads, .memory = {1, 1, 1}
    };
    double product, convert;

    cairn_counts_predict(&counts, &by, &product, &convert);
    return product;
}

static double predict_rows(double rows, double turns, int threads)
{
    return predict_alike(rows, turns, 0, threads);
}

/// Where a quarter of the rows are alike they are summed side by side.
Test(auto_learned, rows_that_are_alike_take_less)
{
    const double none = predict_alike(40000, 0, 0, 1);

    cr_expect_eq(predict_alike(40000, 0, 9000, 1), none);
    cr_expect_lt(predict_alike(40000, 0, 20000, 1), 0.9 * none);
    cr_expect_lt(predict_alike(40000, 0, 26000, 1), predict_alike(40000, 0, 20000, 1));
}

/// Kernels find the ends of many uneven rows without a branch, which costs each row a
/// little; the ends of fewer are learned, and a few among many come as a surprise.
Test(auto_learned, ends_of_uneven_rows_are_no_surprise_where_there_are_many)
{
    const double even = predict_rows(40000, 0, 1);

    cr_expect_lt(predict_rows(40000, 30000, 1), 2 * even);
    cr_expect_gt(predict_rows(40000, 30000, 1), 1.2 * even);
    /* Half of them uneven cost as much as three quarters. */
    cr_expect_float_eq(predict_rows(40000, 20000, 1), predict_rows(40000, 30000, 1),
                       1e-12);
    /* Shared by many threads each has few, and learns all of their ends. */
    cr_expect_float_eq(predict_rows(80000, 60000, 10), predict_rows(80000, 0, 10),
                       1e-12);
}

/// What a thread learns is what the lowering takes for learned: up to so many rows every end,
/// of more a quarter of as many turns.
Test(auto_learned, ends_that_a_thread_learns_cost_nothing)
{
    const double few = CAIRN_LEARNED_ROWS - 1, many = 2 * CAIRN_LEARNED_ROWS;

    cr_expect_eq(predict_rows(few, few, 1), predict_rows(few, 0, 1));
    cr_expect_eq(predict_rows(2 * few, 2 * few, 2), predict_rows(2 * few, 0, 2));
    cr_expect_gt(predict_rows(few + 1, few + 1, 1), predict_rows(few + 1, 0, 1));
    cr_expect_eq(predict_rows(many, many / 8, 1), predict_rows(many, 0, 1));
    cr_expect_gt(predict_rows(many, many / 6, 1), predict_rows(many, 0, 1));
}

/* ---- long rows ---- */

/// Seconds of a product with a million entries in rows of @p length, of which @p alike are in
/// rows that have the columns of the row before, for @p near a line of X comes from the second
/// cache.
static double predict_long(cairn_leaf_kind kind,
                           double          length,
                           double          alike,
                           double          near,
                           int64_t         columns)
{
    cairn_product_options op     = CAIRN_PRODUCT_OPTIONS;
    const cairn_counts    counts = {.members = 1,
                                    .work    = {{.rows    = 1e6 / length,
                                                 .units   = 1e6,
                                                 .values  = 1e6,
                                                 .entries = 1e6,
                                                 .alike   = alike,
                                                 .near    = near}},
                                    .leaf    = {{.kind = kind, .rows = 1, .cols = 1}}};
    const cairn_predictor by     = {
            .op = &op, .threads = 1, .memory = {1, 1, 1}
    };
    double product, convert;

    op.columns = columns;
    cairn_counts_predict(&counts, &by, &product, &convert);
    return product;
}

/// What lines of the second cache cost it.
static double
lines_of_long(cairn_leaf_kind kind, double length, double alike, int64_t columns)
{
    return predict_long(kind, length, alike, 8e5, columns)
           - predict_long(kind, length, alike, 0, columns);
}

/// Four long rows at a time share the lines of X that they meet; short rows, rows that are
/// summed beside those of their columns, and several columns do not.
Test(auto_learned, long_rows_side_by_side_share_lines_of_x)
{
    const cairn_leaf_kind run = CAIRN_LEAF_RUN, listed = CAIRN_LEAF_RUN_LISTED;
    const double          each = lines_of_long(run, CAIRN_LONG_ROW - 1, 0, 1);

    cr_expect_gt(each, 0);
    cr_expect_float_eq(lines_of_long(run, CAIRN_LONG_ROW, 0, 1), each / CAIRN_BESIDE,
                       1e-12);
    cr_expect_float_eq(lines_of_long(listed, CAIRN_LONG_ROW, 0, 1),
                       lines_of_long(listed, 100, 0, 1) / CAIRN_BESIDE, 1e-12);
    cr_expect_float_eq(lines_of_long(run, CAIRN_LONG_ROW, 5e5, 1), each, 1e-12);
    cr_expect_float_eq(lines_of_long(run, CAIRN_LONG_ROW, 0, 8),
                       lines_of_long(run, 100, 0, 8), 1e-12);
    cr_expect_float_eq(lines_of_long(CAIRN_LEAF_SLOTS, CAIRN_LONG_ROW, 0, 1),
                       lines_of_long(CAIRN_LEAF_SLOTS, 100, 0, 1), 1e-12);
}

/* ---- lines of X ---- */

/// Seconds of a product with 20,000 rows of 80 entries, no two next to each other of one
/// length; for @p near of the entries a line of X comes from the second cache.
static double predict_lines(cairn_leaf leaf, double near)
{
    const cairn_product_options op     = CAIRN_PRODUCT_OPTIONS;
    const bool                  rows   = leaf.kind == CAIRN_LEAF_RUN;
    const cairn_counts          counts = {.members = 1,
                                          .work    = {{.rows    = rows ? 20000 : 2500,
                                                       .turns   = rows ? 20000 : 0,
                                                       .units   = rows ? 1.6e6 : 2e5,
                                                       .values  = 1.6e6,
                                                       .entries = 1.6e6,
                                                       .near    = near}},
                                          .leaf    = {leaf}};
    const cairn_predictor       by     = {
                  .op = &op, .threads = 1, .memory = {1, 1, 1}
    };
    double product, convert;

    cairn_counts_predict(&counts, &by, &product, &convert);
    return product;
}

/// The sums of eight rows wait for none of each other's lines. So a graph whose X is in the
/// second cache is thought to gain by slices of rows that are sorted, which store no padding.
Test(auto_learned, lines_of_the_second_cache_cost_slices_less_than_rows)
{
    const cairn_leaf run   = {.kind = CAIRN_LEAF_RUN, .rows = 1, .cols = 1},
                     moved = {.kind = CAIRN_LEAF_SLOTS_MOVED, .rows = 8, .cols = 1},
                     slots = {.kind = CAIRN_LEAF_SLOTS, .rows = 8, .cols = 1};
    const double in_rows   = predict_lines(run, 1.2e6) - predict_lines(run, 0);

    cr_expect_lt(predict_lines(moved, 1.2e6) - predict_lines(moved, 0), in_rows);
    cr_expect_lt(predict_lines(slots, 1.2e6) - predict_lines(slots, 0), in_rows);
    cr_expect_lt(predict_lines(moved, 1.2e6), 0.95 * predict_lines(run, 1.2e6));
}

/// Blocks of which half is padding: fewer turns than rows, and more bytes.
static cairn_source *make_half_blocks(void)
{
    enum { BLOCKS = 100000, EACH = 4 };

    const int64_t extent[] = {2 * BLOCKS, 2 * BLOCKS};
    int64_t(*coord)[2]     = calloc((size_t)2 * EACH * BLOCKS, sizeof *coord);
    cairn_source *source   = NULL;
    int64_t       n        = 0;

    for (int64_t i = 0; i < BLOCKS; i++)
        for (int64_t k = 0; k < EACH; k++)
            for (int r = 0; r < 2; r++) {
                coord[n][0]   = 2 * i + r;
                coord[n++][1] = 2 * ((i + 7 * k) % BLOCKS) + r;
            }
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord[0], NULL,
                                           CAIRN_BY_NNZ, &source));
    free(coord);
    return source;
}

Test(auto_learned, where_memory_is_slow_fewer_bytes_are_chosen)
{
    const char *const candidates = named("csr\nbcsr<2,2>\n");
    cairn_source     *source     = make_half_blocks();

    cr_expect_eq(choose(source, candidates), 1);
    context->costs->memory.byte *= 1.3; /* which may be noise */
    cr_expect_eq(choose(source, candidates), 1);
    context->costs->memory.byte *= 4;
    cr_expect_eq(choose(source, candidates), 0);
    cairn_source_destroy(&source);
}

/* ---- without memory ---- */

Test(auto_learned, failing_allocations_leave_nothing)
{
    const cairn_auto_options by_model = {.size  = sizeof(cairn_auto_options),
                                         .tries = -1};
    cairn_source            *source   = make_blocks();
    const int                first    = choose(source, NULL);
    cairn_format            *format   = NULL;

    run_took_times(source, first, 10, 6);
    const int64_t blocks = context->env.live_blocks;

    CAIRN_BRUTAL(&context->env,
                 cairn_format_auto(source, CAIRN_F64, NULL, &by_model, &format, &info));
    cairn_format_destroy(&format);
    cr_expect_eq(context->env.live_blocks, blocks);
    cairn_source_destroy(&source);
}
