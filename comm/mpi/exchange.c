// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Neighbour exchanges, prepared once and started many times, in one of two ways: persistent
/// requests, or requests made anew each time. Which is less work for a rank depends on the
/// library and on the sizes (Open MPI 4.1 between two cores: 8 bytes each way take 1.06 us
/// and 0.45, as a neighbourhood collective does, which would have to come as one; from 2 KB
/// on there is no difference). So the first exchanges go by turns, and the rank keeps what
/// took it less: the other end of a message does not see which it was. Each exchange has its
/// own tag, so that two of them may be under way at once.

#include "comm/mpi/state.h"

enum { PERSISTENT, ANEW, WAYS, TRIALS = 32 };

/// What a way has taken: the least seconds inside calls, from the start to the end.
typedef struct {
    int    runs; ///< TRIALS: it is decided.
    int    way;  ///< Of the exchange that is under way, or was last.
    double least[WAYS], seconds;
} trials;

/// One request, as its way of being made anew needs it.
typedef struct {
    void *data;
    int   bytes, peer;
    bool  received;
} request_of;

typedef struct {
    int          n;     ///< Requests made so far,
    int          left;  ///< and those that are under way.
    int          recvs; ///< Messages that are received.
    int         *peer;  ///< [n] Behind the requests, in one block, as all that follows.
    int         *message; ///< [n] Which of those received a request belongs to; or -1.
    int         *done;    ///< [n] Requests that one test found.
    int         *first;   ///< [recvs + 1] Where the requests of each begin,
    int         *missing; ///< [recvs] and how many of them are under way.
    int          tag;
    trials       trials;
    request_of  *of;    ///< [n]
    MPI_Request *now;   ///< [n] Under way: `kept`, or those behind it.
    MPI_Request kept[]; ///< Persistent. Receives first: they should be posted when data
                        ///< arrive.
} mpi_exchange;

static int64_t
count_chunks(const cairn_mpi_state *state, int messages, const int64_t *bytes)
{
    int64_t n = 0;

    for (int k = 0; k < messages; k++)
        n += bytes[k] / state->chunk + (bytes[k] % state->chunk != 0);
    return n;
}

/// MPI_Send_init and MPI_Recv_init, whose arguments are the same.
typedef int prepare_fn(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int prepare_send(void        *data,
                        int          count,
                        MPI_Datatype type,
                        int          to,
                        int          tag,
                        MPI_Comm     comm,
                        MPI_Request *request)
{
    return MPI_Send_init(data, count, type, to, tag, comm, request);
}

/// One side of an exchange: messages with one peer each.
typedef struct {
    int            n;
    const int     *peer;  ///< [n]
    void *const   *data;  ///< [n]
    const int64_t *bytes; ///< [n]
    prepare_fn    *prepare;
    bool           received;
} messages;

static cairn_status
prepare(cairn_comm *comm, const messages *m, int tag, mpi_exchange *x)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);

    for (int k = 0; k < m->n; k++) {
        if (m->received) x->first[k] = x->n;
        for (int64_t done = 0; done < m->bytes[k]; x->n++) {
            const int count = cairn_mpi_cut(state, m->bytes[k] - done);

            CAIRN_MPI(comm->env, "prepare a message",
                      m->prepare((char *)m->data[k] + done, count, MPI_BYTE, m->peer[k],
                                 tag, state->comm, &x->kept[x->n]));
            x->of[x->n] =
                (request_of){(char *)m->data[k] + done, count, m->peer[k], m->received};
            x->peer[x->n]    = m->peer[k];
            x->message[x->n] = m->received ? k : -1;
            done += count;
        }
    }
    if (m->received) x->first[m->n] = x->n;
    return CAIRN_OK;
}

static cairn_status
prepare_both(cairn_comm *comm, const messages *in, const messages *out, mpi_exchange *x)
{
    cairn_mpi_state *state = cairn_mpi_state_of(comm);
    const int        tag =
        CAIRN_TAG_EXCHANGE + (int)(state->exchanges++ % CAIRN_TAG_EXCHANGES);

    x->tag = tag;
    CAIRN_TRY(prepare(comm, in, tag, x));
    return prepare(comm, out, tag, x);
}

cairn_status cairn_mpi_exchange_create(cairn_comm    *comm,
                                       int            sends,
                                       const int     *to,
                                       void *const   *send,
                                       const int64_t *send_bytes,
                                       int            recvs,
                                       const int     *from,
                                       void *const   *recv,
                                       const int64_t *recv_bytes,
                                       void         **exchange)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);
    const messages         out   = {sends, to, send, send_bytes, prepare_send, false};
    const messages         in    = {recvs, from, recv, recv_bytes, MPI_Recv_init, true};
    const int64_t          n =
        count_chunks(state, sends, send_bytes) + count_chunks(state, recvs, recv_bytes);
    const size_t  ints   = 3 * (size_t)n + 2 * (size_t)recvs + 1;
    mpi_exchange *x      = NULL;
    const size_t  each   = WAYS * sizeof(MPI_Request) + sizeof(request_of);
    cairn_status  status = cairn_alloc_zero(
         comm->env, 1, sizeof *x + (size_t)n * each + ints * sizeof(int), (void **)&x);

    if (x) {
        x->recvs   = recvs;
        x->of      = (request_of *)(void *)(x->kept + WAYS * n);
        x->peer    = (int *)(void *)(x->of + n);
        x->message = x->peer + n;
        x->done    = x->message + n;
        x->first   = x->done + n;
        x->missing = x->first + recvs + 1;
    }
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK)
        status = cairn_comm_agree(comm, prepare_both(comm, &in, &out, x));
    if (status == CAIRN_OK)
        *exchange = x;
    else
        cairn_mpi_exchange_destroy(comm, x);
    return status;
}

/// The way of the next exchange, of which the time is taken while there are trials.
static void choose_way(mpi_exchange *x)
{
    trials *t = &x->trials;

    if (t->runs == TRIALS) return;
    if (t->runs > WAYS && (t->least[t->way] == 0 || t->seconds < t->least[t->way]))
        t->least[t->way] = t->seconds; /* the first of each are not counted */
    t->way =
        ++t->runs < TRIALS ? t->runs % WAYS : t->least[ANEW] < t->least[PERSISTENT];
    t->seconds = 0;
}

static double look_at_clock(const mpi_exchange *x)
{
    return x->trials.runs < TRIALS ? cairn_seconds() : 0;
}

static void add_time(mpi_exchange *x, double begin)
{
    if (x->trials.runs < TRIALS) x->trials.seconds += cairn_seconds() - begin;
}

static cairn_status start_anew(cairn_comm *comm, mpi_exchange *x)
{
    const MPI_Comm its = cairn_mpi_state_of(comm)->comm;

    for (int k = 0; k < x->n; k++) {
        const request_of *r = &x->of[k];

        if (r->received)
            CAIRN_MPI(comm->env, "start",
                      MPI_Irecv(r->data, r->bytes, MPI_BYTE, r->peer, x->tag, its,
                                &x->now[k]));
        else
            CAIRN_MPI(comm->env, "start",
                      MPI_Isend(r->data, r->bytes, MPI_BYTE, r->peer, x->tag, its,
                                &x->now[k]));
    }
    return CAIRN_OK;
}

cairn_status cairn_mpi_exchange_begin(cairn_comm *comm, void *exchange)
{
    mpi_exchange *x = exchange;

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    choose_way(x);
    const double begin = look_at_clock(x);

    x->now = x->trials.way == ANEW ? x->kept + x->n : x->kept;
    if (x->trials.way == ANEW)
        CAIRN_TRY(start_anew(comm, x));
    else if (x->n > 0)
        CAIRN_MPI(comm->env, "start", MPI_Startall(x->n, x->now));
    x->left = x->n;
    for (int k = 0; k < x->recvs; k++)
        x->missing[k] = x->first[k + 1] - x->first[k];
    add_time(x, begin);
    return CAIRN_OK;
}

cairn_status cairn_mpi_exchange_test(cairn_comm *comm, void *exchange, bool *came)
{
    mpi_exchange *x     = exchange;
    int           count = 0;

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    const double begin = look_at_clock(x);

    if (x->left > 0)
        CAIRN_MPI(comm->env, "test",
                  MPI_Testsome(x->n, x->now, &count, x->done, MPI_STATUSES_IGNORE));
    for (int k = 0; k < count; k++) /* MPI_UNDEFINED is below 0 */
        if (x->message[x->done[k]] >= 0) x->missing[x->message[x->done[k]]]--;
    x->left = count < 0 ? 0 : x->left - count;
    for (int k = 0; k < x->recvs; k++)
        came[k] |= x->missing[k] == 0;
    add_time(x, begin);
    return CAIRN_OK;
}

cairn_status cairn_mpi_exchange_await(cairn_comm *comm, void *exchange, int k)
{
    mpi_exchange *x = exchange;
    const int     n = x->first[k + 1] - x->first[k], from = x->first[k];

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    if (x->missing[k] == 0) return CAIRN_OK;
    const double begin = look_at_clock(x);

    CAIRN_TRY(cairn_mpi_wait(comm, "wait", n, x->now + from, x->peer + from));
    x->left -= x->missing[k];
    x->missing[k] = 0;
    add_time(x, begin);
    return CAIRN_OK;
}

cairn_status cairn_mpi_exchange_end(cairn_comm *comm, void *exchange)
{
    mpi_exchange *x     = exchange;
    const double  begin = look_at_clock(x);

    if (x->left == 0) return CAIRN_OK;
    CAIRN_TRY(cairn_mpi_wait(comm, "wait", x->n, x->now, x->peer));
    x->left = 0;
    for (int k = 0; k < x->recvs; k++)
        x->missing[k] = 0;
    add_time(x, begin);
    return CAIRN_OK;
}

void cairn_mpi_exchange_destroy(cairn_comm *comm, void *exchange)
{
    mpi_exchange *x     = exchange;
    int           ended = 0;

    if (!x) return;
    MPI_Finalized(&ended);
    for (int k = 0; k < x->n && !ended && !comm->lost; k++)
        MPI_Request_free(&x->kept[k]);
    cairn_free(comm->env, x);
}
