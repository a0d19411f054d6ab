// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Members that all add to f64 sums of an f32 Y on one device of the processor, run together
/// by tiles of rows (devices/tiles.h): one task, beta*Y before it and rounding after it
/// included, and no f64 Y.

#ifndef CAIRN_PLAN_ROW_TILES_H
#define CAIRN_PLAN_ROW_TILES_H

#include "devices/tiles.h"
#include "plan/subproduct.h"

typedef struct cairn_row_tiles {
    cairn_subproduct *subproduct; ///< [subproducts] Outlive them.
    int               subproducts;
    cairn_tiles       tiles;
    char              label[80]; ///< Of its task in traces.
} cairn_row_tiles;

/// Can subproducts be run so? All are whole members that add to Y itself, on one device,
/// and can be cut at the same rows. Asked before they have kernels.
bool cairn_row_tiles_fit(const cairn_subproduct *subproduct, int subproducts);

/// Prepare.
///
/// Local.
///
/// @param[out] tiles  Destroy with cairn_row_tiles_destroy(). NULL where a kernel is
///                    missing, or the device makes no tiles of these.
/// @retval CAIRN_NO_MEMORY
cairn_status cairn_row_tiles_create(cairn_subproduct *subproduct,
                                    int               subproducts,
                                    cairn_row_tiles **tiles);

void cairn_row_tiles_destroy(cairn_row_tiles **tiles);

/// Run all subproducts. A task with a cairn_row_tiles as argument.
cairn_status cairn_row_tiles_run(void *tiles);

/// Bytes of their arrays.
int64_t cairn_row_tiles_bytes(const cairn_row_tiles *tiles);

#endif
