// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rewriting the loop IR: expressions are made anew where a part of them changes, and
/// folded on the way; statements are moved, replaced and dropped in their lists. All
/// need a builder, of cairn_ir_edit(), for its arena.

#ifndef CAIRN_IR_IR_REWRITE_H
#define CAIRN_IR_IR_REWRITE_H

#include "ir/ir_walk.h"

/// What @p x becomes; NULL: look inside.
typedef cairn_ir_x (*cairn_ir_map)(cairn_ir *b, cairn_ir_x x, void *user);

/// @p x with everything replaced that @p map replaces; @p x itself if that is nothing.
cairn_ir_x cairn_ir_rewrite(cairn_ir *b, cairn_ir_x x, cairn_ir_map map, void *user);

/// @p x with its operands rewritten, whatever @p map makes of @p x itself.
cairn_ir_x
cairn_ir_rewrite_inside(cairn_ir *b, cairn_ir_x x, cairn_ir_map map, void *user);

/// The same of all expressions of a block and of the blocks inside.
/// @return whether something was replaced.
bool cairn_ir_rewrite_block(cairn_ir      *b,
                            cairn_ir_stmt *block,
                            cairn_ir_map   map,
                            void          *user);

/// @p x with the value @p value in the place of @p var.
cairn_ir_x cairn_ir_substitute(cairn_ir           *b,
                               cairn_ir_x          x,
                               const cairn_ir_var *var,
                               cairn_ir_x          value);

/// The same of a block.
bool cairn_ir_substitute_block(cairn_ir           *b,
                               cairn_ir_stmt      *block,
                               const cairn_ir_var *var,
                               cairn_ir_x          value);

/// Put the list @p block in the place of the statement at @p place.
void cairn_ir_replace_stmt(cairn_ir_stmt **place, cairn_ir_stmt *block);

/// Is @p x itself a load, or a division but by a positive constant?
bool cairn_ir_is_partial(cairn_ir_x x);

/// May @p x be computed anywhere that its variables are in sight? It has no loads and no
/// divisions but by positive constants.
bool cairn_ir_total(cairn_ir_x x);

/// Is the value of @p x the same in every turn of the loop with @p body over @p var
/// (NULL: a `while`)? Loads count as the same where their array is not stored to.
bool cairn_ir_invariant(cairn_ir_x           x,
                        const cairn_ir_stmt *body,
                        const cairn_ir_var  *var);

#endif
