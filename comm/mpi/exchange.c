// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Neighbour exchanges, prepared once and started many times, in one of four ways
/// (exchange_ways.c): persistent requests; requests made anew each time; one collective call
/// of neighbours; or memory that a node shares. The last sends empty notes in place of
/// messages within a node: a rank that receives one reads the rows from the sender's memory.
///
/// What a rank shares it has twice, for even runs and for odd ones. Notes go both ways
/// between two ranks that share something, so one that has come in a run says that its
/// sender has ended the run before, and so reads no more of the run before that, in whose
/// place the next one's messages are written. So a run waits for no rank that reads.

#include "comm/mpi/exchange.h"

#include "comm/collective.h"

#include <stdatomic.h>
#include <string.h>

static void
add_piece(cairn_mpi_requests *list, char *data, int bytes, int peer, int message)
{
    list->piece[list->n]  = (cairn_mpi_piece){data, bytes, message};
    list->peer[list->n++] = peer;
}

static void add_message(const cairn_mpi_state    *state,
                        const cairn_mpi_messages *m,
                        int                       k,
                        bool                      received,
                        cairn_mpi_requests       *list)
{
    for (int64_t done = 0; done < m->bytes[k];) {
        const int count = cairn_mpi_cut(state, m->bytes[k] - done);

        add_piece(list, m->data[k] + done, count, m->peer[k], received ? k : -1);
        done += count;
    }
}

/// Does a message of @p m come from, or go to, this rank?
static bool has_peer(const cairn_mpi_messages *m, int peer)
{
    for (int k = 0; k < m->n; k++)
        if (m->peer[k] == peer && m->bytes[k] > 0) return true;
    return false;
}

/// One side of the messages. @p local, [n], says which stay inside the node; NULL: it does
/// not matter. Where one goes there and none comes back, a note does.
static void list_side(const cairn_mpi_state    *state,
                      const cairn_mpi_exchange *x,
                      bool                      received,
                      char *const              *local,
                      char *const              *local_back,
                      cairn_mpi_requests       *list)
{
    const cairn_mpi_messages *m    = received ? &x->in : &x->out;
    const cairn_mpi_messages *back = received ? &x->out : &x->in;

    for (int k = 0; k < m->n; k++) {
        if (received) list->first[k] = list->n;
        if (local && local[k])
            add_piece(list, NULL, 0, m->peer[k], received ? k : -1);
        else
            add_message(state, m, k, received, list);
    }
    if (received) list->first[m->n] = list->n;
    for (int k = 0; local && k < back->n; k++)
        if (local_back[k] && !has_peer(m, back->peer[k]))
            add_piece(list, NULL, 0, back->peer[k], -1);
    if (received) list->received = list->n;
}

void cairn_mpi_list_requests(const cairn_mpi_state    *state,
                             const cairn_mpi_exchange *x,
                             bool                      shared,
                             cairn_mpi_requests       *list)
{
    char *const *in  = shared ? x->shared.in : NULL;
    char *const *out = shared ? x->shared.out : NULL;

    list->n = 0;
    list_side(state, x, true, in, out, list);
    list_side(state, x, false, out, in, list);
}

static int64_t count_pieces(const cairn_mpi_state *state, const cairn_mpi_messages *m)
{
    int64_t n = 0;

    for (int k = 0; k < m->n; k++)
        n += m->bytes[k] / state->chunk + (m->bytes[k] % state->chunk != 0);
    return n;
}

static cairn_status copy_messages(cairn_env          *env,
                                  int                 n,
                                  const int          *peer,
                                  void *const        *data,
                                  const int64_t      *bytes,
                                  cairn_mpi_messages *m)
{
    CAIRN_TRY(CAIRN_NEW(env, n, &m->peer));
    CAIRN_TRY(CAIRN_NEW(env, n, &m->data));
    CAIRN_TRY(CAIRN_NEW(env, n, &m->bytes));
    for (m->n = 0; m->n < n; m->n++) {
        m->peer[m->n]  = peer[m->n];
        m->data[m->n]  = data[m->n];
        m->bytes[m->n] = bytes[m->n];
    }
    return CAIRN_OK;
}

static cairn_status allocate(cairn_comm *comm, cairn_mpi_exchange *x)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);
    const int64_t n    = count_pieces(state, &x->out) + count_pieces(state, &x->in);
    const int64_t most = n + 2 * ((int64_t)x->in.n + x->out.n); /* notes both ways */

    CAIRN_TRY(CAIRN_NEW(comm->env, n, &x->own.piece));
    CAIRN_TRY(CAIRN_NEW(comm->env, n, &x->own.peer));
    CAIRN_TRY(CAIRN_NEW(comm->env, x->in.n + 1, &x->own.first));
    CAIRN_TRY(CAIRN_NEW(comm->env, x->in.n, &x->missing));
    CAIRN_TRY(CAIRN_NEW(comm->env, most, &x->done));
    CAIRN_TRY(CAIRN_NEW(comm->env, n, &x->kept));
    return CAIRN_NEW(comm->env, most, &x->made);
}

static cairn_status prepare(cairn_comm *comm, cairn_mpi_exchange *x)
{
    cairn_mpi_state          *state = cairn_mpi_state_of(comm);
    const cairn_mpi_requests *own   = &x->own;

    x->tag = CAIRN_TAG_EXCHANGE + (int)(state->exchanges++ % CAIRN_TAG_EXCHANGES);
    cairn_mpi_list_requests(state, x, false, &x->own);
    for (int k = 0; k < own->n; k++)
        x->kept[k] = MPI_REQUEST_NULL;
    for (int k = 0; k < own->n; k++) {
        const cairn_mpi_piece *p = &own->piece[k];

        if (k < own->received)
            CAIRN_MPI(comm->env, "prepare a message",
                      MPI_Recv_init(p->data, p->bytes, MPI_BYTE, own->peer[k], x->tag,
                                    state->comm, &x->kept[k]));
        else
            CAIRN_MPI(comm->env, "prepare a message",
                      MPI_Send_init(p->data, p->bytes, MPI_BYTE, own->peer[k], x->tag,
                                    state->comm, &x->kept[k]));
    }
    return CAIRN_OK;
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
    cairn_mpi_exchange *x         = NULL;
    cairn_collective    arguments = {0};
    cairn_status        status    = CAIRN_NEW_ZERO(comm->env, 1, &x);

    cairn_collective_text(
        &arguments, "CAIRN_HALO",
        cairn_exchange_way_name((cairn_exchange_way)comm->env->options.halo));
    if (status == CAIRN_OK) x->collective.comm = MPI_COMM_NULL;
    if (status == CAIRN_OK)
        status = copy_messages(comm->env, sends, to, send, send_bytes, &x->out);
    if (status == CAIRN_OK)
        status = copy_messages(comm->env, recvs, from, recv, recv_bytes, &x->in);
    if (status == CAIRN_OK) status = allocate(comm, x);
    status = cairn_comm_agree_on(comm, status, &arguments);
    if (status == CAIRN_OK) status = cairn_comm_agree(comm, prepare(comm, x));
    if (status == CAIRN_OK) status = cairn_mpi_ways_begin(comm, x);
    if (status == CAIRN_OK)
        *exchange = x;
    else
        cairn_mpi_exchange_destroy(comm, x);
    return status;
}

static double look_at_clock(const cairn_mpi_exchange *x)
{
    return x->trials.ended ? 0 : cairn_seconds();
}

static void add_time(cairn_mpi_exchange *x, double begin)
{
    if (!x->trials.ended) x->seconds += cairn_seconds() - begin;
}

/// How far behind its first place a message of this rank lies in run @p turn.
static int64_t out_offset(const cairn_mpi_shared *shared, unsigned turn)
{
    return turn % 2 ? shared->half : 0;
}

void *cairn_mpi_exchange_room(cairn_comm *comm, void *exchange, int k)
{
    cairn_mpi_exchange *x      = exchange;
    cairn_mpi_shared   *shared = &x->shared;

    (void)comm;
    if (x->next != CAIRN_EXCHANGE_SHARED) return NULL;
    shared->roomed = true;
    return shared->out[k] ? shared->out[k] + out_offset(shared, shared->turn + 1)
                          : NULL;
}

/// Post the requests of this list.
static cairn_status
start_anew(cairn_comm *comm, const cairn_mpi_requests *list, cairn_mpi_exchange *x)
{
    const MPI_Comm its = cairn_mpi_state_of(comm)->comm;

    for (int k = 0; k < list->n; k++) {
        const cairn_mpi_piece *p = &list->piece[k];

        if (k < list->received)
            CAIRN_MPI(comm->env, "start",
                      MPI_Irecv(p->data, p->bytes, MPI_BYTE, list->peer[k], x->tag, its,
                                &x->made[k]));
        else
            CAIRN_MPI(comm->env, "start",
                      MPI_Isend(p->data, p->bytes, MPI_BYTE, list->peer[k], x->tag, its,
                                &x->made[k]));
    }
    return CAIRN_OK;
}

static cairn_status start_shared(cairn_comm *comm, cairn_mpi_exchange *x)
{
    cairn_mpi_shared *shared = &x->shared;

    for (int k = 0; k < x->out.n && !shared->roomed; k++)
        if (shared->out[k])
            memcpy(shared->out[k] + out_offset(shared, shared->turn), x->out.data[k],
                   (size_t)x->out.bytes[k]);
    shared->roomed = false;
    atomic_thread_fence(memory_order_release); /* notes say that all is written */
    return start_anew(comm, &shared->notes, x);
}

static cairn_status start_collective(cairn_comm *comm, cairn_mpi_exchange *x)
{
    const cairn_mpi_collective *c = &x->collective;
    const int                   p = comm->size;

    CAIRN_MPI(comm->env, "start",
              MPI_Ialltoallw(MPI_BOTTOM, c->counts, c->at, c->types, MPI_BOTTOM,
                             c->counts + p, c->at + p, c->types + p, c->comm,
                             &x->made[0]));
    return CAIRN_OK;
}

cairn_status cairn_mpi_exchange_begin(cairn_comm *comm, void *exchange)
{
    cairn_mpi_exchange *x = exchange;

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    CAIRN_TRY(cairn_mpi_ways_turn(comm, x));
    const cairn_mpi_requests *list  = cairn_mpi_requests_now(x);
    const double              begin = look_at_clock(x);

    x->left = list->n;
    for (int k = 0; k < x->in.n; k++)
        x->missing[k] = list->first[k + 1] - list->first[k];
    switch (x->trials.way) {
    case CAIRN_EXCHANGE_ANEW: CAIRN_TRY(start_anew(comm, list, x)); break;
    case CAIRN_EXCHANGE_SHARED: CAIRN_TRY(start_shared(comm, x)); break;
    case CAIRN_EXCHANGE_COLLECTIVE:
        CAIRN_TRY(start_collective(comm, x));
        x->left = 1;
        break;
    default:
        if (list->n > 0) CAIRN_MPI(comm->env, "start", MPI_Startall(list->n, x->kept));
    }
    add_time(x, begin);
    return CAIRN_OK;
}

/// Message @p k is there; if only its note is, copy it from where it lies.
static void take(cairn_mpi_exchange *x, int k)
{
    const cairn_mpi_shared *shared = &x->shared;

    x->missing[k] = 0;
    if (x->trials.way != CAIRN_EXCHANGE_SHARED || !shared->in[k]) return;
    atomic_thread_fence(memory_order_acquire);
    memcpy(x->in.data[k], shared->in[k] + (shared->turn % 2 ? shared->ahead[k] : 0),
           (size_t)x->in.bytes[k]);
}

/// All that is still missing is there.
static void take_all(cairn_mpi_exchange *x)
{
    x->left = 0;
    for (int k = 0; k < x->in.n; k++)
        if (x->missing[k] > 0) take(x, k);
}

static MPI_Request *requests_under_way(cairn_mpi_exchange *x)
{
    return x->trials.way == CAIRN_EXCHANGE_PERSISTENT ? x->kept : x->made;
}

/// Look at requests. Those of one message may end in several looks.
static cairn_status test_requests(cairn_comm *comm, cairn_mpi_exchange *x)
{
    const cairn_mpi_requests *list  = cairn_mpi_requests_now(x);
    int                       count = 0;

    CAIRN_MPI(comm->env, "test",
              MPI_Testsome(list->n, requests_under_way(x), &count, x->done,
                           MPI_STATUSES_IGNORE));
    if (count == MPI_UNDEFINED) { /* none is under way */
        take_all(x);
        return CAIRN_OK;
    }
    x->left -= count;
    for (int k = 0; k < count; k++) {
        const int message = list->piece[x->done[k]].message;

        if (message >= 0 && --x->missing[message] == 0) take(x, message);
    }
    return CAIRN_OK;
}

static cairn_status test_collective(cairn_comm *comm, cairn_mpi_exchange *x)
{
    int done = 0;

    CAIRN_MPI(comm->env, "test", MPI_Test(&x->made[0], &done, MPI_STATUS_IGNORE));
    if (done) take_all(x);
    return CAIRN_OK;
}

cairn_status cairn_mpi_exchange_test(cairn_comm *comm, void *exchange, bool *came)
{
    cairn_mpi_exchange *x = exchange;

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    const double begin = look_at_clock(x);

    if (x->left > 0)
        CAIRN_TRY(x->trials.way == CAIRN_EXCHANGE_COLLECTIVE ? test_collective(comm, x)
                                                             : test_requests(comm, x));
    for (int k = 0; k < x->in.n; k++)
        came[k] |= x->missing[k] == 0;
    add_time(x, begin);
    return CAIRN_OK;
}

/// Wait for all that is under way.
static cairn_status wait_all(cairn_comm *comm, cairn_mpi_exchange *x)
{
    const cairn_mpi_requests   *list = cairn_mpi_requests_now(x);
    const cairn_mpi_collective *c    = &x->collective;

    CAIRN_TRY(
        x->trials.way == CAIRN_EXCHANGE_COLLECTIVE
            ? cairn_mpi_wait_neighbours(comm, &x->made[0], c->peers, c->peer)
            : cairn_mpi_wait(comm, "wait", list->n, requests_under_way(x), list->peer));
    take_all(x);
    return CAIRN_OK;
}

cairn_status cairn_mpi_exchange_await(cairn_comm *comm, void *exchange, int k)
{
    cairn_mpi_exchange       *x     = exchange;
    const cairn_mpi_requests *list  = cairn_mpi_requests_now(x);
    const int                 first = list->first[k], n = list->first[k + 1] - first;

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    if (x->missing[k] == 0) return CAIRN_OK;
    const double begin = look_at_clock(x);

    if (x->trials.way == CAIRN_EXCHANGE_COLLECTIVE) {
        CAIRN_TRY(wait_all(comm, x));
    } else {
        CAIRN_TRY(cairn_mpi_wait(comm, "wait", n, requests_under_way(x) + first,
                                 list->peer + first));
        x->left -= x->missing[k];
        take(x, k);
    }
    add_time(x, begin);
    return CAIRN_OK;
}

cairn_status cairn_mpi_exchange_end(cairn_comm *comm, void *exchange)
{
    cairn_mpi_exchange *x = exchange;

    if (x->left > 0) {
        const double begin = look_at_clock(x);

        CAIRN_TRY(wait_all(comm, x));
        add_time(x, begin);
    }
    /* Notes of readers have come: what they have read may be written over. */
    if (x->trials.way == CAIRN_EXCHANGE_SHARED)
        atomic_thread_fence(memory_order_acquire);
    return CAIRN_OK;
}

static void free_messages(cairn_env *env, cairn_mpi_messages *m)
{
    cairn_free(env, m->peer);
    cairn_free(env, m->data);
    cairn_free(env, m->bytes);
}

void cairn_mpi_exchange_destroy(cairn_comm *comm, void *exchange)
{
    cairn_mpi_exchange *x     = exchange;
    cairn_env          *env   = comm->env;
    int                 ended = 0;

    if (!x) return;
    MPI_Finalized(&ended);
    for (int k = 0; k < x->own.n && !ended && !comm->lost; k++)
        if (x->kept[k] != MPI_REQUEST_NULL) MPI_Request_free(&x->kept[k]);
    cairn_mpi_ways_end(comm, x, !ended && !comm->lost);
    free_messages(env, &x->out);
    free_messages(env, &x->in);
    cairn_free(env, x->own.piece);
    cairn_free(env, x->own.peer);
    cairn_free(env, x->own.first);
    cairn_free(env, x->missing);
    cairn_free(env, x->done);
    cairn_free(env, x->kept);
    cairn_free(env, x->made);
    cairn_free(env, x);
}
