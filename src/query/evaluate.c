// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Maps, value maps and earlier queries' values at one element.

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

/// Set d to the first position of the element's group.
static void place(const cairn_query_set *set, cairn_element *element)
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
    if (!uses || cairn_form_dims(set->algebra, form)) place(set, element);
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

/* ---- values of queries ---- */

static cairn_status elsewhere(cairn_query_set *set, int r)
{
    char text[32];

    return cairn_fail(set->env, CAIRN_UNSUPPORTED,
                      "query: %s: its value is asked for at a position of another rank",
                      cairn_query_label(set, set->state[r].query, text));
}

/// On several ranks a group that is not known here may have elements elsewhere.
static cairn_status check_known(cairn_query_set *set, int r, const int64_t *tuple)
{
    if (!cairn_group_crosses(set, &set->state[r].group, tuple)) return CAIRN_OK;
    return elsewhere(set, r);
}

static cairn_status
sum_value(cairn_query_set *set, int r, cairn_element *element, int64_t *value)
{
    const cairn_query_state *s = &set->state[r];
    int64_t                  tuple[CAIRN_MAX_LEVELS];
    int64_t                  group;

    if (element->q == r && element->group >= 0) {
        *value = s->total[element->group];
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_query_tuple(set, &s->group, element, tuple));
    group = cairn_tuples_find(&s->groups, tuple);
    if (group >= 0) {
        *value = s->total[group];
        return CAIRN_OK;
    }
    CAIRN_TRY(check_known(set, r, tuple));
    return cairn_sum_untouched(set, r, tuple, value);
}

static bool is_elsewhere(const cairn_query_set *set, cairn_element *element)
{
    place(set, element);
    return element->d[0] < set->box[0].lo || element->d[0] > set->box[0].hi;
}

/// Number of the arg query's group at an element, or -1.
static cairn_status
group_number(cairn_query_set *set, int q, cairn_element *element, int64_t *group)
{
    int64_t tuple[CAIRN_MAX_LEVELS];

    if (element->q == q && element->group >= 0) {
        *group = element->group;
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_query_tuple(set, &set->state[q].group, element, tuple));
    *group = cairn_tuples_find(&set->state[q].groups, tuple);
    return CAIRN_OK;
}

/// Number of an element that the enum query did not look at: its place in the list of
/// its group's unstored ones.
static cairn_status
rest_value(cairn_query_set *set, int r, cairn_element *element, int64_t *value)
{
    cairn_query_state    *s = &set->state[r];
    const cairn_unstored *list;
    int64_t               tuple[CAIRN_MAX_LEVELS], at = 0;
    cairn_coord           d[CAIRN_MAX_ORDER];

    *value = CAIRN_NO_NUMBER;
    if (!s->lazy || s->rest.kind == CAIRN_START_NONE) return CAIRN_OK;
    place(set, element);
    memcpy(d, element->d, sizeof d);
    if (s->query->arg >= 0) { /* lists hold first positions */
        CAIRN_TRY(
            cairn_query_tuple(set, &set->state[s->query->arg].group, element, tuple));
        if (!cairn_group_first(set, &set->state[s->query->arg].group, tuple, d))
            return CAIRN_OK;
    }
    CAIRN_TRY(cairn_query_tuple(set, &s->group, element, tuple));
    CAIRN_TRY(cairn_query_unstored(set, r, tuple, &list));
    if (!list)
        return cairn_fail(set->env, CAIRN_UNSUPPORTED,
                          "query: the number of an unstored element is asked for whose "
                          "group is on several ranks");
    while (at < list->n
           && memcmp(list->d + at * set->order, d, (size_t)set->order * sizeof *d) != 0)
        at++;
    if (at == list->n) return CAIRN_OK;
    CAIRN_TRY(cairn_query_start(set, &s->rest, element, value));
    if (*value != CAIRN_NO_NUMBER) *value += at;
    return CAIRN_OK;
}

cairn_status
cairn_query_value(cairn_query_set *set, int r, cairn_element *element, int64_t *value)
{
    const cairn_query_state *s = &set->state[r];
    int64_t                  at;

    if (element->q < 0 && element->entry >= 0) {
        *value = s->at_entry[element->entry];
        return CAIRN_OK;
    }
    if (s->query->func == CAIRN_QUERY_SUM) return sum_value(set, r, element, value);
    if (s->query->arg >= 0) {
        CAIRN_TRY(group_number(set, s->query->arg, element, &at));
    } else {
        place(set, element);
        at = s->elements.kind == CAIRN_ELEMENTS_BOX ? cairn_box_number(set, element->d)
                                                    : cairn_entry_find(set, element->d);
    }
    if (at < 0 && set->spread && is_elsewhere(set, element)) return elsewhere(set, r);
    if (at < 0 || at >= s->elements.n) return rest_value(set, r, element, value);
    *value = s->number[at];
    return CAIRN_OK;
}

/* ---- value maps ---- */

typedef enum { CAIRN_NO, CAIRN_YES, CAIRN_MAYBE } cairn_maybe;

static bool compare_int(int64_t a, cairn_relation relation, int64_t b)
{
    switch (relation) {
    case CAIRN_REL_EQ: return a == b;
    case CAIRN_REL_NE: return a != b;
    case CAIRN_REL_GT: return a > b;
    case CAIRN_REL_GE: return a >= b;
    case CAIRN_REL_LT: return a < b;
    case CAIRN_REL_LE: return a <= b;
    }
    return false;
}

static bool compare_double(double a, cairn_relation relation, double b)
{
    switch (relation) {
    case CAIRN_REL_EQ: return a == b;
    case CAIRN_REL_NE: return a != b;
    case CAIRN_REL_GT: return a > b;
    case CAIRN_REL_GE: return a >= b;
    case CAIRN_REL_LT: return a < b;
    case CAIRN_REL_LE: return a <= b;
    }
    return false;
}

/// `value eq 0` asks whether the position is stored; other comparisons ask the value.
static bool position_holds(const cairn_case *when, bool stored, double value)
{
    if (when->constant == 0 && when->relation == CAIRN_REL_EQ) return !stored;
    if (when->constant == 0 && when->relation == CAIRN_REL_NE) return stored;
    return compare_double(value, when->relation, (double)when->constant);
}

/// Nothing holds of an element without a number, except that it differs.
static bool number_holds(const cairn_case *when, int64_t value)
{
    if (value == CAIRN_NO_NUMBER) return when->relation == CAIRN_REL_NE;
    return compare_int(value, when->relation, when->constant);
}

static cairn_status
holds(cairn_query_set *set, const cairn_case *when, cairn_element *element, bool *yes)
{
    int64_t value;

    if (when->var == CAIRN_ARG_VALUE && element->q < 0) {
        const bool stored = element->entry >= 0;

        *yes = position_holds(when, stored,
                              stored ? set->entries->value[element->entry] : 0.0);
        return CAIRN_OK;
    }
    /* of a group, `value` is its value */
    CAIRN_TRY(cairn_query_value(set, when->var < 0 ? element->q : when->var, element,
                                &value));
    *yes = number_holds(when, value);
    return CAIRN_OK;
}

cairn_status cairn_query_start(cairn_query_set   *set,
                               const cairn_start *start,
                               cairn_element     *element,
                               int64_t           *value)
{
    *value = start->kind == CAIRN_START_CONST ? start->value : CAIRN_NO_NUMBER;
    if (start->kind != CAIRN_START_QUERY) return CAIRN_OK;
    return cairn_query_value(set, (int)start->value, element, value);
}

cairn_status cairn_query_rule(cairn_query_set   *set,
                              const cairn_query *query,
                              cairn_element     *element,
                              int               *arm,
                              int64_t           *start)
{
    for (*arm = 0; *arm < query->cases; ++*arm) {
        bool yes;

        CAIRN_TRY(holds(set, &query->when[*arm], element, &yes));
        if (yes)
            return cairn_query_start(set, &query->when[*arm].start, element, start);
    }
    return cairn_query_start(set, &query->otherwise, element, start);
}

/// Does the condition hold of every element that has no entry?
static cairn_maybe
rest_holds(const cairn_query_set *set, const cairn_query *query, const cairn_case *when)
{
    const cairn_query_state *arg = query->arg >= 0 ? &set->state[query->arg] : NULL;

    if (!arg && when->var == CAIRN_ARG_VALUE)
        return position_holds(when, false, 0.0) ? CAIRN_YES : CAIRN_NO;
    if (arg && (when->var == CAIRN_ARG_VALUE || when->var == query->arg) && arg->lazy
        && arg->rest.value == 0)
        return number_holds(when, 0) ? CAIRN_YES : CAIRN_NO;
    return CAIRN_MAYBE;
}

bool cairn_query_rest(const cairn_query_set *set,
                      const cairn_query     *query,
                      int                   *arm,
                      cairn_start           *start)
{
    for (*arm = 0; *arm < query->cases; ++*arm) {
        const cairn_maybe yes = rest_holds(set, query, &query->when[*arm]);

        if (yes == CAIRN_MAYBE) return false;
        *start = query->when[*arm].start;
        if (yes == CAIRN_YES) return true;
    }
    *start = query->otherwise;
    return true;
}

/// Is the start a constant, the same as in the arms before?
static bool same_constant(const cairn_start *start, bool *any, int64_t *value)
{
    const int64_t here = start->kind == CAIRN_START_NONE ? 0 : start->value;

    if (start->kind == CAIRN_START_QUERY || (*any && here != *value)) return false;
    *any   = true;
    *value = here;
    return true;
}

bool cairn_query_rest_constant(const cairn_query_set *set,
                               const cairn_query     *query,
                               int64_t               *value)
{
    bool any = false;

    for (int c = 0; c < query->cases; c++) {
        const cairn_maybe yes = rest_holds(set, query, &query->when[c]);

        if (yes != CAIRN_NO && !same_constant(&query->when[c].start, &any, value))
            return false;
        if (yes == CAIRN_YES) return true;
    }
    return same_constant(&query->otherwise, &any, value);
}
