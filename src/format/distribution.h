// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Expressions of distributions, over a row d0 and the number of ranks.

#ifndef CAIRN_FORMAT_DISTRIBUTION_H
#define CAIRN_FORMAT_DISTRIBUTION_H

#include "format/encoding.h"
#include "format/interval.h"

/// How the values of an expression follow each other, row by row.
typedef enum {
    CAIRN_TREND_CONSTANT,
    CAIRN_TREND_RISES, ///< Never falls.
    CAIRN_TREND_FALLS, ///< Never rises.
    CAIRN_TREND_OTHER, ///< Not known to do either.
} cairn_trend;

/// What is known of the values at some rows.
typedef struct cairn_row_values {
    cairn_interval
                range; ///< Holds them all; where they rise or fall the ends are values.
    cairn_trend trend;
} cairn_row_values;

/// Evaluate at a row.
///
/// @return False where it has no value: it is beyond 64 bits, or a divisor is not positive.
bool cairn_distribution_at(const cairn_expr *expr,
                           int64_t           row,
                           int64_t           ranks,
                           int64_t          *value);

/// What is known of the values at the rows of an interval that is not empty.
///
/// @return False where that is not known, since a bound is beyond 64 bits or a divisor not
///         positive.
bool cairn_distribution_over(const cairn_expr *expr,
                             cairn_interval    rows,
                             int64_t           ranks,
                             cairn_row_values *values);

#endif
