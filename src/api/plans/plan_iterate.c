// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A product n times, each Y the next X.

#include "api/collective_arguments.h"
#include "api/door.h"
#include "api/plans/permuted.h"
#include "plan/callers.h"
#include "plan/chain.h"

#include <inttypes.h>

/// Can a Y of this plan be its X?
static cairn_status check_square(const cairn_plan *plan)
{
    const cairn_product_options *op     = &plan->replay->common.operands->op;
    const int64_t               *extent = plan->tensor->local->shape.extent;
    cairn_env                   *env    = &plan->tensor->context->env;

    CAIRN_TRY(cairn_check_whole_rows(plan->tensor, "iterate"));
    CAIRN_CHECK(extent[0] == extent[1], env, CAIRN_BAD_ARGUMENT,
                "iterate: plan: its matrix is %" PRId64 " x %" PRId64
                ", and no Y can be the next X",
                extent[0], extent[1]);
    CAIRN_CHECK(!plan->guard, env, CAIRN_UNSUPPORTED,
                "iterate: plan: its runs are checked, which chains are not");
    CAIRN_CHECK(!op->transposed, env, CAIRN_BAD_ARGUMENT,
                "iterate: plan: its product is transposed");
    CAIRN_CHECK(op->beta == 0, env, CAIRN_BAD_ARGUMENT,
                "iterate: plan: beta is %g, and must be 0", op->beta);
    return CAIRN_OK;
}

/// The last Y, and what it was computed from, where both are by places.
static cairn_status take_vectors(cairn_plan *plan)
{
    CAIRN_TRY(cairn_permuted_take_x(plan));
    return cairn_permuted_take_y(plan, NULL);
}

cairn_status cairn_plan_iterate(cairn_plan *plan, int64_t n)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_GIVEN(plan),
                         CAIRN_WITHIN(n, 1, INT64_MAX));
    cairn_doing(&plan->tensor->context->env, "a chain of products");

    cairn_operands  *o         = plan->replay->common.operands;
    cairn_collective arguments = {0};
    const void      *none      = NULL;
    bool             turned    = false;

    cairn_collective_int(&arguments, "n", n);
    cairn_status status = cairn_comm_agree_on(plan->tensor->context->comm,
                                              check_square(plan), &arguments);

    if (status != CAIRN_OK) return status;
    CAIRN_TRY(cairn_permuted_bring_x(plan, &none));
    cairn_operands_lend(o, NULL, NULL);
    if (cairn_replay_chain(plan->replay, n)) return take_vectors(plan);
    for (int64_t k = 0; k < n && status == CAIRN_OK; k++) {
        if (k > 0) turned = cairn_operands_chain(o, turned);
        status = cairn_plan_run_ways(plan);
    }
    cairn_operands_end_chain(o, turned);
    return status == CAIRN_OK ? take_vectors(plan) : status;
}
