// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which loops and conditions all items of a group agree on. Outside of ITEMS all items do
/// alike what depends on constants, parameters and arrays that stay; an array that items
/// have stored to since the last barrier may be read by one before and by another after
/// that. A barrier inside what depends on such a value would be reached by some alone.

#ifndef CAIRN_IR_IR_UNIFORM_H
#define CAIRN_IR_IR_UNIFORM_H

#include "ir/ir.h"

/// Find a barrier of a function with GROUPS that items may disagree on.
///
/// @return whether there is none.
bool cairn_ir_is_uniform(const cairn_ir_function *function);

#endif
