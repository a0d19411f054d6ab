// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files read by all ranks at once. A plain file is cut into byte ranges at line ends,
/// one per rank, each read by its rank alone; a gzip file (recognised by its magic) is
/// inflated by rank 0, which hands out chunks in file order and never holds the whole.
/// File order is kept: what rank r reads comes before what rank r+1 reads. Where lines mean
/// something in sequence only (Harwell-Boeing), rank 0 reads the file in chunks, and all
/// entries are its own until they are distributed.
///
/// What is accepted of each kind of file, and what refused, is in docs/files.md.

#ifndef CAIRN_COMM_READ_H
#define CAIRN_COMM_READ_H

#include "comm/comm.h"
#include "io/io.h"

/// A matrix or tensor as a file says it.
typedef struct cairn_text_file {
    cairn_shape   shape;
    cairn_entries entries;   ///< This rank's, global coordinates, unsorted, mirrored.
    char          field[16]; ///< Matrix Market's words ("real", "general", ...).
    char          symmetry[16];
} cairn_text_file;

/// Read a matrix or tensor: Matrix Market, FROSTT or Harwell-Boeing, plain or gzip. The
/// content tells the kind, then the name.
///
/// Collective. On failure every rank returns the same status and message.
///
/// @param[out] source  Entries freed with cairn_text_file_fini(). Unchanged on failure.
/// @retval CAIRN_IO           The file cannot be opened or read on some rank.
/// @retval CAIRN_BAD_FILE     Its content is wrong: name, line or offset, cause.
/// @retval CAIRN_UNSUPPORTED  Complex or elemental matrices; more than 16 modes.
/// @retval CAIRN_NO_MEMORY    The entries do not fit.
cairn_status
cairn_read_text(cairn_comm *comm, const char *path, cairn_text_file *source);

/// As cairn_read_text(), reading and sending @p chunk bytes at a time; the same on
/// every rank. For tests: small files in many chunks.
cairn_status cairn_read_text_in_chunks(cairn_comm      *comm,
                                       const char      *path,
                                       size_t           chunk,
                                       cairn_text_file *source);

void cairn_text_file_fini(cairn_env *env, cairn_text_file *source);

#endif
