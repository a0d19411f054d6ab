// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// For C programs that use MPI themselves. The library's own interface has no MPI type,
/// so that programs without MPI need no mpi.h.

#ifndef CAIRN_MPI_H
#define CAIRN_MPI_H

#include <cairn/context.h>

#include <mpi.h>

/// As cairn_context_create_fortran(), with a C communicator.
static inline cairn_status cairn_context_create_mpi(MPI_Comm        comm,
                                                    cairn_context **context)
{
    return cairn_context_create_fortran((int)MPI_Comm_c2f(comm), context);
}

#endif
