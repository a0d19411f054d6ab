// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Starting and ending MPI, and its handles.

#include "comm/mpi/world.h"

#include "comm/mpi/mpi.h"

/// After MPI's end nearly every call of it ends the process.
static cairn_status check_not_ended(cairn_env *env)
{
    int ended;

    MPI_Finalized(&ended);
    CAIRN_CHECK(!ended, env, CAIRN_COMM, "MPI: context: MPI has ended in this process");
    return CAIRN_OK;
}

cairn_status cairn_mpi_start(cairn_env *env, bool *started)
{
    int running, given;

    *started = false;
    CAIRN_TRY(check_not_ended(env));
    MPI_Initialized(&running);
    if (running) return CAIRN_OK;
    CAIRN_CHECK(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) == MPI_SUCCESS,
                env, CAIRN_COMM, "MPI: start: MPI_Init_thread failed");
    *started = true;
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

    CAIRN_TRY(check_not_ended(env));
    MPI_Initialized(&running);
    CAIRN_CHECK(
        running, env, CAIRN_COMM,
        "MPI: context: MPI must be started before a communicator is handed over");

    const MPI_Comm given = MPI_Comm_f2c(handle);

    CAIRN_CHECK(given != MPI_COMM_NULL, env, CAIRN_BAD_ARGUMENT,
                "MPI: context: the communicator is MPI_COMM_NULL");
    return cairn_comm_mpi(env, given, comm);
}
