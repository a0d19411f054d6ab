// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What `auto` counts of values is what is stored: the bytes that it tells are those of the
/// tensor, for every type of values and every candidate that it chooses; and where narrow
/// values make padding cheap it chooses otherwise. No test depends on how long anything
/// takes.

#include "api/api.h"
#include "auto/value_widths.h"
#include "support/names.h"
#include "support/narrow_values.h"
#include "support/suite_context.h"
#include "tensor/value_storage.h"

#include <math.h>

static void up(void)
{
    setenv("CAIRN_THREADS", "1", 1);
    unsetenv("CAIRN_REPLAYS");
    context_up();
    context->env.options.cost = CAIRN_RATES_SHIPPED;
}

TestSuite(auto_values, .init = up, .fini = context_down, .timeout = 240);

/// A value of a set of narrow ones, or one that needs 53 bits.
static double value_of(uint64_t *state, int set)
{
    if (set < NARROW_SETS) return narrow_value(state, (narrow_set)set);
    return 1 + (double)(random_next(state) >> 11) / 9007199254740992.0;
}

/// Diagonals that lie seven apart, of whose entries @p full of 100 are there.
static cairn_source *draw(int64_t rows, int diagonals, int full, int set)
{
    int64_t      *coord = malloc((size_t)(rows * diagonals) * 2 * sizeof *coord);
    double       *value = malloc((size_t)(rows * diagonals) * sizeof *value);
    uint64_t      state = 5, values = 7;
    int64_t       n      = 0;
    cairn_source *source = NULL;

    for (int64_t i = 0; i < rows; i++)
        for (int k = 0; k < diagonals; k++) {
            const int64_t j = i + 7 * (k - diagonals / 2);

            if (j < 0 || j >= rows || random_below(&state, 100) >= full) continue;
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++]       = value_of(&values, set);
        }
    MUST(context, cairn_source_from_coords(context, 2, (int64_t[]){rows, rows}, n,
                                           coord, value, CAIRN_BY_NNZ, &source));
    free(coord);
    free(value);
    return source;
}

/// Choose by the model for 10,000 products. @param[in] only  Candidates; NULL: the
/// library's.
static cairn_format *
choose(cairn_source *source, cairn_dtype dtype, const char *only, cairn_auto_info *info)
{
    const cairn_auto_options options = {
        .size = sizeof options, .tries = -1, .replays = 10000, .candidates = only};
    cairn_format *format = NULL;

    *info = (cairn_auto_info)CAIRN_AUTO_INFO;
    MUST(context, cairn_format_auto(source, dtype, NULL, &options, &format, info));
    return format;
}

/// Padding of a byte costs less than an index of two; padding of eight does not.
Test(auto_values, narrow_values_choose_otherwise)
{
    static const char *const types[] = {"i8", "f64"};
    static const int         sets[]  = {NARROW_I8, NARROW_SETS};

    for (int k = 0; k < 2; k++) {
        cairn_source   *source = draw(300000, 9, 20, sets[k]);
        cairn_auto_info info;
        cairn_format   *format    = choose(source, CAIRN_F64, NULL, &info);
        const bool      stretches = strstr(cairn_format_text(format), "d1-d0") != NULL;

        cr_expect_eq(stretches, k == 0, "%s: %s", types[k], cairn_format_text(format));
        cr_expect_str_eq(info.values, types[k]);
        cairn_format_destroy(&format);
        cairn_source_destroy(&source);
    }
}

/// The number before some words of a line.
static double number_before(const char *line, const char *words)
{
    const char *at = strstr(line, words);

    cr_assert_not_null(at, "no '%s' in %s", words, line);
    while (at > line && at[-1] != ' ')
        at--;
    return atof(at);
}

/// Bytes that are told and those that are stored.
static void check(const char *text, int set, cairn_dtype dtype)
{
    cairn_source   *source = draw(20000, 9, 60, set);
    cairn_tensor   *tensor = NULL;
    cairn_auto_info info;
    cairn_format   *format = choose(source, dtype, text, &info);

    MUST(context, cairn_tensor_create(source, format, dtype, &tensor));
    double bytes = 0;

    for (int g = 0; g < tensor->local->groups; g++) {
        const cairn_layout *layout = tensor->local->group[g].layout;

        bytes += (double)tensor->local->group[g].bytes;
        cr_expect(strstr(info.values, cairn_value_storage_name(layout->values.kind,
                                                               layout->values.bits)),
                  "%s, set %d: %s", text, set, info.values);
    }
    const double each = bytes / (double)cairn_tensor_entries(tensor);
    const double told = number_before(info.why[0], " bytes an entry");

    cr_expect(fabs(told - each) < 0.04 * each, "%s, set %d: %g, not %g: %s", text, set,
              told, each, info.why[0]);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

/// In a cache narrow values of blocks save nothing, and widening them takes instructions,
/// of rows of two values the more; those of rows are widened beside what rows have to do.
Test(auto_values, blocks_take_longer_to_widen_values_that_a_cache_holds)
{
    static const char *const other[]  = {"bcsr<2,2>", "bcsr<3,3>", "sell<8>"};
    static const char *const counts[] = {"blocks2", "blocks3", "slices"};
    static const double      least[] = {1.4, 1.1, 0}, most[] = {1.7, 1.35, 1.01};
    cairn_source            *whole  = draw(3000, 9, 100, NARROW_SETS);
    cairn_source            *narrow = draw(3000, 9, 100, NARROW_I8);

    whole->narrows = narrow->narrows = true; /* as those from files do */
    for (int k = 0; k < 3; k++) {
        char            rows[256], slots[512], text[1024];
        cairn_auto_info wide, small;

        snprintf(text, sizeof text, "%s\n%s : %s\n", by_name("csr", rows, sizeof rows),
                 by_name(other[k], slots, sizeof slots), counts[k]);
        cairn_format *a    = choose(whole, CAIRN_F64, text, &wide);
        cairn_format *b    = choose(narrow, CAIRN_F64, text, &small);
        const double ratio = small.candidate[1].predicted / wide.candidate[1].predicted;

        cr_expect(ratio > least[k] && ratio < most[k], "%s: %g", text, ratio);
        cairn_format_destroy(&a);
        cairn_format_destroy(&b);
    }
    cairn_source_destroy(&whole);
    cairn_source_destroy(&narrow);
}

Test(auto_values, bytes_that_are_told_are_stored)
{
    static const char *const texts[] = {
        "csr",
        "sell<8>",
        "bdia<64>",
        "bcsr<2,2>",
        "ell",
        "hybrid<bdia<64>,csr,0.6>",
        /* Stored to be counted: */
        "coo",
        "dia",
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
        "layout<val(exact)> }>",
    };

    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int set = 0; set <= NARROW_SETS; set++)
            check(named(texts[k]), set, set % 2 ? CAIRN_F32 : CAIRN_F64);
}

/// Of a tensor of f32 they are what rounding leaves of them.
Test(auto_values, values_are_looked_at_as_they_will_be)
{
    double                   tenths[] = {0.1, 0.1 + 1e-12, 0.1};
    const cairn_entries      entries  = {.order = 2, .n = 3, .value = tenths};
    const cairn_matrix_rows  rows     = cairn_matrix_rows_of_entries(&entries, 0, 3, 3);
    const cairn_value_widths f64      = cairn_value_widths_look(&rows, 64, true),
                             f32      = cairn_value_widths_look(&rows, 32, true);

    cr_expect_not(f64.one);
    cr_expect_eq(f64.with_zeros.bits, 64);
    cr_expect(f32.one);
    cr_expect_eq(cairn_value_widths_in(&f32, CAIRN_VAL_UNSAID, false).kind,
                 CAIRN_VALUE_ONE);
    cr_expect_eq(cairn_value_widths_in(&f32, CAIRN_VAL_UNSAID, true).bits, 32);
    cr_expect_not(cairn_value_widths_narrow(&f64));
    cr_expect(cairn_value_widths_narrow(&f32));
}
