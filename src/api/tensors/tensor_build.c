// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One build of a tensor's arrays: who compiles its functions, by which rates its methods
/// are chosen, and what is learned from how long it took.

#include "api/api.h"
#include "convert/card.h"
#include "cost/moves.h"

#include <string.h>

/* Entries from which rates are asked for: fewer are converted before the file of costs is
   read. */
enum { WORTH_ASKING = 1000000 };

/// The processor, as models of conversions know it: ranks convert their own entries.
static void describe_device(const cairn_context *context, cairn_cost_device *device)
{
    cairn_cost_device_of(&context->devices->device[0], 1, device);
}

/// Rates measured on this rank's machine; 0 where none were.
static void read_rates(cairn_context *context, cairn_move_rates *rates)
{
    cairn_costs      *costs;
    cairn_cost_device device;

    *rates = (cairn_move_rates){0};
    if (context->env.options.cost == CAIRN_RATES_SHIPPED
        || cairn_context_costs(context, &costs) != CAIRN_OK)
        return;
    describe_device(context, &device);
    if (!cairn_cost_moves(costs, &device, rates)) *rates = (cairn_move_rates){0};
}

/// Have all ranks choose by what the first one's machine has seen when the context first
/// asks, whatever is learned later: the same conversion goes the same way again.
static cairn_status agree_on_rates(cairn_context *context)
{
    cairn_comm *comm = context->comm;

    if (context->moves.asked) return CAIRN_OK;
    if (comm->rank == 0) read_rates(context, &context->moves.rates);
    context->moves.asked = true;
    if (comm->size == 1) return CAIRN_OK;
    return comm->ops->broadcast(comm, &context->moves.rates,
                                sizeof context->moves.rates, 0);
}

/// All ranks judge the build by the same number of entries, so that all ask or none does.
static cairn_status
find_rates(cairn_context *context, const cairn_build *build, cairn_build_loader *loader)
{
    if (cairn_build_judged_by(build) < WORTH_ASKING) return CAIRN_OK;
    CAIRN_TRY(agree_on_rates(context));
    if (context->moves.rates.in_order > 0) loader->loader.moves = &context->moves.rates;
    return CAIRN_OK;
}

const char *cairn_context_rates(const cairn_context *context, const cairn_build *build)
{
    const cairn_options *options = &context->env.options;

    if (options->convert[0] || options->kernels == CAIRN_KERNELS_REFERENCE) return NULL;
    return build && build->loader && build->loader->moves ? "learned" : "shipped";
}

static bool runs_on_card(const cairn_pass_list *program)
{
    for (int k = 0; k < program->passes; k++)
        if (program->pass[k].place.device) return true;
    return false;
}

/// Learn from a build that was done by functions, without waits for other ranks.
static void learn(cairn_context      *context,
                  const cairn_tensor *tensor,
                  const cairn_build  *build,
                  double              seconds)
{
    cairn_cost_device device;

    if (context->comm->size > 1 || !context->costs || !build->loader
        || build->loader->interprets || tensor->format->members > 1
        || cairn_build_judged_by(build) < WORTH_ASKING
        || runs_on_card(&tensor->how.path->program))
        return;
    describe_device(context, &device);
    cairn_cost_observe_moves(context->costs, &device, &tensor->how.path->program,
                             context->moves.rates.in_order > 0
                                 ? &context->moves.rates
                                 : &cairn_move_rates_shipped,
                             cairn_build_entries(build), seconds);
}

/// The first card of the run, for builds of one rank; NULL: there is none.
static cairn_device *find_card(const cairn_context *context)
{
    for (int k = 0; context->devices && k < context->devices->count; k++)
        if (context->devices->device[k].ops.grids && context->comm->size == 1)
            return &context->devices->device[k];
    return NULL;
}

/// Build; what a card could not do, without it, and from its begin.
static cairn_status build_somehow(cairn_context      *context,
                                  cairn_build_loader *loader,
                                  cairn_build        *build,
                                  cairn_tensor       *tensor)
{
    cairn_conversion_card card = {.device = find_card(context)};

    if (card.device) loader->loader.card = &card;
    cairn_status status = cairn_local_build(&context->env, build, &tensor->local);

    if (status != CAIRN_OK && card.failed) {
        build->report.log->tasks = 0;
        status = cairn_local_build(&context->env, build, &tensor->local);
        if (status == CAIRN_OK)
            memcpy(tensor->how.why, card.why, sizeof tensor->how.why);
    }
    loader->loader.card = NULL;
    return status;
}

cairn_status
cairn_context_build(cairn_context *context, cairn_build *build, cairn_tensor *tensor)
{
    cairn_comm        *comm   = context->comm;
    cairn_build_loader loader = {.seconds = 0};

    build->report.route           = &tensor->how.route;
    build->report.why_interpreted = tensor->how.interpreted;
    build->report.log             = &tensor->how.log;
    build->report.executed        = &tensor->how.path;
    CAIRN_TRY(cairn_build_judge(build));
    CAIRN_TRY(cairn_comm_agree(
        comm, cairn_context_loader(context, build, &loader, tensor->how.why)));
    CAIRN_TRY(find_rates(context, build, &loader));
    const double begin = cairn_seconds();

    CAIRN_TRY(build_somehow(context, &loader, build, tensor));
    tensor->how.path->rates = cairn_context_rates(context, build);
    learn(context, tensor, build, cairn_seconds() - begin - loader.seconds);
    return CAIRN_OK;
}
