// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the tests of queries share: an environment, Figure 1a of the UniSparse paper,
/// formats from text, and comparing arrays.

#ifndef CAIRN_TESTS_QUERY_FIXTURE_H
#define CAIRN_TESTS_QUERY_FIXTURE_H

#include "format/language.h"
#include "names.h"
#include "query_run.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

static cairn_env env;

static void up(void)
{
    cairn_env_init(&env);
}

static void down(void)
{
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

/// A format from its text; the test ends if it is refused.
static inline cairn_format *parse(const char *text)
{
    cairn_format *format = NULL;

    cr_assert_eq(cairn_format_parse(&env, NULL, named(text), "test", &format), CAIRN_OK,
                 "%s: %s", text, env.message);
    return format;
}

static const cairn_shape figure_shape = {
    2,
    {5, 4}
};

static const cairn_interval figure_box[2] = {
    {0, 4},
    {0, 3}
};

/// The 5x4 matrix of docs/formats.md.
static inline cairn_entries figure_entries(void)
{
    static const cairn_coord at[6][2] = {
        {0, 0},
        {1, 1},
        {2, 1},
        {2, 2},
        {2, 3},
        {4, 3}
    };
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    for (int p = 0; p < 6; p++)
        cr_assert_eq(cairn_entries_add(&env, &entries, at[p], p + 1), CAIRN_OK);
    return entries;
}

static inline void
expect_values(const char *what, const int64_t *got, const int64_t *want, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        cr_expect_eq(got[k], want[k], "%s[%ld] is %ld, not %ld", what, (long)k,
                     (long)got[k], (long)want[k]);
}

/// The element that has a number in a group; false: there is none.
static inline bool element(cairn_query_set *set,
                           int              q,
                           int64_t          number,
                           const int64_t   *group,
                           cairn_coord     *d)
{
    bool found;

    cr_assert_eq(cairn_query_element(set, q, number, group, d, &found), CAIRN_OK, "%s",
                 env.message);
    return found;
}

#endif
