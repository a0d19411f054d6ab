// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Types by their C names, and a note of every one that is used.

#include "emit/c_inside.h"

#include <stdio.h>

/// Vector types are called by lanes and element: v8f64, v16u32.
static const char *const short_name[CAIRN_C_TYPES] = {
    [CAIRN_IR_BOOL] = "bool", [CAIRN_IR_I8] = "i8",     [CAIRN_IR_I16] = "i16",
    [CAIRN_IR_I32] = "i32",   [CAIRN_IR_I64] = "i64",   [CAIRN_IR_U8] = "u8",
    [CAIRN_IR_U16] = "u16",   [CAIRN_IR_U32] = "u32",   [CAIRN_IR_U64] = "u64",
    [CAIRN_IR_F16] = "f16",   [CAIRN_IR_BF16] = "bf16", [CAIRN_IR_F32] = "f32",
    [CAIRN_IR_F64] = "f64",
};

const char *cairn_c_scalar(cairn_c *c, cairn_ir_type type)
{
    c->types |= 1u << (cairn_ir_type_is_half(type) ? CAIRN_IR_U16 : type);
    return cairn_ir_type_text(type);
}

const char *cairn_c_short_name(cairn_ir_type type)
{
    return short_name[type];
}

cairn_c_name cairn_c_vector_name(cairn_ir_type type, int lanes)
{
    cairn_c_name name;

    snprintf(name.text, sizeof name.text, "v%d%s", lanes, short_name[type]);
    return name;
}

cairn_c_name cairn_c_type(cairn_c *c, cairn_ir_type type, int lanes)
{
    cairn_c_name name;

    if (lanes > 1) {
        cairn_c_need(c, type, lanes, CAIRN_C_VECTOR);
        return cairn_c_vector_name(type, lanes);
    }
    snprintf(name.text, sizeof name.text, "%s", cairn_c_scalar(c, type));
    return name;
}

/// The integer type of the lanes of a position.
static cairn_ir_type index_type(cairn_c_use use)
{
    return use == CAIRN_C_GATHER ? CAIRN_IR_I64 : CAIRN_IR_I32;
}

cairn_ir_type cairn_c_bits_type(cairn_ir_type type)
{
    return type == CAIRN_IR_F32 ? CAIRN_IR_I32 : CAIRN_IR_I64;
}

void cairn_c_need(cairn_c *c, cairn_ir_type type, int lanes, cairn_c_use use)
{
    const bool gathers = use == CAIRN_C_GATHER || use == CAIRN_C_GATHER_I32;

    cairn_c_scalar(c, type);
    if ((use == CAIRN_C_LANE_SUM || use == CAIRN_C_ANY) && lanes == 1) return;
    c->vectors[type][__builtin_ctz((unsigned)lanes)] |=
        1u << CAIRN_C_VECTOR | 1u << use;
    if (use == CAIRN_C_LANE_SUM || use == CAIRN_C_ANY)
        cairn_c_need(c, type, lanes / 2, use);
    if (use == CAIRN_C_FOLLOW || use == CAIRN_C_AHEAD)
        cairn_c_need(c, type, lanes, CAIRN_C_ANY);
    if (use == CAIRN_C_COLUMN) {
        cairn_c_need(c, type, 4, CAIRN_C_LOAD);
        if (lanes > 4) cairn_c_need(c, type, 4, CAIRN_C_BESIDE);
    }
    if (gathers) cairn_c_need(c, index_type(use), lanes, CAIRN_C_VECTOR);
    if (use == CAIRN_C_LAST)
        cairn_c_need(c, cairn_c_bits_type(type), lanes, CAIRN_C_VECTOR);
    if (use == CAIRN_C_LOAD && cairn_ir_type_is_half(type)) {
        cairn_c_need(c, CAIRN_IR_F32, lanes, CAIRN_C_VECTOR);
        cairn_c_need(c, CAIRN_IR_U32, lanes, CAIRN_C_VECTOR);
    }
    if (use == CAIRN_C_WIDEN) cairn_c_need(c, CAIRN_IR_F64, lanes, CAIRN_C_VECTOR);
    /* Sixteen 64-bit positions fill two registers: two gathers. */
    if (use == CAIRN_C_GATHER && type == CAIRN_IR_F32 && lanes == 16)
        cairn_c_need(c, type, 8, use);
    if ((gathers || use == CAIRN_C_LOAD) && !cairn_ir_type_is_float(type))
        cairn_c_need(c, CAIRN_IR_I64, lanes, CAIRN_C_VECTOR);
}

bool cairn_c_needs(const cairn_c *c, cairn_ir_type type, int lanes, cairn_c_use use)
{
    return c->vectors[type][__builtin_ctz((unsigned)lanes)] >> use & 1;
}

void cairn_c_need_call(cairn_c *c, cairn_c_call call)
{
    c->calls |= 1u << call;
}
