// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The runner of these tests, in what no failing test shows (wrong.c): ranks that wait for
/// a message leave their cores to tests beside them.

#include "mpi_suite.h"

#include <stdatomic.h>

extern atomic_int mpi_naps; ///< mpi_main.c: how many a rank has taken.

TestSuite(runner, .init = mpi_up, .fini = mpi_down);

#ifdef OPEN_MPI
/* Looks for a message that never comes, of which one at least is to end in a nap. */
enum { LOOKS = 1000 };

Test(runner, a_rank_that_waits_sleeps)
{
    const int   before = mpi_naps;
    int         word = 0, done = 0;
    MPI_Request request;

    MPI_Irecv(&word, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &request);
    for (int k = 0; k < LOOKS && mpi_naps == before; k++)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ON_ALL_RANKS(mpi_naps > before, "no nap in %d looks", LOOKS);
}
#endif
