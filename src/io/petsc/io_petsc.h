// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Matrices as PETSc's MatView() and MatLoad() have them in binary files: big-endian, a
/// class number, rows, columns and the number of entries, then the length of every row, the
/// columns and the values, row by row; a dense matrix says -1 entries and has its values
/// alone. Integers have 32 or 64 bits, as PETSc was built, which the class number shows;
/// values are doubles, to which the length of the file is held. Any range of any of the
/// three arrays can be read alone, so ranks share a file, and nothing is as long as a
/// dimension.
///
/// Other objects may follow the matrix, such as a right-hand side; they are left alone.
///
/// Source: PETSc 3.18, manual page of MatLoad(), and aij.c and dense.c of its folder
/// src/mat/impls.

#ifndef CAIRN_IO_IO_PETSC_H
#define CAIRN_IO_IO_PETSC_H

#include "io/text/io_write.h"

/// What a file says, and where its arrays are.
typedef struct cairn_petsc {
    cairn_env  *env;
    const char *name; ///< The file's, for messages.
    int         fd;   ///< -1: not open.
    int64_t     length;
    cairn_shape shape;
    bool        dense;
    int64_t     stored;                            ///< Values of the file.
    int         int_bytes;                         ///< 4 or 8.
    int64_t     lengths_at, columns_at, values_at; ///< Offsets in the file.
} cairn_petsc;

/// Does a file begin as binary files of PETSc do, with whatever object? Local.
/// @retval CAIRN_IO  It cannot be opened.
cairn_status cairn_petsc_probe(cairn_env *env, const char *path, bool *is);

/// Open a file, and hold what it says to its length.
///
/// Local. Pairs with cairn_petsc_close(), also after a failure.
///
/// @param[in] path  Outlives @p file.
/// @retval CAIRN_IO           It cannot be read.
/// @retval CAIRN_BAD_FILE     It is cut, or contradicts itself: byte, cause.
/// @retval CAIRN_UNSUPPORTED  It begins with another object; its values are no doubles.
cairn_status cairn_petsc_open(cairn_env *env, const char *path, cairn_petsc *file);
void         cairn_petsc_close(cairn_petsc *file);

/// Sum the lengths of the rows from @p first on, @p last excluded; of a dense matrix there
/// are none. Local.
///
/// @param[out] sum  At most one more than all entries: a sum beyond them is told by the
///                  rows of all ranks together.
/// @retval CAIRN_BAD_FILE  A length that is negative, or more than all entries.
cairn_status cairn_petsc_sum_lengths(const cairn_petsc *file,
                                     cairn_coord        first,
                                     cairn_coord        last,
                                     int64_t           *sum);

/// See that the rows have as many entries as the file says. Local.
/// @retval CAIRN_BAD_FILE
cairn_status cairn_petsc_check_sum(const cairn_petsc *file, int64_t sum);

/// Values of a file from number `first` on, `last` excluded.
typedef struct cairn_petsc_stretch {
    int64_t     first, last;
    cairn_coord row;    ///< A row that begins at the first of them or before,
    int64_t     begins; ///< and the number of its first value. (Dense: not asked for.)
} cairn_petsc_stretch;

/// Add the entries of a stretch; of a dense matrix those other than 0. Row lengths were
/// summed. Local. Holds a window of each array.
///
/// @retval CAIRN_BAD_FILE  A column that is out of range.
cairn_status cairn_petsc_entries(const cairn_petsc         *file,
                                 const cairn_petsc_stretch *stretch,
                                 cairn_entries             *entries);

/* ---- writing ---- */

/// The arrays of a file, in their order.
typedef enum {
    CAIRN_PETSC_LENGTHS,
    CAIRN_PETSC_COLUMNS,
    CAIRN_PETSC_VALUES,
    CAIRN_PETSC_SECTIONS,
} cairn_petsc_section;

/// Bytes of an integer that a matrix needs: 4, or 8 where 32 bits are too few.
int cairn_petsc_int_bytes(const cairn_shape *shape, cairn_pos nnz);

/// Write what is before the row lengths.
cairn_status cairn_petsc_write_header(const cairn_sink  *sink,
                                      const cairn_shape *shape,
                                      cairn_pos          nnz,
                                      int                int_bytes);

/// Write a section, or a part of one.
///
/// @param[in] entries    Sorted; all of the rows from @p first on, @p last excluded.
/// @param[in] int_bytes  Of an integer.
cairn_status cairn_petsc_write_section(const cairn_sink    *sink,
                                       cairn_petsc_section  section,
                                       const cairn_entries *entries,
                                       cairn_coord          first,
                                       cairn_coord          last,
                                       int                  int_bytes);

#endif
