// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arithmetic on the values of a matrix where they lie: the diagonal out, rows and columns
/// scaled, a multiple of the identity added. Vectors are of the tensor's type; what is
/// computed is rounded to it after each operation: of two f32 a product or sum in f64,
/// rounded once more, has the bits of one in f32. Nothing fails once values are written.

#ifndef CAIRN_TENSOR_ARITHMETIC_H
#define CAIRN_TENSOR_ARITHMETIC_H

#include "tensor/visit_values.h"

/// Read the diagonal of some rows; 0 where it has no entry.
///
/// Local.
///
/// @param[in]  first     Of all entries' rows the least that there may be.
/// @param[out] diagonal  [rows] Untouched on failure.
cairn_status cairn_local_diagonal(const cairn_local *tensor,
                                  int64_t            first,
                                  int64_t            rows,
                                  void              *diagonal);

/// Make values such that they may be written: as wide as the tensor's type, in blocks that
/// no other tensor has.
///
/// Local. Pointers to the values and their layouts are no more, also on failure.
///
/// @retval CAIRN_UNSUPPORTED  Values are fields of tuples that another tensor has, too.
cairn_status cairn_local_own_values(cairn_local *tensor);

/// What rows and columns are multiplied by.
typedef struct cairn_factors {
    const void *left;  ///< By rows from `first` on; NULL: all 1.
    const void *right; ///< By columns; NULL: all 1.
    int64_t     first;
} cairn_factors;

/// Multiply: a(i,j) becomes (left(i) a(i,j)) right(j). Local.
///
/// @param[in] visits  Of a tensor whose values may be written.
void cairn_values_scale(const cairn_visits *visits, const cairn_factors *factors);

/// Look which rows have an entry on the diagonal.
///
/// Local.
///
/// @param[out] has      [rows] Byte i is 1 where row @p first + i has one, else 0; free with
///                      cairn_free(). Unchanged on failure.
/// @param[out] without  The first row that has none; -1: all have one.
cairn_status cairn_local_find_diagonal(const cairn_local *tensor,
                                       int64_t            first,
                                       int64_t            rows,
                                       uint8_t          **has,
                                       int64_t           *without);

/// Add @p alpha to one entry on the diagonal of each row; of one that is stored twice, to
/// the first. Local.
///
/// @param[in]     visits  Of a tensor whose values may be written.
/// @param[in,out] has     From cairn_local_find_diagonal(); all 0 afterwards.
void cairn_values_shift(const cairn_visits *visits,
                        double              alpha,
                        int64_t             first,
                        uint8_t            *has);

#endif
