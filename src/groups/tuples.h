// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A set of tuples of integers, numbered 0, 1, ... in the order in which they were added.

#ifndef CAIRN_GROUPS_TUPLES_H
#define CAIRN_GROUPS_TUPLES_H

#include "format/algebra.h"

#include <assert.h>

#define CAIRN_MAX_WIDTH (CAIRN_MAX_LEVELS + 2) ///< Integers of one tuple.

typedef struct cairn_tuples {
    int      width;
    int64_t  n, capacity;
    int64_t *tuple; ///< [n][width]
    int64_t  slots; ///< A power of two (0: none yet).
    int64_t *slot;  ///< [slots] a tuple's number, or -1.
} cairn_tuples;

/// Start an empty set of tuples of @p width integers (0 is allowed: one tuple at most).
void cairn_tuples_init(cairn_tuples *set, int width);

void cairn_tuples_fini(cairn_env *env, cairn_tuples *set);

/// Number of a tuple, or -1.
int64_t cairn_tuples_find(const cairn_tuples *set, const int64_t *tuple);

/// Number of a tuple, which is added if it is new. Unchanged on failure.
cairn_status cairn_tuples_add(cairn_env     *env,
                              cairn_tuples  *set,
                              const int64_t *tuple,
                              int64_t       *number);

/// A hash of @p width integers; the same on every machine.
uint64_t cairn_tuples_hash(int width, const int64_t *tuple);

static inline const int64_t *cairn_tuples_at(const cairn_tuples *set, int64_t number)
{
    assert(number >= 0 && number < set->n);
    return set->tuple + number * set->width;
}

#endif
