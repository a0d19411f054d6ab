// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Groups as lines: keys that are no digits, but repeat with a period along one dimension.

#include "format/query_class_steps.h"

#include <stdlib.h>

static bool common_period(int64_t *a, int64_t b)
{
    if (__builtin_mul_overflow(*a, b / cairn_gcd(*a, b), a)) return false;
    return *a <= CAIRN_MAX_PERIOD;
}

/// Dimensions that move with the one along which runs go.
static uint32_t moving_along(const cairn_query_order *o)
{
    uint32_t dims = 0;

    for (int k = 0; k < o->order; k++)
        if (o->positions.slope[k] != 0 && o->positions.on[k] == o->runs.along)
            dims |= 1U << k;
    return dims;
}

static bool period_of(const cairn_query_order *o,
                      const cairn_form        *form,
                      int64_t                 *period,
                      int64_t                 *advance);

/// The same of one atom.
static bool period_of_atom(const cairn_query_order *o,
                           const cairn_atom        *atom,
                           int64_t                 *period,
                           int64_t                 *advance)
{
    *period  = 1;
    *advance = 0;
    if (atom->kind == CAIRN_ATOM_DIM) {
        if (moving_along(o) >> atom->number & 1)
            *advance = o->positions.slope[atom->number];
        return true;
    }
    if (atom->kind == CAIRN_ATOM_QUERY
        || !(cairn_form_dims(o->algebra, &atom->form) & moving_along(o)))
        return true;
    if (!period_of(o, &atom->form, period, advance)) return false;

    const int64_t more = atom->divisor / cairn_gcd(atom->divisor, llabs(*advance));

    if (__builtin_mul_overflow(*period, more, period) || *period > CAIRN_MAX_PERIOD
        || __builtin_mul_overflow(*advance, more, advance))
        return false;
    *advance = atom->kind == CAIRN_ATOM_DIV ? *advance / atom->divisor : 0;
    return true;
}

/// After how many positions a form advances by a constant, and by how much.
static bool period_of(const cairn_query_order *o,
                      const cairn_form        *form,
                      int64_t                 *period,
                      int64_t                 *advance)
{
    int64_t part[CAIRN_MAX_TERMS], by[CAIRN_MAX_TERMS];

    *period = 1;
    for (int t = 0; t < form->terms; t++)
        if (!period_of_atom(o, &o->algebra->atom[form->term[t].atom], &part[t], &by[t])
            || !common_period(period, part[t]))
            return false;
    *advance = 0;
    for (int t = 0; t < form->terms; t++) {
        int64_t step;

        if (__builtin_mul_overflow(by[t], *period / part[t], &step)
            || __builtin_mul_overflow(step, form->term[t].factor, &step)
            || __builtin_add_overflow(*advance, step, advance))
            return false;
    }
    return true;
}

/// The open dimension with most positions.
static int longest(const cairn_query_order *o)
{
    int along = -1;

    for (int k = 0; k < o->order; k++)
        if (o->positions.open >> k & 1
            && (along < 0 || o->global[k].hi > o->global[along].hi))
            along = k;
    return along;
}

/// Rows of the group, each of them a line, are at most so many.
static bool rows_are_few(const cairn_query_order *o)
{
    int64_t rows = 1;

    for (int k = 0; k < o->order; k++)
        if (o->positions.open >> k & 1 && k != o->runs.along
            && __builtin_mul_overflow(rows, o->global[k].hi + 1, &rows))
            return false;
    return rows <= CAIRN_MAX_ROWS;
}

static bool
add_run_key(cairn_query_order *o, const cairn_form *form, int dim, int64_t *own)
{
    const int k = o->runs.keys;

    if (k == CAIRN_MAX_KEYS) return false;
    o->runs.form[k] = form;
    o->runs.dim[k]  = dim;
    own[k]          = 1;
    if (!form)
        o->runs.advance[k] = moving_along(o) >> dim & 1 ? o->positions.slope[dim] : 0;
    if (form && !period_of(o, form, &own[k], &o->runs.advance[k])) return false;
    if (!common_period(&o->runs.period, own[k])) return false;
    o->runs.keys++;
    return true;
}

bool cairn_query_runs_find(cairn_query_order    *o,
                           const cairn_key_list *keys,
                           uint32_t              constant)
{
    int64_t       own[CAIRN_MAX_KEYS];
    cairn_varying v;

    for (int s = 0; s < o->positions.steps; s++)
        if (o->positions.step[s].what == CAIRN_GROUP_DIGIT) return false;
    o->runs.along  = longest(o);
    o->runs.keys   = 0;
    o->runs.period = 1;
    if (o->runs.along < 0 || !rows_are_few(o)) return false;
    for (int f = 0; f < keys->n; f++) {
        if (!cairn_varying_find(o, keys->form[f], constant, &v)) return false;
        if (v.atoms == 0 && v.dims == 0) continue;
        if (!add_run_key(o, keys->form[f], -1, own)) return false;
    }
    for (int k = 0; k < o->order; k++)
        if (o->positions.slope[k] != 0 && !add_run_key(o, NULL, k, own)) return false;
    for (int k = 0; k < o->runs.keys; k++)
        if (__builtin_mul_overflow(o->runs.advance[k], o->runs.period / own[k],
                                   &o->runs.advance[k]))
            return false;
    return true;
}
