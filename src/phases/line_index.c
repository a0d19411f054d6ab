// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Room for groups, ranges that become one, lists in order.

#include "phases/line_index.h"

#include "entries/sort_rank.h"

#include <assert.h>
#include <string.h>

enum {
    FEW  = 4, ///< Places up to which insertion is fastest,
    ROOM = CAIRN_RANK_MOST + CAIRN_RANK_PAST, ///< and for those that are ranked.
};

cairn_status cairn_line_index_create(cairn_env                 *env,
                                     const cairn_thread_ranges *ranges,
                                     cairn_pos                  most,
                                     bool                       counts,
                                     cairn_line_index          *x)
{
    assert(ranges->n > 0 && x->lines >= 0 && x->places >= 0);
    assert(!x->begin && !x->place && !x->count && !x->number);
    if (!x->listed) {
        x->n = x->lines * x->places;
        return CAIRN_NEW_ZERO(env, ranges->n * x->n, &x->count);
    }
    CAIRN_TRY(CAIRN_NEW_ZERO(env, x->lines + 1, &x->begin));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, ranges->n * x->places, &x->slot));
    if (most > 0) CAIRN_TRY(CAIRN_NEW(env, most, &x->place));
    return counts ? CAIRN_NEW(env, most, &x->count) : CAIRN_OK;
}

void cairn_line_index_fini(cairn_env *env, cairn_line_index *x)
{
    cairn_free(env, x->begin);
    cairn_free(env, x->place);
    cairn_free(env, x->count);
    cairn_free(env, x->number);
    cairn_free(env, x->slot);
    *x = (cairn_line_index){.n = 0};
}

void cairn_line_index_args(const cairn_line_index    *x,
                           const cairn_thread_ranges *ranges,
                           cairn_convert_args        *args)
{
    args->groups = x->listed ? x->lines : x->n;
    args->cursor = x->begin;
    args->list   = x->place;
    args->tally  = x->count;
    args->slot   = x->slot;
    args->slots  = x->places;
    args->offset = ranges->offset;
    args->facts  = ranges->found;
}

/* ---- ranges ---- */

/// The list of one range, from @p begin on, to @p at.
static void move_list(uint32_t *list, int64_t begin, int64_t n, int64_t at)
{
    if (list && at != begin) memmove(list + at, list + begin, (size_t)n * sizeof *list);
}

static void join_lists(const cairn_thread_ranges *s, cairn_line_index *x)
{
    int64_t next = 0; /* line */

    x->n = 0;
    for (int64_t t = 0; t < s->n; t++) {
        const int64_t *its   = s->found + t * CAIRN_CONVERT_FACTS;
        const int64_t  begin = s->offset[t], n = its[1] - begin;

        if (its[2] < 0) continue;
        assert(n >= 0 && begin >= x->n);             /* lists move down */
        assert(its[2] >= next && its[3] < x->lines); /* a line is one range's */
        for (; next < its[2]; next++)
            x->begin[next] = (uint32_t)x->n;
        for (; next <= its[3]; next++)
            x->begin[next] -= (uint32_t)(begin - x->n);
        move_list(x->place, begin, n, x->n);
        move_list(x->count, begin, n, x->n);
        x->n += n;
    }
    for (; next <= x->lines; next++)
        x->begin[next] = (uint32_t)x->n;
    assert(cairn_begins_ascend_small(x->lines, x->begin, x->n));
}

void cairn_line_index_join(const cairn_thread_ranges *s, cairn_line_index *x)
{
    assert(!x->number);
    if (x->listed) {
        join_lists(s, x);
        return;
    }
    for (int64_t t = 1; t < s->n; t++)
        for (int64_t g = 0; g < x->n; g++)
            x->count[g] += x->count[t * x->n + g];
}

/* ---- order ---- */

/// How the places of a line are put in order. No line has a place twice.
typedef struct {
    const cairn_ranker *ranker; ///< For lines of some places, at most `ranked`,
    int64_t             ranked;
    uint64_t           *bits; ///< of more: a bit for each place, all zero.
} line_sorter;

static void sort_few(uint32_t *list, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        const uint32_t x = list[k];
        int64_t        j = k;

        for (; j > 0 && list[j - 1] > x; j--)
            list[j] = list[j - 1];
        list[j] = x;
    }
}

/// Each place goes to where its rank is, without a branch to mispredict.
static void sort_by_rank(const cairn_ranker *ranker, uint32_t *list, int n)
{
    uint64_t handle[ROOM];
    uint16_t rank[ROOM];

    for (int k = 0; k < n; k++)
        handle[k] = (uint64_t)list[k] << 32;
    ranker->rank(n, handle, rank);
    for (int k = 0; k < n; k++)
        list[rank[k]] = (uint32_t)(handle[k] >> 32);
}

/// @p bits are zero, and become so again.
static void sort_by_bits(uint32_t *list, int64_t n, uint64_t *bits)
{
    uint32_t lo = list[0] / 64, hi = lo;
    int64_t  at = 0;

    for (int64_t k = 0; k < n; k++) {
        const uint32_t word = list[k] / 64;

        bits[word] |= (uint64_t)1 << list[k] % 64;
        if (word < lo) lo = word;
        if (word > hi) hi = word;
    }
    for (int64_t word = lo; word <= hi; word++) {
        for (uint64_t left = bits[word]; left; left &= left - 1)
            list[at++] = (uint32_t)(64 * word + __builtin_ctzll(left));
        bits[word] = 0;
    }
}

static bool is_sorted(const uint32_t *list, int64_t n)
{
    for (int64_t k = 1; k < n; k++)
        if (list[k - 1] > list[k]) return false;
    return true;
}

static void sort_list(const line_sorter *sorter, uint32_t *list, int64_t n)
{
    if (is_sorted(list, n)) return;
    if (n <= FEW)
        sort_few(list, n);
    else if (n <= sorter->ranked)
        sort_by_rank(sorter->ranker, list, (int)n);
    else
        sort_by_bits(list, n, sorter->bits);
}

/// Likewise, the count of each place staying with it. @p slot: of every place.
static void sort_counted(const line_sorter *sorter,
                         uint32_t          *list,
                         uint32_t          *count,
                         int64_t            n,
                         uint32_t          *slot)
{
    if (is_sorted(list, n)) return;
    for (int64_t k = 0; k < n; k++)
        slot[list[k]] = count[k];
    sort_list(sorter, list, n);
    for (int64_t k = 0; k < n; k++)
        count[k] = slot[list[k]];
}

cairn_status
cairn_line_index_sort(cairn_env *env, int threads, bool counts, cairn_line_index *x)
{
    const cairn_ranker *const ranker = cairn_ranker_choose();
    const int64_t ranked = x->places >> CAIRN_RANK_BITS ? FEW : ranker->most;
    const int64_t words  = x->places / 64 + 1;
    uint64_t     *bits;

    assert(x->listed && !x->number);
    assert(!counts || (x->count && x->slot));
    if (threads < 1) threads = 1;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, threads * words, &bits));
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        const line_sorter sorter = {ranker, ranked, bits + t * words};

        for (int64_t k = x->lines * t / threads; k < x->lines * (t + 1) / threads;
             k++) {
            const uint32_t first = x->begin[k];
            const int64_t  n     = cairn_line_index_groups(x, k);

            if (counts)
                sort_counted(&sorter, x->place + first, x->count + first, n,
                             x->slot + t * x->places);
            else
                sort_list(&sorter, x->place + first, n);
        }
    }
    cairn_free(env, bits);
    return CAIRN_OK;
}

/* ---- numbers ---- */

cairn_status cairn_line_index_number(cairn_env *env, int threads, cairn_line_index *x)
{
    assert(x->listed && !x->number);
    CAIRN_TRY(CAIRN_NEW(env, x->n, &x->number));
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int64_t line = 0; line < x->lines; line++)
        for (uint32_t q = x->begin[line]; q < x->begin[line + 1]; q++)
            x->number[q] = q - x->begin[line];
    return CAIRN_OK;
}

int64_t cairn_line_index_find(const cairn_line_index *x, int64_t line, int64_t number)
{
    int64_t lo = x->begin[line], hi = x->begin[line + 1];

    assert(line >= 0 && line < x->lines && x->number);
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (x->number[mid] < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < x->begin[line + 1] && x->number[lo] == number ? lo : -1;
}

/* Behind as many of its groups as lie before. */
int64_t cairn_line_index_lacking(const cairn_line_index *x, int64_t line, int64_t k)
{
    const uint32_t *list = x->place + x->begin[line];
    int64_t         lo = 0, hi = cairn_line_index_groups(x, line);

    assert(line >= 0 && line < x->lines && k >= 0);
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (list[mid] - mid <= k)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo + k;
}
