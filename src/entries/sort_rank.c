// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks by vectors of 4 or 8 keys, and the choice of who ranks.

#include "entries/sort_rank.h"

#include <stddef.h>
#include <string.h>

typedef int32_t lanes_4 __attribute__((vector_size(16)));
typedef int32_t lanes_8 __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))

/* How many keys are less than each of those that begin at `at`: 4 or 8 at a time. */
#define RANK(name, lanes)                                              \
    INLINE void name(int n, const int32_t *key, int at, int32_t *rank) \
    {                                                                  \
        lanes its, less = {0};                                         \
                                                                       \
        memcpy(&its, key + at, sizeof its);                            \
        for (int k = 0; k < n; k++)                                    \
            less -= its > key[k]; /* -1 where it holds */              \
        memcpy(rank, &less, sizeof less);                              \
    }

RANK(rank_4, lanes_4)
RANK(rank_8, lanes_8)

/// @p width is a constant.
INLINE void rank_by(int n, int width, const uint64_t *handle, uint16_t *rank)
{
    int32_t key[CAIRN_RANK_MOST], some[8];

    for (int k = 0; k < n; k++)
        key[k] = (int32_t)(handle[k] >> 32);
    for (int k = n; k % width != 0; k++)
        key[k] = 0;
    for (int k = 0; k < n; k += width) {
        if (width == 4) rank_4(n, key, k, some);
        if (width == 8) rank_8(n, key, k, some);
        for (int q = 0; q < width; q++)
            rank[k + q] = (uint16_t)some[q];
    }
}

static void by_four(int n, const uint64_t *handle, uint16_t *rank)
{
    rank_by(n, 4, handle, rank);
}

static bool always(void)
{
    return true;
}

static const cairn_ranker of_four = {CAIRN_RANK_MOST / 4, by_four, always};

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void
by_eight(int n, const uint64_t *handle, uint16_t *rank)
{
    rank_by(n, 8, handle, rank);
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static const cairn_ranker of_eight = {CAIRN_RANK_MOST / 2, by_eight, has_avx2};
#else
#    define of_eight of_four
#endif

const cairn_ranker *cairn_ranker_at(int k)
{
    static const cairn_ranker *const list[] = {&cairn_ranker_avx512, &of_eight,
                                               &of_four};

    return k < (int)(sizeof list / sizeof *list) ? list[k] : NULL;
}

const cairn_ranker *cairn_ranker_choose(void)
{
    int k = 0;

    while (!cairn_ranker_at(k)->usable())
        k++;
    return cairn_ranker_at(k);
}
