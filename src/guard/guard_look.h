// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The first look: the sum of y against w.x of all members together, by the bound that some
/// of the columns give.

#ifndef CAIRN_GUARD_LOOK_H
#define CAIRN_GUARD_LOOK_H

#include "guard/guard_state.h"

/// Does @p y, [rows of this rank], or its @p sum, if that is not NULL, agree with @p x?
/// Local; by all threads.
bool cairn_guard_agrees(const cairn_guard_x *x, const void *y, const long double *sum);

#endif
