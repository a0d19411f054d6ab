// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Looking through the loop IR: are two expressions the same, what does a piece of code
/// use and change. For passes, checks and printers.

#ifndef CAIRN_IR_IR_WALK_H
#define CAIRN_IR_IR_WALK_H

#include "ir/ir.h"

/// The same operations on the same variables, arrays and parameters: equal values if
/// evaluated at one place, whatever is known of loads.
bool cairn_ir_same(cairn_ir_x x, cairn_ir_x y);

/// Operand @p n of @p x; 0 <= n < cairn_ir_operands(x->op).
cairn_ir_x cairn_ir_operand(cairn_ir_x x, int n);

/// Visit @p x and all that it is made of, until @p visit returns true; then true.
bool cairn_ir_any(cairn_ir_x x, bool (*visit)(cairn_ir_x x, void *user), void *user);

/// Visit the statements of a block and of all blocks inside, until @p visit returns true.
bool cairn_ir_any_stmt(const cairn_ir_stmt *block,
                       bool (*visit)(const cairn_ir_stmt *stmt, void *user),
                       void *user);

/// Visit the expressions of a block and of all blocks inside.
bool cairn_ir_any_expr(const cairn_ir_stmt *block,
                       bool (*visit)(cairn_ir_x x, void *user),
                       void *user);

/// Is it a loop whose turns are dealt out, to threads, groups or items? Passes leave the
/// bounds of such loops, and take nothing out of them.
bool cairn_ir_is_parallel(const cairn_ir_stmt *stmt);

/// Has it GROUPS?
bool cairn_ir_is_grid(const cairn_ir_function *function);

/// Does the statement itself change an array?
bool cairn_ir_writes(const cairn_ir_stmt *stmt);

/// Does @p x use @p var?
bool cairn_ir_uses(cairn_ir_x x, const cairn_ir_var *var);

/// Is @p var declared, assigned or counted by a loop in the block?
bool cairn_ir_changes(const cairn_ir_stmt *block, const cairn_ir_var *var);

#endif
