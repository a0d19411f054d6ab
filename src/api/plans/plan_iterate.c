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
static cairn_status take_vectors(cairn_plan *plan, cairn_status status)
{
    if (status == CAIRN_COMM) return status;
    const cairn_status taken = cairn_permuted_take_x(plan);

    return cairn_permuted_take_y(plan, status != CAIRN_OK ? status : taken, NULL);
}

/// Does a chain go on behind a product of that status? A rank whose product failed stays
/// with the others to the end, unless there are none, or they are not to be reached.
static bool goes_on(const cairn_plan *plan, cairn_status status)
{
    return status == CAIRN_OK
           || (plan->tensor->context->comm->size > 1 && status != CAIRN_COMM);
}

/// One more product. What others get of one that failed, or of those behind it, is NaN.
static cairn_status run_on(cairn_plan *plan, cairn_status before)
{
    const cairn_status status = cairn_plan_run_ways(plan);

    if (before != CAIRN_OK || status != CAIRN_OK)
        cairn_operands_spoil_y(plan->replay->common.operands);
    return before != CAIRN_OK ? before : status;
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
    if (cairn_replay_chain(plan->replay, n)) return take_vectors(plan, CAIRN_OK);
    for (int64_t k = 0; k < n && goes_on(plan, status); k++) {
        if (k > 0) turned = cairn_operands_chain(o, turned);
        status = run_on(plan, status);
    }
    cairn_operands_end_chain(o, turned);
    return take_vectors(plan, status);
}
