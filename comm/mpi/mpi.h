// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The communicator of an MPI job. MPI is started and ended by the caller, with at
/// least MPI_THREAD_FUNNELED when the program has threads; nothing here ends the job:
/// every error that MPI returns becomes a status.

#ifndef CAIRN_COMM_MPI_MPI_H
#define CAIRN_COMM_MPI_MPI_H

#include "comm/comm.h"

#include <mpi.h>

/// Make a communicator over the ranks of @p world, on a duplicate of it.
///
/// Collective on @p world. MPI must be initialised. Destroy before MPI_Finalize with
/// cairn_comm_destroy().
///
/// @retval CAIRN_COMM  MPI reported an error.
cairn_status cairn_comm_mpi(cairn_env *env, MPI_Comm world, cairn_comm **comm);

/// Set the bytes of one message at most (1 GiB at first); the same on every rank. For
/// tests of what is cut. Local.
void cairn_comm_mpi_set_chunk(cairn_comm *comm, int64_t bytes);

#endif
