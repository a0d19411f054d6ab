// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// MPI for rooms that know nothing of it: no MPI type appears here.

#ifndef CAIRN_COMM_MPI_WORLD_H
#define CAIRN_COMM_MPI_WORLD_H

#include "base/diagnostics.h"
#include "comm/comm.h"

/// Make sure that MPI runs, funneled. @p started is true if this call started it; then
/// cairn_mpi_stop() ends it.
cairn_status cairn_mpi_start(cairn_env *env, bool *started);

/// End MPI unless it has ended. Local errors are not reported: no caller could act on
/// them.
void cairn_mpi_stop(void);

/// A communicator over all ranks of the job; over those of a Fortran handle.
cairn_status cairn_comm_mpi_world(cairn_env *env, cairn_comm **comm);
cairn_status cairn_comm_mpi_fortran(cairn_env *env, int handle, cairn_comm **comm);

/// Say what would go wrong with MPI here: which it is, how it was started, what carries
/// its messages, and settings that are known to fail. Local; MPI need not run.
///
/// @param[in] nodes  Of the job.
void cairn_mpi_check(const cairn_comm *comm, int nodes, cairn_diagnostics *findings);

#endif
