// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Records go to the rank that answers for them, in the order in which they stand, and one
/// integer comes back for each.

#include "convert/compiled_exchange.h"

#include "groups/rows.h"

/// By what a form divides rows, whose quotient it is; 0: it is none.
static int64_t row_divisor(const cairn_algebra *algebra, const cairn_form *form)
{
    const int         at   = cairn_form_atom(form);
    const cairn_atom *atom = at < 0 ? NULL : &algebra->atom[at];

    if (at == 0) return 1;
    return atom && atom->kind == CAIRN_ATOM_DIV && cairn_form_atom(&atom->form) == 0
               ? atom->divisor
               : 0;
}

bool cairn_exchange_spares(const cairn_algebra *algebra,
                           const cairn_form    *form,
                           cairn_interval       rows)
{
    const int64_t divisor = row_divisor(algebra, form);

    return divisor > 0
           && (rows.lo == 0 || rows.lo > rows.hi
               || rows.lo / divisor != (rows.lo - 1) / divisor);
}

/// Records of this rank and of others.
typedef struct {
    cairn_env             *env;
    const cairn_query_net *net;
    size_t                 size;      ///< Bytes of a record.
    const void            *send;      ///< Those of rank 0 first,
    int64_t               *counts;    ///< [ranks] so many to each.
    void                  *in;        ///< In the order of ranks,
    int64_t               *in_counts; ///< [ranks] so many of each,
    int64_t                received;  ///< and of all.
    int64_t               *answer;    ///< [received]
} exchange;

static cairn_status exchange_init(exchange *x)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(x->env, x->net->size, &x->counts));
    return CAIRN_NEW_ZERO(x->env, x->net->size, &x->in_counts);
}

static void exchange_fini(exchange *x)
{
    cairn_free(x->env, x->counts);
    cairn_free(x->env, x->in_counts);
    cairn_free(x->env, x->in);
    cairn_free(x->env, x->answer);
}

static cairn_status exchange_send(exchange *x, cairn_status mine)
{
    CAIRN_TRY(x->net->agree(x->net->user, mine));
    CAIRN_TRY(x->net->exchange(x->net->user, x->send, x->counts, x->size, &x->in,
                               x->in_counts));
    for (int r = 0; r < x->net->size; r++)
        x->received += x->in_counts[r];
    return CAIRN_OK;
}

/// Return the answers. @param[out] result  One for each record; freed with cairn_free().
static cairn_status exchange_return(exchange *x, cairn_status mine, int64_t **result)
{
    int64_t     *counts = NULL;
    void        *back   = NULL;
    cairn_status status = mine;

    if (status == CAIRN_OK) status = CAIRN_NEW(x->env, x->net->size, &counts);
    status = x->net->agree(x->net->user, status);
    if (status == CAIRN_OK)
        status = x->net->exchange(x->net->user, x->answer, x->in_counts,
                                  sizeof *x->answer, &back, counts);
    cairn_free(x->env, counts);
    if (status == CAIRN_OK) *result = back;
    return status;
}

/* ---- places of rows ---- */

static cairn_status
pack_keys(exchange *x, int64_t n, int keys, const int64_t *const *key, int64_t **record)
{
    CAIRN_TRY(exchange_init(x));
    CAIRN_TRY(CAIRN_NEW(x->env, n * keys, record));
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < keys; k++)
            (*record)[i * keys + k] = key[k][i];
    x->send      = *record;
    x->counts[0] = n;
    return CAIRN_OK;
}

/// Order all rows that came: those of all ranks, or none.
static cairn_status order_all(exchange *x, int keys)
{
    const int64_t  n      = x->received;
    const int64_t *record = x->in;
    const int64_t *column[CAIRN_MAX_LEVELS * 3 + 1];
    int64_t       *own   = NULL;
    uint32_t      *order = NULL;
    cairn_status   status;

    CAIRN_GO(done, CAIRN_NEW(x->env, n * keys, &own));
    CAIRN_GO(done, CAIRN_NEW(x->env, n, &order));
    CAIRN_GO(done, CAIRN_NEW(x->env, n, &x->answer));
    for (int k = 0; k < keys; k++) {
        column[k] = own + k * n;
        for (int64_t i = 0; i < n; i++)
            own[k * n + i] = record[i * keys + k];
    }
    CAIRN_GO(done, cairn_rows_order(x->env, n, keys, column, order));
    for (int64_t place = 0; place < n; place++)
        x->answer[order[place]] = place;
done:
    cairn_free(x->env, own);
    cairn_free(x->env, order);
    return status;
}

cairn_status cairn_exchange_places(cairn_env            *env,
                                   const cairn_build    *build,
                                   cairn_status          mine,
                                   int64_t               n,
                                   int                   keys,
                                   const int64_t *const *key,
                                   uint32_t             *place)
{
    exchange x = {
        .env = env, .net = build->net, .size = (size_t)keys * sizeof(int64_t)};
    int64_t     *record = NULL, *result = NULL;
    cairn_status status = mine;

    if (status == CAIRN_OK) status = pack_keys(&x, n, keys, key, &record);
    CAIRN_GO(done, exchange_send(&x, status));
    CAIRN_GO(done, exchange_return(&x, order_all(&x, keys), &result));
    for (int64_t i = 0; i < n; i++)
        place[i] = (uint32_t)result[i];
done:
    cairn_free(env, record);
    cairn_free(env, result);
    exchange_fini(&x);
    return status;
}

/* ---- counts of groups ---- */

enum { COUNT_BITS = 32 }; ///< Two counts are one answer.

/// What is told of a group.
typedef struct {
    int64_t group, count;
} told;

/// The rank that adds up a group: ranks have ranges of numbers.
static int adder(const exchange *x, int64_t groups, int64_t group)
{
    return (int)((__int128)group * x->net->size / groups);
}

/// @param[out] at  [n] where each record goes.
static cairn_status pack_counts(exchange                *x,
                                int64_t                  groups,
                                int64_t                  n,
                                const cairn_group_count *count,
                                told                   **record,
                                int64_t                **at)
{
    int64_t *next = NULL, before = 0;

    CAIRN_TRY(exchange_init(x));
    CAIRN_TRY(CAIRN_NEW(x->env, n, record));
    CAIRN_TRY(CAIRN_NEW(x->env, n, at));
    CAIRN_TRY(CAIRN_NEW(x->env, x->net->size, &next));
    for (int64_t k = 0; k < n; k++)
        x->counts[adder(x, groups, count[k].group)]++;
    for (int r = 0; r < x->net->size; r++) {
        next[r] = before;
        before += x->counts[r];
    }
    for (int64_t k = 0; k < n; k++) {
        (*at)[k]            = next[adder(x, groups, count[k].group)]++;
        (*record)[(*at)[k]] = (told){count[k].group, count[k].count};
    }
    cairn_free(x->env, next);
    x->send = *record;
    return CAIRN_OK;
}

/// A table of groups by their numbers, twice as large as there may be groups.
typedef struct {
    int64_t mask;
    told   *slot; ///< [mask + 1]; group -1: none.
} sums;

static told *find_sum(const sums *s, int64_t group)
{
    uint64_t at = (uint64_t)group * 0x9e3779b97f4a7c15U;

    for (at ^= at >> 32;; at++) {
        told *slot = &s->slot[at & (uint64_t)s->mask];

        if (slot->group == group || slot->group < 0) return slot;
    }
}

/// What came before each record, and what there is in all.
static cairn_status add_up(exchange *x)
{
    const told *record = x->in;
    sums        s      = {.mask = 1};

    while (s.mask < 2 * x->received)
        s.mask = 2 * s.mask + 1;
    CAIRN_TRY(CAIRN_NEW(x->env, x->received, &x->answer));
    CAIRN_TRY(CAIRN_NEW(x->env, s.mask + 1, &s.slot));
    for (int64_t k = 0; k <= s.mask; k++)
        s.slot[k].group = -1;
    for (int64_t k = 0; k < x->received; k++) {
        told *slot = find_sum(&s, record[k].group);

        if (slot->group < 0) *slot = (told){.group = record[k].group};
        x->answer[k] = slot->count << COUNT_BITS;
        slot->count += record[k].count;
    }
    for (int64_t k = 0; k < x->received; k++)
        x->answer[k] |= find_sum(&s, record[k].group)->count;
    cairn_free(x->env, s.slot);
    return CAIRN_OK;
}

cairn_status cairn_exchange_counts(cairn_env         *env,
                                   const cairn_build *build,
                                   cairn_status       mine,
                                   int64_t            groups,
                                   int64_t            n,
                                   cairn_group_count *count)
{
    exchange     x      = {.env = env, .net = build->net, .size = sizeof(told)};
    told        *record = NULL;
    int64_t     *at = NULL, *result = NULL;
    cairn_status status = mine;

    if (status == CAIRN_OK) status = pack_counts(&x, groups, n, count, &record, &at);
    CAIRN_GO(done, exchange_send(&x, status));
    CAIRN_GO(done, exchange_return(&x, add_up(&x), &result));
    for (int64_t k = 0; k < n; k++) {
        const uint64_t both = (uint64_t)result[at[k]];

        count[k].before = (int64_t)(both >> COUNT_BITS);
        count[k].count  = (int64_t)(both & UINT32_MAX);
    }
done:
    cairn_free(env, record);
    cairn_free(env, at);
    cairn_free(env, result);
    exchange_fini(&x);
    return status;
}

/* ---- numbers of groups on lines ---- */

/// What is told of a group.
typedef struct {
    int64_t line, place;
} told_place;

/// Lines ascend, and so do the ranks that answer for them.
static cairn_status pack_places(exchange                *x,
                                int64_t                  lines,
                                int64_t                  n,
                                const cairn_group_place *at,
                                told_place             **record)
{
    CAIRN_TRY(exchange_init(x));
    CAIRN_TRY(CAIRN_NEW(x->env, n, record));
    for (int64_t k = 0; k < n; k++) {
        x->counts[adder(x, lines, at[k].line)]++;
        (*record)[k] = (told_place){at[k].line, at[k].place};
    }
    x->send = *record;
    return CAIRN_OK;
}

/// Answer for the groups order[0..n-1], which are those of a line, in order.
static void number_line(exchange *x, const uint32_t *order, int64_t n)
{
    const told_place *record = x->in;
    int64_t           number = -1;

    for (int64_t k = 0; k < n; k++) {
        number += k == 0 || record[order[k]].place != record[order[k - 1]].place;
        x->answer[order[k]] = number << COUNT_BITS;
    }
    for (int64_t k = 0; k < n; k++)
        x->answer[order[k]] |= number + 1;
}

static cairn_status number_places(exchange *x)
{
    const told_place *record = x->in;
    const int64_t     n      = x->received;
    int64_t          *column[2];
    int64_t          *own   = NULL;
    uint32_t         *order = NULL;
    cairn_status      status;

    CAIRN_GO(done, CAIRN_NEW(x->env, 2 * n, &own));
    CAIRN_GO(done, CAIRN_NEW(x->env, n, &order));
    CAIRN_GO(done, CAIRN_NEW(x->env, n, &x->answer));
    column[0] = own;
    column[1] = own + n;
    for (int64_t k = 0; k < n; k++) {
        column[0][k] = record[k].line;
        column[1][k] = record[k].place;
    }
    CAIRN_GO(done,
             cairn_rows_order(x->env, n, 2, (const int64_t *const *)column, order));
    for (int64_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1;
             end < n && record[order[end]].line == record[order[begin]].line;)
            end++;
        number_line(x, order + begin, end - begin);
    }
done:
    cairn_free(x->env, own);
    cairn_free(x->env, order);
    return status;
}

cairn_status cairn_exchange_numbers(cairn_env         *env,
                                    const cairn_build *build,
                                    cairn_status       mine,
                                    int64_t            lines,
                                    int64_t            n,
                                    cairn_group_place *at)
{
    exchange     x      = {.env = env, .net = build->net, .size = sizeof(told_place)};
    told_place  *record = NULL;
    int64_t     *result = NULL;
    cairn_status status = mine;

    if (status == CAIRN_OK) status = pack_places(&x, lines, n, at, &record);
    CAIRN_GO(done, exchange_send(&x, status));
    CAIRN_GO(done, exchange_return(&x, number_places(&x), &result));
    for (int64_t k = 0; k < n; k++) {
        at[k].number = (int64_t)((uint64_t)result[k] >> COUNT_BITS);
        at[k].groups = (int64_t)((uint64_t)result[k] & UINT32_MAX);
    }
done:
    cairn_free(env, record);
    cairn_free(env, result);
    exchange_fini(&x);
    return status;
}
