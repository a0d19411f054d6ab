// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lines of items, ordered by rank: where an item goes is how many of its line are less.
/// That compares each with each, but many at a time and without a branch, so that short
/// lines, as most matrices have, take a fraction of what sorting by digits does.

#include "tensor/sort_lines.h"

#include <string.h>

enum {
    LANES = 8,  ///< Compared at a time,
    SHORT = 48, ///< in lines of up to so many items,
    BITS  = 31, ///< whose words differ in no more than these.
};

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

/// Place the items of a short line; @p blocks is a constant where it is inlined.
/// @return false: a word is there twice.
static inline __attribute__((always_inline)) bool
place_blocks(int n, int blocks, const cairn_item *items, cairn_item *to)
{
    int32_t key[SHORT], rank[SHORT];
    int     sum = 0;

    for (int k = 0; k < blocks * LANES; k++) {
        key[k] =
            k < n ? (int32_t)(items[k].word & (((uint64_t)1 << BITS) - 1)) : INT32_MAX;
        rank[k] = 0;
    }
    for (int k = 0; k < n; k++) {
        const int32_t one = key[k];

        for (int q = 0; q < blocks * LANES; q++)
            rank[q] += key[q] > one;
    }
    for (int k = 0; k < n; k++) {
        to[rank[k]] = items[k];
        sum += rank[k];
    }
    return sum == n * (n - 1) / 2; /* else two have one rank */
}

static bool place_short(int n, const cairn_item *items, cairn_item *to)
{
    if (n <= LANES) return place_blocks(n, 1, items, to);
    if (n <= 2 * LANES) return place_blocks(n, 2, items, to);
    if (n <= 4 * LANES) return place_blocks(n, 4, items, to);
    return place_blocks(n, SHORT / LANES, items, to);
}

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
    bool once = true;

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
        else if (count <= SHORT && split <= BITS)
            once = place_short((int)count, its, to + at);
        else if (count > 0)
            once = place_long(count, split, its, scratch + n, to + at);
    }
    return once;
}
