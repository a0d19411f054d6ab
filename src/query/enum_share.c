// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `enum` over several ranks: the elements of groups that cross ranks travel to the ranks
/// that own the groups, and are numbered there.

#include "query/exchange.h"
#include "query/numbering.h"

#include <string.h>

/* A record: the group's tuple, arm, start, start of the others, traverse, id. */
enum { AT_ARM, AT_START, AT_REST, AT_KEYS };

static cairn_status
pack(cairn_query_set *set, int q, const cairn_numbering *b, cairn_exchange *travel)
{
    const cairn_query_state *s      = &set->state[q];
    const cairn_tuples      *groups = cairn_query_groups(set, q);
    const int                width  = s->group.count;
    int64_t                  n      = 0;

    for (int64_t p = 0; p < b->n; p++)
        n += s->crossing[b->group[p]];
    CAIRN_TRY(cairn_exchange_init(&set->meeting, travel, width + AT_KEYS + b->keys, n));
    n = 0;
    for (int64_t p = 0; p < b->n; p++) {
        const int64_t g      = b->group[p];
        int64_t      *record = travel->record + n * travel->width;
        int64_t      *more   = record + width;

        if (!s->crossing[g]) continue;
        memcpy(record, cairn_tuples_at(groups, g), (size_t)width * sizeof *record);
        more[AT_ARM]   = b->arm ? b->arm[p] : 0;
        more[AT_START] = b->start ? b->start[p] : b->one_start;
        more[AT_REST]  = s->rest_start ? s->rest_start[g] : CAIRN_NO_NUMBER;
        for (int k = 0; k < b->keys; k++)
            more[AT_KEYS + k] = b->key[k][p];
        travel->to[n++] =
            (int)(cairn_tuples_hash(width, record) % (uint64_t)set->meeting.net->size);
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
take_records(cairn_query_set *set, int q, const cairn_exchange *travel, owned *o)
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

static cairn_status owned_init(cairn_query_set      *set,
                               int                   q,
                               const cairn_exchange *travel,
                               int                   keys,
                               owned                *o)
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

static cairn_status number_owned(cairn_query_set      *set,
                                 int                   q,
                                 const cairn_exchange *travel,
                                 int                   keys,
                                 owned                *o)
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

cairn_status cairn_enum_share(cairn_query_set       *set,
                              int                    q,
                              cairn_status           mine,
                              const cairn_numbering *b)
{
    cairn_query_state *s      = &set->state[q];
    cairn_exchange     travel = {0};
    owned              o      = {.column = NULL};
    int64_t           *result = NULL, k = 0;
    cairn_status       status = mine;

    if (!set->meeting.net || s->query->distance || cairn_map_is_local(set, &s->group))
        return mine;
    if (status == CAIRN_OK) status = pack(set, q, b, &travel);
    CAIRN_GO(done, cairn_exchange_send(&set->meeting, status, &travel));
    status = number_owned(set, q, &travel, b->keys, &o);
    if (status == CAIRN_OK) status = CAIRN_NEW(set->env, travel.n, &result);
    CAIRN_GO(done,
             cairn_exchange_return(&set->meeting, status, &travel, o.answer, result));
    for (int64_t p = 0; p < b->n; p++)
        if (s->crossing[b->group[p]]) s->number[p] = result[k++];
done:
    cairn_free(set->env, result);
    owned_fini(set->env, &o);
    cairn_exchange_fini(&set->meeting, &travel);
    return status;
}
