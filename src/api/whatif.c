// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a plan would take on a machine that is not here.

#include "api/collective_arguments.h"
#include "api/door.h"
#include "api/systems/solve.h"
#include "cost/held_out.h"
#include "cost/rated_machine.h"

#include <cairn/whatif.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// What is asked, and what is known of this rank.
typedef struct question {
    const cairn_plan    *plan;
    const char          *method, *precondition;
    cairn_rated_machine  machine;
    cairn_step_counts    step; ///< Of a run: one product.
    cairn_replay_counts  counts;
    cairn_held_out       held;
    cairn_whatif_seconds seconds;
} question;

/// What a step of the solver does; of a run, a product.
static cairn_status count_step(question *q)
{
    cairn_env           *env = &q->plan->tensor->context->env;
    cairn_solve_method   method;
    cairn_preconditioner m = {.kind = CAIRN_PRECONDITION_NONE};

    q->step = (cairn_step_counts){.products = 1};
    CAIRN_CHECK(q->method || !q->precondition, env, CAIRN_BAD_OPTION,
                "whatif: precondition: there is no method");
    if (!q->method) return CAIRN_OK;
    /* Other steps would be no solver's. */
    CAIRN_TRY(cairn_solve_check_plan(q->plan, "whatif: plan", CAIRN_UNSUPPORTED));
    CAIRN_TRY(cairn_method_parse(env, q->method, &method));
    CAIRN_TRY(cairn_precondition_parse(env, q->precondition, &m));
    CAIRN_CHECK(cairn_method_counts(&method, &m, &q->step), env, CAIRN_UNSUPPORTED,
                "whatif: method: steps of %s with %s are not counted in this version",
                method.name, q->precondition ? q->precondition : "none");
    return CAIRN_OK;
}

static cairn_status check_plan(const question *q)
{
    const cairn_replay *replay = q->plan->replay;
    cairn_env          *env    = &q->plan->tensor->context->env;
    const int           ranks  = replay->common.comm->size;

    CAIRN_TRY(cairn_check_whole_rows(q->plan->tensor, "whatif"));
    CAIRN_CHECK(
        !q->plan->permuted, env, CAIRN_UNSUPPORTED,
        "whatif: plan: its rows are by places, and what brings vectors there and "
        "back is not counted in this version");
    CAIRN_CHECK(!replay->op.transposed || ranks == 1, env, CAIRN_UNSUPPORTED,
                "whatif: plan: its product is transposed, and sums over ranks are not "
                "counted in this version");
    CAIRN_CHECK(ranks <= q->machine.ranks, env, CAIRN_NO_DEVICE,
                "whatif: machine: %s has %" PRId64 " devices, and there are %d ranks",
                q->machine.name, q->machine.ranks, ranks);
    return CAIRN_OK;
}

/// All that can fail on one rank alone.
static cairn_status prepare(question *q, const char *path)
{
    cairn_context *context = q->plan->tensor->context;
    cairn_costs   *costs   = NULL;

    CAIRN_CHECK(path, &context->env, CAIRN_BAD_ARGUMENT,
                "cairn_plan_whatif: options: machine is NULL");
    CAIRN_TRY(cairn_rated_machine_read(&context->env, path, &q->machine));
    CAIRN_TRY(check_plan(q));
    CAIRN_TRY(count_step(q));
    cairn_replay_count(q->plan->replay, &q->counts);
    CAIRN_TRY(cairn_context_costs(context, &costs));
    return costs ? cairn_cost_held_out(costs, &q->held) : CAIRN_OK;
}

/// Seconds of a product's messages to this rank.
static double exchange_seconds(const question *q, int64_t *messages, int64_t *bytes)
{
    const cairn_operands *o       = q->plan->replay->common.operands;
    const int             rank    = q->plan->replay->common.comm->rank;
    double                seconds = 0;

    *messages = cairn_halo_sources(o->halo);
    *bytes    = 0;
    for (int k = 0; k < *messages; k++) {
        const cairn_halo_source from = cairn_halo_source_at(o->halo, k);
        const int64_t           size =
            (from.end - from.first) * (int64_t)cairn_operands_x_rows(o).row_bytes;

        *bytes += size;
        seconds += cairn_rated_message(&q->machine, from.rank, rank, (double)size);
    }
    return seconds;
}

/// Fill this rank's seconds, @p slower times as slow all that its device does.
/// @return seconds of all.
static double predict(question *q, double exchange, double slower)
{
    const cairn_comm       *comm = q->plan->replay->common.comm;
    const cairn_cost_rates *rates =
        &cairn_rated_device_of(&q->machine, comm->rank)->rates;
    const double start = q->counts.starts * rates->launch * slower;
    const double stored =
        (q->counts.bytes * rates->per_byte + q->counts.entries * rates->per_entry)
        * slower;
    const double inside = stored * q->counts.inside;
    int64_t      first, end;

    cairn_plan_rows(q->plan, &first, &end);
    const double product = start + fmax(inside, exchange) + (stored - inside);
    const double sum     = cairn_rated_sum(&q->machine, comm->size);
    const double vectors = (double)q->step.vectors * (double)(end - first)
                           * (double)sizeof(double) * rates->per_byte * slower;

    q->seconds     = (cairn_whatif_seconds){.work     = q->step.products * (start + stored),
                                            .exchange = q->step.products * exchange,
                                            .vectors  = vectors,
                                            .sums     = q->step.sums * sum};
    q->seconds.all = q->step.beside
                         ? fmax(product, sum) + vectors
                         : q->step.products * product + vectors + q->seconds.sums;
    return q->seconds.all;
}

/// What rank 0 tells the others: its measurements.
enum { ERROR, MEASUREMENTS = ERROR + 3, FAMILIES, TOLD };

/// Seconds, of which the slowest rank's count.
enum { SECONDS, LOW, HIGH, SLOWEST };

/// Have everybody's bar be by what rank 0 has measured. Collective.
static cairn_status tell(const question *q, double told[TOLD])
{
    cairn_context *context = q->plan->tensor->context;
    const bool     known   = q->held.measurements > 0;

    for (int k = 0; k < TOLD; k++)
        told[k] = 0;
    if (context->comm->rank == 0) {
        told[ERROR]        = known ? q->held.low : 1;
        told[ERROR + 1]    = known ? q->held.middle : 1;
        told[ERROR + 2]    = known ? q->held.high : 1;
        told[MEASUREMENTS] = (double)q->held.measurements;
        told[FAMILIES]     = q->held.families;
    }
    return cairn_context_max(context, told, TOLD);
}

cairn_status cairn_plan_whatif(const cairn_plan           *plan,
                               const cairn_whatif_options *options,
                               cairn_whatif               *answer)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_GIVEN(plan),
                         CAIRN_GIVEN(options),
                         CAIRN_SIZED(options, cairn_whatif_options),
                         CAIRN_GIVEN(answer), CAIRN_SIZED(answer, cairn_whatif));

    cairn_context       *context   = plan->tensor->context;
    cairn_whatif_options asked     = CAIRN_WHATIF_OPTIONS;
    cairn_collective     arguments = {0};
    cairn_whatif         own       = CAIRN_WHATIF;
    double               told[TOLD], slowest[SLOWEST];

    CAIRN_READ(options, asked);
    question q = {
        .plan = plan, .method = asked.method, .precondition = asked.precondition};

    cairn_collective_text(&arguments, "method", asked.method);
    cairn_collective_text(&arguments, "precondition", asked.precondition);
    CAIRN_TRY(
        cairn_comm_agree_on(context->comm, prepare(&q, asked.machine), &arguments));
    const double exchange = exchange_seconds(&q, &own.messages, &own.halo_bytes);

    CAIRN_TRY(tell(&q, told));
    slowest[LOW]     = predict(&q, exchange, told[ERROR]);
    slowest[HIGH]    = predict(&q, exchange, told[ERROR + 2]);
    slowest[SECONDS] = predict(&q, exchange, 1);
    CAIRN_TRY(cairn_context_max(context, slowest, SLOWEST));
    own.seconds = slowest[SECONDS];
    own.low     = slowest[LOW];
    own.high    = slowest[HIGH];
    memcpy(own.error, told + ERROR, sizeof own.error);
    own.measurements = (int64_t)told[MEASUREMENTS];
    own.families     = (int)told[FAMILIES];
    own.bytes        = (int64_t)q.counts.bytes;
    own.entries      = (int64_t)q.counts.entries;
    own.inside       = q.counts.inside;
    own.mine         = q.seconds;
    snprintf(own.machine, sizeof own.machine, "%s", q.machine.name);
    snprintf(own.device, sizeof own.device, "%s",
             cairn_rated_device_of(&q.machine, context->comm->rank)->name);
    CAIRN_WRITE(answer, own);
    return CAIRN_OK;
}
