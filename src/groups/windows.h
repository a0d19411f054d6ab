// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ordering elements in windows by one number.

#ifndef CAIRN_GROUPS_WINDOWS_H
#define CAIRN_GROUPS_WINDOWS_H

#include "entries/entries.h"
#include "format/algebra.h"

typedef struct cairn_windows {
    int64_t               n;
    int                   windows, keys;
    const int64_t *const *key; ///< [keys] columns [n]: `windows` of the window, the
                               ///< number, then what decides among equal numbers.
    int64_t *order;            ///< [n] out: which element comes first, second, ...
} cairn_windows;

/// Order as cairn_sort_order() by all keys.
///
/// Local. Memory: 8 bytes for each value that a window's numbers can take, at most 8 an
/// element and 8 KB; what cairn_sort_order() takes where that is not enough.
/// Cost: a few passes where elements stand in (window, ties) order and numbers have
/// hardly more values than a window has elements.
cairn_status cairn_windows_order(cairn_env *env, const cairn_windows *windows);

#endif
