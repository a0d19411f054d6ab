// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Results written by all ranks into one file, each its own range, the same bytes on
/// any number of ranks. The file appears under its name when it is complete; after a
/// failure nothing of it is left.

#ifndef CAIRN_COMM_WRITE_H
#define CAIRN_COMM_WRITE_H

#include "comm/comm.h"
#include "entries/entries.h"

/// A dense matrix whose rows are distributed: this rank's are [first, last), and those
/// of the ranks follow each other and make up all rows.
typedef struct cairn_dense_rows {
    cairn_coord   rows, cols; ///< Of the whole; the same on every rank.
    cairn_coord   first, last;
    const double *value;    ///< Element (i, j) is value[(i - first) * row + j * col].
    int64_t       row, col; ///< Strides; 1 and 0 for a vector.
} cairn_dense_rows;

/// Write a Matrix Market array file, column by column, 17 digits.
///
/// Collective. Every rank must see the folder of @p path.
///
/// @retval CAIRN_IO  On some rank; every rank then returns it.
cairn_status
cairn_write_dense(cairn_comm *comm, const char *path, const cairn_dense_rows *dense);

/// Does a name end as those of files that hold entries, and not a format's arrays?
///
/// Local. Cannot fail.
bool cairn_is_entries_file(const char *path);

/// Write entries: a FROSTT file where @p path ends in .tns, a binary file of PETSc where it
/// ends in .petsc (integers of 32 bits where they suffice) or .petsc64 (of 64), a
/// Harwell-Boeing file where it ends in .rua, .rsa, .pua, .psa or .hb, else a Matrix Market
/// coordinate file, real general. Each rank's entries are sorted, and those
/// of a rank come before those of the next one; PETSc and .rsa, .psa: no row is on two
/// ranks. What is called as a file of PETSc with ".info" behind its name is emptied.
///
/// Collective, as above.
///
/// @retval CAIRN_BAD_SHAPE  A matrix: the order is not 2. FROSTT: there is no entry, and a
///                          file without entries would be one of no order.
/// @retval CAIRN_BAD_ARGUMENT  Harwell-Boeing: as write_internal.h says.
cairn_status cairn_write_entries(cairn_comm          *comm,
                                 const char          *path,
                                 const cairn_shape   *shape,
                                 const cairn_entries *entries);

#endif
