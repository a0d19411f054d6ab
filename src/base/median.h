// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The middle of measurements: what a shared machine does to some of them does not move
/// it.

#ifndef CAIRN_BASE_MEDIAN_H
#define CAIRN_BASE_MEDIAN_H

#include <stdint.h>

/// Sort @p n values, none of them a NaN, ascending.
void cairn_sort_doubles(double *value, int64_t n);

/// The middle of @p n values, or the mean of the two in the middle; 0 of none.
///
/// @param[in,out] value  [n] without NaN; sorted, ascending.
double cairn_median(double *value, int64_t n);

#endif
