// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What ranks make together for one exchange, and free together: a communicator that knows
/// who is whose neighbour, and memory that the ranks of a node share. An exchange ends on
/// each rank when its plan does, in any order; MPI frees such things on all ranks at once.
/// So an exchange only leaves them, and they are freed with the next that are made, once all
/// ranks have left them, or behind the communicator (ended.h); what ranks agree that it does
/// not need goes at once.

#ifndef CAIRN_COMM_MPI_NODE_MEMORY_H
#define CAIRN_COMM_MPI_NODE_MEMORY_H

#include "comm/mpi/state.h"

typedef struct cairn_mpi_joint cairn_mpi_joint;
struct cairn_mpi_joint {
    cairn_mpi_joint *next;   ///< Made before.
    MPI_Comm         graph;  ///< Or MPI_COMM_NULL.
    MPI_Win          window; ///< Or MPI_WIN_NULL.
    char            *mine;   ///< This rank's part of it,
    int64_t          bytes;  ///< and its length.
    bool             left;   ///< This rank has left it.
};

/// Make one, with nothing in it yet, and free those that all ranks have left.
///
/// Collective. @param[out] joint  NULL on failure.
cairn_status cairn_mpi_joint_create(cairn_comm *comm, cairn_mpi_joint **joint);

/// Add memory that all ranks of each node share, @p bytes of it this rank's.
///
/// Collective.
///
/// @retval CAIRN_NO_MEMORY  It exceeds the limit of some rank; all ranks return it.
/// @retval CAIRN_COMM       MPI has no such memory here; all ranks return it.
cairn_status
cairn_mpi_joint_share(cairn_comm *comm, cairn_mpi_joint *joint, int64_t bytes);

/// Free the memory, or the communicator, that is not to be kept. Nothing of this rank's is
/// under way there.
///
/// Collective.
cairn_status
cairn_mpi_joint_keep(cairn_comm *comm, cairn_mpi_joint *joint, bool window, bool graph);

/// Where the part of @p rank begins, as this rank sees it; NULL: it is on another node, or
/// there is no memory. Local.
char *
cairn_mpi_joint_of(const cairn_comm *comm, const cairn_mpi_joint *joint, int rank);

/// This node's number of @p rank; -1: it is on another. Local.
int cairn_mpi_local_rank(const cairn_comm *comm, int rank);

/// The communicator ends on this rank: free what MPI frees without waiting, and count the
/// memory of a node no more. Its list holds that memory alone afterwards. Local.
///
/// @param[in] usable  MPI may be called for it.
void cairn_mpi_joint_leave(cairn_comm *comm, bool usable);

/// Free what has been left so on all ranks. Collective: all of them are here.
void cairn_mpi_joint_free(cairn_mpi_joint **list);

/// Leave it to MPI. Local.
void cairn_mpi_joint_forget(cairn_mpi_joint **list);

#endif
