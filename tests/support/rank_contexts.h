// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Communicators and contexts over the first ranks of a job, for suites whose cases run on
/// one rank, on two, and so on, in one launch.

#ifndef CAIRN_TESTS_RANK_CONTEXTS_H
#define CAIRN_TESTS_RANK_CONTEXTS_H

#include "mpi_suite.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

/// Of the first @p n ranks; MPI_COMM_NULL on the others. Collective over all ranks.
static inline MPI_Comm first_ranks(int n)
{
    MPI_Comm group;

    MPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &group);
    return group;
}

/// some[n]: a context over the first n ranks, for n from 1 to `size`; NULL on the others.
static inline void rank_contexts_open(cairn_context **some)
{
    for (int n = 1; n <= size; n++) {
        MPI_Comm group = first_ranks(n);

        some[n] = NULL;
        if (group == MPI_COMM_NULL) continue;
        if (cairn_context_create_mpi(group, &some[n]) != CAIRN_OK) abort();
        MPI_Comm_free(&group); /* the context has a duplicate */
    }
}

static inline void rank_contexts_close(cairn_context **some)
{
    for (int n = 1; n <= size; n++)
        cairn_context_destroy(&some[n]);
}

#endif
