// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Elements, and maps at one of them.

#include "format/columns.h"
#include "query/set.h"

#include <stdio.h>

/* ---- maps ---- */

/// Also refuses what may leave 64 bits. Numbers of queries are not known yet.
static cairn_status
make_map(cairn_query_set *set, const cairn_map *map, cairn_query_map *made)
{
    cairn_interval range;

    if (!map) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, map->count, &made->form));
    made->count = map->count;
    for (int f = 0; f < map->count; f++) {
        CAIRN_TRY(cairn_form_of(set->algebra, map->expr[f], &made->form[f]));
        const uint32_t uses = cairn_form_queries(set->algebra, &made->form[f]);

        made->queries |= uses;
        if (!uses)
            CAIRN_TRY(cairn_form_range(set->algebra, &made->form[f], set->global, NULL,
                                       &range));
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

/* ---- one element ---- */

void cairn_element_at(const cairn_query_set *set,
                      const cairn_coord     *d,
                      int64_t                entry,
                      cairn_element         *element)
{
    element->q      = CAIRN_ARG_VALUE;
    element->entry  = entry;
    element->table  = NULL;
    element->share  = -1;
    element->placed = true;
    memcpy(element->d, d, (size_t)set->order * sizeof *d);
}

void cairn_element_entry(const cairn_query_set *set, int64_t p, cairn_element *element)
{
    cairn_coord d[CAIRN_MAX_ORDER];

    for (int k = 0; k < set->order; k++)
        d[k] = set->entries->coord[k][p];
    cairn_element_at(set, d, p, element);
}

void cairn_element_tuple(const cairn_query_set *set,
                         int                    q,
                         const int64_t         *tuple,
                         cairn_element         *element)
{
    const cairn_query_state *s     = &set->state[q];
    const cairn_query_table *table = s->listed.known ? &s->listed : &s->touched;

    element->q      = q;
    element->entry  = -1;
    element->group  = cairn_query_table_find(table, tuple);
    element->table  = element->group < 0 ? NULL : table;
    element->share  = -1;
    element->placed = false;
    memcpy(element->tuple, tuple, (size_t)s->group.count * sizeof *tuple);
}

void cairn_element_group(const cairn_query_set   *set,
                         int                      q,
                         const cairn_query_table *table,
                         int64_t                  group,
                         cairn_element           *element)
{
    (void)set;
    element->q      = q;
    element->entry  = -1;
    element->table  = table;
    element->group  = group;
    element->share  = -1;
    element->placed = false;
    for (int k = 0; k < table->width; k++)
        element->tuple[k] = cairn_query_table_at(table, group)[k];
}

const cairn_query_table *cairn_elements_table(const cairn_query_set *set,
                                              const cairn_elements  *elements)
{
    const cairn_query_state *s = &set->state[elements->q];

    return elements->all ? &s->listed : &s->touched;
}

void cairn_element_get(const cairn_query_set *set,
                       int                    q,
                       int64_t                p,
                       cairn_element         *element)
{
    const cairn_elements *elements = &set->state[q].elements;
    cairn_coord           d[CAIRN_MAX_ORDER];

    if (elements->q >= 0) {
        cairn_element_group(set, elements->q, cairn_elements_table(set, elements),
                            elements->group ? elements->group[p] : p, element);
        if (elements->share) element->share = elements->share[p];
    } else if (elements->all) {
        cairn_box_position(set, p, d);
        cairn_element_at(set, d, elements->entry[p], element);
    } else {
        cairn_element_entry(set, p, element);
    }
}

void cairn_element_place(const cairn_query_set *set, cairn_element *element)
{
    if (element->placed) return;
    element->placed = true;
    if (element->table && element->table->first) {
        memcpy(element->d, element->table->first + element->group * set->order,
               (size_t)set->order * sizeof *element->d);
        return;
    }
    for (int k = 0; k < set->order; k++)
        element->d[k] = set->global[k].lo;
    cairn_group_first(set, &set->state[element->q].group, element->tuple, set->global,
                      element->d);
}

int64_t cairn_element_share(const cairn_query_set *set, cairn_element *element)
{
    if (element->share >= 0) return element->share;
    cairn_element_place(set, element);
    return cairn_query_owner(set, element->d[0]);
}

/* ---- positions ---- */

int64_t cairn_box_number(const cairn_query_set *set, const cairn_coord *d)
{
    int64_t number = 0;

    for (int k = 0; k < set->order; k++) {
        const cairn_interval all = set->domain[k];

        if (d[k] < all.lo || d[k] > all.hi) return -1;
        number = number * (all.hi - all.lo + 1) + (d[k] - all.lo);
    }
    return number;
}

void cairn_box_position(const cairn_query_set *set, int64_t number, cairn_coord *d)
{
    for (int k = set->order - 1; k >= 0; k--) {
        const int64_t size = set->domain[k].hi - set->domain[k].lo + 1;

        d[k] = set->domain[k].lo + number % size;
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

/* ---- maps at an element ---- */

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

cairn_status cairn_elements_column(cairn_query_set       *set,
                                   int                    q,
                                   const cairn_query_map *map,
                                   int                    f,
                                   int64_t              **column)
{
    const cairn_elements *elements = &set->state[q].elements;
    cairn_element         element;

    CAIRN_TRY(CAIRN_NEW(set->env, elements->n, column));
    cairn_visit(set->env, elements->n);
    if (elements->q < 0 && !elements->all && !map->queries) {
        cairn_form_columns(set->algebra, &map->form[f],
                           (const int64_t *const *)set->entries->coord, NULL,
                           elements->n, *column);
        return CAIRN_OK;
    }
    for (int64_t p = 0; p < elements->n; p++) {
        cairn_element_get(set, q, p, &element);
        CAIRN_TRY(cairn_query_form(set, map, f, &element, &(*column)[p]));
    }
    return CAIRN_OK;
}

/* ---- all elements of a query ---- */

/// The entry at every position.
static cairn_status find_positions(cairn_query_set *set, cairn_elements *elements)
{
    const int64_t all = cairn_box_points(set->domain, set->order, UINT32_MAX);
    cairn_coord   d[CAIRN_MAX_ORDER];

    CAIRN_TRY(cairn_check_room(set->env, "positions of a query", (__int128)all * 40));
    if (all > INT64_MAX / 64) /* also without a limit */
        return cairn_fail(set->env, CAIRN_NO_MEMORY,
                          "query: the positions of the tensor are too many to list");
    CAIRN_TRY(CAIRN_NEW(set->env, all, &elements->entry));
    elements->n = all;
    cairn_visit(set->env, all + set->entries->n);
    memset(elements->entry, 0xff, (size_t)all * sizeof *elements->entry);
    for (int64_t p = 0; p < set->entries->n; p++) {
        for (int k = 0; k < set->order; k++)
            d[k] = set->entries->coord[k][p];
        elements->entry[cairn_box_number(set, d)] = p;
    }
    return CAIRN_OK;
}

/// Pairs of groups and ranks, each once: an element that several ranks have is one of each.
static cairn_status take_pairs(cairn_query_set *set,
                               int64_t          n,
                               int64_t *const   pair[2],
                               cairn_elements  *elements)
{
    cairn_query_table table = {.width = 2};
    cairn_status      status;

    CAIRN_GO(done, cairn_query_table_make(set->env, n, 2, pair, &table, NULL, NULL));
    CAIRN_GO(done, CAIRN_NEW(set->env, table.n, &elements->group));
    CAIRN_GO(done, CAIRN_NEW(set->env, table.n, &elements->share));
    elements->n = table.n;
    for (int64_t p = 0; p < table.n; p++) {
        elements->group[p] = cairn_query_table_at(&table, p)[0];
        elements->share[p] = cairn_query_table_at(&table, p)[1];
    }
done:
    cairn_query_table_fini(set->env, &table);
    return status;
}

/// Which ranks have an entry of which groups? (A position, where all positions are
/// elements.)
static cairn_status find_pairs(cairn_query_set *set, cairn_elements *elements)
{
    const cairn_query_map   *map   = &set->state[elements->q].group;
    const cairn_query_table *table = cairn_elements_table(set, elements);
    const int64_t most    = elements->all ? table->n * set->size : set->entries->n;
    int64_t      *pair[2] = {NULL, NULL}, tuple[CAIRN_MAX_LEVELS], n = 0;
    cairn_element element;
    cairn_status  status;

    CAIRN_GO(done, CAIRN_NEW(set->env, most, &pair[0]));
    CAIRN_GO(done, CAIRN_NEW(set->env, most, &pair[1]));
    cairn_visit(set->env, most);
    for (int64_t g = 0; elements->all && g < table->n; g++)
        for (int r = 0; r < set->size; r++) {
            if (!map->queries
                && !cairn_group_is_on(set, map, cairn_query_table_at(table, g), r))
                continue;
            pair[0][n]   = g;
            pair[1][n++] = r;
        }
    for (int64_t p = 0; !elements->all && p < most; p++, n++) {
        cairn_element_entry(set, p, &element);
        CAIRN_GO(done, cairn_query_tuple(set, map, &element, tuple));
        pair[0][n] = cairn_query_table_find(table, tuple);
        pair[1][n] = cairn_query_owner(set, element.d[0]);
    }
    status = take_pairs(set, n, pair, elements);
done:
    cairn_free(set->env, pair[0]);
    cairn_free(set->env, pair[1]);
    return status;
}

cairn_status cairn_elements_find(cairn_query_set *set, int q, bool all)
{
    cairn_query_state *s        = &set->state[q];
    cairn_elements    *elements = &s->elements;
    const int          arg      = s->query->arg;

    *elements = (cairn_elements){.q = arg, .all = all};
    if (arg < 0 && all) return find_positions(set, elements);
    elements->n = set->entries->n;
    if (arg < 0) return CAIRN_OK;
    /* where groups by a query's value begin only their list says */
    elements->all = all || set->state[arg].group.queries;
    if (elements->all) CAIRN_TRY(cairn_query_list(set, arg));
    elements->n = cairn_elements_table(set, elements)->n;
    return s->own ? find_pairs(set, elements) : CAIRN_OK;
}

/// The pair of a group and the rank that has the element, else the first of the group's.
static int64_t find_pair(const cairn_elements *elements, int64_t group, int64_t share)
{
    int64_t lo = 0, hi = elements->n;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (elements->group[mid] < group
            || (elements->group[mid] == group && elements->share[mid] < share))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < elements->n && elements->group[lo] == group
                   && elements->share[lo] == share
               ? lo
               : -1;
}

cairn_status
cairn_element_number(cairn_query_set *set, int q, cairn_element *at, int64_t *number)
{
    const cairn_elements *elements = &set->state[q].elements;
    int64_t               tuple[CAIRN_MAX_LEVELS];

    if (elements->q < 0) {
        *number = at->entry;
        if (at->entry >= 0 && !elements->all) return CAIRN_OK;
        cairn_element_place(set, at);
        *number =
            elements->all ? cairn_box_number(set, at->d) : cairn_entry_find(set, at->d);
        return CAIRN_OK;
    }
    if (at->q == elements->q && at->table == cairn_elements_table(set, elements)) {
        *number = at->group;
    } else {
        CAIRN_TRY(cairn_query_tuple(set, &set->state[elements->q].group, at, tuple));
        *number = cairn_query_table_find(cairn_elements_table(set, elements), tuple);
    }
    if (elements->share && *number >= 0)
        *number = find_pair(elements, *number, cairn_element_share(set, at));
    return CAIRN_OK;
}
