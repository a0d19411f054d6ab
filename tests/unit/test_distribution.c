// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Expressions of distributions: what is said of some rows holds at each of them, and rows
/// are cut where the expression goes to the next rank.

#include "../support/random_format.h"
#include "../support/seed.h"
#include "comm/distribute_text.h"
#include "format/distribution.h"
#include "format/language.h"

#include <criterion/criterion.h>

#include <stdio.h>

TestSuite(distribution);

enum { DRAWS = 4000, ROWS = 60, TEXT = 400 };

/// An expression of d0, constants and ranks, at most @p depth operators deep.
static void draw(uint64_t *state, int depth, char *text)
{
    static const char *const marks[] = {"+", "-", "*", "/", "%"};
    char                     left[TEXT / 2], right[TEXT / 2];
    const int                mark = random_below(state, 5);

    if (depth == 0 || random_chance(state, 20)) {
        if (random_chance(state, 60))
            strcpy(text, "d0");
        else
            sprintf(text, random_chance(state, 30) ? "ranks" : "%d",
                    1 + random_below(state, 9));
        return;
    }
    draw(state, depth - 1, left);
    draw(state, depth - 1, right);
    if (mark > 1) /* of which one side is a constant */
        sprintf(right, random_chance(state, 30) ? "(ranks-%d)" : "%d",
                1 + random_below(state, 7));
    sprintf(text, random_chance(state, 10) ? "-(%s%s%s)" : "(%s%s%s)", left,
            marks[mark], right);
}

static cairn_format *parse(cairn_env *env, const char *expr)
{
    char          text[TEXT + 16];
    cairn_format *format = NULL;

    snprintf(text, sizeof text, "csr @ (%s)", expr);
    cr_assert_eq(cairn_format_parse(env, NULL, text, "test", &format), CAIRN_OK,
                 "%s: %s", text, env->message);
    return format;
}

/// Hold what is said of rows first..last to their values.
static void
check_rows(const cairn_expr *expr, int first, int last, int ranks, const char *text)
{
    cairn_row_values said;
    int64_t          value, before = 0;

    if (!cairn_distribution_over(expr, (cairn_interval){first, last}, ranks, &said))
        return;
    for (int row = first; row <= last; row++) {
        cr_assert(cairn_distribution_at(expr, row, ranks, &value), "%s at %d", text,
                  row);
        cr_assert(value >= said.range.lo && value <= said.range.hi, "%s at %d", text,
                  row);
        if (row == first) before = value;
        cr_assert(said.trend == CAIRN_TREND_OTHER
                      || (said.trend == CAIRN_TREND_RISES   ? value >= before
                          : said.trend == CAIRN_TREND_FALLS ? value <= before
                                                            : value == before),
                  "%s at %d with %d ranks", text, row, ranks);
        before = value;
    }
    if (said.trend == CAIRN_TREND_OTHER) return;
    cairn_distribution_at(expr, first, ranks, &value);
    cr_assert_eq(value, said.trend == CAIRN_TREND_FALLS ? said.range.hi : said.range.lo,
                 "%s", text);
    cr_assert_eq(before,
                 said.trend == CAIRN_TREND_FALLS ? said.range.lo : said.range.hi, "%s",
                 text);
}

Test(distribution, bounds_and_trends_hold_at_every_row)
{
    uint64_t  state = seed_clock();
    cairn_env env;

    cairn_env_init(&env);
    for (int k = 0; k < seed_cases(DRAWS); k++) {
        char text[TEXT];

        draw(&state, 3, text);
        cairn_format *format = parse(&env, text);
        const int     first  = random_below(&state, ROWS),
                  ranks      = 1 + random_below(&state, 9);

        check_rows(format->distribution.a, first, first + random_below(&state, ROWS),
                   ranks, text);
        cairn_format_destroy(&format);
    }
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// The arithmetic that the bounds are held to, by hand.
Test(distribution, values)
{
    static const struct {
        const char *text;
        int64_t     row, ranks, value;
    } cases[] = {
        {"d0/64%ranks",          200, 3, 0 },
        {"d0/64%ranks",          300, 3, 1 },
        {"(d0-7)/4",             5,   2, -1},
        {"(d0-7)%4",             5,   2, 2 },
        {"d0*ranks/100",         99,  4, 3 },
        {"ranks-1-d0/(2*ranks)", 13,  3, 0 },
        {"-d0",                  4,   1, -4},
    };
    cairn_env env;

    cairn_env_init(&env);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cairn_format *format = parse(&env, cases[k].text);
        int64_t       value  = 99;

        cr_expect(cairn_distribution_at(format->distribution.a, cases[k].row,
                                        cases[k].ranks, &value)
                      && value == cases[k].value,
                  "%s: %ld", cases[k].text, (long)value);
        cairn_format_destroy(&format);
    }
    cairn_env_fini(&env);
}

/// Refused on one rank, whose only rank is 0.
static void
refused(const char *text, int64_t extent, cairn_status why, const char *words)
{
    cairn_env   env;
    cairn_comm *comm;
    cairn_rows  rows = {0};
    bool        cut  = true;

    cairn_env_init(&env);
    cr_assert_eq(cairn_comm_self(&env, &comm), CAIRN_OK);
    cairn_format *format = parse(&env, text);

    cr_expect_eq(
        cairn_rows_by_text(comm, &format->distribution, extent, 1, &rows, &cut, NULL),
        why, "%s", text);
    cr_expect(strstr(env.message, words), "%s: %s", text, env.message);
    cr_expect(!cut && !rows.first);
    cairn_format_destroy(&format);
    cairn_comm_destroy(&comm);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

Test(distribution, rows_that_go_nowhere_are_refused)
{
    refused("d0/500", 501, CAIRN_BAD_QUERY,
            "row 500 goes to rank 1, but there is only 0..0");
    refused("d0/500-1", 501, CAIRN_BAD_QUERY,
            "row 0 goes to rank -1, but there is only");
    refused("d0/(ranks-1)", 9, CAIRN_BAD_QUERY, "row 0 has no rank");
    refused("d0*(9223372036854775807/4)", 9, CAIRN_BAD_QUERY,
            "row 1 goes to rank 2305");
    refused("d0*9223372036854775807-d0*9223372036854775807", 9, CAIRN_BAD_QUERY,
            "row 2 has no rank");
    refused("d0%3", 9, CAIRN_BAD_QUERY, "row 1 goes to rank 1");
    refused("d0%7/6", INT64_C(1) << 40, CAIRN_UNSUPPORTED, "row by row alone");
}
