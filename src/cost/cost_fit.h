// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rates from measurements, on machines that others use too: most measurements are right
/// within some per cent, and a fifth may be wrong by any factor.

#ifndef CAIRN_COST_COST_FIT_H
#define CAIRN_COST_COST_FIT_H

#include "cost/cost.h"

/// Fit launch, per_byte and per_entry, none below 0.
///
/// The residual of a measurement is the logarithm of measured over predicted, so that 1 us
/// counts as much as 1 s. Weighted least squares are repeated with Huber's weights, then
/// with Tukey's, which leave outliers out. Measurements must be able to tell: a launch
/// needs three sizes over a factor of 4; per_entry two kinds of entries, by a factor of
/// 1.3 in bytes an entry. What they cannot tell is the prior's: from a single measurement
/// the prior's larger term is scaled, or the whole prior if it was too much without it.
///
/// Source: Huber, Robust Statistics, 1981; Beaton and Tukey, Technometrics 16, 1974.
///
/// @param[in]  samples  1 to CAIRN_COST_SAMPLES, each cairn_cost_sample_valid().
/// @param[out] spread   Of one measurement, relative: 1.4826 times the median of the
///                      residuals' sizes; no outlier has a part in it.
void cairn_cost_fit(const cairn_cost_sample *sample,
                    int                      samples,
                    const cairn_cost_rates  *prior,
                    cairn_cost_rates        *rates,
                    double                  *spread);

/// Can a measurement be: finite, above 0, and not beyond any machine?
bool cairn_cost_sample_valid(const cairn_cost_sample *sample);

/// Can rates be: finite, none below 0, not all 0, and not beyond any machine?
bool cairn_cost_rates_valid(const cairn_cost_rates *rates);

/// launch + bytes * per_byte + entries * per_entry.
static inline double
cairn_cost_seconds(const cairn_cost_rates *rates, double bytes, double entries)
{
    return rates->launch + bytes * rates->per_byte + entries * rates->per_entry;
}

#endif
