// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is done before the innermost loop over a part, and what can be proved about that
/// loop: entries of a run go side by side, and a row may be like the one before it.

#include "lower/conversion/convert_steps.h"

enum { LONGEST = 64 }; ///< Entries of a run.

/// Dimensions that are levels above @p l: known before its loop, and in the box.
static uint32_t known_before(const cairn_convert *c, int l)
{
    uint32_t known = 0;

    for (int k = 0; k < c->from->order; k++)
        if (cairn_convert_is_level(c, k) && c->from->inverse.dim[k].var[0] < l)
            known |= 1U << k;
    return known;
}

void cairn_convert_stand_before(cairn_convert    *c,
                                const cairn_ir_x *e,
                                int               l,
                                cairn_ir_x        begin,
                                cairn_ir_x        end)
{
    const uint32_t known = known_before(c, l);

    for (int f = 0; f < c->inner.needs; f++)
        if ((cairn_form_dims(c->algebra, &c->target[f]) & ~known)
            || cairn_form_queries(c->algebra, &c->target[f]))
            return;
    for (int k = 0; k < c->from->order; k++)
        if (known >> k & 1) c->here.dim[k] = e[c->from->inverse.dim[k].var[0]];
    c->inner.called = true;
    c->inner.before(c, c->inner.user, l, begin, end);
}

/// The dimension that the innermost loop over the source runs along, node by node in its
/// order, one value a node; -1: it does not.
static int runs_along(const cairn_convert *c)
{
    const cairn_convert_spec *spec = c->spec;
    const int                 l    = c->from ? c->from->levels - 1 : -1;

    if (l < 1 || spec->members.one || spec->along.on || spec->blocks.query
        || spec->tables.queries || c->from->pads || !c->from->inverse.exact)
        return -1;
    const cairn_level *level = &c->from->level[l];

    if (!level->trimmed || level->top || !level->arrays.has_ptr
        || !level->arrays.has_idx || level->gaps)
        return -1;
    for (int k = 0; k < c->from->order; k++)
        if (!cairn_convert_is_level(c, k)) return -1;
    for (int k = 0; k < c->from->order; k++)
        if (c->from->inverse.dim[k].var[0] == l) return k;
    return -1;
}

static const cairn_atom *atom_of(const cairn_convert *c, int l, cairn_atom_kind kind)
{
    return cairn_form_single(c->algebra, &c->target[l], kind);
}

/// Does a form move as dimension @p k does?
static bool moves_as(const cairn_convert *c, const cairn_form *form, int k)
{
    int64_t factor = 0;

    for (int t = 0; t < form->terms; t++) {
        const cairn_form its = {.terms = 1, .term = {form->term[t]}};

        if (form->term[t].atom == k)
            factor += form->term[t].factor;
        else if (cairn_form_dims(c->algebra, &its) >> k & 1)
            return false;
    }
    return factor == 1;
}

/// Does level @p l stay as it is while @p digit runs through its remainders?
static bool stays(const cairn_convert *c, int l, int k, const cairn_atom *digit)
{
    const cairn_atom *atom = atom_of(c, l, CAIRN_ATOM_DIV);

    if (!(cairn_form_dims(c->algebra, &c->target[l]) >> k & 1)) return true;
    return atom && atom->divisor % digit->divisor == 0
           && cairn_form_equal(&atom->form, &digit->form);
}

int64_t cairn_convert_run_length(const cairn_convert *c)
{
    const int         k = runs_along(c), last = c->to->levels - 1;
    const cairn_atom *digit =
        last > c->to->last ? atom_of(c, last, CAIRN_ATOM_MOD) : NULL;

    if (k < 0 || !digit || digit->divisor > LONGEST
        || cairn_convert_constant_size(c->to, last) != digit->divisor
        || !moves_as(c, &digit->form, k))
        return 0;
    for (int l = 0; l <= last; l++)
        if (c->to->level[l].determined.on || (l < last && !stays(c, l, k, digit)))
            return 0;
    return digit->divisor;
}

bool cairn_convert_has_like_rows(const cairn_convert *c)
{
    const int k = runs_along(c), E = c->to->last;

    if (k < 0 || cairn_form_dims(c->algebra, &c->target[E]) != 1U << k) return false;
    for (int l = 0; l < c->to->first; l++)
        if (cairn_form_dims(c->algebra, &c->target[l]) >> k & 1) return false;
    return true;
}

bool cairn_convert_has_full_rows(const cairn_convert *c)
{
    const int64_t length = cairn_convert_run_length(c);
    const int     k = runs_along(c), E = c->to->last, last = c->to->levels - 1;

    if (length == 0 || c->to->first != E || !cairn_convert_has_like_rows(c))
        return false;
    const cairn_atom *quotient = atom_of(c, E, CAIRN_ATOM_DIV);

    if (!quotient || quotient->divisor != length) return false;
    for (int l = E + 1; l < last; l++)
        if (cairn_form_dims(c->algebra, &c->target[l]) >> k & 1) return false;
    return true;
}
