// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Communicators that have ended on this rank, and perhaps not on others. MPI frees memory
/// that ranks share on all of them at once, and waits inside of that, without limit and
/// without a word, while contexts end in whatever order the program of each rank has. So the
/// end of a context waits for nobody: a communicator with such memory stays as it is, and
/// when the next one over the same ranks is made, where all of them are, those that every
/// rank has ended are freed. What is still there when MPI ends is MPI's to free.

#ifndef CAIRN_COMM_MPI_ENDED_H
#define CAIRN_COMM_MPI_ENDED_H

#include "comm/mpi/state.h"

/// Give a new communicator its number, and free those over the same ranks that have ended on
/// all of them.
///
/// Collective.
cairn_status cairn_mpi_ended_free(cairn_comm *comm);

/// End a communicator that cairn_mpi_ended_free() has numbered, or was given up before; its
/// memory of a node has been left (node_memory.h). Local.
///
/// @param[in] usable  MPI may be called for it; else all that it has is left to MPI.
void cairn_mpi_end(cairn_mpi_state *state, bool usable);

#endif
