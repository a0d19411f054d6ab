// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All to all in rounds: in round s a rank sends to rank + s and receives from rank - s,
/// one chunk each way at a time. A rank never waits for one that is in an earlier round
/// or chunk without that one having posted its side, so no order of arrival blocks it,
/// and two messages are in flight whatever is moved.

#include "comm/mpi/state.h"

#include <string.h>

/// One direction of a round.
typedef struct {
    char   *p; ///< What is next.
    int64_t left;
    int     peer;
} side;

static int64_t sum_before(const int64_t *bytes, int rank)
{
    int64_t sum = 0;

    for (int r = 0; r < rank; r++)
        sum += bytes[r];
    return sum;
}

static cairn_status start_recv(cairn_comm *comm, side *in, MPI_Request *request)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);
    const int              count = cairn_mpi_cut(state, in->left);

    if (count == 0) return CAIRN_OK;
    CAIRN_MPI(comm->env, "receive",
              MPI_Irecv(in->p, count, MPI_BYTE, in->peer, CAIRN_TAG_ALLTOALL,
                        state->comm, request));
    in->p += count;
    in->left -= count;
    return CAIRN_OK;
}

static cairn_status start_send(cairn_comm *comm, side *out, MPI_Request *request)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);
    const int              count = cairn_mpi_cut(state, out->left);

    if (count == 0) return CAIRN_OK;
    CAIRN_MPI(comm->env, "send",
              MPI_Isend(out->p, count, MPI_BYTE, out->peer, CAIRN_TAG_ALLTOALL,
                        state->comm, request));
    out->p += count;
    out->left -= count;
    return CAIRN_OK;
}

static cairn_status swap(cairn_comm *comm, side out, side in)
{
    while (out.left > 0 || in.left > 0) {
        MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        const int   peer[2]    = {in.peer, out.peer};

        CAIRN_TRY(start_recv(comm, &in, &request[0]));
        CAIRN_TRY(start_send(comm, &out, &request[1]));
        CAIRN_TRY(cairn_mpi_wait(comm, "wait", 2, request, peer));
    }
    return CAIRN_OK;
}

cairn_status cairn_mpi_alltoallv(cairn_comm    *comm,
                                 const void    *send,
                                 const int64_t *send_bytes,
                                 void          *recv,
                                 const int64_t *recv_bytes)
{
    const int rank = comm->rank, size = comm->size;

    CAIRN_TRY(cairn_mpi_check_lost(comm));
    if (send_bytes[rank] > 0)
        memcpy((char *)recv + sum_before(recv_bytes, rank),
               (const char *)send + sum_before(send_bytes, rank),
               (size_t)send_bytes[rank]);
    for (int s = 1; s < size; s++) {
        const int  to = (rank + s) % size, from = (rank - s + size) % size;
        const side out = {(char *)send + sum_before(send_bytes, to), send_bytes[to],
                          to};
        const side in  = {(char *)recv + sum_before(recv_bytes, from), recv_bytes[from],
                          from};

        CAIRN_TRY(swap(comm, out, in));
        comm->swapped += send_bytes[to];
    }
    return CAIRN_OK;
}
