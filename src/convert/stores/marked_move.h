// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Short rows of different lengths dealt out to columns, or columns to rows, by a loop of
/// our own: four entries a turn, whose indices are read in pairs, and as one word how many
/// rows begin at each. A function that is generated for the two layouts does the same entry
/// by entry, with 16 instructions for each where there are 13.5 here. Internal to convert.

#ifndef CAIRN_CONVERT_MARKED_MOVE_H
#define CAIRN_CONVERT_MARKED_MOVE_H

#include "convert/compiled.h"

/// Are both compressed lines of a matrix, one by rows and one by columns, with indices of
/// 16 or 32 bits and values of 32 or 64, which stay as wide as they are?
bool cairn_marked_move_fits(const cairn_compiled *c, const cairn_part *to);

/// Deal the entries out where that fits: `groups.begin` has the cursors of each range, which
/// go on.
void cairn_marked_move(const cairn_compiled *c, const cairn_part *to);

#endif
