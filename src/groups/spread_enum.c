// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers in groups that cross ranks: one rank gets all elements of such a group, in a set
/// of its own that looks like one of a single rank, and numbers them as if they were its.

#include "groups/spread.h"

#include <string.h>

/* A record: the group's values, the element's case and start, those of the group's elements
 * without an entry; then keys, and what tells elements from each other. */
enum { AT_ARM, AT_START, AT_REST_ARM, AT_REST_START, AT_KEYS };

/// What orders elements, and tells them apart: positions, or the values of groups.
typedef struct {
    cairn_group_column key[CAIRN_MAX_LEVELS];
    int                keys, ids;
} columns;

static cairn_status find_columns(cairn_groups *set, int q, columns *c)
{
    const cairn_group_query *s = &set->query[q];

    c->ids =
        s->query->arg < 0 ? set->order : set->query[s->query->arg].forms.group.count;
    for (int f = 0; f < s->forms.traverse.count; f++, c->keys++)
        CAIRN_TRY(cairn_groups_column(set, q, &s->forms.traverse.form[f], &c->key[f]));
    return CAIRN_OK;
}

static void put_id(const cairn_groups *set, int q, int64_t p, int64_t *id)
{
    const int arg = set->query[q].query->arg;

    for (int k = 0; arg < 0 && k < set->order; k++)
        id[k] = set->entries->coord[k][p];
    if (arg >= 0)
        memcpy(id, cairn_group_index_tuple(&set->query[arg].index, p),
               (size_t)set->query[arg].forms.group.count * sizeof *id);
}

static void pack_element(const cairn_groups       *set,
                         int                       q,
                         const cairn_group_starts *starts,
                         const columns            *c,
                         int64_t                   g,
                         int64_t                   p,
                         int64_t                  *record)
{
    const cairn_group_query *s     = &set->query[q];
    const int                width = s->forms.group.count;
    int64_t                 *more  = record + width;

    memcpy(record, cairn_group_index_tuple(&s->index, g),
           (size_t)width * sizeof *record);
    more[AT_ARM]      = cairn_group_starts_arm(starts, p);
    more[AT_START]    = cairn_group_starts_at(starts, p);
    more[AT_REST_ARM] = s->spread.rest_arm ? s->spread.rest_arm[g] : -1;
    more[AT_REST_START] =
        s->spread.rest_start ? s->spread.rest_start[g] : CAIRN_NO_NUMBER;
    for (int k = 0; k < c->keys; k++)
        more[AT_KEYS + k] = c->key[k].data[p];
    put_id(set, q, p, more + AT_KEYS + c->keys);
}

static cairn_status pack(cairn_groups             *set,
                         int                       q,
                         const cairn_group_starts *starts,
                         bool                      all,
                         columns                  *c,
                         cairn_exchange           *travel)
{
    const cairn_group_query *s = &set->query[q];
    const cairn_group_index *x = &s->index;
    const int width = s->forms.group.count, copies = all ? set->meeting.net->size : 1;
    int64_t   n = 0;

    CAIRN_TRY(find_columns(set, q, c));
    for (int64_t g = 0; s->spread.crossing && g < x->groups; g++)
        if (s->spread.crossing[g]) n += x->begin[g + 1] - x->begin[g];
    CAIRN_TRY(cairn_exchange_init(&set->meeting, travel,
                                  width + AT_KEYS + c->keys + c->ids, n * copies));
    n = 0;
    cairn_visit(set->env, x->groups + travel->n);
    for (int64_t g = 0; s->spread.crossing && g < x->groups; g++)
        for (int64_t k = x->begin[g]; s->spread.crossing[g] && k < x->begin[g + 1];
             k++) {
            int64_t *record = travel->record + n * travel->width;

            pack_element(set, q, starts, c, g, cairn_group_index_element(x, k), record);
            travel->to[n] = all ? 0 : cairn_groups_rank_of(set, width, record);
            for (int r = 1; r < copies; r++) {
                memcpy(record + r * travel->width, record,
                       (size_t)travel->width * sizeof *record);
                travel->to[n + r] = r;
            }
            n += copies;
        }
    return CAIRN_OK;
}

/* ---- on the rank that numbers ---- */

void cairn_group_joint_fini(cairn_env *env, int q, cairn_group_joint *o)
{
    cairn_group_query *s = o->set.query ? &o->set.query[q] : NULL;

    cairn_group_records_fini(env, &o->in);
    cairn_group_starts_fini(env, &o->starts);
    cairn_free(env, o->element);
    cairn_free(env, o->column);
    if (s) {
        if (s->query->arg >= 0)
            cairn_group_index_fini(env, &o->set.query[s->query->arg].index);
        cairn_group_index_fini(env, &s->index);
        cairn_free(env, s->of);
        cairn_group_numbers_fini(env, &s->enumerated);
        cairn_free(env, s->spread.rest_arm);
        cairn_free(env, s->spread.rest_start);
    }
    cairn_free(env, o->set.query);
}

/// Records in the order of what tells elements apart; those of one follow each other.
static cairn_status take_records(cairn_groups         *set,
                                 int                   ids,
                                 const cairn_exchange *travel,
                                 cairn_group_joint    *o)
{
    int key[CAIRN_MAX_RECORD];

    for (int k = 0; k < ids; k++)
        key[k] = travel->width - ids + k;
    CAIRN_TRY(cairn_group_records_take(set->env, travel, ids, key, &o->in));
    CAIRN_TRY(CAIRN_NEW(set->env, o->in.n, &o->element));
    cairn_visit(set->env, 2 * o->in.n);
    for (int64_t k = 0; k < o->in.n; k++) {
        const int64_t p = o->in.order[k];

        o->n += k == 0
                || !cairn_group_records_agree(&o->in, travel->width - ids, ids, p,
                                              o->in.order[k - 1]);
        o->element[p] = o->n - 1;
    }
    return CAIRN_OK;
}

/// Copy column @p c of the records, once for each element.
static void gather(const cairn_group_joint *o, int c, int64_t *out)
{
    for (int64_t p = 0; p < o->in.n; p++)
        out[o->element[p]] = o->in.column[c][p];
}

/// Elements as entries, or as groups of the query that they are over.
static cairn_status set_elements(cairn_groups         *set,
                                 int                   q,
                                 int                   ids,
                                 const int64_t *const *id,
                                 cairn_group_joint    *o)
{
    const int arg = set->query[q].query->arg;

    if (arg >= 0)
        return cairn_group_index_make(set->env, o->n, ids, id,
                                      &o->set.query[arg].index);
    o->entries = (cairn_entries){.order = set->order, .n = o->n};
    for (int k = 0; k < ids; k++)
        o->entries.coord[k] = (cairn_coord *)id[k];
    o->set.entries = &o->entries;
    return CAIRN_OK;
}

static cairn_status set_starts(cairn_groups             *set,
                               int                       width,
                               const cairn_group_starts *starts,
                               cairn_group_joint        *o)
{
    o->starts = (cairn_group_starts){
        .one = starts->one, .one_arm = starts->one_arm, .one_start = starts->one_start};
    if (starts->one) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, o->n, &o->starts.arm));
    CAIRN_TRY(CAIRN_NEW(set->env, o->n, &o->starts.start));
    for (int64_t p = 0; p < o->in.n; p++)
        o->starts.arm[o->element[p]] = (uint8_t)o->in.column[width + AT_ARM][p];
    gather(o, width + AT_START, o->starts.start);
    return CAIRN_OK;
}

/// What numbers elements without an entry, group by group as it came.
static cairn_status set_rests(cairn_groups *set, int q, int width, cairn_group_joint *o)
{
    cairn_group_query *s = &o->set.query[q];
    const int64_t     *of;

    CAIRN_TRY(CAIRN_NEW(set->env, s->index.groups, &s->spread.rest_arm));
    CAIRN_TRY(CAIRN_NEW(set->env, s->index.groups, &s->spread.rest_start));
    CAIRN_TRY(cairn_groups_of(&o->set, q, &of));
    for (int64_t p = 0; p < o->in.n; p++) {
        const int64_t g = of[o->element[p]];

        s->spread.rest_arm[g]   = (int)o->in.column[width + AT_REST_ARM][p];
        s->spread.rest_start[g] = o->in.column[width + AT_REST_START][p];
    }
    return CAIRN_OK;
}

/// Put the elements of each group in the order of the keys that came.
static cairn_status set_order(cairn_groups         *set,
                              int                   q,
                              int                   keys,
                              const int64_t *const *column,
                              cairn_group_joint    *o)
{
    const int      width = set->query[q].forms.group.count;
    const int64_t *key[1 + CAIRN_MAX_LEVELS];

    if (keys == 0) return CAIRN_OK;
    CAIRN_TRY(cairn_groups_of(&o->set, q, &key[0]));
    for (int k = 0; k < keys; k++)
        key[1 + k] = column[width + k];
    return cairn_groups_sort(&o->set, q, 1 + keys, key);
}

static cairn_status make_set(cairn_groups             *set,
                             int                       q,
                             const cairn_group_starts *starts,
                             const columns            *c,
                             const cairn_exchange     *travel,
                             cairn_group_joint        *o)
{
    const cairn_group_query *s     = &set->query[q];
    const int                width = s->forms.group.count;
    const int64_t           *column[CAIRN_MAX_RECORD];
    cairn_group_query       *mine;

    CAIRN_TRY(take_records(set, c->ids, travel, o));
    o->set        = *set;
    o->set.spread = false;
    o->set.query  = NULL;
    CAIRN_TRY(CAIRN_NEW(set->env, set->encoding->queries, &o->set.query));
    memcpy(o->set.query, set->query,
           (size_t)set->encoding->queries * sizeof *o->set.query);
    mine  = &o->set.query[q];
    *mine = (cairn_group_query){.query          = s->query,
                                .forms.group    = s->forms.group,
                                .forms.traverse = s->forms.traverse,
                                .forms.order    = s->forms.order,
                                .rest           = s->rest,
                                .asks           = s->asks,
                                .elements       = o->n};
    if (s->query->arg >= 0)
        o->set.query[s->query->arg].index = (cairn_group_index){.groups = 0};
    CAIRN_TRY(CAIRN_NEW(set->env, o->n * (width + c->keys + c->ids), &o->column));
    for (int k = 0; k < width + c->keys + c->ids; k++) {
        column[k] = o->column + k * o->n;
        gather(o, k < width ? k : k + AT_KEYS, o->column + k * o->n);
    }
    CAIRN_TRY(set_elements(set, q, c->ids, column + width + c->keys, o));
    CAIRN_TRY(cairn_group_index_make(set->env, o->n, width, column, &mine->index));
    CAIRN_TRY(set_order(set, q, c->keys, column, o));
    CAIRN_TRY(set_starts(set, width, starts, o));
    CAIRN_TRY(set_rests(set, q, width, o));
    return CAIRN_NEW(set->env, o->n, &mine->enumerated.number);
}

static cairn_status number(cairn_groups             *set,
                           int                       q,
                           const cairn_group_starts *starts,
                           const columns            *c,
                           const cairn_exchange     *travel,
                           cairn_group_joint        *o)
{
    CAIRN_TRY(make_set(set, q, starts, c, travel, o));
    CAIRN_TRY(cairn_groups_number(&o->set, q, &o->starts));
    return cairn_groups_check(&o->set, q);
}

/* ---- the query ---- */

/// Numbers return; those of elements without an entry are not known here.
static void take_answers(cairn_group_query *s, const int64_t *result)
{
    const cairn_group_index *x = &s->index;
    int64_t                  n = 0;

    for (int64_t g = 0; s->spread.crossing && g < x->groups; g++) {
        if (!s->spread.crossing[g]) continue;
        for (int64_t k = x->begin[g]; k < x->begin[g + 1]; k++)
            s->enumerated.number[cairn_group_index_element(x, k)] = result[n++];
    }
}

/// Numbers of this rank's records: it told them to itself too.
static cairn_status find_mine(cairn_groups            *set,
                              int                      q,
                              const cairn_exchange    *travel,
                              const cairn_group_joint *o,
                              int64_t                **result)
{
    int64_t begin = 0, n = travel->counts[set->meeting.net->rank];

    CAIRN_TRY(CAIRN_NEW(set->env, n, result));
    for (int r = 0; r < set->meeting.net->rank; r++)
        begin += travel->in_counts[r];
    for (int64_t k = 0; k < n; k++)
        (*result)[k] = o->set.query[q].enumerated.number[o->element[begin + k]];
    return CAIRN_OK;
}

/// Numbers go back to those who told of the elements.
static cairn_status send_back(cairn_groups            *set,
                              int                      q,
                              cairn_status             mine,
                              cairn_exchange          *travel,
                              const cairn_group_joint *o,
                              int64_t                **result)
{
    int64_t     *answers = NULL;
    cairn_status status  = mine;

    if (status == CAIRN_OK) status = CAIRN_NEW(set->env, travel->received, &answers);
    if (status == CAIRN_OK) status = CAIRN_NEW(set->env, travel->n, result);
    for (int64_t p = 0; status == CAIRN_OK && p < o->in.n; p++)
        answers[p] = o->set.query[q].enumerated.number[o->element[p]];
    status = cairn_exchange_return(&set->meeting, status, travel, answers, *result);
    cairn_free(set->env, answers);
    return status;
}

cairn_status
cairn_groups_share_enum(cairn_groups *set, int q, const cairn_group_starts *starts)
{
    const bool         all    = cairn_groups_is_asked(set, q);
    cairn_exchange     travel = {.n = 0};
    columns            c      = {.keys = 0};
    cairn_group_joint *o      = NULL;
    int64_t           *result = NULL;
    cairn_status       status = CAIRN_NEW_ZERO(set->env, 1, &o);

    if (status == CAIRN_OK) status = pack(set, q, starts, all, &c, &travel);
    CAIRN_GO(done, cairn_exchange_send(&set->meeting, status, &travel));
    status = number(set, q, starts, &c, &travel, o);
    if (all && status == CAIRN_OK)
        status = find_mine(set, q, &travel, o, &result);
    else if (!all)
        status = send_back(set, q, status, &travel, o, &result);
    if (status != CAIRN_OK) goto done;
    take_answers(&set->query[q], result);
    if (all) {
        set->query[q].spread.joint = o;
        o                          = NULL;
    }
done:
    for (int k = 0; k < CAIRN_MAX_LEVELS; k++)
        cairn_free(set->env, c.key[k].own);
    if (o) cairn_group_joint_fini(set->env, q, o);
    cairn_free(set->env, o);
    cairn_free(set->env, result);
    cairn_exchange_fini(&set->meeting, &travel);
    return status;
}
