// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The memory limit: of all blocks together, with what stands around them and what is
/// kept to be used again, and of memory that is not of the allocator.

#include "base/env.h"
#include "convert/build.h"
#include "format/language.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MB ((int64_t)1 << 20)

enum { LIMIT_MB = 32 };

static cairn_env env;

static void up(void)
{
    cairn_env_init(&env);
    env.memory_limit = LIMIT_MB * MB;
}

static void down(void)
{
    cr_expect_eq(env.live_blocks, 0);
    cr_expect_eq(env.used_bytes, 0);
    cairn_env_fini(&env);
}

TestSuite(memory, .init = up, .fini = down);

/// All that is in memory.
static int64_t there(void)
{
    return env.used_bytes + env.pool.kept;
}

/// Pages of this process that are in memory, in bytes; 0 under a sanitizer, which has
/// memory of its own for each byte of ours.
static int64_t resident(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#endif
    FILE *f     = fopen("/proc/self/statm", "r");
    long  pages = 0;

    cr_assert_eq(fscanf(f, "%*d %ld", &pages), 1);
    fclose(f);
    return pages * (int64_t)sysconf(_SC_PAGESIZE);
}

static void expect_refusal(cairn_status status)
{
    long long needed = 0, limit = 0;

    cr_expect_eq(status, CAIRN_NO_MEMORY);
    const char *const numbers = strstr(env.message, ": needs ");

    cr_assert(numbers, "%s", env.message);
    cr_expect_eq(
        sscanf(numbers, ": needs %lld bytes, but the limit is %lld", &needed, &limit),
        2, "%s", env.message);
    cr_expect_eq(limit, env.memory_limit);
    cr_expect_gt(needed, limit);
}

Test(memory, many_blocks_are_added_up)
{
    static void *block[4096];

    for (int64_t bytes = 8; bytes <= 4 * MB; bytes *= 64) {
        const int64_t before = resident();
        cairn_status  status = CAIRN_OK;
        int64_t       n = 0, most = 64 * MB / (bytes < 16384 ? 16384 : bytes);

        while (n < most && status == CAIRN_OK) {
            status = cairn_alloc(&env, bytes, 1, &block[n]);
            if (status == CAIRN_OK) memset(block[n++], 1, (size_t)bytes);
        }
        if (bytes >= 16384) expect_refusal(status);
        cr_expect_leq(there(), (LIMIT_MB + 8) * MB, "%ld in blocks of %ld",
                      (long)there(), (long)bytes);
        cr_expect_leq(resident() - before, (LIMIT_MB + 10) * MB);
        while (n > 0)
            cairn_free(&env, block[--n]);
    }
}

/// Blocks of a few bytes take much more than these.
Test(memory, what_stands_around_small_blocks_counts)
{
    enum { MANY = 1 << 20 };
    void       **block;
    int64_t      n      = 0;
    cairn_status status = cairn_alloc(&env, MANY, sizeof *block, (void **)&block);

    cr_assert_eq(status, CAIRN_OK);
    const int64_t before = resident();

    while (n < MANY && status == CAIRN_OK) {
        status = cairn_alloc(&env, 4, 1, &block[n]);
        if (status == CAIRN_OK) memset(block[n++], 1, 4);
    }
    expect_refusal(status);
    cr_expect_leq(resident() - before, (LIMIT_MB + 10) * MB);
    while (n > 0)
        cairn_free(&env, block[--n]);
    cairn_free(&env, block);
}

Test(memory, what_is_kept_gives_way)
{
    void         *block;
    const int64_t before = resident();

    for (int64_t mb = 1; mb <= LIMIT_MB; mb++) {
        cr_assert_eq(cairn_alloc(&env, mb * MB, 1, &block), CAIRN_OK, "%ld MB",
                     (long)mb);
        memset(block, 1, (size_t)(mb * MB));
        cr_expect_leq(there(), (LIMIT_MB + 8) * MB);
        cr_expect_leq(resident() - before, (LIMIT_MB + 10) * MB);
        cairn_free(&env, block);
    }
}

Test(memory, other_memory_counts)
{
    void *block;

    cr_expect_eq(cairn_memory_take(&env, "a window", 20 * MB), CAIRN_OK);
    expect_refusal(cairn_check_room(&env, "a list", 24 * MB));
    cr_expect(strstr(env.message, "memory: a list: needs 46137344"), "%s", env.message);
    expect_refusal(cairn_memory_take(&env, "another", 24 * MB));
    expect_refusal(cairn_alloc(&env, 24 * MB, 1, &block));
    cairn_memory_give(&env, 20 * MB);
    cr_expect_eq(cairn_alloc(&env, 24 * MB, 1, &block), CAIRN_OK);
    cairn_free(&env, block);
}

/* ---- queries ---- */

/// Positions that are not stored are listed: some MB of them here.
static const char *const listed[] = {
    "idx_map<(d0,d1)->(indirect(d1),d0,d1)>, mutation<merge(0), trim(0,0)>, indirect<{ "
    "sum(value) groupBy (d0,d1)->(d0); enum(value) groupBy (d0,d1)->(d0) traverseBy "
    "(d0,d1)->(2*d1) with value eq 0 -> sumVal | otherwise -> 0 }>",
    "idx_map<(d0,d1)->(s,d0,d1)>, mutation<merge(0), trim(0,0)>, indirect<{ c = "
    "sum(value) groupBy (d0,d1)->(d0) with value ne 0 -> 1 | otherwise -> 0; s = "
    "enum(value) groupBy (d0,d1)->(d0) traverseBy (d0,d1)->(d1%3,d1) with value eq 0 "
    "-> "
    "c | otherwise -> 0 }>",
    "idx_map<(d0,d1)->(s,d0,d1)>, mutation<merge(0), trim(0,0)>, indirect<{ c = "
    "sum(value) groupBy (d0,d1)->(d0/2) with value ne 0 -> 1 | otherwise -> 0; s = "
    "enum(value) groupBy (d0,d1)->(d0/2) traverseBy (d0,d1)->(2*d1,d0) with value eq 0 "
    "-> c | otherwise -> 0 }>",
};

/// Store a matrix of @p n rows, the first with two entries and every other with one, and
/// say how much was in memory at once.
static cairn_status store(const char *text, int64_t n, int64_t *most)
{
    char          whole[1024];
    cairn_format *format = NULL;
    cairn_local  *made   = NULL;
    cairn_entries entries;
    cairn_build   build = {
          .shape = {2, {n, n}},
            .value_bits = 64
    };

    snprintf(whole, sizeof whole, "#encoding<{ %s }>", text);
    cr_assert_eq(cairn_format_parse(&env, NULL, whole, "test", &format), CAIRN_OK, "%s",
                 env.message);
    cairn_entries_init(&entries, 2);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < (i == 0 ? 2 : 1); k++)
            cr_assert_eq(cairn_entries_add(&env, &entries,
                                           (cairn_coord[]){i, (i * 7 + k) % n}, 1),
                         CAIRN_OK);
    build.format  = format;
    build.entries = &entries;
    for (int k = 0; k < 2; k++)
        build.box[k] = (cairn_interval){0, n - 1};
    const int64_t before = resident();
    cairn_status  status = cairn_local_build(&env, &build, &made);

    *most = resident() - before; /* what malloc has from the system stays with it */
    cairn_local_destroy(&made);
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&format);
    return status;
}

Test(memory, what_queries_list_counts, .timeout = 120)
{
    for (size_t k = 0; k < sizeof listed / sizeof *listed; k++) {
        int64_t most;

        cr_expect_eq(store(listed[k], 100, &most), CAIRN_OK, "%s", env.message);
        const cairn_status status = store(listed[k], 4000, &most);

        cr_expect_eq(status, CAIRN_NO_MEMORY, "%zu: %ld MB", k, (long)(most / MB));
        if (status != CAIRN_OK) expect_refusal(status);
        cr_expect_leq(most, (LIMIT_MB + 10) * MB, "%zu: %ld MB", k, (long)(most / MB));
        cr_expect_leq(env.peak_bytes, (LIMIT_MB + 8) * MB);
        cr_expect_eq(env.used_bytes, 0);
    }
}
