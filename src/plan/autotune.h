// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Autotuning: two ways to run one product, kept while it is run. A comparison
/// (compare.h) before the first run says which is faster then, and that may change. So now
/// and then some of the user's own runs, whose result is the same either way, go the
/// other way, and the faster of the two stays.
///
/// A trial is CAIRN_COMPARE_ROUNDS runs the way in use, one the other way that does not
/// count (caches, teams of threads), and as many that do; medians of the slowest rank
/// decide. The other way is taken if it is faster by more than a twentieth, and by more
/// than clocks can be wrong.
///
/// What it costs: the first trial comes after 32 runs, and the runs between two trials
/// double, so that of k runs at most 6 * (1 + log2(k / 32)) go the slower way. There are
/// never fewer than make these cost a fortieth of what runs took since the last trial, by
/// what that measured; where the other way's first two runs that count take twice as long,
/// they are the last. On several ranks there is one small reduction before each run of a
/// trial and one after the last, and none outside.

#ifndef CAIRN_PLAN_AUTOTUNE_H
#define CAIRN_PLAN_AUTOTUNE_H

#include "plan/compare.h"

/* Runs before the first trial. */
enum { CAIRN_AUTOTUNE_FIRST = 32 };

typedef struct cairn_autotune {
    cairn_replay *other;    ///< The way that is not in use; NULL: there is none.
    int64_t       runs;     ///< So far.
    int64_t       next;     ///< Before the trial under way, or the next one.
    int64_t       interval; ///< Runs between the last two trials.
    int           at;       ///< Runs of the trial under way; 0: none is.
    double        sample[2][CAIRN_COMPARE_ROUNDS]; ///< Its seconds: in use, other.
    double        seconds[2]; ///< Last medians: the way in use, the other.
    int           trials, switches;
    bool          ended; ///< A device has failed: there are no more trials.
} cairn_autotune;

/// Begin, after a comparison.
///
/// Local.
///
/// @param[out] adapt    Ended with cairn_autotune_fini().
/// @param[in]  other    The way that lost; now this one's. NULL: there is none.
/// @param[in]  seconds  [2] Of the way in use and of the other, the same on all ranks.
void cairn_autotune_init(cairn_autotune *adapt,
                         cairn_replay   *other,
                         const double   *seconds);

void cairn_autotune_fini(cairn_autotune *adapt);

/// Run once, one of the two ways. Allocates nothing. While tasks are recorded no trial
/// begins, and one that is under way is given up.
///
/// Collective.
///
/// @param[in,out] replay  The way in use; the other one after a trial that it lost.
/// @return As cairn_replay_run().
cairn_status cairn_autotune_run(cairn_autotune *adapt, cairn_replay **replay);

#endif
