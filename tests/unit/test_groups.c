// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How large groups are and how many, held to counting by hand over whole boxes.

#include "format/algebra.h"
#include "format/language.h"
#include "format/layout.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cairn_env env;

/// An encoding whose last query groups by @p groups; it is not checked otherwise.
static cairn_format *format_over(const char *groups)
{
    cairn_format *format;
    char          text[512];

    cairn_env_init(&env);
    snprintf(
        text, sizeof text,
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ c = sum(value) groupBy "
        "(d0,d1)->(%s); p = reorder(c); s = enum(value) groupBy (d0,d1)->(%s) }> }>",
        groups, groups);
    cr_assert_eq(cairn_format_parse(&env, NULL, text, "test", &format), CAIRN_OK, "%s",
                 env.message);
    return format;
}

typedef struct {
    int64_t value[4];
} tuple;

static int by_value(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(tuple));
}

/// Count groups and the largest by evaluating every position.
static void count_all(const cairn_map *map,
                      const int64_t   *extent,
                      int64_t         *groups,
                      int64_t         *largest)
{
    static cairn_algebra algebra;
    cairn_form           form[4];
    tuple               *all = calloc((size_t)(extent[0] * extent[1] + 1), sizeof *all);
    int64_t              n = 0, run = 0;

    cairn_algebra_init(&algebra, &env, 2);
    for (int k = 0; k < map->count; k++)
        cr_assert_eq(cairn_form_of(&algebra, map->expr[k], &form[k]), CAIRN_OK);
    for (int64_t i = 0; i < extent[0]; i++)
        for (int64_t j = 0; j < extent[1]; j++, n++)
            for (int k = 0; k < map->count; k++)
                all[n].value[k] =
                    cairn_form_value(&algebra, &form[k], (int64_t[]){i, j}, NULL);
    qsort(all, (size_t)n, sizeof *all, by_value);
    *groups = *largest = 0;
    for (int64_t k = 0; k < n; k++) {
        run = k > 0 && by_value(&all[k], &all[k - 1]) == 0 ? run + 1 : 1;
        *groups += run == 1;
        if (run > *largest) *largest = run;
    }
    free(all);
}

typedef struct {
    char groups[48];
} one_map;

ParameterizedTestParameters(groups, ranges)
{
    static one_map cases[] = {
        {"d0"},        {"d1"},         {"d0/3"},      {"d0%3,d1/2"},  {"d1-d0"},
        {"d0+d1"},     {"2*d0+d1"},    {"2*d0-3*d1"}, {"d0/3,d1-d0"}, {"d0/2,d1%4"},
        {"(d0+d1)/2"}, {"d0%2,d0+d1"}, {"d0/2,d1/3"}, {"d0/4/2"},     {"d1*2-d0"}};

    return cr_make_param_array(one_map, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(one_map *c, groups, ranges)
{
    static const int64_t extents[][2] = {
        {4,  4 },
        {5,  4 },
        {1,  7 },
        {10, 20},
        {9,  3 },
        {16, 16},
        {40, 25},
        {2,  2 }
    };
    cairn_format *format = format_over(c->groups);

    for (size_t k = 0; k < sizeof extents / sizeof *extents; k++) {
        int64_t        groups, largest;
        cairn_interval range;
        bool           known;

        count_all(&format->member[0]->query[0].group_by, extents[k], &groups, &largest);
        cr_assert_eq(
            cairn_query_range(&env, format->member[0], 1, extents[k], &range, &known),
            CAIRN_OK);
        cr_expect_eq(range.hi + 1, groups, "%s in %ld x %ld: %ld groups, not %ld",
                     c->groups, (long)extents[k][0], (long)extents[k][1],
                     (long)range.hi + 1, (long)groups);
        cr_assert_eq(
            cairn_query_range(&env, format->member[0], 2, extents[k], &range, &known),
            CAIRN_OK);
        cr_expect_eq(range.hi + 1, largest, "%s in %ld x %ld: largest %ld, not %ld",
                     c->groups, (long)extents[k][0], (long)extents[k][1],
                     (long)range.hi + 1, (long)largest);
    }
    cairn_format_destroy(&format);
    cr_expect_eq(env.live_blocks, 0);
}

/// Boxes too large to list: bounds by formulas, exact for the common groups.
Test(groups, large_boxes)
{
    static const struct {
        const char *groups;
        int64_t     count, largest;
    } cases[] = {
        {"d0",            3000000,          2000000   },
        {"d1-d0",         4999999,          2000000   },
        {"d0+d1",         4999999,          2000000   },
        {"d0/64,d1/64",   46875LL * 31250,  4096      },
        {"d0/1000",       3000,             2000000000},
        {"d0/1000,d1-d0", 3000LL * 2000999, 1000      },
    };
    const int64_t extent[2] = {3000000, 2000000};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cairn_format  *format = format_over(cases[k].groups);
        cairn_interval range;
        bool           known;

        cr_assert_eq(
            cairn_query_range(&env, format->member[0], 1, extent, &range, &known),
            CAIRN_OK);
        cr_expect_eq(range.hi + 1, cases[k].count, "%s: %ld groups", cases[k].groups,
                     (long)range.hi + 1);
        cr_assert_eq(
            cairn_query_range(&env, format->member[0], 2, extent, &range, &known),
            CAIRN_OK);
        cr_expect_eq(range.hi + 1, cases[k].largest, "%s: largest %ld", cases[k].groups,
                     (long)range.hi + 1);
        cairn_format_destroy(&format);
    }
}

/// Counts end at the largest integer, and nothing overflows on the way to nothing.
Test(groups, counts_saturate)
{
    const cairn_interval half = {INT64_MIN / 2, INT64_MAX / 2},
                         all  = {INT64_MIN, INT64_MAX};
    const cairn_interval none = {0, -1}, wide = {0, (int64_t)1 << 40};
    const cairn_interval vast[] = {wide, half, none};

    cr_expect_eq(cairn_interval_size(none), 0);
    cr_expect_eq(cairn_interval_size((cairn_interval){-3, 3}), 7);
    cr_expect_eq(cairn_interval_size(half), INT64_MAX);
    cr_expect_eq(cairn_interval_size(all), INT64_MAX);
    cr_expect_eq(cairn_interval_size((cairn_interval){0, INT64_MAX}), INT64_MAX);
    cr_expect_eq(cairn_box_points(vast, 2, 3), INT64_MAX);
    cr_expect_eq(cairn_box_points(vast, 3, 7), 0);
    cr_expect_eq(cairn_box_points(vast, 3, 1), wide.hi + 1);
    cr_expect(cairn_box_is_empty(vast, 3));
    cr_expect_not(cairn_box_is_empty(vast, 2));
}
