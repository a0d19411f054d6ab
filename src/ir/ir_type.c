// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Facts of types and operations, from the lists of ir.h.

#include "ir/ir.h"

static const struct {
    const char *text;
    int         bytes;
    bool        is_float;
} types[] = {
#define X(id, text, bytes, is_float) [CAIRN_IR_##id] = {text, bytes, is_float},
    CAIRN_IR_TYPE_MAP(X)
#undef X
};

static const int operands[] = {
#define X(id, count) [CAIRN_IR_##id] = count,
    CAIRN_IR_OP_MAP(X)
#undef X
};

const char *cairn_ir_type_text(cairn_ir_type type)
{
    return types[type].text;
}

int cairn_ir_type_bytes(cairn_ir_type type)
{
    return types[type].bytes;
}

bool cairn_ir_type_is_float(cairn_ir_type type)
{
    return types[type].is_float;
}

bool cairn_ir_type_is_half(cairn_ir_type type)
{
    return type == CAIRN_IR_F16 || type == CAIRN_IR_BF16;
}

int cairn_ir_operands(cairn_ir_op op)
{
    return operands[op];
}
