// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the writers of files of entries share.

#ifndef CAIRN_COMM_WRITE_INTERNAL_H
#define CAIRN_COMM_WRITE_INTERNAL_H

#include "comm/distribute.h"
#include "comm/write.h"
#include "io/harwell_boeing/io_hb.h"

/// What is written: a number of sections, each with a part on every rank; section 0
/// includes the header, on rank 0.
typedef struct cairn_output {
    cairn_status (*section)(const struct cairn_output *output,
                            int64_t                    section,
                            bool                       header,
                            const cairn_sink          *sink);
    int64_t                 sections; ///< The same on every rank.
    const cairn_shape      *shape;    ///< NULL: the text has no header.
    cairn_pos               nnz;      ///< Of all ranks.
    const cairn_entries    *entries;
    cairn_coord             first, last; ///< Rows whose entries they are.
    int                     int_bytes;   ///< PETSc: of an integer.
    const cairn_hb_form    *hb;          ///< Harwell-Boeing: rows are columns of it,
    cairn_pos               before; ///< and so many entries are of the ranks before.
    const cairn_dense_rows *dense;
} cairn_output;

/// Find the rows of ranks whose entries are sorted, those of a rank before the next one's:
/// a rank has those behind the last row of the ranks before it, up to its own last one; the
/// last rank's end with the matrix.
///
/// Collective. Destroy with cairn_rows_fini().
cairn_status cairn_rows_of_entries(cairn_comm          *comm,
                                   const cairn_entries *entries,
                                   cairn_coord          extent,
                                   cairn_rows          *rows);

/// Write an output into a file, unless this rank has failed already (@p mine).
///
/// Collective.
cairn_status cairn_write_output(cairn_comm         *comm,
                                cairn_status        mine,
                                const char         *path,
                                const cairn_output *output);

/// Write a Harwell-Boeing file of a type: "RUA", "RSA", "PUA" or "PSA".
///
/// Collective. Holds a second copy of this rank's entries, sorted by columns, about as
/// many on every rank (symmetric: of those columns that are its rows).
///
/// @param[in] shape  Of order 2.
/// @retval CAIRN_BAD_SHAPE        Symmetric, and not square; more rows, columns or entries
///                                than header cards have room for.
/// @retval CAIRN_BAD_ARGUMENT     Symmetric, and an entry differs from its mirror image in a
///                                bit; a pattern, and a value is not 1.
cairn_status cairn_write_hb(cairn_comm          *comm,
                            const char          *path,
                            const char          *type,
                            const cairn_shape   *shape,
                            const cairn_entries *entries);

#endif
