// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Two exchanges: rows of X before a run, sums after it. Neither packs anything: a rank's
/// rows of Y are consecutive in every sum.

#include "plan/cut_sums.h"

#include <string.h>

/// Messages of one direction.
typedef struct {
    int      n;
    int     *peer;
    void   **data;
    int64_t *bytes;
    int64_t  sum; ///< Of all bytes.
} messages;

struct cairn_cut_sums {
    cairn_comm *comm;
    int64_t     owned_x; ///< Bytes of the rows of X that this rank owns,
    char       *x_out; ///< which are copied here: a caller's X is elsewhere each time.
    char       *x_in;  ///< Rows of X of this rank's rows of A.
    cairn_pos   n;     ///< Values of the rows of Y that this rank owns.
    int         sums;  ///< Of all ranks, those without rows left out.
    double     *in;    ///< [sums][n] In order.
    void       *x_exchange, *exchange;
    int64_t     bytes, messages, sent, received;
};

static cairn_status create_messages(cairn_env *env, int64_t most, messages *m)
{
    CAIRN_TRY(CAIRN_NEW(env, most, &m->peer));
    CAIRN_TRY(CAIRN_NEW(env, most, &m->data));
    return CAIRN_NEW(env, most, &m->bytes);
}

static void free_messages(cairn_env *env, messages *m)
{
    cairn_free(env, m->peer);
    cairn_free(env, m->data);
    cairn_free(env, m->bytes);
}

static void add(messages *m, int peer, void *data, int64_t bytes)
{
    if (bytes == 0) return;
    m->peer[m->n]    = peer;
    m->data[m->n]    = data;
    m->bytes[m->n++] = bytes;
    m->sum += bytes;
}

/// Rows that rank @p r has by one division and rank @p q by the other.
static cairn_interval
shared(const cairn_rows *rows, int r, const cairn_rows *others, int q)
{
    const cairn_coord lo = rows->first[r], lo_other = others->first[q];
    const cairn_coord end = rows->first[r + 1], end_other = others->first[q + 1];

    return (cairn_interval){lo > lo_other ? lo : lo_other,
                            (end < end_other ? end : end_other) - 1};
}

static int64_t rows_of(const cairn_rows *rows, int r)
{
    return rows->first[r + 1] - rows->first[r];
}

/// The rank that has the rows behind a cut; -1: there are none.
static int rank_of_cut(const cairn_row_cuts *cuts, int k)
{
    return cuts->row[k] < cuts->row[k + 1] ? cairn_rows_owner(cuts->rows, cuts->row[k])
                                           : -1;
}

static cairn_status allocate(cairn_cut_sums *s, const cairn_cut_sums_of *of)
{
    const int     me  = s->comm->rank;
    const int64_t row = of->columns * of->value_bits / 8;

    for (int k = 0; k < of->cuts->count; k++)
        s->sums += rank_of_cut(of->cuts, k) >= 0 ? of->members : 0;
    s->n       = rows_of(of->y_rows, me) * of->columns;
    s->owned_x = rows_of(of->x_rows, me) * row;
    s->bytes   = s->owned_x + rows_of(of->cuts->rows, me) * row
               + s->n * s->sums * (int64_t)sizeof(double);
    CAIRN_TRY(CAIRN_NEW(s->comm->env, s->owned_x, &s->x_out));
    /* A rank without rows has an X, too. */
    CAIRN_TRY(CAIRN_NEW(s->comm->env, rows_of(of->cuts->rows, me) * row + 1, &s->x_in));
    return CAIRN_NEW(s->comm->env, s->n * s->sums, &s->in);
}

static void
list_x(cairn_cut_sums *s, const cairn_cut_sums_of *of, messages *out, messages *in)
{
    const cairn_rows *own = of->x_rows, *here = of->cuts->rows;
    const int         me  = s->comm->rank;
    const int64_t     row = of->columns * of->value_bits / 8;

    for (int r = 0; r < s->comm->size; r++) {
        const cairn_interval to   = shared(own, me, here, r);
        const cairn_interval from = shared(here, me, own, r);

        if (to.lo <= to.hi)
            add(out, r, s->x_out + (to.lo - own->first[me]) * row,
                (to.hi - to.lo + 1) * row);
        if (from.lo <= from.hi)
            add(in, r, s->x_in + (from.lo - here->first[me]) * row,
                (from.hi - from.lo + 1) * row);
    }
}

static void list_sums(cairn_cut_sums          *s,
                      const cairn_cut_sums_of *of,
                      double *const           *own,
                      messages                *out,
                      messages                *in)
{
    double *next = s->in;

    for (int k = 0; k < of->members * of->cuts->count; k++) {
        const int from = rank_of_cut(of->cuts, k % of->cuts->count);

        if (from < 0) continue;
        for (int r = 0; r < s->comm->size && from == s->comm->rank; r++)
            add(out, r, own[k] + of->y_rows->first[r] * of->columns,
                rows_of(of->y_rows, r) * of->columns * (int64_t)sizeof(double));
        add(in, from, next, s->n * (int64_t)sizeof(double));
        next += s->n;
    }
}

/// Collective.
static cairn_status
set_up(cairn_cut_sums *s, const messages *out, const messages *in, void **exchange)
{
    s->messages += out->n + in->n;
    s->sent += out->sum;
    s->received += in->sum;
    return s->comm->ops->exchange_create(s->comm, out->n, out->peer, out->data,
                                         out->bytes, in->n, in->peer, in->data,
                                         in->bytes, exchange);
}

cairn_status cairn_cut_sums_create(cairn_comm              *comm,
                                   const cairn_cut_sums_of *of,
                                   double *const           *own,
                                   int64_t                  held,
                                   cairn_cut_sums         **sums)
{
    const int64_t   most  = (int64_t)comm->size * of->members * of->cuts->count + 1;
    cairn_cut_sums *fresh = NULL;
    messages        m[4]  = {{0}};

    cairn_status status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);

    if (status == CAIRN_OK) {
        fresh->comm = comm;
        status      = allocate(fresh, of);
    }
    if (status == CAIRN_OK)
        status =
            cairn_check_memory(comm->env, "sums at fixed cuts", held + fresh->bytes);
    for (int k = 0; k < 4 && status == CAIRN_OK; k++)
        status = create_messages(comm->env, most + comm->size, &m[k]);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) {
        list_x(fresh, of, &m[0], &m[1]);
        list_sums(fresh, of, own, &m[2], &m[3]);
        status = set_up(fresh, &m[0], &m[1], &fresh->x_exchange);
    }
    if (status == CAIRN_OK) status = set_up(fresh, &m[2], &m[3], &fresh->exchange);
    for (int k = 0; k < 4; k++)
        free_messages(comm->env, &m[k]);
    if (status == CAIRN_OK)
        *sums = fresh;
    else
        cairn_cut_sums_destroy(&fresh);
    return status;
}

void cairn_cut_sums_destroy(cairn_cut_sums **sums)
{
    cairn_cut_sums *s = *sums;

    if (!s) return;
    const cairn_comm_ops *ops = s->comm->ops;

    if (s->x_exchange) ops->exchange_destroy(s->comm, s->x_exchange);
    if (s->exchange) ops->exchange_destroy(s->comm, s->exchange);
    cairn_free(s->comm->env, s->x_out);
    cairn_free(s->comm->env, s->x_in);
    cairn_free(s->comm->env, s->in);
    cairn_free(s->comm->env, s);
    *sums = NULL;
}

const void *cairn_cut_sums_x(const cairn_cut_sums *sums)
{
    return sums->x_in;
}

cairn_status cairn_cut_sums_begin(cairn_cut_sums *sums, const void *x)
{
    cairn_comm *comm = sums->comm;

    if (sums->owned_x > 0) memcpy(sums->x_out, x, (size_t)sums->owned_x);
    CAIRN_TRY(comm->ops->exchange_begin(comm, sums->x_exchange));
    return comm->ops->exchange_end(comm, sums->x_exchange);
}

cairn_status cairn_cut_sums_end(cairn_cut_sums *sums, double *y)
{
    cairn_comm *comm = sums->comm;

    CAIRN_TRY(comm->ops->exchange_begin(comm, sums->exchange));
    CAIRN_TRY(comm->ops->exchange_end(comm, sums->exchange));
    for (int t = 0; t < sums->sums; t++)
        for (cairn_pos k = 0; k < sums->n; k++)
            y[k] += sums->in[t * sums->n + k];
    return CAIRN_OK;
}

int64_t cairn_cut_sums_bytes(const cairn_cut_sums *sums)
{
    return sums->bytes;
}

void cairn_cut_sums_traffic(const cairn_cut_sums *sums,
                            int64_t              *messages_of_run,
                            int64_t              *bytes)
{
    *messages_of_run = sums->messages;
    *bytes           = sums->sent > sums->received ? sums->sent : sums->received;
}
