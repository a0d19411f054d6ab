// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Records go to the rank that answers for them, in the order in which they stand, and an
/// answer comes back for each.

#include "phases/count_exchange.h"

#include "groups/rows.h"
#include "groups/splitters.h"

#include <assert.h>
#include <string.h>

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
    size_t                 size;        ///< Bytes of a record.
    const void            *send;        ///< Those of rank 0 first,
    int64_t               *counts;      ///< [ranks] so many to each.
    void                  *in;          ///< In the order of ranks,
    int64_t               *in_counts;   ///< [ranks] so many of each,
    int64_t                received;    ///< and of all.
    void                  *answer;      ///< [received]
    size_t                 answer_size; ///< Bytes of one.
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
static cairn_status exchange_return(exchange *x, cairn_status mine, void **result)
{
    int64_t     *counts = NULL;
    void        *back   = NULL;
    cairn_status status = mine;

    if (status == CAIRN_OK) status = CAIRN_NEW(x->env, x->net->size, &counts);
    status = x->net->agree(x->net->user, status);
    if (status == CAIRN_OK)
        status = x->net->exchange(x->net->user, x->answer, x->in_counts, x->answer_size,
                                  &back, counts);
    cairn_free(x->env, counts);
    if (status == CAIRN_OK) *result = back;
    return status;
}

/* ---- places of rows ---- */

/// The rows of this rank by their keys. Behind its keys a record that is compared has its
/// rank and its number there, so that rows of equal keys are cut, too.
typedef struct {
    int64_t               n;
    int                   keys;
    const int64_t *const *key;
    uint32_t             *order; ///< [n]
    int64_t              *splitter;
} own_rows;

static void
write_record(const exchange *x, const own_rows *rows, int64_t place, int64_t *to)
{
    const uint32_t row = rows->order[place];

    for (int k = 0; k < rows->keys; k++)
        to[k] = rows->key[k][row];
    to[rows->keys]     = x->net->rank;
    to[rows->keys + 1] = row;
}

static cairn_status order_own(exchange *x, own_rows *rows)
{
    CAIRN_TRY(exchange_init(x));
    CAIRN_TRY(CAIRN_NEW(x->env, rows->n, &rows->order));
    CAIRN_TRY(
        CAIRN_NEW(x->env, (int64_t)x->net->size * (rows->keys + 2), &rows->splitter));
    return cairn_rows_order(x->env, rows->n, rows->keys, rows->key, rows->order);
}

/// Agree on the rows at which ranks begin.
static cairn_status split_rows(exchange *x, cairn_status mine, own_rows *rows)
{
    const int     width   = rows->keys + 2;
    const int64_t samples = cairn_samples(x->net, rows->n);
    int64_t      *sample  = NULL;

    if (mine == CAIRN_OK) mine = CAIRN_NEW(x->env, samples * width, &sample);
    for (int64_t k = 0; k < samples && mine == CAIRN_OK; k++)
        write_record(x, rows, cairn_sample_at(rows->n, samples, k), sample + k * width);
    const cairn_status status = cairn_splitters_choose(x->env, x->net, mine, rows->n,
                                                       width, sample, rows->splitter);

    cairn_free(x->env, sample);
    return status;
}

/// Keys in order, which is that of the ranks to which they go.
static cairn_status pack_keys(exchange *x, const own_rows *rows, int64_t **record)
{
    int64_t its[CAIRN_MAX_LEVELS * 3 + 3];

    CAIRN_TRY(CAIRN_NEW(x->env, rows->n * rows->keys, record));
    for (int64_t k = 0; k < rows->n; k++) {
        write_record(x, rows, k, its);
        memcpy(*record + k * rows->keys, its, (size_t)rows->keys * sizeof *its);
        x->counts[cairn_splitters_rank(x->net->size, rows->keys + 2, rows->splitter,
                                       its)]++;
    }
    x->send = *record;
    return CAIRN_OK;
}

/// Order the rows that came: those of equal keys stand by rank, and by number.
static cairn_status order_received(exchange *x, int keys, int64_t before)
{
    const int64_t  n      = x->received;
    const int64_t *record = x->in;
    const int64_t *column[CAIRN_MAX_LEVELS * 3 + 1];
    int64_t       *own   = NULL, *answer;
    uint32_t      *order = NULL;
    cairn_status   status;

    CAIRN_CHECK(before + n <= UINT32_MAX, x->env, CAIRN_NO_KERNEL,
                "query: more than 2^32 rows");
    CAIRN_GO(done, CAIRN_NEW(x->env, n * keys, &own));
    CAIRN_GO(done, CAIRN_NEW(x->env, n, &order));
    CAIRN_GO(done, CAIRN_NEW(x->env, n, &answer));
    x->answer = answer;
    for (int k = 0; k < keys; k++) {
        column[k] = own + k * n;
        for (int64_t i = 0; i < n; i++)
            own[k * n + i] = record[i * keys + k];
    }
    CAIRN_GO(done, cairn_rows_order(x->env, n, keys, column, order));
    for (int64_t place = 0; place < n; place++)
        answer[order[place]] = before + place;
done:
    cairn_free(x->env, own);
    cairn_free(x->env, order);
    return status;
}

cairn_status cairn_exchange_places(cairn_env             *env,
                                   const cairn_query_net *net,
                                   cairn_status           mine,
                                   int64_t                n,
                                   int                    keys,
                                   const int64_t *const  *key,
                                   uint32_t              *place)
{
    exchange     x      = {.env         = env,
                           .net         = net,
                           .size        = (size_t)keys * sizeof(int64_t),
                           .answer_size = sizeof(int64_t)};
    own_rows     rows   = {.n = n, .keys = keys, .key = key};
    int64_t     *record = NULL, before = 0;
    void        *result = NULL;
    cairn_status status = mine;

    if (status == CAIRN_OK) status = order_own(&x, &rows);
    CAIRN_GO(done, split_rows(&x, status, &rows));
    CAIRN_GO(done, exchange_send(&x, pack_keys(&x, &rows, &record)));
    CAIRN_GO(done, cairn_sum_before(env, net, CAIRN_OK, x.received, &before));
    CAIRN_GO(done, exchange_return(&x, order_received(&x, keys, before), &result));
    for (int64_t k = 0; k < n; k++)
        place[rows.order[k]] = (uint32_t)((const int64_t *)result)[k];
done:
    cairn_free(env, rows.order);
    cairn_free(env, rows.splitter);
    cairn_free(env, record);
    cairn_free(env, result);
    exchange_fini(&x);
    return status;
}

/* ---- groups ---- */

/// What is sent of a group, and the answer.
typedef struct {
    int64_t  line;
    uint32_t place, count;
} record;

typedef struct {
    uint32_t count, number, groups;
} answer;

/// The rank that answers for a line: ranks have ranges of numbers.
static int answerer(const exchange *x, int64_t lines, int64_t line)
{
    return (int)((__int128)line * x->net->size / lines);
}

/// @param[out] at  [n] where each record goes.
static cairn_status pack_groups(exchange                  *x,
                                int64_t                    lines,
                                int64_t                    n,
                                const cairn_group_counted *counted,
                                record                   **send,
                                int64_t                  **at)
{
    int64_t *next = NULL, before = 0;

    CAIRN_TRY(exchange_init(x));
    CAIRN_TRY(CAIRN_NEW(x->env, n, send));
    CAIRN_TRY(CAIRN_NEW(x->env, n, at));
    CAIRN_TRY(CAIRN_NEW(x->env, x->net->size, &next));
    for (int64_t k = 0; k < n; k++) {
        assert(counted[k].line >= 0 && counted[k].line < lines);
        x->counts[answerer(x, lines, counted[k].line)]++;
    }
    for (int r = 0; r < x->net->size; r++) {
        next[r] = before;
        before += x->counts[r];
    }
    for (int64_t k = 0; k < n; k++) {
        (*at)[k] = next[answerer(x, lines, counted[k].line)]++;
        (*send)[(*at)[k]] =
            (record){counted[k].line, counted[k].place, counted[k].count};
    }
    cairn_free(x->env, next);
    x->send = *send;
    return CAIRN_OK;
}

/// Records by line and place.
static cairn_status order_groups(const exchange *x, uint32_t *order)
{
    const record  *in  = x->in;
    const int64_t  n   = x->received;
    int64_t       *own = NULL;
    const int64_t *column[2];

    CAIRN_TRY(CAIRN_NEW(x->env, 2 * n, &own));
    for (int64_t k = 0; k < n; k++) {
        own[k]     = in[k].line;
        own[n + k] = in[k].place;
    }
    column[0]                 = own;
    column[1]                 = own + n;
    const cairn_status status = cairn_rows_order(x->env, n, 2, column, order);

    cairn_free(x->env, own);
    return status;
}

/// Answer for the records order[0..n-1], which are those of a line.
static void answer_line(const exchange *x, const uint32_t *order, int64_t n)
{
    const record *in     = x->in;
    answer       *out    = x->answer;
    uint32_t      groups = 0;

    for (int64_t begin = 0, end; begin < n; begin = end, groups++) {
        uint32_t count = 0;

        for (end = begin; end < n && in[order[end]].place == in[order[begin]].place;
             end++)
            count += in[order[end]].count;
        for (int64_t k = begin; k < end; k++)
            out[order[k]] = (answer){.count = count, .number = groups};
    }
    for (int64_t k = 0; k < n; k++)
        out[order[k]].groups = groups;
}

static cairn_status answer_groups(exchange *x)
{
    const record *in    = x->in;
    const int64_t n     = x->received;
    uint32_t     *order = NULL;
    answer       *out;
    cairn_status  status;

    CAIRN_TRY(CAIRN_NEW(x->env, n, &out));
    x->answer = out;
    CAIRN_TRY(CAIRN_NEW(x->env, n, &order));
    status = order_groups(x, order);
    for (int64_t begin = 0, end; begin < n && status == CAIRN_OK; begin = end) {
        for (end = begin; end < n && in[order[end]].line == in[order[begin]].line;)
            end++;
        answer_line(x, order + begin, end - begin);
    }
    cairn_free(x->env, order);
    return status;
}

cairn_status cairn_exchange_groups(cairn_env             *env,
                                   const cairn_query_net *net,
                                   cairn_status           mine,
                                   int64_t                lines,
                                   int64_t                n,
                                   cairn_group_counted   *counted)
{
    exchange x = {
        .env = env, .net = net, .size = sizeof(record), .answer_size = sizeof(answer)};
    record      *send   = NULL;
    int64_t     *at     = NULL;
    void        *result = NULL;
    cairn_status status = mine;

    if (status == CAIRN_OK) status = pack_groups(&x, lines, n, counted, &send, &at);
    CAIRN_GO(done, exchange_send(&x, status));
    CAIRN_GO(done, exchange_return(&x, answer_groups(&x), &result));
    for (int64_t k = 0; k < n; k++) {
        const answer *its = (const answer *)result + at[k];

        /* this rank's entries are among those counted */
        assert(its->count >= counted[k].count && its->number < its->groups);
        counted[k].count  = its->count;
        counted[k].number = its->number;
        counted[k].groups = its->groups;
    }
done:
    cairn_free(env, send);
    cairn_free(env, at);
    cairn_free(env, result);
    exchange_fini(&x);
    return status;
}
