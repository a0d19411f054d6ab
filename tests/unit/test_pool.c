// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Big blocks: fresh ones are zero, old ones come back, not too many are kept.

#include "base/env.h"

#include <criterion/criterion.h>

#include <string.h>

#define MB ((int64_t)1 << 20)

static cairn_env env;

static void up(void)
{
    cairn_env_init(&env);
}

static void down(void)
{
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

TestSuite(pool, .init = up, .fini = down);

static bool is_zero(const char *block, int64_t bytes)
{
    for (int64_t k = 0; k < bytes; k++)
        if (block[k]) return false;
    return true;
}

Test(pool, a_zeroed_block_is_zero_also_when_used_again)
{
    for (int turn = 0; turn < 3; turn++) {
        void *block;

        cr_assert_eq(cairn_alloc_zero(&env, 5 * MB, 1, &block), CAIRN_OK);
        cr_expect(is_zero(block, 5 * MB), "turn %d", turn);
        cr_expect_eq((uintptr_t)block % 64, 0);
        memset(block, 0xa5, 5 * MB);
        cairn_free(&env, block);
    }
}

Test(pool, growing_keeps_the_content)
{
    void *block = NULL;

    cr_assert_eq(cairn_realloc(&env, MB, 1, &block), CAIRN_OK);
    memset(block, 7, MB);
    for (int64_t mb = 2; mb <= 32; mb *= 2) {
        cr_assert_eq(cairn_realloc(&env, mb * MB, 1, &block), CAIRN_OK);
        cr_expect_eq(((char *)block)[0], 7);
        cr_expect_eq(((char *)block)[mb / 2 * MB - 1], 7);
        memset(block, 7, (size_t)(mb * MB));
    }
    cairn_free(&env, block);
}

#ifndef __SANITIZE_ADDRESS__

Test(pool, a_block_of_about_the_same_size_comes_back)
{
    void *first, *second;

    cr_assert_eq(cairn_alloc(&env, 40 * MB, 1, &first), CAIRN_OK);
    cairn_free(&env, first);
    cr_assert_eq(cairn_alloc(&env, 36 * MB, 1, &second), CAIRN_OK);
    cr_expect_eq(first, second);
    cairn_free(&env, second);
    cr_assert_eq(cairn_alloc(&env, 8 * MB, 1, &second), CAIRN_OK);
    cr_expect_neq(first, second, "40 MB given for 8");
    cairn_free(&env, second);
}

Test(pool, keeps_at_most_a_quarter_of_the_limit)
{
    void *block[6];

    env.memory_limit = 400 * MB;
    for (int k = 0; k < 6; k++)
        cr_assert_eq(cairn_alloc(&env, 30 * MB, 1, &block[k]), CAIRN_OK);
    for (int k = 0; k < 6; k++)
        cairn_free(&env, block[k]);
    cr_expect_leq(env.pool.mapped.bytes, 100 * MB);
    cr_expect_gt(env.pool.mapped.bytes, 0);
    cr_assert_eq(cairn_alloc(&env, 101 * MB, 1, &block[0]), CAIRN_OK);
    cairn_free(&env, block[0]);
    cr_expect_leq(env.pool.mapped.bytes, 100 * MB);
}

/// What is kept is given back to who has no room else.
Test(pool, keeps_all_of_little)
{
    void *block, *other;

    env.memory_limit = 48 * MB;
    cr_assert_eq(cairn_alloc(&env, 40 * MB, 1, &block), CAIRN_OK);
    cairn_free(&env, block);
    cr_expect_geq(env.pool.mapped.bytes, 40 * MB);
    cr_assert_eq(cairn_alloc(&env, 20 * MB, 1, &other), CAIRN_OK);
    cr_expect_eq(env.pool.mapped.bytes, 0);
    cairn_free(&env, other);
}

Test(pool, never_keeps_more_blocks_than_it_has_places_for)
{
    void *block[CAIRN_POOL_BLOCKS + 4];

    for (int k = 0; k < CAIRN_POOL_BLOCKS + 4; k++)
        cr_assert_eq(cairn_alloc(&env, 2 * MB, 1, &block[k]), CAIRN_OK);
    for (int k = 0; k < CAIRN_POOL_BLOCKS + 4; k++)
        cairn_free(&env, block[k]);
    cr_expect_eq(env.pool.mapped.kept, CAIRN_POOL_BLOCKS);
}

Test(pool, small_blocks_come_back_too)
{
    void *first, *second;

    cr_assert_eq(cairn_alloc(&env, 100000, 1, &first), CAIRN_OK);
    memset(first, 0xa5, 100000);
    cairn_free(&env, first);
    cr_expect_eq(env.pool.small.kept, 1);
    cr_expect_eq(env.pool.mapped.kept, 0);
    cr_assert_eq(cairn_alloc_zero(&env, 90000, 1, &second), CAIRN_OK);
    cr_expect_eq(first, second);
    cr_expect_not(cairn_alloc_is_zero(second));
    cr_expect(is_zero(second, 90000));
    cairn_free(&env, second);
    cr_assert_eq(cairn_alloc(&env, 20000, 1, &second), CAIRN_OK);
    cr_expect_neq(first, second, "100000 bytes given for 20000");
    cairn_free(&env, second);
    cr_assert_eq(cairn_alloc(&env, 1000, 1, &second), CAIRN_OK);
    cairn_free(&env, second);
    cr_expect_eq(env.pool.small.kept, 2, "tiny ones are malloc's");
}

Test(pool, keeps_little_of_what_is_small)
{
    void *block[CAIRN_POOL_BLOCKS];

    for (int k = 0; k < CAIRN_POOL_BLOCKS; k++) /* 48 MB */
        cr_assert_eq(cairn_alloc(&env, 3 * MB / 2, 1, &block[k]), CAIRN_OK);
    for (int k = 0; k < CAIRN_POOL_BLOCKS; k++)
        cairn_free(&env, block[k]);
    cr_expect_leq(env.pool.small.bytes, 32 * MB);
    cr_expect_gt(env.pool.small.kept, 10);
    cr_expect_eq(env.pool.mapped.kept, 0);
}

Test(pool, sizes_around_the_smallest_mapped_one)
{
    for (int64_t bytes = 2 * MB - 200; bytes <= 2 * MB + 200; bytes++) {
        void *block;

        cr_assert_eq(cairn_alloc(&env, bytes, 1, &block), CAIRN_OK);
        memset(block, 1, (size_t)bytes);
        cairn_free(&env, block);
    }
    cr_expect_leq(env.pool.small.kept + env.pool.mapped.kept, 3);
}

#endif

Test(pool, what_cannot_be_had_is_refused)
{
    void *block = &env;

    cr_expect_eq(cairn_alloc(&env, INT64_MAX / 2, 1, &block), CAIRN_NO_MEMORY);
    cr_expect_eq(cairn_alloc(&env, INT64_MAX, 8, &block), CAIRN_NO_MEMORY);
    cr_expect_eq(block, &env);
}
