// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lines of items. What is scattered to the lines are handles of 8 bytes: above, the part of
/// an item's word below its line; below, the item's number. Ordered by rank, or by digits
/// where a line is long, they tell where each item goes.

#include "entries/sort_lines.h"

#include "base/offsets.h"
#include "entries/sort_dense.h"
#include "entries/sort_rank.h"

#include <string.h>

enum { DIGIT = 10 }; ///< Bits of a digit, at most.

void cairn_lines_begin(cairn_pos         n,
                       int               split,
                       uint64_t          first,
                       int64_t           lines,
                       const cairn_item *items,
                       uint32_t         *begin)
{
    memset(begin, 0, (size_t)(lines + 1) * sizeof *begin);
    for (cairn_pos k = 0; k < n; k++)
        begin[(items[k].word >> split) - first + 1]++;
    for (int64_t k = 0; k < lines; k++)
        begin[k + 1] += begin[k];
}

static void scatter_to_lines(cairn_pos         n,
                             int               split,
                             uint64_t          first,
                             const cairn_item *items,
                             uint64_t         *handle,
                             uint32_t         *next)
{
    for (cairn_pos k = 0; k < n; k++) {
        const uint64_t word = items[k].word, line = word >> split;

        handle[next[line - first]++] = (word - (line << split)) << 32 | (uint64_t)k;
    }
}

/// Bits of the keys in which any of the handles differ.
static int bits_of_keys(uint32_t n, const uint64_t *handle)
{
    uint64_t differ = 0;

    for (uint32_t k = 1; k < n; k++)
        differ |= handle[k] ^ handle[0];
    return differ >> 32 ? 64 - __builtin_clzll(differ >> 32) : 0;
}

/// Order handles by their keys, stably, digit by digit. @p room: [n].
/// @return The array of the two that holds the result.
static uint64_t *order_by_digits(uint32_t n, uint64_t *handle, uint64_t *room)
{
    const int bits = bits_of_keys(n, handle), passes = (bits + DIGIT - 1) / DIGIT;
    uint32_t  next[1 << DIGIT];
    int       shift = 32;

    for (int pass = 0; pass < passes; pass++) {
        const int width = (bits + 32 - shift + passes - pass - 1) / (passes - pass);
        const uint64_t  mask = ((uint64_t)1 << width) - 1;
        uint64_t *const swap = handle;

        memset(next, 0, sizeof *next << width);
        for (uint32_t k = 0; k < n; k++)
            next[handle[k] >> shift & mask]++;
        cairn_offsets_small((int64_t)mask + 1, 0, next);
        for (uint32_t k = 0; k < n; k++)
            room[next[handle[k] >> shift & mask]++] = handle[k];
        handle = room;
        room   = swap;
        shift += width;
    }
    return handle;
}

/// Place the items of a long line.
/// @return false: a word is there twice.
static bool place_by_digits(uint32_t          n,
                            const cairn_item *items,
                            uint64_t         *handle,
                            uint64_t         *room,
                            cairn_item       *to)
{
    const uint64_t *const sorted = order_by_digits(n, handle, room);
    bool                  once   = true;

    for (uint32_t k = 0; k < n; k++) {
        to[k] = items[(uint32_t)sorted[k]];
        once &= k == 0 || sorted[k - 1] >> 32 != sorted[k] >> 32;
    }
    return once;
}

/// Place the items of a short line.
/// @return false: a word is there twice.
static bool place_by_rank(const cairn_ranker *ranker,
                          int                 n,
                          const cairn_item   *items,
                          const uint64_t     *handle,
                          cairn_item         *to)
{
    uint16_t rank[CAIRN_RANK_MOST + CAIRN_RANK_PAST];
    int      sum = 0;

    ranker->rank(n, handle, rank);
    for (int k = 0; k < n; k++) {
        to[rank[k]] = items[(uint32_t)handle[k]];
        sum += rank[k];
    }
    return sum == n * (n - 1) / 2; /* else two have one rank */
}

/// Order items whose words have more bits below the line than a handle has room for.
static bool sort_wide(cairn_pos         n,
                      int               split,
                      const cairn_item *items,
                      cairn_item       *scratch,
                      cairn_item       *to)
{
    memcpy(to, items, (size_t)n * sizeof *to);
    const cairn_item *const sorted = cairn_sort_items(n, 64, split, 0, to, scratch);

    if (sorted != to) memcpy(to, sorted, (size_t)n * sizeof *to);
    for (cairn_pos k = 1; k < n; k++)
        if (to[k - 1].word == to[k].word) return false;
    return true;
}

/// Handles by line, in the order given. Each begin moves to its line's end while they are
/// scattered, which is the next one's begin.
static void order_handles(cairn_pos         n,
                          int               split,
                          uint64_t          first,
                          int64_t           lines,
                          const cairn_item *items,
                          uint64_t         *handle,
                          uint32_t         *begin)
{
    scatter_to_lines(n, split, first, items, handle, begin);
    memmove(begin + 1, begin, (size_t)lines * sizeof *begin);
    begin[0] = 0;
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
    const cairn_ranker *const ranker = cairn_ranker_choose();
    uint64_t *const handle = (uint64_t *)(void *)scratch, *const room = handle + n;
    bool once = true;

    if (cairn_dense_fits(n, split, lines))
        return cairn_sort_dense(n, split, first, lines, items, scratch, to, begin);
    cairn_lines_begin(n, split, first, lines, items, begin);
    if (split > CAIRN_RANK_BITS) return sort_wide(n, split, items, scratch, to);
    order_handles(n, split, first, lines, items, handle, begin);
    for (int64_t k = 0; k < lines && once; k++) {
        const uint32_t  at = begin[k], count = begin[k + 1] - at;
        uint64_t *const its = handle + at;

        if (count == 1)
            to[at] = items[(uint32_t)its[0]];
        else if (count > (uint32_t)ranker->most)
            once = place_by_digits(count, items, its, room + at, to + at);
        else if (count > 0)
            once = place_by_rank(ranker, (int)count, items, its, to + at);
    }
    return once;
}

/* ---- repeats ---- */

cairn_pos cairn_combine_sorted(cairn_pos         n,
                               const cairn_item *items,
                               const uint64_t   *handle,
                               cairn_item       *to)
{
    cairn_pos at   = -1;
    uint64_t  last = 0;
    double    sum  = 0;

    for (cairn_pos k = 0; k < n; k++) {
        const cairn_item *const item = &items[handle ? (uint32_t)handle[k] : k];
        const bool              same = at >= 0 && item->word == last;
        double                  value, more;

        memcpy(&value, &item->load, sizeof value);
        more = sum + value;
        sum  = same ? more : value;
        at += !same;
        last        = item->word;
        to[at].word = last;
        memcpy(&to[at].load, &sum, sizeof sum);
    }
    return at + 1;
}

/// Add up the repeats of a short line: equal keys have one rank, and meet there in the order
/// given. There is no branch, for which keys are equal is hard to foresee.
///
/// @param place  [n] where items of each rank meet.
/// @param to     [n] at @p place or before.
/// @return Items left.
static cairn_pos combine_by_rank(const cairn_ranker *ranker,
                                 int                 n,
                                 const cairn_item   *items,
                                 const uint64_t     *handle,
                                 cairn_item         *place,
                                 cairn_item         *to)
{
    uint16_t  rank[CAIRN_RANK_MOST + CAIRN_RANK_PAST];
    uint64_t  met[CAIRN_RANK_MOST]; /* all bits, or none */
    cairn_pos left = 0;

    ranker->rank(n, handle, rank);
    memset(met, 0, (size_t)n * sizeof *met);
    for (int k = 0; k < n; k++) {
        const cairn_item *const item = &items[(uint32_t)handle[k]];
        const int               at   = rank[k];
        uint64_t                value, sum_bits;
        double                  one, sum;

        memcpy(&value, &item->load, sizeof value);
        memcpy(&one, &item->load, sizeof one);
        memcpy(&sum, &place[at].load, sizeof sum);
        sum += one;
        memcpy(&sum_bits, &sum, sizeof sum_bits);
        value ^= (value ^ sum_bits) & met[at];
        place[at].word = item->word;
        memcpy(&place[at].load, &value, sizeof value);
        met[at] = UINT64_MAX;
    }
    for (int k = 0; k < n; k++) {
        to[left] = place[k];
        left += (cairn_pos)(met[k] & 1);
    }
    return left;
}

cairn_pos cairn_combine_lines(cairn_pos         n,
                              int               split,
                              uint64_t          first,
                              int64_t           lines,
                              const cairn_item *items,
                              cairn_item       *scratch,
                              cairn_item       *to,
                              uint32_t         *begin)
{
    const cairn_ranker *const ranker = cairn_ranker_choose();
    uint64_t *const handle = (uint64_t *)(void *)scratch, *const room = handle + n;
    cairn_pos left = 0;

    if (split > CAIRN_RANK_BITS) {
        sort_wide(n, split, items, scratch, to);
        return cairn_combine_sorted(n, to, NULL, to);
    }
    cairn_lines_begin(n, split, first, lines, items, begin);
    order_handles(n, split, first, lines, items, handle, begin);
    for (int64_t k = 0; k < lines; k++) {
        const uint32_t  at = begin[k], count = begin[k + 1] - at;
        uint64_t *const its = handle + at;

        if (count == 1)
            to[left++] = items[(uint32_t)its[0]];
        else if (count > (uint32_t)ranker->most)
            left += cairn_combine_sorted(
                count, items, order_by_digits(count, its, room + at), to + left);
        else if (count > 0)
            left += combine_by_rank(ranker, (int)count, items, its, to + at, to + left);
    }
    return left;
}
