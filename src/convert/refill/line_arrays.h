// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A solver's matrix by compressed rows, or by compressed columns, in arrays as wide as the
/// solver has them.

#ifndef CAIRN_CONVERT_LINE_ARRAYS_H
#define CAIRN_CONVERT_LINE_ARRAYS_H

#include "tensor/local.h"

#include <cairn/tensor.h>

/// Rows first_row .. first_row+rows-1 of a matrix, as a caller has them: line by line, lines
/// being these rows, or all columns.
typedef struct cairn_line_arrays {
    cairn_shape shape; ///< Of the whole matrix.
    bool        by_columns;
    int64_t     first_row, rows;
    const void *ptr, *idx; ///< Integers from 0 on, of 32 or 64 bits.
    const void *val;       ///< Of type `dtype`; NULL: all are 1.
    int         ptr_bits, idx_bits;
    cairn_dtype dtype;
} cairn_line_arrays;

static inline int64_t cairn_lines_ptr(const cairn_line_arrays *a, int64_t k)
{
    return cairn_load_int(a->ptr, k, a->ptr_bits / 8, a->ptr_bits, true);
}

static inline int64_t cairn_lines_idx(const cairn_line_arrays *a, int64_t k)
{
    return cairn_load_int(a->idx, k, a->idx_bits / 8, a->idx_bits, true);
}

/// Lines, and the number of the first in the matrix.
static inline int64_t cairn_lines_count(const cairn_line_arrays *a)
{
    return a->by_columns ? a->shape.extent[1] : a->rows;
}

static inline int64_t cairn_lines_first(const cairn_line_arrays *a)
{
    return a->by_columns ? 0 : a->first_row;
}

/// Entries in all.
static inline int64_t cairn_lines_entries(const cairn_line_arrays *a)
{
    return cairn_lines_ptr(a, cairn_lines_count(a));
}

/// Row and column of entry @p k, which is in line @p line of these.
static inline void
cairn_lines_coord(const cairn_line_arrays *a, int64_t line, int64_t k, cairn_coord *d)
{
    d[a->by_columns]  = cairn_lines_first(a) + line;
    d[!a->by_columns] = cairn_lines_idx(a, k);
}

/// Their entries, sorted, duplicates added.
///
/// Local.
///
/// @param[out] entries  Empty before, of order 2.
cairn_status
cairn_lines_take(cairn_env *env, const cairn_line_arrays *a, cairn_entries *entries);

/// The columns that have entries, in any row: the pattern that @p local remembers.
///
/// Local. Takes at most 8 bytes an entry.
cairn_status cairn_lines_keep_columns(const cairn_line_arrays *a, cairn_local *local);

#endif
