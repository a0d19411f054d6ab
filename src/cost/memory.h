// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How fast a core reads memory: in order, and here and there. Rates that come with the
/// library were fitted on one machine, and on another what they say of memory is scaled by
/// how its memory compares with that one's (memory.c has the numbers). What a processor
/// does with values that are at hand is not scaled: how far it is from rates is learned
/// from work that ran (cost.h).

#ifndef CAIRN_COST_MEMORY_H
#define CAIRN_COST_MEMORY_H

#include "base/env.h"

/// Seconds of one thread, or factors of them.
typedef struct cairn_memory_rates {
    double byte; ///< A byte read in order from beyond a core's own caches.
    double near; ///< A line read anywhere, one after the other: from the second cache,
    double far;  ///< and from beyond it.
} cairn_memory_rates;

/// What is measured where the rates that are shipped were fitted.
extern const cairn_memory_rates cairn_memory_shipped;

/// Can rates be: finite, above 0, and not beyond any machine?
bool cairn_memory_rates_valid(const cairn_memory_rates *rates);

/// Measure this machine: the least of some tries, since other work only ever slows one.
///
/// Local. Takes about 10 ms, and begins no try after that.
///
/// @param[out] rates  Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  For 16 MB.
cairn_status cairn_memory_measure(cairn_env *env, cairn_memory_rates *rates);

/// Factors by which memory is slower here than where rates were fitted. What is below 1.4,
/// up or down, is 1: by so much measurements of one machine may differ, which is not to
/// change what is chosen. None is beyond 4 or a quarter.
cairn_memory_rates cairn_memory_factors(const cairn_memory_rates *here);

#endif
