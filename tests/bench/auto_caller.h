// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One product of a matrix that a caller has in compressed rows: what it takes in plain CSR
/// over his arrays, and what comes before it where another format is chosen.

#ifndef CAIRN_TESTS_BENCH_AUTO_CALLER_H
#define CAIRN_TESTS_BENCH_AUTO_CALLER_H

#include <cairn/cairn.h>

/// Seconds, the least of some.
typedef struct {
    double take;    ///< Until the rows, borrowed, are a tensor.
    double plain;   ///< A product in it.
    double choose;  ///< Until a format is chosen for one product.
    double store;   ///< Until the rows are stored in it; 0: they stay as they lie.
    double product; ///< A product in what is chosen.
} caller_costs;

/// The source's entries are the caller's rows, in arrays of his own.
caller_costs time_caller(cairn_source                *source,
                         cairn_dtype                  dtype,
                         const cairn_product_options *product,
                         int                          rounds);

#endif
