// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Samples: some bands of a matrix's rows, put together to a smaller matrix of the same
/// structure. There is one in each of as many equal ranges of the rows, at a random place,
/// the same every time. Rows lie on one another without gaps, and the columns of a band
/// are shifted as its rows are, so that a diagonal stays one; bands begin at multiples of
/// a grain, and so do their shifts, so that blocks whose rows divide it stay blocks: 192
/// rows do for 2, 3, 4, 6, 8 ...
/// Where nearly all entries are in a few rows, which bands miss, there is a single band,
/// around the middle entry.

#ifndef CAIRN_AUTO_SAMPLE_H
#define CAIRN_AUTO_SAMPLE_H

#include "auto/matrix_rows.h"

/* Rows of a single band are a multiple of this: what stretches of diagonals have. */
enum { CAIRN_SAMPLE_BAND = 64, CAIRN_SAMPLE_GRAIN = 192 };

typedef struct cairn_sample {
    cairn_shape   shape;
    cairn_entries entries; ///< Sorted, without duplicates.
    bool          whole;   ///< It is all there is: `entries` are the caller's.
} cairn_sample;

/// Take about @p wanted entries of some rows; all, if that is not much more.
///
/// Local. O(bands * log(entries) + wanted).
///
/// @param[in]  rows     A list of entries outlives the sample; of lists the sample has
///                      copies, sorted.
/// @param[in]  grain    CAIRN_SAMPLE_GRAIN, or of cairn_sample_grain().
/// @param[out] sample   Release with cairn_sample_fini(). Unchanged on failure.
cairn_status cairn_sample_take(cairn_env               *env,
                               const cairn_matrix_rows *rows,
                               int64_t                  wanted,
                               cairn_coord              grain,
                               cairn_sample            *sample);

/// A grain that cuts no group of as many rows, if there are enough rows for that.
cairn_coord cairn_sample_grain(int64_t rows_together, int64_t rows);

void cairn_sample_fini(cairn_env *env, cairn_sample *sample);

#endif
