// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sums of the columns of what is multiplied, member by member and of all together.

#ifndef CAIRN_GUARD_COLUMN_SUMS_H
#define CAIRN_GUARD_COLUMN_SUMS_H

#include "guard/guard_state.h"

/// Make room for the sums of the members. Local.
cairn_status cairn_guard_allocate_sums(cairn_guard *guard);

/// Sum the columns as the tensor's values are now.
///
/// Local. @retval CAIRN_NOT_VERIFIED  An index has turned.
cairn_status cairn_guard_sum_columns(cairn_guard          *guard,
                                     const cairn_operands *operands);

/// Give the memory of all of them back.
void cairn_guard_forget_sums(cairn_guard *guard);

#endif
