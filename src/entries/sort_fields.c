// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sorting words of fields that come from entries in some order of their own: of rows,
/// say. Fields in front that ascend cut the words into runs, each of which is sorted by
/// itself; fields at the end that ascend are in order wherever those before them are
/// equal, since sorting is stable.

#include "base/wide.h"
#include "entries/sort_items.h"

#include <string.h>

enum {
    LOOK        = 256,   ///< Items that are compared without a branch.
    PIECE       = 25000, ///< Items whose runs are worth another thread.
    MOST_PIECES = 64,
};

typedef struct {
    cairn_pos   n;
    int         pieces;
    int         runs; ///< Words of a run share all but this many bits.
    int         split, low;
    cairn_item *items, *scratch;
    cairn_pos   end[MOST_PIECES]; ///< Of each piece, where a run ends.
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

static void sort_runs(void *user, int piece)
{
    const run_sort *const s   = user;
    const cairn_pos       all = s->end[piece];
    cairn_pos             end;

    for (cairn_pos at = piece ? s->end[piece - 1] : 0; at < all; at = end) {
        cairn_item *const run = s->items + at;

        for (end = at + 1; end < all && is_one_run(s, end);)
            end++;
        const cairn_item *sorted =
            cairn_sort_items(end - at, s->runs, s->split, s->low, run, s->scratch + at);

        if (sorted != run) memcpy(run, sorted, (size_t)(end - at) * sizeof *run);
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
                              .scratch = scratch};

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
    *sorted = items;
    return CAIRN_OK;
}
