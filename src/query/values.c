// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The value of an earlier query at one element.

#include "query/set.h"

static cairn_status
sum_value(cairn_query_set *set, int r, cairn_element *element, int64_t *value)
{
    const cairn_query_state *s = &set->state[r];
    int64_t                  tuple[CAIRN_MAX_LEVELS], group;

    if (element->q == r && element->table) {
        *value = element->table->total[element->group];
        return CAIRN_OK;
    }
    if (element->q < 0 && element->entry >= 0 && s->elements.q < 0
        && !s->elements.all) {
        *value = s->touched.total[s->num.group_of[element->entry]];
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_query_tuple(set, &s->group, element, tuple));
    group = cairn_query_table_find(&s->touched, tuple);
    if (group < 0) return cairn_sum_untouched(set, r, tuple, value);
    *value = s->touched.total[group];
    return CAIRN_OK;
}

/// Number of an element that the enum query did not look at: its place in the list of
/// its group's unstored ones.
static cairn_status
rest_value(cairn_query_set *set, int r, cairn_element *element, int64_t *value)
{
    cairn_query_state    *s   = &set->state[r];
    const int             arg = s->query->arg;
    const cairn_unstored *list;
    int64_t               tuple[CAIRN_MAX_LEVELS], at = 0;
    cairn_coord           d[CAIRN_MAX_ORDER];

    *value = CAIRN_NO_NUMBER;
    if (!s->lazy || s->rest.kind == CAIRN_START_NONE) return CAIRN_OK;
    cairn_element_place(set, element);
    memcpy(d, element->d, sizeof d);
    if (arg >= 0) { /* lists hold first positions */
        CAIRN_TRY(cairn_query_tuple(set, &set->state[arg].group, element, tuple));
        if (!cairn_group_first(set, &set->state[arg].group, tuple, set->global, d))
            return CAIRN_OK;
    }
    CAIRN_TRY(cairn_query_tuple(set, &s->group, element, tuple));
    CAIRN_TRY(cairn_query_unstored(set, r, tuple, &list));
    while (at < list->n
           && memcmp(list->d + at * set->order, d, (size_t)set->order * sizeof *d) != 0)
        at++;
    cairn_visit(set->env, at);
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

    if (element->q < 0 && element->entry >= 0 && s->at_entry) {
        *value = s->at_entry[element->entry];
        return CAIRN_OK;
    }
    if (s->query->func == CAIRN_QUERY_SUM) return sum_value(set, r, element, value);
    CAIRN_TRY(cairn_element_number(set, r, element, &at));
    if (at < 0) return rest_value(set, r, element, value);
    *value = s->num.number[at];
    return CAIRN_OK;
}
