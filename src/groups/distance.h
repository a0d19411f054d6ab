// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbering with a distance, of elements that are in order.

#ifndef CAIRN_GROUPS_DISTANCE_H
#define CAIRN_GROUPS_DISTANCE_H

#include "query/query.h"

/// Elements to be numbered.
typedef struct cairn_numbering {
    int64_t        n, groups;
    const int64_t *start; ///< [n] CAIRN_NO_NUMBER: none. NULL: all one_start.
    int64_t        one_start;
    int64_t        distance;
    int            bys;
    const int64_t *by[CAIRN_MAX_LEVELS]; ///< Keys of the distance.
    const int64_t
        *order; ///< [n] by group, and in it as they take their numbers. NULL: so
                ///< they stand.
    const int64_t *first;  ///< [groups + 1] a group's begin in order.
    int64_t       *number; ///< [n] out.
} cairn_numbering;

/// Number each element `distance` from the last one of its group and keys, if it has one,
/// with the first number from there on that is free.
///
/// @retval CAIRN_OVERFLOW  A number leaves 64 bits.
cairn_status cairn_number_distance(cairn_env *env, cairn_numbering *batch);

#endif
