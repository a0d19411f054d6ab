// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the phases of a conversion read and write: arguments, arrays of parts, keys.

#include "lower/conversion/convert_steps.h"

enum { ITEM = 16 }; ///< Bytes of a key with its value.

static cairn_ir_field argument(int field)
{
    return (cairn_ir_field){CAIRN_IR_ARG, 0, field};
}

cairn_ir_array *cairn_convert_array(cairn_convert *c, int field, const char *name)
{
    return cairn_ir_array_of(&c->ir, argument(field), CAIRN_IR_I64, "%s", name);
}

cairn_ir_array *cairn_convert_small(cairn_convert *c, int field, const char *name)
{
    return cairn_ir_array_of(&c->ir, argument(field), CAIRN_IR_U32, "%s", name);
}

cairn_ir_array *cairn_convert_members(cairn_convert *c)
{
    return cairn_ir_array_of(&c->ir, argument(CAIRN_CONVERT_member), CAIRN_IR_U8,
                             "member");
}

cairn_ir_array *cairn_convert_coordinates(cairn_convert *c, int d)
{
    return cairn_ir_array_of(&c->ir, argument(CAIRN_CONVERT_coord0 + d), CAIRN_IR_I64,
                             "coord%d", d);
}

cairn_ir_array *cairn_convert_entry_values(cairn_convert *c)
{
    return cairn_ir_array_of(&c->ir, argument(CAIRN_CONVERT_value), CAIRN_IR_F64,
                             "value");
}

cairn_ir_x cairn_convert_scalar(cairn_convert *c, int field, const char *name)
{
    return cairn_ir_param(&c->ir, argument(field), CAIRN_IR_I64, "%s", name);
}

cairn_ir_x
cairn_convert_element(cairn_convert *c, int field, const char *name, int64_t k)
{
    return cairn_ir_load(&c->ir, cairn_convert_array(c, field, name),
                         cairn_ir_int(&c->ir, k));
}

static cairn_ir_type integer(int bits, bool is_signed)
{
    switch (bits) {
    case 8: return is_signed ? CAIRN_IR_I8 : CAIRN_IR_U8;
    case 16: return is_signed ? CAIRN_IR_I16 : CAIRN_IR_U16;
    case 32: return is_signed ? CAIRN_IR_I32 : CAIRN_IR_U32;
    default: return is_signed ? CAIRN_IR_I64 : CAIRN_IR_U64;
    }
}

static const cairn_layout *layout_of(const cairn_convert *c, int part)
{
    return part ? c->to : c->from;
}

static const char *letter(int part)
{
    return part ? "B" : "A";
}

cairn_ir_array *cairn_convert_ptr(cairn_convert *c, int part, int level)
{
    const cairn_level *info = &layout_of(c, part)->level[level];

    return cairn_ir_array_of(&c->ir, (cairn_ir_field){CAIRN_IR_LEVEL_PTR, part, level},
                             integer(info->arrays.ptr_bits, false), "%s%d_ptr",
                             letter(part), level);
}

cairn_ir_array *cairn_convert_idx(cairn_convert *c, int part, int level)
{
    const cairn_layout *layout = layout_of(c, part);
    const cairn_level  *info   = &layout->level[level];
    cairn_ir_array     *array =
        cairn_ir_array_of(&c->ir, (cairn_ir_field){CAIRN_IR_LEVEL_IDX, part, level},
                          integer(info->arrays.idx_bits, info->arrays.idx_signed),
                          "%s%d_idx", letter(part), level);

    if (array && info->arrays.tuple >= 0)
        array->stride = (int64_t)layout->packs.tuple[info->arrays.tuple].size;
    return array;
}

/// Words that values are moved as are integers.
static cairn_ir_type type_in_memory(const cairn_layout *layout)
{
    switch (layout->values.bits) {
    case 8: return CAIRN_IR_I8;
    case 16: return CAIRN_IR_I16;
    case 32: return CAIRN_IR_F32;
    default: return CAIRN_IR_F64;
    }
}

static cairn_ir_type type_of_values(const cairn_layout *layout)
{
    return layout->values.bits < 32 ? CAIRN_IR_I64 : type_in_memory(layout);
}

cairn_ir_x cairn_convert_as_value(cairn_convert *c, cairn_ir_x value)
{
    return cairn_ir_cast(&c->ir, type_of_values(c->to), value);
}

cairn_ir_x cairn_convert_no_value(cairn_convert *c, int part)
{
    const cairn_ir_type type = type_of_values(layout_of(c, part));

    return type == CAIRN_IR_I64 ? cairn_ir_int(&c->ir, 0)
                                : cairn_ir_real(&c->ir, type, 0);
}

cairn_ir_array *cairn_convert_values(cairn_convert *c, int part)
{
    const cairn_layout *layout = layout_of(c, part);
    cairn_ir_array     *array =
        cairn_ir_array_of(&c->ir, (cairn_ir_field){CAIRN_IR_VAL, part, 0},
                          type_in_memory(layout), "%s_val", letter(part));

    if (array && layout->values.tuple >= 0) {
        array->stride = (int64_t)layout->packs.tuple[layout->values.tuple].size;
        array->block  = layout->packs.tuple[layout->values.tuple].block;
    }
    return array;
}

/* f%c over all its remainders has c of them whatever the extents. */
int64_t cairn_convert_constant_size(const cairn_layout *layout, int level)
{
    const cairn_level *info = &layout->level[level];
    const cairn_atom  *digit =
        cairn_form_single(layout->algebra, &info->form, CAIRN_ATOM_MOD);

    return digit && digit->divisor == info->size ? info->size : 0;
}

cairn_ir_x cairn_convert_size(cairn_convert *c, int part, int level)
{
    const int64_t constant = cairn_convert_constant_size(layout_of(c, part), level);

    if (constant) return cairn_ir_int(&c->ir, constant);
    return cairn_ir_param(&c->ir, (cairn_ir_field){CAIRN_IR_LEVEL_SIZE, part, level},
                          CAIRN_IR_I64, "%s%d_size", letter(part), level);
}

cairn_ir_x cairn_convert_low(cairn_convert *c, int part, int level)
{
    if (cairn_convert_constant_size(layout_of(c, part), level))
        return cairn_ir_int(&c->ir, 0);
    return cairn_ir_param(&c->ir, (cairn_ir_field){CAIRN_IR_LEVEL_LO, part, level},
                          CAIRN_IR_I64, "%s%d_lo", letter(part), level);
}

cairn_ir_array *cairn_convert_words(cairn_convert *c, int word)
{
    cairn_ir_array *array =
        word ? cairn_ir_array_of(&c->ir, argument(CAIRN_CONVERT_high), CAIRN_IR_U64,
                                 "high")
             : cairn_ir_array_of(&c->ir, argument(CAIRN_CONVERT_key), CAIRN_IR_U64,
                                 "key");

    if (array && c->spec->keys.split == 0) array->stride = ITEM;
    return array;
}

cairn_ir_array *cairn_convert_moved(cairn_convert *c)
{
    cairn_ir_array *array =
        cairn_ir_array_of(&c->ir, argument(CAIRN_CONVERT_moved), CAIRN_IR_F64, "moved");

    if (array && c->spec->keys.split == 0) array->stride = ITEM;
    return array;
}

void cairn_convert_read_fields(cairn_convert *c)
{
    for (int l = 0; l < c->levels; l++) {
        c->fields.low[l] = cairn_ir_use(
            &c->ir,
            cairn_ir_let(&c->ir, cairn_convert_element(c, CAIRN_CONVERT_low, "low", l),
                         "low%d", l));
        c->fields.shift[l] = cairn_ir_use(
            &c->ir,
            cairn_ir_let(&c->ir,
                         cairn_convert_element(c, CAIRN_CONVERT_shift, "shift", l),
                         "shift%d", l));
        c->fields.mask[l] = cairn_ir_use(
            &c->ir, cairn_ir_let(
                        &c->ir, cairn_convert_element(c, CAIRN_CONVERT_mask, "mask", l),
                        "mask%d", l));
    }
}

/* Without a branch: what is noted may be as good as random. */
void cairn_convert_note(cairn_convert *c, cairn_ir_x condition, cairn_ir_var *variable)
{
    cairn_ir *b = &c->ir;

    cairn_ir_assign(b, variable,
                    cairn_ir_binary(b, CAIRN_IR_BITS_OR, cairn_ir_use(b, variable),
                                    cairn_ir_cast(b, CAIRN_IR_I64, condition)));
}
