// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The points of a box at which some forms have given values, in the order (d0, d1, ...):
/// the positions of one group of a query. A search by dimensions, cut by interval
/// narrowing after each choice, so that a group costs about as many steps as it has
/// points. State is small and on the caller's stack.

#ifndef CAIRN_FORMAT_POINTS_H
#define CAIRN_FORMAT_POINTS_H

#include "format/algebra.h"

typedef struct cairn_points {
    const cairn_algebra *algebra;
    int                  forms;
    const cairn_form    *form; ///< [forms], over dimensions only; borrowed.
    int64_t              target[CAIRN_MAX_LEVELS];
    cairn_interval       box[CAIRN_MAX_ORDER + 1][CAIRN_MAX_ORDER]; ///< By depth.
    bool                 started, done;
    int64_t              steps; ///< Values of dimensions that were tried so far.
} cairn_points;

/// Start: points d of @p box with form[f](d) = target[f] for all f.
void cairn_points_init(cairn_points         *points,
                       const cairn_algebra  *algebra,
                       int                   forms,
                       const cairn_form     *form,
                       const int64_t        *target,
                       const cairn_interval *box);

/// Give the next point; false when there is none (d is then unchanged).
bool cairn_points_next(cairn_points *points, cairn_coord *d);

#endif
