// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where a group lies: its first position, how many positions it has, whether all of
/// them are this rank's.

#include "format/points.h"
#include "query/set.h"

/// The dimension, over a divisor (1: itself), that a form is; -1: something else.
static int
quotient(const cairn_query_set *set, const cairn_form *form, int64_t *divisor)
{
    const int         at   = cairn_form_atom(form);
    const cairn_atom *atom = at < 0 ? NULL : &set->algebra->atom[at];

    *divisor = 1;
    if (!atom || atom->kind != CAIRN_ATOM_DIV)
        return cairn_form_dimension(form, set->order);
    *divisor = atom->divisor;
    return cairn_form_dimension(&atom->form, set->order);
}

/// The first position in the tensor where every form is a dimension, or its floor, and none
/// twice: rows and blocks, of which there are many. @p inside: is there one? False: the
/// forms are not so.
static bool simple_first(const cairn_query_set *set,
                         const cairn_query_map *map,
                         const int64_t         *tuple,
                         cairn_coord           *d,
                         bool                  *inside)
{
    uint32_t seen = 0;
    int64_t  divisor;

    *inside = !cairn_box_is_empty(set->global, set->order);
    for (int k = 0; k < set->order; k++)
        d[k] = set->global[k].lo;
    for (int f = 0; f < map->count; f++) {
        const int k = quotient(set, &map->form[f], &divisor);

        if (k < 0 || seen >> k & 1) return false;
        seen |= 1U << k;
        if (tuple[f] < 0 || __builtin_mul_overflow(tuple[f], divisor, &d[k])
            || d[k] > set->global[k].hi)
            *inside = false;
    }
    return true;
}

bool cairn_group_first(const cairn_query_set *set,
                       const cairn_query_map *map,
                       const int64_t         *tuple,
                       const cairn_interval  *box,
                       cairn_coord           *d)
{
    cairn_points points;
    cairn_coord  at[CAIRN_MAX_ORDER];
    bool         inside;

    if (map->queries) return false; /* groups by a query's value are not searched for */
    if (box == set->global && simple_first(set, map, tuple, at, &inside)) {
        if (inside) memcpy(d, at, (size_t)set->order * sizeof *d);
        return inside;
    }
    cairn_points_init(&points, set->algebra, map->count, map->form, tuple, box);
    const bool found = cairn_points_next(&points, d);

    cairn_visit(set->env, points.steps);
    return found;
}

bool cairn_group_is_on(const cairn_query_set *set,
                       const cairn_query_map *map,
                       const int64_t         *tuple,
                       int                    r)
{
    cairn_interval box[CAIRN_MAX_ORDER];
    cairn_coord    d[CAIRN_MAX_ORDER];

    memcpy(box, set->domain, sizeof box);
    if (set->rows) box[0] = set->rows[r];
    return map->queries || cairn_group_first(set, map, tuple, box, d);
}

int64_t cairn_group_positions(const cairn_query_set *set,
                              const cairn_query_map *map,
                              const int64_t         *tuple)
{
    cairn_interval box[CAIRN_MAX_ORDER];
    cairn_points   points;
    cairn_coord    d[CAIRN_MAX_ORDER];
    uint32_t       used  = 0;
    int64_t        count = 0;

    for (int f = 0; f < map->count; f++)
        used |= cairn_form_dims(set->algebra, &map->form[f]);
    memcpy(box, set->global, sizeof box);
    for (int k = 0; k < set->order; k++) /* of the others one stands for all */
        if (!(used >> k & 1) && box[k].hi > box[k].lo) box[k].hi = box[k].lo;
    cairn_points_init(&points, set->algebra, map->count, map->form, tuple, box);
    while (cairn_points_next(&points, d))
        count++;
    cairn_visit(set->env, points.steps);
    return cairn_count_times(count, cairn_box_points(set->global, set->order, ~used));
}

bool cairn_group_crosses(const cairn_query_set *set,
                         const cairn_query_map *map,
                         const int64_t         *tuple)
{
    cairn_interval box[CAIRN_MAX_ORDER];

    if (set->size < 2) return false;
    if (map->queries) return true;
    memcpy(box, set->global, sizeof box);
    for (int f = 0; f < map->count; f++)
        cairn_form_narrow(set->algebra, &map->form[f],
                          (cairn_interval){tuple[f], tuple[f]}, box);
    return box[0].lo < set->box[0].lo || box[0].hi > set->box[0].hi;
}
