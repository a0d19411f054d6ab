// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Maps over all elements of a query, as columns: a form is summed up term by term, each a
/// loop over a coordinate or over what is divided.

#include "format/columns.h"

#include "format/points.h"
#include "groups/state.h"

#include <string.h>

cairn_status cairn_groups_of(cairn_groups *set, int q, const int64_t **of)
{
    cairn_group_query *s = &set->query[q];

    if (!s->of) {
        CAIRN_TRY(CAIRN_NEW(set->env, s->elements, &s->of));
        cairn_visit(set->env, s->elements);
        for (int64_t g = 0; g < s->index.groups; g++)
            for (int64_t k = s->index.begin[g]; k < s->index.begin[g + 1]; k++)
                s->of[cairn_group_index_element(&s->index, k)] = g;
    }
    *of = s->of;
    return CAIRN_OK;
}

/// A form that is one dimension, or its floor.
static bool
simple_form(const cairn_groups *set, const cairn_form *form, int *dim, int64_t *divisor)
{
    int atom = cairn_form_atom(form);

    *divisor = 1;
    if (atom >= 0 && set->algebra->atom[atom].kind == CAIRN_ATOM_DIV) {
        *divisor = set->algebra->atom[atom].divisor;
        atom     = cairn_form_atom(&set->algebra->atom[atom].form);
    }
    *dim = atom;
    return atom >= 0 && atom < set->order;
}

/// The first position where all forms are one dimension, or its floor.
static bool simple_first(const cairn_groups *set,
                         const cairn_forms  *map,
                         const int64_t      *tuple,
                         cairn_coord        *d)
{
    uint32_t seen = 0;

    memset(d, 0, (size_t)set->order * sizeof *d);
    for (int f = 0; f < map->count; f++) {
        int     k;
        int64_t divisor;

        if (!simple_form(set, &map->form[f], &k, &divisor) || seen >> k & 1)
            return false;
        seen |= 1U << k;
        d[k] = tuple[f] * divisor;
    }
    return true;
}

cairn_status cairn_groups_first(cairn_groups *set, int r, int64_t g, cairn_coord *d)
{
    const cairn_group_query *s     = &set->query[r];
    const int64_t           *tuple = cairn_group_index_tuple(&s->index, g);
    cairn_interval           all[CAIRN_MAX_ORDER];
    cairn_points             points;

    if (simple_first(set, &s->forms.group, tuple, d)) return CAIRN_OK;
    for (int k = 0; k < set->order; k++)
        all[k] = (cairn_interval){0, set->shape.extent[k] - 1};
    cairn_points_init(&points, set->algebra, s->forms.group.count, s->forms.group.form,
                      tuple, all);
    if (!cairn_points_next(&points, d)) memset(d, 0, (size_t)set->order * sizeof *d);
    cairn_visit(set->env, points.steps);
    return CAIRN_OK;
}

cairn_status cairn_groups_position(cairn_groups *set, int q, int64_t p, cairn_coord *d)
{
    const int arg = set->query[q].query->arg;

    if (arg >= 0) return cairn_groups_first(set, arg, p, d);
    for (int k = 0; k < set->order; k++)
        d[k] = set->entries->coord[k][p];
    return CAIRN_OK;
}

/* ---- forms over coordinates ---- */

/// Positions of elements as columns.
static cairn_status
find_positions(cairn_groups *set, int q, uint32_t dims, cairn_group_column *at)
{
    const cairn_group_query *s = &set->query[q];
    cairn_coord              d[CAIRN_MAX_ORDER];

    for (int k = 0; k < set->order; k++)
        at[k] = (cairn_group_column){.data = s->query->arg < 0 ? set->entries->coord[k]
                                                               : NULL};
    if (s->query->arg < 0 || !dims) return CAIRN_OK;
    for (int k = 0; k < set->order; k++) {
        if (!(dims >> k & 1)) continue;
        CAIRN_TRY(CAIRN_NEW(set->env, s->elements, &at[k].own));
        at[k].data = at[k].own;
    }
    cairn_visit(set->env, s->elements);
    for (int64_t p = 0; p < s->elements; p++) {
        CAIRN_TRY(cairn_groups_first(set, s->query->arg, p, d));
        for (int k = 0; k < set->order; k++)
            if (at[k].own) at[k].own[p] = d[k];
    }
    return CAIRN_OK;
}

static void evaluate_all(const cairn_groups       *set,
                         const cairn_form         *form,
                         int64_t                   n,
                         const cairn_group_column *at,
                         int64_t                  *out)
{
    const int64_t *d[CAIRN_MAX_ORDER];

    cairn_visit(set->env, n);
    for (int k = 0; k < set->order; k++)
        d[k] = at[k].data;
    cairn_form_columns(set->algebra, form, d, NULL, n, out);
}

/* ---- forms with values of queries ---- */

/// Add factor * value to every element, which loses its number where the value is none.
static void add_values(int64_t n, int64_t factor, const int64_t *value, int64_t *out)
{
    for (int64_t p = 0; p < n; p++)
        if (value[p] == CAIRN_NO_NUMBER || out[p] == CAIRN_NO_NUMBER)
            out[p] = CAIRN_NO_NUMBER;
        else
            out[p] += factor * value[p];
}

/// A form with a query below a floor or remainder: elements without a number have none.
static cairn_status
nested_column(cairn_groups *set, int q, const cairn_form *form, int64_t *out)
{
    const uint32_t     uses                = cairn_form_queries(set->algebra, form);
    const int64_t      n                   = set->query[q].elements;
    cairn_group_column at[CAIRN_MAX_ORDER] = {{.own = NULL}};
    cairn_group_column value[CAIRN_MAX_QUERIES] = {{.own = NULL}};
    const int64_t     *dims[CAIRN_MAX_ORDER], *numbers[CAIRN_MAX_QUERIES];
    cairn_status       status;

    CAIRN_GO(done, find_positions(set, q, cairn_form_dims(set->algebra, form), at));
    for (int r = 0; uses >> r; r++)
        if (uses >> r & 1) CAIRN_GO(done, cairn_groups_values(set, q, r, &value[r]));
    for (int k = 0; k < set->order; k++)
        dims[k] = at[k].data;
    for (int r = 0; r < CAIRN_MAX_QUERIES; r++)
        numbers[r] = value[r].data;
    cairn_visit(set->env, n);
    cairn_form_columns(set->algebra, form, dims, numbers, n, out);
    for (int r = 0; uses >> r; r++)
        for (int64_t p = 0; uses >> r & 1 && p < n; p++)
            if (numbers[r][p] == CAIRN_NO_NUMBER) out[p] = CAIRN_NO_NUMBER;
    status = CAIRN_OK;
done:
    for (int k = 0; k < set->order; k++)
        cairn_free(set->env, at[k].own);
    for (int r = 0; r < CAIRN_MAX_QUERIES; r++)
        cairn_free(set->env, value[r].own);
    return status;
}

static cairn_status
sum_column(cairn_groups *set, int q, const cairn_form *form, int64_t *out)
{
    cairn_group_column at[CAIRN_MAX_ORDER] = {{.own = NULL}}, value;
    cairn_form         plain               = {.constant = form->constant};
    cairn_status       status              = CAIRN_OK;
    const int64_t      n                   = set->query[q].elements;

    for (int t = 0; t < form->terms; t++) {
        const cairn_atom *atom = &set->algebra->atom[form->term[t].atom];

        if (atom->kind == CAIRN_ATOM_QUERY) continue;
        if (atom->kind != CAIRN_ATOM_DIM
            && cairn_form_queries(set->algebra, &atom->form))
            return nested_column(set, q, form, out);
        plain.term[plain.terms++] = form->term[t];
    }
    CAIRN_GO(done, find_positions(set, q, cairn_form_dims(set->algebra, &plain), at));
    evaluate_all(set, &plain, n, at, out);
    for (int t = 0; t < form->terms; t++) {
        const cairn_atom *atom = &set->algebra->atom[form->term[t].atom];

        if (atom->kind != CAIRN_ATOM_QUERY) continue;
        CAIRN_GO(done, cairn_groups_values(set, q, atom->number, &value));
        add_values(n, form->term[t].factor, value.data, out);
        cairn_free(set->env, value.own);
    }
done:
    for (int k = 0; k < set->order; k++)
        cairn_free(set->env, at[k].own);
    return status;
}

/// A form of the earlier query's own groups: one of their values.
static cairn_status copy_tuples(cairn_groups *set, int r, int f, int64_t *out)
{
    const cairn_group_index *x = &set->query[r].index;

    cairn_visit(set->env, x->groups);
    for (int64_t g = 0; g < x->groups; g++)
        out[g] = cairn_group_index_tuple(x, g)[f];
    return CAIRN_OK;
}

cairn_status cairn_groups_column(cairn_groups       *set,
                                 int                 q,
                                 const cairn_form   *form,
                                 cairn_group_column *column)
{
    const cairn_group_query *s    = &set->query[q];
    const int                arg  = s->query->arg;
    cairn_group_column       made = {.data = NULL};
    int                      own  = -1;

    for (int f = 0; arg >= 0 && f < set->query[arg].forms.group.count; f++)
        if (cairn_form_equal(form, &set->query[arg].forms.group.form[f])) own = f;
    const int dim = cairn_form_dimension(form, set->order);

    if (arg < 0 && dim >= 0) {
        *column = (cairn_group_column){.data = set->entries->coord[dim]};
        return CAIRN_OK;
    }
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements, &made.own));
    made.data                 = made.own;
    const cairn_status status = own >= 0 ? copy_tuples(set, arg, own, made.own)
                                         : sum_column(set, q, form, made.own);

    if (status == CAIRN_OK)
        *column = made;
    else
        cairn_free(set->env, made.own);
    return status;
}

cairn_status
cairn_groups_values(cairn_groups *set, int q, int r, cairn_group_column *column)
{
    const cairn_group_query *s    = &set->query[q];
    int64_t                 *made = NULL;
    cairn_coord              d[CAIRN_MAX_ORDER];
    cairn_status             status = CAIRN_OK;

    if (s->query->arg < 0) {
        *column = (cairn_group_column){.data = cairn_groups_at_entries(set, r)};
        return column->data ? CAIRN_OK : CAIRN_NO_MEMORY;
    }
    if (s->query->arg == r) {
        *column = (cairn_group_column){.data = set->query[r].total};
        return CAIRN_OK;
    }
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements, &made));
    cairn_visit(set->env, s->elements);
    for (int64_t p = 0; p < s->elements && status == CAIRN_OK; p++) {
        status = cairn_groups_first(set, s->query->arg, p, d);
        if (status == CAIRN_OK) status = cairn_groups_value(set, r, d, &made[p]);
    }
    if (status != CAIRN_OK) {
        cairn_free(set->env, made);
        return status;
    }
    *column = (cairn_group_column){.data = made, .own = made};
    return CAIRN_OK;
}
