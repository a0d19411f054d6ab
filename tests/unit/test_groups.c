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

static void check_ranges(const char *groups, const int64_t *extent)
{
    cairn_format  *format = format_over(groups);
    int64_t        count, largest;
    cairn_interval range;
    bool           known;

    count_all(&format->member[0]->query[0].group_by, extent, &count, &largest);
    cr_assert_eq(cairn_query_range(&env, format->member[0], 1, extent, &range, &known),
                 CAIRN_OK);
    cr_expect_eq(range.hi + 1, count, "%s in %ld x %ld: %ld groups, not %ld", groups,
                 (long)extent[0], (long)extent[1], (long)range.hi + 1, (long)count);
    cr_assert_eq(cairn_query_range(&env, format->member[0], 2, extent, &range, &known),
                 CAIRN_OK);
    cr_expect_eq(range.hi + 1, largest, "%s in %ld x %ld: largest %ld, not %ld", groups,
                 (long)extent[0], (long)extent[1], (long)range.hi + 1, (long)largest);
    cairn_format_destroy(&format);
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

    for (size_t k = 0; k < sizeof extents / sizeof *extents; k++)
        check_ranges(c->groups, extents[k]);
    cr_expect_eq(env.live_blocks, 0);
}

/// Boxes too large to list: bounds by formulas, exact for the common groups.
Test(groups, large_boxes)
{
    static const struct {
        const char *groups;
        int64_t     count, largest;
    } cases[] = {
        {"d0",                        3000000,          2000000   },
        {"d1-d0",                     4999999,          2000000   },
        {"d0+d1",                     4999999,          2000000   },
        {"d0/64,d1/64",               46875LL * 31250,  4096      },
        {"d0/1000",                   3000,             2000000000},
        {"d0/1000,d1-d0",             3000LL * 2000999, 1000      },
        {"2*d0,2*d0/3",               3000000,          2000000   },
        {"d0+5,(d0+5)/3",             3000000,          2000000   },
        {"d0+d1,3*(d0+d1),(d0+d1)/7", 4999999,          2000000   },
        {"(d1-d0)/4,2*(d1-d0)+3",     4999999,          2000000   },
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

/// Expressions of a group, of which some follow from the others: a random form, parts and
/// multiples of it, in random order. @p two: of another form as well.
static void draw_following(unsigned *seed, bool two, char *text, size_t room)
{
    static const char *const whole[] = {"d0",    "d1",   "d0+d1",
                                        "d1-d0", "d0/3", "2*d1+d0"};
    static const char *const more[]  = {"2*(%s)",       "(%s)/2", "(%s)%%3",   "(%s)+5",
                                        "(2*(%s)+1)/3", "-(%s)",  "((%s)+5)/6"};
    const char *first = whole[rand_r(seed) % 6], *second = whole[rand_r(seed) % 6];
    const int   parts = 1 + rand_r(seed) % 3, at = rand_r(seed) % (parts + 1);
    size_t      used = 0;

    for (int k = 0; k <= parts; k++) {
        char one[64];

        snprintf(one, sizeof one, "%s", first);
        if (k != at)
            snprintf(one, sizeof one, more[rand_r(seed) % 7],
                     two && rand_r(seed) % 4 == 0 ? second : first);
        used += (size_t)snprintf(text + used, room - used, "%s%s", k ? "," : "", one);
    }
}

/// Where every position is listed, and where the box is too large for that; there the
/// groups of two forms that cross are only bounded.
Test(groups, random_groups_with_expressions_that_follow)
{
    static const int64_t extents[][2] = {
        {7,     5  },
        {60,    40 },
        {300,   200},
        {20000, 3  },
    };
    unsigned seed = 20261124;

    for (int round = 0; round < 300; round++) {
        char groups[256];

        draw_following(&seed, round % 4 < 2, groups, sizeof groups);
        check_ranges(groups, extents[round % 4]);
    }
}

/// 10^13 rows: groups that say a row in two ways are as many as rows, and are counted
/// without a look at each, which would take hours.
Test(groups, what_follows_costs_nothing, .timeout = 120)
{
    const int64_t  extent[2] = {10000000000000, 10000000000000};
    cairn_format  *format    = format_over("2*d0,2*d0/3,(d0+5)/3,d0+1");
    cairn_interval range;
    bool           known;

    for (int q = 1; q <= 2; q++) {
        cr_assert_eq(
            cairn_query_range(&env, format->member[0], q, extent, &range, &known),
            CAIRN_OK);
        cr_expect_eq(range.hi + 1, extent[0]);
    }
    cairn_format_destroy(&format);
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
