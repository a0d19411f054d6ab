// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Memory that the ranks of a node share for the messages of one exchange: a part for each
/// rank, which it writes and others read. It is POSIX's and not MPI's
/// (MPI_Win_allocate_shared), which makes and frees memory on all ranks at once and waits
/// for them inside of that, without limit and without a word. Here ranks meet in calls of
/// the communicator, whose waits are reported and given up, and a rank that ends frees its
/// own part without a wait.

#ifndef CAIRN_COMM_MPI_NODE_MEMORY_H
#define CAIRN_COMM_MPI_NODE_MEMORY_H

#include "comm/mpi/state.h"

/// A rank's part, as it is mapped here.
typedef struct cairn_node_part {
    char   *at; ///< NULL: it is not.
    int64_t bytes;
} cairn_node_part;

/// Zero: there is none.
typedef struct cairn_node_memory {
    int64_t          name;  ///< All ranks know it by that.
    bool             named; ///< This rank's part can still be found by its name.
    int              ranks; ///< Of this node.
    int              own;   ///< This rank's number on it.
    cairn_node_part *part;  ///< [ranks]
} cairn_node_memory;

/// Make a part of @p bytes for this rank; 0: none.
///
/// Collective.
///
/// @param[in,out] memory  Zero; unchanged on failure.
/// @retval CAIRN_NO_MEMORY  It exceeds the limit of some rank; all ranks return it.
/// @retval CAIRN_COMM       The system gives no such memory to some rank, or not as much;
///                          all ranks return it.
cairn_status
cairn_node_memory_create(cairn_comm *comm, int64_t bytes, cairn_node_memory *memory);

/// Map the part of @p rank, on this node, whose cairn_node_memory_create() has succeeded.
/// Local.
///
/// @param[out] at  Where it begins here; to be read alone, if it is another rank's.
/// @retval CAIRN_COMM  It cannot be had: that rank sees another /dev/shm.
cairn_status cairn_node_memory_find(cairn_comm        *comm,
                                    cairn_node_memory *memory,
                                    int                rank,
                                    char             **at);

/// Remove the name of this rank's part, once all ranks have mapped the parts that they read.
/// A part whose process is killed before that stays in /dev/shm. Local.
void cairn_node_memory_hide(cairn_node_memory *memory);

/// Free this rank's part, and let go of others': who has found it may go on reading. Local.
void cairn_node_memory_destroy(cairn_env *env, cairn_node_memory *memory);

/// This node's number of @p rank; -1: it is on another. Local.
int cairn_mpi_local_rank(const cairn_comm *comm, int rank);

#endif
