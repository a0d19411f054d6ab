// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A choice of a format under way: what the rank that decides knows. Internal to the API.

#ifndef CAIRN_API_AUTO_CHOICE_H
#define CAIRN_API_AUTO_CHOICE_H

#include "api/api.h"
#include "auto/candidates.h"
#include "auto/learned.h"

/// What one rank thinks with.
typedef struct cairn_choice {
    const cairn_source       *source;
    cairn_context            *context;
    const cairn_auto_options *options;
    cairn_predictor           by; ///< The product, threads, this machine's memory.
    int                       value_bits;
    cairn_sample              sample;  ///< That is counted, then that is tried on.
    cairn_candidates          own;     ///< The caller's; or none.
    int                       offered; ///< Candidates for the product:
    const cairn_candidate    *offer[CAIRN_AUTO_CANDIDATES]; ///< [offered] these,
    cairn_counts             *counts;    ///< [offered] and what they store.
    cairn_pattern             structure; ///< Of the whole,
    cairn_pattern             tried;     ///< of the sample that is tried on.
    bool sampled; ///< A sample is counted; else some rows are so long that there is no
                  ///< time, and only rows are known.
    double replays; ///< Products to come.
    struct {
        double convert; ///< Seconds to store.
        double factor;  ///< Of what rates say of a product, by products that ran.
    } thought[CAIRN_AUTO_CANDIDATES];
    cairn_auto_info *info;
} cairn_choice;

/// Seconds that a product is thought to take in candidate @p k.
double cairn_choice_seconds(const cairn_choice *c, int k);

/// The same of storing and all products to come.
double cairn_choice_total(const cairn_choice *c, int k);

/// The best of all or, with @p untried, of those that were not tried yet; the first of
/// equals; -1: none is for this matrix.
int cairn_choice_best(const cairn_choice *c, bool untried);

/// Take a share of this rank's entries, at most @p most, instead of the sample there is.
cairn_status cairn_choice_take_sample(cairn_choice *c, int share, int64_t most);

/// Seconds since @p begin, but for getting kernels.
double cairn_choice_spent(const cairn_choice *c, double begin);

/// Try the first format, with which others are compared, and the best of the others, as
/// long as there is time; nothing, where that is not worth it.
///
/// Local. @param[in] begin  When the search began.
cairn_status cairn_choice_try(cairn_choice *c, double begin);

#endif
