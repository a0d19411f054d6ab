// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `enum`: numbers for the elements of each group. Stored elements get theirs here;
/// the others, where they are numbered apart from all stored ones, only when asked for.

#include "query/travel.h"

#include <string.h>

/// Columns of one run, freed together.
typedef struct {
    int64_t     *arm, *start;
    int          traverses, ids, bys;
    cairn_column traverse[CAIRN_MAX_LEVELS], id[CAIRN_MAX_LEVELS], by[CAIRN_MAX_LEVELS];
} columns;

static void columns_fini(cairn_env *env, columns *c)
{
    cairn_free(env, c->arm);
    cairn_free(env, c->start);
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
    cairn_element            element;

    cairn_free(set->env, c->arm);
    cairn_free(set->env, c->start);
    c->arm = c->start = NULL;
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &c->arm));
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &c->start));
    for (int64_t p = 0; p < s->elements.n; p++) {
        int arm;

        cairn_element_get(set, &s->elements, p, &element);
        CAIRN_TRY(cairn_query_rule(set, s->query, &element, &arm, &c->start[p]));
        c->arm[p] = arm;
    }
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
    for (int64_t p = 0; status == CAIRN_OK && p < s->elements.n; p++)
        shared |= c->arm[p] == arm;
    CAIRN_TRY(cairn_travel_max(set, status, &shared));
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
    *b = (cairn_numbering){.n        = s->elements.n,
                           .groups   = s->groups.n,
                           .group    = s->group_of,
                           .arm      = c->arm,
                           .start    = c->start,
                           .distance = s->query->distance,
                           .bys      = c->bys,
                           .number   = s->number,
                           .order    = s->order,
                           .first    = s->first};
    for (int k = 0; k < c->traverses; k++)
        b->key[b->keys++] = c->traverse[k].data;
    for (int k = 0; k < c->ids; k++)
        b->key[b->keys++] = c->id[k].data;
    for (int k = 0; k < c->bys; k++)
        b->by[k] = c->by[k].data;
}

/// Where the others of each group begin: their start is one for the group.
static cairn_status find_rest_starts(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];
    cairn_element      element;

    if (!s->lazy || s->rest.kind == CAIRN_START_NONE) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, s->groups.n, &s->rest_start));
    for (int64_t g = 0; g < s->groups.n; g++) {
        cairn_element_get(set, &s->elements, s->order[s->first[g]], &element);
        CAIRN_TRY(cairn_query_start(set, &s->rest, &element, &s->rest_start[g]));
    }
    return CAIRN_OK;
}

static cairn_status
number_local(cairn_query_set *set, int q, columns *c, cairn_numbering *b)
{
    cairn_query_state *s = &set->state[q];

    CAIRN_TRY(cairn_query_group(set, q));
    CAIRN_TRY(cairn_query_mark_crossing(set, q));
    CAIRN_TRY(find_columns(set, q, c));
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &s->number));
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &s->order));
    CAIRN_TRY(CAIRN_NEW(set->env, s->groups.n + 1, &s->first));
    fill_batch(s, c, b);
    CAIRN_TRY(cairn_number_elements(set->env, b));
    return find_rest_starts(set, q);
}

/* ---- groups on several ranks ---- */

/* A record: the group's tuple, arm, start, start of the others, traverse, id. */
enum { AT_ARM, AT_START, AT_REST, AT_KEYS };

static cairn_status
pack(cairn_query_set *set, int q, const cairn_numbering *b, cairn_travel *travel)
{
    const cairn_query_state *s     = &set->state[q];
    const int                width = s->group.count;
    int64_t                  n     = 0;

    for (int64_t p = 0; p < b->n; p++)
        n += s->crossing[b->group[p]];
    CAIRN_TRY(cairn_travel_init(set, travel, width + AT_KEYS + b->keys, n));
    n = 0;
    for (int64_t p = 0; p < b->n; p++) {
        const int64_t g      = b->group[p];
        int64_t      *record = travel->record + n * travel->width;
        int64_t      *more   = record + width;

        if (!s->crossing[g]) continue;
        memcpy(record, cairn_tuples_at(&s->groups, g), (size_t)width * sizeof *record);
        more[AT_ARM]   = b->arm[p];
        more[AT_START] = b->start[p];
        more[AT_REST]  = s->rest_start ? s->rest_start[g] : CAIRN_NO_NUMBER;
        for (int k = 0; k < b->keys; k++)
            more[AT_KEYS + k] = b->key[k][p];
        travel->to[n++] =
            (int)(cairn_tuples_hash(width, record) % (uint64_t)set->net->size);
    }
    return CAIRN_OK;
}

/// What the owner of crossing groups works with: elements, each once, in columns.
typedef struct {
    cairn_tuples    groups, ids;
    int64_t        *column;     ///< [3 + keys][received]: group, arm, start, keys.
    int64_t        *rest;       ///< [received] by group.
    int64_t        *element_of; ///< [received]
    int64_t        *answer;     ///< [received]
    int64_t        *by_number;
    cairn_numbering batch;
} owned;

static void owned_fini(cairn_env *env, owned *o)
{
    cairn_tuples_fini(env, &o->groups);
    cairn_tuples_fini(env, &o->ids);
    cairn_free(env, o->column);
    cairn_free(env, o->rest);
    cairn_free(env, o->element_of);
    cairn_free(env, o->answer);
    cairn_free(env, o->by_number);
    cairn_free(env, o->batch.number);
    cairn_free(env, o->batch.order);
    cairn_free(env, o->batch.first);
}

/// Number of the element that a record is about. Groups of an earlier query may come
/// from several ranks; group and keys tell them apart.
static cairn_status element_of(cairn_query_set *set,
                               int              q,
                               const int64_t   *record,
                               int64_t          group,
                               owned           *o,
                               int64_t         *element)
{
    const int width = set->state[q].group.count;
    int64_t   id[1 + CAIRN_MAX_LEVELS + CAIRN_MAX_ORDER];

    *element = o->batch.n;
    if (set->state[q].query->arg < 0) return CAIRN_OK;
    id[0] = group;
    memcpy(id + 1, record + width + AT_KEYS, (size_t)o->batch.keys * sizeof *id);
    return cairn_tuples_add(set->env, &o->ids, id, element);
}

static cairn_status
take_records(cairn_query_set *set, int q, const cairn_travel *travel, owned *o)
{
    const int        width = set->state[q].group.count;
    const int64_t    n     = travel->received;
    cairn_numbering *b     = &o->batch;

    for (int64_t k = 0; k < n; k++) {
        const int64_t *record = travel->in + k * travel->width, *more = record + width;
        int64_t        g, e;

        CAIRN_TRY(cairn_tuples_add(set->env, &o->groups, record, &g));
        CAIRN_TRY(element_of(set, q, record, g, o, &e));
        o->element_of[k] = e;
        o->rest[g]       = more[AT_REST];
        if (e < b->n) continue;
        o->column[e]         = g;
        o->column[n + e]     = more[AT_ARM];
        o->column[2 * n + e] = more[AT_START];
        for (int key = 0; key < b->keys; key++)
            o->column[(3 + key) * n + e] = more[AT_KEYS + key];
        b->n++;
    }
    b->groups = o->groups.n;
    return CAIRN_OK;
}

static cairn_status
owned_init(cairn_query_set *set, int q, const cairn_travel *travel, int keys, owned *o)
{
    const int64_t    n = travel->received;
    cairn_numbering *b = &o->batch;

    b->keys = keys;
    cairn_tuples_init(&o->groups, set->state[q].group.count);
    cairn_tuples_init(&o->ids, 1 + keys);
    CAIRN_TRY(CAIRN_NEW(set->env, n * (3 + keys), &o->column));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &o->rest));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &o->element_of));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &o->answer));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &b->number));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &b->order));
    CAIRN_TRY(CAIRN_NEW(set->env, n + 1, &b->first));
    b->group = o->column;
    b->arm   = o->column + n;
    b->start = o->column + 2 * n;
    for (int k = 0; k < keys; k++)
        b->key[k] = o->column + (3 + k) * n;
    return CAIRN_OK;
}

static cairn_status number_owned(cairn_query_set    *set,
                                 int                 q,
                                 const cairn_travel *travel,
                                 int                 keys,
                                 owned              *o)
{
    CAIRN_TRY(owned_init(set, q, travel, keys, o));
    CAIRN_TRY(take_records(set, q, travel, o));
    CAIRN_TRY(cairn_number_elements(set->env, &o->batch));
    CAIRN_TRY(
        cairn_number_check(set, q, &o->batch, &o->groups, o->rest, &o->by_number));
    for (int64_t k = 0; k < travel->received; k++)
        o->answer[k] = o->batch.number[o->element_of[k]];
    return CAIRN_OK;
}

/// The elements of crossing groups are numbered on the ranks that own the groups.
/// (`distance` is one rank's own.)
static cairn_status
share(cairn_query_set *set, int q, cairn_status mine, const cairn_numbering *b)
{
    cairn_query_state *s      = &set->state[q];
    cairn_travel       travel = {0};
    owned              o      = {.column = NULL};
    int64_t           *result = NULL, k = 0;
    cairn_status       status = mine;

    if (!set->net || s->query->distance || cairn_map_is_local(set, &s->group))
        return mine;
    if (status == CAIRN_OK) status = pack(set, q, b, &travel);
    CAIRN_GO(done, cairn_travel_send(set, status, &travel));
    status = number_owned(set, q, &travel, b->keys, &o);
    if (status == CAIRN_OK) status = CAIRN_NEW(set->env, travel.n, &result);
    CAIRN_GO(done, cairn_travel_return(set, status, &travel, o.answer, result));
    for (int64_t p = 0; p < b->n; p++)
        if (s->crossing[b->group[p]]) s->number[p] = result[k++];
done:
    cairn_free(set->env, result);
    owned_fini(set->env, &o);
    cairn_travel_fini(set, &travel);
    return status;
}

/* ---- the query ---- */

/// The others of a crossing group were checked by its owner, who knows all its elements.
static cairn_status check(cairn_query_set *set, int q, const cairn_numbering *b)
{
    cairn_query_state *s = &set->state[q];

    for (int64_t g = 0; s->crossing && s->rest_start && g < s->groups.n; g++)
        if (s->crossing[g]) s->rest_start[g] = CAIRN_NO_NUMBER;
    return cairn_number_check(set, q, b, &s->groups, s->rest_start, &s->by_number);
}

static cairn_status find_at_entry(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];

    if (s->elements.kind == CAIRN_ELEMENTS_ENTRIES) {
        s->at_entry = s->number;
        return CAIRN_OK;
    }
    CAIRN_TRY(CAIRN_NEW(set->env, set->entries->n, &s->at_entry));
    if (s->elements.kind == CAIRN_ELEMENTS_GROUPS)
        for (int64_t p = 0; p < set->entries->n; p++)
            s->at_entry[p] = s->number[set->state[s->elements.q].entry_group[p]];
    else
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
    CAIRN_GO(done, share(set, q, status, &b));
    CAIRN_GO(done, check(set, q, &b));
    status = find_at_entry(set, q);
done:
    columns_fini(set->env, &c);
    return status;
}
