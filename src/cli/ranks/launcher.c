// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The launchers' variables. Cairn's own variables are the library's business; these
/// are not Cairn's, and nothing else in the command reads the environment.

#include "cli/ranks/launcher.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/// A launcher is there when `present` is set; `rank` is where it tells the rank. Slurm
/// sets SLURM_PROCID in batch scripts too, where there is no job to join: only a step
/// has SLURM_STEP_ID.
static const struct {
    const char *present, *rank;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"PMIX_RANK",            "PMIX_RANK"           },
    {"PMI_SIZE",             "PMI_RANK"            },
    {"PMI_RANK",             "PMI_RANK"            },
    {"SLURM_STEP_ID",        "SLURM_PROCID"        },
};

enum { LAUNCHERS = sizeof launchers / sizeof launchers[0] };

static int find(void)
{
    int k = 0;

    while (k < LAUNCHERS
           && !(getenv(launchers[k].present) && getenv(launchers[k].rank)))
        k++;
    return k;
}

bool cli_launcher_present(void)
{
    return find() < LAUNCHERS;
}

int cli_launcher_rank(void)
{
    const int k = find();

    return k < LAUNCHERS ? atoi(getenv(launchers[k].rank)) : 0;
}

/// As deploy/mpi-env.sh; from version 5 of Open MPI on PRRTE starts the ranks.
void cli_launcher_prepare(bool crowded)
{
    if (geteuid() == 0) {
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    }
    if (crowded) {
        setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
        setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", 0);
        setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    }
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);
    setenv("PRTE_MCA_hwloc_default_binding_policy", "none", 0);
}

char **cli_launcher_environment(void)
{
    return environ;
}
