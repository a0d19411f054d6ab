// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Columns of values over elements, and the numbers of the groups they are in.

#include "query/set.h"

#include <string.h>

/* A table of slots may be this much larger than what is entered, so that rows of a
 * matrix with few entries still get computed slots. */
enum { SLOTS_PER_ELEMENT = 4, SLOTS_ALWAYS = 1 << 16 };

/// The position of every element of a box, and which entry it has: both in id order.
static cairn_status box_elements(cairn_query_set *set, cairn_elements *elements)
{
    __int128 positions = 1;
    int64_t  p         = 0;

    for (int k = 0; k < set->order; k++) {
        const cairn_interval box = set->box[k];

        positions *= box.hi < box.lo ? 0 : box.hi - box.lo + 1;
        CAIRN_TRY(cairn_check_memory(set->env, "positions of a query", positions * 40));
        if (positions > INT64_MAX / 64) /* also without a limit */
            return cairn_fail(
                set->env, CAIRN_NO_MEMORY,
                "query: the positions of the tensor are too many to list");
    }
    CAIRN_TRY(CAIRN_NEW(set->env, (int64_t)positions, &elements->entry));
    elements->kind = CAIRN_ELEMENTS_BOX;
    elements->n    = (int64_t)positions;
    memset(elements->entry, 0xff, (size_t)elements->n * sizeof *elements->entry);
    for (; p < set->entries->n; p++) {
        cairn_coord d[CAIRN_MAX_ORDER];

        for (int k = 0; k < set->order; k++)
            d[k] = set->entries->coord[k][p];
        elements->entry[cairn_box_number(set, d)] = p;
    }
    return CAIRN_OK;
}

cairn_status
cairn_elements_of(cairn_query_set *set, int q, bool all, cairn_elements *elements)
{
    const int arg = set->state[q].query->arg;

    if (arg < 0 && all) return box_elements(set, elements);
    if (arg < 0) {
        *elements =
            (cairn_elements){.kind = CAIRN_ELEMENTS_ENTRIES, .n = set->entries->n};
        return CAIRN_OK;
    }
    if (all) CAIRN_TRY(cairn_query_list(set, arg));
    *elements = (cairn_elements){
        .kind = CAIRN_ELEMENTS_GROUPS,
        .q    = arg,
        .n    = all ? set->state[arg].groups.n : set->state[arg].touched,
    };
    return CAIRN_OK;
}

int cairn_form_plain_dim(const cairn_query_set *set, const cairn_form *form)
{
    const bool plain = form->constant == 0 && form->terms == 1
                       && form->term[0].factor == 1 && form->term[0].atom < set->order;

    return plain ? form->term[0].atom : -1;
}

cairn_status cairn_elements_column(cairn_query_set       *set,
                                   const cairn_elements  *elements,
                                   const cairn_query_map *map,
                                   int                    f,
                                   cairn_column          *column)
{
    const int     dim    = cairn_form_plain_dim(set, &map->form[f]);
    cairn_status  status = CAIRN_OK;
    cairn_element element;

    if (elements->kind == CAIRN_ELEMENTS_ENTRIES && dim >= 0) {
        *column = (cairn_column){.data = set->entries->coord[dim]};
        return CAIRN_OK;
    }
    CAIRN_TRY(CAIRN_NEW(set->env, elements->n, &column->own));
    column->data = column->own;
    for (int64_t p = 0; p < elements->n && status == CAIRN_OK; p++) {
        cairn_element_get(set, elements, p, &element);
        status = cairn_query_form(set, map, f, &element, &column->own[p]);
    }
    if (status != CAIRN_OK) {
        cairn_free(set->env, column->own);
        *column = (cairn_column){0};
    }
    return status;
}

/// Let slots be computed where the groups' ranges are known and small.
static cairn_status use_ranges(cairn_query_set *set, cairn_query_state *s)
{
    cairn_interval range[CAIRN_MAX_WIDTH];

    cairn_tuples_init(&s->groups, s->group.count);
    if (s->group.queries) return CAIRN_OK;
    for (int f = 0; f < s->group.count; f++)
        CAIRN_TRY(cairn_form_range(set->algebra, &s->group.form[f], set->global, NULL,
                                   &range[f]));
    return cairn_tuples_use_ranges(set->env, &s->groups, range,
                                   SLOTS_PER_ELEMENT * s->elements.n + SLOTS_ALWAYS);
}

/// Enter the tuples of the columns. Neighbours are often in the same group.
static cairn_status
enter(cairn_query_set *set, cairn_query_state *s, const cairn_column *column)
{
    int64_t tuple[CAIRN_MAX_WIDTH];

    for (int64_t p = 0; p < s->elements.n; p++) {
        bool same = p > 0;

        for (int f = 0; f < s->group.count; f++) {
            tuple[f] = column[f].data[p];
            same     = same && tuple[f] == column[f].data[p - 1];
        }
        if (same)
            s->group_of[p] = s->group_of[p - 1];
        else
            CAIRN_TRY(cairn_tuples_add(set->env, &s->groups, tuple, &s->group_of[p]));
    }
    return CAIRN_OK;
}

cairn_status cairn_query_group(cairn_query_set *set, int q)
{
    cairn_query_state *s                        = &set->state[q];
    cairn_column       column[CAIRN_MAX_LEVELS] = {{0}};
    cairn_status       status;

    CAIRN_GO(done, use_ranges(set, s));
    for (int f = 0; f < s->group.count; f++)
        CAIRN_GO(done,
                 cairn_elements_column(set, &s->elements, &s->group, f, &column[f]));
    CAIRN_GO(done, CAIRN_NEW(set->env, s->elements.n, &s->group_of));
    cairn_tuples_expect_ascending(&s->groups);
    CAIRN_GO(done, enter(set, s, column));
    CAIRN_GO(done, cairn_tuples_seal(set->env, &s->groups));
    s->touched = s->groups.n;
done:
    for (int f = 0; f < s->group.count; f++)
        cairn_free(set->env, column[f].own);
    return status;
}
