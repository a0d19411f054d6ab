// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks know a communicator by a number of its first rank's, which it has from no other
/// communicator of that rank. The first rank says which of its own it would free, each rank
/// takes those out of its list that have ended there, too, and puts back what another lacks.
/// A communicator that was given up on some rank is not in its list any more, and stays on
/// all the others.

#include "comm/mpi/ended.h"

#include "comm/mpi/node_memory.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t  lock = PTHREAD_MUTEX_INITIALIZER; ///< Of the following two.
static cairn_mpi_state *list;   ///< Ended on this rank, not freed.
static int64_t          number; ///< Of the last communicator whose first rank is this.

/// The same ranks in the same order? Local.
static bool is_alike(const cairn_mpi_state *a, const cairn_mpi_state *b)
{
    int result = MPI_UNEQUAL;

    MPI_Comm_compare(a->comm, b->comm, &result);
    return result == MPI_CONGRUENT;
}

static void put(cairn_mpi_state *state)
{
    pthread_mutex_lock(&lock);
    state->next = list;
    list        = state;
    pthread_mutex_unlock(&lock);
}

/// Take one out of the list. @return NULL: it has not ended on this rank.
static cairn_mpi_state *take(const cairn_mpi_state *like, int64_t its_number)
{
    pthread_mutex_lock(&lock);
    cairn_mpi_state **at = &list;

    while (*at && !((*at)->number == its_number && is_alike(*at, like)))
        at = &(*at)->next;
    cairn_mpi_state *const found = *at;

    if (found) *at = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

/// The numbers of this rank's that are like @p state, @p most of them at most. Local.
static int64_t list_numbers(const cairn_mpi_state *state, int64_t *its, int64_t most)
{
    int64_t n = 0;

    pthread_mutex_lock(&lock);
    for (const cairn_mpi_state *s = list; s && n < most; s = s->next)
        if (is_alike(s, state)) its[n++] = s->number;
    pthread_mutex_unlock(&lock);
    return n;
}

/// Nobody uses it any more. MPI frees communicators without waiting, memory of a node not.
static void release(cairn_mpi_state *state)
{
    cairn_mpi_joint_free(&state->joint);
    if (state->node != MPI_COMM_NULL) MPI_Comm_free(&state->node);
    if (state->comm != MPI_COMM_NULL) MPI_Comm_free(&state->comm);
    free(state);
}

/// Those that the first rank would free, as many at a time.
enum { AT_ONCE = 64 };

cairn_status cairn_mpi_ended_free(cairn_comm *comm)
{
    cairn_mpi_state *const state = cairn_mpi_state_of(comm);
    cairn_mpi_state       *taken[AT_ONCE];
    int64_t                said[2 + AT_ONCE] = {0}; /* this one's, how many, theirs */
    int64_t                ended[AT_ONCE]    = {0};

    if (comm->rank == 0) {
        pthread_mutex_lock(&lock);
        said[0] = ++number;
        pthread_mutex_unlock(&lock);
        said[1] = list_numbers(state, said + 2, AT_ONCE);
    }
    CAIRN_TRY(comm->ops->broadcast(comm, said, sizeof said, 0));
    state->number = said[0];
    for (int64_t k = 0; k < said[1]; k++) {
        taken[k] = take(state, said[2 + k]);
        ended[k] = taken[k] != NULL;
    }
    const cairn_status status = comm->ops->allreduce(comm, ended, said[1], CAIRN_MIN);

    for (int64_t k = 0; k < said[1]; k++)
        if (taken[k] && status == CAIRN_OK && ended[k])
            release(taken[k]);
        else if (taken[k])
            put(taken[k]);
    return status;
}

void cairn_mpi_end(cairn_mpi_state *state, bool usable)
{
    if (usable && state->joint)
        put(state);
    else if (usable)
        release(state);
    else {
        cairn_mpi_joint_forget(&state->joint);
        free(state);
    }
}
