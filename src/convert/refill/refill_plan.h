// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where new values go: for each place of a tensor that gets one the number of its value
/// among the caller's, or of those that are added up there. The caller's may be in two
/// arrays. Padding is in no plan.

#ifndef CAIRN_CONVERT_REFILL_PLAN_H
#define CAIRN_CONVERT_REFILL_PLAN_H

#include "tensor/local.h"

/// Where the entries that a caller brings, in his order, are stored.
typedef struct cairn_refill_targets {
    int64_t n;
    int64_t
        split; ///< So many of them are in his first array, all others in his second.
    int64_t *part;  ///< [n] Number in the tensor's list, and
    int64_t *place; ///< [n] position in its values.
    cairn_pos *
        by_place; ///< [n] entries by part and place, those of one place in the order in
                  ///< which they are added; NULL: they are not in order yet, and the
                  ///< caller's order is that of sums.
} cairn_refill_targets;

/// A caller's new values, as wide as the tensor's type.
typedef struct cairn_refill_values {
    const void *array[2]; ///< [split] and [n - split]; NULL for no entries.
} cairn_refill_values;

/// Items from `item` up to the next run's. Of the two numbers of an item those that are in
/// an array are counted from these, which are 0 unless it is one of 16 bits; those that are
/// in none count up from them.
typedef struct cairn_refill_run {
    int64_t item, place, source;
} cairn_refill_run;

/// What goes into one part from one array, in the order in which it is moved.
typedef struct cairn_refill_list {
    int64_t           part;
    int               array; ///< The number of it; 0 where values are added up.
    int64_t           first; ///< Items of the lists before.
    int64_t           items;
    int64_t           runs;
    cairn_refill_run *run;    ///< [runs + 1] the last one ends the one before.
    int               bits;   ///< 16, 32 or 64, of
    void             *place;  ///< [items]; NULL: as runs say.
    void             *source; ///< [items] likewise, counted in the caller's array.
} cairn_refill_list;

/// Lists of all parts that get values: those of the first array, then those of the second,
/// unless values are added up.
typedef struct cairn_refill_plan {
    int     bits;  ///< 32 where every position fits, else 64: of begin, source.
    int64_t split; ///< Entries in the first array.
    int64_t items;
    int64_t lists;
    cairn_refill_list *list;
    void *
        begin; ///< [items + 1] where several values may go to one place: item k gets the
               ///< sum of those of
    void *source; ///< [n] source[begin[k]] up to source[begin[k + 1] - 1], counted
                  ///< through both arrays; else NULL.
} cairn_refill_plan;

/// Plan how values go where they are stored.
///
/// Local. Takes 16 bytes an entry for the time of the call; the plan at most 8, and 4 a
/// place more where values are added up (twice that where 32 bits are too few), half of it
/// where numbers near each other follow each other, and none where places and sources count
/// up together.
///
/// @param[out] plan  Destroy with cairn_refill_plan_destroy(). Unchanged on failure.
cairn_status cairn_refill_plan_create(const cairn_local          *local,
                                      const cairn_refill_targets *targets,
                                      cairn_refill_plan         **plan);

/// @param[in,out] plan  May be NULL.
void cairn_refill_plan_destroy(cairn_env *env, cairn_refill_plan **plan);

static inline int64_t cairn_refill_number(const void *list, int64_t k, int bits)
{
    if (bits == 16) return ((const uint16_t *)list)[k];
    return bits == 32 ? (int64_t)((const uint32_t *)list)[k]
                      : ((const int64_t *)list)[k];
}

/// Place of item @p k of a list, which is in run @p run.
static inline int64_t cairn_refill_place(const cairn_refill_list *list,
                                         const cairn_refill_run  *run,
                                         int64_t                  k)
{
    return run->place
           + (list->place ? cairn_refill_number(list->place, k, list->bits)
                          : k - run->item);
}

#endif
