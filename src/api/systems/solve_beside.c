// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A plan's tensor in another format, made by a second thread beside a solver's iterations.
/// What it makes is in a context of its own, whose allocator, messages and devices no other
/// thread uses, and whose communicator has its calls carried out by the first thread.

#include "api/systems/solve_beside.h"

#include "comm/relay.h"
#include "guard/guard.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct cairn_other_plan {
    cairn_plan               *plan; ///< The one that iterations began with.
    const cairn_solve_switch *how;
    int64_t                   products;
    cairn_context            *context; ///< Of the second thread.
    pthread_t                 thread;
    bool                      started, joined;
    /* Of the second thread, until it has left. */
    cairn_tensor  seen;  ///< The plan's, in this context: its arrays are only read,
    cairn_local   local; ///< and work with them is this environment's.
    cairn_format *format;
    cairn_tensor *tensor;
    cairn_plan   *made;
    cairn_status  status;
    double        seconds;
    char          why[320];
};

/* ---- the second thread ---- */

/// The format that was asked for, or one that pays; NULL: none does.
static cairn_status choose(cairn_other_plan *o)
{
    const cairn_solve_switch *how     = o->how;
    const cairn_auto_options  options = {.size       = sizeof options,
                                         .place      = how->place,
                                         .replays    = o->products,
                                         .candidates = how->candidates};
    cairn_auto_info           info    = CAIRN_AUTO_INFO;

    if (how->format)
        return cairn_comm_agree(
            o->context->comm, cairn_format_create(o->context, how->format, &o->format));
    CAIRN_TRY(cairn_tensor_auto(&o->seen, NULL, &options, &o->format, &info));
    snprintf(o->why, sizeof o->why, "%s", info.why[o->format ? 1 : 0]);
    return CAIRN_OK;
}

/// Iterations have their vectors where the rows are now.
static cairn_status check_rows(const cairn_other_plan *o)
{
    int64_t own[2], its[2];

    cairn_plan_rows(o->plan, &own[0], &own[1]);
    cairn_plan_rows(o->made, &its[0], &its[1]);
    CAIRN_CHECK(own[0] == its[0] && own[1] == its[1], &o->context->env,
                CAIRN_UNSUPPORTED,
                "%s: its rows would be on other ranks than the vectors",
                cairn_format_text(o->format));
    return CAIRN_OK;
}

static cairn_status make(cairn_other_plan *o)
{
    cairn_env *const         env     = &o->context->env;
    const int                threads = env->options.threads;
    const cairn_plan_options options = {.size = sizeof options, .place = o->how->place};

    CAIRN_TRY(choose(o));
    if (!o->format) return CAIRN_OK;
    env->options.threads      = 1; /* the others iterate */
    const cairn_status status = cairn_tensor_convert(&o->seen, o->format, &o->tensor);

    env->options.threads = threads;
    CAIRN_TRY(status);
    CAIRN_TRY(cairn_plan_create_with(o->tensor, &options, &o->made));
    if (o->plan->guard) CAIRN_TRY(cairn_plan_guard(o->made));
    return cairn_comm_agree(o->context->comm, check_rows(o));
}

static void *work(void *user)
{
    cairn_other_plan *const o     = user;
    const double            begin = cairn_seconds();

    o->status  = make(o);
    o->seconds = cairn_seconds() - begin;
    cairn_relay_leave(o->context->comm);
    return NULL;
}

/* ---- the first ---- */

/// Start the thread, which leaves the process's signals to the first. Local.
static cairn_status start(cairn_other_plan *o)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    o->started = pthread_create(&o->thread, NULL, work, o) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    CAIRN_CHECK(o->started, &o->plan->tensor->context->env, CAIRN_NO_MEMORY,
                "solve: other: a thread cannot be started");
    return CAIRN_OK;
}

/// The plan's tensor as the second thread sees it: with a format of its own, for conversions
/// keep what they find out with formats. Local.
static cairn_status prepare(cairn_other_plan *o)
{
    cairn_tensor *const tensor = o->plan->tensor;

    CAIRN_TRY(cairn_context_create_beside(tensor->context, &o->context));
    o->seen         = *tensor;
    o->seen.context = o->context;
    o->seen.format  = NULL;
    o->seen.local   = &o->local;
    o->local        = *tensor->local;
    o->local.env    = &o->context->env;
    o->local.copies = NULL; /* of the other context's devices */
    const cairn_status status =
        cairn_format_copy(o->context, tensor->format, &o->seen.format);

    o->local.format = o->seen.format;
    if (status == CAIRN_OK) return CAIRN_OK;
    return cairn_fail(&tensor->context->env, status, "%s", o->context->env.message);
}

/// Is there such a format? Local.
static cairn_status check(cairn_context *context, const cairn_solve_switch *how)
{
    cairn_format *format = NULL;

    if (!how->format) return CAIRN_OK;
    CAIRN_TRY(cairn_format_create(context, how->format, &format));
    const cairn_status status =
        cairn_check_order(&context->env, format, &(cairn_shape){.order = 2});

    cairn_format_destroy(&format);
    return status;
}

/// @param[in] o  NULL: there was no memory for it.
static void tell_failure(const cairn_plan *plan, cairn_other_plan *o, const char *why)
{
    cairn_context *const context = plan->tensor->context;

    if (o) snprintf(o->why, sizeof o->why, "%s", why);
    if (context->comm->rank > 0) return;
    cairn_log(&context->env, "solve: another format: %s; iterations go on in %s", why,
              cairn_format_text(plan->tensor->format));
}

static cairn_beside_stage look(void *user, double seconds)
{
    static const cairn_beside_stage stages[] = {
        [CAIRN_RELAY_WORKS] = CAIRN_BESIDE_WORKS,
        [CAIRN_RELAY_ASKS]  = CAIRN_BESIDE_ASKS,
        [CAIRN_RELAY_LEFT]  = CAIRN_BESIDE_ENDED,
    };
    const cairn_other_plan *o = user;

    return stages[cairn_relay_await(o->context->comm, seconds)];
}

static void serve(void *user)
{
    const cairn_other_plan *o = user;

    cairn_relay_serve(o->context->comm);
}

static void join(cairn_other_plan *o)
{
    if (!o->started || o->joined) return;
    cairn_relay_join(o->context->comm);
    pthread_join(o->thread, NULL);
    o->joined = true;
}

/// What it still makes is of no use.
static void stop(cairn_other_plan *o)
{
    if (!o->started || o->joined) return;
    atomic_store(&o->context->env.allowed, 0);
    join(o);
}

static cairn_status multiply(void *user, const double *x, double *y)
{
    const cairn_other_plan *o      = user;
    const cairn_status      status = cairn_plan_run(o->made, x, y);

    if (status == CAIRN_OK) return CAIRN_OK;
    return cairn_fail(&o->plan->tensor->context->env, status, "%s",
                      o->context->env.message);
}

static const char *take(void *user, cairn_solve_operator *matrix)
{
    cairn_other_plan *const    o   = user;
    const cairn_env_log *const log = &o->plan->tensor->context->env.log;

    join(o);
    cairn_context_set_log(o->context, log->tell, log->user);
    if (o->status != CAIRN_OK) tell_failure(o->plan, o, o->context->env.message);
    if (!o->made || o->status != CAIRN_OK) return NULL;
    *matrix = (cairn_solve_operator){multiply, o};
    return cairn_format_text(o->format);
}

static double seconds(void *user)
{
    (void)user;
    return cairn_seconds();
}

/// What its products' checks found is the first plan's now.
static void hand_over_guard(const cairn_other_plan *o)
{
    const cairn_guard *its = o->made ? o->made->guard : NULL;

    if (!its || !o->plan->guard) return;
    cairn_guard_info *all = &o->plan->guard->info;

    all->checked += its->info.checked;
    all->unchecked += its->info.unchecked;
    all->found += its->info.found;
    all->rows += its->info.rows;
    all->seconds += its->info.seconds;
}

static void destroy(cairn_other_plan *o)
{
    cairn_context *const context = o->plan->tensor->context;

    hand_over_guard(o);
    cairn_plan_destroy(&o->made);
    cairn_tensor_destroy(&o->tensor);
    cairn_format_destroy(&o->format);
    cairn_format_destroy(&o->seen.format);
    cairn_context_destroy_beside(context, &o->context);
    cairn_free(&context->env, o);
}

cairn_status cairn_other_plan_begin(cairn_plan               *plan,
                                    const cairn_solve_switch *how,
                                    int64_t                   products,
                                    cairn_beside_work        *beside,
                                    cairn_other_plan        **other)
{
    cairn_context *const context = plan->tensor->context;
    cairn_comm *const    comm    = context->comm;
    cairn_other_plan    *o       = NULL;
    cairn_status         status;

    CAIRN_TRY(cairn_comm_agree(comm, check(context, how)));
    status = CAIRN_NEW_ZERO(comm->env, 1, &o);
    if (status == CAIRN_OK) {
        o->plan     = plan;
        o->how      = how;
        o->products = products;
        status      = prepare(o);
    }
    /* A thread alone would wait for the others'. */
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) status = cairn_comm_agree(comm, start(o));
    *other = o;
    if (status == CAIRN_OK) {
        *beside = (cairn_beside_work){
            .user = o, .look = look, .serve = serve, .take = take, .seconds = seconds};
        return CAIRN_OK;
    }
    if (o) stop(o); /* another rank's could not be started */
    tell_failure(plan, o, comm->env->message);
    return status == CAIRN_COMM ? status : CAIRN_OK;
}

void cairn_other_plan_end(cairn_other_plan **other, cairn_solve_switch_info *info)
{
    cairn_other_plan *const o = *other;

    if (!o) return;
    if (o->started && !o->joined) {
        stop(o);
        snprintf(o->why, sizeof o->why, "iterations ended before it was there");
    }
    info->seconds = o->seconds;
    if (o->format)
        snprintf(info->format, sizeof info->format, "%s", cairn_format_text(o->format));
    snprintf(info->why, sizeof info->why, "%s", o->why);
    destroy(o);
    *other = NULL;
}
