// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a byte takes that a conversion moves: as shipped, scaled by this machine's memory
/// where that was measured, corrected by conversions that ran. There are two families of
/// work, bytes read and written in order, and bytes of entries that are written one by one;
/// who learns of one method thereby learns of all of them.

#ifndef CAIRN_COST_MOVES_H
#define CAIRN_COST_MOVES_H

#include "cost/cost.h"
#include "rules/pass_list.h"

/// Learn from a conversion. Local.
///
/// Ignored where what it did is not moving: entries sorted, numbered or dealt to members,
/// passes interpreted, nothing moved.
///
/// @param[in] rates    That it was predicted with: of a program that does both, what is
///                     moved in order is thought to have taken so long.
/// @param[in] entries  That went through the program.
/// @param[in] seconds  Without getting functions.
void cairn_cost_observe_moves(cairn_costs             *costs,
                              const cairn_cost_device *device,
                              const cairn_pass_list   *program,
                              const cairn_move_rates  *rates,
                              int64_t                  entries,
                              double                   seconds);

/// What to choose by. Local.
///
/// A rate lies between what is shipped, times the factor of cairn_costs_memory() where that
/// is known already, and what was measured, by how sure that is; none is beyond 8 times
/// what is shipped, or an 8th. What was learned is rounded to quarters of a doubling of it,
/// so that one measurement more seldom changes anything.
///
/// @return Whether anything was measured; if not, the rates are those that are shipped.
bool cairn_cost_moves(cairn_costs             *costs,
                      const cairn_cost_device *device,
                      cairn_move_rates        *rates);

#endif
