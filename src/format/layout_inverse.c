// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The inverse of an index map: dimensions as combinations of the direct levels' values,
/// and when a combination that comes out must be held against the map once more.

#include "format/layout_steps.h"

#include <inttypes.h>
#include <string.h>

static bool box_is_empty(const cairn_layout *layout)
{
    for (int k = 0; k < layout->order; k++)
        if (layout->extent[k] == 0) return true;
    return false;
}

/// The floor of f%c is known where the extents cover the digit; without extents it
/// counts as known (a layout with extents will tell).
static cairn_status
cover_digit(cairn_layout *layout, cairn_known *known, const cairn_form *floor)
{
    cairn_interval whole[CAIRN_MAX_ORDER], range;

    if (!layout->given.sized || box_is_empty(layout))
        return cairn_known_add_constant(known, floor, 0);
    for (int k = 0; k < layout->order; k++)
        whole[k] = (cairn_interval){0, layout->extent[k] - 1};
    CAIRN_TRY(cairn_form_range(layout->algebra, floor, whole, NULL, &range));
    if (range.lo != range.hi) return CAIRN_OK;
    return cairn_known_add_constant(known, floor, range.lo);
}

static cairn_status cover_digits(cairn_layout *layout, cairn_known *known)
{
    const int atoms = layout->algebra->atoms;

    for (int a = 0; a < atoms; a++) {
        const cairn_atom atom = layout->algebra->atom[a];
        cairn_form       floor;

        if (atom.kind != CAIRN_ATOM_MOD
            || cairn_form_queries(layout->algebra, &atom.form))
            continue;
        CAIRN_TRY(cairn_form_div(layout->algebra, &atom.form, atom.divisor, &floor));
        CAIRN_TRY(cover_digit(layout, known, &floor));
    }
    return CAIRN_OK;
}

/// Refuse: some remainder's digit is not covered. Name the first that uses @p dim.
static cairn_status refuse_digit(cairn_env *env, const cairn_layout *layout, int dim)
{
    for (int l = 0; l < layout->levels; l++) {
        const cairn_form *form = &layout->level[l].form;
        const cairn_atom *atom =
            form->terms ? &layout->algebra->atom[form->term[0].atom] : NULL;

        if (layout->level[l].indirect || !atom || atom->kind != CAIRN_ATOM_MOD
            || !(cairn_form_dims(layout->algebra, form) & 1U << dim))
            continue;
        return cairn_fail(env, CAIRN_BAD_FORMAT,
                          "format: level %d: a remainder of %" PRId64
                          " alone does not give back d%d, whose extent is %" PRId64,
                          l, atom->divisor, dim, layout->extent[dim]);
    }
    return cairn_fail(
        env, CAIRN_BAD_FORMAT,
        "format: the levels do not give back d%d, whose extent is %" PRId64, dim,
        layout->extent[dim]);
}

/// Mark the floors that a form needs when its remainders are written out.
static cairn_status
needed_floors(cairn_layout *layout, const cairn_form *form, bool *needed)
{
    for (int t = 0; t < form->terms; t++) {
        const cairn_atom atom = layout->algebra->atom[form->term[t].atom];
        cairn_form       floor;

        if (atom.kind == CAIRN_ATOM_DIV) needed[form->term[t].atom] = true;
        if (atom.kind != CAIRN_ATOM_MOD) continue;
        CAIRN_TRY(cairn_form_div(layout->algebra, &atom.form, atom.divisor, &floor));
        CAIRN_TRY(needed_floors(layout, &floor, needed));
        CAIRN_TRY(needed_floors(layout, &atom.form, needed));
    }
    return CAIRN_OK;
}

/// A level that is f%c itself keeps f - c*floor(f/c) in 0..c-1, whatever tuple comes.
static cairn_status
covered_floor(cairn_layout *layout, const cairn_form *form, bool *covered)
{
    const cairn_atom *digit = cairn_form_single(layout->algebra, form, CAIRN_ATOM_MOD);
    cairn_form        floor;

    if (!digit) return CAIRN_OK;
    CAIRN_TRY(cairn_form_div(layout->algebra, &digit->form, digit->divisor, &floor));
    if (floor.terms == 1) covered[floor.term[0].atom] = true;
    return CAIRN_OK;
}

/// Tuples whose floors contradict each other exist only where a floor stands without
/// its remainder.
static cairn_status
floors_contradict(cairn_layout *layout, uint32_t levels, bool *contradict)
{
    bool needed[CAIRN_MAX_ATOMS] = {false}, covered[CAIRN_MAX_ATOMS] = {false};

    for (int l = 0; l < layout->levels; l++) {
        if (!(levels >> l & 1)) continue;
        CAIRN_TRY(needed_floors(layout, &layout->level[l].form, needed));
        CAIRN_TRY(covered_floor(layout, &layout->level[l].form, covered));
    }
    *contradict = false;
    for (int a = 0; a < CAIRN_MAX_ATOMS; a++)
        *contradict |= needed[a] && !covered[a];
    return CAIRN_OK;
}

/// Levels that are forms of dimensions.
static uint32_t direct_levels(const cairn_layout *layout)
{
    uint32_t direct = 0;

    for (int l = 0; l < layout->levels; l++)
        if (!layout->level[l].indirect) direct |= 1U << l;
    return direct;
}

/// Of levels that say one thing twice, or whose floors contradict each other, every direct
/// level is compared after inverting.
static cairn_status find_checks(cairn_layout *layout)
{
    const uint32_t direct = direct_levels(layout);
    bool           contradict;

    CAIRN_TRY(floors_contradict(layout, direct, &contradict));
    if (contradict) layout->inverse.check = direct;
    return CAIRN_OK;
}

/// Does each of @p levels say something that those before it do not?
static cairn_status
are_independent(cairn_layout *layout, cairn_known *known, uint32_t levels, bool *are)
{
    *are = true;
    for (int l = 0; l < layout->levels; l++) {
        bool fresh;

        if (!(levels >> l & 1)) continue;
        CAIRN_TRY(cairn_known_add(known, &layout->level[l].form, NULL, &fresh));
        *are = *are && fresh;
    }
    return CAIRN_OK;
}

cairn_status cairn_layout_levels_agree(cairn_env    *env,
                                       cairn_layout *layout,
                                       uint32_t      levels,
                                       bool         *agree)
{
    bool         contradict = false;
    cairn_known *known;
    cairn_status status;

    CAIRN_TRY(cairn_known_create(env, layout->algebra, &known));
    CAIRN_GO(done, are_independent(layout, known, levels, agree));
    CAIRN_GO(done, floors_contradict(layout, levels, &contradict));
    *agree = *agree && !contradict;
done:
    cairn_known_destroy(env, &known);
    return status;
}

static cairn_status invert(cairn_env *env, cairn_layout *layout, cairn_known *known)
{
    for (int l = 0; l < layout->levels; l++) {
        bool fresh;

        CAIRN_TRY(cairn_known_add(known, &layout->level[l].form, NULL, &fresh));
        /* Of levels that say one thing twice the inverse may use either, so that any of
         * them can contradict it. */
        if (!fresh && !layout->level[l].indirect)
            layout->inverse.check = direct_levels(layout);
    }
    CAIRN_TRY(cover_digits(layout, known));
    layout->inverse.exact = layout->inverse.check == 0;
    for (int k = 0; k < layout->order; k++) {
        const cairn_form form = {.terms = 1, .term = {{k, 1}}};
        bool             back;

        CAIRN_TRY(cairn_known_solve(known, &form, &back, &layout->inverse.dim[k]));
        if (!back) return refuse_digit(env, layout, k);
        layout->inverse.exact &= layout->inverse.dim[k].den == 1;
    }
    return CAIRN_OK;
}

cairn_status cairn_layout_invert(cairn_env *env, cairn_layout *layout)
{
    cairn_known *known;

    CAIRN_TRY(find_checks(layout));
    CAIRN_TRY(cairn_known_create(env, layout->algebra, &known));
    const cairn_status status = invert(env, layout, known);

    cairn_known_destroy(env, &known);
    return status;
}
