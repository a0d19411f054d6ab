// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Contexts over the first ranks of a job, and a folder of it with the name of a native file,
/// for suites that write on some of the ranks and read on others.

#ifndef CAIRN_TESTS_FIRST_RANKS_H
#define CAIRN_TESTS_FIRST_RANKS_H

#include "rank_contexts.h"

enum { MOST = 9 }; ///< One more than ranks.

static cairn_context *some[MOST]; ///< [n] Over the first n ranks, on these.
static cairn_context *all;
static char           folder[64], native[100];

static inline void up(void)
{
    mpi_up();
    if (size >= MOST) abort();
    rank_contexts_open(some);
    all = some[size];
    shared_scratch(folder);
    snprintf(native, sizeof native, "%s/a.cairn", folder);
}

static inline void down(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        remove(native);
        cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
    }
    rank_contexts_close(some);
    mpi_down();
}

#endif
