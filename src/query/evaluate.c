// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Elements, and maps at one of them.

#include "query/set.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static cairn_status
make_map(cairn_query_set *set, const cairn_map *map, cairn_query_map *made)
{
    if (!map) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, map->count, &made->form));
    made->count = map->count;
    for (int f = 0; f < map->count; f++) {
        CAIRN_TRY(cairn_form_of(set->algebra, map->expr[f], &made->form[f]));
        made->queries |= cairn_form_queries(set->algebra, &made->form[f]);
    }
    return CAIRN_OK;
}

/// `traverseBy (d0,d1)->(d0/2)` that stands for 2 buckets means the order of d0.
static cairn_status
make_traverse(cairn_query_set *set, const cairn_query *query, cairn_query_map *made)
{
    if (!query->shorthand || !query->traverse_by)
        return make_map(set, query->traverse_by, made);

    cairn_map inner = *query->traverse_by;

    inner.expr[0] = inner.expr[0]->a;
    return make_map(set, &inner, made);
}

cairn_status cairn_query_maps(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];

    CAIRN_TRY(make_map(set, &s->query->group_by, &s->group));
    CAIRN_TRY(make_traverse(set, s->query, &s->traverse));
    return make_map(set, s->query->distance_by, &s->by);
}

const char *
cairn_query_label(const cairn_query_set *set, const cairn_query *query, char text[32])
{
    if (query->name) return query->name;
    snprintf(text, 32, "query %d", (int)(query - set->encoding->query));
    return text;
}

/* ---- elements ---- */

void cairn_element_at(const cairn_query_set *set,
                      const cairn_coord     *d,
                      int64_t                entry,
                      cairn_element         *element)
{
    element->q      = CAIRN_ARG_VALUE;
    element->entry  = entry;
    element->group  = -1;
    element->placed = true;
    memcpy(element->d, d, (size_t)set->order * sizeof *d);
}

void cairn_element_tuple(const cairn_query_set *set,
                         int                    q,
                         const int64_t         *tuple,
                         cairn_element         *element)
{
    element->q      = q;
    element->entry  = -1;
    element->group  = cairn_tuples_find(&set->state[q].groups, tuple);
    element->placed = false;
    memcpy(element->tuple, tuple, (size_t)set->state[q].group.count * sizeof *tuple);
}

void cairn_element_group(const cairn_query_set *set,
                         int                    q,
                         int64_t                group,
                         cairn_element         *element)
{
    const cairn_tuples *groups = &set->state[q].groups;

    element->q      = q;
    element->entry  = -1;
    element->group  = group;
    element->placed = false;
    for (int k = 0; k < groups->width; k++)
        element->tuple[k] = cairn_tuples_at(groups, group)[k];
}

static void
element_of_entry(const cairn_query_set *set, int64_t p, cairn_element *element)
{
    element->q      = CAIRN_ARG_VALUE;
    element->entry  = p;
    element->group  = -1;
    element->placed = true;
    for (int k = 0; k < set->order; k++)
        element->d[k] = set->entries->coord[k][p];
}

void cairn_element_get(const cairn_query_set *set,
                       const cairn_elements  *elements,
                       int64_t                p,
                       cairn_element         *element)
{
    cairn_coord d[CAIRN_MAX_ORDER];

    switch (elements->kind) {
    case CAIRN_ELEMENTS_ENTRIES: element_of_entry(set, p, element); return;
    case CAIRN_ELEMENTS_GROUPS:
        cairn_element_group(set, elements->q, p, element);
        return;
    case CAIRN_ELEMENTS_BOX: break;
    }
    cairn_box_position(set, p, d);
    cairn_element_at(set, d, elements->entry[p], element);
}

void cairn_element_place(const cairn_query_set *set, cairn_element *element)
{
    const cairn_query_state *s;

    if (element->placed) return;
    s               = &set->state[element->q];
    element->placed = true;
    if (s->origin && element->group >= 0) {
        memcpy(element->d, s->origin + element->group * set->order,
               (size_t)set->order * sizeof *element->d);
        return;
    }
    cairn_group_first(set, &s->group, element->tuple, element->d);
}

int64_t cairn_box_number(const cairn_query_set *set, const cairn_coord *d)
{
    int64_t number = 0;

    for (int k = 0; k < set->order; k++) {
        const cairn_interval box = set->box[k];

        if (d[k] < box.lo || d[k] > box.hi) return -1;
        number = number * (box.hi - box.lo + 1) + (d[k] - box.lo);
    }
    return number;
}

void cairn_box_position(const cairn_query_set *set, int64_t number, cairn_coord *d)
{
    for (int k = set->order - 1; k >= 0; k--) {
        const int64_t size = set->box[k].hi - set->box[k].lo + 1;

        d[k] = set->box[k].lo + number % size;
        number /= size;
    }
}

static int compare_entry(const cairn_query_set *set, int64_t p, const cairn_coord *d)
{
    for (int k = 0; k < set->order; k++) {
        const cairn_coord here = set->entries->coord[k][p];

        if (here != d[k]) return here < d[k] ? -1 : 1;
    }
    return 0;
}

int64_t cairn_entry_find(const cairn_query_set *set, const cairn_coord *d)
{
    int64_t lo = 0, hi = set->entries->n;

    while (lo < hi) {
        const int64_t mid     = lo + (hi - lo) / 2;
        const int     compare = compare_entry(set, mid, d);

        if (compare == 0) return mid;
        if (compare < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

/* ---- maps ---- */

/// A form that is one of the earlier query's own needs no position.
static bool known_by_tuple(const cairn_query_set *set,
                           const cairn_form      *form,
                           const cairn_element   *element,
                           int64_t               *value)
{
    if (element->q < 0) return false;

    const cairn_query_map *groups = &set->state[element->q].group;

    for (int k = 0; k < groups->count; k++)
        if (cairn_form_equal(form, &groups->form[k])) {
            *value = element->tuple[k];
            return true;
        }
    return false;
}

cairn_status cairn_query_form(cairn_query_set       *set,
                              const cairn_query_map *map,
                              int                    f,
                              cairn_element         *element,
                              int64_t               *value)
{
    const cairn_form *form = &map->form[f];
    int64_t           queries[CAIRN_MAX_QUERIES];
    uint32_t          uses = 0;

    if (known_by_tuple(set, form, element, value)) return CAIRN_OK;
    if (map->queries) uses = cairn_form_queries(set->algebra, form);
    for (int r = 0; uses >> r; r++) {
        if (!(uses >> r & 1)) continue;
        CAIRN_TRY(cairn_query_value(set, r, element, &queries[r]));
        if (queries[r] == CAIRN_NO_NUMBER) {
            *value = CAIRN_NO_NUMBER;
            return CAIRN_OK;
        }
    }
    if (!uses || cairn_form_dims(set->algebra, form)) cairn_element_place(set, element);
    *value = cairn_form_value(set->algebra, form, element->d, queries);
    return CAIRN_OK;
}

cairn_status cairn_query_tuple(cairn_query_set       *set,
                               const cairn_query_map *map,
                               cairn_element         *element,
                               int64_t               *tuple)
{
    for (int f = 0; f < map->count; f++)
        CAIRN_TRY(cairn_query_form(set, map, f, element, &tuple[f]));
    return CAIRN_OK;
}
