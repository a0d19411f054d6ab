// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lines of items, ordered by rank: where an item goes is how many of its line are less.
/// That compares each with each, but many at a time and without a branch, so that short
/// lines, as most matrices have, take a fraction of what sorting by digits does.

#include "tensor/sort_lines.h"

#include <string.h>

enum {
    SHORT = 128, ///< Items of a line that is ordered by rank, at most,
    BITS  = 31,  ///< if their words differ in no more than these.
};

typedef int32_t lanes_4 __attribute__((vector_size(16)));
typedef int32_t lanes_8 __attribute__((vector_size(32)));
typedef int32_t lanes_16 __attribute__((vector_size(64)));

#define INLINE static inline __attribute__((always_inline))

/// Where lines begin, from how many items each has; begin[k + 1] is line k's.
static void count_lines(cairn_pos         n,
                        int               split,
                        uint64_t          first,
                        const cairn_item *items,
                        uint32_t         *begin)
{
    for (cairn_pos k = 0; k < n; k++)
        begin[(items[k].word >> split) - first + 1]++;
}

static void deal_to_lines(cairn_pos         n,
                          int               split,
                          uint64_t          first,
                          const cairn_item *items,
                          cairn_item       *to,
                          uint32_t         *next)
{
    for (cairn_pos k = 0; k < n; k++)
        to[next[(items[k].word >> split) - first]++] = items[k];
}

/* How many keys are less than each of those that begin at `at`: 4, 8 or 16 at a time. */
#define RANK(name, lanes)                                              \
    INLINE void name(int n, const int32_t *key, int at, int32_t *rank) \
    {                                                                  \
        lanes its, less = {0};                                         \
                                                                       \
        memcpy(&its, key + at, sizeof its);                            \
        for (int k = 0; k < n; k++)                                    \
            less -= its > key[k]; /* -1 where it holds */              \
        memcpy(rank + at, &less, sizeof less);                         \
    }

RANK(rank_4, lanes_4)
RANK(rank_8, lanes_8)
RANK(rank_16, lanes_16)

/// Place the items of a short line; @p width is a constant.
/// @return false: a word is there twice.
INLINE bool place_by_rank(int n, int width, const cairn_item *items, cairn_item *to)
{
    int32_t key[SHORT], rank[SHORT];
    int     sum = 0;

    for (int k = 0; k < n; k++)
        key[k] = (int32_t)(items[k].word & (((uint64_t)1 << BITS) - 1));
    for (int k = n; k % width != 0; k++)
        key[k] = 0;
    for (int k = 0; k < n; k += width) {
        if (width == 4) rank_4(n, key, k, rank);
        if (width == 8) rank_8(n, key, k, rank);
        if (width == 16) rank_16(n, key, k, rank);
    }
    for (int k = 0; k < n; k++) {
        to[rank[k]] = items[k];
        sum += rank[k];
    }
    return sum == n * (n - 1) / 2; /* else two have one rank */
}

/// What orders lines of up to @c most items by rank. Wider machines compare more at once.
typedef struct {
    bool (*place)(int n, const cairn_item *items, cairn_item *to);
    uint32_t most;
} placer;

static bool place_4(int n, const cairn_item *items, cairn_item *to)
{
    return place_by_rank(n, 4, items, to);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool
place_8(int n, const cairn_item *items, cairn_item *to)
{
    return place_by_rank(n, 8, items, to);
}

__attribute__((target("avx512f,avx2"))) static bool
place_16(int n, const cairn_item *items, cairn_item *to)
{
    return n <= 8 ? place_by_rank(n, 8, items, to) : place_by_rank(n, 16, items, to);
}

static placer choose_placer(void)
{
    if (__builtin_cpu_supports("avx512f")) return (placer){place_16, SHORT};
    if (__builtin_cpu_supports("avx2")) return (placer){place_8, SHORT / 2};
    return (placer){place_4, SHORT / 4};
}
#else
static placer choose_placer(void)
{
    return (placer){place_4, SHORT / 4};
}
#endif

/// Any line. @p scratch: [n].
static bool place_long(cairn_pos   n,
                       int         split,
                       cairn_item *items,
                       cairn_item *scratch,
                       cairn_item *to)
{
    uint64_t *const   room = (uint64_t *)(void *)scratch;
    const cairn_item *sorted;
    const uint64_t   *order =
        n <= CAIRN_HANDLES ? cairn_sort_handles(n, split, items, room) : NULL;

    if (order)
        for (cairn_pos k = 0; k < n; k++)
            to[k] = *cairn_handled_item(items, order, k);
    else if ((sorted = cairn_sort_items(n, split, split, items, scratch)))
        memcpy(to, sorted, (size_t)n * sizeof *to);
    for (cairn_pos k = 1; k < n; k++)
        if (to[k - 1].word == to[k].word) return false;
    return true;
}

bool cairn_sort_lines(cairn_pos         n,
                      int               split,
                      uint64_t          first,
                      int64_t           lines,
                      const cairn_item *items,
                      cairn_item       *scratch,
                      cairn_item       *to,
                      uint32_t         *begin)
{
    const placer by_rank = choose_placer();
    bool         once    = true;

    memset(begin, 0, (size_t)(lines + 1) * sizeof *begin);
    count_lines(n, split, first, items, begin);
    for (int64_t k = 0; k < lines; k++)
        begin[k + 1] += begin[k];
    /* Each begin moves to its line's end, which is the next one's begin. */
    deal_to_lines(n, split, first, items, scratch, begin);
    memmove(begin + 1, begin, (size_t)lines * sizeof *begin);
    begin[0] = 0;
    for (int64_t k = 0; k < lines && once; k++) {
        const uint32_t    at = begin[k], count = begin[k + 1] - at;
        cairn_item *const its = scratch + at;

        if (count == 1)
            to[at] = its[0];
        else if (count <= by_rank.most && split <= BITS)
            once = by_rank.place((int)count, its, to + at);
        else if (count > 0)
            once = place_long(count, split, its, scratch + n, to + at);
    }
    return once;
}
