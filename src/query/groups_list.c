// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All groups of a query that have a position in the rank's box. Expressions that share
/// dimensions form a *component*; components are listed apart, by as few positions as
/// will do, and multiplied.

#include "format/points.h"
#include "query/set.h"

#include <string.h>

typedef struct {
    uint32_t       dims;
    int            forms;
    int            form[CAIRN_MAX_LEVELS]; ///< Their numbers in the map.
    bool           steps;                  ///< One form whose values are an interval,
    cairn_interval range;                  ///< this one.
    cairn_tuples   seen;                   ///< Else: the tuples that exist.
} component;

typedef struct {
    cairn_query_set       *set;
    const cairn_query_map *map;
    int                    n;
    component              part[CAIRN_MAX_LEVELS];
} lister;

static void merge_parts(component *into, const component *from)
{
    memcpy(into->form + into->forms, from->form,
           (size_t)from->forms * sizeof *from->form);
    into->forms += from->forms;
    into->dims |= from->dims;
}

/// Forms that share a dimension come into one component.
static void find_components(lister *l)
{
    for (int f = 0; f < l->map->count; f++) {
        component fresh = {.dims  = cairn_form_dims(l->set->algebra, &l->map->form[f]),
                           .forms = 1,
                           .form  = {f}};

        for (int c = l->n - 1; c >= 0; c--) {
            if (!(l->part[c].dims & fresh.dims)) continue;
            merge_parts(&fresh, &l->part[c]);
            l->part[c] = l->part[--l->n];
        }
        l->part[l->n++] = fresh;
    }
}

static bool unit_term(const cairn_form *form)
{
    return form->terms == 1
           && (form->term[0].factor == 1 || form->term[0].factor == -1);
}

bool cairn_form_is_stepwise(const cairn_algebra *algebra, const cairn_form *form)
{
    if (!unit_term(form)) return false;

    const cairn_atom *atom = &algebra->atom[form->term[0].atom];

    if (atom->kind == CAIRN_ATOM_DIV)
        return unit_term(&atom->form)
               && algebra->atom[atom->form.term[0].atom].kind == CAIRN_ATOM_DIM;
    return atom->kind == CAIRN_ATOM_DIM;
}

/// The box, with the dimensions outside the component held at their first value.
static void pinned_box(const lister *l, const component *c, cairn_interval *box)
{
    for (int k = 0; k < l->set->order; k++) {
        box[k] = l->set->box[k];
        if (!(c->dims >> k & 1)) box[k].hi = box[k].lo;
    }
}

/// Which values of the range does the one form take?
static cairn_status try_values(lister *l, component *c, const cairn_interval *box)
{
    const cairn_form *form   = &l->map->form[c->form[0]];
    const int64_t     values = cairn_interval_size(c->range);

    for (int64_t step = 0; step < values; step++) {
        const int64_t value = c->range.lo + step;
        cairn_points  points;
        cairn_coord   d[CAIRN_MAX_ORDER];
        int64_t       number;

        cairn_points_init(&points, l->set->algebra, 1, form, &value, box);
        const bool found = cairn_points_next(&points, d);

        cairn_visit(l->set->env, 1 + points.steps);
        if (found) CAIRN_TRY(cairn_tuples_add(l->set->env, &c->seen, &value, &number));
    }
    return CAIRN_OK;
}

/// Which tuples do the forms take over all positions?
static cairn_status try_positions(lister *l, component *c, const cairn_interval *box)
{
    const int   order = l->set->order;
    cairn_coord d[CAIRN_MAX_ORDER];
    int         k;

    for (k = 0; k < order; k++)
        d[k] = box[k].lo;
    do {
        int64_t tuple[CAIRN_MAX_LEVELS], number;

        for (int f = 0; f < c->forms; f++)
            tuple[f] =
                cairn_form_value(l->set->algebra, &l->map->form[c->form[f]], d, NULL);
        CAIRN_TRY(cairn_tuples_add(l->set->env, &c->seen, tuple, &number));
        for (k = order - 1; k >= 0 && d[k] == box[k].hi; k--)
            d[k] = box[k].lo;
        if (k >= 0) d[k]++;
    } while (k >= 0);
    return CAIRN_OK;
}

static cairn_status list_component(lister *l, component *c)
{
    const cairn_form *form = &l->map->form[c->form[0]];
    cairn_interval    box[CAIRN_MAX_ORDER];
    int64_t           positions, most;

    pinned_box(l, c, box);
    positions = most = cairn_box_points(box, l->set->order, UINT32_MAX);
    cairn_tuples_init(&c->seen, c->forms);
    if (c->forms == 1) {
        CAIRN_TRY(cairn_form_range(l->set->algebra, form, box, NULL, &c->range));
        c->steps = cairn_form_is_stepwise(l->set->algebra, form);
        if (c->steps) return CAIRN_OK;
        const int64_t values = cairn_interval_size(c->range);

        if (values < most) most = values;
    }
    CAIRN_TRY(cairn_check_room(l->set->env, "groups of a query", (__int128)most * 32));
    if (most < positions) return try_values(l, c, box);
    cairn_visit(l->set->env, positions);
    return try_positions(l, c, box);
}

static int64_t component_size(const component *c)
{
    return c->steps ? cairn_interval_size(c->range) : c->seen.n;
}

/// Put choice @p at of a component into the tuple.
static void choose(const component *c, int64_t at, int64_t *tuple)
{
    if (c->steps)
        tuple[c->form[0]] = c->range.lo + at;
    else
        for (int f = 0; f < c->forms; f++)
            tuple[c->form[f]] = cairn_tuples_at(&c->seen, at)[f];
}

static cairn_status add_products(lister *l, cairn_tuples *groups)
{
    int64_t at[CAIRN_MAX_LEVELS] = {0}, tuple[CAIRN_MAX_WIDTH], number;
    int     c;

    for (c = 0; c < l->n; c++)
        choose(&l->part[c], 0, tuple);
    do {
        CAIRN_TRY(cairn_tuples_add(l->set->env, groups, tuple, &number));
        for (c = l->n - 1; c >= 0; c--) {
            at[c] = at[c] + 1 < component_size(&l->part[c]) ? at[c] + 1 : 0;
            choose(&l->part[c], at[c], tuple);
            if (at[c]) break;
        }
    } while (c >= 0);
    return CAIRN_OK;
}

static cairn_status list_products(lister *l, cairn_tuples *groups)
{
    __int128 product = 1;

    find_components(l);
    for (int c = 0; c < l->n; c++) {
        CAIRN_TRY(list_component(l, &l->part[c]));
        product *= component_size(&l->part[c]);
        CAIRN_TRY(cairn_check_room(l->set->env, "groups of a query",
                                   product * (8 * l->map->count + 48)));
        if (product > INT64_MAX / 256)
            return cairn_fail(l->set->env, CAIRN_NO_MEMORY,
                              "query: the groups are too many to list");
    }
    if (product == groups->n) return CAIRN_OK; /* each has an element already */
    cairn_visit(l->set->env, (int64_t)product);
    return add_products(l, groups);
}

/// Groups by another query's value: every position is asked, and first ones are kept.
static cairn_status list_positions(cairn_query_set *set, int q)
{
    cairn_query_state *s    = &set->state[q];
    const int64_t      all  = cairn_box_points(set->box, set->order, UINT32_MAX);
    const size_t       size = (size_t)set->order * sizeof *s->origin;
    cairn_element      element;
    int64_t            tuple[CAIRN_MAX_WIDTH], g, capacity = 0;
    uint8_t           *seen = NULL;
    cairn_status       status;

    CAIRN_TRY(cairn_check_room(set->env, "groups of a query", all));
    cairn_visit(set->env, all);
    for (int64_t p = 0; p < all; p++) {
        cairn_coord d[CAIRN_MAX_ORDER];

        cairn_box_position(set, p, d);
        cairn_element_at(set, d, cairn_entry_find(set, d), &element);
        CAIRN_GO(done, cairn_query_tuple(set, &s->group, &element, tuple));
        CAIRN_GO(done, cairn_tuples_add(set->env, &s->groups, tuple, &g));
        if (s->groups.n > capacity) {
            const int64_t old = capacity;

            capacity = 2 * s->groups.n;
            CAIRN_GO(done,
                     cairn_realloc(set->env, capacity, size, (void **)&s->origin));
            CAIRN_GO(done, cairn_realloc(set->env, capacity, 1, (void **)&seen));
            memset(seen + old, 0, (size_t)(capacity - old));
        }
        if (!seen[g]) memcpy(s->origin + g * set->order, d, size);
        seen[g] = 1;
    }
    status = CAIRN_OK;
done:
    cairn_free(set->env, seen);
    return status;
}

static cairn_status list_local(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];
    lister            *l;
    cairn_status       status;

    if (cairn_box_is_empty(set->box, set->order)) return CAIRN_OK;
    if (s->group.queries) return list_positions(set, q);
    CAIRN_TRY(CAIRN_NEW_ZERO(set->env, 1, &l));
    l->set = set;
    l->map = &s->group;
    status = list_products(l, &s->groups);
    for (int c = 0; c < l->n; c++)
        cairn_tuples_fini(set->env, &l->part[c].seen);
    cairn_free(set->env, l);
    return status;
}

/// The totals of the groups that were added.
static cairn_status extend_totals(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];
    int64_t           *total;

    if (s->groups.n == s->touched) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, s->groups.n, &total));
    memcpy(total, s->total, (size_t)s->touched * sizeof *total);
    cairn_free(set->env, s->total);
    s->total = total;
    cairn_visit(set->env, s->groups.n);
    for (int64_t g = s->touched; g < s->groups.n; g++)
        CAIRN_TRY(
            cairn_sum_untouched(set, q, cairn_tuples_at(&s->groups, g), &total[g]));
    return cairn_query_mark_crossing(set, q);
}

/* ---- groups that other ranks touched ---- */

/// Records (group, touched?, total) of the crossing groups.
static cairn_status pack(cairn_query_set *set, int q, cairn_exchange *travel)
{
    const cairn_query_state *s     = &set->state[q];
    const int                width = s->group.count;
    int64_t                  n     = 0;

    for (int64_t g = 0; g < s->groups.n; g++)
        n += s->crossing[g];
    CAIRN_TRY(cairn_exchange_init(&set->meeting, travel, width + 2, n));
    n = 0;
    for (int64_t g = 0; g < s->groups.n; g++) {
        int64_t *record = travel->record + n * travel->width;

        if (!s->crossing[g]) continue;
        memcpy(record, cairn_tuples_at(&s->groups, g), (size_t)width * sizeof *record);
        record[width]     = g < s->touched;
        record[width + 1] = s->total[g];
        travel->to[n++] =
            (int)(cairn_tuples_hash(width, record) % (uint64_t)set->meeting.net->size);
    }
    return CAIRN_OK;
}

/// Every rank that touched a group knows its total; the first record says it if none did.
static cairn_status
answer(cairn_query_set *set, const cairn_exchange *travel, int64_t *answers)
{
    const int    width = travel->width - 2;
    cairn_tuples groups;
    cairn_status status;
    int64_t     *first = NULL, g;

    cairn_tuples_init(&groups, width);
    CAIRN_GO(done, CAIRN_NEW(set->env, travel->received, &first));
    for (int64_t k = 0; k < travel->received; k++) {
        const int64_t *record = travel->in + k * travel->width;
        const int64_t  known  = groups.n;

        CAIRN_GO(done, cairn_tuples_add(set->env, &groups, record, &g));
        if (g == known || record[width]) first[g] = k;
        answers[k] = g;
    }
    for (int64_t k = 0; k < travel->received; k++)
        answers[k] = travel->in[first[answers[k]] * travel->width + width + 1];
    status = CAIRN_OK;
done:
    cairn_free(set->env, first);
    cairn_tuples_fini(set->env, &groups);
    return status;
}

static cairn_status share(cairn_query_set *set, int q, cairn_status mine)
{
    cairn_query_state *s       = &set->state[q];
    cairn_exchange     travel  = {0};
    int64_t           *answers = NULL, *result = NULL, k = 0;
    cairn_status       status = mine;

    if (!set->meeting.net || cairn_map_is_local(set, &s->group)) return mine;
    if (status == CAIRN_OK) status = pack(set, q, &travel);
    CAIRN_GO(done, cairn_exchange_send(&set->meeting, status, &travel));
    status = CAIRN_NEW(set->env, travel.received, &answers);
    if (status == CAIRN_OK) status = CAIRN_NEW(set->env, travel.n, &result);
    if (status == CAIRN_OK) status = answer(set, &travel, answers);
    CAIRN_GO(done,
             cairn_exchange_return(&set->meeting, status, &travel, answers, result));
    for (int64_t g = 0; g < s->groups.n; g++)
        if (s->crossing[g]) s->total[g] = result[k++];
done:
    cairn_free(set->env, answers);
    cairn_free(set->env, result);
    cairn_exchange_fini(&set->meeting, &travel);
    return status;
}

cairn_status cairn_query_list(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];
    cairn_status       status;

    if (s->listed) return CAIRN_OK;
    status = list_local(set, q);
    if (status == CAIRN_OK) status = extend_totals(set, q);
    CAIRN_TRY(share(set, q, status));
    s->listed = true;
    return CAIRN_OK;
}

cairn_status cairn_query_know_all(cairn_query_set *set, int q)
{
    if (!set->spread) return CAIRN_OK;
    for (int r = 0; r < q; r++)
        if (set->state[r].query->func == CAIRN_QUERY_SUM)
            CAIRN_TRY(cairn_query_list(set, r));
    return CAIRN_OK;
}
