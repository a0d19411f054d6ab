// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Passes over the loop IR: each rewrites a function into one that computes the same and
/// reads better or runs faster. Lowerings write conditions where indices may leave their
/// range and expressions where they are used; passes make bounds of the conditions, take
/// out of loops what stays the same, and drop what has no effect.
///
/// Floating-point operations are neither reordered nor dropped: results keep their bits.
/// What moves must be *total*: no load (unless it is known to be done anyway), no
/// division but by a constant, so that it may be computed where it was not before.

#ifndef CAIRN_IR_PASSES_H
#define CAIRN_IR_PASSES_H

#include "ir/ir.h"

/// A pass. Local. On failure the function is a valid one still, changed in part.
///
/// @param[in,out] changed  Set when something was changed.
typedef cairn_status (*cairn_pass)(cairn_env         *env,
                                   cairn_ir_function *function,
                                   bool              *changed);

/// Constants are carried to where they are used, what has a name is not computed again
/// under it, conditions that are known are decided,
/// loops of no turn are removed, loops of one turn become their body, and variables that
/// are never read are removed.
cairn_status
cairn_pass_fold(cairn_env *env, cairn_ir_function *function, bool *changed);

/// Where all that a loop by ones does stands under a condition, comparisons that are
/// linear in its variable (n*k + r < e, with r and e the same in all turns and n a
/// constant) become its bounds. Loops of threads stay as they are.
cairn_status
cairn_pass_bounds(cairn_env *env, cairn_ir_function *function, bool *changed);

/// Where all that a loop does is a loop over the children of its index, as a ptr tells
/// them, and nothing asks whose children they are, one loop goes over all of them.
cairn_status
cairn_pass_flatten(cairn_env *env, cairn_ir_function *function, bool *changed);

/// What is the same in all turns of a loop is computed before it: constants that the body
/// declares, integer expressions of two operations and more, and loads from arrays that
/// are not written, if the loop surely runs and does them in every turn.
cairn_status
cairn_pass_hoist(cairn_env *env, cairn_ir_function *function, bool *changed);

/// What a loop that stores would load in every turn to know whether it has another one is
/// loaded before it. For functions that are finished: loops with such a limit are no more
/// what the other passes look for.
cairn_status
cairn_pass_limits(cairn_env *env, cairn_ir_function *function, bool *changed);

/// For functions with GROUPS alone; others stay as they are. To be done once, when the
/// function is finished: @p positions turns of an innermost serial loop become one. Of
/// loops under ITEMS whose body is constants, guards, sums s = s + x and stores into what
/// it does not load: all conditions of a turn first, then its loads by depth (indices and
/// values, then what they point to), then the additions and stores in the order that they
/// had, each where its position counts; there is no other loop for what is left. Loops of
/// a known number of turns up to @p positions become none, and one around does as many
/// positions less.
///
/// @param[in] positions  Below 2: nothing changes.
/// @param[in] early      Where there is a turn there are its values, whatever the guards
///                       say: those of a part's values that are found without a load do
///                       not wait for what the guards load.
cairn_status cairn_pass_batch(cairn_env         *env,
                              cairn_ir_function *function,
                              int                positions,
                              bool               early,
                              bool              *changed);

/// Integers up to it fit in 32 bits, and so do those a few turns behind them.
#define CAIRN_IR_NARROW ((INT64_C(1) << 31) - (INT64_C(1) << 20))

/// For functions with GROUPS alone; others stay as they are, and so do those with larger
/// constants. To be done once, after all other passes: what is computed in 64 bits is
/// computed in 32. Who asks for it vouches that all integers that the function is given,
/// loads and computes are at most CAIRN_IR_NARROW, up and down: positions, nodes, products
/// of rows and columns. The interpreter, with limits, fails where it is not so.
cairn_status
cairn_pass_narrow(cairn_env *env, cairn_ir_function *function, bool *changed);

/// All passes but those that are for finished functions, until nothing changes.
///
/// Local. In a debug build the function is checked after every pass.
cairn_status cairn_passes_run(cairn_env *env, cairn_ir_function *function);

/// Finish what was built and run all passes on it, or leave nothing.
///
/// @param[out] function  Destroy with cairn_ir_destroy(). Unchanged on failure.
cairn_status
cairn_passes_finish(cairn_env *env, cairn_ir *b, cairn_ir_function **function);

/// Check what every pass and printer relies on: types and lanes agree; variables are
/// declared before they are used, and in sight; constants and loop variables are not
/// assigned; bounds do not change in their loop; arrays are the function's, stored to
/// only if marked as written; fields exist.
///
/// Local.
/// @retval CAIRN_BAD_ARGUMENT  It does not hold; the message says what, in which function.
cairn_status cairn_ir_check(cairn_env *env, const cairn_ir_function *function);

#endif
