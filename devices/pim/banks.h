// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What lies in the banks of a stored member: its parts, looked at one by one, whatever
/// levels they have.

#ifndef CAIRN_DEVICES_PIM_BANKS_H
#define CAIRN_DEVICES_PIM_BANKS_H

#include "devices/pim/model.h"
#include "devices/product.h"

/// Look at every stored position of a member's banks once.
///
/// Local.
///
/// @param[out] bank  [group's parts] of @p work's member; freed with cairn_free().
///                   Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  Besides, 8 bytes for every row of Y are needed for a while.
///
/// Cost: one reference walk (tensor/walk.h), some 10 ns a position.
cairn_status
cairn_pim_banks(cairn_env *env, const cairn_device_work *work, cairn_pim_bank **bank);

#endif
