// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// X and Y of a plan in their user's order, where the tensor has its rows by places. A run
/// brings X to the places first, and takes Y from there at the end; of rows in parts Y is
/// the sum. Internal to the API.

#ifndef CAIRN_API_PERMUTED_H
#define CAIRN_API_PERMUTED_H

#include "api/api.h"
#include "comm/renumber.h"

typedef struct cairn_permuted {
    void *x, *y; ///< [own rows][columns]; NULL: not renumbered, the replay's is it.
    void *
        buffer; ///< As long as the longer of them; of rows in parts, sums of all parts.
    int64_t *counts;       ///< [2][ranks]
    size_t   row;          ///< Bytes of one.
    int64_t  x_own, y_own; ///< Rows of either on this rank.
} cairn_permuted;

/// Give a plan, whose tensor has its rows by places, vectors in the user's order.
///
/// Local. @retval CAIRN_NO_MEMORY
cairn_status cairn_permuted_create(cairn_plan *plan);

void cairn_permuted_destroy(cairn_env *env, cairn_permuted **permuted);

/// Who has which rows of Y as the user has it.
const cairn_rows *cairn_plan_y_rows(const cairn_plan *plan);

/// X and Y as the user has them: those, or the replay's.
void *cairn_plan_own_x(const cairn_plan *plan);
void *cairn_plan_own_y(const cairn_plan *plan);

/// Bring X to the places: a caller's @p x, or the plan's where it is NULL.
///
/// Collective. @return What the replay is to read: NULL, its own.
cairn_status cairn_permuted_bring_x(cairn_plan *plan, const void **x);

/// Likewise Y, before a run that adds to it.
cairn_status cairn_permuted_bring_y(cairn_plan *plan, const void *y);

/// Take Y from the places, to the plan's and to a caller's, unless that is NULL. Where this
/// rank's run failed others wait for its rows all the same, and get NaN.
///
/// Collective.
///
/// @param[in] status  Of the run here.
/// @return Likewise, unless that is CAIRN_OK.
cairn_status cairn_permuted_take_y(cairn_plan *plan, cairn_status status, void *y);

/// Take X from the places, where a chain has left one of its own.
cairn_status cairn_permuted_take_x(cairn_plan *plan);

/// Bytes that a run moves for it on this rank: each value is read and written.
int64_t cairn_permuted_bytes(const cairn_plan *plan);

#endif
