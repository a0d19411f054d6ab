// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Neighbour exchanges as persistent requests: matched once, started many times. Each
/// exchange has its own tag, so that two of them may be under way at once.

#include "comm/mpi/state.h"

typedef struct {
    int         n;       ///< Requests made so far.
    int        *peer;    ///< [n] Behind the requests, in one block.
    MPI_Request start[]; ///< Receives first: they should be posted when data arrive.
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
} messages;

static cairn_status
prepare(cairn_comm *comm, const messages *m, int tag, mpi_exchange *x)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);

    for (int k = 0; k < m->n; k++) {
        for (int64_t done = 0; done < m->bytes[k]; x->n++) {
            const int count = cairn_mpi_cut(state, m->bytes[k] - done);

            CAIRN_MPI(comm->env, "prepare a message",
                      m->prepare((char *)m->data[k] + done, count, MPI_BYTE, m->peer[k],
                                 tag, state->comm, &x->start[x->n]));
            x->peer[x->n] = m->peer[k];
            done += count;
        }
    }
    return CAIRN_OK;
}

static cairn_status
prepare_both(cairn_comm *comm, const messages *in, const messages *out, mpi_exchange *x)
{
    cairn_mpi_state *state = cairn_mpi_state_of(comm);
    const int        tag =
        CAIRN_TAG_EXCHANGE + (int)(state->exchanges++ % CAIRN_TAG_EXCHANGES);

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
    const messages         out   = {sends, to, send, send_bytes, prepare_send};
    const messages         in    = {recvs, from, recv, recv_bytes, MPI_Recv_init};
    const int64_t          n =
        count_chunks(state, sends, send_bytes) + count_chunks(state, recvs, recv_bytes);
    mpi_exchange *x      = NULL;
    cairn_status  status = cairn_alloc_zero(
         comm->env, 1, sizeof *x + (size_t)n * (sizeof(MPI_Request) + sizeof(int)),
         (void **)&x);

    if (x) x->peer = (int *)(void *)(x->start + n);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK)
        status = cairn_comm_agree(comm, prepare_both(comm, &in, &out, x));
    if (status == CAIRN_OK)
        *exchange = x;
    else
        cairn_mpi_exchange_destroy(comm, x);
    return status;
}

cairn_status cairn_mpi_exchange_begin(cairn_comm *comm, void *exchange)
{
    mpi_exchange *x = exchange;

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    if (x->n > 0) CAIRN_MPI(comm->env, "start", MPI_Startall(x->n, x->start));
    return CAIRN_OK;
}

cairn_status cairn_mpi_exchange_end(cairn_comm *comm, void *exchange)
{
    mpi_exchange *x = exchange;

    if (x->n == 0) return CAIRN_OK;
    return cairn_mpi_wait(comm, "wait", x->n, x->start, x->peer);
}

void cairn_mpi_exchange_destroy(cairn_comm *comm, void *exchange)
{
    mpi_exchange *x     = exchange;
    int           ended = 0;

    if (!x) return;
    MPI_Finalized(&ended);
    for (int k = 0; k < x->n && !ended && !comm->lost; k++)
        MPI_Request_free(&x->start[k]);
    cairn_free(comm->env, x);
}
