// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// New values of a pattern, in the types that members are stored in.

#ifndef CAIRN_CONVERT_REFILL_STORE_H
#define CAIRN_CONVERT_REFILL_STORE_H

#include "convert/refill/refill_plan.h"

/// Store new values where the plan says, in the types that members have if these hold them
/// all; members of others are widened.
///
/// Local; on @p threads threads, where there are many values.
///
/// @retval CAIRN_NO_MEMORY  For wider values: all are what they were.
cairn_status cairn_refill_store(cairn_local               *local,
                                const cairn_refill_plan   *plan,
                                const cairn_refill_values *val,
                                int                        threads);

#endif
