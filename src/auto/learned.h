// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What rates say of products, corrected by products that ran. Cost models (cost/cost.h)
/// keep how long members of a family took, and a family follows from a layout; so a
/// candidate whose layout stores the same kinds of arrays as something that ran has been
/// measured, in whatever format that was.
///
/// The logarithm of measured over predicted is thought to be what all candidates have in
/// common (this machine is slower than the one where rates were fitted), and what is a
/// candidate's own. Both are thought to be 0 until measurements say otherwise, the more of
/// them, and the more alike, the more: with normal distributions the expectation of each
/// is a weighted mean. What has not been measured moves by what is common alone, so that
/// a format that was run does not lose to one that never was because all are slow here.
/// A few measurements may all have been accidents: n of them are believed up to a factor of
/// 2^n.

#ifndef CAIRN_AUTO_LEARNED_H
#define CAIRN_AUTO_LEARNED_H

#include "auto/candidates.h"
#include "cost/cost.h"

/// What is asked about.
typedef struct cairn_learned {
    const cairn_costs           *costs;
    const cairn_cost_device     *device; ///< That multiplies.
    const cairn_product_options *op;
    int                          value_bits;
    int64_t                      cols; ///< Of the whole matrix,
    int64_t                      rows; ///< and rows of this rank.
} cairn_learned;

/// One candidate.
typedef struct cairn_learned_guess {
    double seconds; ///< Of a product, as measurements have it; 0: there are none.
    double spread;  ///< Relative, one standard deviation.
    int    count;   ///< Measurements, of the member that has fewest.
} cairn_learned_guess;

/// Is there any measurement of a product on the device? If not, nothing need be asked.
bool cairn_learned_any(const cairn_learned *learned);

/// Ask what was measured of all members of a format.
///
/// Local. O(members * models); no layout is made.
///
/// @param[in]  counts  What it stores.
/// @param[out] guess   Nothing where a member's family has not run, or its layout is known
///                     only when it is stored.
void cairn_learned_ask(const cairn_learned   *learned,
                       const cairn_candidate *candidate,
                       const cairn_counts    *counts,
                       cairn_learned_guess   *guess);

/// By which factors predictions are to be corrected.
///
/// @param[in]  predicted  [n] seconds by rates; INFINITY: not counted.
/// @param[in]  guess      [n]
/// @param[out] factor     [n] 1 where there is nothing to correct. What differs from what
///                        is common by less than a tenth does not differ: then
///                        measurements of two candidates that take the same do not choose
///                        between them, now one and now the other.
void cairn_learned_correct(int                        n,
                           const double              *predicted,
                           const cairn_learned_guess *guess,
                           double                    *factor);

#endif
