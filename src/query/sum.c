// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `sum`: per group, the starts of its elements. Elements without an entry all start
/// with one constant (`lazy`); if it is not 0 they are counted: positions of the group
/// less those stored. Else every element is looked at.

#include "query/columns.h"
#include "query/exchange.h"

#include <string.h>

/// Sums while they are made: what the elements gave, and how many there were.
typedef struct {
    int64_t *total, *count;
} tally;

static cairn_status overflow(cairn_query_set *set, const cairn_query *query)
{
    char text[32];

    return cairn_fail(set->env, CAIRN_OVERFLOW, "query: %s: a sum leaves 64 bits",
                      cairn_query_label(set, query, text));
}

/// Decide which elements must be looked at.
static void decide(cairn_query_set *set, int q)
{
    cairn_query_state *s   = &set->state[q];
    const int          arg = s->query->arg;

    s->rest = (cairn_start){.kind = CAIRN_START_CONST};
    s->lazy = cairn_query_rest_constant(set, s->query, &s->rest.value);
    if (arg >= 0 && (s->rest.value != 0 || set->state[arg].group.queries))
        s->lazy = false;
    if (arg < 0 && s->rest.value != 0 && s->group.queries) s->lazy = false;
}

static void
count_elements(cairn_query_set *set, const cairn_query_state *s, int64_t *count)
{
    cairn_visit(set->env, s->begin ? s->touched : s->elements.n);
    if (s->begin)
        for (int64_t g = 0; g < s->touched; g++)
            count[g] = s->begin[g + 1] - s->begin[g];
    else
        for (int64_t p = 0; p < s->elements.n; p++)
            count[s->group_of[p]]++;
}

/// All elements start alike: a group's sum is a product.
static cairn_status add_alike(cairn_query_set *set, int q, int64_t start, tally *t)
{
    cairn_query_state *s = &set->state[q];

    count_elements(set, s, t->count);
    if (start == CAIRN_NO_NUMBER) return CAIRN_OK;
    cairn_visit(set->env, s->touched);
    for (int64_t g = 0; g < s->touched; g++)
        if (__builtin_mul_overflow(start, t->count[g], &t->total[g]))
            return overflow(set, s->query);
    return CAIRN_OK;
}

static cairn_status add_elements(cairn_query_set *set, int q, tally *t)
{
    cairn_query_state *s = &set->state[q];
    cairn_rules        rules;
    int64_t            start[CAIRN_CHUNK], g = 0;

    cairn_rules_init(set, q, &s->elements, &rules);
    if (rules.one_start) return add_alike(set, q, rules.start, t);
    cairn_visit(set->env, s->elements.n);
    for (int64_t p = 0, end; p < s->elements.n; p = end) {
        end = p + CAIRN_CHUNK < s->elements.n ? p + CAIRN_CHUNK : s->elements.n;
        CAIRN_TRY(cairn_rules_read(&rules, p, (int)(end - p), NULL, start));
        for (int64_t e = p; e < end; e++) {
            g = cairn_group_at(s, e, g);
            t->count[g]++;
            if (start[e - p] != CAIRN_NO_NUMBER
                && __builtin_add_overflow(t->total[g], start[e - p], &t->total[g]))
                return overflow(set, s->query);
        }
    }
    return CAIRN_OK;
}

/// Add what the positions that were not looked at give to a group of @p count entries.
static cairn_status add_rest(cairn_query_set *set,
                             int              q,
                             const int64_t   *tuple,
                             int64_t          count,
                             int64_t         *total)
{
    const cairn_query_state *s = &set->state[q];
    int64_t                  rest;

    if (!s->lazy || s->rest.value == 0) return CAIRN_OK;
    rest = cairn_group_positions(set, &s->group, tuple) - count;
    if (__builtin_mul_overflow(rest, s->rest.value, &rest)
        || __builtin_add_overflow(*total, rest, total))
        return overflow(set, s->query);
    return CAIRN_OK;
}

cairn_status
cairn_sum_untouched(cairn_query_set *set, int q, const int64_t *tuple, int64_t *total)
{
    *total = 0;
    return add_rest(set, q, tuple, 0, total);
}

static cairn_status finish_local(cairn_query_set *set, int q, tally *t)
{
    cairn_query_state *s = &set->state[q];

    cairn_visit(set->env, s->groups.n);
    for (int64_t g = 0; g < s->groups.n; g++)
        if (!s->crossing || !s->crossing[g])
            CAIRN_TRY(add_rest(set, q, cairn_tuples_at(&s->groups, g), t->count[g],
                               &t->total[g]));
    return CAIRN_OK;
}

/* ---- groups on several ranks ---- */

static bool crosses(const cairn_query_state *s, int64_t group)
{
    return s->crossing && s->crossing[group];
}

static int owner(const cairn_query_set *set, int width, const int64_t *tuple)
{
    return (int)(cairn_tuples_hash(width, tuple) % (uint64_t)set->meeting.net->size);
}

/// Records (group, total, count), one per crossing group.
static cairn_status
pack_groups(cairn_query_set *set, int q, const tally *t, cairn_exchange *travel)
{
    cairn_query_state *s     = &set->state[q];
    const int          width = s->group.count;
    int64_t            n     = 0;

    for (int64_t g = 0; g < s->groups.n; g++)
        n += crosses(s, g);
    CAIRN_TRY(cairn_exchange_init(&set->meeting, travel, width + 2, n));
    n = 0;
    for (int64_t g = 0; g < s->groups.n; g++) {
        int64_t *record = travel->record + n * travel->width;

        if (!crosses(s, g)) continue;
        memcpy(record, cairn_tuples_at(&s->groups, g), (size_t)width * sizeof *record);
        record[width]     = t->total[g];
        record[width + 1] = t->count[g];
        travel->to[n++]   = owner(set, width, record);
    }
    return CAIRN_OK;
}

/// Records (group, start, element's tuple), one per element of a crossing group: an
/// element that is a group of the earlier query may be known to several ranks.
static cairn_status pack_elements(cairn_query_set *set, int q, cairn_exchange *travel)
{
    cairn_query_state  *s     = &set->state[q];
    const cairn_tuples *ids   = &set->state[s->query->arg].groups;
    const int           width = s->group.count;
    int64_t             n     = 0;
    cairn_element       element;
    int                 arm;

    for (int64_t p = 0; p < s->elements.n; p++)
        n += crosses(s, s->group_of[p]);
    CAIRN_TRY(cairn_exchange_init(&set->meeting, travel, width + 1 + ids->width, n));
    n = 0;
    for (int64_t p = 0; p < s->elements.n; p++) {
        int64_t *record = travel->record + n * travel->width;

        if (!crosses(s, s->group_of[p])) continue;
        memcpy(record, cairn_tuples_at(&s->groups, s->group_of[p]),
               (size_t)width * sizeof *record);
        cairn_element_group(set, s->query->arg, p, &element);
        CAIRN_TRY(cairn_query_rule(set, s->query, &element, &arm, &record[width]));
        memcpy(record + width + 1, cairn_tuples_at(ids, p),
               (size_t)ids->width * sizeof *record);
        travel->to[n++] = owner(set, width, record);
    }
    return CAIRN_OK;
}

/// What the owner of crossing groups works with.
typedef struct {
    cairn_tuples groups, ids;
    tally        sums;
    int64_t     *group_of; ///< [received]
    int64_t     *answer;   ///< [received]
} owned;

static void owned_fini(cairn_env *env, owned *o)
{
    cairn_tuples_fini(env, &o->groups);
    cairn_tuples_fini(env, &o->ids);
    cairn_free(env, o->sums.total);
    cairn_free(env, o->sums.count);
    cairn_free(env, o->group_of);
    cairn_free(env, o->answer);
}

static cairn_status
owned_init(cairn_query_set *set, int q, const cairn_exchange *travel, owned *o)
{
    const cairn_query_state *s = &set->state[q];

    memset(o, 0, sizeof *o);
    cairn_tuples_init(&o->groups, s->group.count);
    cairn_tuples_init(&o->ids, travel->width - s->group.count - 1);
    CAIRN_TRY(CAIRN_NEW_ZERO(set->env, travel->received, &o->sums.total));
    CAIRN_TRY(CAIRN_NEW_ZERO(set->env, travel->received, &o->sums.count));
    CAIRN_TRY(CAIRN_NEW(set->env, travel->received, &o->group_of));
    return CAIRN_NEW(set->env, travel->received, &o->answer);
}

/// Add one record's total; an element counts once.
static cairn_status
take_record(cairn_query_set *set, int q, const int64_t *record, int64_t group, owned *o)
{
    const cairn_query *query = set->state[q].query;
    const int          width = set->state[q].group.count;

    if (query->arg < 0) {
        o->sums.count[group] += record[width + 1];
    } else {
        const int64_t known = o->ids.n;
        int64_t       id;

        CAIRN_TRY(cairn_tuples_add(set->env, &o->ids, record + width + 1, &id));
        if (id < known || record[width] == CAIRN_NO_NUMBER) return CAIRN_OK;
    }
    if (__builtin_add_overflow(o->sums.total[group], record[width],
                               &o->sums.total[group]))
        return overflow(set, query);
    return CAIRN_OK;
}

static cairn_status
add_records(cairn_query_set *set, int q, const cairn_exchange *travel, owned *o)
{
    CAIRN_TRY(owned_init(set, q, travel, o));
    for (int64_t k = 0; k < travel->received; k++) {
        const int64_t *record = travel->in + k * travel->width;

        CAIRN_TRY(cairn_tuples_add(set->env, &o->groups, record, &o->group_of[k]));
        CAIRN_TRY(take_record(set, q, record, o->group_of[k], o));
    }
    for (int64_t g = 0; g < o->groups.n; g++)
        CAIRN_TRY(add_rest(set, q, cairn_tuples_at(&o->groups, g), o->sums.count[g],
                           &o->sums.total[g]));
    for (int64_t k = 0; k < travel->received; k++)
        o->answer[k] = o->sums.total[o->group_of[k]];
    return CAIRN_OK;
}

/// Give each crossing group its total from the answers: one per group or per element.
static void take_answers(cairn_query_state *s, const int64_t *result, int64_t *total)
{
    const bool    by_group = s->query->arg < 0;
    const int64_t rows     = by_group ? s->groups.n : s->elements.n;
    int64_t       k        = 0;

    for (int64_t row = 0; row < rows; row++) {
        const int64_t g = by_group ? row : s->group_of[row];

        if (crosses(s, g)) total[g] = result[k++];
    }
}

static cairn_status share(cairn_query_set *set, int q, cairn_status mine, tally *t)
{
    cairn_query_state *s      = &set->state[q];
    cairn_exchange     travel = {0};
    owned              o      = {0};
    int64_t           *result = NULL;
    cairn_status       status = mine;

    if (!set->meeting.net || cairn_map_is_local(set, &s->group)) return mine;
    if (status == CAIRN_OK)
        status = s->query->arg < 0 ? pack_groups(set, q, t, &travel)
                                   : pack_elements(set, q, &travel);
    CAIRN_GO(done, cairn_exchange_send(&set->meeting, status, &travel));
    status = add_records(set, q, &travel, &o);
    if (status == CAIRN_OK) status = CAIRN_NEW(set->env, travel.n, &result);
    CAIRN_GO(done,
             cairn_exchange_return(&set->meeting, status, &travel, o.answer, result));
    take_answers(s, result, t->total);
done:
    cairn_free(set->env, result);
    owned_fini(set->env, &o);
    cairn_exchange_fini(&set->meeting, &travel);
    return status;
}

/* ---- the query ---- */

/// Of a box the groups of its entries are kept apart.
static cairn_status find_entry_groups(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];

    if (s->elements.kind != CAIRN_ELEMENTS_BOX) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, set->entries->n, &s->entry_group));
    cairn_visit(set->env, s->elements.n);
    for (int64_t p = 0; p < s->elements.n; p++)
        if (s->elements.entry[p] >= 0)
            s->entry_group[s->elements.entry[p]] = s->group_of[p];
    return CAIRN_OK;
}

/// Has every group an entry?
static bool is_entered(const cairn_query_set *set, const cairn_query_state *s)
{
    const cairn_query_state *arg = &set->state[s->elements.q];

    if (s->elements.kind != CAIRN_ELEMENTS_GROUPS)
        return s->elements.kind == CAIRN_ELEMENTS_ENTRIES;
    return arg->entered && s->elements.n == arg->touched;
}

static cairn_status run_local(cairn_query_set *set, int q, tally *t)
{
    cairn_query_state *s = &set->state[q];

    CAIRN_TRY(cairn_query_group(set, q));
    CAIRN_TRY(cairn_query_mark_crossing(set, q));
    CAIRN_TRY(CAIRN_NEW_ZERO(set->env, s->groups.n, &t->total));
    CAIRN_TRY(CAIRN_NEW_ZERO(set->env, s->groups.n, &t->count));
    CAIRN_TRY(add_elements(set, q, t));
    CAIRN_TRY(finish_local(set, q, t));
    return find_entry_groups(set, q);
}

cairn_status cairn_query_run_sum(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];
    tally              t = {0};
    cairn_status       status;

    decide(set, q);
    if (!s->lazy) CAIRN_TRY(cairn_query_know_all(set, q));
    CAIRN_TRY(cairn_elements_of(set, q, !s->lazy, &s->elements));
    status   = run_local(set, q, &t);
    status   = share(set, q, status, &t);
    s->total = t.total;
    cairn_free(set->env, t.count);
    CAIRN_TRY(status);
    s->entered = is_entered(set, s);
    if (set->groups_only) return CAIRN_OK;
    return CAIRN_NEW(set->env, set->entries->n, &s->at_entry);
}
