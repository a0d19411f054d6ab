// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sets of tuples: numbers are those of a list.

#include "../support/brutal.h"
#include "groups/tuples.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

static cairn_env env;

enum { TUPLES = 3000 };

typedef struct {
    char           name[48];
    int            width;
    cairn_interval range[3];
    int            broken; ///< Every so many tuples do not ascend; 0: all do.
} set_case;

static int64_t tuple[TUPLES][3];

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/// First integers ascend slowly, but for every `broken`-th tuple; the others are random.
static void draw_tuples(const set_case *c)
{
    uint64_t state = 3;

    for (int t = 0; t < TUPLES; t++)
        for (int k = 0; k < c->width; k++) {
            const uint64_t size = (uint64_t)(c->range[k].hi - c->range[k].lo + 1);
            const uint64_t at   = k || (c->broken && t % c->broken == c->broken - 1)
                                      ? draw(&state) % (size < 40 ? size : 40)
                                      : (uint64_t)t * (size < 500 ? size : 500) / TUPLES;

            tuple[t][k] =
                c->range[k].lo + (int64_t)(at * (size / 600 ? size / 600 : 1));
        }
}

/// The number of the first equal tuple among those that have one.
static int64_t expected(const set_case *c, int t, int64_t n, const int *first)
{
    for (int64_t g = 0; g < n; g++)
        if (memcmp(tuple[first[g]], tuple[t], (size_t)c->width * sizeof **tuple) == 0)
            return g;
    return n;
}

ParameterizedTestParameters(group_tuples, numbers_are_those_of_a_list)
{
    static set_case cases[] = {
        {"one integer",     1, {{-5, 99}},                                     0 },
        {"two",             2, {{0, 49}, {-3, 30}},                            0 },
        {"in any order",    2, {{-900, 900}, {-900, 900}},                     3 },
        {"far apart",       2, {{0, (int64_t)1 << 40}, {0, (int64_t)1 << 40}}, 31},
        {"three",           3, {{0, (int64_t)1 << 40}, {-9, 9}, {5, 30}},      97},
        {"near the limits", 2, {{INT64_MIN / 4, INT64_MAX / 4}, {0, 7}},       0 },
    };

    return cr_make_param_array(set_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(set_case *c, group_tuples, numbers_are_those_of_a_list)
{
    static int   first[TUPLES];
    int64_t      n = 0, number, missing[3] = {1, 2, 3};
    cairn_tuples set;

    cairn_env_init(&env);
    draw_tuples(c);
    cairn_tuples_init(&set, c->width);
    for (int t = 0; t < TUPLES; t++) {
        const int64_t want = expected(c, t, n, first);

        cr_assert_eq(cairn_tuples_add(&env, &set, tuple[t], &number), CAIRN_OK);
        cr_assert_eq(number, want, "%s: tuple %d has number %ld, not %ld", c->name, t,
                     (long)number, (long)want);
        if (want == n) first[n++] = t;
    }
    for (int t = 0; t < TUPLES; t++)
        cr_assert_eq(cairn_tuples_find(&set, tuple[t]), expected(c, t, n, first), "%s",
                     c->name);
    missing[0] = c->range[0].hi + 1;
    cr_expect_eq(cairn_tuples_find(&set, missing), -1);
    cairn_tuples_fini(&env, &set);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

static cairn_status add_many(void)
{
    cairn_tuples set;
    cairn_status status = CAIRN_OK;
    int64_t      number;

    cairn_tuples_init(&set, 2);
    for (int t = 0; t < 300 && status == CAIRN_OK; t++)
        status = cairn_tuples_add(&env, &set, tuple[t], &number);
    cairn_tuples_fini(&env, &set);
    return status;
}

Test(group_tuples, survive_every_failed_allocation)
{
    cairn_env_init(&env);
    for (int t = 0; t < TUPLES; t++)
        tuple[t][0] = t;
    CAIRN_BRUTAL(&env, add_many());
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
