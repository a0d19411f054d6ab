// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What this room can answer, from the text alone: the order of a query's groups, and what
/// its `with` says of elements that have no entry.

#include "groups/state.h"

/* Groups that may be listed, those without an entry too: no memory holds more. */
#define MOST_GROUPS ((int64_t)1 << 48)

/* Values of queries in forms are taken to be below. */
#define LARGEST_NUMBER ((int64_t)1 << 40)

static cairn_status
make_forms(cairn_groups *set, const cairn_map *map, cairn_forms *made)
{
    cairn_form *form;

    if (!map) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, map->count, &form));
    made->count = map->count;
    made->form  = form;
    for (int f = 0; f < map->count; f++)
        CAIRN_TRY(cairn_form_of(set->algebra, map->expr[f], &form[f]));
    return CAIRN_OK;
}

static bool has_queries(const cairn_groups *set, const cairn_forms *map)
{
    for (int f = 0; f < map->count; f++)
        if (cairn_form_queries(set->algebra, &map->form[f])) return true;
    return false;
}

/// Is the value the same for all elements of a group of query @p q?
static bool form_is_constant(const cairn_groups *set, int q, const cairn_form *form)
{
    const cairn_group_query *s    = &set->query[q];
    uint32_t                 dims = cairn_form_dims(set->algebra, form);

    if (cairn_form_queries(set->algebra, form)) return false;
    for (int f = 0; f < s->forms.group.count; f++)
        if (cairn_form_equal(&s->forms.group.form[f], form)) return true;
    for (int k = 0; k < set->order; k++)
        if (dims >> k & 1 && s->forms.order.positions.slope[k] != 0) return false;
    return true;
}

/// Sums over groups that those of query @p q lie in.
static uint32_t constant_queries(const cairn_groups *set, int q)
{
    uint32_t constant = 0;

    for (int r = 0; r < q; r++) {
        const cairn_group_query *s   = &set->query[r];
        bool                     all = s->query->func == CAIRN_QUERY_SUM;

        for (int f = 0; f < s->forms.group.count && all; f++)
            all = form_is_constant(set, q, &s->forms.group.form[f]);
        if (all) constant |= 1U << r;
    }
    return constant;
}

/* ---- elements without an entry ---- */

/// Are groups of the sum that have no element 0?
static bool is_zero(const cairn_groups *set, int r)
{
    const cairn_group_rest *rest = &set->query[r].rest;

    return rest->known && rest->one
           && (rest->start.kind == CAIRN_START_NONE
               || (rest->start.kind == CAIRN_START_CONST && rest->start.value == 0));
}

typedef enum { NO, YES, BY_GROUP, UNKNOWN } holding;

static holding
rest_holds(const cairn_groups *set, int q, uint32_t constant, const cairn_case *when)
{
    const int arg = set->query[q].query->arg;
    const int var = when->var < 0 ? arg : when->var;

    if (var < 0) return cairn_groups_position_holds(when, false, 0.0) ? YES : NO;
    if (var == arg && is_zero(set, arg))
        return cairn_groups_number_holds(when, 0) ? YES : NO;
    return var != arg && constant >> var & 1 ? BY_GROUP : UNKNOWN;
}

/// Is the start known for all elements of a group at once?
static bool
start_is_known(const cairn_groups *set, int q, uint32_t constant, cairn_start *start)
{
    const int arg = set->query[q].query->arg;

    if (start->kind != CAIRN_START_QUERY) return true;
    if ((int)start->value == arg && is_zero(set, arg)) {
        *start = (cairn_start){.kind = CAIRN_START_CONST};
        return true;
    }
    return (int)start->value != arg && constant >> start->value & 1;
}

/// A sum counts nothing and 0 alike, and one constant whichever the case.
static bool same_sum(const cairn_start *a, const cairn_start *b)
{
    return a->kind != CAIRN_START_QUERY && b->kind != CAIRN_START_QUERY
           && (a->kind == CAIRN_START_NONE ? 0 : a->value)
                  == (b->kind == CAIRN_START_NONE ? 0 : b->value);
}

static void find_rest(cairn_groups *set, int q, uint32_t constant)
{
    const cairn_query *query = set->query[q].query;
    cairn_group_rest  *rest  = &set->query[q].rest;
    bool               first = true, same = query->func == CAIRN_QUERY_SUM;

    *rest = (cairn_group_rest){.known = true, .one = true};
    for (int c = 0; c <= query->cases; c++) {
        const holding yes =
            c == query->cases ? YES : rest_holds(set, q, constant, &query->when[c]);
        cairn_start start = c == query->cases ? query->otherwise : query->when[c].start;

        if (yes == NO) continue;
        rest->known =
            rest->known && yes != UNKNOWN && start_is_known(set, q, constant, &start);
        same = same && (first || same_sum(&start, &rest->start));
        if (!first && !same) rest->one = false;
        if (first) rest->start = start;
        rest->arm = c;
        first     = false;
        if (yes == YES) break;
    }
    if (query->func == CAIRN_QUERY_SUM && rest->start.kind == CAIRN_START_QUERY)
        rest->one = false;
    if (query->func != CAIRN_QUERY_SUM && !rest->one) rest->arm = -1;
}

/* ---- a query ---- */

static cairn_status find_forms(cairn_groups *set, int q)
{
    cairn_group_query *s = &set->query[q];

    CAIRN_TRY(make_forms(set, &s->query->group_by, &s->forms.group));
    if (s->query->shorthand && s->query->traverse_by) {
        cairn_map inner = *s->query->traverse_by; /* the order of d0, not of d0/2 */

        inner.expr[0] = inner.expr[0]->a;
        CAIRN_TRY(make_forms(set, &inner, &s->forms.traverse));
    } else {
        CAIRN_TRY(make_forms(set, s->query->traverse_by, &s->forms.traverse));
    }
    return make_forms(set, s->query->distance_by, &s->forms.by);
}

static void find_order(cairn_groups *set, int q, uint32_t constant)
{
    cairn_group_query *s = &set->query[q];
    cairn_interval     global[CAIRN_MAX_ORDER];
    const cairn_forms *ids =
        s->query->arg < 0 ? NULL : &set->query[s->query->arg].forms.group;

    const cairn_forms none = {.count = 0};

    for (int k = 0; k < set->order; k++)
        global[k] = (cairn_interval){0, set->shape.extent[k] - 1};
    if (s->query->func == CAIRN_QUERY_SUM || s->query->func == CAIRN_QUERY_ENUM)
        cairn_query_order_find(set->algebra, global, &s->forms.group, NULL,
                               &s->forms.traverse, ids, constant, &s->forms.order);
    else if (ids) /* all groups, in the order of their forms */
        cairn_query_order_find(set->algebra, global, &none, &none, &none, ids, 0,
                               &s->forms.order);
}

/// Does anything ask for elements that have no entry?
static bool asks_rest(const cairn_group_query *s)
{
    if (!s->rest.one || s->rest.start.kind == CAIRN_START_QUERY) return true;
    if (s->query->func == CAIRN_QUERY_SUM) return s->rest.start.value != 0;
    return s->rest.start.kind != CAIRN_START_NONE;
}

/// Rows at which groups that have a position in the rank's rows may begin: where first
/// positions are multiples of something, the block before counts; where they are residues,
/// any may do.
static cairn_interval first_rows(const cairn_groups *set, const cairn_digits *digits)
{
    const cairn_interval mine = set->box[0], all = {0, set->shape.extent[0] - 1};
    int                  c = 0;

    while (c < digits->cuts && digits->zero >> c & 1)
        c++;
    if (c == digits->cuts || digits->zero >> c || mine.hi < mine.lo) return all;
    return (cairn_interval){mine.lo - mine.lo % digits->cut[c], mine.hi};
}

void cairn_groups_list_by(const cairn_groups *set, int q, cairn_group_listing *listing)
{
    cairn_query_order *order = &listing->order;

    *order = set->query[q].forms.order;
    if (order->known == CAIRN_CLASS_OTHER || order->runs.on) return;
    order->global[0] = first_rows(set, &order->digits.of[0]);
    cairn_group_box_enter(order, NULL, &listing->box);
}

/// Can all groups of the earlier sum be listed by arithmetic? Else, or where there are more
/// than memory could hold, src/query says so.
static bool can_list(const cairn_groups *set, int q)
{
    cairn_group_listing listing;

    cairn_groups_list_by(set, q, &listing);
    if (listing.order.known == CAIRN_CLASS_OTHER || listing.order.runs.on) return false;
    return listing.box.size <= MOST_GROUPS;
}

/// Do the values of all forms fit 64 bits? Else src/query says which does not.
static bool forms_fit(const cairn_groups *set, const cairn_forms *map)
{
    cairn_interval global[CAIRN_MAX_ORDER], number[CAIRN_MAX_QUERIES], range;

    for (int k = 0; k < set->order; k++)
        global[k] = (cairn_interval){0, set->shape.extent[k] - 1};
    for (int r = 0; r < CAIRN_MAX_QUERIES; r++)
        number[r] = (cairn_interval){-LARGEST_NUMBER, LARGEST_NUMBER};
    for (int f = 0; f < map->count; f++)
        if (cairn_form_range(set->algebra, &map->form[f], global, number, &range)
            != CAIRN_OK)
            return false;
    return true;
}

static bool is_possible(const cairn_groups *set, int q)
{
    const cairn_group_query *s   = &set->query[q];
    const int                arg = s->query->arg;

    if (!forms_fit(set, &s->forms.group) || !forms_fit(set, &s->forms.traverse)
        || !forms_fit(set, &s->forms.by))
        return false;
    if (arg >= 0
        && (set->encoding->query[arg].func != CAIRN_QUERY_SUM
            || has_queries(set, &set->query[arg].forms.group)))
        return false;
    if (s->query->func == CAIRN_QUERY_REORDER || s->query->func == CAIRN_QUERY_SCHEDULE)
        return arg >= 0 && can_list(set, q);
    if (!s->rest.known) return false;
    if (s->asks
        && ((s->forms.order.known == CAIRN_CLASS_OTHER && !s->forms.order.runs.on)
            || s->query->distance || has_queries(set, &s->forms.group)))
        return false;
    return true;
}

cairn_status cairn_groups_plan(cairn_groups *set, int q, bool *possible)
{
    cairn_group_query *s = &set->query[q];

    s->query = &set->encoding->query[q];
    cairn_tuples_init(&s->lists.group, s->query->group_by.count);
    CAIRN_TRY(find_forms(set, q));
    find_order(set, q, 0); /* what the groups fix */

    const uint32_t constant = constant_queries(set, q);

    find_order(set, q, constant);
    find_rest(set, q, constant);
    s->asks = s->query->func != CAIRN_QUERY_REORDER
              && s->query->func != CAIRN_QUERY_SCHEDULE && asks_rest(s);
    *possible = is_possible(set, q);
    return CAIRN_OK;
}
