// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The rows of X that a product may read, for devices that copy X to memory of their own:
/// from the least to the greatest that the indices of its levels name. Padding counts, for
/// kernels multiply it, too; so do positions that hang over the other dimension of the box,
/// whose products some kernels make and leave out later.

#ifndef CAIRN_DEVICES_X_WINDOW_H
#define CAIRN_DEVICES_X_WINDOW_H

#include "devices/product.h"

/// Find them, by their global numbers.
///
/// Local. Cost: the indices of the dimension's levels, read once.
///
/// @param[in] threads  At most so many read them.
/// @return rows of the box; hi < lo where nothing is stored. All of the box where
///         coordinates are no plain sums of indices.
cairn_interval cairn_x_window(const cairn_device_work *work, int threads);

#endif
