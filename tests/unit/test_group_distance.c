// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers with a distance against looking for the first free one, in groups large enough
/// for every way of finding it.

#include "../support/brutal.h"
#include "groups/distance.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdlib.h>

enum { MOST = 24000, SPAN = 1 << 18 };

typedef struct {
    char    name[48];
    int64_t n, groups, keys, distance;
    int64_t least, starts; ///< An element starts at least .. least + starts - 1,
    int64_t step;          ///< times this.
    bool    none;          ///< One in seven has no start.
} distance_case;

static int64_t group[MOST], start[MOST], key[2][MOST], number[MOST], order[MOST];
static int64_t first[MOST + 1];

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static cairn_numbering make_batch(const distance_case *c)
{
    uint64_t        state = 17;
    cairn_numbering b     = {
            .n        = c->n,
            .groups   = c->groups,
            .start    = start,
            .distance = c->distance,
            .bys      = 2,
            .by       = {key[0], key[1]},
            .number   = number,
            .order    = c->none ? order : NULL, /* elements stand in it */
            .first    = first
    };

    for (int64_t g = 0; g <= c->groups; g++)
        first[g] = c->n;
    for (int64_t p = c->n - 1; p >= 0; p--)
        first[p * c->groups / c->n] = order[p] = p;
    for (int64_t p = 0; p < c->n; p++) {
        group[p]  = p * c->groups / c->n;
        key[0][p] = (int64_t)(draw(&state) % (uint64_t)c->keys) - 3;
        key[1][p] = c->keys > 5 ? (int64_t)(draw(&state) % 3) : 0;
        start[p]  = c->least + (int64_t)(draw(&state) % (uint64_t)c->starts) * c->step;
        if (c->none && draw(&state) % 7 == 0) start[p] = CAIRN_NO_NUMBER;
    }
    return b;
}

/// Numbers of the group that an element has; bits for those that may be near.
static bool taken[SPAN];

static bool is_taken(const distance_case *c, int64_t p, int64_t wanted)
{
    if (c->step == 1) return taken[wanted - c->least];
    for (int64_t q = 0; q < p; q++)
        if (group[q] == group[p] && number[q] == wanted) return true;
    return false;
}

/// The first number of the group that is free, by trying.
static void expect_numbers(const distance_case *c)
{
    static int64_t last[3 * MOST], in[3 * MOST]; /* in which group, from 1 on */

    for (int64_t p = 0; p < c->n; p++) {
        const int64_t which = (key[0][p] + 3) * 3 + key[1][p];
        int64_t       want  = start[p];

        if (p == 0 || group[p] != group[p - 1]) memset(taken, 0, sizeof taken);
        if (want != CAIRN_NO_NUMBER) {
            if (in[which] == group[p] + 1 && last[which] + c->distance > want)
                want = last[which] + c->distance;
            while (is_taken(c, p, want))
                want++;
            if (c->step == 1) taken[want - c->least] = true;
            last[which] = want;
            in[which]   = group[p] + 1;
        }
        cr_assert_eq(number[p], want, "%s: element %ld has %ld, not %ld", c->name,
                     (long)p, (long)number[p], (long)want);
    }
}

ParameterizedTestParameters(group_distance, numbers_are_the_first_free_ones)
{
    static distance_case cases[] = {
        {"every key once or twice",        9000,  1,    9000, 10, 0,                1,    1,                false},
        {"full groups, one after another", 24000, 2,    9000, 1,  5,                1,    1,                false},
        {"one key, far apart",             3000,  2,    1,    7,  -4,               1,    1,                false},
        {"starts anywhere",                9000,  3,    50,   3,  -500,             6000, 1,                true },
        {"groups of one",                  500,   500,  4,    9,  0,                3,    1,                true },
        {"few in a group, far apart",      9000,  3000, 50,   3,  0,                4,    100000,           true },
        {"no element",                     0,     0,    1,    1,  0,                1,    1,                false},
        {"near the upper limit",           900,   2,    900,  1,  INT64_MAX - 5000, 50,   1,                false},
        {"near the lower limit",           900,   2,    900,  1,  INT64_MIN + 9,    50,   1,                false},
        {"starts too far apart for bits",  900,   2,    900,  1,  0,                5,    (int64_t)1 << 50,
         false                                                                                                   },
    };

    return cr_make_param_array(distance_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(distance_case *c, group_distance, numbers_are_the_first_free_ones)
{
    cairn_numbering b = make_batch(c);
    cairn_env       env;

    cairn_env_init(&env);
    cr_assert_eq(cairn_number_distance(&env, &b), CAIRN_OK, "%s", env.message);

    expect_numbers(c);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// All start at one number; in one group in three keys ascend, in one they descend, so that
/// numbers follow each other, and in the last they may repeat.
Test(group_distance, one_start_and_keys_that_mostly_differ)
{
    const distance_case c = {"one start", 9000, 1500, 40, 3, 11, 1, 1, false};
    cairn_numbering     b = make_batch(&c);
    cairn_env           env;
    int64_t             met[2] = {0, 0}; /* groups of keys that differ, and others */

    for (int64_t p = 0; p < c.n; p++) {
        const int64_t way = group[p] % 3;

        key[1][p] = 0;
        if (way < 2) key[0][p] = way ? 30 - p % 30 : p % 6 * 5;
        met[way == 2]++;
    }
    cr_assert(met[0] > 0 && met[1] > 0);
    b.start     = NULL;
    b.one_start = 11;
    b.bys       = 1;
    cairn_env_init(&env);
    cr_assert_eq(cairn_number_distance(&env, &b), CAIRN_OK, "%s", env.message);
    expect_numbers(&c);
    cairn_env_fini(&env);
}

/// A long row of numbers taken above one that is free to the last: what is searched again
/// and again is passed in a few steps.
Test(group_distance, a_long_row_of_numbers_is_passed)
{
    enum { LONG = 600000 };

    int64_t        *column = calloc(3 * LONG, sizeof *column), first[2] = {0, LONG};
    int64_t        *starts = column, *ids = column + LONG;
    cairn_numbering b = {.n        = LONG,
                         .groups   = 1,
                         .start    = starts,
                         .distance = 1,
                         .bys      = 1,
                         .by       = {ids},
                         .number   = column + 2 * LONG,
                         .order    = ids,
                         .first    = first};
    cairn_env       env;

    cr_assert(column);
    for (int64_t p = 0; p < LONG; p++) {
        ids[p]    = p;
        starts[p] = p < LONG - 2;
    }
    cairn_env_init(&env);
    cr_assert_eq(cairn_number_distance(&env, &b), CAIRN_OK, "%s", env.message);

    for (int64_t p = 0; p < LONG - 2; p++)
        cr_assert_eq(b.number[p], p + 1, "element %ld has %ld", (long)p,
                     (long)b.number[p]);
    cr_expect_eq(b.number[LONG - 2], 0);
    cr_expect_eq(b.number[LONG - 1], LONG - 1);
    free(column);
    cairn_env_fini(&env);
}

Test(group_distance, a_number_beyond_64_bits_is_refused)
{
    const distance_case c = {"", 9, 1, 1, (int64_t)1 << 60, 1000, 1, 1, false};
    cairn_numbering     b = make_batch(&c);
    cairn_env           env;

    cairn_env_init(&env);
    cr_expect_eq(cairn_number_distance(&env, &b), CAIRN_OVERFLOW);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

Test(group_distance, survives_every_failed_allocation)
{
    const distance_case near = {"", 500, 3, 40, 2, 0, 5, 1, false};
    distance_case       far  = near;
    cairn_env           env;

    cairn_env_init(&env);
    far.step = (int64_t)1 << 50;
    for (int k = 0; k < 2; k++) {
        cairn_numbering b = make_batch(k ? &far : &near);

        CAIRN_BRUTAL(&env, cairn_number_distance(&env, &b));
    }
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
