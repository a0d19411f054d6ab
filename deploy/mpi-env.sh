# SPDX-License-Identifier: BSD-3-Clause
# To be sourced: what Open MPI needs to start a few ranks on this machine. Each line
# applies only where it is needed, and a value that is set already stays. From version 5
# on PRRTE starts the ranks, which has settings of its own.

# Containers and fresh machines often have no other user than root.
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# The tests start up to four ranks, which then share cores and should not spin on them.
if [ "$(nproc)" -lt 4 ]; then
    export OMPI_MCA_rmaps_base_oversubscribe="${OMPI_MCA_rmaps_base_oversubscribe:-1}"
    export PRTE_MCA_rmaps_default_mapping_policy="${PRTE_MCA_rmaps_default_mapping_policy:-:oversubscribe}"
    export OMPI_MCA_mpi_yield_when_idle="${OMPI_MCA_mpi_yield_when_idle:-1}"
fi
