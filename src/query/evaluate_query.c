// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The value of an earlier query at one element.

#include "query/set.h"

#include <string.h>

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
    cairn_element_place(set, element);
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

/// The elements that the enum query did not look at have no number. On several ranks a
/// group may have its entries elsewhere, and its number there.
static cairn_status check_none(cairn_query_set *set, int r, cairn_element *element)
{
    int     arm;
    int64_t start;

    if (!set->spread || set->state[r].query->arg < 0) return CAIRN_OK;
    CAIRN_TRY(cairn_query_rule(set, set->state[r].query, element, &arm, &start));
    return start == CAIRN_NO_NUMBER ? CAIRN_OK : elsewhere(set, r);
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
    if (!s->lazy) return CAIRN_OK;
    if (s->rest.kind == CAIRN_START_NONE) return check_none(set, r, element);
    cairn_element_place(set, element);
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

    if (element->q < 0 && element->entry >= 0) {
        *value = cairn_query_at_entries(set, r)[element->entry];
        return CAIRN_OK;
    }
    if (s->query->func == CAIRN_QUERY_SUM) return sum_value(set, r, element, value);
    if (s->query->arg >= 0) {
        CAIRN_TRY(group_number(set, s->query->arg, element, &at));
    } else {
        cairn_element_place(set, element);
        at = s->elements.kind == CAIRN_ELEMENTS_BOX ? cairn_box_number(set, element->d)
                                                    : cairn_entry_find(set, element->d);
    }
    if (at < 0 && set->spread && is_elsewhere(set, element)) return elsewhere(set, r);
    if (at < 0 || at >= s->elements.n) return rest_value(set, r, element, value);
    *value = s->number[at];
    return CAIRN_OK;
}
