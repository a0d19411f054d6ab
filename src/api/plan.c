// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans as users hold them: made, run, described.

#include "api/api.h"
#include "expr/operation.h"

#include <stdio.h>
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

/// What the user said of places: a plan, or a text.
static cairn_status read_placement(const cairn_tensor          *tensor,
                                   const cairn_product_options *op,
                                   const cairn_plan_options    *options,
                                   cairn_placement             *placement)
{
    cairn_env  *env     = &tensor->context->env;
    const char *place   = options && options->place ? options->place : "";
    const char *plan    = options ? options->plan : NULL;
    const int   members = tensor->local->groups;

    CAIRN_CHECK(!plan || !options->place, env, CAIRN_BAD_OPTION,
                "plan: %s: it says where members are computed, and so does a place",
                plan);
    if (plan) {
        CAIRN_TRY(cairn_plan_read_places(tensor, op, plan, placement));
        return cairn_context_open_named(tensor->context, plan, placement);
    }
    CAIRN_TRY(cairn_placement_parse(env, "--place", place, placement));
    CAIRN_CHECK(placement->named <= members, env, CAIRN_BAD_OPTION,
                "option: --place: %s: the format has %d member%s", place, members,
                members == 1 ? "" : "s");
    return CAIRN_OK;
}

/// Which device computes which member on this rank.
static cairn_status choose_homes(const cairn_tensor          *tensor,
                                 const cairn_product_options *op,
                                 const cairn_plan_options    *options,
                                 cairn_homes                 *homes)
{
    cairn_context  *context = tensor->context;
    cairn_env      *env     = &context->env;
    const char     *policy  = env->options.policy[0] ? env->options.policy : "heft";
    const int       members = tensor->local->groups;
    cairn_placement placement;
    cairn_costs    *costs;

    cairn_homes_question question = {.placement = &placement,
                                     .tensor    = tensor->local,
                                     .op        = op,
                                     .ranks     = context->comm->local_size,
                                     .divides   = !options || !options->reproducible};

    CAIRN_TRY(cairn_policy_find(env, policy, &question.policy));
    CAIRN_TRY(read_placement(tensor, op, options, &placement));
    CAIRN_TRY(cairn_context_costs(context, &costs));
    question.devices = context->devices;
    question.costs   = costs;
    CAIRN_TRY(cairn_homes_choose(env, &question, homes));
    if (options && options->reproducible && homes->open == members)
        cairn_homes_gather(context->devices, tensor->local, homes);
    return CAIRN_OK;
}

/// Free a plan, or what there is of one.
static void discard(cairn_plan **plan)
{
    if (!*plan) return;
    cairn_env *env = &(*plan)->tensor->context->env;

    cairn_replay_destroy(&(*plan)->replay);
    cairn_free(env, *plan);
    *plan = NULL;
}

/// What plans are made of, again with other homes.
static cairn_status create_replay(const cairn_tensor          *tensor,
                                  const cairn_product_options *op,
                                  const cairn_homes           *homes,
                                  int64_t                      held,
                                  cairn_replay               **replay)
{
    return cairn_replay_create(tensor->context->comm, tensor->context->devices, homes,
                               tensor->local, &tensor->rows, op, held, replay);
}

/// May members be tried elsewhere? On no rank did anybody say where they shall be, on
/// some they are on several devices, and all have the processor.
///
/// Collective.
static cairn_status may_race(const cairn_plan *plan, cairn_homes *alone, bool *may)
{
    cairn_comm          *comm    = plan->tensor->context->comm;
    const cairn_devices *devices = plan->tensor->context->devices;
    const int            members = plan->tensor->local->groups;
    int64_t              least[2];

    *alone   = plan->homes;
    least[0] = plan->homes.open == members
               && cairn_homes_gather(devices, plan->tensor->local, alone);
    least[1] = -(int64_t)cairn_homes_are_spread(&plan->homes, devices);
    CAIRN_TRY(comm->ops->allreduce(comm, least, 2, CAIRN_MIN));
    *may = least[0] == 1 && least[1] < 0;
    return CAIRN_OK;
}

/// Has a device failed in a run, on any rank? Collective.
static cairn_status has_failed(const cairn_replay *replay, int64_t *failed)
{
    cairn_comm *comm = replay->common.comm;

    *failed = 0;
    for (int p = 0; p < replay->pieces; p++)
        *failed |= replay->piece[p].retired[0] != 0;
    return comm->ops->allreduce(comm, failed, 1, CAIRN_MAX);
}

/// Time the plan against its other, and keep the faster in the plan. One whose device has
/// failed stays, for it knows what became of its parts.
///
/// Collective.
static cairn_status
race(cairn_plan *plan, const cairn_homes *alone, cairn_replay **other)
{
    const cairn_devices *devices = plan->tensor->context->devices;
    cairn_replay        *first   = plan->replay;
    double               seconds[2];
    int64_t              failed;

    CAIRN_TRY(cairn_replay_race(first, *other, seconds));
    CAIRN_TRY(has_failed(first, &failed));
    const bool keeps = failed || seconds[0] <= seconds[1];

    snprintf(plan->placement, sizeof plan->placement,
             "%s: several devices %.4g ms, %s alone %.4g ms: %s", plan->homes.policy,
             1e3 * seconds[0], devices->device[alone->home[0].device].info.id,
             1e3 * seconds[1], keeps ? "several" : "alone");
    if (keeps) return CAIRN_OK;
    plan->replay = *other;
    plan->homes  = *alone;
    *other       = first;
    return CAIRN_OK;
}

/// Several devices are not always faster than one: where nobody has said that there shall
/// be several, both are tried, and the faster one stays. Where there is no room for two,
/// nothing is tried.
///
/// Collective.
static cairn_status try_alone(cairn_plan *plan, const cairn_product_options *op)
{
    const int64_t held = held_bytes(plan->tensor)
                         + cairn_operands_bytes(&plan->replay->operands)
                         + cairn_replay_share_bytes(plan->replay);
    cairn_replay *other = NULL;
    cairn_homes   alone;
    bool          may;

    CAIRN_TRY(may_race(plan, &alone, &may));
    if (!may) return CAIRN_OK;
    if (create_replay(plan->tensor, op, &alone, held, &other) != CAIRN_OK)
        return CAIRN_OK;
    const cairn_status status = race(plan, &alone, &other);

    cairn_replay_destroy(&other);
    if (status == CAIRN_OK) cairn_replay_begin_anew(plan->replay);
    return status;
}

static cairn_status create_plan(cairn_plan                  *plan,
                                const cairn_product_options *op,
                                const cairn_plan_options    *options)
{
    const cairn_tensor *tensor = plan->tensor;

    CAIRN_TRY(cairn_comm_agree(tensor->context->comm,
                               choose_homes(tensor, op, options, &plan->homes)));
    snprintf(plan->placement, sizeof plan->placement, "%s%s%s",
             plan->homes.open > 0 ? plan->homes.policy : "as named",
             plan->homes.note[0] ? ": " : "", plan->homes.note);
    CAIRN_TRY(
        create_replay(tensor, op, &plan->homes, held_bytes(tensor), &plan->replay));
    return options && options->reproducible ? CAIRN_OK : try_alone(plan, op);
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
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) status = create_plan(fresh, &op, options);
    if (status == CAIRN_OK) {
        fresh->seconds = cairn_seconds() - begin;
        *plan          = fresh;
        tensor->context->plans++;
    } else {
        discard(&fresh);
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
    cairn_replay_observe((*plan)->replay, (*plan)->tensor->context->costs);
    (*plan)->tensor->context->plans--;
    discard(plan);
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
