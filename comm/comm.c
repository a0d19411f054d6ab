// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What every communicator can do, written over its table.

#include "comm/comm.h"

#include <string.h>

void cairn_comm_destroy(cairn_comm **comm)
{
    if (!*comm) return;
    (*comm)->ops->destroy(*comm);
    *comm = NULL;
}

cairn_status cairn_comm_exscan(cairn_comm *comm, int64_t mine, int64_t *before)
{
    int64_t     *all = NULL, sum = 0;
    cairn_status status = CAIRN_NEW(comm->env, comm->size, &all);

    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, comm->ops->allgather(comm, &mine, sizeof mine, all));
    for (int r = 0; r < comm->rank; r++)
        sum += all[r];
    *before = sum;
done:
    cairn_free(comm->env, all);
    return status;
}

/// Bytes to and from each rank, as alltoallv wants them.
typedef struct {
    int64_t *send, *recv; ///< [size of comm], one block.
    int64_t  incoming;    ///< Records in all.
} traffic;

/// Tell every rank how many records it will get.
static cairn_status count_traffic(cairn_comm    *comm,
                                  const int64_t *counts,
                                  size_t         size,
                                  traffic       *bytes,
                                  int64_t       *recv_counts)
{
    for (int r = 0; r < comm->size; r++)
        bytes->send[r] = bytes->recv[r] = 8;
    CAIRN_TRY(
        comm->ops->alltoallv(comm, counts, bytes->send, recv_counts, bytes->recv));
    bytes->incoming = 0;
    for (int r = 0; r < comm->size; r++) {
        bytes->send[r] = counts[r] * (int64_t)size;
        bytes->recv[r] = recv_counts[r] * (int64_t)size;
        bytes->incoming += recv_counts[r];
    }
    return CAIRN_OK;
}

static cairn_status exchange_records(cairn_comm    *comm,
                                     const void    *send,
                                     const int64_t *counts,
                                     size_t         size,
                                     traffic       *bytes,
                                     void         **recv,
                                     int64_t       *recv_counts)
{
    void        *records = NULL;
    cairn_status status;

    CAIRN_TRY(count_traffic(comm, counts, size, bytes, recv_counts));
    status = cairn_alloc(comm->env, bytes->incoming, size, &records);
    CAIRN_GO(failed, cairn_comm_agree(comm, status));
    CAIRN_GO(failed,
             comm->ops->alltoallv(comm, send, bytes->send, records, bytes->recv));
    *recv = records;
    return CAIRN_OK;
failed:
    cairn_free(comm->env, records);
    return status;
}

cairn_status cairn_comm_exchange(cairn_comm    *comm,
                                 const void    *send,
                                 const int64_t *counts,
                                 size_t         size,
                                 void         **recv,
                                 int64_t       *recv_counts)
{
    traffic      bytes  = {0};
    cairn_status status = CAIRN_NEW(comm->env, 2 * (int64_t)comm->size, &bytes.send);

    CAIRN_GO(done, cairn_comm_agree(comm, status));
    bytes.recv = bytes.send + comm->size;
    status     = exchange_records(comm, send, counts, size, &bytes, recv, recv_counts);
done:
    cairn_free(comm->env, bytes.send);
    return status;
}

/// The same records for every rank.
static cairn_status gather_records(cairn_comm *comm,
                                   const void *mine,
                                   int64_t     n,
                                   size_t      size,
                                   char       *send,
                                   int64_t    *counts,
                                   void      **all,
                                   int64_t    *count)
{
    const size_t bytes = (size_t)n * size;

    for (int r = 0; r < comm->size; r++) {
        counts[r] = n;
        if (bytes > 0) memcpy(send + (size_t)r * bytes, mine, bytes);
    }
    CAIRN_TRY(cairn_comm_exchange(comm, send, counts, size, all, counts + comm->size));
    *count = 0;
    for (int r = 0; r < comm->size; r++)
        *count += counts[comm->size + r];
    return CAIRN_OK;
}

cairn_status cairn_comm_gather(cairn_comm *comm,
                               const void *mine,
                               int64_t     n,
                               size_t      size,
                               void      **all,
                               int64_t    *count)
{
    char        *send   = NULL;
    int64_t     *counts = NULL;
    cairn_status status = cairn_alloc(comm->env, n * comm->size, size, (void **)&send);

    if (status == CAIRN_OK)
        status = CAIRN_NEW(comm->env, 2 * (int64_t)comm->size, &counts);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK)
        status = gather_records(comm, mine, n, size, send, counts, all, count);
    cairn_free(comm->env, send);
    cairn_free(comm->env, counts);
    return status;
}

cairn_status cairn_comm_share_text(cairn_comm *comm, int root, char **text)
{
    int64_t      bytes = comm->rank == root ? (int64_t)strlen(*text) + 1 : 0;
    char        *copy  = NULL;
    cairn_status status;

    CAIRN_TRY(comm->ops->broadcast(comm, &bytes, sizeof bytes, root));
    status = comm->rank == root ? CAIRN_OK : CAIRN_NEW(comm->env, bytes, &copy);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK)
        status = comm->ops->broadcast(comm, comm->rank == root ? *text : copy,
                                      (size_t)bytes, root);
    if (comm->rank == root) return status;
    if (status == CAIRN_OK)
        *text = copy;
    else
        cairn_free(comm->env, copy);
    return status;
}
