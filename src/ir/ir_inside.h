// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The inside of the builder, shared by its files: making pieces in the arena, and
/// remembering the first failure.

#ifndef CAIRN_IR_IR_INSIDE_H
#define CAIRN_IR_IR_INSIDE_H

#include "ir/ir.h"

#include <stdarg.h>

/// Allocate in the function's arena. @return false when the builder has failed, now or
/// before; the failure is remembered.
bool cairn_ir_room(cairn_ir *b, size_t count, size_t size, void **block);

/// Print a name into the arena; an empty one after a failure.
const char *cairn_ir_print(cairn_ir *b, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));

/// Copy a text into the arena; NULL stays NULL, as it is after a failure.
const char *cairn_ir_copy(cairn_ir *b, const char *text);

/// Grow a list in the arena by one. @return false after a failure.
bool cairn_ir_grow(cairn_ir *b, void ***list, int count, int *capacity);

/// A new expression, a copy of @p model; the spare one after a failure.
cairn_ir_x cairn_ir_keep(cairn_ir *b, const cairn_ir_expr *model);

/// The constant @p value of type @p type.
cairn_ir_x cairn_ir_constant(cairn_ir *b, cairn_ir_type type, int64_t value);

/// What x OP y becomes when that is simpler, of scalar integers; NULL: nothing simpler.
cairn_ir_x cairn_ir_simpler(cairn_ir *b, cairn_ir_op op, cairn_ir_x x, cairn_ir_x y);

/// The same of vectors of integers.
cairn_ir_x
cairn_ir_simpler_lanes(cairn_ir *b, cairn_ir_op op, cairn_ir_x x, cairn_ir_x y);

#endif
