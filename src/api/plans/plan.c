// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans as users hold them: made, run, described.

#include "api/collective_arguments.h"
#include "api/door.h"
#include "api/plans/permuted.h"
#include "expr/operation.h"
#include "guard/guard.h"
#include "plan/callers.h"

#include <stdio.h>
#include <string.h>

cairn_status cairn_product_check(cairn_context               *context,
                                 const cairn_product_options *options,
                                 int                          order)
{
    CAIRN_ENTER(context, CAIRN_SIZED(options, cairn_product_options),
                CAIRN_WITHIN(order, 0, INT_MAX));
    cairn_product_options op = CAIRN_PRODUCT_OPTIONS;

    CAIRN_READ(options, op);
    return cairn_product_valid(&context->env, options, order);
}

cairn_status cairn_check_plain_product(const cairn_plan *plan,
                                       const char       *call,
                                       cairn_status      refusal)
{
    const cairn_product_options *op   = &plan->replay->common.operands->op;
    const char                  *more = op->columns != 1 ? "it has several columns"
                                        : op->transposed ? "it is transposed"
                                        : op->alpha != 1 ? "alpha is not 1"
                                        : op->beta != 0  ? "beta is not 0"
                                                         : NULL;

    CAIRN_CHECK(!more, &plan->tensor->context->env, refusal,
                "%s: it is for another product than y = A x: %s", call, more);
    return CAIRN_OK;
}

int64_t cairn_plan_held(const cairn_tensor *tensor)
{
    int64_t held = tensor->held;

    for (int m = 0; m < tensor->local->groups; m++)
        held += tensor->local->group[m].bytes;
    return held;
}

/// What the user said of places: a plan, or a text.
static cairn_status read_placement(const cairn_tensor       *tensor,
                                   const cairn_plan_options *options,
                                   cairn_placement          *placement)
{
    cairn_env  *env     = &tensor->context->env;
    const char *place   = options->place ? options->place : "";
    const char *plan    = options->plan;
    const int   members = tensor->local->groups;

    CAIRN_CHECK(!plan || !options->place, env, CAIRN_BAD_OPTION,
                "plan: %s: it says where members are computed, and so does a place",
                plan);
    if (plan) {
        CAIRN_TRY(cairn_plan_read_places(tensor, options->product, plan, placement));
        return cairn_context_open_named(tensor->context, plan, placement);
    }
    CAIRN_TRY(cairn_placement_parse(env, "--place", place, placement));
    CAIRN_CHECK(placement->named <= members, env, CAIRN_BAD_OPTION,
                "option: --place: %s: the format has %d member%s", place, members,
                members == 1 ? "" : "s");
    return CAIRN_OK;
}

/// Is a member open, or divided in shares whose sizes no option names?
static bool asks_times(const cairn_placement *placement, int members)
{
    for (int m = 0; m < members; m++) {
        const cairn_place *place = &placement->member[m];

        if (place->shares == 0
            || (place->shares > 1 && place->share[0].fraction <= 0
                && place->share[0].rows < 0))
            return true;
    }
    return false;
}

/// Measure devices that may run beside the processor, whose copies decide, where times do
/// and they are not those that are shipped. What fails is left to what runs there.
static void measure_open(const cairn_context   *context,
                         const cairn_placement *placement,
                         int                    members)
{
    const bool asks = asks_times(placement, members)
                      && context->env.options.cost == CAIRN_RATES_LEARNED;

    for (int k = 0; asks && k < context->devices->count; k++) {
        cairn_device *const device = &context->devices->device[k];

        if (device->ops.seat && device->ops.measure && device->info.link.up <= 0
            && !device->lost)
            (void)device->ops.measure(device);
    }
}

/// Which device computes which member on this rank.
static cairn_status choose_homes(const cairn_tensor       *tensor,
                                 const cairn_plan_options *options,
                                 cairn_placing            *homes,
                                 cairn_placing            *beaten)
{
    cairn_context  *context = tensor->context;
    cairn_env      *env     = &context->env;
    const char     *policy  = env->options.policy[0] ? env->options.policy : "heft";
    const int       members = tensor->local->groups;
    cairn_placement placement;
    cairn_costs    *costs;

    cairn_placing_question question = {.placement = &placement,
                                       .tensor    = tensor->local,
                                       .op        = options->product,
                                       .ranks     = context->comm->local_size,
                                       .divides   = !options->reproducible,
                                       .beaten    = beaten};

    CAIRN_TRY(cairn_policy_find(env, policy, &question.policy));
    CAIRN_TRY(read_placement(tensor, options, &placement));
    CAIRN_TRY(cairn_context_costs(context, &costs));
    question.devices = context->devices;
    question.costs   = costs;
    measure_open(context, &placement, members);
    CAIRN_TRY(cairn_placing_choose(env, &question, homes));
    homes->wide =
        tensor->places && tensor->places->parts && tensor->local->value_bits == 32;
    homes->reproducible = options->reproducible;
    if (!homes->reproducible) return CAIRN_OK;
    if (homes->open == members)
        cairn_placing_gather(context->devices, tensor->local, homes);
    return CAIRN_OK;
}

/// Divide a transposed product's sums where the matrix alone says: with several ranks, the
/// matrix is stored again so that none of them has a part of a piece. Collective.
static cairn_status cut_sums(cairn_plan *plan, const cairn_plan_options *options)
{
    const cairn_tensor *tensor = plan->tensor;
    const cairn_shape  *shape  = &tensor->local->shape;
    cairn_row_cuts      cuts;

    if (!options->reproducible || !options->product->transposed)
        return choose_homes(tensor, options, &plan->homes, &plan->third);
    cairn_row_cuts_find(shape->extent[0], tensor->local->groups,
                        cairn_format_grain(tensor->format), &cuts);
    if (tensor->context->comm->size > 1) {
        CAIRN_TRY(cairn_plan_cut_tensor(tensor, &cuts, &plan->cut));
        plan->updates = tensor->local->updates;
        tensor        = plan->cut;
        cuts.rows     = &tensor->rows;
    }
    CAIRN_TRY(choose_homes(tensor, options, &plan->homes, &plan->third));
    cairn_placing_cut(tensor->local, &cuts, &plan->homes);
    return CAIRN_OK;
}

/// Free a plan, or what there is of one.
static void discard(cairn_plan **plan)
{
    if (!*plan) return;
    cairn_env *env = &(*plan)->tensor->context->env;

    cairn_autotune_fini(&(*plan)->adapt);
    cairn_replay_destroy(&(*plan)->replay);
    cairn_tensor_destroy(&(*plan)->cut);
    cairn_permuted_destroy(env, &(*plan)->permuted);
    cairn_guard_destroy(&(*plan)->guard);
    cairn_free(env, *plan);
    *plan = NULL;
}

/// @param[in] options  With a product.
static cairn_status create_plan(cairn_plan *plan, const cairn_plan_options *options)
{
    const cairn_tensor *tensor = plan->tensor;

    CAIRN_TRY(cairn_comm_agree(tensor->context->comm, cut_sums(plan, options)));
    const cairn_local *local = plan->cut ? plan->cut->local : tensor->local;
    const int64_t      held =
        cairn_plan_held(tensor) + (plan->cut ? cairn_plan_held(plan->cut) : 0);

    snprintf(plan->placement, sizeof plan->placement, "%s%s%s",
             plan->homes.open > 0 ? plan->homes.policy : "as named",
             plan->homes.note[0] ? ": " : "", plan->homes.note);
    CAIRN_TRY(cairn_replay_create(tensor->context->comm, tensor->context->devices,
                                  &plan->homes, local, &tensor->rows, options->product,
                                  held, &plan->replay));
    /* A product looks after messages as often as its rank has some, which is not relayed;
       and beside another thread's products times would say little. */
    if (!options->reproducible && !tensor->context->company.relayed)
        CAIRN_TRY(cairn_plan_try_ways(plan));
    plan->made = strlen(plan->placement);
    return CAIRN_OK;
}

/// Add the options that must be the same on all ranks; places are each rank's own.
static void add_arguments(const cairn_plan_options *options,
                          cairn_collective         *arguments)
{
    cairn_collective_product(arguments, options->product);
    cairn_collective_text(arguments, "reproducible",
                          options->reproducible ? "yes" : "no");
    cairn_collective_text(arguments, "permuted", options->permuted ? "yes" : "no");
}

/// @param[in] options  With a product; both as this version knows them.
static cairn_status
create_whole(cairn_tensor *tensor, const cairn_plan_options *options, cairn_plan **plan)
{
    cairn_comm      *comm      = tensor->context->comm;
    const double     begin     = cairn_seconds();
    cairn_plan      *fresh     = NULL;
    cairn_collective arguments = {0};

    cairn_status status =
        cairn_product_valid(comm->env, options->product, tensor->local->shape.order);

    if (status == CAIRN_OK && options->reproducible)
        status = cairn_check_own_order(tensor, "plan: reproducible");
    if (status == CAIRN_OK && options->permuted)
        status = cairn_check_whole_rows(tensor, "plan: permuted");
    if (status == CAIRN_OK && options->product->transposed)
        status = cairn_check_whole_rows(tensor, "plan: transposed");
    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);
    /* Before ranks agree: destroying it needs its tensor. */
    if (status == CAIRN_OK) fresh->tensor = tensor;
    add_arguments(options, &arguments);
    status = cairn_comm_agree_on(comm, status, &arguments);
    if (status == CAIRN_OK) status = create_plan(fresh, options);
    if (status == CAIRN_OK && tensor->places && !options->permuted)
        status = cairn_comm_agree(comm, cairn_permuted_create(fresh));
    if (status == CAIRN_OK) {
        fresh->seconds = cairn_seconds() - begin;
        *plan          = fresh;
        tensor->context->plans++;
    } else {
        discard(&fresh);
    }
    return status;
}

cairn_status cairn_plan_create_with(cairn_tensor             *tensor,
                                    const cairn_plan_options *options,
                                    cairn_plan              **plan)
{
    cairn_plan_options    own = CAIRN_PLAN_OPTIONS;
    cairn_product_options op  = CAIRN_PRODUCT_OPTIONS;

    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor),
                         CAIRN_SIZED(options, cairn_plan_options), CAIRN_GIVEN(plan));
    cairn_doing(&tensor->context->env, "preparing a product");
    CAIRN_READ(options, own);
    CAIRN_ENTER_TOGETHER(tensor->context,
                         CAIRN_SIZED(options->product, cairn_product_options));
    CAIRN_READ(own.product, op);
    return create_whole(tensor, &own, plan);
}

cairn_status cairn_plan_create_product(cairn_tensor                *tensor,
                                       const cairn_product_options *product,
                                       cairn_plan                 **plan)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor),
                         CAIRN_SIZED(product, cairn_product_options),
                         CAIRN_GIVEN(plan));
    cairn_plan_options options = CAIRN_PLAN_OPTIONS;

    options.product = product;
    return cairn_plan_create_with(tensor, &options, plan);
}

cairn_status cairn_plan_create_spmv(cairn_tensor *tensor, cairn_plan **plan)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(plan));
    return cairn_plan_create_with(tensor, NULL, plan);
}

void cairn_plan_destroy(cairn_plan **plan)
{
    if (!plan || !*plan) return;
    cairn_plan_observe(*plan);
    (*plan)->tensor->context->plans--;
    discard(plan);
}

static void
own_range(const cairn_plan *plan, const cairn_rows *rows, int64_t *first, int64_t *end)
{
    const int64_t *own = plan ? rows->first + plan->replay->common.comm->rank : NULL;

    if (first) *first = own ? own[0] : 0;
    if (end) *end = own ? own[1] : 0;
}

void cairn_plan_columns(const cairn_plan *plan, int64_t *first, int64_t *end)
{
    own_range(plan, plan ? &plan->replay->common.operands->x_rows : NULL, first, end);
}

void cairn_plan_rows(const cairn_plan *plan, int64_t *first, int64_t *end)
{
    own_range(plan, plan ? cairn_plan_y_rows(plan) : NULL, first, end);
}

static bool has_type(const cairn_plan *plan, cairn_dtype dtype)
{
    return plan && plan->tensor->dtype == dtype;
}

double *cairn_plan_x(cairn_plan *plan)
{
    return has_type(plan, CAIRN_F64) ? cairn_plan_own_x(plan) : NULL;
}

double *cairn_plan_y(const cairn_plan *plan)
{
    return has_type(plan, CAIRN_F64) ? cairn_plan_own_y(plan) : NULL;
}

float *cairn_plan_x_f32(cairn_plan *plan)
{
    return has_type(plan, CAIRN_F32) ? cairn_plan_own_x(plan) : NULL;
}

float *cairn_plan_y_f32(const cairn_plan *plan)
{
    return has_type(plan, CAIRN_F32) ? cairn_plan_own_y(plan) : NULL;
}

cairn_status cairn_plan_run(cairn_plan *plan, const void *x, void *y)
{
    if (!plan) return CAIRN_BAD_ARGUMENT; /* no context that keeps a message */
    plan->tensor->context->env.log.doing = "a product";

    cairn_operands *o = plan->replay->common.operands;

    CAIRN_TRY(cairn_plan_renew_cut(plan));
    CAIRN_TRY(cairn_permuted_bring_x(plan, &x));
    CAIRN_TRY(cairn_permuted_bring_y(plan, y));
    void *const there = plan->permuted && plan->permuted->y ? NULL : y;

    cairn_operands_lend(o, x, there);
    if (plan->guard) cairn_plan_guard_begin(plan);
    cairn_status status = cairn_plan_run_ways(plan);

    if (status == CAIRN_OK && plan->guard)
        status = cairn_plan_guard_end(plan, o->now.x, o->now.y);
    cairn_operands_give_back(o, status == CAIRN_OK ? there : NULL);
    return cairn_permuted_take_y(plan, status, y);
}
