// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tiles: launches of one plan on one device that add to the same rows of Y, run together by
/// tiles of rows. In each tile all of them add, in their order, to f64 sums that are few
/// enough to stay in a cache; then these are rounded into an f32 Y. So no f64 Y of all rows
/// is written and read by one launch after the other, nor is there a pass over it at the
/// end; and since a row's sums are made in the same order, the bits are the same.

#ifndef CAIRN_DEVICES_TILES_H
#define CAIRN_DEVICES_TILES_H

#include "devices/product.h"

/* Sums that a tile has room for: 256 KB, as many as leave half of an L2 to the arrays. Where
   rows cannot be cut into tiles of that many there are none. */
enum { CAIRN_TILE_VALUES = 1 << 15 };

/// Made by the slot `tile` of a device (devices/device.h).
struct cairn_tiles {
    cairn_device *device;
    int           launches;
    int64_t       rows; ///< Of a tile; the last may have fewer.

    /// Run all launches once. As cairn_launch.run(), but for
    ///
    /// @param[in,out] y  f32, all rows: becomes beta*Y and what all launches add.
    cairn_status (*run)(cairn_tiles *tiles, const void *x, float *y);
    /// Give everything back. Called by the thread that uses the environment.
    void (*release)(cairn_tiles *tiles);

    double
        seconds[CAIRN_MAX_MEMBERS]; ///< [launches] of the last run; together they are
                                    ///< all of it.
    void *state;                    ///< The device's own.
    char  message[256];             ///< Why the last run failed.
};

#endif
