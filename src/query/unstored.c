// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Elements of a group that no query looked at, listed in traverse order at the group's
/// first use, and kept.

#include "format/points.h"
#include "query/set.h"

#include <string.h>

/// A list while it is made: positions, or tuples of the earlier query's groups.
typedef struct {
    int          width; ///< Integers of an element.
    cairn_tuples all;   ///< The elements, each once.
    int64_t      n;     ///< Those without an entry,
    int64_t     *pick;  ///< [n] their numbers,
    int64_t     *key;   ///< [keys][n] and what orders them.
    int64_t     *order;
} draft;

static void draft_fini(cairn_env *env, draft *a)
{
    cairn_tuples_fini(env, &a->all);
    cairn_free(env, a->pick);
    cairn_free(env, a->key);
    cairn_free(env, a->order);
}

/// Enter all elements of the group.
static cairn_status
find_elements(cairn_query_set *set, int q, const int64_t *group, draft *a)
{
    const cairn_query_state *s = &set->state[q];
    const cairn_query_map   *ids =
        s->query->arg < 0 ? NULL : &set->state[s->query->arg].group;
    cairn_points points;
    cairn_coord  d[CAIRN_MAX_ORDER];

    a->width = ids ? ids->count : set->order;
    cairn_tuples_init(&a->all, a->width);
    cairn_points_init(&points, set->algebra, s->group.count, s->group.form, group,
                      set->global);
    while (cairn_points_next(&points, d)) {
        int64_t tuple[CAIRN_MAX_LEVELS], number;

        for (int f = 0; ids && f < ids->count; f++)
            tuple[f] = cairn_form_value(set->algebra, &ids->form[f], d, NULL);
        CAIRN_TRY(cairn_tuples_add(set->env, &a->all, ids ? tuple : d, &number));
        if ((number & 0xffff) == 0xffff)
            CAIRN_TRY(cairn_check_memory(set->env, "elements of a group",
                                         (__int128)number * (32 + 16 * a->width)));
    }
    cairn_visit(set->env, points.steps);
    return CAIRN_OK;
}

cairn_status
cairn_query_count(cairn_query_set *set, int q, const int64_t *group, int64_t *count)
{
    const cairn_query_state *s = &set->state[q];
    draft                    a = {.width = 0};
    cairn_status             status;

    if (s->line.on) {
        *count = s->line.range.hi - s->line.range.lo + 1;
        return CAIRN_OK;
    }
    if (s->query->arg < 0) {
        *count = cairn_group_positions(set, &s->group, group);
        return CAIRN_OK;
    }
    status = find_elements(set, q, group, &a);
    *count = a.all.n;
    draft_fini(set->env, &a);
    return status;
}

static bool
looked_at(const cairn_query_set *set, const cairn_query_state *s, const int64_t *tuple)
{
    if (s->query->arg < 0) return cairn_entry_find(set, tuple) >= 0;

    const int64_t number = cairn_tuples_find(&set->state[s->query->arg].groups, tuple);

    return number >= 0 && number < s->elements.n;
}

static cairn_status pick(cairn_query_set *set, int q, draft *a)
{
    CAIRN_TRY(CAIRN_NEW(set->env, a->all.n, &a->pick));
    cairn_visit(set->env, a->all.n);
    for (int64_t k = 0; k < a->all.n; k++)
        if (!looked_at(set, &set->state[q], cairn_tuples_at(&a->all, k)))
            a->pick[a->n++] = k;
    return CAIRN_OK;
}

static void load(const cairn_query_set *set,
                 int                    q,
                 const draft           *a,
                 int64_t                k,
                 cairn_element         *element)
{
    const int64_t *tuple = cairn_tuples_at(&a->all, a->pick[k]);
    const int      arg   = set->state[q].query->arg;

    if (arg < 0)
        cairn_element_at(set, tuple, -1, element);
    else
        cairn_element_tuple(set, arg, tuple, element);
}

/// Order by the traverse keys, then by id.
static cairn_status sort(cairn_query_set *set, int q, draft *a)
{
    const cairn_query_map *traverse = &set->state[q].traverse;
    const int              keys     = traverse->count + a->width;
    const int64_t         *key[2 * CAIRN_MAX_LEVELS];
    cairn_element          element;

    CAIRN_TRY(CAIRN_NEW(set->env, a->n * keys, &a->key));
    CAIRN_TRY(CAIRN_NEW(set->env, a->n, &a->order));
    cairn_visit(set->env, a->n * keys);
    for (int64_t k = 0; k < a->n; k++) {
        load(set, q, a, k, &element);
        for (int f = 0; f < traverse->count; f++)
            CAIRN_TRY(
                cairn_query_form(set, traverse, f, &element, &a->key[f * a->n + k]));
        for (int w = 0; w < a->width; w++)
            a->key[(traverse->count + w) * a->n + k] =
                cairn_tuples_at(&a->all, a->pick[k])[w];
    }
    for (int k = 0; k < keys; k++)
        key[k] = a->key + k * a->n;
    return cairn_sort_order(set->env, a->n, keys, key, a->order);
}

static cairn_status
write_list(cairn_query_set *set, int q, const draft *a, cairn_unstored *list)
{
    const int      arg  = set->state[q].query->arg;
    cairn_unstored made = {.n = a->n};

    CAIRN_TRY(CAIRN_NEW(set->env, a->n * set->order, &made.d));
    for (int64_t k = 0; k < a->n; k++) {
        const int64_t *tuple = cairn_tuples_at(&a->all, a->pick[a->order[k]]);
        cairn_coord   *d     = made.d + k * set->order;

        if (arg >= 0)
            cairn_group_first(set, &set->state[arg].group, tuple, d);
        else
            memcpy(d, tuple, (size_t)set->order * sizeof *d);
    }
    *list = made;
    return CAIRN_OK;
}

static cairn_status
make_list(cairn_query_set *set, int q, const int64_t *group, cairn_unstored *list)
{
    draft        a = {.width = 0};
    cairn_status status;

    CAIRN_GO(done, find_elements(set, q, group, &a));
    CAIRN_GO(done, pick(set, q, &a));
    CAIRN_GO(done, sort(set, q, &a));
    status = write_list(set, q, &a, list);
done:
    draft_fini(set->env, &a);
    return status;
}

static cairn_status add_list(cairn_query_set *set, int q, const int64_t *group)
{
    cairn_query_state *s     = &set->state[q];
    cairn_unstored     fresh = {.n = 0};
    int64_t            number;
    cairn_status       status;

    if (s->asked.n == s->unstoreds) {
        const int64_t more = 2 * s->unstoreds + 16;

        CAIRN_TRY(
            cairn_realloc(set->env, more, sizeof *s->unstored, (void **)&s->unstored));
        s->unstoreds = more;
    }
    CAIRN_TRY(make_list(set, q, group, &fresh));
    status = cairn_tuples_add(set->env, &s->asked, group, &number);
    if (status == CAIRN_OK)
        s->unstored[number] = fresh;
    else
        cairn_free(set->env, fresh.d);
    return status;
}

cairn_status cairn_query_unstored(cairn_query_set       *set,
                                  int                    q,
                                  const int64_t         *group,
                                  const cairn_unstored **list)
{
    cairn_query_state *s = &set->state[q];

    *list = NULL;
    if (cairn_group_crosses(set, &s->group, group)) return CAIRN_OK;
    if (cairn_tuples_find(&s->asked, group) < 0) CAIRN_TRY(add_list(set, q, group));
    *list = &s->unstored[cairn_tuples_find(&s->asked, group)];
    return CAIRN_OK;
}
