// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Starting and ending MPI, and its handles.

#include "comm/mpi/world.h"

#include "comm/mpi/mpi.h"

cairn_status cairn_mpi_start(cairn_env *env, bool *started)
{
    int running, given;

    MPI_Initialized(&running);
    *started = !running;
    if (running) return CAIRN_OK;
    CAIRN_CHECK(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) == MPI_SUCCESS,
                env, CAIRN_COMM, "MPI: start: MPI_Init_thread failed");
    return CAIRN_OK;
}

void cairn_mpi_stop(void)
{
    int ended;

    MPI_Finalized(&ended);
    if (!ended) MPI_Finalize();
}

cairn_status cairn_comm_mpi_world(cairn_env *env, cairn_comm **comm)
{
    return cairn_comm_mpi(env, MPI_COMM_WORLD, comm);
}

cairn_status cairn_comm_mpi_fortran(cairn_env *env, int handle, cairn_comm **comm)
{
    int running;

    MPI_Initialized(&running);
    CAIRN_CHECK(
        running, env, CAIRN_COMM,
        "MPI: context: MPI must be started before a communicator is handed over");
    return cairn_comm_mpi(env, MPI_Comm_f2c(handle), comm);
}
