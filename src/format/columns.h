// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Forms at many positions, given as columns: what cairn_form_value() gives at each, a loop
/// for each term.

#ifndef CAIRN_FORMAT_COLUMNS_H
#define CAIRN_FORMAT_COLUMNS_H

#include "format/algebra.h"

/// Values of a form at n positions.
///
/// @param[in]  dims     [order] columns of [n]; those that the form does not use may be
///                      NULL.
/// @param[in]  queries  [queries] columns likewise, or NULL.
/// @param[out] out      [n]; none of the columns.
/// Where a value leaves 64 bits it wraps.
void cairn_form_columns(const cairn_algebra  *algebra,
                        const cairn_form     *form,
                        const int64_t *const *dims,
                        const int64_t *const *queries,
                        int64_t               n,
                        int64_t              *out);

/// quotient = floor(value / divisor), divisor > 0; the quotients may take the values' place.
void cairn_columns_floor_div(int64_t        n,
                             int64_t        divisor,
                             const int64_t *value,
                             int64_t       *quotient);

/// out = constant + factor * column, modulo 2^64.
void cairn_columns_begin(int            n,
                         int64_t        constant,
                         int64_t        factor,
                         const int64_t *column,
                         int64_t       *out);

/// out += factor * column, modulo 2^64.
void cairn_columns_add(int n, int64_t factor, const int64_t *column, int64_t *out);

/// The least and the largest of @p n values; n > 0.
cairn_interval cairn_columns_range(int64_t n, const int64_t *value);

/// Clear @p ok where a value lies outside of @p range.
void cairn_columns_hold_range(int            n,
                              const int64_t *value,
                              cairn_interval range,
                              bool          *ok);

/// Clear @p ok where two values differ.
void cairn_columns_hold_equal(int n, const int64_t *a, const int64_t *b, bool *ok);

#endif
