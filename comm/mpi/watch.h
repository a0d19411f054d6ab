// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Who is waited for. A rank that has waited for long asks all others, and those that
/// wait, too, answer with the number of the collective call they are in and what they
/// do there. Who does not answer computes, stands elsewhere than in a wait, or is
/// stopped. Notes are small messages with a tag of their own; none is sent while no
/// rank is late.
///
/// A rank that gives up sends a note, too, so that all who wait end together.

#ifndef CAIRN_COMM_MPI_WATCH_H
#define CAIRN_COMM_MPI_WATCH_H

#include "comm/mpi/state.h"

typedef struct cairn_mpi_watch cairn_mpi_watch;

cairn_status cairn_mpi_watch_create(cairn_env *env, int size, cairn_mpi_watch **watch);
void         cairn_mpi_watch_destroy(cairn_env *env, cairn_mpi_watch **watch);

/// Ask all ranks what they wait in, having
/// told of this wait last at @p since (or never: its begin). Answers come with
/// cairn_mpi_watch_listen(). Local.
void cairn_mpi_watch_ask(cairn_comm *comm, double since);

/// Read the notes that have come, and answer. Local.
/// @return Does one say that a rank has given up?
bool cairn_mpi_watch_listen(cairn_comm *comm);

/// Is another rank to tell who is waited for, by what it said when it asked, since @p
/// since (cairn_seconds())? One rank tells, and of those that ask at the same time the
/// lowest.
bool cairn_mpi_watch_others_tell(const cairn_comm *comm, double since);

/// Say who is waited for, by the answers to the last question: "rank 2 has not come to:
/// reading a.mtx".
///
/// @param[in]  collective  In a call of all ranks; else only those of @p peer can be meant.
/// @param[in]  peer        [n]
/// @param[out] text        [size]
/// @return the lowest rank that answers, this one included.
int cairn_mpi_watch_say(const cairn_comm *comm,
                        bool              collective,
                        int               n,
                        const int        *peer,
                        char             *text,
                        size_t            size);

/// Mark the communicator as lost for this reason. @p tell: the other ranks, too.
void cairn_mpi_watch_lose(cairn_comm *comm, const char *why, int first, bool tell);

/// Why it was lost.
const char *cairn_mpi_watch_why(const cairn_comm *comm);

/// Read what has come, and let go of what was sent: before the communicator is freed.
void cairn_mpi_watch_end(cairn_comm *comm);

#endif
