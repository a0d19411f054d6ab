// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Races: two ways to run one product, run in turns and timed. Predictions say which
/// placement should be faster, and what they leave out (memory that devices share, hops,
/// what else the machine does) says itself here, before a user's runs.

#ifndef CAIRN_PLAN_COMPARE_H
#define CAIRN_PLAN_COMPARE_H

#include "plan/replay.h"

/* Runs of each that count; one before them does not. */
enum { CAIRN_COMPARE_ROUNDS = 5 };

/// Run both in turns, with X as it is.
///
/// Collective.
///
/// @param[out] seconds  [2] Medians of the slowest rank: the same on all ranks.
cairn_status
cairn_replay_compare(cairn_replay *one, cairn_replay *other, double *seconds);

#endif
