// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A transposed product whose bits do not depend on the number of ranks: its matrix once
/// more, divided among ranks where sums are cut (plan/cut_sums.h). What has been stored so
/// for a plan is the plan's.

#include "api/api.h"
#include "comm/move_entries.h"

/// The rows of every piece go to one rank, and the ranks have pieces in their order.
static cairn_status
divide(cairn_comm *comm, const cairn_row_cuts *cuts, cairn_rows *rows)
{
    cairn_rows fresh = {.size = comm->size};

    CAIRN_TRY(CAIRN_NEW(comm->env, comm->size + 1, &fresh.first));
    for (int r = 0; r <= comm->size; r++)
        fresh.first[r] =
            cuts->row[((int64_t)r * cuts->count + comm->size - 1) / comm->size];
    *rows = fresh;
    return CAIRN_OK;
}

/// Its entries, on the ranks that have them then. Collective.
static cairn_status take_entries(const cairn_tensor   *tensor,
                                 const cairn_row_cuts *cuts,
                                 cairn_source         *source)
{
    cairn_comm *comm = tensor->context->comm;

    CAIRN_TRY(cairn_comm_agree(comm, divide(comm, cuts, &source->rows)));
    CAIRN_TRY(cairn_entries_to_owners(comm, &source->rows, &source->entries, NULL));
    return cairn_comm_agree(comm, cairn_entries_sort(comm->env, &source->entries));
}

cairn_status cairn_plan_cut_tensor(const cairn_tensor   *tensor,
                                   const cairn_row_cuts *cuts,
                                   cairn_tensor        **cut)
{
    cairn_source *source = NULL;
    cairn_status  status = cairn_comm_agree(tensor->context->comm,
                                            cairn_tensor_take_entries(tensor, &source));

    if (status == CAIRN_OK) status = take_entries(tensor, cuts, source);
    if (status == CAIRN_OK)
        status = cairn_tensor_create_divided(source, tensor->format, tensor->dtype,
                                             cairn_plan_held(tensor), cut);
    cairn_source_destroy(&source);
    return status;
}

/// Store the matrix and prepare the product again, in the plan's X and Y.
static cairn_status renew(cairn_plan *plan)
{
    cairn_tensor *cut   = NULL;
    cairn_replay *again = NULL;
    cairn_placing homes = plan->homes;
    const int64_t held  = cairn_plan_held(plan->tensor) + cairn_plan_held(plan->cut);

    CAIRN_TRY(cairn_plan_cut_tensor(plan->tensor, &plan->homes.cuts, &cut));
    homes.cuts.rows     = &cut->rows;
    cairn_status status = cairn_replay_create_again(
        plan->replay, &homes, cut->local, held + cairn_plan_held(cut), &again);

    if (status != CAIRN_OK) {
        cairn_tensor_destroy(&cut);
        return status;
    }
    cairn_replay_destroy(&plan->replay);
    cairn_tensor_destroy(&plan->cut);
    plan->replay  = again;
    plan->cut     = cut;
    plan->homes   = homes;
    plan->updates = plan->tensor->local->updates;
    return CAIRN_OK;
}

cairn_status cairn_plan_renew_cut(cairn_plan *plan)
{
    cairn_comm *comm = plan->tensor->context->comm;
    int64_t     old;

    if (!plan->cut) return CAIRN_OK;
    old = plan->updates != plan->tensor->local->updates; /* values may be one rank's */
    CAIRN_TRY(comm->ops->allreduce(comm, &old, 1, CAIRN_MAX));
    return old ? renew(plan) : CAIRN_OK;
}
