// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values of queries at one position, stored or not, and what a `with` says of positions
/// and groups without an entry.

#include "groups/spread.h"

#include <string.h>

bool cairn_groups_number_holds(const cairn_case *when, int64_t value)
{
    if (value == CAIRN_NO_NUMBER) return when->relation == CAIRN_REL_NE;
    return cairn_relation_holds(value, when->relation, when->constant);
}

bool cairn_groups_position_holds(const cairn_case *when, bool stored, double value)
{
    const double c = (double)when->constant;

    if (when->constant == 0 && when->relation == CAIRN_REL_EQ) return !stored;
    if (when->constant == 0 && when->relation == CAIRN_REL_NE) return stored;
    switch (when->relation) {
    case CAIRN_REL_EQ: return value == c;
    case CAIRN_REL_NE: return value != c;
    case CAIRN_REL_GT: return value > c;
    case CAIRN_REL_GE: return value >= c;
    case CAIRN_REL_LT: return value < c;
    case CAIRN_REL_LE: return value <= c;
    }
    return false;
}

/// Values of the forms of a map at a position.
static cairn_status tuple_at(cairn_groups      *set,
                             const cairn_forms *map,
                             const cairn_coord *d,
                             int64_t           *tuple)
{
    for (int f = 0; f < map->count; f++) {
        const uint32_t uses = cairn_form_queries(set->algebra, &map->form[f]);
        bool           none = false;

        if (!uses) {
            tuple[f] = cairn_form_value(set->algebra, &map->form[f], d, NULL);
            continue;
        }
        int64_t number[CAIRN_MAX_QUERIES] = {0};

        for (int r = 0; uses >> r; r++) {
            if (!(uses >> r & 1)) continue;
            CAIRN_TRY(cairn_groups_value(set, r, d, &number[r]));
            none = none || number[r] == CAIRN_NO_NUMBER;
        }
        tuple[f] = none ? CAIRN_NO_NUMBER
                        : cairn_form_value(set->algebra, &map->form[f], d, number);
    }
    return CAIRN_OK;
}

/// Number of the entry at a position, or -1.
static int64_t find_entry(const cairn_groups *set, const cairn_coord *d)
{
    int64_t lo = 0, hi = set->entries->n;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        int           k   = 0;

        while (k < set->order && set->entries->coord[k][mid] == d[k])
            k++;
        if (k == set->order) return mid;
        if (set->entries->coord[k][mid] < d[k])
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

cairn_status cairn_groups_element_at(cairn_groups      *set,
                                     int                q,
                                     const cairn_coord *d,
                                     int64_t           *element)
{
    const int arg = set->query[q].query->arg;
    int64_t   tuple[CAIRN_MAX_LEVELS];

    if (arg < 0) {
        *element = find_entry(set, d);
        return CAIRN_OK;
    }
    CAIRN_TRY(tuple_at(set, &set->query[arg].forms.group, d, tuple));
    *element = cairn_group_index_find(&set->query[arg].index, tuple);
    return CAIRN_OK;
}

/// An element of query @p q that has no entry on this rank.
typedef struct {
    cairn_groups      *set;
    int                q;
    const cairn_coord *d;
    bool               nowhere; ///< Nor has it one on any other.
} absent;

/// Value of query @p r at it. Its own value, if it is a group and has an entry nowhere, is
/// 0 (plan.c).
static cairn_status value_of_rest(const absent *e, int r, int64_t *value)
{
    *value = 0;
    return r == e->set->query[e->q].query->arg && e->nowhere
               ? CAIRN_OK
               : cairn_groups_value(e->set, r, e->d, value);
}

/// The number at the end of a `->`, at an element that has no entry.
static cairn_status start_at(const absent *e, const cairn_start *start, int64_t *value)
{
    *value = start->kind == CAIRN_START_CONST ? start->value : CAIRN_NO_NUMBER;
    if (start->kind != CAIRN_START_QUERY) return CAIRN_OK;
    return value_of_rest(e, (int)start->value, value);
}

static cairn_status rest_at(const absent *e, int *arm, int64_t *start)
{
    const cairn_query *query = e->set->query[e->q].query;
    int64_t            value;

    for (*arm = 0; *arm < query->cases; ++*arm) {
        const cairn_case *when = &query->when[*arm];
        const int         var  = when->var < 0 ? query->arg : when->var;
        bool              yes;

        if (var < 0) {
            yes = cairn_groups_position_holds(when, false, 0.0);
        } else {
            CAIRN_TRY(value_of_rest(e, var, &value));
            yes = cairn_groups_number_holds(when, value);
        }
        if (yes) return start_at(e, &when->start, start);
    }
    return start_at(e, &query->otherwise, start);
}

cairn_status cairn_groups_rest(cairn_groups      *set,
                               int                q,
                               const cairn_coord *d,
                               int               *arm,
                               int64_t           *start)
{
    return rest_at(&(absent){set, q, d, !set->spread}, arm, start);
}

cairn_status cairn_groups_rest_of_none(cairn_groups      *set,
                                       int                q,
                                       const cairn_coord *d,
                                       int               *arm,
                                       int64_t           *start)
{
    return rest_at(&(absent){set, q, d, true}, arm, start);
}

/// How many of a group's skipped elements have a rank below @p rank?
static int64_t skips_below(const cairn_group_query *s, int64_t g, int64_t rank)
{
    const int64_t *skip = s->enumerated.skip + s->index.begin[g];
    int64_t        lo = 0, hi = s->enumerated.skips[g];

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (skip[mid] < rank)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/// Rank of a position in its group.
static cairn_status rank_at(cairn_groups            *set,
                            const cairn_query_order *order,
                            const int64_t           *tuple,
                            const cairn_coord       *d,
                            int64_t                 *rank)
{
    cairn_group_box box;
    cairn_line_runs runs;

    *rank = -1;
    cairn_group_box_enter(order, tuple, &box);
    if (box.empty) return CAIRN_OK;
    if (!order->runs.on) {
        *rank = cairn_group_box_rank(order, &box, d);
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_line_runs_init(set->env, order, &box, &runs));
    *rank = cairn_line_runs_rank(&runs, d);
    cairn_line_runs_fini(&runs);
    return CAIRN_OK;
}

/// Number of an element of enum @p r without an entry, at @p d of the group with @p tuple,
/// whose elements @p of has: the set itself, or what all ranks have of groups that cross.
static cairn_status unstored_number(cairn_groups      *set,
                                    cairn_groups      *of,
                                    int                r,
                                    const int64_t     *tuple,
                                    const cairn_coord *d,
                                    int64_t           *value)
{
    cairn_group_query *s = &of->query[r];
    int64_t            rank, g;
    int                arm;

    *value = CAIRN_NO_NUMBER;
    if (s->rest.one && s->rest.start.kind == CAIRN_START_NONE) return CAIRN_OK;
    CAIRN_TRY(cairn_groups_rest(set, r, d, &arm, value));
    if (*value == CAIRN_NO_NUMBER) return CAIRN_OK;
    if (of == set && cairn_groups_crosses(set, &s->forms.group, tuple)
        && s->spread.crosses)
        return cairn_groups_elsewhere(set, r); /* so are elements before it */
    /* as at the first position of an element that is a group */
    CAIRN_TRY(rank_at(set, &s->forms.order, tuple, d, &rank));
    g = cairn_group_index_find(&s->index, tuple);
    if (g >= 0) {
        CAIRN_TRY(cairn_groups_find_skips(of, r, g));
        rank -= skips_below(s, g, rank);
    }
    if (rank < 0)
        *value = CAIRN_NO_NUMBER;
    else
        *value += rank;
    return CAIRN_OK;
}

/// May another rank have an entry there, or of the group of query @p arg there?
static bool is_elsewhere(const cairn_groups *set, int arg, const cairn_coord *d)
{
    static const int64_t none[CAIRN_MAX_QUERIES];
    int64_t              tuple[CAIRN_MAX_LEVELS];

    if (!set->spread) return false;
    if (arg < 0) return d[0] < set->box[0].lo || d[0] > set->box[0].hi;

    const cairn_group_query *s = &set->query[arg];

    for (int f = 0; f < s->forms.group.count; f++)
        tuple[f] = cairn_form_value(set->algebra, &s->forms.group.form[f], d, none);
    switch (cairn_groups_owner(set, &s->forms.group, tuple)) {
    case CAIRN_GROUP_MINE: return false;
    case CAIRN_GROUP_JOINT:
        return s->spread.crosses
               && (!s->spread.known
                   || cairn_group_index_find(&s->spread.others, tuple) >= 0);
    case CAIRN_GROUP_ELSEWHERE: break;
    }
    return true;
}

/// Number of an element of enum @p r that another rank has: only that it has none can be
/// known here.
static cairn_status
number_elsewhere(cairn_groups *set, int r, const cairn_coord *d, int64_t *value)
{
    int arm;

    if (set->query[r].query->arg >= 0) {
        CAIRN_TRY(cairn_groups_rest(set, r, d, &arm, value));
        if (*value == CAIRN_NO_NUMBER) return CAIRN_OK;
    }
    return cairn_groups_elsewhere(set, r);
}

static cairn_status
enum_value(cairn_groups *set, int r, const cairn_coord *d, int64_t *value)
{
    cairn_group_query *s = &set->query[r];
    int64_t            tuple[CAIRN_MAX_LEVELS], at;
    cairn_groups      *of = set;

    CAIRN_TRY(cairn_groups_element_at(set, r, d, &at));
    if (at < 0) CAIRN_TRY(tuple_at(set, &s->forms.group, d, tuple));
    if (at < 0 && s->spread.joint
        && cairn_groups_owner(set, &s->forms.group, tuple) == CAIRN_GROUP_JOINT) {
        of = &s->spread.joint->set;
        CAIRN_TRY(cairn_groups_element_at(of, r, d, &at));
    }
    if (at >= 0) {
        *value = of->query[r].enumerated.number[at];
        return CAIRN_OK;
    }
    if (of == set && is_elsewhere(set, s->query->arg, d))
        return number_elsewhere(set, r, d, value);
    return unstored_number(set, of, r, tuple, d, value);
}

cairn_status
cairn_groups_value(cairn_groups *set, int r, const cairn_coord *d, int64_t *value)
{
    cairn_group_query *s = &set->query[r];
    int64_t            tuple[CAIRN_MAX_LEVELS], at;

    if (s->query->func == CAIRN_QUERY_SUM) {
        CAIRN_TRY(tuple_at(set, &s->forms.group, d, tuple));
        return cairn_groups_total(set, r, tuple, value);
    }
    if (s->query->func != CAIRN_QUERY_ENUM) {
        CAIRN_TRY(tuple_at(set, &set->query[s->query->arg].forms.group, d, tuple));
        at = cairn_group_index_find(&s->index, tuple);
        if (at < 0 && set->spread) return cairn_groups_elsewhere(set, r);
        *value = at < 0 ? CAIRN_NO_NUMBER : s->enumerated.number[at];
        return CAIRN_OK;
    }
    return enum_value(set, r, d, value);
}
