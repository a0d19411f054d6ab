// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Matrices and vectors as the binsparse specification has them, in archives of arrays:
/// what an archive says it is in its text "binsparse", which is JSON, and the entries of
/// any stretch of what it stores. A sparse matrix of MATLAB's is read as if it said so.
///
/// Source: the GraphBLAS binary sparse format specification, version 0.1. The Python
/// package calls that version "0.1.0" and refuses "0.1", so "0.1.0" is written; both are
/// read.

#ifndef CAIRN_IO_BINSPARSE_H
#define CAIRN_IO_BINSPARSE_H

#include "io/archive/archive.h"
#include "io/io.h"
#include "tensor/local.h"

enum { CAIRN_BINSPARSE_USED = 4 }; ///< Most arrays of a matrix.

/// What an archive stores.
typedef struct cairn_binsparse {
    cairn_archive *archive;
    cairn_shape    shape; ///< Order 1 or 2.
    int            major; ///< The dimension that lines are of.
    int64_t stored;       ///< Entries, or all values of one that stores every position.
    const cairn_archive_array
        *ptr; ///< [lines + 1] NULL: lines are in `idx`, or there are none.
    const cairn_archive_array
        *idx[2]; ///< Of lines, and across; NULL: all, in their order.
    const cairn_archive_array *val;
    bool                       iso; ///< All values are the first.
    bool                       upper;
    cairn_symmetry             symmetry;
    int                        uses;
    const cairn_archive_array *used[CAIRN_BINSPARSE_USED]; ///< [uses] those arrays.
} cairn_binsparse;

/// Read what an archive says, and hold its arrays to that.
///
/// Local.
///
/// @param[in] archive  Open; outlives @p matrix.
/// @retval CAIRN_BAD_FILE     It is no binsparse archive, or contradicts itself.
/// @retval CAIRN_UNSUPPORTED  Another version or format; complex values; a fill.
cairn_status cairn_binsparse_describe(cairn_archive *archive, cairn_binsparse *matrix);

/// Add what is stored from number @p first on, @p last excluded, mirror images of symmetric
/// entries right after them; of matrices that store every position those other than 0.
///
/// Local. Holds some megabytes of the arrays at a time.
///
/// @retval CAIRN_BAD_FILE  An index that is out of range or in the wrong triangle.
cairn_status cairn_binsparse_entries(const cairn_binsparse *matrix,
                                     int64_t                first,
                                     int64_t                last,
                                     cairn_entries         *entries);

/// See that pointers from number @p first on, @p last excluded, do not descend. Local.
/// @retval CAIRN_BAD_FILE
cairn_status cairn_binsparse_check_pointers(const cairn_binsparse *matrix,
                                            int64_t                first,
                                            int64_t                last);

#endif
