// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A set of tuples of integers, numbered 0, 1, ... in the order in which they were
/// added: the groups of a query. Where the tuples' ranges are known and small a slot is
/// computed, so that walking groups in order walks memory in order; else it is hashed.
/// While tuples come in ascending order of their first integers, only those with the
/// last one are kept in slots: few, and in the cache; computed ones, where the ranges of
/// the other integers are small.

#ifndef CAIRN_QUERY_TUPLES_H
#define CAIRN_QUERY_TUPLES_H

#include "format/algebra.h"

#define CAIRN_MAX_WIDTH (CAIRN_MAX_LEVELS + 2) ///< Integers of one tuple.

typedef struct cairn_tuples {
    int      width;
    int64_t  n, capacity;
    int64_t *tuple; ///< [n][width]
    int64_t slots; ///< direct: product of the sizes; else a power of two (0: none yet).
    int64_t *slot; ///< [slots] a tuple's number; below `base`: empty.
    int64_t  base;
    bool     ascending;
    bool     direct; ///< Slots are computed from the integers of number
    int      from;   ///< `from` on: all, or while ascending all but the first.
    int64_t  lo[CAIRN_MAX_WIDTH], size[CAIRN_MAX_WIDTH]; ///< direct: ranges.
} cairn_tuples;

/// Start an empty set of tuples of @p width integers (0 is allowed: one tuple at most).
void cairn_tuples_init(cairn_tuples *set, int width);

void cairn_tuples_fini(cairn_env *env, cairn_tuples *set);

/// Compute slots if the product of the @p range of each integer is at most @p most, or,
/// for tuples that are expected to ascend, that of all but the first. Only tuples inside
/// the ranges may be added then. For an empty set.
cairn_status cairn_tuples_use_ranges(cairn_env            *env,
                                     cairn_tuples         *set,
                                     const cairn_interval *range,
                                     int64_t               most);

/// Expect tuples in ascending order of their first integers (another order is slower,
/// not wrong). Until cairn_tuples_seal() only tuples with the last first integer are
/// found. For an empty set.
void cairn_tuples_expect_ascending(cairn_tuples *set);

/// Let all tuples be found from now on.
cairn_status cairn_tuples_seal(cairn_env *env, cairn_tuples *set);

/// Number of a tuple, or -1.
int64_t cairn_tuples_find(const cairn_tuples *set, const int64_t *tuple);

/// Number of a tuple, which is added if it is new. Unchanged on failure.
cairn_status cairn_tuples_add(cairn_env     *env,
                              cairn_tuples  *set,
                              const int64_t *tuple,
                              int64_t       *number);

/// The computed slots of tuples 0..n-1, given as columns.
void cairn_tuples_slots(const cairn_tuples   *set,
                        int                   n,
                        const int64_t *const *column,
                        int64_t              *slot);

/// A hash of @p width integers; the same on every machine.
uint64_t cairn_tuples_hash(int width, const int64_t *tuple);

static inline const int64_t *cairn_tuples_at(const cairn_tuples *set, int64_t number)
{
    return set->tuple + number * set->width;
}

#endif
