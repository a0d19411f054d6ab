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

cairn_status cairn_plan_product(cairn_tensor                *tensor,
                                const cairn_product_options *options,
                                cairn_plan                 **plan)
{
    const cairn_product_options op    = options ? *options : defaults;
    cairn_comm                 *comm  = tensor->context->comm;
    const double                begin = cairn_seconds();
    cairn_plan                 *fresh = NULL;

    CAIRN_TRY(cairn_product_valid(comm->env, &op, tensor->local->shape.order));
    cairn_status status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);

    /* Before ranks agree: destroying it needs its tensor. */
    if (status == CAIRN_OK) fresh->tensor = tensor;
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK)
        status = cairn_comm_agree(comm, cairn_context_devices(tensor->context));
    if (status == CAIRN_OK)
        status = cairn_replay_create(comm, &tensor->context->devices->device[0],
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

cairn_status cairn_plan_spmv(cairn_tensor *tensor, cairn_plan **plan)
{
    return cairn_plan_product(tensor, NULL, plan);
}

void cairn_plan_destroy(cairn_plan **plan)
{
    if (!*plan) return;
    cairn_env *env = &(*plan)->tensor->context->env;

    if ((*plan)->replay) (*plan)->tensor->context->plans--;
    cairn_replay_destroy(&(*plan)->replay);
    cairn_free(env, *plan);
    *plan = NULL;
}

static void
own_range(const cairn_plan *plan, const cairn_rows *rows, int64_t *first, int64_t *end)
{
    *first = rows->first[plan->replay->comm->rank];
    *end   = rows->first[plan->replay->comm->rank + 1];
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

static const char *route_name(cairn_route route)
{
    static const char *const name[] = {[CAIRN_ROUTE_REFERENCE] = "reference",
                                       [CAIRN_ROUTE_PREBUILT]  = "prebuilt",
                                       [CAIRN_ROUTE_COMPILED]  = "compiled"};

    return name[route];
}

static cairn_route member_route(const cairn_plan *plan, int member)
{
    const cairn_member_kernel *kernel = &plan->replay->task[member].kernel;

    return cairn_member_kernel_lacks(kernel) ? CAIRN_ROUTE_REFERENCE
                                             : kernel->launch.route;
}

const char *cairn_plan_member_route(const cairn_plan *plan, int member)
{
    if (member < 0 || member >= plan->tensor->local->groups) return NULL;
    return route_name(member_route(plan, member));
}

/// The slowest of the members' routes: a reference one decides, then a compiled one.
static cairn_route plan_route(const cairn_plan *plan, const char **why)
{
    cairn_route route = CAIRN_ROUTE_PREBUILT;

    for (int m = 0; m < plan->tensor->local->groups; m++) {
        const cairn_route mine = member_route(plan, m);

        if (mine == CAIRN_ROUTE_REFERENCE && !*why)
            *why = plan->replay->task[m].kernel.why;
        if (mine == CAIRN_ROUTE_REFERENCE || route == CAIRN_ROUTE_PREBUILT)
            route = mine;
    }
    return route;
}

cairn_status cairn_plan_describe(const cairn_plan *plan, cairn_plan_info *info)
{
    cairn_comm *comm    = plan->replay->comm;
    int64_t     sum[2]  = {cairn_replay_bytes(plan->replay), 0};
    double      seconds = plan->seconds;
    const char *why     = NULL;
    cairn_pos   sent;

    cairn_halo_counts(plan->replay->operands.halo, &sum[1], &sent);
    CAIRN_TRY(comm->ops->allreduce(comm, sum, 2, CAIRN_SUM));
    CAIRN_TRY(cairn_context_max(plan->tensor->context, &seconds, 1));
    *info = (cairn_plan_info){.seconds       = seconds,
                              .bytes_per_run = sum[0],
                              .halo          = sum[1],
                              .route         = route_name(plan_route(plan, &why)),
                              .why           = why,
                              .device        = plan->replay->device->info.id};
    return CAIRN_OK;
}

double cairn_plan_member_seconds(const cairn_plan *plan, int member)
{
    return member >= 0 && member < plan->tensor->local->groups
               ? plan->replay->task[member].seconds
               : 0;
}
