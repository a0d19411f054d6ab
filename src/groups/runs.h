// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Groups whose keys are no digits of the open dimensions. Along a line they repeat with
/// a period, but for constants by which they advance; so the positions of one residue of
/// the period are a run that stands in key order, upwards or downwards, and the line is a
/// merge of runs.

#ifndef CAIRN_GROUPS_RUNS_H
#define CAIRN_GROUPS_RUNS_H

#include "groups/order.h"

typedef struct cairn_line_runs {
    cairn_env               *env;
    const cairn_query_order *order;
    const cairn_group_box   *box;
    int                      mover;   ///< The first key that advances,
    int64_t                  advance; ///< by this.
    int64_t                  length;  ///< Positions of each row,
    int64_t                  each;    ///< and its runs, at most the period.
    int64_t                  runs;
    int64_t                 *key;  ///< [runs][mover + 1] of each run's first position.
    int64_t                 *next; ///< [runs] While merging: positions that are gone.
    int64_t                 *heap; ///< [heaped] runs, the one with the least key first.
    int64_t                  heaped; ///< -1: not merging yet.
} cairn_line_runs;

/// Find the runs of the group in @p box. Destroy with cairn_line_runs_fini().
/// Cost: keys of as many positions as the period has.
cairn_status cairn_line_runs_init(cairn_env               *env,
                                  const cairn_query_order *order,
                                  const cairn_group_box   *box,
                                  cairn_line_runs         *runs);

void cairn_line_runs_fini(cairn_line_runs *runs);

/// How many positions of the group come before the one at @p d. Constant time a run.
int64_t cairn_line_runs_rank(const cairn_line_runs *runs, const cairn_coord *d);

/// Number (cairn_group_box_place()) of the next position in key order, or -1 behind the
/// last one. The first call costs a step for each run.
/// @param[out] number
/// @retval CAIRN_NO_MEMORY  At the first call.
cairn_status cairn_line_runs_next(cairn_line_runs *runs, int64_t *number);

#endif
