// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A communicator for a second thread of each rank.

#include "comm/relay.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

/// A call over the communicator behind the relay.
typedef cairn_status relayed_call(cairn_comm *of, const void *arguments);

/// One that waits, and what came of it.
typedef struct {
    relayed_call *call;
    const void   *arguments;
    bool          is_local; ///< Other ranks have no part in it.
    bool          done;
    cairn_status  status;
    char          message[CAIRN_MESSAGE]; ///< Of a failure.
} request;

typedef struct {
    cairn_comm     *of;   ///< Of one rank: the relay's own.
    pthread_mutex_t lock; ///< Of all that follows.
    pthread_cond_t  changed;
    request        *asked; ///< NULL: the second thread does not wait.
    _Atomic bool    left;  ///< It has; the first thread's calls go straight on.
    bool            ended; ///< What it asks for fails.
} relay;

static void carry_out(relay *x, request *r)
{
    r->status = r->call(x->of, r->arguments);
    if (r->status != CAIRN_OK)
        snprintf(r->message, sizeof r->message, "%s", cairn_message(x->of->env));
}

static void refuse(request *r)
{
    r->status = CAIRN_COMM;
    snprintf(r->message, sizeof r->message, "relay: nothing is asked for any more");
}

/* ---- the second thread ---- */

/// Wait until the first thread has done it.
static cairn_status wait_for(cairn_comm *comm, request r)
{
    relay *const x = comm->state;

    pthread_mutex_lock(&x->lock);
    const bool refused = x->ended && !r.is_local;
    const bool waits   = !refused && comm->size > 1;

    if (waits) {
        x->asked = &r;
        pthread_cond_broadcast(&x->changed);
        while (!r.done)
            pthread_cond_wait(&x->changed, &x->lock);
    }
    pthread_mutex_unlock(&x->lock);
    if (refused)
        refuse(&r);
    else if (!waits)
        carry_out(x, &r);
    if (r.status == CAIRN_OK) return CAIRN_OK;
    return cairn_fail(comm->env, r.status, "%s", r.message);
}

/// The status of a call of the communicator behind, whose message becomes the relay's.
static cairn_status pass_on(cairn_comm *comm, cairn_status status)
{
    const relay *x = comm->state;

    if (status == CAIRN_OK) return CAIRN_OK;
    return cairn_fail(comm->env, status, "%s", cairn_message(x->of->env));
}

/// Have a call carried out. After the second thread has left the caller is the first.
static cairn_status
ask(cairn_comm *comm, relayed_call *call, const void *arguments, bool is_local)
{
    relay *const x = comm->state;

    if (!atomic_load_explicit(&x->left, memory_order_acquire))
        return wait_for(
            comm,
            (request){.call = call, .arguments = arguments, .is_local = is_local});
    return pass_on(comm, call(x->of, arguments));
}

void cairn_relay_leave(cairn_comm *comm)
{
    relay *const x = comm->state;

    pthread_mutex_lock(&x->lock);
    x->left = true;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->lock);
}

/* ---- the first ---- */

static cairn_relay_state state_of(const relay *x)
{
    return x->asked ? CAIRN_RELAY_ASKS : x->left ? CAIRN_RELAY_LEFT : CAIRN_RELAY_WORKS;
}

/* The request stays where it is while its thread waits, so it is read without the lock. */
static void answer(relay *x, bool refused)
{
    request *const r = x->asked;

    if (refused)
        refuse(r);
    else
        carry_out(x, r);
    pthread_mutex_lock(&x->lock);
    r->done  = true;
    x->asked = NULL;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->lock);
}

cairn_relay_state cairn_relay_await(cairn_comm *comm, double seconds)
{
    relay *const    x = comm->state;
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(seconds * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&x->lock);
    for (;;) {
        while (x->asked && x->asked->is_local) {
            pthread_mutex_unlock(&x->lock);
            answer(x, false);
            pthread_mutex_lock(&x->lock);
        }
        if (seconds <= 0 || state_of(x) != CAIRN_RELAY_WORKS) break;
        if (pthread_cond_timedwait(&x->changed, &x->lock, &until) != 0) seconds = 0;
    }
    const cairn_relay_state state = state_of(x);

    pthread_mutex_unlock(&x->lock);
    return state;
}

void cairn_relay_serve(cairn_comm *comm)
{
    answer(comm->state, false);
}

void cairn_relay_join(cairn_comm *comm)
{
    relay *const x = comm->state;

    pthread_mutex_lock(&x->lock);
    x->ended = true;
    while (state_of(x) != CAIRN_RELAY_LEFT) {
        if (!x->asked) {
            pthread_cond_wait(&x->changed, &x->lock);
            continue;
        }
        pthread_mutex_unlock(&x->lock);
        answer(x, !x->asked->is_local);
        pthread_mutex_lock(&x->lock);
    }
    pthread_mutex_unlock(&x->lock);
}

/* ---- the table ---- */

typedef struct {
    int64_t        *data;
    int64_t         n;
    cairn_reduction op;
} reduction;

static cairn_status reduce(cairn_comm *of, const void *arguments)
{
    const reduction *a = arguments;

    return of->ops->allreduce(of, a->data, a->n, a->op);
}

static cairn_status
relay_allreduce(cairn_comm *comm, int64_t *data, int64_t n, cairn_reduction op)
{
    const reduction a = {data, n, op};

    return ask(comm, reduce, &a, false);
}

typedef struct {
    void   *data;
    int64_t bytes;
    int     root;
} copying;

static cairn_status copy(cairn_comm *of, const void *arguments)
{
    const copying *a = arguments;

    return of->ops->broadcast(of, a->data, a->bytes, a->root);
}

static cairn_status
relay_broadcast(cairn_comm *comm, void *data, int64_t bytes, int root)
{
    const copying a = {data, bytes, root};

    return ask(comm, copy, &a, false);
}

typedef struct {
    const void *mine;
    int64_t     bytes;
    void       *all;
} gathering;

static cairn_status gather(cairn_comm *of, const void *arguments)
{
    const gathering *a = arguments;

    return of->ops->allgather(of, a->mine, a->bytes, a->all);
}

static cairn_status
relay_allgather(cairn_comm *comm, const void *mine, int64_t bytes, void *all)
{
    const gathering a = {mine, bytes, all};

    return ask(comm, gather, &a, false);
}

typedef struct {
    cairn_comm    *relayed;
    const void    *send;
    const int64_t *send_bytes;
    void          *recv;
    const int64_t *recv_bytes;
} swapping;

static cairn_status swap(cairn_comm *of, const void *arguments)
{
    const swapping    *a      = arguments;
    const int64_t      before = of->swapped;
    const cairn_status status =
        of->ops->alltoallv(of, a->send, a->send_bytes, a->recv, a->recv_bytes);

    a->relayed->swapped += of->swapped - before;
    return status;
}

static cairn_status relay_alltoallv(cairn_comm    *comm,
                                    const void    *send,
                                    const int64_t *send_bytes,
                                    void          *recv,
                                    const int64_t *recv_bytes)
{
    const swapping a = {comm, send, send_bytes, recv, recv_bytes};

    return ask(comm, swap, &a, false);
}

static cairn_status
relay_send(cairn_comm *comm, const void *data, int64_t bytes, int to, int tag)
{
    (void)data, (void)bytes, (void)tag;
    return cairn_fail(comm->env, CAIRN_UNSUPPORTED,
                      "relay: send: to rank %d: messages are not relayed", to);
}

static cairn_status
relay_recv(cairn_comm *comm, void *data, int64_t bytes, int from, int tag)
{
    (void)data, (void)bytes, (void)tag;
    return cairn_fail(comm->env, CAIRN_UNSUPPORTED,
                      "relay: receive: from rank %d: messages are not relayed", from);
}

/// Arguments of all calls for exchanges with neighbours.
typedef struct {
    int            sends;
    const int     *to;
    void *const   *send;
    const int64_t *send_bytes;
    int            recvs;
    const int     *from;
    void *const   *recv;
    const int64_t *recv_bytes;
    void         **exchange;
} neighbours;

static cairn_status create_exchange(cairn_comm *of, const void *arguments)
{
    const neighbours *a = arguments;

    return of->ops->exchange_create(of, a->sends, a->to, a->send, a->send_bytes,
                                    a->recvs, a->from, a->recv, a->recv_bytes,
                                    a->exchange);
}

static cairn_status relay_exchange_create(cairn_comm    *comm,
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
    const neighbours a = {sends, to,   send,       send_bytes, recvs,
                          from,  recv, recv_bytes, exchange};

    return ask(comm, create_exchange, &a, false);
}

/// Only a place in memory is asked for: nothing is sent.
static void *relay_exchange_room(cairn_comm *comm, void *exchange, int k)
{
    const relay *x = comm->state;

    return x->of->ops->exchange_room(x->of, exchange, k);
}

/// Ranks look after messages as often as they have some, so the runs of exchanges are for
/// the first thread, once the second has left.
static cairn_status check_left(const cairn_comm *comm)
{
    const relay *x = comm->state;

    CAIRN_CHECK(atomic_load_explicit(&x->left, memory_order_acquire), comm->env,
                CAIRN_UNSUPPORTED, "relay: exchange: its runs are not relayed");
    return CAIRN_OK;
}

static cairn_status relay_exchange_begin(cairn_comm *comm, void *exchange)
{
    const relay *x = comm->state;

    CAIRN_TRY(check_left(comm));
    return pass_on(comm, x->of->ops->exchange_begin(x->of, exchange));
}

static cairn_status relay_exchange_test(cairn_comm *comm, void *exchange, bool *came)
{
    const relay *x = comm->state;

    CAIRN_TRY(check_left(comm));
    return pass_on(comm, x->of->ops->exchange_test(x->of, exchange, came));
}

static cairn_status relay_exchange_await(cairn_comm *comm, void *exchange, int k)
{
    const relay *x = comm->state;

    CAIRN_TRY(check_left(comm));
    return pass_on(comm, x->of->ops->exchange_await(x->of, exchange, k));
}

static cairn_status relay_exchange_end(cairn_comm *comm, void *exchange)
{
    const relay *x = comm->state;

    CAIRN_TRY(check_left(comm));
    return pass_on(comm, x->of->ops->exchange_end(x->of, exchange));
}

typedef struct {
    void *exchange;
} destroying;

static cairn_status destroy_exchange(cairn_comm *of, const void *arguments)
{
    const destroying *a = arguments;

    of->ops->exchange_destroy(of, a->exchange);
    return CAIRN_OK;
}

static void relay_exchange_destroy(cairn_comm *comm, void *exchange)
{
    const destroying a = {exchange};

    (void)ask(comm, destroy_exchange, &a, true);
}

static cairn_status meet(cairn_comm *of, const void *arguments)
{
    (void)arguments;
    return of->ops->barrier(of);
}

static cairn_status relay_barrier(cairn_comm *comm)
{
    return ask(comm, meet, NULL, false);
}

typedef struct {
    const cairn_comm_graph *graph;
    int64_t                *part;
} partitioning;

static cairn_status cut_graph(cairn_comm *of, const void *arguments)
{
    const partitioning *a = arguments;

    return of->ops->partition(of, a->graph, a->part);
}

static cairn_status
relay_partition(cairn_comm *comm, const cairn_comm_graph *graph, int64_t *part)
{
    const partitioning a = {graph, part};

    return ask(comm, cut_graph, &a, false);
}

static void relay_destroy(cairn_comm *comm)
{
    relay *const x = comm->state;

    if (comm->size == 1) cairn_comm_destroy(&x->of);
    pthread_cond_destroy(&x->changed);
    pthread_mutex_destroy(&x->lock);
    cairn_free(comm->env, x);
    cairn_free(comm->env, comm);
}

static const cairn_comm_ops ops = {
    .allreduce        = relay_allreduce,
    .broadcast        = relay_broadcast,
    .allgather        = relay_allgather,
    .alltoallv        = relay_alltoallv,
    .send             = relay_send,
    .recv             = relay_recv,
    .exchange_create  = relay_exchange_create,
    .exchange_room    = relay_exchange_room,
    .exchange_begin   = relay_exchange_begin,
    .exchange_test    = relay_exchange_test,
    .exchange_await   = relay_exchange_await,
    .exchange_end     = relay_exchange_end,
    .exchange_destroy = relay_exchange_destroy,
    .barrier          = relay_barrier,
    .partition        = relay_partition,
    .destroy          = relay_destroy,
};

/* Calls that others go on beside are for the first thread, which has a communicator. */

static cairn_status no_collect(const cairn_comm *comm)
{
    return cairn_fail(comm->env, CAIRN_UNSUPPORTED,
                      "relay: collect: it is not relayed");
}

static cairn_status relay_sum(cairn_comm *comm, double *data, int n)
{
    (void)data, (void)n;
    return no_collect(comm);
}

static cairn_status
relay_gather(cairn_comm *comm, const void *mine, int64_t bytes, void *all)
{
    (void)mine, (void)bytes, (void)all;
    return no_collect(comm);
}

static cairn_status relay_end(cairn_comm *comm)
{
    return no_collect(comm);
}

static const cairn_comm_collect collect = {relay_sum, relay_gather, relay_end};

cairn_status cairn_relay_create(cairn_env *env, cairn_comm *of, cairn_comm **comm)
{
    cairn_comm  *fresh  = NULL;
    relay       *x      = NULL;
    cairn_status status = CAIRN_NEW_ZERO(env, 1, &fresh);

    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(env, 1, &x);
    if (status == CAIRN_OK) x->of = of;
    /* A job of one rank has MPI, too, for its first thread alone. */
    if (status == CAIRN_OK && of->size == 1) status = cairn_comm_self(env, &x->of);
    if (status != CAIRN_OK) {
        cairn_free(env, x);
        cairn_free(env, fresh);
        return status;
    }
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->changed, NULL);
    *fresh         = *of;
    fresh->env     = env;
    fresh->ops     = &ops;
    fresh->collect = &collect;
    fresh->state   = x;
    fresh->swapped = 0;
    *comm          = fresh;
    return CAIRN_OK;
}
