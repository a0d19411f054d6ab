// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Buckets by load, against looking at every one of them.

#include "../support/brutal.h"
#include "groups/buckets.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

static cairn_env env;

typedef struct {
    char     name[48];
    int64_t  most, buckets; ///< Room, and how many are used.
    bool     ring;
    uint64_t below; ///< Loads are from 0 to below - 1,
    int64_t  rare;  ///< but one of 16 is as large as this.
    int      rounds, turns;
} schedule;

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/// The bucket with the least load, the lowest number of equal ones.
static int64_t least(const int64_t *load, int64_t n)
{
    int64_t at = 0;

    for (int64_t k = 1; k < n; k++)
        if (load[k] < load[at]) at = k;
    return at;
}

ParameterizedTestParameters(group_buckets, the_least_load_is_taken)
{
    static schedule cases[] = {
        {"one bucket",                    1,    1,    true,  9,    0,                2, 400 },
        {"few buckets",                   8,    8,    true,  9,    0,                2, 4000},
        {"few, with loads below 0",       5,    5,    false, 12,   -9,               2, 4000},
        {"one more than few",             9,    9,    true,  9,    0,                2, 4000},
        {"a word",                        64,   64,   true,  9,    0,                2, 4000},
        {"a bit more than a word",        65,   65,   true,  9,    0,                2, 4000},
        {"all loads alike",               70,   70,   true,  1,    0,                1, 400 },
        {"as many as a ring holds",       4096, 4096, true,  40,   0,                2, 9000},
        {"more than a ring holds",        4097, 4097, true,  40,   0,                1, 9000},
        {"fewer than there is room for",  200,  7,    true,  9,    0,                3, 4000},
        {"loads about the ring's length", 100,  100,  true,  1100, 0,                2, 4000},
        {"now and then beyond the ring",  100,  100,  true,  12,   5000,             2, 4000},
        {"far beyond the ring",           33,   33,   true,  3,    (int64_t)1 << 50, 2, 300 },
        {"all of them beyond the ring",   9,    9,    true,  1,    1023,             2, 3000},
        {"the heap alone",                100,  100,  false, 12,   5000,             2, 4000},
        {"the heap, with loads below 0",  100,  100,  false, 12,   -9,               2, 4000},
    };

    return cr_make_param_array(schedule, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(schedule *s, group_buckets, the_least_load_is_taken)
{
    static int64_t load[4097];
    cairn_buckets  b;
    uint64_t       state = 7;

    cairn_env_init(&env);
    cr_assert_eq(cairn_buckets_init(&env, s->most, s->ring, &b), CAIRN_OK);
    for (int round = 0; round < s->rounds; round++) {
        const int64_t n =
            s->buckets - (round && s->buckets > 1); /* and once one less */

        cairn_buckets_start(&b, n);
        memset(load, 0, sizeof load);
        for (int turn = 0; turn < s->turns; turn++) {
            const int64_t more = s->rare && draw(&state) % 16 == 0
                                     ? s->rare
                                     : (int64_t)(draw(&state) % s->below);
            const int64_t want = least(load, n);
            int64_t       got;

            cr_assert(cairn_buckets_add(&b, more, &got));
            cr_assert_eq(got, want, "%s: round %d, turn %d: bucket %ld, not %ld",
                         s->name, round, turn, (long)got, (long)want);
            load[want] += more;
        }
    }
    cairn_buckets_fini(&env, &b);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// One after the other and all at once give each element the same bucket.
ParameterizedTestParameters(group_buckets, all_at_once)
{
    static schedule cases[] = {
        {"one bucket",             1,    1,    true, 9,    0,    2, 400 },
        {"few buckets",            8,    8,    true, 9,    0,    2, 4000},
        {"few, and beyond a ring", 3,    3,    true, 3000, 0,    2, 4000},
        {"a bit more than few",    9,    9,    true, 9,    0,    2, 4000},
        {"beyond the ring",        100,  100,  true, 12,   5000, 2, 4000},
        {"more than a ring holds", 4097, 4097, true, 40,   0,    1, 4000},
    };

    return cr_make_param_array(schedule, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(schedule *s, group_buckets, all_at_once)
{
    static uint32_t more[4000], order[4000], number[4000];
    cairn_buckets   all, each;
    uint64_t        state = 11;

    cairn_env_init(&env);
    cr_assert_eq(cairn_buckets_init(&env, s->most, s->ring, &all), CAIRN_OK);
    cr_assert_eq(cairn_buckets_init(&env, s->most, s->ring, &each), CAIRN_OK);
    for (int round = 0; round < s->rounds; round++) {
        const int64_t n = s->buckets - (round && s->buckets > 1);

        for (int k = 0; k < s->turns; k++) {
            more[k]  = s->rare && draw(&state) % 16 == 0
                           ? (uint32_t)s->rare
                           : (uint32_t)(draw(&state) % s->below);
            order[k] = (uint32_t)(s->turns - 1 - k);
        }
        cairn_buckets_start(&all, n);
        cairn_buckets_start(&each, n);
        cr_assert(cairn_buckets_add_all(&all, s->turns, order, more, number));
        for (int k = 0; k < s->turns; k++) {
            int64_t want;

            cr_assert(cairn_buckets_add(&each, more[order[k]], &want));
            cr_assert_eq(number[order[k]], want, "%s: round %d, element %u", s->name,
                         round, order[k]);
        }
    }
    cairn_buckets_fini(&env, &all);
    cairn_buckets_fini(&env, &each);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

Test(group_buckets, a_load_beyond_64_bits_is_told)
{
    for (int ring = 0; ring < 2; ring++) {
        cairn_buckets b;
        int64_t       at;

        cairn_env_init(&env);
        cr_assert_eq(cairn_buckets_init(&env, 1, ring, &b), CAIRN_OK);
        cairn_buckets_start(&b, 1);

        cr_expect(cairn_buckets_add(&b, INT64_MAX, &at));
        cr_expect(cairn_buckets_add(&b, 0, &at));
        cr_expect_not(cairn_buckets_add(&b, 1, &at));

        cairn_buckets_fini(&env, &b);
        cairn_env_fini(&env);
    }
}

Test(group_buckets, survive_every_failed_allocation)
{
    cairn_buckets b;

    cairn_env_init(&env);
    CAIRN_BRUTAL(&env, cairn_buckets_init(&env, 100, true, &b));
    cairn_buckets_fini(&env, &b);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
