// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The least and the greatest row of X, by a walk.

#include "devices/x_window.h"

#include "tensor/walk.h"

typedef struct {
    int            dimension;
    cairn_interval box, rows;
} window;

static cairn_status widen(void *user, const cairn_part *part, const cairn_batch *batch)
{
    window            *w = user;
    const cairn_coord *j = batch->coord[w->dimension];

    (void)part;
    for (int k = 0; k < batch->n; k++) {
        if (j[k] < w->box.lo || j[k] > w->box.hi) continue;
        if (j[k] < w->rows.lo) w->rows.lo = j[k];
        if (j[k] > w->rows.hi) w->rows.hi = j[k];
    }
    return CAIRN_OK;
}

cairn_status
cairn_x_window(cairn_env *env, const cairn_device_work *work, cairn_interval *rows)
{
    const cairn_layout  *layout    = cairn_work_group(work)->layout;
    const int            dimension = work->op->transposed ? 0 : 1;
    const cairn_interval box       = work->tensor->box[dimension];
    window               w         = {
                              dimension, box, {box.hi + 1, box.lo - 1}
    };
    cairn_walker *walker;

    if (!layout->exact) {
        *rows = box;
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_walker_create(env, layout, &walker));
    cairn_walker_show_overhang(walker);
    const cairn_status status =
        cairn_walk_member(walker, work->tensor, work->member, widen, &w);

    cairn_walker_destroy(env, &walker);
    if (status == CAIRN_OK) *rows = w.rows;
    return status;
}
