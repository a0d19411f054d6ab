// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sorting words of fields that come from entries in some order of their own: of rows,
/// say. Fields in front that ascend cut the words into runs, each of which is sorted by
/// itself, short ones by the ranks of their words; fields at the end that ascend are in
/// order wherever those before them are equal, since sorting is stable.

#include "base/wide.h"
#include "entries/sort_items.h"
#include "entries/sort_rank.h"

#include <string.h>

enum {
    LOOK        = 256,   ///< Items that are compared without a branch.
    PIECE       = 25000, ///< Items whose runs are worth another thread.
    MOST_PIECES = 64,
};

typedef struct {
    cairn_pos           n;
    int                 pieces;
    int                 runs; ///< Words of a run share all but this many bits.
    int                 split, low;
    cairn_item         *items, *scratch;
    cairn_pos           end[MOST_PIECES]; ///< Of each piece, where a run ends.
    const cairn_ranker *ranker;
} run_sort;

/// The begin of a field above @p below; INT64_MAX: there is none.
static int64_t next_begin(int fields, const int64_t *begin, int64_t below)
{
    int64_t next = INT64_MAX;

    for (int f = 0; f < fields; f++)
        if (begin[f] > below && begin[f] < next) next = begin[f];
    return next;
}

/// The begin of a field below @p above; 0: there is none above 0.
static int64_t begin_below(int fields, const int64_t *begin, int64_t above)
{
    int64_t next = 0;

    for (int f = 0; f < fields; f++)
        if (begin[f] < above && begin[f] > next) next = begin[f];
    return next;
}

/// The fewest bits above which all words ascend, @p bits if none do: where finer fields
/// ascend coarser ones do.
static int find_runs(cairn_pos         n,
                     int               bits,
                     int               fields,
                     const int64_t    *begin,
                     const cairn_item *items)
{
    int64_t at = next_begin(fields, begin, 0);

    for (cairn_pos k = 1; k < n && at < bits; k++)
        while (at < bits && items[k - 1].word >> at > items[k].word >> at)
            at = next_begin(fields, begin, at);
    return at < bits ? (int)at : bits;
}

/// Do the last @p at bits, at most 63, ascend?
CAIRN_WIDE static bool ascend_below(cairn_pos n, int64_t at, const cairn_item *items)
{
    const uint64_t mask = ((uint64_t)1 << at) - 1;

    for (cairn_pos k = 1; k < n;) {
        const cairn_pos end  = k + LOOK < n ? k + LOOK : n;
        uint64_t        fell = 0;

        for (; k < end; k++)
            fell |= (items[k].word & mask) - (items[k - 1].word & mask);
        if (fell >> 63) return false; /* all are below 2^63 */
    }
    return true;
}

/// The most bits, below @p runs, by which all words ascend, at least @p low, which need not
/// be looked at: the field that begins highest is asked first, since words that do not
/// ascend mostly show it soon.
static int find_low(cairn_pos         n,
                    int               low,
                    int               runs,
                    int               fields,
                    const int64_t    *begin,
                    const cairn_item *items)
{
    int64_t at = runs;

    while ((at = begin_below(fields, begin, at)) > low)
        if (ascend_below(n, at, items)) break;
    return at > low ? (int)at : low;
}

static bool is_one_run(const run_sort *s, cairn_pos k)
{
    return s->items[k - 1].word >> s->runs == s->items[k].word >> s->runs;
}

static void find_ends(run_sort *s)
{
    for (int piece = 0; piece < s->pieces; piece++) {
        cairn_pos at = (cairn_pos)((__int128)s->n * (piece + 1) / s->pieces);

        while (at > 0 && at < s->n && is_one_run(s, at))
            at++;
        s->end[piece] = at;
    }
}

/// Do the words of a short run ascend? They are compared without a branch.
static bool run_ascends(const run_sort *s, cairn_pos n, const cairn_item *items)
{
    bool ascends = true;

    for (cairn_pos k = 1; k < n; k++)
        ascends &= items[k - 1].word >> s->low <= items[k].word >> s->low;
    return ascends;
}

/// Bits that tell @p n items apart.
static int bits_of_items(cairn_pos n)
{
    return n > 1 ? 64 - __builtin_clzll((uint64_t)n - 1) : 0;
}

/// Put the items of a short run in order by how many of its words are less than each. Items
/// of equal words are told apart by where they stand, if there is room for that below.
/// @return false: two have one rank.
static bool
place_by_rank(const run_sort *s, int n, const cairn_item *items, cairn_item *to)
{
    const int      width = s->runs - s->low, bits = bits_of_items(n);
    const uint64_t mask = ((uint64_t)1 << width) - 1;
    const int      room = width + bits <= CAIRN_RANK_BITS ? bits : 0;
    uint64_t       handle[CAIRN_RANK_MOST + CAIRN_RANK_PAST];
    uint16_t       rank[CAIRN_RANK_MOST + CAIRN_RANK_PAST];
    int            sum = 0;

    for (int k = 0; k < n; k++)
        handle[k] =
            ((items[k].word >> s->low & mask) << room | (room ? (uint64_t)k : 0)) << 32;
    s->ranker->rank(n, handle, rank);
    for (int k = 0; k < n; k++) {
        to[rank[k]] = items[k];
        sum += rank[k];
    }
    return sum == n * (n - 1) / 2;
}

/// Sort a run into @p to.
static void sort_run(const run_sort *s, cairn_pos n, cairn_item *run, cairn_item *to)
{
    const bool        few    = n <= s->ranker->most;
    const cairn_item *sorted = run;

    if (!few || !run_ascends(s, n, run)) {
        if (few && s->runs - s->low <= CAIRN_RANK_BITS
            && place_by_rank(s, (int)n, run, to))
            return;
        sorted = cairn_sort_items(n, s->runs, s->split, s->low, run, to);
    }
    if (sorted != to) memcpy(to, sorted, (size_t)n * sizeof *to);
}

/// The runs of a piece, into scratch.
static void sort_runs(void *user, int piece)
{
    const run_sort *const s   = user;
    const cairn_pos       all = s->end[piece];
    cairn_pos             end;

    for (cairn_pos at = piece ? s->end[piece - 1] : 0; at < all; at = end) {
        for (end = at + 1; end < all && is_one_run(s, end);)
            end++;
        sort_run(s, end - at, s->items + at, s->scratch + at);
    }
}

cairn_status cairn_sort_fields(cairn_env     *env,
                               int            threads,
                               cairn_pos      n,
                               int            bits,
                               int            fields,
                               const int64_t *begin,
                               int            split,
                               int            low,
                               cairn_item    *items,
                               cairn_item    *scratch,
                               cairn_item   **sorted)
{
    const cairn_pos pieces = n / PIECE + 1;
    run_sort        s      = {.n       = n,
                              .pieces  = pieces < MOST_PIECES ? (int)pieces : MOST_PIECES,
                              .split   = split,
                              .items   = items,
                              .scratch = scratch,
                              .ranker  = cairn_ranker_choose()};

    *sorted = items;
    if (low >= bits) return CAIRN_OK;
    s.runs = find_runs(n, bits, fields, begin, items);
    if (s.runs <= low) return CAIRN_OK;
    s.low = find_low(n, low, s.runs, fields, begin, items);
    if (s.runs == bits)
        return cairn_sort_many(env, threads, n, bits, split, s.low, items, scratch,
                               sorted);
    find_ends(&s);
    cairn_thread_pool_run(&env->thread_pool, threads, sort_runs, &s, s.pieces);
    *sorted = scratch;
    return CAIRN_OK;
}
