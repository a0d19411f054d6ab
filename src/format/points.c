// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Depth k has dimensions 0..k-1 fixed; box[k] is what narrowing left then. A branch
/// is the next value of dimension k, by raising box[k][k].lo.

#include "format/points.h"

#include <string.h>

/// Narrow the box of a depth by all forms until nothing changes; false when empty.
static bool narrow(const cairn_points *points, cairn_interval *box)
{
    const int      order = points->algebra->order;
    cairn_interval before[CAIRN_MAX_ORDER];

    do {
        memcpy(before, box, (size_t)order * sizeof *box);
        for (int f = 0; f < points->forms; f++) {
            const cairn_interval target = {points->target[f], points->target[f]};

            cairn_form_narrow(points->algebra, &points->form[f], target, box);
            for (int k = 0; k < order; k++)
                if (box[k].lo > box[k].hi) return false;
        }
    } while (memcmp(before, box, (size_t)order * sizeof *box) != 0);
    return true;
}

void cairn_points_init(cairn_points         *points,
                       const cairn_algebra  *algebra,
                       int                   forms,
                       const cairn_form     *form,
                       const int64_t        *target,
                       const cairn_interval *box)
{
    points->algebra = algebra;
    points->forms   = forms;
    points->form    = form;
    points->started = false;
    points->done    = false;
    points->steps   = 0;
    memcpy(points->target, target, (size_t)forms * sizeof *target);
    memcpy(points->box[0], box, (size_t)algebra->order * sizeof *box);
    for (int k = 0; k < algebra->order; k++)
        if (box[k].lo > box[k].hi) points->done = true;
    if (!points->done && !narrow(points, points->box[0])) points->done = true;
}

static bool holds(const cairn_points *points, const cairn_coord *d)
{
    for (int f = 0; f < points->forms; f++)
        if (cairn_form_value(points->algebra, &points->form[f], d, NULL)
            != points->target[f])
            return false;
    return true;
}

/// Fix dimension @p k at its lowest value and narrow into depth k+1.
static bool descend(cairn_points *points, int k)
{
    cairn_interval *next = points->box[k + 1];

    memcpy(next, points->box[k], (size_t)points->algebra->order * sizeof *next);
    next[k].hi = next[k].lo;
    return narrow(points, next);
}

bool cairn_points_next(cairn_points *points, cairn_coord *d)
{
    const int   order = points->algebra->order;
    int         k     = points->started ? order - 1 : 0;
    cairn_coord at[CAIRN_MAX_ORDER];

    if (points->done) return false;
    if (points->started) points->box[k][k].lo++;
    points->started = true;
    while (k >= 0) {
        points->steps++;
        if (points->box[k][k].lo > points->box[k][k].hi) { /* up, to the next value */
            if (--k >= 0) points->box[k][k].lo++;
        } else if (!descend(points, k)) {
            points->box[k][k].lo++;
        } else if (k < order - 1) {
            k++;
        } else {
            for (int j = 0; j < order; j++)
                at[j] = points->box[order][j].lo;
            if (holds(points, at)) {
                memcpy(d, at, (size_t)order * sizeof *d);
                return true;
            }
            points->box[k][k].lo++;
        }
    }
    points->done = true;
    return false;
}
