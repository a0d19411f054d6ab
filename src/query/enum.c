// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `enum`: numbers for the elements of each group. Stored elements get theirs here;
/// the others, where they are numbered apart from all stored ones, only when asked for.

#include "query/columns.h"
#include "query/exchange.h"
#include "query/numbering.h"

/// Columns of one run, freed together.
typedef struct {
    cairn_rules  rules;
    int64_t     *arm, *start; ///< NULL where all elements have the same.
    int64_t     *group; ///< Of every element, where groups are runs and not in order.
    int          traverses, ids, bys;
    cairn_column traverse[CAIRN_MAX_LEVELS], id[CAIRN_MAX_LEVELS], by[CAIRN_MAX_LEVELS];
} columns;

static void columns_fini(cairn_env *env, columns *c)
{
    cairn_free(env, c->arm);
    cairn_free(env, c->start);
    cairn_free(env, c->group);
    for (int k = 0; k < c->traverses; k++)
        cairn_free(env, c->traverse[k].own);
    for (int k = 0; k < c->ids; k++)
        cairn_free(env, c->id[k].own);
    for (int k = 0; k < c->bys; k++)
        cairn_free(env, c->by[k].own);
}

/// What the value map says of every element.
static cairn_status find_rules(cairn_query_set *set, int q, columns *c)
{
    const cairn_query_state *s = &set->state[q];
    const int64_t            n = s->elements.n;

    cairn_free(set->env, c->arm);
    cairn_free(set->env, c->start);
    c->arm = c->start = NULL;
    cairn_rules_init(set, q, &s->elements, &c->rules);
    if (c->rules.one_start) return CAIRN_OK;
    if (!c->rules.one_arm) CAIRN_TRY(CAIRN_NEW(set->env, n, &c->arm));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &c->start));
    for (int64_t p = 0; p < n; p += CAIRN_CHUNK)
        CAIRN_TRY(cairn_rules_read(&c->rules, p,
                                   (int)(n - p < CAIRN_CHUNK ? n - p : CAIRN_CHUNK),
                                   c->arm ? c->arm + p : NULL, c->start + p));
    return CAIRN_OK;
}

/// Where the others start must be known without looking at them: a constant, or a sum,
/// which is one for the group. The value of the groups numbered here is 0 for all others.
static bool start_is_known(const cairn_query_set *set, cairn_query_state *s)
{
    if (s->rest.kind != CAIRN_START_QUERY) return true;
    if (s->rest.value == s->query->arg) {
        const cairn_query_state *arg = &set->state[s->query->arg];

        s->rest = (cairn_start){.kind = CAIRN_START_CONST};
        return arg->lazy && arg->rest.value == 0;
    }
    return set->encoding->query[s->rest.value].func == CAIRN_QUERY_SUM;
}

/// Can the elements that have no entry be left out of the numbering?
static cairn_status decide(cairn_query_set *set, int q, columns *c)
{
    cairn_query_state *s      = &set->state[q];
    int64_t            shared = 0;
    int                arm;
    cairn_status       status;

    CAIRN_TRY(cairn_elements_of(set, q, false, &s->elements));
    s->lazy = cairn_query_rest(set, s->query, &arm, &s->rest);
    if (!s->lazy) return CAIRN_OK;
    status = find_rules(set, q, c);
    if (s->rest.kind == CAIRN_START_NONE) return status;
    if (s->query->distance || s->group.queries || !start_is_known(set, s)
        || (s->query->arg >= 0 && set->state[s->query->arg].group.queries)) {
        s->lazy = false;
        return status;
    }
    if (c->arm) cairn_visit(set->env, s->elements.n);
    if (!c->arm) shared = s->elements.n > 0 && c->rules.arm == arm;
    for (int64_t p = 0; c->arm && status == CAIRN_OK && p < s->elements.n; p++)
        shared |= c->arm[p] == arm;
    CAIRN_TRY(cairn_exchange_max(&set->meeting, status, &shared));
    s->lazy = !shared;
    return CAIRN_OK;
}

static cairn_status take_all(cairn_query_set *set, int q, columns *c)
{
    cairn_query_state *s = &set->state[q];

    CAIRN_TRY(cairn_query_know_all(set, q));
    CAIRN_TRY(cairn_elements_of(set, q, true, &s->elements));
    return find_rules(set, q, c);
}

static bool has_form(const cairn_query_map *map, const cairn_form *form)
{
    for (int f = 0; f < map->count; f++)
        if (cairn_form_equal(&map->form[f], form)) return true;
    return false;
}

/// The columns that order elements and keep their distance. Positions stand in id order
/// already; of groups those expressions are left out that cannot decide any more.
static cairn_status find_columns(cairn_query_set *set, int q, columns *c)
{
    cairn_query_state     *s = &set->state[q];
    const cairn_query_map *ids =
        s->query->arg < 0 ? NULL : &set->state[s->query->arg].group;

    for (; c->traverses < s->traverse.count; c->traverses++)
        CAIRN_TRY(cairn_elements_column(set, &s->elements, &s->traverse, c->traverses,
                                        &c->traverse[c->traverses]));
    for (; c->bys < s->by.count; c->bys++)
        CAIRN_TRY(
            cairn_elements_column(set, &s->elements, &s->by, c->bys, &c->by[c->bys]));
    for (int f = 0; ids && f < ids->count; f++) {
        if (has_form(&s->group, &ids->form[f]) || has_form(&s->traverse, &ids->form[f]))
            continue;
        CAIRN_TRY(cairn_elements_column(set, &s->elements, ids, f, &c->id[c->ids]));
        c->ids++;
    }
    return CAIRN_OK;
}

static void fill_batch(const cairn_query_state *s, const columns *c, cairn_numbering *b)
{
    *b = (cairn_numbering){.n         = s->elements.n,
                           .groups    = s->touched,
                           .group     = s->group_of ? s->group_of : c->group,
                           .arm       = c->arm,
                           .start     = c->start,
                           .one_start = c->rules.start,
                           .distance  = s->query->distance,
                           .bys       = c->bys,
                           .number    = s->number,
                           .order     = s->order,
                           .first     = s->first};
    for (int k = 0; k < c->traverses; k++)
        b->key[b->keys++] = c->traverse[k].data;
    for (int k = 0; k < c->ids; k++)
        b->key[b->keys++] = c->id[k].data;
    for (int k = 0; k < c->bys; k++)
        b->by[k] = c->by[k].data;
}

/// The start of the others in each group, where it stands in memory: a constant, or a
/// sum over the same groups.
static const int64_t *find_starts(const cairn_query_set   *set,
                                  const cairn_query_state *s)
{
    if (s->rest.kind == CAIRN_START_CONST) return &s->rest.value;
    return s->same == (int)s->rest.value ? set->state[s->same].total : NULL;
}

/// Where the others of each group begin: their start is one for the group.
static cairn_status find_rest_starts(cairn_query_set *set, int q)
{
    cairn_query_state *s     = &set->state[q];
    const int64_t     *start = find_starts(set, s);
    const int64_t      step  = s->rest.kind == CAIRN_START_QUERY;
    cairn_element      element;

    if (!s->lazy || s->rest.kind == CAIRN_START_NONE) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, s->touched, &s->rest_start));
    cairn_visit(set->env, s->touched);
    for (int64_t g = 0; start && g < s->touched; g++)
        s->rest_start[g] = start[g * step];
    for (int64_t g = 0; !start && g < s->touched; g++) {
        cairn_element_get(set, &s->elements, cairn_order_at(s->order, s->first[g]),
                          &element);
        CAIRN_TRY(cairn_query_start(set, &s->rest, &element, &s->rest_start[g]));
    }
    return CAIRN_OK;
}

/* ---- numbering ---- */

/// The next dimension along which the entries of one group ascend: the first that those
/// in @p fixed leave open.
static int open_dim(const cairn_query_set *set, uint32_t fixed)
{
    int k = 0;

    while (k < set->order && fixed >> k & 1)
        k++;
    return k;
}

/// Do the entries of every group stand in traverse order? Those of one group ascend by
/// the dimensions that are not one of the groupBy expressions, the first most
/// significant. False: not known.
static bool stands_in_order(const cairn_query_set *set, const cairn_query_state *s)
{
    uint32_t fixed = 0;

    for (int f = 0; f < s->group.count; f++) {
        const int k = cairn_form_plain_dim(set, &s->group.form[f]);

        if (k >= 0) fixed |= 1U << k;
    }
    for (int f = 0; f < s->traverse.count; f++) {
        const cairn_form *form = &s->traverse.form[f];
        const int         k    = cairn_form_plain_dim(set, form);

        if (cairn_form_queries(set->algebra, form)) return false;
        if (!(cairn_form_dims(set->algebra, form) & ~fixed)) continue;
        if (k < 0 || k != open_dim(set, fixed)) return false;
        fixed |= 1U << k;
    }
    return true;
}

/// Does nobody need the columns of the elements? Groups are runs of entries that stand
/// in order, each counted from one start, and none has entries on other ranks.
static bool
is_simple(const cairn_query_set *set, const cairn_query_state *s, columns *c)
{
    return s->begin && c->rules.one_start && c->rules.start != CAIRN_NO_NUMBER
           && !s->query->distance && stands_in_order(set, s)
           && (!set->meeting.net || cairn_map_is_local(set, &s->group));
}

/// Number the entries of every run from the start on.
static cairn_status number_runs(cairn_query_set *set, int q, int64_t start)
{
    cairn_query_state *s    = &set->state[q];
    int64_t            most = 0, end;

    cairn_visit(set->env, s->touched + s->elements.n);
    for (int64_t g = 0; g < s->touched; g++) {
        const int64_t begin = s->begin[g], n = s->begin[g + 1] - begin;

        most = n > most ? n : most;
        for (int64_t k = 0; k < n; k++)
            s->number[begin + k] = (int64_t)((uint64_t)start + (uint64_t)k);
    }
    if (__builtin_add_overflow(start, most, &end))
        return cairn_number_overflow(set->env);
    s->span    = most ? (cairn_interval){start, end - 1} : (cairn_interval){0, -1};
    s->spanned = true;
    return CAIRN_OK;
}

static cairn_status number_simple(cairn_query_set *set, int q, const columns *c)
{
    cairn_query_state *s = &set->state[q];

    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &s->number));
    s->first = s->begin;
    CAIRN_TRY(number_runs(set, q, c->rules.start));
    return find_rest_starts(set, q);
}

/// The group of every element, where it is not kept.
static cairn_status find_groups(cairn_query_set *set, int q, columns *c)
{
    const cairn_query_state *s = &set->state[q];

    if (s->group_of) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &c->group));
    cairn_visit(set->env, s->touched + s->elements.n);
    for (int64_t g = 0; g < s->touched; g++)
        for (int64_t p = s->begin[g]; p < s->begin[g + 1]; p++)
            c->group[p] = g;
    return CAIRN_OK;
}

static cairn_status
number_columns(cairn_query_set *set, int q, columns *c, cairn_numbering *b)
{
    cairn_query_state *s = &set->state[q];

    CAIRN_TRY(find_groups(set, q, c));
    CAIRN_TRY(find_columns(set, q, c));
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &s->number));
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &s->order));
    CAIRN_TRY(CAIRN_NEW(set->env, s->touched + 1, &s->first));
    fill_batch(s, c, b);
    CAIRN_TRY(cairn_number_elements(set->env, b));
    return find_rest_starts(set, q);
}

static cairn_status
number_local(cairn_query_set *set, int q, columns *c, cairn_numbering *b)
{
    cairn_query_state *s = &set->state[q];

    CAIRN_TRY(cairn_query_group(set, q));
    CAIRN_TRY(cairn_query_mark_crossing(set, q));
    if (!is_simple(set, s, c)) return number_columns(set, q, c, b);
    CAIRN_TRY(number_simple(set, q, c));
    fill_batch(s, c, b);
    b->ascends = true;
    return CAIRN_OK;
}

/* ---- the query ---- */

/// The others of a crossing group were checked by its owner, who knows all its elements.
static cairn_status check(cairn_query_set *set, int q, const cairn_numbering *b)
{
    cairn_query_state *s = &set->state[q];

    for (int64_t g = 0; s->crossing && s->rest_start && g < s->touched; g++)
        if (s->crossing[g]) s->rest_start[g] = CAIRN_NO_NUMBER;
    return cairn_number_check(set, q, b, cairn_query_groups(set, q), s->rest_start,
                              &s->by_number);
}

static cairn_status find_at_entry(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];

    s->filled = s->elements.kind != CAIRN_ELEMENTS_GROUPS;
    if (s->elements.kind == CAIRN_ELEMENTS_ENTRIES) {
        s->at_entry = s->number;
        return CAIRN_OK;
    }
    CAIRN_TRY(CAIRN_NEW(set->env, set->entries->n, &s->at_entry));
    cairn_visit(set->env, s->elements.n);
    if (s->elements.kind == CAIRN_ELEMENTS_BOX)
        for (int64_t p = 0; p < s->elements.n; p++)
            if (s->elements.entry[p] >= 0)
                s->at_entry[s->elements.entry[p]] = s->number[p];
    return CAIRN_OK;
}

cairn_status cairn_query_run_enum(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];
    columns            c = {.arm = NULL};
    cairn_numbering    b = {.n = 0};
    cairn_status       status;

    CAIRN_GO(done, decide(set, q, &c));
    if (!s->lazy) CAIRN_GO(done, take_all(set, q, &c));
    cairn_query_find_line(set, q);
    status = number_local(set, q, &c, &b);
    CAIRN_GO(done, cairn_enum_share(set, q, status, &b));
    CAIRN_GO(done, check(set, q, &b));
    status = find_at_entry(set, q);
done:
    columns_fini(set->env, &c);
    return status;
}
