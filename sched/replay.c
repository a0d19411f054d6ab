// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A product prepared, and replayed.

#include "sched/replay.h"

static bool any_member(const cairn_replay *replay,
                       bool (*is)(const cairn_member_kernel *kernel))
{
    for (int m = 0; m < replay->tensor->groups; m++)
        if (is(&replay->task[m].kernel)) return true;
    return false;
}

/// The reference way, if some member goes it.
static cairn_status create_reference(cairn_replay *replay)
{
    const cairn_product_options *op        = &replay->op;
    const cairn_reference_op     reference = {
            .columns = op->columns, .transposed = op->transposed != 0, .alpha = op->alpha};

    if (!any_member(replay, cairn_member_kernel_lacks)) return CAIRN_OK;
    return cairn_reference_create(replay->comm->env, replay->tensor, &reference,
                                  replay->device->info.threads, &replay->reference);
}

/// Collective.
static cairn_status get_kernels(cairn_replay *replay)
{
    for (int m = 0; m < replay->tensor->groups; m++) {
        cairn_member_task *task = &replay->task[m];

        task->replay = replay;
        task->work   = (cairn_device_work){
              .tensor = replay->tensor, .member = m, .op = &replay->op, .alone = m == 0};
        CAIRN_TRY(cairn_member_kernel_get(replay->comm, replay->device, &task->work,
                                          &task->kernel));
    }
    return CAIRN_OK;
}

static cairn_status prepare(cairn_replay *replay, const cairn_rows *rows, int64_t held)
{
    CAIRN_TRY(get_kernels(replay));
    CAIRN_TRY(cairn_operands_init(
        replay->comm, replay->tensor, rows, &replay->op, replay->device->info.threads,
        held, any_member(replay, cairn_member_kernel_is_wide), &replay->operands));
    return cairn_comm_agree(replay->comm, create_reference(replay));
}

cairn_status cairn_replay_create(cairn_comm                  *comm,
                                 cairn_device                *device,
                                 const cairn_local           *tensor,
                                 const cairn_rows            *rows,
                                 const cairn_product_options *op,
                                 int64_t                      held,
                                 cairn_replay               **replay)
{
    cairn_replay *fresh  = NULL;
    cairn_status  status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);

    if (status == CAIRN_OK) {
        fresh->comm   = comm;
        fresh->device = device;
        fresh->tensor = tensor;
        fresh->op     = *op;
    }
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) status = prepare(fresh, rows, held);
    if (status == CAIRN_OK)
        *replay = fresh;
    else
        cairn_replay_destroy(&fresh);
    return status;
}

void cairn_replay_destroy(cairn_replay **replay)
{
    cairn_replay *p = *replay;

    if (!p) return;
    for (int m = 0; m < p->tensor->groups; m++)
        cairn_member_kernel_release(p->comm->env, &p->task[m].kernel);
    cairn_reference_destroy(&p->reference);
    cairn_operands_fini(&p->operands);
    cairn_free(p->comm->env, p);
    *replay = NULL;
}

static cairn_status multiply(cairn_member_task *task)
{
    cairn_replay     *replay = task->replay;
    const bool        wide   = cairn_member_kernel_is_wide(&task->kernel);
    const void *const x      = cairn_operands_x(&replay->operands);
    void *const       y      = cairn_operands_y(&replay->operands, wide);

    if (cairn_member_kernel_lacks(&task->kernel))
        return cairn_reference_run(replay->reference, task->work.member, x, y);
    return task->kernel.launch.run(&task->kernel.launch, x, y);
}

static void run_member(void *argument)
{
    cairn_member_task *task     = argument;
    cairn_operands    *operands = &task->replay->operands;
    const double       begin    = cairn_seconds();
    const bool         wide     = cairn_member_kernel_is_wide(&task->kernel);

    if (wide) cairn_operands_widen(operands);
    task->status = multiply(task);
    if (wide) cairn_operands_narrow(operands);
    task->seconds = cairn_seconds() - begin;
}

/// Does the first member set every row of Y, so that nothing need be done to it before?
static bool first_sets(const cairn_replay *replay)
{
    return replay->tensor->groups > 0 && replay->task[0].kernel.launch.sets;
}

static cairn_status run_members(cairn_replay *replay)
{
    const cairn_queue_ops *queue  = replay->device->ops.queue;
    cairn_status           status = CAIRN_OK;

    for (int m = 0; m < replay->tensor->groups && status == CAIRN_OK; m++)
        status = queue->push(replay->device, run_member, &replay->task[m]);
    const cairn_status done =
        queue->wait(replay->device); /* also for what was pushed */

    CAIRN_TRY(status);
    CAIRN_TRY(done);
    for (int m = 0; m < replay->tensor->groups; m++)
        if (replay->task[m].status != CAIRN_OK)
            return cairn_fail(replay->comm->env, replay->task[m].status, "%s",
                              replay->task[m].kernel.launch.message);
    return CAIRN_OK;
}

cairn_status cairn_replay_run(cairn_replay *replay)
{
    CAIRN_TRY(cairn_operands_begin(&replay->operands, first_sets(replay)));
    const cairn_status status = run_members(replay);
    const cairn_status ended  = cairn_operands_end(&replay->operands); /* others wait */

    return status != CAIRN_OK ? status : ended;
}

int64_t cairn_replay_bytes(const cairn_replay *replay)
{
    int64_t bytes = cairn_operands_bytes(&replay->operands);

    for (int m = 0; m < replay->tensor->groups; m++)
        bytes += replay->tensor->group[m].bytes;
    return bytes;
}
