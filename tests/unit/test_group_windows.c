// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ordering windows by counting against sorting by all keys.

#include "groups/windows.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <string.h>

enum { MOST = 3000 };

typedef struct {
    char    name[48];
    int64_t n, window;      ///< Elements, and how many of them a window has.
    int64_t least, numbers; ///< The number is from least to least + numbers - 1.
    bool    ties_in_order;
} window_case;

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

ParameterizedTestParameters(group_windows, order_is_that_of_sorting)
{
    static window_case cases[] = {
        {"nothing",                         0,    9,    0,             3,    true },
        {"one element",                     1,    9,    5,             1,    true },
        {"many equal numbers",              MOST, 64,   0,             4,    true },
        {"the last window is shorter",      1001, 100,  -50,           90,   true },
        {"one window",                      MOST, MOST, 3,             2000, true },
        {"windows of one",                  MOST, 1,    0,             9,    true },
        {"too many numbers for a window",   MOST, 16,   0,             5000, true },
        {"small windows of many numbers",   MOST, 4,    0,             900,  true },
        {"numbers at the upper limit",      MOST, 64,   INT64_MAX - 9, 10,   true },
        {"numbers at the lower limit",      MOST, 64,   INT64_MIN + 1, 10,   true },
        {"ties that do not stand in order", MOST, 64,   0,             4,    false},
    };

    return cr_make_param_array(window_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(window_case *c, group_windows, order_is_that_of_sorting)
{
    static int64_t window[MOST], number[MOST], tie[MOST], got[MOST], want[MOST];
    const int64_t *key[3] = {window, number, tie};
    uint64_t       state  = 9;
    cairn_env      env;

    cairn_env_init(&env);
    for (int64_t p = 0; p < c->n; p++) {
        window[p] = p / c->window - 3;
        number[p] = c->least + (int64_t)(draw(&state) % (uint64_t)c->numbers);
        tie[p]    = c->ties_in_order ? p : (int64_t)(draw(&state) % 100);
    }
    if (c->n > 5) number[5] = c->least + (c->numbers - 1);

    cr_assert_eq(cairn_sort_order(&env, c->n, 3, key, want), CAIRN_OK);
    cr_assert_eq(cairn_windows_order(&env, &(cairn_windows){c->n, 1, 3, key, got}),
                 CAIRN_OK);

    for (int64_t k = 0; k < c->n; k++)
        cr_assert_eq(got[k], want[k], "%s: place %ld has %ld, not %ld", c->name,
                     (long)k, (long)got[k], (long)want[k]);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

Test(group_windows, numbers_far_apart_are_sorted)
{
    const int64_t number[4] = {INT64_MAX, INT64_MIN, 0, INT64_MIN},
                  tie[4]    = {0, 1, 2, 3};
    const int64_t *key[2]   = {number, tie};
    int64_t        order[4];
    cairn_env      env;

    cairn_env_init(&env);
    cr_assert_eq(cairn_windows_order(&env, &(cairn_windows){4, 0, 2, key, order}),
                 CAIRN_OK);
    cr_expect_eq(memcmp(order, (int64_t[4]){1, 3, 2, 0}, sizeof order), 0);
    cairn_env_fini(&env);
}
