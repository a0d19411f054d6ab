// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One rank's part of a norm: its largest value, then its sums. Terms are scaled by the
/// power of two that brings the largest value of all ranks into 1 to 2, and its square into
/// 1 to 4, so that sums are those of base/fixed_sum.h.

#ifndef CAIRN_TENSOR_NORM_H
#define CAIRN_TENSOR_NORM_H

#include "base/fixed_sum.h"
#include "tensor/visit_values.h"

/// A norm under way.
typedef struct cairn_norm {
    cairn_visits     visits;
    bool             squares;     ///< Terms are squares,
    int64_t          first, rows; ///< and sums those of rows from `first` on
    cairn_fixed_sum *row;         ///< [rows] where this is not NULL; else there is one.
} cairn_norm;

/// Make what summing needs.
///
/// Local.
///
/// @param[in]  squares  Are squares summed?
/// @param[in]  by_rows  Is the norm the largest sum of a row, of matrices?
/// @param[in]  first    This rank's first row of @p rows.
/// @param[out] norm     Released with cairn_norm_fini(), also on failure.
cairn_status cairn_norm_init(cairn_norm        *norm,
                             const cairn_local *tensor,
                             bool               squares,
                             bool               by_rows,
                             int64_t            first,
                             int64_t            rows);

void cairn_norm_fini(cairn_norm *norm);

/// The largest absolute value, by its bits, which are in the values' order; a NaN's are
/// larger than infinity's. 0 of no entries.
int64_t cairn_norm_largest(const cairn_norm *norm);

/// The sum of all terms, scaled by 2^-exponent; by rows the largest of the rows' sums. Once.
///
/// @param[in] exponent  Of the largest value, which is finite and not 0.
cairn_fixed_sum cairn_norm_sum(cairn_norm *norm, int exponent);

#endif
