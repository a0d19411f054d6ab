// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Finding what is wrong: arrays that are not what they were, or rows of a result, which are
/// put right.

#ifndef CAIRN_GUARD_REPAIR_H
#define CAIRN_GUARD_REPAIR_H

#include "guard/guard_state.h"

/// Compute all rows again; put those of @p y right that are wrong, and log it.
///
/// Local. Allocates.
///
/// @param[in]     x  [own rows of X] As the run has read it; what it fetched is there still.
/// @param[in,out] y  [rows of this rank]
/// @retval CAIRN_NOT_VERIFIED  A member's arrays are not what they were: the message has the
///                             rank and the member.
cairn_status cairn_guard_repair(cairn_guard          *guard,
                                const cairn_operands *operands,
                                const void           *x,
                                void                 *y);

#endif
