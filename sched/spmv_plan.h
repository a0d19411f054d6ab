// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The plan of y = A x on one rank of several: halo, product of every member, additions
/// in member order. Made once, replayed without allocating.

#ifndef CAIRN_SCHED_SPMV_PLAN_H
#define CAIRN_SCHED_SPMV_PLAN_H

#include "comm/halo.h"
#include "devices/device.h"
#include "expr/spmv.h"

struct cairn_spmv_plan;

/// The product of one member, as a task on a device's queue.
typedef struct cairn_member_task {
    struct cairn_spmv_plan *plan;
    int                     member;
    cairn_status            status;  ///< Of the last run,
    double                  seconds; ///< and how long it took, measured.
} cairn_member_task;

typedef struct cairn_spmv_plan {
    cairn_comm        *comm;
    cairn_device      *device;
    const cairn_local *tensor;
    cairn_rows         columns; ///< Who owns which entries of x.
    cairn_halo        *halo;
    cairn_spmv        *spmv;
    double            *x; ///< The window: x[j] for global j.
    double            *y; ///< [rows] of this rank.
    cairn_pos          rows;
    cairn_member_task  task[CAIRN_MAX_MEMBERS]; ///< In member order: so y adds up.
} cairn_spmv_plan;

/// Prepare.
///
/// Collective. x is owned like the rows if the tensor is square, else evenly.
///
/// @param[in]  device  Runs the products; outlives the plan.
/// @param[in]  rows  Who owns which rows.
/// @param[in]  held  Bytes that count against the limit beside the operands.
/// @param[out] plan  Destroy with cairn_spmv_plan_destroy(). Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  The operands exceed the limit.
cairn_status cairn_spmv_plan_create(cairn_comm        *comm,
                                    cairn_device      *device,
                                    const cairn_local *tensor,
                                    const cairn_rows  *rows,
                                    int64_t            held,
                                    cairn_spmv_plan  **plan);

void cairn_spmv_plan_destroy(cairn_spmv_plan **plan);

/// y = A x, from the owned entries in the window. Collective.
cairn_status cairn_spmv_plan_run(cairn_spmv_plan *plan);

/// Bytes that one run moves on this rank: arrays, y, owned x, halo.
int64_t cairn_spmv_plan_bytes(const cairn_spmv_plan *plan);

#endif
