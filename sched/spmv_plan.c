// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The plan of y = A x.

#include "sched/spmv_plan.h"

#include "tensor/walk.h"

#include <string.h>

/// Collective if the tensor is not square.
static cairn_status share_columns(cairn_spmv_plan *plan, const cairn_rows *rows)
{
    const cairn_shape *shape = &plan->tensor->shape;

    if (shape->extent[0] != shape->extent[1])
        return cairn_rows_equal(plan->comm, shape->extent[1], 1, &plan->columns);
    return cairn_rows_copy(plan->comm->env, rows, &plan->columns);
}

/// Columns of stored entries that other ranks own.
typedef struct {
    cairn_env   *env;
    cairn_coord  lo, hi; ///< Owned here.
    cairn_coord *column;
    cairn_pos    n, capacity;
} column_list;

static cairn_status add_column(column_list *list, cairn_coord j)
{
    if (j >= list->lo && j < list->hi) return CAIRN_OK;
    if (list->n == list->capacity) {
        list->capacity = list->capacity * 2 + 1024;
        CAIRN_TRY(cairn_realloc(list->env, list->capacity, sizeof *list->column,
                                (void **)&list->column));
    }
    list->column[list->n++] = j;
    return CAIRN_OK;
}

static cairn_status
list_columns(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const bool pads = part->layout->pads;

    for (int k = 0; k < batch->n; k++) {
        if (pads && cairn_value_get(&part->view, batch->value[k]) == 0)
            continue; /* padding pulls in nothing */
        CAIRN_TRY(add_column(user, batch->coord[1][k]));
    }
    return CAIRN_OK;
}

static cairn_status collect_columns(const cairn_spmv_plan *plan, column_list *list)
{
    const cairn_local *tensor = plan->tensor;

    if (plan->comm->size == 1) return CAIRN_OK;
    for (cairn_pos k = 0; k < tensor->columns; k++)
        CAIRN_TRY(add_column(list, tensor->column[k]));
    for (int m = 0; m < tensor->groups && !tensor->pattern; m++) {
        cairn_walker *walker;

        CAIRN_TRY(cairn_walker_create(list->env, tensor->group[m].layout, &walker));
        const cairn_status status =
            cairn_walk_member(walker, tensor, m, list_columns, list);

        cairn_walker_destroy(list->env, &walker);
        if (status != CAIRN_OK) return status;
    }
    return CAIRN_OK;
}

static cairn_status create_halo(cairn_spmv_plan *plan)
{
    cairn_env  *env  = plan->comm->env;
    column_list list = {.env = env,
                        .lo  = plan->columns.first[plan->comm->rank],
                        .hi  = plan->columns.first[plan->comm->rank + 1]};

    cairn_status status = cairn_comm_agree(plan->comm, collect_columns(plan, &list));

    if (status == CAIRN_OK)
        status = cairn_halo_create(plan->comm, &plan->columns, list.column, list.n,
                                   &plan->halo);
    cairn_free(env, list.column);
    return status;
}

/// y, and the product's own tables; checked against the limit first.
static cairn_status
create_operands(cairn_spmv_plan *plan, const cairn_rows *rows, int64_t held)
{
    cairn_env      *env   = plan->comm->env;
    const int       rank  = plan->comm->rank;
    const cairn_pos owned = plan->columns.first[rank + 1] - plan->columns.first[rank];
    cairn_pos       received, sent;

    plan->rows = rows->first[rank + 1] - rows->first[rank];
    cairn_halo_counts(plan->halo, &received, &sent);
    CAIRN_TRY(cairn_check_memory(
        env, "x and y beside the arrays",
        held + 8 * ((__int128)plan->rows + owned + 2 * received + sent)));
    CAIRN_TRY(CAIRN_NEW(env, plan->rows, &plan->y));
    return cairn_spmv_create(env, plan->tensor, plan->device->info.threads,
                             &plan->spmv);
}

cairn_status cairn_spmv_plan_create(cairn_comm        *comm,
                                    cairn_device      *device,
                                    const cairn_local *tensor,
                                    const cairn_rows  *rows,
                                    int64_t            held,
                                    cairn_spmv_plan  **plan)
{
    cairn_spmv_plan *fresh  = NULL;
    cairn_status     status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);

    if (status == CAIRN_OK) {
        fresh->comm   = comm;
        fresh->device = device;
        fresh->tensor = tensor;
        for (int m = 0; m < tensor->groups; m++)
            fresh->task[m] = (cairn_member_task){.plan = fresh, .member = m};
    }
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) status = cairn_comm_agree(comm, share_columns(fresh, rows));
    if (status == CAIRN_OK) status = create_halo(fresh);
    if (status == CAIRN_OK)
        status = cairn_comm_agree(comm, create_operands(fresh, rows, held));
    if (status == CAIRN_OK) {
        fresh->x = cairn_halo_window(fresh->halo);
        *plan    = fresh;
    } else {
        cairn_spmv_plan_destroy(&fresh);
    }
    return status;
}

void cairn_spmv_plan_destroy(cairn_spmv_plan **plan)
{
    cairn_spmv_plan *p = *plan;

    if (!p) return;
    cairn_env *env = p->comm->env;

    cairn_spmv_destroy(&p->spmv);
    cairn_halo_destroy(&p->halo);
    cairn_rows_fini(env, &p->columns);
    cairn_free(env, p->y);
    cairn_free(env, p);
    *plan = NULL;
}

static void run_member(void *argument)
{
    cairn_member_task *task  = argument;
    const double       begin = cairn_seconds();

    task->status =
        cairn_spmv_run(task->plan->spmv, task->member, task->plan->x, 0, task->plan->y);
    task->seconds = cairn_seconds() - begin;
}

cairn_status cairn_spmv_plan_run(cairn_spmv_plan *plan)
{
    const cairn_queue_ops *queue = plan->device->ops.queue;

    CAIRN_TRY(cairn_halo_begin(plan->halo));
    memset(plan->y, 0, (size_t)plan->rows * sizeof *plan->y);
    CAIRN_TRY(cairn_halo_end(plan->halo));
    cairn_status status = CAIRN_OK;

    for (int m = 0; m < plan->tensor->groups && status == CAIRN_OK; m++)
        status = queue->push(plan->device, run_member, &plan->task[m]);
    const cairn_status done = queue->wait(plan->device); /* also for what was pushed */

    CAIRN_TRY(status);
    CAIRN_TRY(done);
    for (int m = 0; m < plan->tensor->groups; m++)
        CAIRN_TRY(plan->task[m].status);
    return CAIRN_OK;
}

int64_t cairn_spmv_plan_bytes(const cairn_spmv_plan *plan)
{
    const int rank = plan->comm->rank;
    int64_t   bytes =
        8 * (plan->rows + plan->columns.first[rank + 1] - plan->columns.first[rank]);
    cairn_pos received, sent;

    for (int m = 0; m < plan->tensor->groups; m++)
        bytes += plan->tensor->group[m].bytes;
    cairn_halo_counts(plan->halo, &received, &sent);
    return bytes + 8 * (received + sent);
}
