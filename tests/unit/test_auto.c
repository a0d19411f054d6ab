// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Choosing formats: what is counted is what a plain count says, samples keep diagonals
/// and blocks, the model's choice follows the structure, and whatever is chosen multiplies.
/// No test depends on how long anything takes.

#include "api/api.h"
#include "auto/pattern_statistics.h"
#include "auto/sample.h"
#include "auto/suggest.h"
#include "support/brutal.h"
#include "support/suite_context.h"
#include "tensor/statistics.h"

#include <inttypes.h>
#include <math.h>

static void up(void)
{
    context_up();
    context->env.options.cost = CAIRN_RATES_SHIPPED;
}

TestSuite(auto, .init = up, .fini = context_down, .timeout = 240);

static const cairn_auto_options by_model = {.size  = sizeof(cairn_auto_options),
                                            .tries = -1};

static cairn_source *generate(const char *kind, cairn_problem problem)
{
    cairn_source *source = NULL;

    problem.seed = 3;
    MUST(context, cairn_source_generate(context, kind, &problem, &source));
    return source;
}

static cairn_source *
from_coords(int order, const int64_t *extent, int64_t nnz, const int64_t *coord)
{
    cairn_source *source = NULL;

    MUST(context, cairn_source_from_coords(context, order, extent, nnz, coord, NULL,
                                           CAIRN_BY_NNZ, &source));
    return source;
}

/// Store in the format that is chosen, multiply, and hold the result against the entries.
static void check_works(cairn_source                *source,
                        cairn_dtype                  dtype,
                        const cairn_product_options *op,
                        const cairn_format          *format)
{
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;
    double        relative, absolute;

    MUST(context, cairn_tensor_create(source, format, dtype, &tensor));
    MUST(context, cairn_plan_create_product(tensor, op, &plan));
    if (!op) fill_ramp(plan);
    MUST(context, cairn_plan_run(plan, NULL, NULL));
    MUST(context, cairn_plan_verify(plan, source, &relative, &absolute));
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
}

/// The text that is chosen; the source is destroyed.
static const char *choose(cairn_source                *source,
                          cairn_dtype                  dtype,
                          const cairn_product_options *op,
                          const cairn_auto_options    *options)
{
    static char     text[1024];
    cairn_format   *format = NULL;
    cairn_auto_info info   = CAIRN_AUTO_INFO;

    MUST(context, cairn_format_auto(source, dtype, op, options, &format, &info));
    snprintf(text, sizeof text, "%s", cairn_format_text(format));
    cr_expect(info.candidates >= 5 && info.candidates <= CAIRN_AUTO_CANDIDATES);
    cr_expect(info.why[0][0] && info.why[1][0]);
    cr_expect(info.share >= 0 && info.share <= 1);
    check_works(source, dtype, op, format);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return text;
}

Test(auto, diagonals_are_found)
{
    const char *text = choose(
        generate("stencil5",
                 (cairn_problem){.size = sizeof(cairn_problem), .nx = 150, .ny = 140}),
        CAIRN_F64, NULL, &by_model);

    cr_expect(strstr(text, "d1-d0"), "%s", text);
}

Test(auto, blocks_are_found)
{
    const char *text =
        choose(generate("fem3", (cairn_problem){.size   = sizeof(cairn_problem),
                                                .n      = 9000,
                                                .degree = 12}),
               CAIRN_F64, NULL, &by_model);

    cr_expect(strstr(text, "d0/3"), "%s", text);
}

Test(auto, graphs_get_neither)
{
    const char *text =
        choose(generate("rmat", (cairn_problem){.size  = sizeof(cairn_problem),
                                                .scale = 14,
                                                .edges = 150000}),
               CAIRN_F64, NULL, &by_model);

    cr_expect(!strstr(text, "d1-d0") && !strstr(text, "d1/"), "%s", text);
}

Test(auto, rows_beyond_memory_are_left_out)
{
    const int64_t extent[] = {INT64_C(1) << 50, INT64_C(1) << 40};
    int64_t       coord[300][2];

    for (int k = 0; k < 300; k++)
        coord[k][0] = k * (INT64_C(1) << 40), coord[k][1] = k * 977 % 1000;
    cairn_source   *source = from_coords(2, extent, 300, coord[0]);
    cairn_format   *format = NULL;
    cairn_format   *dcsr   = must_format(context, "dcsr");
    cairn_auto_info info   = CAIRN_AUTO_INFO;

    MUST(context, cairn_format_auto(source, CAIRN_F64, NULL, NULL, &format, &info));
    cr_expect_str_eq(cairn_format_text(format), cairn_format_text(dcsr));
    cairn_format_destroy(&dcsr);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

Test(auto, what_csr_has_no_room_for_is_not_tried)
{
    enum { ENTRIES = 200000 };

    const int64_t extent[] = {INT64_C(1) << 40, 1000};
    int64_t(*coord)[2]     = calloc(ENTRIES, sizeof *coord);
    cairn_format   *format = NULL;
    cairn_format   *dcsr   = must_format(context, "dcsr");
    cairn_auto_info info   = CAIRN_AUTO_INFO;

    for (int k = 0; k < ENTRIES; k++)
        coord[k][0] = k * INT64_C(5000000), coord[k][1] = k % 1000;
    cairn_source *source = from_coords(2, extent, ENTRIES, coord[0]);

    free(coord);
    context->env.memory_limit = INT64_C(1) << 33;
    MUST(context, cairn_format_auto(source, CAIRN_F64, NULL, NULL, &format, &info));
    cr_expect_str_eq(cairn_format_text(format), cairn_format_text(dcsr));
    cr_expect(strstr(info.why[1], "csr cannot be had"), "%s", info.why[1]);
    cr_expect(!strstr(info.why[1], "inf"), "%s", info.why[1]);
    cairn_format_destroy(&dcsr);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

Test(auto, what_there_is_no_room_to_try_is_chosen_all_the_same)
{
    cairn_source *source = generate(
        "uniform",
        (cairn_problem){.size = sizeof(cairn_problem), .n = 90000, .degree = 2});
    cairn_format            *format  = NULL;
    cairn_auto_info          info    = CAIRN_AUTO_INFO;
    const cairn_auto_options three   = {.size = sizeof(cairn_auto_options), .tries = 3};
    const int64_t            entries = 24 * source->entries.n, arrays = 3000000;

    /* CSR and entries fit; X and Y of a trial do not. */
    const cairn_product_options wide = {
        .size = sizeof(cairn_product_options), .columns = 1000, .alpha = 1};
    context->env.memory_limit = entries + arrays;
    MUST(context, cairn_format_auto(source, CAIRN_F64, &wide, &three, &format, &info));
    cr_expect_eq(info.candidate[0].tried, 0);
    cr_expect(isfinite(info.candidate[0].predicted));
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

Test(auto, a_single_row_is_in_the_sample)
{
    enum { ENTRIES = 40000 };

    const int64_t extent[] = {500000, 500000};
    int64_t(*coord)[2]     = calloc(ENTRIES, sizeof *coord);
    cairn_sample sample;

    for (int k = 0; k < ENTRIES; k++)
        coord[k][0] = 250000, coord[k][1] = 3 * k;
    cairn_source *source = from_coords(2, extent, ENTRIES, coord[0]);

    free(coord);
    const cairn_matrix_rows rows =
        cairn_matrix_rows_of_entries(&source->entries, 0, 500000, 500000);

    MUST(context, cairn_sample_take(&context->env, &rows, ENTRIES / 6,
                                    CAIRN_SAMPLE_GRAIN, &sample));
    cr_expect_eq(sample.entries.n, ENTRIES);
    cr_expect_eq(sample.entries.coord[0][0], 250000 % 192);
    cr_expect_leq(sample.shape.extent[0], 192);
    cairn_sample_fini(&context->env, &sample);
    choose(source, CAIRN_F64, NULL, NULL);
}

Test(auto, what_is_multiplied_once_stays_as_it_is)
{
    const cairn_auto_options once = {
        .size = sizeof(cairn_auto_options), .tries = -1, .replays = 1};
    cairn_format *csr  = must_format(context, "csr");
    const char   *text = choose(
          generate("stencil5",
                   (cairn_problem){.size = sizeof(cairn_problem), .nx = 90, .ny = 90}),
          CAIRN_F64, NULL, &once);

    cr_expect_str_eq(text, cairn_format_text(csr));
    cairn_format_destroy(&csr);
}

/// What a choice for so many products looks at.
static cairn_auto_info look_at(cairn_source *source, int64_t replays)
{
    const cairn_auto_options options = {
        .size = sizeof(cairn_auto_options), .tries = -1, .replays = replays};
    cairn_format   *format = NULL;
    cairn_auto_info info   = CAIRN_AUTO_INFO;

    MUST(context, cairn_format_auto(source, CAIRN_F64, NULL, &options, &format, &info));
    cairn_format_destroy(&format);
    return info;
}

Test(auto, a_search_is_bounded_by_what_it_can_win)
{
    cairn_source *source =
        generate("stencil5",
                 (cairn_problem){.size = sizeof(cairn_problem), .nx = 400, .ny = 400});
    const cairn_auto_info once = look_at(source, 1), some = look_at(source, 100),
                          often = look_at(source, 10000);

    cr_expect_eq(once.share, 0);
    cr_expect(isfinite(once.candidate[0].predicted));
    cr_expect(strstr(once.why[0], "1 product "), "%s", once.why[0]);
    for (int k = 1; k < once.candidates; k++)
        cr_expect(isinf(once.candidate[k].predicted));
    cr_expect(some.share > 0 && some.share <= often.share, "%g %g", some.share,
              often.share);
    cr_expect(often.share < 1);
    cairn_source_destroy(&source);
}

/// A matrix of which each @p hole th entry is missing, its values of no narrower type: what
/// widens small integers in blocks takes as long as they gain where a cache holds all.
static cairn_source *make_dense(int64_t rows, int64_t cols, int hole)
{
    int64_t(*coord)[2]   = calloc((size_t)(rows * cols), sizeof *coord);
    double       *value  = calloc((size_t)(rows * cols), sizeof *value);
    cairn_source *source = NULL;
    int64_t       n      = 0;

    for (int64_t k = 0; k < rows * cols; k++) {
        if (k % hole == hole - 1) continue;
        coord[n][0] = k / cols;
        coord[n][1] = k % cols;
        value[n++]  = 1 / (double)(k + 3);
    }
    MUST(context, cairn_source_from_coords(context, 2, (int64_t[]){rows, cols}, n,
                                           coord[0], value, CAIRN_BY_NNZ, &source));
    free(value);
    free(coord);
    return source;
}

/// However small, however long its rows: what is nearly dense is blocks, also where rows lack
/// the same columns, so that CSR sums them side by side.
Test(auto, what_is_nearly_dense_is_seen_to_be)
{
    static const int64_t extent[][2] = {
        {84,  252 },
        {66,  66  },
        {400, 300 },
        {24,  9000},
        {64,  2000}
    };

    for (size_t m = 0; m < sizeof extent / sizeof *extent; m++)
        for (int hole = 5; hole <= 125; hole *= 5) {
            cairn_source         *source = make_dense(extent[m][0], extent[m][1], hole);
            const cairn_auto_info info   = look_at(source, 10000);
            double                least  = INFINITY;
            int                   best   = -1;

            for (int k = 0; k < info.candidates; k++)
                if (info.candidate[k].predicted < least)
                    least = info.candidate[best = k].predicted;
            cr_expect(strstr(info.candidate[best].format, "bcsr"), "%" PRId64 ": %s",
                      extent[m][0], info.candidate[best].format);
            cr_expect_lt(least, 0.95 * info.candidate[0].predicted);
            cairn_source_destroy(&source);
        }
}

/// Few rows, so long that to count the blocks of any sample would take a good part of what
/// they could gain in a hundred products.
Test(auto, long_rows_are_judged_by_their_lengths)
{
    cairn_source *source =
        generate("pruned", (cairn_problem){.size    = sizeof(cairn_problem),
                                           .rows    = 40,
                                           .cols    = 100000,
                                           .density = 0.06});
    const cairn_auto_options some   = {.size    = sizeof(cairn_auto_options),
                                       .replays = 100};
    cairn_format            *format = NULL;
    cairn_auto_info          info   = CAIRN_AUTO_INFO;

    MUST(context, cairn_format_auto(source, CAIRN_F64, NULL, &some, &format, &info));
    cr_expect_eq(info.share, 1);
    for (int k = 0; k < info.candidates; k++) {
        const bool blocks = strstr(info.candidate[k].format, "bcsr") != NULL;

        cr_expect_eq(info.candidate[k].tried, 0, "%s", info.candidate[k].format);
        cr_expect(!blocks || isinf(info.candidate[k].predicted), "%s",
                  info.candidate[k].format);
    }
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

Test(auto, narrow_values_many_columns_and_transposes_work)
{
    const cairn_product_options many = {
        .size = sizeof(cairn_product_options), .columns = 16, .alpha = 1};
    const cairn_product_options turned = {.size       = sizeof(cairn_product_options),
                                          .columns    = 1,
                                          .transposed = true,
                                          .alpha      = 1};

    choose(
        generate("fem3",
                 (cairn_problem){.size = sizeof(cairn_problem), .n = 900, .degree = 8}),
        CAIRN_F32, NULL, &by_model);
    choose(
        generate("fem3",
                 (cairn_problem){.size = sizeof(cairn_problem), .n = 900, .degree = 8}),
        CAIRN_F64, &many, &by_model);
    choose(generate(
               "mixed",
               (cairn_problem){.size = sizeof(cairn_problem), .n = 3000, .degree = 3}),
           CAIRN_F64, &turned, NULL);
}

Test(auto, nothing_is_something_to_choose_for)
{
    const int64_t none[] = {0, 0}, wide[] = {1, 500}, empty[] = {700, 3};
    const int64_t coord[] = {0, 3, 0, 77, 0, 499};

    cairn_format *csr = must_format(context, "csr");
    cr_expect_str_eq(choose(from_coords(2, none, 0, NULL), CAIRN_F64, NULL, NULL),
                     cairn_format_text(csr));
    cr_expect_str_eq(choose(from_coords(2, empty, 0, NULL), CAIRN_F64, NULL, NULL),
                     cairn_format_text(csr));
    cr_expect_str_eq(choose(from_coords(2, wide, 3, coord), CAIRN_F64, NULL, NULL),
                     cairn_format_text(csr));
    cairn_format_destroy(&csr);
}

Test(auto, wrong_questions_are_refused)
{
    const int64_t            cube[] = {4, 5, 6}, coord[] = {1, 2, 3};
    const cairn_auto_options nowhere = {
        .size = sizeof(cairn_auto_options), .tries = 2, .place = "moon"};
    const cairn_product_options none = {
        .size = sizeof(cairn_product_options), .columns = 0, .alpha = 1};
    cairn_source *source = from_coords(3, cube, 1, coord);
    cairn_format *format = NULL;

    cr_expect_eq(cairn_format_auto(source, CAIRN_F64, NULL, NULL, &format, NULL),
                 CAIRN_BAD_SHAPE, "%s", cairn_context_message(context));
    cairn_source_destroy(&source);
    source =
        generate("tridiag", (cairn_problem){.size = sizeof(cairn_problem), .n = 50});
    cr_expect_eq(cairn_format_auto(source, CAIRN_F64, &none, NULL, &format, NULL),
                 CAIRN_BAD_ARGUMENT, "%s", cairn_context_message(context));
    cr_expect_eq(cairn_format_auto(source, CAIRN_F64, NULL, &nowhere, &format, NULL),
                 CAIRN_BAD_OPTION, "%s", cairn_context_message(context));
    cr_expect_null(format);
    cairn_source_destroy(&source);
}

Test(auto, graphs_keep_csr_for_many_columns_and_csc_for_transposes)
{
    const cairn_problem graph = {
        .size = sizeof(cairn_problem), .scale = 14, .edges = 150000};
    const cairn_product_options many = {
        .size = sizeof(cairn_product_options), .columns = 32, .alpha = 1};
    const cairn_product_options turned = {.size       = sizeof(cairn_product_options),
                                          .columns    = 1,
                                          .transposed = true,
                                          .alpha      = 1};
    cairn_format *csr = must_format(context, "csr"), *csc = must_format(context, "csc");

    cr_expect_str_eq(choose(generate("rmat", graph), CAIRN_F64, &many, &by_model),
                     cairn_format_text(csr));
    cr_expect_str_eq(choose(generate("rmat", graph), CAIRN_F64, &turned, &by_model),
                     cairn_format_text(csc));
    cairn_format_destroy(&csr);
    cairn_format_destroy(&csc);
}

Test(auto, rows_of_one_length_need_no_ends)
{
    cairn_format *ell = must_format(context, "ell");
    const char   *text =
        choose(generate("uniform", (cairn_problem){.size   = sizeof(cairn_problem),
                                                   .n      = 3000,
                                                   .degree = 2}),
               CAIRN_F64, NULL, &by_model);

    cr_expect_str_eq(text, cairn_format_text(ell));
    cairn_format_destroy(&ell);
}

/// Formats that are tried, of those that the library knows or of @p candidates, and of as
/// many as are asked for; the first is always CSR.
static int count_tried(cairn_source *source, int tries, const char *candidates)
{
    const cairn_auto_options options = {
        .size = sizeof(cairn_auto_options), .tries = tries, .candidates = candidates};
    cairn_format   *format = NULL;
    cairn_auto_info info   = CAIRN_AUTO_INFO;
    int             tried  = 0;

    MUST(context, cairn_format_auto(source, CAIRN_F64, NULL, &options, &format, &info));
    for (int k = 0; k < info.candidates; k++)
        tried += info.candidate[k].tried > 0;
    cr_expect(tried == 0 || info.candidate[0].tried > 0);
    check_works(source, CAIRN_F64, NULL, format);
    cairn_format_destroy(&format);
    return tried;
}

Test(auto, no_more_is_tried_than_is_worth_it)
{
    cairn_source *small = generate(
        "mixed",
        (cairn_problem){.size = sizeof(cairn_problem), .n = 20000, .degree = 2});
    cairn_source *large = generate(
        "mixed",
        (cairn_problem){.size = sizeof(cairn_problem), .n = 60000, .degree = 2});

    cr_expect_eq(count_tried(small, 0, NULL), 0);
    cr_expect_eq(count_tried(small, -1, NULL), 0);
    cr_expect_eq(count_tried(small, 1, NULL), 1);
    cr_expect_leq(count_tried(large, 0, NULL), 4);
    cr_expect_leq(count_tried(large, 3, NULL), 3);
    cr_expect_geq(count_tried(large, 3, NULL), 1);
    cairn_source_destroy(&small);
    cairn_source_destroy(&large);
}

/* Candidates, whatever the catalogue calls them. */
#define PLAIN \
    "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>\n"
#define LISTED \
    "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(0,1)> }>\n"
#define BLOCKS                                                                   \
    "#encoding<{ idx_map<(d0,d1)->(d0/3,d1/3,d1%3,d0%3)>, mutation<merge(0,1), " \
    "trim(1,1)> }>\n"

/// No row is empty: listing the rows only adds to what CSR reads.
Test(auto, what_a_trial_would_only_say_again_is_not_tried)
{
    cairn_source *source = generate(
        "fem3",
        (cairn_problem){.size = sizeof(cairn_problem), .n = 3000, .degree = 26});

    cr_expect_eq(count_tried(source, 3, PLAIN LISTED), 1);
    cr_expect_eq(count_tried(source, 3, PLAIN BLOCKS), 2);
    cr_expect_eq(count_tried(source, 3, PLAIN LISTED BLOCKS), 2);
    cairn_source_destroy(&source);
}

Test(auto, failing_allocations_leave_nothing)
{
    const cairn_auto_options two = {.size = sizeof(cairn_auto_options), .tries = 2};
    /* So few entries that no conversion looks for functions, which would stay loaded. */
    cairn_source *source = generate(
        "stencil5", (cairn_problem){.size = sizeof(cairn_problem), .nx = 27, .ny = 27});
    cairn_format   *format = NULL;
    cairn_auto_info info   = CAIRN_AUTO_INFO;

    /* The library's candidates are read once, and kept. */
    MUST(context,
         cairn_format_auto(source, CAIRN_F64, NULL, &by_model, &format, &info));
    cairn_format_destroy(&format);
    CAIRN_BRUTAL(&context->env,
                 cairn_format_auto(source, CAIRN_F64, NULL, &by_model, &format, &info));
    cairn_format_destroy(&format);
    /* Kernels are got before, so that all that fails is the search's own. */
    MUST(context, cairn_format_auto(source, CAIRN_F64, NULL, &two, &format, &info));
    cairn_format_destroy(&format);
    CAIRN_BRUTAL(&context->env,
                 cairn_format_auto(source, CAIRN_F64, NULL, &two, &format, &info));
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

/* ---- what is counted ---- */

/// Positions that are the same for no two entries that @p same tells apart.
static int64_t count_distinct(const cairn_entries *e,
                              int64_t              rows,
                              int64_t              side_rows,
                              int64_t              side_cols,
                              bool                 diagonal)
{
    const int64_t wide  = 1 << 16;
    int64_t      *place = calloc((size_t)e->n + 1, sizeof *place), n = 0;

    for (cairn_pos k = 0; k < e->n; k++) {
        const int64_t i = e->coord[0][k], j = e->coord[1][k];

        place[n++] = i / side_rows * wide + (diagonal ? j - i + rows : j / side_cols);
    }
    n = cairn_distinct(place, n);
    free(place);
    return n;
}

static void count_whole(const cairn_source *source, cairn_pattern *s)
{
    const cairn_sample whole = {
        .shape = source->shape, .entries = source->entries, .whole = true};

    const cairn_matrix_rows rows = cairn_matrix_rows_of_entries(
        &source->entries, 0, source->shape.extent[0], source->shape.extent[1]);

    MUST(context, cairn_pattern_count_rows(&context->env, &rows, s));
    MUST(context, cairn_pattern_count_sample(&context->env, &whole, s));
}

/// Entries in rows of blocks that reach the columns from @p limit on.
static int64_t count_reaching(const cairn_entries *e, int side, int64_t limit)
{
    int64_t sum = 0;

    for (cairn_pos k = 0; k < e->n; k++) {
        bool reaches = false;

        for (cairn_pos q = 0; q < e->n && !reaches; q++)
            reaches = e->coord[0][q] / side == e->coord[0][k] / side
                      && e->coord[1][q] >= limit;
        sum += reaches;
    }
    return sum;
}

static void check_counts(const cairn_source *source)
{
    const cairn_entries *e    = &source->entries;
    const int64_t        rows = source->shape.extent[0], cols = source->shape.extent[1];
    cairn_pattern        s;

    count_whole(source, &s);
    cr_expect_eq(s.entries, e->n);
    cr_expect_eq(s.edge_blocks[CAIRN_BLOCKS_2], count_reaching(e, 2, cols / 2 * 2));
    cr_expect_eq(s.edge_blocks[CAIRN_BLOCKS_3],
                 count_reaching(e, 3, (cols - 1) / 3 * 3));
    for (int k = 0; k < CAIRN_BLOCKS_KINDS; k++) {
        const int side = cairn_block_side[k];

        cr_expect_eq(s.blocks[k], count_distinct(e, rows, side, side, false), "%d",
                     side);
    }
    cr_expect_eq(s.stretch.all, count_distinct(e, rows, CAIRN_STRETCH, 1, true));
    cr_expect(s.stretch.entries <= s.entries && s.stretch.full <= s.stretch.all);
    cr_expect(s.slots[CAIRN_SLICES_PLAIN] >= s.slots[CAIRN_SLICES_WINDOW]);
    cr_expect(s.slots[CAIRN_SLICES_WINDOW] >= s.slots[CAIRN_SLICES_SORTED]);
    cr_expect(s.slots[CAIRN_SLICES_SORTED] >= s.entries);
}

/// What SELL and BDIA store is what was said of them.
static void check_stored(cairn_source *source, const char *text, int64_t values)
{
    cairn_tensor    *tensor = must_store(context, source, text, CAIRN_F64);
    cairn_part_info *part   = NULL;
    int64_t          count = 0, stored = 0;

    MUST(context, cairn_tensor_parts(tensor, &count, &part));
    for (int64_t p = 0; p < count; p++)
        stored += part[p].values;
    cr_expect_eq(stored, values, "%s: %" PRId64 " not %" PRId64, text, stored, values);
    cairn_parts_free(tensor, &part);
    cairn_tensor_destroy(&tensor);
}

Test(auto, counts_are_those_of_the_arrays)
{
    cairn_source *source[] = {
        generate(
            "rmat",
            (cairn_problem){.size = sizeof(cairn_problem), .scale = 11, .edges = 9000}),
        generate("fem3",
                 (cairn_problem){.size = sizeof(cairn_problem), .n = 768, .degree = 7}),
        generate(
            "stencil7",
            (cairn_problem){.size = sizeof(cairn_problem), .nx = 16, .ny = 8, .nz = 8}),
        generate("pruned", (cairn_problem){.size    = sizeof(cairn_problem),
                                           .rows    = 256,
                                           .cols    = 300,
                                           .density = 0.03}),
    };

    for (int k = 0; k < 4; k++) {
        cairn_pattern s;

        check_counts(source[k]);
        count_whole(source[k], &s);
        check_stored(source[k], "sell<8>", s.slots[CAIRN_SLICES_PLAIN]);
        check_stored(source[k], "sell-sigma<8,256>", s.slots[CAIRN_SLICES_WINDOW]);
        check_stored(source[k], "sell-sigma<8,262144>", s.slots[CAIRN_SLICES_SORTED]);
        check_stored(source[k], "bdia<64>", CAIRN_STRETCH * s.stretch.all);
        check_stored(source[k], "bcsr<4,4>", 16 * s.blocks[CAIRN_BLOCKS_4]);
        cairn_source_destroy(&source[k]);
    }
}

Test(auto, samples_keep_diagonals_and_blocks)
{
    cairn_source *source = generate(
        "fem3",
        (cairn_problem){.size = sizeof(cairn_problem), .n = 24000, .degree = 9});
    cairn_sample      sample;
    cairn_pattern     all;
    cairn_matrix_rows rows =
        cairn_matrix_rows_of_entries(&source->entries, 0, 24000, 24000);

    MUST(context, cairn_sample_take(&context->env, &rows, source->entries.n / 8,
                                    CAIRN_SAMPLE_GRAIN, &sample));
    cr_assert(!sample.whole);
    cr_expect_lt(sample.entries.n, source->entries.n / 4);
    MUST(context, cairn_pattern_count_rows(&context->env, &rows, &all));
    MUST(context, cairn_pattern_count_sample(&context->env, &sample, &all));
    cr_expect_eq(9 * all.blocks[CAIRN_BLOCKS_3], all.entries);
    cairn_sample_fini(&context->env, &sample);
    cairn_source_destroy(&source);

    source =
        generate("stencil5",
                 (cairn_problem){.size = sizeof(cairn_problem), .nx = 200, .ny = 200});
    rows = cairn_matrix_rows_of_entries(&source->entries, 0, 40000, 40000);
    MUST(context, cairn_sample_take(&context->env, &rows, source->entries.n / 8,
                                    CAIRN_SAMPLE_GRAIN, &sample));
    cr_assert(!sample.whole);
    cairn_statistics statistics;
    MUST(context, cairn_statistics_count(&context->env, &sample.entries, &statistics));
    cr_expect_eq(statistics.diagonals, 5);
    cairn_statistics_fini(&context->env, &statistics);
    for (cairn_pos k = 0; k < sample.entries.n; k++)
        cr_assert(sample.entries.coord[0][k] < sample.shape.extent[0]
                  && sample.entries.coord[1][k] >= 0
                  && sample.entries.coord[1][k] < sample.shape.extent[1]);
    cairn_sample_fini(&context->env, &sample);
    cairn_source_destroy(&source);
}

/* Rows of a diagonal, and entries beside it. */
enum { DIAGONAL = 128, BESIDE = 7 };

Test(auto, entries_outside_full_stretches_are_counted_by_row)
{
    static const int64_t beside[BESIDE][2] = {
        {3,  200},
        {3,  210},
        {70, 300},
        {70, 310},
        {70, 320},
        {70, 330},
        {70, 340}
    };
    int64_t       coord[DIAGONAL + BESIDE][2];
    cairn_pattern s;

    memcpy(coord, beside, sizeof beside);
    for (int64_t i = 0; i < DIAGONAL; i++)
        coord[BESIDE + i][0] = coord[BESIDE + i][1] = i;
    cairn_source *source =
        from_coords(2, (int64_t[]){DIAGONAL, 400}, DIAGONAL + BESIDE, coord[0]);

    MUST(context, cairn_source_sort(source));
    count_whole(source, &s);
    cr_expect(s.stretch.full == 2 && s.stretch.entries == DIAGONAL);
    cr_expect_eq(s.stretch.rest_rows, 2);
    cr_expect_eq(s.stretch.rest_breaks, 4);
    cr_expect_eq(s.stretch.rest_slots, 8 * 2 + 8 * 5);
    cairn_source_destroy(&source);
}

Test(auto, full_diagonals_stay_full_in_any_sample)
{
    const cairn_estimator *split = cairn_estimator_find("split");

    for (int64_t n = 20000; n < 20020; n++) {
        cairn_source *source =
            generate("tridiag", (cairn_problem){.size = sizeof(cairn_problem), .n = n});
        cairn_suggest_work work[CAIRN_COUNTED];
        cairn_sample       sample;
        cairn_pattern      s;

        const cairn_matrix_rows rows =
            cairn_matrix_rows_of_entries(&source->entries, 0, n, n);

        MUST(context, cairn_sample_take(&context->env, &rows, n / 7, CAIRN_SAMPLE_GRAIN,
                                        &sample));
        cr_assert_not(sample.whole);
        MUST(context, cairn_pattern_count_rows(&context->env, &rows, &s));
        MUST(context, cairn_pattern_count_sample(&context->env, &sample, &s));
        cr_expect_geq(CAIRN_STRETCH * s.stretch.full, s.stretch.entries, "%" PRId64, n);
        cr_assert_eq(split->count(&s, work), 2);
        cr_expect_geq(work[0].values + work[1].values, (double)s.entries, "%" PRId64,
                      n);
        cairn_sample_fini(&context->env, &sample);
        cairn_source_destroy(&source);
    }
}

/// A first column makes a stretch stick out in every band, but none that is full.
Test(auto, full_diagonals_stick_out_where_they_begin_and_end)
{
    enum { N = 3200 };
    int64_t(*coord)[2] = calloc(2 * N, sizeof *coord);
    cairn_suggest_work work[CAIRN_COUNTED];
    cairn_pattern      s;

    for (int64_t i = 0; i < N; i++) {
        coord[2 * i][0] = coord[2 * i][1] = i;
        coord[2 * i + 1][0]               = i > 0 ? i : N - 1;
        coord[2 * i + 1][1]               = i > 0 ? 0 : N - 2;
    }
    cairn_source *source = from_coords(2, (int64_t[]){N, N}, 2 * N, coord[0]);

    MUST(context, cairn_source_sort(source));
    count_whole(source, &s);
    cr_assert_eq(s.entries, 2 * N);
    cr_expect_eq(s.edge_stretches, s.entries);
    cr_assert_eq(cairn_estimator_find("split")->count(&s, work), 2);
    cr_expect_leq(work[0].edge, 2 * CAIRN_STRETCH);
    cr_expect_eq(work[1].added, N - 1, "%g", work[1].added);
    cairn_source_destroy(&source);
    free(coord);
}

Test(auto, a_sample_of_a_rank_begins_where_its_rows_do)
{
    cairn_source *source =
        generate("tridiag", (cairn_problem){.size = sizeof(cairn_problem), .n = 5000});
    cairn_entries part = source->entries;
    cairn_sample  sample;

    /* Rows 1000 .. 4999, as a second rank has them. */
    for (int k = 0; k < 2; k++)
        part.coord[k] += 2999;
    part.value += 2999;
    part.n -= 2999;
    cr_assert_eq(part.coord[0][0], 1000);
    const cairn_matrix_rows rows =
        cairn_matrix_rows_of_entries(&part, 1000, 5000, 5000);

    MUST(context,
         cairn_sample_take(&context->env, &rows, part.n, CAIRN_SAMPLE_GRAIN, &sample));
    cr_expect_eq(sample.entries.n, part.n);
    cr_expect_eq(sample.entries.coord[0][0], 1000 % 192);
    cr_expect_eq(sample.shape.extent[0], 4000 + 1000 % 192);
    cairn_sample_fini(&context->env, &sample);
    cairn_source_destroy(&source);
}

Test(auto, few_long_rows_are_sampled_too)
{
    cairn_source *source = generate(
        "pruned",
        (cairn_problem){
            .size = sizeof(cairn_problem), .rows = 500, .cols = 900, .density = 0.5});
    const cairn_matrix_rows rows =
        cairn_matrix_rows_of_entries(&source->entries, 0, 500, 900);
    cairn_sample sample;

    MUST(context, cairn_sample_take(&context->env, &rows, source->entries.n / 10,
                                    CAIRN_SAMPLE_GRAIN, &sample));
    cr_expect(!sample.whole);
    cr_expect_eq(sample.entries.n, 64 * 450, "%" PRId64, sample.entries.n);
    cairn_sample_fini(&context->env, &sample);
    cairn_source_destroy(&source);
}

Test(auto, no_array_is_longer_than_memory_lets_it)
{
    cairn_source *source =
        generate("tridiag", (cairn_problem){.size = sizeof(cairn_problem), .n = 50000});
    cairn_pattern s;

    context->env.memory_limit = 16 * 50000;
    count_whole(source, &s);
    cr_expect(!s.spreads && s.stretch.all > 0);
    context->env.memory_limit--;
    count_whole(source, &s);
    cr_expect(s.spreads && s.stretch.all == 0 && s.max_row == 3);
    cairn_source_destroy(&source);
}

Test(auto, touches_of_x_are_those_beyond_the_caches)
{
    cairn_source *band = generate(
        "tridiag", (cairn_problem){.size = sizeof(cairn_problem), .n = 100000});
    cairn_source *small = generate(
        "uniform",
        (cairn_problem){.size = sizeof(cairn_problem), .n = 4000, .degree = 9});
    cairn_source *random = generate(
        "uniform",
        (cairn_problem){.size = sizeof(cairn_problem), .n = 90000, .degree = 3});
    cairn_pattern s;

    count_whole(band, &s);
    cr_expect_eq(s.touches.near, 100000 / 8); /* every line once */
    cr_expect_eq(s.touches.far, 100000 / 8);
    count_whole(small, &s);
    cr_expect_eq(s.touches.near, 0);
    count_whole(random, &s);
    cr_expect_gt(s.touches.near, random->entries.n * 9 / 10);
    cr_expect(s.touches.far > random->entries.n / 4
              && s.touches.far < random->entries.n * 3 / 4);
    cairn_source_destroy(&band);
    cairn_source_destroy(&small);
    cairn_source_destroy(&random);
}

/// Rows in threes, the first two of which have the same six columns.
Test(auto, entries_of_rows_that_are_alike_are_counted)
{
    enum { ROWS = 3000, EACH = 6 };

    static int64_t coord[ROWS * EACH][2];
    const int64_t  extent[] = {ROWS, ROWS};
    cairn_source  *source;
    cairn_pattern  s;

    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < EACH; k++) {
            coord[i * EACH + k][0] = i;
            coord[i * EACH + k][1] = i / 3 + 300 * k + (i % 3 == 2 && k == 5);
        }
    MUST(context, cairn_source_from_coords(context, 2, extent, ROWS * EACH, coord[0],
                                           NULL, CAIRN_BY_NNZ, &source));
    count_whole(source, &s);
    cr_expect_eq(s.alike, ROWS / 3 * EACH);
    cairn_source_destroy(&source);
}

/// What diagonals leave of them has its share of these entries, not all.
Test(auto, a_rest_has_its_share_of_alike_rows)
{
    const cairn_pattern s = {
        .entries = 1000,
        .rows    = 100,
        .cols    = 100,
        .alike   = 800,
        .stretch = {.entries = 900, .full = 16}
    };
    cairn_suggest_work work[CAIRN_COUNTED];

    cr_assert_eq(cairn_estimator_find("split")->count(&s, work), 2);
    cr_expect_float_eq(work[1].alike, 80, 1e-9);
}
