// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Dimensions from levels: the inverse map as expressions, and the guards that the
/// layout's structure does not make needless.

#include "lower/nest.h"

/// Only level @p l, as it is.
static bool is_level(const cairn_linear *linear, int *l)
{
    if (linear->terms != 1 || linear->constant != 0 || linear->den != 1
        || linear->num[0] != 1)
        return false;
    *l = linear->var[0];
    return true;
}

/// Gaps are nodes without entries, whose levels may say anything.
static bool has_gaps(const cairn_layout *layout)
{
    for (int l = 0; l < layout->levels; l++)
        if (layout->level[l].gaps) return true;
    return false;
}

/// Do all levels of the dimension come from an entry? Every node has one, with the
/// indices of the complete levels above it.
static bool
from_entries(const cairn_layout *layout, const cairn_linear *linear, uint32_t entered)
{
    const bool node = layout->last >= 0 && entered >> layout->first & 1;

    for (int t = 0; t < linear->terms; t++) {
        const int l = linear->var[t];

        if (!layout->level[l].trimmed && !(node && l < layout->first)) return false;
    }
    return linear->den == 1 && layout->last >= 0 && !has_gaps(layout);
}

/// Are both stored for the same positions, and there of the same coordinates? Not where
/// partition took a level away: its index is the bank's, whatever is stored.
static bool stand_together(const cairn_layout *layout, int l, int m)
{
    const cairn_level *a = &layout->level[l], *b = &layout->level[m];

    return m > layout->partition && b->determined.on
           && a->determined.by == b->determined.by
           && a->determined.per_node == b->determined.per_node
           && a->determined.recipe.dims == b->determined.recipe.dims;
}

/// Does the index of determined level @p l, with the levels that it is stored under and
/// those stored beside it, give dimension @p k?
static bool tells(const cairn_layout *layout, int l, int k)
{
    const cairn_level *level = &layout->level[l];
    uint32_t           known = level->determined.by;

    if (!level->determined.on || !(level->determined.recipe.dims >> k & 1))
        return false;
    for (int m = 0; m < layout->levels; m++)
        if (stand_together(layout, l, m)) known |= 1U << m;
    if (level->determined.per_node) known |= (1U << (layout->last + 1)) - 1;
    for (int t = 0; t < layout->inverse.dim[k].terms; t++)
        if (!(known >> layout->inverse.dim[k].var[t] & 1)) return false;
    return true;
}

/// Does a level that was entered have a hole wherever this dimension is outside?
static bool from_recipe(const cairn_layout *layout, int k, uint32_t entered)
{
    if (layout->inverse.check || layout->inverse.dim[k].den != 1) return false;
    for (int l = layout->partition + 1; l < layout->levels; l++)
        if (entered >> l & 1 && tells(layout, l, k)) return true;
    return false;
}

uint32_t cairn_nest_levels_of(const cairn_layout *layout, int k)
{
    uint32_t levels = 0;

    for (int t = 0; t < layout->inverse.dim[k].terms; t++) {
        const int          l     = layout->inverse.dim[k].var[t];
        const cairn_level *level = &layout->level[l];

        levels |= 1U << l;
        if (!level->determined.on) continue;
        levels |= level->determined.by;
        if (level->determined.per_node)
            for (int m = 0; m <= layout->last; m++)
                if (layout->level[m].trimmed) levels |= 1U << m;
    }
    return levels;
}

bool cairn_nest_inside(const cairn_layout *layout, int k, uint32_t entered)
{
    const cairn_linear *linear = &layout->inverse.dim[k];
    int                 l;

    if (is_level(linear, &l) && cairn_form_atom(&layout->level[l].form) == k)
        return true;
    return from_entries(layout, linear, entered) || from_recipe(layout, k, entered);
}

cairn_ir_x cairn_nest_sum(const cairn_nest *nest, const cairn_linear *linear)
{
    cairn_ir  *b   = nest->b;
    cairn_ir_x sum = NULL;

    for (int pass = 0; pass < 2; pass++) /* what is added first, for the reader */
        for (int t = 0; t < linear->terms; t++) {
            const int64_t    num  = linear->num[t];
            const cairn_ir_x e    = nest->index[linear->var[t]];
            const cairn_ir_x term = cairn_ir_mul_int(b, e, num < 0 && sum ? -num : num);

            if ((num > 0) != (pass == 0)) continue;
            sum = !sum      ? term
                  : num > 0 ? cairn_ir_add(b, sum, term)
                            : cairn_ir_sub(b, sum, term);
        }
    if (!sum) return cairn_ir_int(b, linear->constant);
    return cairn_ir_add_int(b, sum, linear->constant);
}

static void open_if(cairn_nest *nest, cairn_ir_x condition)
{
    if (condition->op == CAIRN_IR_INT && condition->integer) return;
    cairn_ir_if(nest->b, condition);
    nest->open++;
}

cairn_ir_x cairn_nest_dim(cairn_nest *nest, int k)
{
    const cairn_linear *linear = &nest->layout->inverse.dim[k];
    cairn_ir           *b      = nest->b;
    cairn_ir_x          value;

    if (nest->dim[k]) return nest->dim[k];
    value = cairn_nest_sum(nest, linear);
    if (linear->den != 1) {
        const cairn_ir_x den = cairn_ir_int(b, linear->den);

        if (value->op != CAIRN_IR_INT)
            value =
                cairn_ir_use(b, cairn_ir_let(b, value, "%c%lld", "ijklmnopqrstuvwx"[k],
                                             (long long)linear -> den));
        open_if(nest, cairn_ir_eq(b, cairn_ir_binary(b, CAIRN_IR_FLOOR_MOD, value, den),
                                  cairn_ir_int(b, 0)));
        value = cairn_ir_binary(b, CAIRN_IR_FLOOR_DIV, value, den);
    }
    if (value->op != CAIRN_IR_VAR && value->op != CAIRN_IR_INT && !nest->terse)
        value = cairn_ir_use(b, cairn_ir_let(b, value, "%c", "ijklmnopqrstuvwx"[k]));
    nest->dim[k] = value;
    return value;
}

void cairn_nest_guard(cairn_nest *nest, int k)
{
    cairn_ir        *b = nest->b;
    const cairn_ir_x d = cairn_nest_dim(nest, k);

    open_if(nest, cairn_ir_and(b, cairn_ir_le(b, nest->lo[k], d),
                               cairn_ir_lt(b, d, nest->end[k])));
}

static cairn_ir_x form_value(const cairn_nest *nest, const cairn_form *form)
{
    cairn_ir  *b   = nest->b;
    cairn_ir_x sum = cairn_ir_int(b, form->constant);

    for (int t = 0; t < form->terms; t++) {
        const cairn_atom *atom = &nest->layout->algebra->atom[form->term[t].atom];
        cairn_ir_x        value;

        if (atom->kind == CAIRN_ATOM_DIM)
            value = nest->dim[atom->number];
        else
            value = cairn_ir_binary(
                b,
                atom->kind == CAIRN_ATOM_DIV ? CAIRN_IR_FLOOR_DIV : CAIRN_IR_FLOOR_MOD,
                form_value(nest, &atom->form), cairn_ir_int(b, atom->divisor));
        sum = cairn_ir_add(b, sum, cairn_ir_mul_int(b, value, form->term[t].factor));
    }
    return sum;
}

void cairn_nest_check(cairn_nest *nest)
{
    cairn_ir  *b   = nest->b;
    cairn_ir_x all = NULL;

    for (int l = 0; l < nest->layout->levels; l++) {
        if (!(nest->layout->inverse.check >> l & 1)) continue;
        const cairn_ir_x same = cairn_ir_eq(
            b, form_value(nest, &nest->layout->level[l].form), nest->index[l]);

        all = all ? cairn_ir_and(b, all, same) : same;
    }
    if (all) open_if(nest, all);
}
