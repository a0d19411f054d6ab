// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How many levels entries have to be put in order by is what the maps say, and no more.

#include "format/encoding.h"
#include "format/language.h"
#include "lower/conversion/convert_order.h"

#include <criterion/criterion.h>

#include <stdio.h>

typedef enum { NO_QUERY, PLACE, SLOT, ALONG, DOWN, ONE, FAR, BIG, BLOCK } numbers;

typedef struct {
    const char *map, *mutation;
    numbers     numbers;
    int         levels;
} order_case;

/// Places are of columns; slots number the entries of a row from its end, along it, down a
/// column, of all rows, at a distance, large values behind small ones, and blocks of rows.
static const char *const indirect[] = {
    "",
    ", indirect<{ load = sum(value) groupBy (d0,d1)->(d1); place = reorder(load) }>",
    ", indirect<{ slot = enum(value) groupBy (d0,d1)->(d0) traverseBy (d0,d1)->(-d1) "
    "with value ne 0 -> 0 | otherwise -> none }>",
    ", indirect<{ count = sum(value) groupBy (d0,d1)->(d0); slot = enum(value) "
    "groupBy (d0,d1)->(d0) with value eq 0 -> count | otherwise -> 0 }>",
    ", indirect<{ slot = enum(value) groupBy (d0,d1)->(d1) traverseBy (d0,d1)->(d0/2) "
    "with value ne 0 -> 0 | otherwise -> none }>",
    ", indirect<{ slot = enum(value) with value ne 0 -> 0 | otherwise -> none }>",
    ", indirect<{ slot = enum(value) groupBy (d0,d1)->(d0) with value ne 0 -> 0 | "
    "otherwise -> none distance 2 by (d0,d1)->(d1) }>",
    ", indirect<{ count = sum(value) groupBy (d0,d1)->(d0); slot = enum(value) "
    "groupBy (d0,d1)->(d0) with value gt 5 -> count | value ne 0 -> 0 | "
    "otherwise -> none }>",
    ", indirect<{ block = sum(value) groupBy (d0,d1)->(d0/2,d1/2); slot = enum(block) "
    "groupBy (d0,d1)->(d0/2) with block ne 0 -> 0 | otherwise -> none }>"};

static cairn_layout *
layout_of(cairn_env *env, const order_case *c, cairn_format **format)
{
    const int64_t        extent[2]               = {64, 60};
    const cairn_interval span[CAIRN_MAX_QUERIES] = {
        {0, 63},
        {0, 63}
    };
    char          text[512];
    cairn_layout *layout;

    snprintf(text, sizeof text, "#encoding<{ idx_map<(d0,d1)->(%s)>, %s%s }>", c->map,
             c->mutation, indirect[c->numbers]);
    cr_assert_eq(cairn_format_parse(env, NULL, text, "test", format), CAIRN_OK,
                 "%s: %s", text, cairn_message(env));
    cr_assert_eq(
        cairn_layout_create(env, (*format)->member[0], extent, NULL, span, 64, &layout),
        CAIRN_OK, "%s: %s", text, cairn_message(env));
    return layout;
}

static void check(const order_case *from, const order_case *c)
{
    cairn_env     env;
    cairn_format *format[2] = {NULL, NULL};
    int           levels    = -1;

    cairn_env_init(&env);
    cairn_layout *to     = layout_of(&env, c, &format[0]);
    cairn_layout *source = from ? layout_of(&env, from, &format[1]) : NULL;

    cr_assert_eq(cairn_convert_levels_to_sort(&env, source, to, &levels), CAIRN_OK);
    cr_expect_eq(levels, c->levels, "%s, %s: %d levels, not %d", c->map, c->mutation,
                 levels, c->levels);
    cairn_layout_destroy(&env, &source);
    cairn_layout_destroy(&env, &to);
    cairn_format_destroy(&format[0]);
    cairn_format_destroy(&format[1]);
    cairn_env_fini(&env);
}

Test(convert_order, levels_that_follow_from_the_source_are_not_sorted)
{
    static const order_case of_rows[] = {
        {"d0,d1",                        "mutation<merge(0), trim(0,1)>",       NO_QUERY, 0},
        {"d1,d0",                        "mutation<merge(0), trim(0,1)>",       NO_QUERY, 1},
        {"d0/4,d1/4,d0%4,d1%4",          "mutation<merge(0,1,2), trim(0,3)>",   NO_QUERY, 2},
        {"d1%4,d0,d1/4",                 "mutation<merge(0,1), trim(0,2)>",     NO_QUERY, 1},
        {"place/3,place%3,d0/4,d1,d0%4", "mutation<merge(0,1,2,3), trim(0,4)>", PLACE,
         2                                                                                 },
        {"place,d0/4,d1,d0%4",           "mutation<merge(0,1,2), trim(0,3)>",   PLACE,    1},
        {"slot,d0,d1",                   "mutation<merge(0,1), trim(0,2)>",     SLOT,     1},
        {"d0,slot,d1",                   "mutation<merge(0,1), trim(0,2)>",     SLOT,     2},
    };
    static const order_case columns    = {"d1,d0", "mutation<merge(0), trim(0,1)>",
                                          NO_QUERY, 1};
    static const order_case of_columns = {"d0,d1", "mutation<merge(0), trim(0,1)>",
                                          NO_QUERY, 1};

    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        check(NULL, &of_rows[k]);
    check(&columns, &of_columns);
}

Test(convert_order, what_nodes_do_not_ask_about_is_not_sorted)
{
    static const order_case blocks = {"d0/4,d1/4,d1%4,d0%4",
                                      "mutation<merge(0), trim(0,1)>", NO_QUERY, 2};
    static const order_case banks  = {"d1/4,d0,d1%4", "layout<partition(0)>", NO_QUERY,
                                      1};
    static const order_case none   = {"d1/4,d0,d1%4", "layout<val(f64)>", NO_QUERY, 0};

    check(NULL, &blocks);
    check(NULL, &banks);
    check(NULL, &none);
}

/// What is known above tells the number of an element, and what an enum visits as entries
/// come ascends.
Test(convert_order, numbers_that_follow_or_ascend_are_not_sorted)
{
    static const char *const all     = "mutation<merge(0,1), trim(0,2)>";
    const order_case         cases[] = {
                {"d1,d0,slot",           all,                                 ALONG, 1},
                {"d1,d0,slot",           all,                                 BIG,   1},
                {"d1,d0,slot",           all,                                 BLOCK, 1},
                {"d1+2*d0,d0,slot",      all,                                 ALONG, 1},
                {"d1,place,d0",          all,                                 PLACE, 1},
                {"-d0,d1,place",         all,                                 PLACE, 1},
                {"-d0,place,d1",         all,                                 PLACE, 2},
                {"-d0,slot,d1",          all,                                 ALONG, 1},
                {"-d0,slot+1,d1",        all,                                 ALONG, 1},
                {"-d0,-slot,d1",         all,                                 ALONG, 2},
                {"-d0,slot,d1",          all,                                 SLOT,  2},
                {"-d0,slot,d1",          all,                                 FAR,   2},
                {"-d0,slot,d1",          all,                                 BIG,   2},
                {"-d0,slot,d1",          all,                                 ONE,   1},
                {"slot,d0,d1",           all,                                 ONE,   0},
                {"d1,slot,d0",           all,                                 DOWN,  1},
                {"d1,slot,d0",           all,                                 ALONG, 2},
                {"slot,d0,d1",           all,                                 ALONG, 1},
                {"-d0,slot/2,slot%2,d1", "mutation<merge(0,1,2), trim(0,3)>", ALONG, 1},
                {"-d0,slot%2,slot/2,d1", "mutation<merge(0,1,2), trim(0,3)>", ALONG, 2},
    };
    static const order_case columns      = {"d1,d0", "mutation<merge(0), trim(0,1)>",
                                            NO_QUERY, 1};
    const order_case        of_columns[] = {
               {"-d0,slot,d1", all, ALONG, 1},
               {"slot,d0,d1",  all, ONE,   1},
               {"-d1,slot,d0", all, DOWN,  1}
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check(NULL, &cases[k]);
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++)
        check(&columns, &of_columns[k]);
}

typedef struct {
    const char *map, *mutation;
    numbers     numbers;
    int         sorted, grouped, distinct;
} facts_case;

/// So do they where entries are appended, or scattered to groups: of all levels, of those
/// below complete ones; and a number tells its element.
Test(convert_order, numbers_that_follow_or_ascend_are_in_order)
{
    static const char *const        all     = "mutation<merge(0,1), trim(0,2)>",
                             *const below   = "mutation<merge(0), trim(1,2)>";
    const facts_case                cases[] = {
                       {"d0,d1,slot",  all,   ALONG, 3, 3, 1},
                       {"d0,d1,place", all,   PLACE, 3, 3, 1},
                       {"d0,slot,d1",  all,   ALONG, 3, 3, 1},
                       {"d0,slot,d1",  all,   SLOT,  1, 1, 1},
                       {"d0,slot,d1",  all,   FAR,   1, 1, 1},
                       {"d0,place,d1", all,   PLACE, 1, 1, 1},
                       {"d1,d0,slot",  below, ALONG, 0, 3, 1},
                       {"d1,d0,slot",  below, BLOCK, 0, 3, 1},
                       {"d1,slot,d0",  below, DOWN,  0, 3, 1},
                       {"d1,slot,d0",  below, ALONG, 0, 1, 2},
                       {"place,d0,d1", below, PLACE, 0, 3, 1},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const facts_case   *c  = &cases[k];
        const order_case    of = {c->map, c->mutation, c->numbers, 0};
        cairn_env           env;
        cairn_format       *format;
        cairn_convert_facts facts;

        cairn_env_init(&env);
        cairn_layout *to = layout_of(&env, &of, &format);

        cr_assert_eq(cairn_convert_facts_find(&env, NULL, to, &facts), CAIRN_OK);
        cr_expect(facts.sorted == c->sorted && facts.grouped == c->grouped
                      && facts.distinct == c->distinct,
                  "%s, %s, %d: sorted %d, grouped %d, distinct %d", c->map, c->mutation,
                  c->numbers, facts.sorted, facts.grouped, facts.distinct);
        cairn_layout_destroy(&env, &to);
        cairn_format_destroy(&format);
        cairn_env_fini(&env);
    }
}

/// An algebra that holds a format may be too small for a proof about it, which then ends
/// where it is: entries are sorted by what is left, and numbers prove nothing.
Test(convert_order, what_is_too_large_for_a_proof_is_sorted)
{
    enum { NUMBERS = 7, FORMS = 6, UNIT = 30 };
    const int64_t extent[2] = {64, 60};
    char          text[4096];
    cairn_env     env;
    cairn_format *format;
    cairn_layout *to;
    int           levels = -1, n = 0;

    cairn_env_init(&env);
    n += snprintf(text, sizeof text, "#encoding<{ idx_map<(d0,d1)->(d0,d1");
    for (int q = 0; q < NUMBERS; q++)
        n += snprintf(text + n, sizeof text - (size_t)n, ",p%d/%d,p%d%%%d", q, q + 2, q,
                      q + 2);
    n += snprintf(text + n, sizeof text - (size_t)n,
                  ")>, mutation<trim(0,15)>, indirect<{ "
                  "load = sum(value) groupBy (d0,d1)->(d1/%d)",
                  UNIT);
    for (int q = 0; q < NUMBERS; q++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "; p%d = reorder(load) groupBy (d0,d1)->(", q);
        for (int f = 0; f < FORMS; f++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%sd1/%d", f ? "," : "",
                          UNIT * (2 + FORMS * q + f));
        n += snprintf(text + n, sizeof text - (size_t)n, ")");
    }
    snprintf(text + n, sizeof text - (size_t)n, " }> }>");
    cr_assert_eq(cairn_format_parse(&env, NULL, text, "test", &format), CAIRN_OK,
                 "%s: %s", text, cairn_message(&env));
    cr_assert_eq(
        cairn_layout_create(&env, format->member[0], extent, NULL, NULL, 64, &to),
        CAIRN_OK, "%s", cairn_message(&env));
    cr_expect_eq(cairn_convert_levels_to_sort(&env, NULL, to, &levels), CAIRN_OK, "%s",
                 cairn_message(&env));
    cr_expect(levels > 0 && levels <= 16, "%d", levels);
    cairn_convert_facts facts;

    cr_expect_eq(cairn_convert_facts_find(&env, NULL, to, &facts), CAIRN_OK, "%s",
                 cairn_message(&env));
    cr_expect(facts.sorted == 2 && facts.distinct == 1, "%d, %d", facts.sorted,
              facts.distinct);
    cairn_layout_destroy(&env, &to);
    cairn_format_destroy(&format);
    cairn_env_fini(&env);
}
