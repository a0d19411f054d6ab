// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels under MPI: of all ranks of a node one compiles, and MPI does not notice.

#include "devices/registry.h"
#include "kernel_sources.h"
#include "mpi_suite.h"

TestSuite(kernels, .init = mpi_up, .fini = mpi_down, .timeout = 500);

Test(kernels, one_rank_compiles_and_the_rest_wait)
{
    static const int           factors[] = {3, 4, 5};
    cairn_devices             *devices   = NULL;
    const cairn_kernel_loader *loader;
    char                       folder[64], command[80];
    int                        printed = 0, all = 0;
    bool                       ok = true;

    shared_scratch(folder);
    snprintf(env.options.cache, sizeof env.options.cache, "%s", folder);
    ON_ALL_RANKS(cairn_devices_open(&env, "--devices", "cpu", &devices) == CAIRN_OK
                     && cairn_device_kernels(&devices->device[0], &loader) == CAIRN_OK,
                 "rank %d: %s", rank, env.message);
    for (int k = 0; k < 3; k++) {
        made_kernel                made    = make_kernel(factors[k]);
        const cairn_kernel_request request = request_of(&made);
        cairn_kernel               kernel  = {0};

        ok = ok && loader->load(loader->user, &request, &kernel) == CAIRN_OK
             && ((made_fn)kernel.run)(3) == 3 * factors[k];
        if (kernel.run) loader->release(loader->user, &kernel);
        printed += made.printed;
    }
    MPI_Allreduce(&printed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    cairn_devices_close(&env, &devices);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (rank == 0) ok = system(command) == 0 && ok;
    ON_ALL_RANKS(ok, "rank %d: %s", rank, env.message);
    ON_ALL_RANKS(all == 3, "3 kernels were compiled %d times", all);
}
