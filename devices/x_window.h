// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The rows of X that a product reads, for devices that copy X to memory of their own: from
/// the least to the greatest that some stored position names. Padding counts, for kernels
/// multiply it, too; so do positions that hang over the other dimension of the box, whose
/// products some kernels make and leave out later.

#ifndef CAIRN_DEVICES_X_WINDOW_H
#define CAIRN_DEVICES_X_WINDOW_H

#include "devices/product.h"

/// Find them, by their global numbers.
///
/// Local. Cost: a walk over all that is stored.
///
/// @param[out] rows  Of the box; hi < lo where no position names one. All of the box where
///                   coordinates are no plain sums of indices. Unchanged on failure.
/// @retval CAIRN_NO_MEMORY
cairn_status
cairn_x_window(cairn_env *env, const cairn_device_work *work, cairn_interval *rows);

#endif
