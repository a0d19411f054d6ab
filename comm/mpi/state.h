// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the files of this room share: the state of an MPI communicator, its tags, and
/// MPI errors as statuses.

#ifndef CAIRN_COMM_MPI_STATE_H
#define CAIRN_COMM_MPI_STATE_H

#include "comm/mpi/mpi.h"

/// Tags above those of cairn_comm_ops.send; MPI promises 0 .. 32767.
enum {
    CAIRN_TAG_ALLTOALL  = 1000,
    CAIRN_TAG_WATCH     = 1001,
    CAIRN_TAG_EXCHANGE  = 1024, ///< And the following: one for each exchange in turn.
    CAIRN_TAG_EXCHANGES = 30000,
};

typedef struct cairn_mpi_state {
    MPI_Comm    comm;
    int        *local; ///< [size] Each rank's number on this node; -1: it is elsewhere.
    int64_t     chunk; ///< Bytes of one message at most; MPI counts in int.
    unsigned    exchanges; ///< Exchanges created so far; the same on every rank.
    int64_t     calls;     ///< Collective calls so far; the same on every rank.
    MPI_Request collect;   ///< Of what cairn_comm_collect began, until its end().
    struct cairn_mpi_watch *watch; ///< Who is waited for (comm/mpi/watch.h).
} cairn_mpi_state;

static inline cairn_mpi_state *cairn_mpi_state_of(const cairn_comm *comm)
{
    return comm->state;
}

/// The bytes of the next message when @p left are left.
static inline int cairn_mpi_cut(const cairn_mpi_state *state, int64_t left)
{
    return (int)(left < state->chunk ? left : state->chunk);
}

/// Record MPI's words for @p error, in the call named @p what.
cairn_status cairn_mpi_fail(cairn_env *env, const char *what, int error);

/// Pass an MPI error up as CAIRN_COMM.
#define CAIRN_MPI(env, what, call)                                       \
    do {                                                                 \
        const int mpi_ = (call);                                         \
        if (mpi_ != MPI_SUCCESS) return cairn_mpi_fail(env, what, mpi_); \
    } while (0)

/// Wait until requests are done, as MPI_Waitall() does. Every wait of this room is here:
/// one that takes long tells who is waited for, and ends after CAIRN_GIVE_UP seconds, if
/// that is set.
///
/// @param[in]     what     The call, for MPI's own errors: "broadcast".
/// @param[in,out] request  [n]
/// @param[in]     peer     [n] The rank at the other end; NULL: it is a collective call,
///                         which all ranks count.
/// @retval CAIRN_COMM  Also: it was given up, now or earlier. MPI may still write where
///                     the requests say.
cairn_status cairn_mpi_wait(cairn_comm  *comm,
                            const char  *what,
                            int          n,
                            MPI_Request *request,
                            const int   *peer);

/// Wait for a collective call of neighbours.
///
/// @param[in] peers  How many ranks this one waits for,
/// @param[in] peer   [peers] and which.
/// @return As cairn_mpi_wait().
cairn_status cairn_mpi_wait_neighbours(cairn_comm  *comm,
                                       MPI_Request *request,
                                       int          peers,
                                       const int   *peer);

/// Fail if a wait was given up: MPI is not to be called any more.
cairn_status cairn_mpi_check_lost(cairn_comm *comm);

/// Wait until all ranks of @p world have come, before there is a communicator.
/// @param[in] mine  Whether this rank can go on. @param[out] all  Whether all can.
cairn_status cairn_mpi_meet(cairn_env *env, MPI_Comm world, bool mine, bool *all);

/// Duplicate @p world, likewise.
/// @param[out] copy  After a failure MPI may still write there.
cairn_status cairn_mpi_duplicate(cairn_env *env, MPI_Comm world, MPI_Comm *copy);

/// Duplicate the communicator of @p comm, likewise; who is late is named. Collective.
cairn_status cairn_mpi_duplicate_own(cairn_comm *comm, MPI_Comm *copy);

/// Slots of the table; see comm.h.
cairn_status cairn_mpi_alltoallv(cairn_comm    *comm,
                                 const void    *send,
                                 const int64_t *send_bytes,
                                 void          *recv,
                                 const int64_t *recv_bytes);
cairn_status
cairn_mpi_partition(cairn_comm *comm, const cairn_comm_graph *graph, int64_t *part);
/// Can a graph be partitioned here? Local. @retval CAIRN_ATTENTION  The message says why not.
cairn_status cairn_mpi_partition_check(cairn_env *env);
cairn_status cairn_mpi_exchange_create(cairn_comm    *comm,
                                       int            sends,
                                       const int     *to,
                                       void *const   *send,
                                       const int64_t *send_bytes,
                                       int            recvs,
                                       const int     *from,
                                       void *const   *recv,
                                       const int64_t *recv_bytes,
                                       void         **exchange);
void        *cairn_mpi_exchange_room(cairn_comm *comm, void *exchange, int k);
cairn_status cairn_mpi_exchange_begin(cairn_comm *comm, void *exchange);
cairn_status cairn_mpi_exchange_test(cairn_comm *comm, void *exchange, bool *came);
cairn_status cairn_mpi_exchange_await(cairn_comm *comm, void *exchange, int k);
cairn_status cairn_mpi_exchange_end(cairn_comm *comm, void *exchange);
void         cairn_mpi_exchange_destroy(cairn_comm *comm, void *exchange);

#endif
