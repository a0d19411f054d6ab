// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Orderings and sorted entries, against an insertion sort.

#include "tensor/entries.h"

#include <criterion/criterion.h>

#include <stdlib.h>
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

TestSuite(sort, .init = up, .fini = down, .timeout = 120);

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static int compare_rows(int keys, int64_t *const *key, cairn_pos a, cairn_pos b)
{
    for (int k = 0; k < keys; k++)
        if (key[k][a] != key[k][b]) return key[k][a] < key[k][b] ? -1 : 1;
    return 0;
}

/// Order rows of random keys whose k-th lies within range[k] of offset[k].
static void check_random(cairn_pos n, int keys, const uint64_t *range)
{
    int64_t   *key[4] = {NULL};
    cairn_pos *order  = calloc((size_t)n + 1, sizeof *order);
    bool      *seen   = calloc((size_t)n + 1, sizeof *seen);
    uint64_t   state  = 99 + (uint64_t)n;

    for (int k = 0; k < keys; k++) {
        key[k] = malloc(((size_t)n + 1) * sizeof *key[k]);
        for (cairn_pos p = 0; p < n; p++)
            key[k][p] =
                (int64_t)(range[k] ? next_random(&state) % range[k] - range[k] / 2
                                   : next_random(&state));
    }

    cr_assert_eq(cairn_sort_order(&env, n, keys, (const int64_t *const *)key, order),
                 CAIRN_OK);

    for (cairn_pos p = 0; p < n; p++) {
        cr_assert(order[p] >= 0 && order[p] < n && !seen[order[p]]);
        seen[order[p]] = true;
        if (p == 0) continue;
        const int c = compare_rows(keys, key, order[p - 1], order[p]);

        cr_assert(c < 0 || (c == 0 && order[p - 1] < order[p]), "n %ld position %ld",
                  (long)n, (long)p);
    }
    for (int k = 0; k < keys; k++)
        free(key[k]);
    free(order);
    free(seen);
}

Test(sort, orders_are_stable_permutations_for_any_ranges)
{
    static const struct {
        cairn_pos n;
        int       keys;
        uint64_t  range[4]; /* 0: all 64 bits */
    } cases[] = {
        {0,     2, {5, 5}                                },
        {1,     2, {5, 5}                                },
        {2,     1, {2}                                   },
        {1000,  1, {1}                                   },
        {1000,  1, {0}                                   },
        {5000,  2, {30, 40}                              },
        {5000,  2, {UINT64_C(3000000000), 7}             },
        {5000,  2, {0, 0}                                },
        {5000,  3, {3, 0, 2}                             },
        {5000,  4, {2, 3, 5, 7}                          },
        {20000, 2, {UINT64_C(1) << 40, UINT64_C(1) << 40}},
        {20000, 3, {1, 100000, 1}                        },
        {20000, 2, {100000, 100000}                      },
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check_random(cases[k].n, cases[k].keys, cases[k].range);
}

Test(sort, extreme_keys_do_not_overflow)
{
    const int64_t        key[]  = {INT64_MAX, INT64_MIN, 0, -1, INT64_MIN, 1};
    const int64_t *const keys[] = {key};
    cairn_pos            order[6];

    cr_assert_eq(cairn_sort_order(&env, 6, 1, keys, order), CAIRN_OK);
    cr_assert_arr_eq(order, ((cairn_pos[]){1, 4, 3, 2, 5, 0}), sizeof order);
}

static void add(cairn_entries *entries, cairn_coord i, cairn_coord j, double value)
{
    cr_assert_eq(cairn_entries_add(&env, entries, (cairn_coord[]){i, j}, value),
                 CAIRN_OK);
}

Test(sort, duplicates_are_added_in_the_order_given)
{
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    add(&entries, 1, 1, 1e100);
    add(&entries, 0, 2, 5.0);
    add(&entries, 1, 1, 1.0);
    add(&entries, 1, 1, -1e100);
    add(&entries, 1, 0, 0.0);
    cr_assert_eq(cairn_entries_sort(&env, &entries), CAIRN_OK);

    cr_assert_eq(entries.n, 3);
    cr_expect(entries.coord[0][0] == 0 && entries.coord[1][0] == 2);
    cr_expect(entries.coord[0][1] == 1 && entries.coord[1][1] == 0);
    cr_expect(entries.coord[0][2] == 1 && entries.coord[1][2] == 1);
    cr_expect_eq(entries.value[0], 5.0);
    cr_expect_eq(entries.value[1], 0.0, "explicit zeros stay");
    cr_expect_eq(entries.value[2], 0.0, "(1e100 + 1) - 1e100 in this order");
    cairn_entries_fini(&env, &entries);
}

Test(sort, duplicates_of_sorted_entries_are_added_too)
{
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    for (int p = 0; p < 6; p++)
        add(&entries, p / 4, p / 2, 1.0);
    cr_assert_eq(cairn_entries_sort(&env, &entries), CAIRN_OK);
    cr_assert_eq(entries.n, 3);
    for (int p = 0; p < 3; p++)
        cr_expect_eq(entries.value[p], 2.0);
    cairn_entries_fini(&env, &entries);
}

Test(sort, no_entries_are_sorted)
{
    cairn_entries entries;

    cairn_entries_init(&entries, 3);
    cr_assert_eq(cairn_entries_sort(&env, &entries), CAIRN_OK);
    cr_assert_eq(cairn_entries_permute(&env, &entries, NULL), CAIRN_OK);
    cr_assert_eq(entries.n, 0);
    cairn_entries_fini(&env, &entries);
}

Test(sort, entries_beyond_the_memory_limit_are_refused)
{
    cairn_entries entries;
    cairn_pos     n = 0;

    cairn_entries_init(&entries, 2);
    env.memory_limit = 1000 * cairn_entry_bytes(2);
    cr_assert_eq(cairn_entries_reserve(&env, &entries, 1001), CAIRN_NO_MEMORY);
    cr_assert_eq(cairn_entries_reserve(&env, &entries, INT64_MAX), CAIRN_NO_MEMORY);
    cr_assert_eq(env.live_blocks, 0);
    while (cairn_entries_add(&env, &entries, (cairn_coord[]){n, n}, 1.0) == CAIRN_OK)
        n++;
    cr_assert_eq(n, 1000, "growing uses the whole limit");
    cr_assert_eq(entries.n, 1000);
    cairn_entries_fini(&env, &entries);
}

/// Build and sort three entries with the @p allowed-th allocation failing.
static cairn_status build_and_sort(int64_t allowed)
{
    cairn_entries entries;
    cairn_status  status = CAIRN_OK;

    cairn_entries_init(&entries, 2);
    env.allowed = allowed;
    for (int p = 0; p < 3 && status == CAIRN_OK; p++)
        status = cairn_entries_add(&env, &entries, (cairn_coord[]){3 - p, p}, 1.0);
    if (status == CAIRN_OK) status = cairn_entries_sort(&env, &entries);
    env.allowed = -1;
    cairn_entries_fini(&env, &entries);
    return status;
}

Test(sort, survives_every_failed_allocation)
{
    int64_t allowed = 0;

    while (build_and_sort(allowed) != CAIRN_OK) {
        cr_assert_eq(env.live_blocks, 0, "leak after %ld blocks", (long)allowed);
        cr_assert_lt(allowed++, 1000);
    }
    cr_assert_geq(allowed, 6);
}
