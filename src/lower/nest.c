// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Levels as loops, positions by arithmetic or from ptr.

#include "lower/nest.h"

static cairn_ir_field field_of(const cairn_nest *nest, cairn_ir_source source, int l)
{
    return (cairn_ir_field){.source = source, .part = nest->part, .level = l};
}

/// Letter of the part in names.
static char letter(const cairn_nest *nest)
{
    return (char)('A' + nest->part);
}

static cairn_ir_type int_type(int bits, bool is_signed)
{
    switch (bits) {
    case 8: return is_signed ? CAIRN_IR_I8 : CAIRN_IR_U8;
    case 16: return is_signed ? CAIRN_IR_I16 : CAIRN_IR_U16;
    case 32: return is_signed ? CAIRN_IR_I32 : CAIRN_IR_U32;
    default: return CAIRN_IR_I64;
    }
}

cairn_ir_array *cairn_nest_idx(const cairn_nest *nest, int l)
{
    const cairn_level *level = &nest->layout->level[l];
    cairn_ir_array    *array =
        cairn_ir_array_of(nest->b, field_of(nest, CAIRN_IR_LEVEL_IDX, l),
                          int_type(level->arrays.idx_bits, level->arrays.idx_signed),
                          "%c%d_idx", letter(nest), l);

    if (level->arrays.tuple >= 0)
        array->stride = (int64_t)nest->layout->packs.tuple[level->arrays.tuple].size;
    return array;
}

cairn_ir_array *cairn_nest_ptr(const cairn_nest *nest, int l)
{
    return cairn_ir_array_of(nest->b, field_of(nest, CAIRN_IR_LEVEL_PTR, l),
                             int_type(nest->layout->level[l].arrays.ptr_bits, false),
                             "%c%d_ptr", letter(nest), l);
}

/// Type of a value as it is stored.
static cairn_ir_type value_type(const cairn_layout *layout)
{
    switch (layout->values.kind) {
    case CAIRN_VALUE_INTEGER: return int_type(layout->values.bits, true);
    case CAIRN_VALUE_CODE: return int_type(layout->values.bits, false);
    case CAIRN_VALUE_BFLOAT: return CAIRN_IR_BF16;
    default:
        if (layout->values.bits == 16) return CAIRN_IR_F16;
        return layout->values.bits == 32 ? CAIRN_IR_F32 : CAIRN_IR_F64;
    }
}

cairn_ir_array *cairn_nest_values(const cairn_nest *nest)
{
    const cairn_layout *layout = nest->layout;
    cairn_ir_array     *array =
        cairn_ir_array_of(nest->b, field_of(nest, CAIRN_IR_VAL, 0), value_type(layout),
                          "%c_val", letter(nest));

    if (layout->values.tuple >= 0) {
        array->stride = (int64_t)layout->packs.tuple[layout->values.tuple].size;
        array->block  = layout->packs.tuple[layout->values.tuple].block;
    }
    return array;
}

cairn_ir_array *cairn_nest_dictionary(const cairn_nest *nest)
{
    return cairn_ir_array_of(nest->b, field_of(nest, CAIRN_IR_DICTIONARY, 0),
                             CAIRN_IR_F64, "%c_dictionary", letter(nest));
}

bool cairn_nest_constant(const cairn_layout *layout, int l, int64_t *lo, int64_t *size)
{
    const cairn_form *form = &layout->level[l].form;

    const cairn_atom *digit = cairn_form_single(layout->algebra, form, CAIRN_ATOM_MOD);

    *lo   = form->constant;
    *size = digit ? digit->divisor : 1;
    return digit || form->terms == 0;
}

static cairn_ir_x
level_param(const cairn_nest *nest, cairn_ir_source source, int l, const char *what)
{
    return cairn_ir_param(nest->b, field_of(nest, source, l), CAIRN_IR_I64, "%c%d_%s",
                          letter(nest), l, what);
}

cairn_ir_x cairn_nest_size(const cairn_nest *nest, int l)
{
    int64_t lo, size;

    if (cairn_nest_constant(nest->layout, l, &lo, &size))
        return cairn_ir_int(nest->b, size);
    return level_param(nest, CAIRN_IR_LEVEL_SIZE, l, "size");
}

cairn_ir_x cairn_nest_lo(const cairn_nest *nest, int l)
{
    int64_t lo, size;

    if (cairn_nest_constant(nest->layout, l, &lo, &size))
        return cairn_ir_int(nest->b, lo);
    return level_param(nest, CAIRN_IR_LEVEL_LO, l, "lo");
}

bool cairn_nest_loops(const cairn_layout *layout, int l)
{
    const cairn_level *level = &layout->level[l];
    int64_t            lo, size;

    if (level->determined.on) return false;
    if (level->trimmed) return level->top || level->arrays.has_ptr;
    return !cairn_nest_constant(layout, l, &lo, &size) || size != 1;
}

/// Indices of the levels that number the bank, the last fastest.
static void enter_bank(cairn_nest *nest)
{
    cairn_ir  *b    = nest->b;
    cairn_ir_x bank = cairn_ir_param(b, field_of(nest, CAIRN_IR_BANK, 0), CAIRN_IR_I64,
                                     "%c_bank", letter(nest));

    for (int l = nest->layout->partition; l >= 0; l--) {
        const cairn_ir_x size = cairn_nest_size(nest, l);
        const cairn_ir_x at =
            l == 0 ? bank : cairn_ir_binary(b, CAIRN_IR_MOD, bank, size);
        char name[CAIRN_NEST_NAME];

        cairn_nest_name(nest->layout, l, name);
        nest->place[l] = at;
        nest->index[l] =
            cairn_ir_use(b, cairn_ir_let(b, cairn_ir_add(b, cairn_nest_lo(nest, l), at),
                                         "%s", name));
        bank = cairn_ir_binary(b, CAIRN_IR_DIV, bank, size);
        nest->entered |= 1U << l;
    }
}

void cairn_nest_begin(cairn_nest         *nest,
                      cairn_ir           *b,
                      const cairn_layout *layout,
                      int                 part)
{
    *nest = (cairn_nest){.b = b, .layout = layout, .part = part};
    if (layout->partition >= 0) enter_bank(nest);
}

cairn_ir_x cairn_nest_node(const cairn_nest *nest, int l)
{
    cairn_ir *b = nest->b;

    if (l <= nest->layout->partition) return cairn_ir_int(b, 0);
    if (nest->layout->level[l].trimmed) return nest->node[l];
    const cairn_ir_x parent = cairn_nest_node(nest, l - 1);

    if (nest->layout->level[l].determined.on) return parent;
    return cairn_ir_add(b, cairn_ir_mul(b, parent, cairn_nest_size(nest, l)),
                        nest->place[l]);
}

cairn_ir_x cairn_nest_value(const cairn_nest *nest)
{
    return cairn_nest_node(nest, nest->layout->levels - 1);
}

/// Row-major over the complete levels by which a determined one is indexed, under every
/// node of level E where it is stored per node.
cairn_ir_x cairn_nest_combination(const cairn_nest *nest, int l)
{
    const cairn_layout *layout = nest->layout;
    const cairn_level  *level  = &layout->level[l];
    cairn_ir           *b      = nest->b;
    cairn_ir_x          p      = cairn_ir_int(b, 0);

    if (level->determined.per_node && layout->last >= 0)
        p = cairn_nest_node(nest, layout->last);
    for (int k = layout->partition + 1; k < l; k++)
        if (level->determined.by >> k & 1)
            p = cairn_ir_add(b, cairn_ir_mul(b, p, cairn_nest_size(nest, k)),
                             nest->place[k]);
    return p;
}

void cairn_nest_range(const cairn_nest *nest, int l, cairn_ir_x *begin, cairn_ir_x *end)
{
    const cairn_level *level = &nest->layout->level[l];
    cairn_ir          *b     = nest->b;

    *begin = cairn_ir_int(b, 0);
    if (!level->trimmed) {
        *end = cairn_nest_size(nest, l);
    } else if (level->top) {
        *end = level_param(nest, CAIRN_IR_LEVEL_NODES, l, "nodes");
    } else {
        const cairn_ir_x parent = cairn_nest_node(nest, l - 1);

        *begin = parent;
        *end   = cairn_ir_add_int(b, parent, 1);
        if (!level->arrays.has_ptr) return;
        *begin = cairn_ir_load(b, cairn_nest_ptr(nest, l), *begin);
        *end   = cairn_ir_load(b, cairn_nest_ptr(nest, l), *end);
    }
}

bool cairn_nest_reads(const cairn_layout *layout, int l)
{
    if (layout->inverse.check >> l & 1) return true;
    for (int k = 0; k < layout->order; k++)
        for (int t = 0; t < layout->inverse.dim[k].terms; t++)
            if (layout->inverse.dim[k].var[t] == l) return true;
    return false;
}

void cairn_nest_stand(cairn_nest *nest, int l, cairn_ir_x at)
{
    const cairn_level *level = &nest->layout->level[l];
    cairn_ir          *b     = nest->b;
    char               name[CAIRN_NEST_NAME];
    cairn_ir_x         index = NULL;

    cairn_nest_name(nest->layout, l, name);
    nest->entered |= 1U << l;
    if (level->trimmed)
        nest->node[l] = at;
    else
        nest->place[l] = at;
    if (!cairn_nest_reads(nest->layout, l)) return;
    if (!level->trimmed)
        index = cairn_ir_add(b, at, cairn_nest_lo(nest, l));
    else if (level->arrays.has_idx)
        index = cairn_ir_load(b, cairn_nest_idx(nest, l), at);
    if (index && index != at && index->op != CAIRN_IR_INT && !nest->terse)
        index = cairn_ir_use(b, cairn_ir_let(b, index, "%s", name));
    nest->index[l] = index;
}

cairn_ir_x cairn_nest_hole(const cairn_nest *nest, int l)
{
    return level_param(nest, CAIRN_IR_LEVEL_HOLE, l, "hole");
}

static void enter_determined(cairn_nest *nest, int l)
{
    cairn_ir        *b    = nest->b;
    const cairn_ir_x hole = cairn_nest_hole(nest, l);
    char             name[CAIRN_NEST_NAME];

    cairn_nest_name(nest->layout, l, name);
    nest->entered |= 1U << l;
    nest->index[l] =
        cairn_ir_use(b, cairn_ir_let(b,
                                     cairn_ir_load(b, cairn_nest_idx(nest, l),
                                                   cairn_nest_combination(nest, l)),
                                     "%s", name));
    cairn_ir_if(b, cairn_ir_ne(b, nest->index[l], hole));
    nest->open++;
}

cairn_ir_stmt *
cairn_nest_enter_range(cairn_nest *nest, int l, cairn_ir_x begin, cairn_ir_x end)
{
    char       name[CAIRN_NEST_NAME], note[CAIRN_NEST_NOTE];
    int64_t    lo, size;
    const bool own = cairn_nest_constant(nest->layout, l, &lo, &size) && lo == 0
                     && !nest->layout->level[l].trimmed;

    cairn_nest_name(nest->layout, l, name);
    cairn_nest_note(nest->layout, l, note);
    cairn_ir_stmt *loop =
        cairn_ir_for(nest->b, begin, end, 1, note, "%s%s", own ? "" : "p", name);

    nest->open++;
    cairn_nest_stand(nest, l, cairn_ir_loop_var(nest->b, loop));
    return loop;
}

void cairn_nest_enter(cairn_nest *nest, int l)
{
    cairn_ir_x begin, end;

    if (nest->layout->level[l].determined.on) {
        enter_determined(nest, l);
        return;
    }
    cairn_nest_range(nest, l, &begin, &end);
    if (cairn_nest_loops(nest->layout, l))
        cairn_nest_enter_range(nest, l, begin, end);
    else
        cairn_nest_stand(nest, l, begin);
}

void cairn_nest_leave(cairn_nest *nest, int open)
{
    while (nest->open > open) {
        cairn_ir_end(nest->b);
        nest->open--;
    }
}
