// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Statistics of small matrices by hand, and of parts put together.

#include "tensor/statistics.h"

#include <criterion/criterion.h>

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

TestSuite(statistics, .init = up, .fini = down);

static cairn_entries matrix(const cairn_coord (*at)[2], cairn_pos n)
{
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    for (cairn_pos p = 0; p < n; p++)
        cr_assert_eq(cairn_entries_add(&env, &entries, at[p], 1), CAIRN_OK);
    return entries;
}

static cairn_statistics count(const cairn_entries *entries)
{
    cairn_statistics statistics;

    cr_assert_eq(cairn_statistics_count(&env, entries, &statistics), CAIRN_OK, "%s",
                 env.message);
    return statistics;
}

Test(statistics, of_a_small_matrix)
{
    /* . x . .
       x . . x
       . . . .
       x . . . */
    static const cairn_coord at[][2] = {
        {0, 1},
        {1, 0},
        {1, 3},
        {3, 0}
    };
    cairn_entries    entries = matrix(at, 4);
    cairn_statistics found   = count(&entries);

    cr_expect_eq(found.nnz, 4);
    cr_expect_eq(found.max_row, 2);
    cr_expect_eq(found.filled_rows, 3);
    cr_expect_eq(found.bandwidth_lower, 3);
    cr_expect_eq(found.bandwidth_upper, 2);
    cr_assert_eq(found.diagonals, 4);
    cr_expect_eq(found.diagonal[0], -3);
    cr_expect_eq(found.diagonal[1], -1);
    cr_expect_eq(found.diagonal[2], 1);
    cr_expect_eq(found.diagonal[3], 2);
    cairn_statistics_fini(&env, &found);
    cairn_entries_fini(&env, &entries);
}

Test(statistics, of_nothing)
{
    cairn_entries    entries = matrix(NULL, 0);
    cairn_statistics found   = count(&entries);

    cr_expect_eq(found.nnz, 0);
    cr_expect_eq(found.max_row, 0);
    cr_expect_eq(found.filled_rows, 0);
    cr_expect_eq(found.diagonals, 0);
    cr_expect_eq(found.bandwidth_lower, 0);
    cr_expect_eq(found.bandwidth_upper, 0);
    cairn_statistics_fini(&env, &found);
    cairn_entries_fini(&env, &entries);
}

Test(statistics, a_bandwidth_is_never_negative)
{
    static const cairn_coord at[][2] = {
        {0, 2},
        {1, 4}
    };
    cairn_entries    entries = matrix(at, 2);
    cairn_statistics found   = count(&entries);

    cr_expect_eq(found.bandwidth_lower, 0);
    cr_expect_eq(found.bandwidth_upper, 3);
    cairn_statistics_fini(&env, &found);
    cairn_entries_fini(&env, &entries);
}

Test(statistics, extents_of_billions_cost_nothing)
{
    static const cairn_coord at[][2] = {
        {0,          2999999999},
        {2999999999, 0         },
        {2999999999, 1         }
    };
    cairn_entries    entries = matrix(at, 3);
    const int64_t    before  = env.live_bytes;
    cairn_statistics found   = count(&entries);

    cr_expect_eq(found.diagonals, 3);
    cr_expect_eq(found.bandwidth_lower, 2999999999);
    cr_expect_eq(found.bandwidth_upper, 2999999999);
    cr_expect_lt(env.peak_bytes, before + 2000);
    cairn_statistics_fini(&env, &found);
    cairn_entries_fini(&env, &entries);
}

Test(statistics, many_diagonals_are_all_found)
{
    enum { N = 5000 };
    cairn_entries entries = matrix(NULL, 0);

    for (cairn_coord i = 0; i < N; i++) {
        const cairn_coord first[2] = {i, 0}, mirror[2] = {i, 3 * i};

        cr_assert_eq(cairn_entries_add(&env, &entries, first, 1), CAIRN_OK);
        if (i > 0) cr_assert_eq(cairn_entries_add(&env, &entries, mirror, 1), CAIRN_OK);
    }
    cairn_statistics found = count(&entries);

    /* -i for the first column; 2*i for the others. */
    cr_assert_eq(found.diagonals, 2 * N - 1);
    for (int k = 1; k < 2 * N - 1; k++)
        cr_expect_lt(found.diagonal[k - 1], found.diagonal[k]);
    cr_expect_eq(found.max_row, 2);
    cr_expect_eq(found.filled_rows, N);
    cairn_statistics_fini(&env, &found);
    cairn_entries_fini(&env, &entries);
}

Test(statistics, of_order_three_have_no_diagonals)
{
    static const cairn_coord at[][3] = {
        {1, 0, 0},
        {1, 2, 1},
        {4, 0, 0}
    };
    cairn_entries entries;

    cairn_entries_init(&entries, 3);
    for (int p = 0; p < 3; p++)
        cr_assert_eq(cairn_entries_add(&env, &entries, at[p], 1), CAIRN_OK);
    cairn_statistics found = count(&entries);

    cr_expect_eq(found.nnz, 3);
    cr_expect_eq(found.max_row, 2);
    cr_expect_eq(found.filled_rows, 2);
    cr_expect_null(found.diagonal);
    cairn_statistics_fini(&env, &found);
    cairn_entries_fini(&env, &entries);
}

Test(statistics, joined_parts_have_the_union_of_the_diagonals)
{
    int64_t joined[] = {-3, 0, 2, -1, 0, 2, 7, -3};

    cr_assert_eq(cairn_distinct(joined, 8), 5);

    cr_expect_eq(joined[0], -3);
    cr_expect_eq(joined[1], -1);
    cr_expect_eq(joined[2], 0);
    cr_expect_eq(joined[3], 2);
    cr_expect_eq(joined[4], 7);
    cr_expect_eq(cairn_distinct(NULL, 0), 0);
}

Test(statistics, every_failed_allocation_is_reported_and_leaves_nothing)
{
    cairn_entries entries = matrix(NULL, 0);

    for (cairn_coord i = 0; i < 200; i++) {
        const cairn_coord at[2] = {i, 0};

        cr_assert_eq(cairn_entries_add(&env, &entries, at, 1), CAIRN_OK);
    }
    const int64_t before = env.live_blocks;

    for (int n = 0;; n++) {
        cairn_statistics found = {.nnz = 77};

        env.allowed               = n;
        const cairn_status status = cairn_statistics_count(&env, &entries, &found);

        env.allowed = -1;
        if (status == CAIRN_OK) {
            cairn_statistics_fini(&env, &found);
            cr_expect_gt(n, 2);
            break;
        }
        cr_assert_eq(found.nnz, 77);
        cr_assert_eq(env.live_blocks, before);
        cr_assert_lt(n, 100);
    }
    cairn_entries_fini(&env, &entries);
}
