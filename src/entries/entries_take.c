// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries out of a caller's arrays. What is sorted is copied; what is not goes from
/// there straight to buckets, so that unsorted entries never lie in memory as such.

#include "entries/entries_partition.h"

#include <inttypes.h>

enum { GLANCE = 1024 }; ///< Entries that tell whether the others may go by columns.

/// Tell the first entry that is not within the extents.
static cairn_status check_inside(cairn_env *env, const cairn_given *given)
{
    for (cairn_pos p = 0; p < given->n; p++)
        for (int k = 0; given->extent && k < given->order; k++) {
            const cairn_coord d = cairn_given_coord(given, k, p), base = given->base;

            CAIRN_CHECK(d >= 0 && d < given->extent[k], env, CAIRN_BAD_COORD,
                        "coordinates: entry %" PRId64 ": d%d = %" PRId64
                        " is outside %" PRId64 "..%" PRId64,
                        p, k, (cairn_coord)((uint64_t)d + (uint64_t)base), base,
                        given->extent[k] - 1 + base);
        }
    return CAIRN_OK;
}

/// Copy entries as long as they are in order and inside, adding duplicates.
/// @return How many of those given were taken.
static inline __attribute__((always_inline)) cairn_pos
take_sorted(const cairn_given *from, int order, cairn_entries *to)
{
    const cairn_given   given   = *from;
    const cairn_entries entries = *to;
    cairn_pos           n = 0, p = 0;

    for (; p < given.n; p++) {
        cairn_coord  d[CAIRN_MAX_ORDER];
        const double value  = cairn_given_value(&given, p);
        int          sign   = 0; /* of the difference from the entry before */
        bool         inside = true;

        for (int k = 0; k < order; k++)
            d[k] = cairn_given_coord(&given, k, p);
        for (int k = 0; given.extent && k < order; k++)
            inside &= (uint64_t)d[k] < (uint64_t)given.extent[k];
        if (!inside) break;
        for (int k = 0; n > 0 && sign == 0 && k < order; k++) {
            const cairn_coord before = entries.coord[k][n - 1];

            sign = (d[k] > before) - (d[k] < before);
        }
        if (n > 0 && sign < 0) break;
        if (n > 0 && sign == 0) {
            entries.value[n - 1] += value;
            continue;
        }
        for (int k = 0; k < order; k++)
            entries.coord[k][n] = d[k];
        entries.value[n++] = value;
    }
    to->n = n;
    return p;
}

/// Whether the first entries of a matrix stand in the order of (d1, d0).
static bool begins_by_columns(const cairn_given *given)
{
    const cairn_pos end = given->n < GLANCE ? given->n : GLANCE;

    if (given->order != 2) return false;
    for (cairn_pos p = 1; p < end; p++) {
        const cairn_coord j      = cairn_given_coord(given, 1, p);
        const cairn_coord before = cairn_given_coord(given, 1, p - 1);

        if (before > j
            || (before == j
                && cairn_given_coord(given, 0, p - 1) > cairn_given_coord(given, 0, p)))
            return false;
    }
    return true;
}

cairn_status
cairn_entries_copy(cairn_env *env, const cairn_given *given, cairn_entries *entries)
{
    CAIRN_TRY(cairn_entries_reserve(env, entries, given->n));
    CAIRN_TRY(check_inside(env, given));
    for (int k = 0; k < given->order; k++)
        for (cairn_pos p = 0; p < given->n; p++)
            entries->coord[k][p] = cairn_given_coord(given, k, p);
    for (cairn_pos p = 0; p < given->n; p++)
        entries->value[p] = cairn_given_value(given, p);
    entries->n = given->n;
    return CAIRN_OK;
}

static cairn_status
copy_and_sort(cairn_env *env, const cairn_given *given, cairn_entries *entries)
{
    CAIRN_TRY(cairn_entries_copy(env, given, entries));
    const cairn_status status = cairn_entries_sort(env, entries);

    if (status != CAIRN_OK) entries->n = 0;
    return status;
}

cairn_status
cairn_entries_take(cairn_env *env, const cairn_given *given, cairn_entries *entries)
{
    cairn_bucketed bucketed = {.n = 0};
    cairn_status   status;

    CAIRN_GO(done, cairn_entries_take_or_partition(env, given, entries, &bucketed));
    if (bucketed.n > 0) status = cairn_entries_take_bucketed(env, &bucketed, entries);
done:
    cairn_bucketed_fini(env, &bucketed);
    return status;
}

cairn_status cairn_entries_take_bucketed(cairn_env      *env,
                                         cairn_bucketed *bucketed,
                                         cairn_entries  *entries)
{
    CAIRN_TRY(cairn_entries_reserve(env, entries, bucketed->n));
    return cairn_bucketed_sort(env, bucketed, entries);
}

static cairn_status take_if_sorted(cairn_env         *env,
                                   const cairn_given *given,
                                   cairn_entries     *entries,
                                   bool              *sorted)
{
    CAIRN_TRY(cairn_entries_reserve(env, entries, given->n));
    *sorted = (given->order == 2 ? take_sorted(given, 2, entries)
                                 : take_sorted(given, given->order, entries))
              == given->n;
    if (!*sorted) entries->n = 0;
    return CAIRN_OK;
}

static cairn_status order_columns(cairn_env         *env,
                                  const cairn_given *given,
                                  const cairn_words *words,
                                  bool              *inside,
                                  cairn_bucketed    *bucketed)
{
    *bucketed = (cairn_bucketed){
        .order = 2, .n = given->n, .room = given->n, .words = *words, .threads = 1};
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &bucketed->columns));
    CAIRN_TRY(cairn_columns_order(env, given, inside, bucketed->columns));
    bucketed->n        = bucketed->columns->n;
    bucketed->combined = bucketed->columns->once;
    return CAIRN_OK;
}

cairn_status cairn_entries_take_or_partition(cairn_env         *env,
                                             const cairn_given *given,
                                             cairn_entries     *entries,
                                             cairn_bucketed    *bucketed)
{
    cairn_words words;
    bool        inside = true, sorted = false;

    if (!given->unsorted) {
        CAIRN_TRY(take_if_sorted(env, given, entries, &sorted));
        if (sorted) return CAIRN_OK;
    }
    if (cairn_columns_fit(given) && cairn_words_within(given, &words)) {
        cairn_entries_fini(env, entries); /* what is ordered has no use for its room */
        CAIRN_TRY(order_columns(env, given, &words, &inside, bucketed));
        return inside ? CAIRN_OK : check_inside(env, given);
    }
    if (begins_by_columns(given)
        || !(given->extent ? cairn_words_within(given, &words)
                           : cairn_words_measure(given, &words)))
        return copy_and_sort(env, given, entries);
    cairn_entries_fini(env, entries); /* its room is that of the buckets */
    CAIRN_TRY(cairn_entries_partition(env, given, &words, &inside, bucketed));
    return inside ? CAIRN_OK : check_inside(env, given);
}
