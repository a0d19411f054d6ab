// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The plan of a product on one rank of several: operands with their halo, one task for
/// every member, additions in member order. Made once, replayed without allocating.

#ifndef CAIRN_SCHED_REPLAY_H
#define CAIRN_SCHED_REPLAY_H

#include "expr/reference.h"
#include "sched/member_kernel.h"
#include "sched/operands.h"

struct cairn_replay;

/// The product of one member, as a task on a device's queue.
typedef struct cairn_member_task {
    struct cairn_replay *replay;
    cairn_device_work    work;
    cairn_member_kernel  kernel;
    cairn_status         status;  ///< Of the last run,
    double               seconds; ///< and how long it took, measured.
} cairn_member_task;

typedef struct cairn_replay {
    cairn_comm           *comm;
    cairn_device         *device;
    const cairn_local    *tensor;
    cairn_product_options op;
    cairn_operands        operands;
    cairn_reference      *reference;               ///< NULL: every member has a kernel.
    cairn_member_task     task[CAIRN_MAX_MEMBERS]; ///< In member order: so Y adds up.
} cairn_replay;

/// Prepare.
///
/// Collective.
///
/// @param[in]  device  Runs the products; outlives the plan.
/// @param[in]  rows  Who owns which rows of the tensor.
/// @param[in]  op    Checked by cairn_product_valid().
/// @param[in]  held  Bytes that count against the limit beside the operands.
/// @param[out] replay  Destroy with cairn_replay_destroy(). Unchanged on failure.
/// @retval CAIRN_NO_MEMORY    The operands exceed the limit.
/// @retval CAIRN_NO_KERNEL  Kernels must be compiled (CAIRN_KERNELS), and some member's
///                            cannot be.
cairn_status cairn_replay_create(cairn_comm                  *comm,
                                 cairn_device                *device,
                                 const cairn_local           *tensor,
                                 const cairn_rows            *rows,
                                 const cairn_product_options *op,
                                 int64_t                      held,
                                 cairn_replay               **replay);

void cairn_replay_destroy(cairn_replay **replay);

/// Run once, from X as it stands in the plan, into its Y. Collective.
cairn_status cairn_replay_run(cairn_replay *replay);

/// Bytes that one run moves on this rank: arrays, owned X and Y, halo.
int64_t cairn_replay_bytes(const cairn_replay *replay);

#endif
