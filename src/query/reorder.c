// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `reorder`: all groups of an earlier query, empty ones too, sorted inside their
/// windows; places run on over the windows. Over several ranks either every window is
/// one rank's, or the groups travel to the owners of their windows.

#include "query/set.h"
#include "query/windows.h"

#include <string.h>

typedef struct {
    cairn_column window[CAIRN_MAX_LEVELS], traverse[CAIRN_MAX_LEVELS],
        id[CAIRN_MAX_LEVELS];
    int64_t       *value; ///< Complemented for `descend`, so that it sorts upwards.
    int            windows, keys;
    const int64_t *key[3 * CAIRN_MAX_LEVELS + 1]; ///< Windows, value, traverse, id.
} columns;

static void columns_fini(cairn_env *env, columns *c)
{
    for (int k = 0; k < CAIRN_MAX_LEVELS; k++) {
        cairn_free(env, c->window[k].own);
        cairn_free(env, c->traverse[k].own);
        cairn_free(env, c->id[k].own);
    }
    cairn_free(env, c->value);
}

static cairn_status add_columns(cairn_query_set       *set,
                                int                    q,
                                const cairn_query_map *map,
                                cairn_column          *column,
                                columns               *c)
{
    for (int f = 0; f < map->count; f++) {
        CAIRN_TRY(
            cairn_elements_column(set, &set->state[q].elements, map, f, &column[f]));
        c->key[c->keys++] = column[f].data;
    }
    return CAIRN_OK;
}

static cairn_status find_columns(cairn_query_set *set, int q, columns *c)
{
    cairn_query_state *s   = &set->state[q];
    cairn_query_state *arg = &set->state[s->query->arg];

    CAIRN_TRY(add_columns(set, q, &s->group, c->window, c));
    c->windows = c->keys;
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &c->value));
    cairn_visit(set->env, 2 * s->elements.n);
    for (int64_t g = 0; g < s->elements.n; g++)
        c->value[g] = s->query->descend ? ~arg->total[g] : arg->total[g];
    c->key[c->keys++] = c->value;
    CAIRN_TRY(add_columns(set, q, &s->traverse, c->traverse, c));
    CAIRN_TRY(add_columns(set, q, &arg->group, c->id, c));
    CAIRN_CHECK(c->keys <= CAIRN_MAX_LEVELS + CAIRN_MAX_ORDER, set->env,
                CAIRN_UNSUPPORTED, "query: reorder: more than %d keys",
                CAIRN_MAX_LEVELS + CAIRN_MAX_ORDER);
    return CAIRN_OK;
}

static cairn_status sort_local(cairn_query_set *set, int q, columns *c)
{
    cairn_query_state *s = &set->state[q];

    CAIRN_TRY(find_columns(set, q, c));
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &s->number));
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &s->order));
    CAIRN_TRY(cairn_windows_order(set->env, &(cairn_windows){.n       = s->elements.n,
                                                             .windows = c->windows,
                                                             .keys    = c->keys,
                                                             .key     = c->key,
                                                             .order   = s->order}));
    for (int64_t k = 0; k < s->elements.n; k++)
        s->number[s->order[k]] = k;
    return CAIRN_OK;
}

/* ---- several ranks ---- */

/// Groups of one window on the rank that orders it; sent to all, to count those before.
enum { WINDOW_COUNT, WINDOW_EXTRA };

/// What the owner works with: groups, each once, in columns.
typedef struct {
    cairn_tuples ids, windows;
    int64_t      n;
    int64_t     *column;     ///< [keys][received]
    int64_t     *element_of; ///< [received]
    int64_t     *order;      ///< [n]
    int64_t     *place;      ///< [n]
    int64_t     *answer;     ///< [received]
    int64_t     *count;      ///< [windows] groups of this rank's windows,
    int64_t     *before;     ///< [windows] groups of all lower windows of all ranks.
} owned;

static void owned_fini(cairn_env *env, owned *o)
{
    cairn_tuples_fini(env, &o->ids);
    cairn_tuples_fini(env, &o->windows);
    cairn_free(env, o->column);
    cairn_free(env, o->element_of);
    cairn_free(env, o->order);
    cairn_free(env, o->place);
    cairn_free(env, o->answer);
    cairn_free(env, o->count);
    cairn_free(env, o->before);
}

/// Does every window lie on one rank, whatever the box? Then windows stay where they
/// are. The same on every rank.
static cairn_status windows_cross(cairn_query_set *set,
                                  int              q,
                                  const columns   *c,
                                  cairn_status     mine,
                                  int64_t         *cross)
{
    const cairn_query_state *s = &set->state[q];
    int64_t                  tuple[CAIRN_MAX_LEVELS];

    *cross = 0;
    if (!cairn_map_is_local(set, &s->group))
        for (int64_t g = 0; mine == CAIRN_OK && !*cross && g < s->elements.n; g++) {
            for (int k = 0; k < c->windows; k++)
                tuple[k] = c->key[k][g];
            *cross = cairn_group_crosses(set, &s->group, tuple);
        }
    return cairn_exchange_max(&set->meeting, mine, cross);
}

/// Records (keys): every group goes to the owner of its window; to itself, if windows
/// stay.
static cairn_status
pack(cairn_query_set *set, int q, const columns *c, bool stay, cairn_exchange *travel)
{
    const int64_t n = set->state[q].elements.n;

    CAIRN_TRY(cairn_exchange_init(&set->meeting, travel, c->keys, n));
    for (int64_t g = 0; g < n; g++) {
        int64_t *record = travel->record + g * c->keys;

        for (int k = 0; k < c->keys; k++)
            record[k] = c->key[k][g];
        travel->to[g] = stay ? set->meeting.net->rank
                             : (int)(cairn_tuples_hash(c->windows, record)
                                     % (uint64_t)set->meeting.net->size);
    }
    return CAIRN_OK;
}

static cairn_status owned_init(cairn_query_set      *set,
                               const cairn_exchange *travel,
                               const columns        *c,
                               owned                *o)
{
    const int64_t n = travel->received;

    cairn_tuples_init(&o->ids, c->keys);
    cairn_tuples_init(&o->windows, c->windows);
    CAIRN_TRY(CAIRN_NEW(set->env, n * c->keys, &o->column));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &o->element_of));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &o->order));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &o->place));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &o->answer));
    CAIRN_TRY(CAIRN_NEW_ZERO(set->env, n, &o->count));
    return CAIRN_NEW_ZERO(set->env, n, &o->before);
}

/// Each group once, in columns, sorted; and how many each window has.
static cairn_status sort_owned(cairn_query_set      *set,
                               const cairn_exchange *travel,
                               const columns        *c,
                               owned                *o)
{
    const int64_t *key[3 * CAIRN_MAX_LEVELS + 1];
    int64_t        window;

    CAIRN_TRY(owned_init(set, travel, c, o));
    for (int64_t r = 0; r < travel->received; r++)
        CAIRN_TRY(cairn_tuples_add(set->env, &o->ids, travel->in + r * c->keys,
                                   &o->element_of[r]));
    o->n = o->ids.n;
    for (int k = 0; k < c->keys; k++) {
        key[k] = o->column + k * o->n;
        for (int64_t e = 0; e < o->n; e++)
            o->column[k * o->n + e] = cairn_tuples_at(&o->ids, e)[k];
    }
    for (int64_t e = 0; e < o->n; e++) {
        CAIRN_TRY(cairn_tuples_add(set->env, &o->windows, cairn_tuples_at(&o->ids, e),
                                   &window));
        o->count[window]++;
    }
    return cairn_sort_order(set->env, o->n, c->keys, key, o->order);
}

/// Records (window, count) of this rank's windows, to every rank.
static cairn_status
pack_windows(cairn_query_set *set, const owned *o, cairn_exchange *travel)
{
    const int width = o->windows.width, size = set->meeting.net->size;

    CAIRN_TRY(cairn_exchange_init(&set->meeting, travel, width + WINDOW_EXTRA,
                                  o->windows.n * size));
    for (int64_t w = 0; w < o->windows.n; w++)
        for (int r = 0; r < size; r++) {
            int64_t *record = travel->record + (w * size + r) * travel->width;

            if (width)
                memcpy(record, cairn_tuples_at(&o->windows, w),
                       (size_t)width * sizeof *record);
            record[width + WINDOW_COUNT] = o->count[w];
            travel->to[w * size + r]     = r;
        }
    return CAIRN_OK;
}

/// Groups in the windows below each of this rank's: all windows, sorted, and summed up.
static cairn_status
count_before(cairn_query_set *set, const cairn_exchange *travel, owned *o)
{
    const int      width  = o->windows.width;
    const int64_t  n      = travel->received;
    int64_t       *column = NULL, *order = NULL, before = 0;
    const int64_t *key[CAIRN_MAX_LEVELS];
    cairn_status   status;

    CAIRN_GO(done, CAIRN_NEW(set->env, n * width, &column));
    CAIRN_GO(done, CAIRN_NEW(set->env, n, &order));
    for (int k = 0; k < width; k++) {
        key[k] = column + k * n;
        for (int64_t r = 0; r < n; r++)
            column[k * n + r] = travel->in[r * travel->width + k];
    }
    CAIRN_GO(done, cairn_sort_order(set->env, n, width, key, order));
    for (int64_t r = 0; r < n; r++) {
        const int64_t *record = travel->in + order[r] * travel->width;
        const int64_t  mine   = cairn_tuples_find(&o->windows, record);

        if (mine >= 0) o->before[mine] = before;
        before += record[width + WINDOW_COUNT];
    }
    status = CAIRN_OK;
done:
    cairn_free(set->env, column);
    cairn_free(set->env, order);
    return status;
}

static cairn_status share_windows(cairn_query_set *set, cairn_status mine, owned *o)
{
    cairn_exchange travel = {0};
    cairn_status   status = mine;

    if (status == CAIRN_OK) status = pack_windows(set, o, &travel);
    status = cairn_exchange_send(&set->meeting, status, &travel);
    if (status == CAIRN_OK) status = count_before(set, &travel, o);
    cairn_exchange_fini(&set->meeting, &travel);
    return status;
}

/// Places: of the window, and on from there.
static void find_places(const cairn_exchange *travel, owned *o)
{
    for (int64_t k = 0; k < o->n; k++) {
        const int64_t e = o->order[k];
        const int64_t window =
            cairn_tuples_find(&o->windows, cairn_tuples_at(&o->ids, e));

        o->place[e] = o->before[window]++;
    }
    for (int64_t r = 0; r < travel->received; r++)
        o->answer[r] = o->place[o->element_of[r]];
}

static cairn_status
share(cairn_query_set *set, int q, cairn_status mine, const columns *c)
{
    cairn_query_state *s      = &set->state[q];
    cairn_exchange     travel = {0};
    owned              o      = {.n = 0};
    int64_t            cross;
    cairn_status       status = mine;

    if (!set->meeting.net) return mine;
    CAIRN_TRY(windows_cross(set, q, c, mine, &cross));
    status = pack(set, q, c, !cross, &travel);
    CAIRN_GO(done, cairn_exchange_send(&set->meeting, status, &travel));
    status = sort_owned(set, &travel, c, &o);
    CAIRN_GO(done, share_windows(set, status, &o));
    find_places(&travel, &o);
    CAIRN_GO(done, cairn_exchange_return(&set->meeting, CAIRN_OK, &travel, o.answer,
                                         s->number));
    /* Windows ascend and so do places inside them: the local order is still theirs. */
done:
    owned_fini(set->env, &o);
    cairn_exchange_fini(&set->meeting, &travel);
    return status;
}

/* ---- the query ---- */

static cairn_status find_at_entry(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];

    return CAIRN_NEW(set->env, set->entries->n, &s->at_entry);
}

cairn_status cairn_query_run_reorder(cairn_query_set *set, int q)
{
    columns      c = {.value = NULL};
    cairn_status status;

    CAIRN_TRY(cairn_elements_of(set, q, true, &set->state[q].elements));
    status = sort_local(set, q, &c);
    status = share(set, q, status, &c);
    columns_fini(set->env, &c);
    CAIRN_TRY(status);
    return find_at_entry(set, q);
}
