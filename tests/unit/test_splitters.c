// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows put in order over ranks, as threads: the places that one rank gives them, whatever
/// the keys are and wherever rows are cut, and no rank has many more than its share to sort.

#include "../support/query_net.h"
#include "../support/random_format.h"
#include "../support/seed.h"
#include "phases/count_exchange.h"

#include <criterion/criterion.h>

enum { ROWS = 100000, KEYS = 2 };

typedef struct {
    int          size;
    int64_t      cut[NET_RANKS + 1]; ///< Rank r has rows cut[r] .. cut[r+1]-1.
    int64_t      key[KEYS][ROWS];
    uint32_t     place[ROWS];
    net_rank     rank[NET_RANKS];
    int64_t      peak[NET_RANKS];
    cairn_status status[NET_RANKS];
    int          failing, allowed; ///< Rank that fails its allocation number `allowed`.
} job;

static job j;

static void work(void *user, int rank)
{
    const int64_t  first = j.cut[rank], n = j.cut[rank + 1] - first;
    const int64_t *key[KEYS];

    (void)user;
    for (int k = 0; k < KEYS; k++)
        key[k] = j.key[k] + first;
    if (rank == j.failing) j.rank[rank].env.allowed = j.allowed;
    j.status[rank] = cairn_exchange_places(&j.rank[rank].env, &j.rank[rank].net,
                                           CAIRN_OK, n, KEYS, key, j.place + first);
    j.rank[rank].env.allowed = -1;
    j.peak[rank]             = j.rank[rank].env.peak_bytes;
}

static void release(void)
{
    for (int r = 0; r < j.size; r++) {
        cr_assert_eq(j.rank[r].env.live_blocks, 0, "rank %d leaks", r);
        cairn_env_fini(&j.rank[r].env);
    }
}

/// What the rows' keys are like.
enum { ALL_EQUAL, ONE_HEAVY, SORTED, REVERSED, FEW, RANDOM, KINDS };

static int64_t draw_key(uint64_t *state, int kind, int64_t row)
{
    switch (kind) {
    case ALL_EQUAL: return -7;
    case ONE_HEAVY: return random_chance(state, 90) ? 5 : random_below(state, 1000);
    case SORTED: return row - 9;
    case REVERSED: return -row;
    case FEW: return random_below(state, 3);
    default: return (int64_t)(random_next(state) >> 1) - INT64_MAX / 2;
    }
}

static void draw_keys(uint64_t *state, int kind)
{
    for (int64_t i = 0; i < ROWS; i++) {
        j.key[0][i] = draw_key(state, kind, i);
        j.key[1][i] = kind == RANDOM ? 0 : draw_key(state, FEW, i);
        if (kind == ALL_EQUAL) j.key[1][i] = 3;
    }
}

static int by_keys(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    for (int k = 0; k < KEYS; k++)
        if (j.key[k][x] != j.key[k][y]) return j.key[k][x] < j.key[k][y] ? -1 : 1;
    return x < y ? -1 : 1;
}

static void check_places(int kind)
{
    static int64_t order[ROWS];

    for (int64_t i = 0; i < ROWS; i++)
        order[i] = i;
    qsort(order, ROWS, sizeof *order, by_keys);
    for (int64_t k = 0; k < ROWS; k++)
        cr_assert_eq(j.place[order[k]], k, "kind %d, %d ranks: row %ld", kind, j.size,
                     (long)order[k]);
}

/// Bytes of a row that a rank has, and of one that it puts in order.
enum {
    OWN   = 4 + 8 * KEYS + 8 + 8,
    SORTS = 16 * KEYS + 4 + 8 + 8 + 2 * 16,
    ASIDE = 1 << 18
};

static void check_memory(int kind)
{
    for (int r = 0; r < j.size; r++) {
        const int64_t own = j.cut[r + 1] - j.cut[r], share = ROWS / j.size;

        cr_expect_leq(j.peak[r], own * OWN + (share + share / 8) * SORTS + ASIDE,
                      "kind %d, rank %d of %d", kind, r, j.size);
    }
}

static void cut_rows(uint64_t *state, bool evenly)
{
    j.cut[0] = 0;
    for (int r = 1; r < j.size; r++) {
        j.cut[r] =
            evenly ? (int64_t)ROWS * r / j.size
                   : j.cut[r - 1] + random_below(state, (int)(ROWS - j.cut[r - 1]) + 1);
        if (!evenly && random_chance(state, 20)) j.cut[r] = j.cut[r - 1];
    }
    j.cut[j.size] = ROWS;
}

Test(splitters, places_are_those_of_one_rank_whatever_the_keys)
{
    uint64_t state = seed_clock() * 31337;

    printf("seed %llu\n", (unsigned long long)state);
    j.failing = -1;
    for (int kind = 0; kind < KINDS; kind++)
        for (j.size = 1; j.size <= NET_RANKS; j.size++)
            for (int evenly = 0; evenly < 2; evenly++) {
                draw_keys(&state, kind);
                cut_rows(&state, evenly);
                net_run(j.rank, j.size, work, NULL);
                for (int r = 0; r < j.size; r++)
                    cr_assert_eq(j.status[r], CAIRN_OK, "%s", j.rank[r].env.message);
                check_places(kind);
                check_memory(kind);
                release();
            }
}

/// All ranks learn of what one has no memory for.
Test(splitters, a_rank_without_memory_fails_all)
{
    uint64_t state = 3;
    bool     done  = false;

    j.size = 3;
    draw_keys(&state, FEW);
    cut_rows(&state, true);
    for (j.failing = 0; j.failing < j.size; j.failing++)
        for (j.allowed = 0, done = false; !done; j.allowed++) {
            net_run(j.rank, j.size, work, NULL);
            done = j.status[0] == CAIRN_OK;
            for (int r = 0; r < j.size; r++)
                cr_assert_eq(j.status[r], j.status[0], "rank %d", r);
            release();
            cr_assert_lt(j.allowed, 1000);
        }
    check_places(FEW);
}
