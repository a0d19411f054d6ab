// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The sum of Y, made on the way: each subproduct's kernel adds up what it adds to Y. Where
/// a subproduct is another device's than the processor's, or its kernel cannot (one that
/// meets rows again and again, say), who wants the sum reads Y.

#ifndef CAIRN_PLAN_REPLAY_Y_SUM_H
#define CAIRN_PLAN_REPLAY_Y_SUM_H

#include "plan/replay.h"

/// Have the kernels add up from now on, where they can; they may have to be compiled. Local.
void cairn_replay_sum_y(cairn_replay *replay);

/// Forget what was added up. Local; before a run whose sum will be asked for.
void cairn_replay_forget_y_sum(cairn_replay *replay);

/// The sum of this rank's rows of Y as the last run left them, if it made it.
///
/// Local.
///
/// @param[out] sum  In f64 by leaves of at most 512 additions, or 2,048 of what joins a Y
///                  that is there; leaves in long double; before members' sums of a row
///                  were joined, or rounded. Unchanged without.
/// @return Was it made?
bool cairn_replay_y_sum(const cairn_replay *replay, long double *sum);

#endif
