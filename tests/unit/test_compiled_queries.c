// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries and hybrids that are counted where the entries lie, against the reference way,
/// bit for bit, on several threads; and that they are: nothing may be run on coordinates.

#include "convert/build.h"
#include "format/language.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"
#include "support/names.h"
#include "support/random_format.h"
#include "support/random_tensor.h"

enum { ROWS = 60000, COLS = 50000 }; /* more entries than one thread is given */

typedef struct {
    cairn_env     env;
    test_loader  *loader;
    cairn_entries entries;
    int           value_bits; ///< Of what is built.
} fixture;

/// A band, entries anywhere, rows of none and of many.
static void draw(fixture *f)
{
    uint64_t state = 11;

    cairn_entries_init(&f->entries, 2);
    for (cairn_coord i = 0; i < ROWS; i++) {
        const int64_t many = i % 997 == 0 ? 60 : random_below(&state, 6);

        if (i % 13 == 5) continue;
        for (cairn_coord k = -1; k <= 1; k++)
            if (i + k >= 0 && i + k < COLS && !random_chance(&state, i % 500 / 10))
                cr_assert_eq(cairn_entries_add(&f->env, &f->entries,
                                               (cairn_coord[]){i, i + k}, i + k + 1),
                             CAIRN_OK);
        for (int64_t k = 0; k < many; k++)
            cr_assert_eq(cairn_entries_add(
                             &f->env, &f->entries,
                             (cairn_coord[]){i, random_below(&state, COLS)}, k + 1),
                         CAIRN_OK);
    }
    cr_assert_eq(cairn_entries_sort(&f->env, &f->entries), CAIRN_OK);
    cr_assert_gt(f->entries.n, 200000);
}

static void start(fixture *f)
{
    cairn_env_init(&f->env);
    f->env.options.kernels = CAIRN_KERNELS_COMPILED;
    f->loader              = test_loader_create(&f->env, 3);
    f->value_bits          = 64;
    draw(f);
}

static void stop(fixture *f)
{
    test_loader_destroy(f->loader);
    cairn_entries_fini(&f->env, &f->entries);
    cr_expect_eq(f->env.live_blocks, 0);
    cairn_env_fini(&f->env);
}

static cairn_local *
build(fixture *f, const cairn_format *format, const cairn_local *from, int *interpreted)
{
    cairn_local *tensor;
    cairn_route  route;
    cairn_build  b = {
         .format             = format,
         .shape              = {2,             {ROWS, COLS} },
         .box                = {{0, ROWS - 1}, {0, COLS - 1}},
         .entries            = &f->entries,
         .from               = from,
         .value_bits         = f->value_bits,
         .loader             = interpreted ? &f->loader->loader : NULL,
         .report.interpreted = interpreted,
         .report.route       = &route
    };

    cr_assert_eq(cairn_local_build(&f->env, &b, &tensor), CAIRN_OK, "%s",
                 f->env.message);
    if (interpreted) cr_expect_eq(route, CAIRN_ROUTE_COMPILED);
    return tensor;
}

/// From the entries (@p from NULL) or another format; so many queries and deals may be
/// run on coordinates.
static void compare(fixture *f, const char *from, const char *to, int expected)
{
    cairn_format *source_format = NULL, *format;
    cairn_local  *source        = NULL, *reference, *compiled;
    int           interpreted   = 0;

    if (from) {
        source_format = parse_format(&f->env, from);
        source        = build(f, source_format, NULL, NULL);
    }
    format    = parse_format(&f->env, to);
    reference = build(f, format, source, NULL);
    compiled  = build(f, format, source, &interpreted);
    check_same(reference, compiled, to);
    cr_expect_eq(interpreted, expected, "%s to %s: %d interpreted, not %d",
                 from ? from : "entries", to, interpreted, expected);
    cairn_local_destroy(&reference);
    cairn_local_destroy(&compiled);
    cairn_local_destroy(&source);
    cairn_format_destroy(&format);
    cairn_format_destroy(&source_format);
}

/// Block sums: groups listed line by line.
Test(compiled_queries, hybrids_of_blocks, .timeout = 600)
{
    static const char *const from[] = {
        NULL, "csr", "coo", "bdia<16>", "c2sr<3>", "hybrid<bdia<16>,csr,0.6>"};
    static const char *const to[] = {"hybrid<bdia<16>,csr,0.6>",
                                     "hybrid<bcsr<2,2>,coo,0.5>",
                                     "hybrid<bdia<64>,sell<8>,0.5>"};
    static fixture           f;

    start(&f);
    for (size_t k = 0; k < sizeof from / sizeof *from; k++)
        for (size_t t = 0; t < sizeof to / sizeof *to; t++)
            compare(&f, from[k], to[t], 0);
    stop(&f);
}

/// Blocks numbered within block rows, or columns, and what is left over: by shares of
/// their capacity, numbers, shares of the fullest; sizes that do and do not divide the
/// extents.
Test(compiled_queries, blocks, .timeout = 600)
{
    static const char *const from[] = {NULL,  "csr",       "coo",
                                       "csc", "bcsr<2,3>", "hybrid<bdia<16>,csr,0.6>"};
    static const char *const to[]   = {
          "bell<2>",
          "hybrid<bell<3>,coo,0.5>",
          "hybrid<bell<7>,csr,0.2>",
          "#hybrid<{ fmats = [bell<4>, bell<9>, coo], absolute thresholds = [6, 3] }>",
          "#hybrid<{ fmats = [bell<2>, csr], maximum thresholds = [0.5] }>",
    };
    static fixture f;

    start(&f);
    for (size_t k = 0; k < sizeof from / sizeof *from; k++)
        for (size_t t = 0; t < sizeof to / sizeof *to; t++)
            compare(&f, from[k], to[t], 0);
    f.value_bits = 32;
    for (size_t t = 0; t < sizeof to / sizeof *to; t++)
        compare(&f, "csr", to[t], 0);
    stop(&f);
}

/// Members of which `keep` cuts a share of the slots, of blocks, rows, slices; one cut
/// behind another.
Test(compiled_queries, hybrids_that_are_cut, .timeout = 600)
{
    static const char *const from[] = {NULL,  "csr",       "coo",
                                       "csc", "bcsr<2,3>", "hybrid<bdia<16>,csr,0.6>"};
    static const char *const to[]   = {
          "hybrid<ell,coo,0.5,0.5>",
          "hybrid<ell,coo,0.5,0.01>",
          "hybrid<sell<8>,csr,0.1,0.3>",
          "hybrid<sell-sigma<8,1024>,csr,0.1,0.7>",
          "hybrid<bell<3>,coo,0.3,0.25>",
          "#hybrid<{ fmats = [bell<2>, ell, sell<4>, coo], query = sum(value) groupBy "
            "(d0,d1)->(d0/2,d1/2) with value ne 0 -> 1 | otherwise -> 0, absolute "
            "thresholds = [2, 1, 0], keep = [0.1, 0.2, 0.9] }>",
    };
    static fixture f;

    start(&f);
    for (size_t k = 0; k < sizeof from / sizeof *from; k++)
        for (size_t t = 0; t < sizeof to / sizeof *to; t++)
            compare(&f, from[k], to[t], 0);
    f.value_bits = 32;
    for (size_t t = 0; t < sizeof to / sizeof *to; t++)
        compare(&f, "csr", to[t], 0);
    stop(&f);
}

/// Rows ordered by their lengths, and handed out to buckets.
Test(compiled_queries, rows, .timeout = 600)
{
    static const char *const from[] = {NULL,  "csr",       "coo",
                                       "csc", "bcsr<2,2>", "hybrid<bdia<16>,csr,0.6>"};
    static const char *const to[] = {"sell-sigma<8,1024>", "cisr<16>", "cisr-plus<16>",
                                     "hybrid<bdia<16>,sell-sigma<4,64>,0.6>"};
    static fixture           f;

    start(&f);
    for (size_t k = 0; k < sizeof from / sizeof *from; k++)
        for (size_t t = 0; t < sizeof to / sizeof *to; t++)
            compare(&f, from[k], to[t], 0);
    stop(&f);
}

/// Sums to which not every entry adds: a row whose sum is 0 may have entries, and where
/// the map uses the sum, they need a place.
Test(compiled_queries, rows_that_sum_to_nothing, .timeout = 600)
{
    static const char *const to[] = {
        "#encoding<{ idx_map<(d0,d1)->(big,d0,d1)>, mutation<merge(0,1), trim(1,2)>, "
        "indirect<{ big = sum(value) groupBy (d0,d1)->(d0) with value gt 20 -> 1 | "
        "otherwise -> 0 }>, layout<partition(0)> }>",
        "#encoding<{ idx_map<(d0,d1)->(big,d0,d1)>, mutation<merge(0,1), trim(1,2)>, "
        "indirect<{ big = sum(value) groupBy (d0,d1)->(d0) with value gt 1000000 -> 1 "
        "| "
        "value ne 0 -> 0 | otherwise -> 0 }>, layout<partition(0)> }>",
    };
    static fixture f;

    start(&f);
    for (size_t t = 0; t < sizeof to / sizeof *to; t++) {
        compare(&f, NULL, to[t], 1);
        compare(&f, "csr", to[t], 1);
    }
    stop(&f);
}

/// Every entry counts, some for more.
Test(compiled_queries, rows_that_weigh, .timeout = 600)
{
    static const char *const to =
        "#encoding<{ idx_map<(d0,d1)->(weight,d0,d1)>, mutation<merge(0,1), "
        "trim(1,2)>, "
        "indirect<{ weight = sum(value) groupBy (d0,d1)->(d0) with value eq 0 -> 0 | "
        "value gt 100 -> 3 | value ne 0 -> 2 | otherwise -> 0 }>, layout<partition(0)> "
        "}>";
    static fixture f;

    start(&f);
    compare(&f, NULL, to, 0);
    compare(&f, "csr", to, 0);
    stop(&f);
}

/// Queries of the hybrid's own: sums of any groups, conditions, other thresholds.
Test(compiled_queries, hybrids_by_query, .timeout = 600)
{
    static const char *const to[] = {
        "#hybrid<{ fmats = [csr, coo], query = sum(value) groupBy (d0,d1)->(d0) with "
        "value "
        "ne 0 -> 1 | otherwise -> 0, absolute thresholds = [20] }>",
        "#hybrid<{ fmats = [csr, csc, coo], query = sum(value) groupBy "
        "(d0,d1)->(d1/100) with "
        "value gt 30000 -> 3 | value gt 100 -> 1 | otherwise -> 0, maximum "
        "thresholds = [0.5, 0.1] }>",
    };
    static fixture f;

    start(&f);
    for (size_t t = 0; t < sizeof to / sizeof *to; t++) {
        compare(&f, NULL, to[t], 0);
        compare(&f, "csr", to[t], 0);
        compare(&f, "csc", to[t], 0);
    }
    stop(&f);
}

/// Entries numbered along lines of any expressions, in any order of them, from 0, where no
/// position without an entry is stored.
Test(compiled_queries, entries, .timeout = 600)
{
    static const char *const groups[] = {
        "(d1)",
        "(d1/3)",
        "(d1-d0)",
        "()",
        "(d0) traverseBy (d0,d1)->(-d1)",
        "(d0/4) traverseBy (d0,d1)->(d1/9)",
        "() traverseBy (d0,d1)->(-d0)",
    };
    static fixture f;

    start(&f);
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        char to[512];

        snprintf(to, sizeof to,
                 "#encoding<{ idx_map<(d0,d1)->(slot,d0,d1)>, mutation<merge(0,1), "
                 "trim(0,2)>, indirect<{ slot = enum(value) groupBy (d0,d1)->%s with "
                 "value ne 0 -> 0 | otherwise -> none }> }>",
                 groups[k]);
        compare(&f, NULL, to, 0);
        compare(&f, "csr", to, 0);
        compare(&f, "hybrid<bdia<16>,csr,0.6>", to, 0);
    }
    stop(&f);
}

/// Rows are put in order by functions, and so are groups or entries numbered, whatever has
/// to be run on coordinates beside: here rows of another dimension, or a second numbering.
Test(compiled_queries, some_of_several, .timeout = 600)
{
    static const struct {
        int         run;
        const char *queries, *levels;
    } to[] = {
        {2,
         "load = sum(value) groupBy (d0,d1)->(d0); number = reorder(load) descend; "
         "wide = "
         "sum(value) groupBy (d0,d1)->(d1); second = reorder(wide)", "number,second"        },
        {1,
         "load = sum(value) groupBy (d0,d1)->(d0); place = reorder(load); number = "
         "enum(value) groupBy (d0,d1)->(d1) with value ne 0 -> 0 | otherwise -> none; "
         "second = enum(value) groupBy (d0,d1)->(d0) with value ne 0 -> 0 | otherwise "
         "-> "
         "none",                                                     "place/3,number,second"},
        {1,
         "block = sum(value) groupBy (d0,d1)->(d0/4,d1/4); number = enum(block) "
         "groupBy "
         "(d0,d1)->(d0/4) traverseBy (d0,d1)->(d1/4) with block ne 0 -> 0 | otherwise "
         "-> "
         "none; second = enum(value) groupBy (d0,d1)->(d0) with value ne 0 -> 0 | "
         "otherwise -> none",                                        "number,second"        },
    };
    static fixture f;

    start(&f);
    for (size_t t = 0; t < sizeof to / sizeof *to; t++) {
        char       text[1024];
        const bool three = strchr(to[t].levels, '/') != NULL;

        snprintf(text, sizeof text,
                 "#encoding<{ idx_map<(d0,d1)->(%s,d0,d1)>, mutation<merge(%s), "
                 "trim(0,%d)>, indirect<{ %s }> }>",
                 to[t].levels, three ? "0,1,2,3" : "0,1,2", three ? 4 : 3,
                 to[t].queries);
        compare(&f, NULL, text, to[t].run);
        compare(&f, "csr", text, to[t].run);
    }
    stop(&f);
}
