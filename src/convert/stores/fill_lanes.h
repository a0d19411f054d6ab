// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Filling lanes: every row that can be read by itself goes to its lane in one pass, with
/// its padding. Internal to convert.

#ifndef CAIRN_CONVERT_FILL_LANES_H
#define CAIRN_CONVERT_FILL_LANES_H

#include "convert/compiled.h"

/// Are the slots of a row so far apart, @p lanes standing side by side, that each is a
/// line of its own?
bool cairn_lanes_are_far(const cairn_layout *layout, int64_t lanes);

/// Do rows go to such slots by way of tiles? Not where all @p values stay in a cache.
bool cairn_lanes_are_tiled(const cairn_layout *layout, int64_t lanes, int64_t values);

/// Fill values, and indices of the last level and of those that rows determine, but for
/// the holes of the latter. Rows have lanes (`row_of`), groups widths (`cursor`).
///
/// Local.
///
/// @param[in] lanes  Of a group.
/// @param[in] args   Else empty.
/// @retval CAIRN_NO_MEMORY  None for tiles, 192 KB a thread.
cairn_status cairn_lanes_stand(const cairn_compiled *c,
                               int64_t               lanes,
                               cairn_convert_args   *args,
                               cairn_part           *part);

#endif
