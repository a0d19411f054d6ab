// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans whose products are checked (guard/guard.h).

#include "api/api.h"
#include "api/door.h"
#include "guard/guard.h"
#include "plan/replay_y_sum.h"

/* The other way of a plan whose places are open may be the one in use after any run. */

void cairn_plan_guard_begin(const cairn_plan *plan)
{
    cairn_replay_forget_y_sum(plan->replay);
    if (plan->adapt.other) cairn_replay_forget_y_sum(plan->adapt.other);
}

cairn_status cairn_plan_guard_end(const cairn_plan *plan, const void *x, void *y)
{
    long double sum;
    const bool  made = cairn_replay_y_sum(plan->replay, &sum);

    return cairn_guard_check(plan->guard, plan->replay->common.operands, x, y,
                             made ? &sum : NULL);
}

static cairn_status check_plan(const cairn_plan *plan)
{
    CAIRN_TRY(cairn_check_plain_product(plan, "guard: plan", CAIRN_UNSUPPORTED));
    CAIRN_CHECK(!plan->tensor->places && !plan->permuted, &plan->tensor->context->env,
                CAIRN_UNSUPPORTED, "guard: plan: its rows are by places");
    return CAIRN_OK;
}

cairn_status cairn_plan_guard(cairn_plan *plan)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_GIVEN(plan));
    cairn_guard *guard  = NULL;
    cairn_status status = check_plan(plan);

    if (status == CAIRN_OK && !plan->guard)
        status = cairn_guard_create(plan->tensor->local, plan->replay->common.operands,
                                    &guard);
    status = cairn_comm_agree(plan->tensor->context->comm, status);
    if (status != CAIRN_OK)
        cairn_guard_destroy(&guard);
    else if (guard) {
        plan->guard = guard;
        cairn_replay_sum_y(plan->replay);
        if (plan->adapt.other) cairn_replay_sum_y(plan->adapt.other);
    }
    return status;
}

cairn_status cairn_plan_guard_info(const cairn_plan *plan, cairn_guard_info *info)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_GIVEN(plan),
                         CAIRN_GIVEN(info), CAIRN_SIZED(info, cairn_guard_info));
    cairn_comm      *comm = plan->tensor->context->comm;
    cairn_guard_info own  = CAIRN_GUARD_INFO;

    CAIRN_TRY(cairn_comm_agree(comm, CAIRN_OK));
    if (plan->guard) own = plan->guard->info;
    int64_t counts[] = {own.checked, own.unchecked, own.found, own.rows};

    CAIRN_TRY(comm->ops->allreduce(comm, counts, 4, CAIRN_SUM));
    own.checked   = counts[0];
    own.unchecked = counts[1];
    own.found     = counts[2];
    own.rows      = counts[3];
    CAIRN_WRITE(info, own);
    return CAIRN_OK;
}
