// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// New values to where a plan says, words of the tensor's type. Internal to api.

#ifndef CAIRN_API_REFILL_MOVE_H
#define CAIRN_API_REFILL_MOVE_H

#include "api/refill_plan.h"

/// Move new values into all members that are stored as wide as the tensor's type; what goes
/// to other members stays. Nothing else of the tensor is written.
///
/// Local; on @p threads threads, where there are many values.
///
/// @param[in] val  As wide as the tensor's type.
void cairn_refill_move(const cairn_refill_plan *plan,
                       const cairn_local       *local,
                       const void              *val,
                       int                      threads);

/// The new value of an item: its own, or the sum of those that go there in the caller's
/// order, of which the first is taken as it is.
///
/// @param[in] bits  Of @p val, 32 or 64.
double cairn_refill_value(const cairn_refill_plan *plan,
                          const cairn_refill_list *list,
                          const cairn_refill_run  *run,
                          int64_t                  k,
                          const void              *val,
                          int                      bits);

#endif
