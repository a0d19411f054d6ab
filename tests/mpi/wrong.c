// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tests that fail, one rank's and everybody's, and one that stops where others wait: the
/// runner is to say so and to end (CMakeLists.txt asks for each).

#include "mpi_suite.h"

TestSuite(wrong, .init = mpi_up, .fini = mpi_down);

Test(wrong, one_rank_expects_what_is_not)
{
    ON_ALL_RANKS(rank != 1, "one rank's");
    cr_expect(false, "the test went on");
}

Test(wrong, one_rank_stops_where_the_others_wait)
{
    cr_assert(rank != 1, "it stops");
    MPI_Barrier(MPI_COMM_WORLD);
}

Test(wrong, a_block_is_left)
{
    void *block = NULL;

    ON_ALL_RANKS(cairn_alloc(&env, 1, 8, &block) == CAIRN_OK, "%s", env.message);
}
