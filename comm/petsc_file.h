// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Binary files of PETSc (io/petsc/io_petsc.h) read and written by all ranks at once, each an
/// equal share of what is stored, or its own rows.

#ifndef CAIRN_COMM_PETSC_FILE_H
#define CAIRN_COMM_PETSC_FILE_H

#include "comm/read.h"

/// Read the matrix with which a file begins.
///
/// Collective. On failure every rank returns the same status and message.
///
/// @param[out] source  Entries, unsorted, freed with cairn_text_file_fini(). Unchanged on
///                     failure.
/// @retval CAIRN_IO, CAIRN_BAD_FILE, CAIRN_UNSUPPORTED, CAIRN_NO_MEMORY
cairn_status
cairn_petsc_read_file(cairn_comm *comm, const char *path, cairn_text_file *source);

#endif
