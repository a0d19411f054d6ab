// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A solver's matrix as it has it: compressed rows, described by a struct; and on several
/// ranks, as PETSc (`Mat_MPIAIJ`), hypre (`diag`, `offd`, `col_map`) and their like keep it,
/// two blocks of compressed rows, one of a rank's own columns, numbered from its first, one
/// of all others, numbered by a list of those that it has entries in. Both are taken as they
/// are; docs/arrays.md has an example.

#ifndef CAIRN_ROWS_H
#define CAIRN_ROWS_H

#include <cairn/kernel.h>
#include <cairn/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Compressed rows: row i of these has the entries ptr[i] - base <= k < ptr[i+1] - base, in
/// any order; what stands there more than once is added.
typedef struct cairn_csr {
    size_t  size;                     ///< sizeof(cairn_csr); CAIRN_CSR sets it.
    int64_t global_rows, global_cols; ///< Of the whole matrix, the same on all ranks.
    int64_t first_row;    ///< This rank has rows first_row .. first_row+rows-1.
    int64_t rows;         ///< -1: all from first_row on.
    const void *ptr;      ///< [rows+1] of ptr_bits, signed; the first is `base`.
    const void *idx;      ///< [entries] of idx_bits, signed, from `base` on; columns.
    const void *val;      ///< [entries] as val_kind and val_bits say. It and idx may be
                          ///< NULL for no entries.
    int         ptr_bits; ///< 32 or 64.
    int         idx_bits; ///< 32 or 64.
    int         base; ///< 0 or 1: what the first entry and the first column are called.
    cairn_dtype dtype;    ///< Of the tensor.
    int         val_kind; ///< CAIRN_VALUE_FLOAT or CAIRN_VALUE_INTEGER.
    int val_bits; ///< 0: as wide as dtype; of floats 32 or 64, of integers 8 or 16,
                  ///< no wider than dtype.
    void (*release)(void *user,
                    void *array); ///< CAIRN_TAKE: called once for each array
                                  ///< that is not NULL when it is not needed
                                  ///< any more.
    void *user;                   ///< Handed to it.
} cairn_csr;

/// No rows; 64-bit numbers from 0 on, f64 values.
// clang-format off
#define CAIRN_CSR                                                                   \
    {                                                                               \
        sizeof(cairn_csr), 0, 0, 0, -1, NULL, NULL, NULL, 64, 64, 0, CAIRN_F64,     \
            CAIRN_VALUE_FLOAT, 0, NULL, NULL                                        \
    }
// clang-format on

/// Make a tensor of a caller's compressed rows, as cairn_tensor_from_csr() does of those
/// that its arguments describe.
///
/// Collective. With @p format NULL and CAIRN_BORROW or CAIRN_TAKE nothing is copied: the
/// tensor is a CSR over the arrays, and cairn_tensor_update() with the same `val` says that
/// values were changed in place. Rows that are numbered from 1 on, or have values narrower
/// than @p dtype, cannot lie so: they are copied, and not borrowed. Else the entries are
/// stored in @p format, and cairn_tensor_update() brings new values, as wide as @p dtype;
/// values that came narrow are stored as narrow as they are (cairn_store_options).
///
/// @param[in]  mode    CAIRN_TAKE: arrays are released when the tensor is destroyed, or at
///                     once, if it is not made over them; on failure they are still the
///                     caller's.
/// @param[in]  format  NULL: compressed rows.
/// @param[out] tensor  Destroy with cairn_tensor_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_SHAPE     An extent is negative; rows overlap, leave gaps or are not in
///                             rank order; the format is for another order.
/// @retval CAIRN_BAD_COORD     A column is outside the matrix, or ptr descends, or does not
///                             begin with `base`.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, no such size, width, base, kind, type or
///                             mode; CAIRN_TAKE without `release`; rows that cannot be
///                             borrowed; or @p dtype, the format, or whether arrays are
///                             copied is not the same on all ranks.
/// @retval CAIRN_NO_MEMORY, CAIRN_OVERFLOW, CAIRN_BAD_QUERY, CAIRN_NO_KERNEL  As
///                             cairn_tensor_create().
///
/// Cost: rows from 1 on, and narrow values, are copied for the time of the call.
CAIRN_API cairn_status cairn_tensor_from_rows(cairn_context      *context,
                                              const cairn_csr    *rows,
                                              cairn_copy_mode     mode,
                                              const cairn_format *format,
                                              cairn_tensor      **tensor);

/// Which columns of the matrix those of a rank's two blocks are.
typedef struct cairn_column_map {
    size_t  size;      ///< sizeof(cairn_column_map); CAIRN_COLUMN_MAP sets it.
    int64_t first_col; ///< The local block has columns first_col .. first_col+cols-1
    int64_t cols;      ///< of the matrix, counted from 0.
    int64_t ghosts;    ///< Columns of the ghost block.
    const void *col;   ///< [ghosts] which each is, in any order; NULL for none.
    int         bits;  ///< 32 or 64, signed.
    int         base;  ///< 0 or 1: what the first column of the matrix is called.
} cairn_column_map;

/// No columns; 64-bit numbers from 0 on.
// clang-format off
#define CAIRN_COLUMN_MAP \
    { sizeof(cairn_column_map), 0, 0, 0, NULL, 64, 0 }
// clang-format on

/// Make a tensor of the two blocks that this rank has of its rows.
///
/// Collective. Entries are merged by their columns in the matrix, row by row, and stored as
/// those of cairn_tensor_from_rows() with CAIRN_COPY: the tensor is the same as of one list
/// of rows, however ranks and columns are cut. cairn_tensor_update_blocks() brings new
/// values.
///
/// @param[in] local   Entries in this rank's own columns: its `idx` counts from
///                    map->first_col on.
/// @param[in] ghost   All others: its `idx` are places in map->col. Both have the same
///                    extents, rows and dtype; `release` is not looked at.
/// @retval CAIRN_BAD_SHAPE     The blocks have other rows or extents, or own columns do not
///                             lie in the matrix. Or as cairn_tensor_from_rows().
/// @retval CAIRN_BAD_COORD     An index is none of its block, or a ghost column is outside
///                             the matrix.
/// @retval CAIRN_BAD_ARGUMENT, CAIRN_NO_MEMORY, CAIRN_OVERFLOW, CAIRN_BAD_QUERY,
///         CAIRN_NO_KERNEL     As cairn_tensor_from_rows().
///
/// Cost: a walk over the entries; for the time of the call a copy of them all, and 4 bytes
/// an entry (8 from 2^31 entries on) until the first new values come.
CAIRN_API cairn_status cairn_tensor_from_blocks(cairn_context          *context,
                                                const cairn_csr        *local,
                                                const cairn_csr        *ghost,
                                                const cairn_column_map *map,
                                                const cairn_format     *format,
                                                cairn_tensor          **tensor);

/// New values for a tensor of two blocks: those of each, entry for entry, as wide as the
/// tensor's type. All else is as of cairn_tensor_update().
///
/// Local. Values are read where they lie. The first call finds where each goes, which takes
/// memory for its time; later ones allocate nothing, as cairn_tensor_update().
///
/// @param[in] local_val, ghost_val  NULL where the block has no entries.
/// @retval CAIRN_BAD_ARGUMENT  The tensor was not made by cairn_tensor_from_blocks(), or
///                             values are NULL; a view of its arrays is out.
/// @retval CAIRN_NO_MEMORY     Values are what they were.
CAIRN_API cairn_status cairn_tensor_update_blocks(cairn_tensor *tensor,
                                                  const void   *local_val,
                                                  const void   *ghost_val);

#ifdef __cplusplus
}
#endif

#endif
