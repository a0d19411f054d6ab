// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The communicator of one process: reductions are done already, messages are copies.

#include "comm/comm.h"

#include <string.h>

/// Messages to oneself: the k-th sent is the k-th received.
typedef struct {
    cairn_exchange_trials trials; ///< None: there is one way.

    int    n;
    void **send, **recv; ///< [n]; recv follows send in one block.
    size_t bytes[];      ///< [n]
} self_exchange;

static void copy(void *to, const void *from, int64_t bytes)
{
    if (bytes > 0) memmove(to, from, (size_t)bytes);
}

static cairn_status
self_allreduce(cairn_comm *comm, int64_t *data, int64_t n, cairn_reduction op)
{
    (void)comm, (void)data, (void)n, (void)op;
    return CAIRN_OK;
}

static cairn_status
self_broadcast(cairn_comm *comm, void *data, int64_t bytes, int root)
{
    (void)comm, (void)data, (void)bytes, (void)root;
    return CAIRN_OK;
}

static cairn_status
self_allgather(cairn_comm *comm, const void *mine, int64_t bytes, void *all)
{
    (void)comm;
    copy(all, mine, bytes);
    return CAIRN_OK;
}

static cairn_status self_alltoallv(cairn_comm    *comm,
                                   const void    *send,
                                   const int64_t *send_bytes,
                                   void          *recv,
                                   const int64_t *recv_bytes)
{
    (void)comm, (void)recv_bytes;
    copy(recv, send, send_bytes[0]);
    return CAIRN_OK;
}

static cairn_status
self_send(cairn_comm *comm, const void *data, int64_t bytes, int to, int tag)
{
    (void)data, (void)bytes, (void)tag;
    return cairn_fail(comm->env, CAIRN_COMM,
                      "send: to rank %d: one process has nobody to send to", to);
}

static cairn_status
self_recv(cairn_comm *comm, void *data, int64_t bytes, int from, int tag)
{
    (void)data, (void)bytes, (void)tag;
    return cairn_fail(comm->env, CAIRN_COMM,
                      "receive: from rank %d: one process has nobody to receive from",
                      from);
}

static cairn_status self_exchange_create(cairn_comm    *comm,
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
    const size_t   n    = (size_t)sends;
    const size_t   each = sizeof(size_t) + 2 * sizeof(void *);
    self_exchange *x    = NULL;

    (void)to, (void)from, (void)recv_bytes;
    CAIRN_CHECK(sends == recvs, comm->env, CAIRN_COMM,
                "exchange: %d messages sent but %d received by one process", sends,
                recvs);
    CAIRN_TRY(cairn_alloc(comm->env, 1, sizeof *x + n * each, (void **)&x));
    x->trials = (cairn_exchange_trials){.ended = true};
    x->n      = sends;
    x->send   = (void **)(x->bytes + n);
    x->recv   = x->send + n;
    for (size_t k = 0; k < n; k++) {
        x->send[k]  = send[k];
        x->recv[k]  = recv[k];
        x->bytes[k] = (size_t)send_bytes[k];
    }
    *exchange = x;
    return CAIRN_OK;
}

static void *self_exchange_room(cairn_comm *comm, void *exchange, int k)
{
    (void)comm, (void)exchange, (void)k;
    return NULL;
}

static cairn_status self_exchange_begin(cairn_comm *comm, void *exchange)
{
    const self_exchange *x = exchange;

    (void)comm;
    for (int k = 0; k < x->n; k++)
        copy(x->recv[k], x->send[k], (int64_t)x->bytes[k]);
    return CAIRN_OK;
}

static cairn_status self_exchange_test(cairn_comm *comm, void *exchange, bool *came)
{
    const self_exchange *x = exchange;

    (void)comm;
    for (int k = 0; k < x->n; k++)
        came[k] = true;
    return CAIRN_OK;
}

static cairn_status self_exchange_await(cairn_comm *comm, void *exchange, int k)
{
    (void)comm, (void)exchange, (void)k;
    return CAIRN_OK;
}

static cairn_status self_exchange_end(cairn_comm *comm, void *exchange)
{
    (void)comm, (void)exchange;
    return CAIRN_OK;
}

static void self_exchange_destroy(cairn_comm *comm, void *exchange)
{
    cairn_free(comm->env, exchange);
}

static cairn_status self_sum(cairn_comm *comm, double *data, int n)
{
    (void)comm, (void)data, (void)n;
    return CAIRN_OK;
}

static cairn_status self_collect_end(cairn_comm *comm)
{
    (void)comm;
    return CAIRN_OK;
}

static cairn_status self_barrier(cairn_comm *comm)
{
    (void)comm;
    return CAIRN_OK;
}

static cairn_status
self_partition(cairn_comm *comm, const cairn_comm_graph *graph, int64_t *part)
{
    (void)comm;
    for (int64_t k = 0; k < graph->n; k++)
        part[k] = 0;
    return CAIRN_OK;
}

static void self_destroy(cairn_comm *comm)
{
    cairn_free(comm->env, comm);
}

static const cairn_comm_ops self_ops = {
    .allreduce        = self_allreduce,
    .broadcast        = self_broadcast,
    .allgather        = self_allgather,
    .alltoallv        = self_alltoallv,
    .send             = self_send,
    .recv             = self_recv,
    .exchange_create  = self_exchange_create,
    .exchange_room    = self_exchange_room,
    .exchange_begin   = self_exchange_begin,
    .exchange_test    = self_exchange_test,
    .exchange_await   = self_exchange_await,
    .exchange_end     = self_exchange_end,
    .exchange_destroy = self_exchange_destroy,
    .barrier          = self_barrier,
    .partition        = self_partition,
    .destroy          = self_destroy,
};

static const cairn_comm_collect self_collect = {
    .sum    = self_sum,
    .gather = self_allgather,
    .end    = self_collect_end,
};

cairn_status cairn_comm_self(cairn_env *env, cairn_comm **comm)
{
    cairn_comm *fresh = NULL;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    fresh->env  = env;
    fresh->size = fresh->local_size = fresh->nodes = 1;
    fresh->ops                                     = &self_ops;
    fresh->collect                                 = &self_collect;
    *comm                                          = fresh;
    return CAIRN_OK;
}
