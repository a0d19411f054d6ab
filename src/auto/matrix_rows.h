// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows of a matrix, counted where they lie: in a list of sorted entries, or in compressed
/// rows of a tensor, which may be a caller's arrays. Nothing is copied.

#ifndef CAIRN_AUTO_MATRIX_ROWS_H
#define CAIRN_AUTO_MATRIX_ROWS_H

#include "tensor/local.h"

typedef struct cairn_matrix_rows {
    cairn_coord first, end; ///< Rows first .. end-1,
    cairn_coord cols;       ///< of so many columns.
    cairn_pos   n;          ///< Entries.
    const cairn_entries
        *entries; ///< Sorted, without duplicates; NULL: they lie in lists.
    const cairn_kernel_level *lists; ///< Compressed: a list of columns for each row.
    const cairn_kernel_part *values; ///< Of lists: [n] values, however they are stored.
    bool                     ordered; ///< No list has a column twice, or out of order.
} cairn_matrix_rows;

/// Sorted entries of rows first .. end-1, without duplicates.
cairn_matrix_rows cairn_matrix_rows_of_entries(const cairn_entries *entries,
                                               cairn_coord          first,
                                               cairn_coord          end,
                                               cairn_coord          cols);

/// This rank's rows of a tensor.
///
/// @return false: it is not stored as one part of compressed rows with values beside their
///         columns, stored in whatever type.
bool cairn_matrix_rows_of_local(const cairn_local *local, cairn_matrix_rows *rows);

/// Where the entries of row @p row begin; row `end` has the end of all.
cairn_pos cairn_matrix_row_begin(const cairn_matrix_rows *rows, cairn_coord row);

/// The row of entry @p k, one of n.
cairn_coord cairn_matrix_row_of(const cairn_matrix_rows *rows, cairn_pos k);

/// Column of entry @p k.
static inline cairn_coord cairn_matrix_col(const cairn_matrix_rows *rows, cairn_pos k)
{
    const cairn_kernel_level *l = rows->lists;

    return rows->entries
               ? rows->entries->coord[1][k]
               : cairn_load_int(l->idx, k, l->idx_stride, l->idx_bits, l->idx_signed);
}

/// Element @p i of the ptr over the lists.
static inline cairn_pos cairn_matrix_ptr(const cairn_matrix_rows *rows, int64_t i)
{
    const cairn_kernel_level *l = rows->lists;

    return cairn_load_int(l->ptr, i, l->ptr_bits / 8, l->ptr_bits, false);
}

/// Value of entry @p k, one of n: of lists that which the tensor's type has, exactly, be it
/// stored as wide as the type, narrower (f32, f16, bf16, i8, i16), by its number in a
/// dictionary, or once for all (iso, and patterns, whose values are all 1).
static inline double cairn_matrix_value(const cairn_matrix_rows *rows, cairn_pos k)
{
    return rows->entries ? rows->entries->value[k] : cairn_value_get(rows->values, k);
}

#endif
