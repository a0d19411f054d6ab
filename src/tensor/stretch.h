// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Layouts of which the first level follows the rows: all that is stored of consecutive rows
/// lies together, in every array.

#ifndef CAIRN_TENSOR_STRETCH_H
#define CAIRN_TENSOR_STRETCH_H

#include "format/layout.h"

/// Is the index of the first level d0 or d0/c, but for factors and constants, and are there
/// no banks? Then indices ascend with the rows.
bool cairn_layout_ascends_with_rows(const cairn_layout *layout);

/// Would arrays of the layout @p rows, on some rows, be stretches of those of @p whole? They
/// are as wide, and below the first level they count positions alike.
///
/// Local. The first level divides the rows.
bool cairn_layout_stores_alike(const cairn_layout *whole, const cairn_layout *rows);

#endif
