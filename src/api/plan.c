// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans as users hold them: made, run, described.

#include "api/api.h"
#include "expr/operation.h"

#include <string.h>

static const cairn_product_options defaults = CAIRN_PRODUCT_DEFAULTS;

cairn_status cairn_product_check(cairn_context               *context,
                                 const cairn_product_options *options,
                                 int                          order)
{
    return cairn_product_valid(&context->env, options ? options : &defaults, order);
}

/// Bytes in memory beside the operands.
static int64_t held_bytes(const cairn_tensor *tensor)
{
    int64_t held = tensor->held;

    for (int m = 0; m < tensor->local->groups; m++)
        held += tensor->local->group[m].bytes;
    return held;
}

/// Which device computes which member on this rank.
static cairn_status choose_homes(const cairn_tensor          *tensor,
                                 const cairn_product_options *op,
                                 const cairn_plan_options    *options,
                                 cairn_homes                 *homes)
{
    cairn_context  *context = tensor->context;
    cairn_env      *env     = &context->env;
    const char     *place   = options && options->place ? options->place : "";
    const char     *policy  = env->options.policy[0] ? env->options.policy : "heft";
    cairn_placement placement;
    cairn_costs    *costs;

    cairn_homes_question question = {.placement = &placement,
                                     .tensor    = tensor->local,
                                     .op        = op,
                                     .ranks     = context->comm->local_size};

    CAIRN_TRY(cairn_context_costs(context, &costs));
    CAIRN_TRY(cairn_policy_find(env, policy, &question.policy));
    if (options && options->plan)
        CAIRN_TRY(cairn_plan_read_places(tensor, op, options->plan, &placement));
    else
        CAIRN_TRY(cairn_placement_parse(env, "--place", place, &placement));
    CAIRN_CHECK(placement.named <= tensor->local->groups, env, CAIRN_BAD_OPTION,
                "--place: %s: the format has %d member%s", place, tensor->local->groups,
                tensor->local->groups == 1 ? "" : "s");
    question.devices = context->devices;
    question.costs   = costs;
    return cairn_homes_choose(env, &question, homes);
}

cairn_status cairn_plan_create(cairn_tensor                *tensor,
                               const cairn_product_options *product,
                               const cairn_plan_options    *options,
                               cairn_plan                 **plan)
{
    const cairn_product_options op    = product ? *product : defaults;
    cairn_comm                 *comm  = tensor->context->comm;
    const double                begin = cairn_seconds();
    cairn_plan                 *fresh = NULL;

    CAIRN_TRY(cairn_product_valid(comm->env, &op, tensor->local->shape.order));
    cairn_status status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);

    /* Before ranks agree: destroying it needs its tensor. */
    if (status == CAIRN_OK) fresh->tensor = tensor;
    if (status == CAIRN_OK) status = choose_homes(tensor, &op, options, &fresh->homes);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK)
        status = cairn_replay_create(comm, tensor->context->devices, &fresh->homes,
                                     tensor->local, &tensor->rows, &op,
                                     held_bytes(tensor), &fresh->replay);
    if (status == CAIRN_OK) {
        fresh->seconds = cairn_seconds() - begin;
        *plan          = fresh;
        tensor->context->plans++;
    } else {
        cairn_plan_destroy(&fresh);
    }
    return status;
}

cairn_status cairn_plan_product(cairn_tensor                *tensor,
                                const cairn_product_options *options,
                                cairn_plan                 **plan)
{
    return cairn_plan_create(tensor, options, NULL, plan);
}

cairn_status cairn_plan_spmv(cairn_tensor *tensor, cairn_plan **plan)
{
    return cairn_plan_product(tensor, NULL, plan);
}

void cairn_plan_destroy(cairn_plan **plan)
{
    if (!*plan) return;
    cairn_env *env = &(*plan)->tensor->context->env;

    if ((*plan)->replay) {
        cairn_replay_observe((*plan)->replay, (*plan)->tensor->context->costs);
        (*plan)->tensor->context->plans--;
    }
    cairn_replay_destroy(&(*plan)->replay);
    cairn_free(env, *plan);
    *plan = NULL;
}

static void
own_range(const cairn_plan *plan, const cairn_rows *rows, int64_t *first, int64_t *end)
{
    *first = rows->first[plan->replay->common.comm->rank];
    *end   = rows->first[plan->replay->common.comm->rank + 1];
}

void cairn_plan_columns(const cairn_plan *plan, int64_t *first, int64_t *end)
{
    own_range(plan, &plan->replay->operands.x_rows, first, end);
}

void cairn_plan_rows(const cairn_plan *plan, int64_t *first, int64_t *end)
{
    own_range(plan, &plan->replay->operands.y_rows, first, end);
}

double *cairn_plan_x(cairn_plan *plan)
{
    return plan->tensor->dtype == CAIRN_F64 ? plan->replay->operands.x : NULL;
}

double *cairn_plan_y(const cairn_plan *plan)
{
    return plan->tensor->dtype == CAIRN_F64 ? plan->replay->operands.y : NULL;
}

float *cairn_plan_x_f32(cairn_plan *plan)
{
    return plan->tensor->dtype == CAIRN_F32 ? plan->replay->operands.x : NULL;
}

float *cairn_plan_y_f32(const cairn_plan *plan)
{
    return plan->tensor->dtype == CAIRN_F32 ? plan->replay->operands.y : NULL;
}

/// Bytes of this rank's rows of an operand.
static size_t own_bytes(const cairn_plan *plan, const cairn_rows *rows)
{
    const cairn_operands *o = &plan->replay->operands;
    int64_t               first, end;

    own_range(plan, rows, &first, &end);
    return (size_t)((end - first) * o->op.columns) * (size_t)o->value_bits / 8;
}

/// Copy unless there is nothing: a NULL or 0 bytes.
static void copy(void *to, const void *from, size_t bytes)
{
    if (to && from && bytes > 0) memcpy(to, from, bytes);
}

cairn_status cairn_plan_run(cairn_plan *plan, const void *x, void *y)
{
    const cairn_operands *o     = &plan->replay->operands;
    const size_t          bytes = own_bytes(plan, &o->y_rows);

    copy(o->x, x, own_bytes(plan, &o->x_rows));
    if (o->op.beta != 0) copy(o->y, y, bytes);
    CAIRN_TRY(cairn_replay_run(plan->replay));
    copy(y, o->y, bytes);
    return CAIRN_OK;
}
