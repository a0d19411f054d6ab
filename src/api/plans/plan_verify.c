// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The check of a product against its source (plan/verification.h).

#include "api/door.h"
#include "api/plans/permuted.h"
#include "plan/callers.h"
#include "plan/verification.h"

#include <string.h>

static bool same_rows(const cairn_rows *a, const cairn_rows *b)
{
    return a->size == b->size
           && memcmp(a->first, b->first, (size_t)(a->size + 1) * sizeof *a->first) == 0;
}

/// Can it be compared? Its entries are sorted then.
static cairn_status check_source(const cairn_plan *plan, const cairn_source *source)
{
    cairn_env        *env   = &plan->tensor->context->env;
    const cairn_shape shape = cairn_tensor_users_shape(plan->tensor);

    CAIRN_CHECK(source->shape.order == 2 && source->shape.extent[0] == shape.extent[0]
                    && source->shape.extent[1] == shape.extent[1],
                env, CAIRN_BAD_ARGUMENT,
                "verify: source: it has other extents than the tensor");
    CAIRN_CHECK(same_rows(&source->rows, cairn_tensor_users_rows(plan->tensor)), env,
                CAIRN_BAD_ARGUMENT,
                "verify: source: it was divided anew since the tensor was made of it");
    CAIRN_CHECK(!plan->tensor->places || plan->permuted, env, CAIRN_BAD_ARGUMENT,
                "verify: plan: it is permuted, and has its vectors by places");
    CAIRN_CHECK(plan->replay->common.operands->op.beta == 0, env, CAIRN_BAD_ARGUMENT,
                "verify: beta: it is %g, and what Y held before is gone",
                plan->replay->common.operands->op.beta);
    return cairn_source_sort(source);
}

cairn_status cairn_plan_verify(cairn_plan         *plan,
                               const cairn_source *source,
                               double             *rel_error,
                               double             *abs_error)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : CAIRN_CONTEXT_OF(source),
                         CAIRN_GIVEN(plan), CAIRN_GIVEN(source), CAIRN_GIVEN(rel_error),
                         CAIRN_GIVEN(abs_error));
    cairn_doing(&source->context->env, "verifying");

    cairn_context     *context  = plan->tensor->context;
    cairn_operands    *operands = plan->replay->common.operands;
    const double       limit    = plan->tensor->dtype == CAIRN_F32 ? 1e-5 : 1e-12;
    cairn_verification check    = {.operands  = operands,
                                   .entries   = &source->entries,
                                   .by_places = plan->tensor->places != NULL};
    double             error[2];
    int64_t            end;

    cairn_operands_keep_last(operands);
    check.x = cairn_plan_own_x(plan);
    check.y = cairn_plan_own_y(plan);
    cairn_plan_rows(plan, &check.first_row, &check.end_row);
    cairn_plan_columns(plan, &check.first_column, &end);
    const cairn_status status = cairn_verification_run(
        &check, check_source(plan, source), &error[0], &error[1]);

    CAIRN_TRY(cairn_context_max_if(context, status, error, 2));
    *rel_error = error[0];
    *abs_error = error[1];
    CAIRN_CHECK(error[0] <= limit, &context->env, CAIRN_NOT_VERIFIED,
                "verify: the relative error is %.3g, above %.0e", error[0], limit);
    return CAIRN_OK;
}
