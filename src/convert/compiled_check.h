// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the compiled way checks before it fills: indices within their ranges, values
/// within their type. Internal to convert.

#ifndef CAIRN_CONVERT_COMPILED_CHECK_H
#define CAIRN_CONVERT_COMPILED_CHECK_H

#include "convert/compiled.h"

/// Range of every level's index over the entries: of direct levels that of the layout, of
/// indirect ones what the queries gave.
///
/// @param[out] range  [levels]
/// @retval CAIRN_BAD_QUERY  A number leaves the level's range.
/// @retval CAIRN_OVERFLOW   A range leaves 64 bits.
cairn_status cairn_compiled_ranges(const cairn_compiled *compiled,
                                   cairn_interval       *range);

/// Values of 32 bits must not become infinite.
/// @retval CAIRN_OVERFLOW  One would.
cairn_status cairn_compiled_check_values(const cairn_compiled *compiled);

#endif
