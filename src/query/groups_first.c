// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where a group lies: its first position, how many positions it has, whether all of
/// them are this rank's.

#include "format/points.h"
#include "query/set.h"

#include <string.h>

/// A form that is one dimension over a divisor (1: the dimension itself).
static bool simple_form(const cairn_query_set *set,
                        const cairn_form      *form,
                        int                   *dim,
                        int64_t               *divisor)
{
    if (form->constant != 0 || form->terms != 1 || form->term[0].factor != 1)
        return false;

    const cairn_atom *atom = &set->algebra->atom[form->term[0].atom];

    *divisor = 1;
    if (atom->kind == CAIRN_ATOM_DIV) {
        *divisor = atom->divisor;
        form     = &atom->form;
        if (form->constant != 0 || form->terms != 1 || form->term[0].factor != 1)
            return false;
        atom = &set->algebra->atom[form->term[0].atom];
    }
    *dim = atom->number;
    return atom->kind == CAIRN_ATOM_DIM;
}

/// First position where every form is one dimension, or its floor: no search. @p inside
/// says whether there is one. False: the forms are not so.
static bool simple_first(const cairn_query_set *set,
                         const cairn_query_map *map,
                         const int64_t         *tuple,
                         cairn_coord           *d,
                         bool                  *inside)
{
    uint32_t seen = 0;

    for (int k = 0; k < set->order; k++)
        d[k] = set->global[k].lo;
    *inside = true;
    for (int f = 0; f < map->count; f++) {
        int     k;
        int64_t divisor, first;

        if (!simple_form(set, &map->form[f], &k, &divisor) || seen >> k & 1)
            return false;
        seen |= 1U << k;
        if (tuple[f] < 0 || __builtin_mul_overflow(tuple[f], divisor, &first))
            first = -1;
        if (first < set->global[k].lo || first > set->global[k].hi) *inside = false;
        d[k] = first;
    }
    for (int k = 0; k < set->order; k++)
        if (set->global[k].hi < set->global[k].lo) *inside = false;
    return true;
}

bool cairn_group_first_dim(const cairn_query_set *set,
                           const cairn_query_map *map,
                           int                    k,
                           int                   *f,
                           int64_t               *divisor)
{
    uint32_t seen = 0;

    *f = -1;
    if (map->queries) return false;
    for (int g = 0; g < map->count; g++) {
        int     dim;
        int64_t by;

        if (!simple_form(set, &map->form[g], &dim, &by) || seen >> dim & 1)
            return false;
        seen |= 1U << dim;
        if (dim != k) continue;
        *f       = g;
        *divisor = by;
    }
    return true;
}

bool cairn_group_first(const cairn_query_set *set,
                       const cairn_query_map *map,
                       const int64_t         *tuple,
                       cairn_coord           *d)
{
    cairn_points points;
    bool         inside;

    if (map->queries) { /* groups by a query's value are not searched for */
        for (int k = 0; k < set->order; k++)
            d[k] = set->global[k].lo;
        return false;
    }
    if (simple_first(set, map, tuple, d, &inside)) return inside;
    cairn_points_init(&points, set->algebra, map->count, map->form, tuple, set->global);
    inside = cairn_points_next(&points, d);
    cairn_visit(set->env, points.steps);
    return inside;
}

int64_t cairn_group_positions(const cairn_query_set *set,
                              const cairn_query_map *map,
                              const int64_t         *tuple)
{
    cairn_interval box[CAIRN_MAX_ORDER];
    cairn_points   points;
    cairn_coord    d[CAIRN_MAX_ORDER];
    uint32_t       used  = 0;
    int64_t        count = 0, each = 1;

    for (int f = 0; f < map->count; f++)
        used |= cairn_form_dims(set->algebra, &map->form[f]);
    for (int k = 0; k < set->order; k++) {
        const int64_t size = set->global[k].hi - set->global[k].lo + 1;

        box[k] = set->global[k];
        if (used >> k & 1) continue;
        if (size > 0) box[k].hi = box[k].lo; /* one stands for all */
        if (__builtin_mul_overflow(each, size, &each)) each = INT64_MAX;
    }
    cairn_points_init(&points, set->algebra, map->count, map->form, tuple, box);
    while (cairn_points_next(&points, d))
        count++;
    cairn_visit(set->env, points.steps);
    return __builtin_mul_overflow(count, each, &count) ? INT64_MAX : count;
}

bool cairn_map_is_local(const cairn_query_set *set, const cairn_query_map *map)
{
    for (int f = 0; f < map->count; f++) {
        int     dim;
        int64_t divisor;

        if (simple_form(set, &map->form[f], &dim, &divisor) && dim == 0 && divisor == 1)
            return true;
    }
    return false;
}

bool cairn_group_crosses(const cairn_query_set *set,
                         const cairn_query_map *map,
                         const int64_t         *tuple)
{
    cairn_interval box[CAIRN_MAX_ORDER];

    if (!set->spread) return false;
    if (map->queries) return true;
    memcpy(box, set->global, sizeof box);
    for (int f = 0; f < map->count; f++)
        cairn_form_narrow(set->algebra, &map->form[f],
                          (cairn_interval){tuple[f], tuple[f]}, box);
    return box[0].lo < set->box[0].lo || box[0].hi > set->box[0].hi;
}

/// Where rows follow from the tuple alone: as cairn_group_crosses() for groups that have
/// a position.
static void mark_by_rows(const cairn_query_set *set,
                         const cairn_tuples    *groups,
                         int                    f,
                         int64_t                divisor,
                         int64_t                n,
                         uint8_t               *crossing)
{
    const cairn_interval mine = set->box[0], all = set->global[0];

    for (int64_t g = 0; g < n; g++) {
        const int64_t at    = f < 0 ? 0 : cairn_tuples_at(groups, g)[f];
        const int64_t first = f < 0 ? all.lo : at * divisor;
        const int64_t last =
            f < 0 || all.hi - first < divisor ? all.hi : first + divisor - 1;

        crossing[g] = first < mine.lo || last > mine.hi;
    }
}

cairn_status cairn_query_mark_crossing(cairn_query_set *set, int q)
{
    cairn_query_state  *s       = &set->state[q];
    const cairn_tuples *groups  = cairn_query_groups(set, q);
    const int64_t       n       = cairn_query_group_count(set, q);
    int64_t             divisor = 1;
    int                 f;

    cairn_free(set->env, s->crossing);
    s->crossing = NULL;
    if (!set->spread || cairn_map_is_local(set, &s->group)) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, n, &s->crossing));
    if (cairn_group_first_dim(set, &s->group, 0, &f, &divisor)) {
        mark_by_rows(set, groups, f, divisor, n, s->crossing);
        return CAIRN_OK;
    }
    for (int64_t g = 0; g < n; g++)
        s->crossing[g] =
            cairn_group_crosses(set, &s->group, cairn_tuples_at(groups, g));
    return CAIRN_OK;
}
