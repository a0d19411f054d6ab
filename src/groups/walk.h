// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The positions of a group one after the other in key order, from any of them on: what
/// cairn_group_box_at() gives for rank after rank, at a few operations a position. For
/// keys that are digits.
///
/// Positions that agree in all keys but the last are a *stretch*: there one digit moves.

#ifndef CAIRN_GROUPS_WALK_H
#define CAIRN_GROUPS_WALK_H

#include "groups/order.h"

enum { CAIRN_MAX_DIGITS = CAIRN_MAX_ORDER * CAIRN_MAX_CUTS };

typedef struct cairn_position_walk {
    const cairn_query_order *order;
    const cairn_group_box   *box;
    uint32_t even; ///< Bit k: all combinations of digits in their bounds are values of
                   ///< dimension k.
    cairn_interval bound[CAIRN_MAX_DIGITS];                ///< [keys] of their digits;
    int64_t        digit[CAIRN_MAX_DIGITS];                ///< [keys] where it stands.
    cairn_interval allow[CAIRN_MAX_ORDER][CAIRN_MAX_CUTS]; ///< Digits, with these.
    cairn_coord    open[CAIRN_MAX_ORDER];                  ///< Open dimensions there,
    int64_t        left; ///< positions of the stretch from there on,
    int64_t        rank; ///< and of the group before. -1: it stands nowhere yet.
} cairn_position_walk;

/// Begin to walk a group that has positions; cairn_position_walk_seek() is to follow.
/// Order and box are borrowed.
void cairn_position_walk_init(const cairn_query_order *order,
                              const cairn_group_box   *box,
                              cairn_position_walk     *walk);

/// Go to the position with a rank, below the size.
void cairn_position_walk_seek(cairn_position_walk *walk, int64_t rank);

/// Write the next @p n positions, of which there are so many, and step behind them.
///
/// @param[out] d   [order] columns,
/// @param[in]  at  from this row on.
void cairn_position_walk_take(cairn_position_walk *walk,
                              int64_t              n,
                              cairn_coord *const  *d,
                              int64_t              at);

#endif
