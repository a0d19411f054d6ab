// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Elements of a group that no query looked at, listed in traverse order at the group's
/// first use, and kept.

#include "format/points.h"
#include "query/set.h"

/// Elements as columns of coordinates: positions, or tuples of the earlier query's groups.
typedef struct {
    int64_t  n, room;
    int64_t *column[CAIRN_MAX_LEVELS];
} columns;

static cairn_status add(cairn_env *env, int width, const int64_t *tuple, columns *c)
{
    if (c->n == c->room) {
        c->room += c->room / 2 + 64;
        CAIRN_TRY(cairn_check_memory(env, "elements of a group",
                                     (__int128)c->room * (32 + 16 * width)));
        for (int w = 0; w < width; w++)
            CAIRN_TRY(cairn_realloc(env, c->room, sizeof *c->column[w],
                                    (void **)&c->column[w]));
    }
    for (int w = 0; w < width; w++)
        c->column[w][c->n] = tuple[w];
    c->n++;
    return CAIRN_OK;
}

static int width_of(const cairn_query_set *set, int q)
{
    const int arg = set->state[q].query->arg;

    return arg < 0 ? set->order : set->state[arg].group.count;
}

/// All elements of the group, each once.
static cairn_status find_elements(cairn_query_set   *set,
                                  int                q,
                                  const int64_t     *group,
                                  cairn_query_table *table)
{
    const cairn_query_state *s   = &set->state[q];
    const int                arg = s->query->arg;
    columns                  c   = {.n = 0};
    cairn_points             points;
    cairn_coord              d[CAIRN_MAX_ORDER];
    cairn_element            element;
    int64_t                  tuple[CAIRN_MAX_LEVELS];
    cairn_status             status = CAIRN_OK;

    table->width = width_of(set, q);
    cairn_points_init(&points, set->algebra, s->group.count, s->group.form, group,
                      set->global);
    while (cairn_points_next(&points, d)) {
        cairn_element_at(set, d, -1, &element);
        if (arg >= 0)
            CAIRN_GO(done,
                     cairn_query_tuple(set, &set->state[arg].group, &element, tuple));
        CAIRN_GO(done, add(set->env, table->width, arg < 0 ? d : tuple, &c));
    }
    cairn_visit(set->env, points.steps);
    status = cairn_query_table_make(set->env, c.n, table->width, c.column, table, NULL,
                                    NULL);
done:
    for (int w = 0; w < table->width; w++)
        cairn_free(set->env, c.column[w]);
    return status;
}

cairn_status
cairn_query_count(cairn_query_set *set, int q, const int64_t *group, int64_t *count)
{
    const cairn_query_state *s     = &set->state[q];
    cairn_query_table        table = {.n = 0};
    cairn_status             status;

    if (s->line.on) {
        *count = s->line.range.hi - s->line.range.lo + 1;
        return CAIRN_OK;
    }
    if (s->query->arg < 0) {
        *count = cairn_group_positions(set, &s->group, group);
        return CAIRN_OK;
    }
    status = find_elements(set, q, group, &table);
    *count = table.n;
    cairn_query_table_fini(set->env, &table);
    return status;
}

static bool
looked_at(const cairn_query_set *set, const cairn_query_state *s, const int64_t *tuple)
{
    if (s->query->arg < 0) return cairn_entry_find(set, tuple) >= 0;
    return cairn_query_table_find(cairn_elements_table(set, &s->elements), tuple) >= 0;
}

/// Keep those that were not looked at.
static void drop_looked_at(const cairn_query_set *set, int q, cairn_query_table *table)
{
    const size_t bytes = (size_t)table->width * sizeof *table->tuple;
    int64_t      n     = 0;

    cairn_visit(set->env, table->n);
    for (int64_t k = 0; k < table->n; k++)
        if (!looked_at(set, &set->state[q], cairn_query_table_at(table, k)))
            memmove(table->tuple + n++ * table->width, cairn_query_table_at(table, k),
                    bytes);
    table->n = n;
}

static void load(const cairn_query_set   *set,
                 int                      q,
                 const cairn_query_table *table,
                 int64_t                  k,
                 cairn_element           *element)
{
    const int arg = set->state[q].query->arg;

    if (arg < 0)
        cairn_element_at(set, cairn_query_table_at(table, k), -1, element);
    else
        cairn_element_tuple(set, arg, cairn_query_table_at(table, k), element);
}

/// Order by the traverse keys: they stand by id.
static cairn_status
sort(cairn_query_set *set, int q, const cairn_query_table *table, int64_t *order)
{
    const cairn_query_map *traverse = &set->state[q].traverse;
    const int64_t         *key[CAIRN_MAX_LEVELS];
    int64_t               *value;
    cairn_element          element;
    cairn_status           status = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW(set->env, table->n * traverse->count, &value));
    cairn_visit(set->env, table->n * traverse->count);
    for (int f = 0; f < traverse->count; f++) {
        key[f] = value + f * table->n;
        for (int64_t k = 0; k < table->n; k++) {
            load(set, q, table, k, &element);
            CAIRN_GO(done, cairn_query_form(set, traverse, f, &element,
                                            &value[f * table->n + k]));
        }
    }
    status = cairn_sort_order(set->env, table->n, traverse->count, key, order);
done:
    cairn_free(set->env, value);
    return status;
}

static cairn_status
make_list(cairn_query_set *set, int q, const int64_t *group, cairn_unstored *list)
{
    const int         groups = set->state[q].group.count;
    cairn_query_table table  = {.n = 0};
    int64_t          *order  = NULL;
    cairn_element     element;
    cairn_status      status;

    CAIRN_GO(done, find_elements(set, q, group, &table));
    drop_looked_at(set, q, &table);
    CAIRN_GO(done, CAIRN_NEW(set->env, table.n, &order));
    CAIRN_GO(done, sort(set, q, &table, order));
    CAIRN_GO(done, CAIRN_NEW(set->env, groups + table.n * set->order, &list->tuple));
    list->n = table.n;
    list->d = list->tuple + groups;
    memcpy(list->tuple, group, (size_t)groups * sizeof *group);
    for (int64_t k = 0; k < table.n; k++) {
        load(set, q, &table, order[k], &element);
        cairn_element_place(set, &element);
        memcpy(list->d + k * set->order, element.d,
               (size_t)set->order * sizeof *list->d);
    }
done:
    cairn_free(set->env, order);
    cairn_query_table_fini(set->env, &table);
    return status;
}

/// Where the list of a group stands, or has to.
static int64_t place_of(const cairn_query_state *s, const int64_t *group, bool *there)
{
    int64_t lo = 0, hi = s->lists.n;

    *there = false;
    while (lo < hi && !*there) {
        const int64_t mid = lo + (hi - lo) / 2;
        const int     at =
            cairn_tuple_compare(s->group.count, s->lists.list[mid].tuple, group);

        *there = at == 0;
        if (at >= 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return *there ? hi : lo;
}

cairn_status cairn_query_unstored(cairn_query_set       *set,
                                  int                    q,
                                  const int64_t         *group,
                                  const cairn_unstored **list)
{
    cairn_query_state *s     = &set->state[q];
    cairn_unstored     fresh = {.n = 0};
    bool               there;
    const int64_t      at = place_of(s, group, &there);

    if (!there) {
        if (s->lists.n == s->lists.room) {
            const int64_t more = 2 * s->lists.room + 16;

            CAIRN_TRY(cairn_realloc(set->env, more, sizeof *s->lists.list,
                                    (void **)&s->lists.list));
            s->lists.room = more;
        }
        CAIRN_TRY(make_list(set, q, group, &fresh));
        memmove(s->lists.list + at + 1, s->lists.list + at,
                (size_t)(s->lists.n++ - at) * sizeof *s->lists.list);
        s->lists.list[at] = fresh;
    }
    *list = &s->lists.list[at];
    return CAIRN_OK;
}
