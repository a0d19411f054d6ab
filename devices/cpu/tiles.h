// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tiles on the processor (devices/tiles.h): a kernel does the rows of a tile when it is
/// called with one share, the positions of these rows (share/share_rows.h), so that no other
/// kernels are needed.

#ifndef CAIRN_DEVICES_CPU_TILES_H
#define CAIRN_DEVICES_CPU_TILES_H

#include "devices/tiles.h"

/// Slot tile of devices/device.h.
cairn_status cairn_cpu_tile(cairn_device        *device,
                            cairn_launch *const *launch,
                            int                  launches,
                            cairn_tiles         *tiles);

#endif
