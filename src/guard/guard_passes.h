// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Passes over vectors by one thread, of which a check of products consists: sums of y, and
/// of x by sums of columns.
///
/// Numbers are added in f64 in leaves of 512, in 32 chains, which are joined in a tree: 21
/// additions a term goes through, or 32 at most in a leaf that is not whole; leaves are added
/// in long double. Passes are compiled for several instruction sets, and have the same bits
/// on any (base/wide.h); threads add in any order, which bounds of checks allow for.

#ifndef CAIRN_GUARD_PASSES_H
#define CAIRN_GUARD_PASSES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CAIRN_GUARD_LEAF    = 512,
    CAIRN_GUARD_BLOCK   = 8,
    CAIRN_GUARD_STRETCH = 2048 ///< Columns of which the first are a sample.
};

/// A vector's values.
typedef struct cairn_guard_vector {
    const void *value; ///< [n], f32 or f64.
    int64_t     n;
    bool        narrow; ///< f32.
} cairn_guard_vector;

/// The sum of @p y.
long double cairn_guard_add_up(const cairn_guard_vector *y);

/// w.x; @param[in] w  [x->n]
long double cairn_guard_multiply(const double *w, const cairn_guard_vector *x);

/// The sum of w[k * CAIRN_GUARD_BLOCK + c] x[at[k] + c], c < CAIRN_GUARD_BLOCK, over @p n
/// blocks; with 55 additions at most. From the last one to the first: what a product has read
/// last of x is nearest.
long double cairn_guard_multiply_blocks(const double             *w,
                                        const uint32_t           *at,
                                        int64_t                   n,
                                        const cairn_guard_vector *x);

/// The same where all of them have the first one's w.
long double cairn_guard_multiply_alike(const double             *w,
                                       const uint32_t           *at,
                                       int64_t                   n,
                                       const cairn_guard_vector *x);

/// The sum of size[k] |x[k]| over the first @p sample values of each stretch.
/// @param[in] size    [stretches of x][sample]
/// @param[in] sample  A multiple of CAIRN_GUARD_BLOCK, CAIRN_GUARD_STRETCH at most.
long double cairn_guard_multiply_sizes(const double             *size,
                                       int64_t                   sample,
                                       const cairn_guard_vector *x);

#endif
