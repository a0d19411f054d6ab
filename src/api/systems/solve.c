// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Solvers over plans, and over operators of a caller.

#include "api/systems/solve.h"

#include "api/collective_arguments.h"
#include "api/door.h"
#include "api/plans/permuted.h"
#include "api/systems/solve_beside.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/// A call on its way: what was asked, as this version knows it, and what is made of it.
typedef struct {
    cairn_solve_options     options;
    cairn_solve_state       start; ///< That options.start points to, if it is not NULL;
    cairn_solve_checkpoints checkpoints; ///< options.checkpoints,
    cairn_solve_switch      other;       ///< and options.other likewise.
    cairn_beside_work       beside;      ///< What makes it.
    cairn_solve_method      method;
    cairn_solve_system      system;
} call;

/// A caller's start and checkpoints, whose sizes are right, as this version knows them.
static void read_pointed(call *c)
{
    cairn_solve_options *o = &c->options;

    c->start       = (cairn_solve_state)CAIRN_SOLVE_STATE;
    c->checkpoints = (cairn_solve_checkpoints)CAIRN_SOLVE_CHECKPOINTS;
    if (o->start) CAIRN_READ(o->start, c->start);
    if (o->checkpoints) CAIRN_READ(o->checkpoints, c->checkpoints);
    c->other = (cairn_solve_switch)CAIRN_SOLVE_SWITCH;
    if (o->other) CAIRN_READ(o->other, c->other);
    if (o->checkpoints)
        o->checkpoints =
            c->checkpoints.folder || c->checkpoints.restart ? &c->checkpoints : NULL;
}

static cairn_status check_checkpoints(cairn_env *env, const call *c)
{
    const cairn_solve_checkpoints *how = &c->checkpoints;

    if (!c->options.checkpoints) return CAIRN_OK;
    CAIRN_CHECK(how->iterations >= 0 && how->seconds >= 0 && isfinite(how->seconds),
                env, CAIRN_BAD_ARGUMENT,
                "solve: checkpoints: every %" PRId64
                " iterations, every %g s: they are at "
                "least 0",
                how->iterations, how->seconds);
    CAIRN_CHECK(!how->restart || !c->options.start, env, CAIRN_BAD_ARGUMENT,
                "solve: start: there is checkpoints.restart, too: %s", how->restart);
    return CAIRN_OK;
}

/// What a checkpoint of this has to agree with. @param[in] format  Of the matrix.
static void identify(call *c, const char *format)
{
    cairn_solve_identity       *identity = &c->system.identity;
    const cairn_preconditioner *m        = &c->system.m;
    static const char *const    names[]  = {
            [CAIRN_PRECONDITION_NONE]    = "none",
            [CAIRN_PRECONDITION_JACOBI]  = "jacobi",
            [CAIRN_PRECONDITION_BLOCKS]  = "block-jacobi",
            [CAIRN_PRECONDITION_CALLERS] = "a preconditioner of the caller's",
    };

    identity->format = format;
    snprintf(identity->method, sizeof identity->method, "%s with %s", c->method.text,
             names[m->kind]);
    if (m->kind == CAIRN_PRECONDITION_BLOCKS)
        snprintf(identity->method, sizeof identity->method, "%s with %s:%" PRId64,
                 c->method.text, names[m->kind], m->block);
}

/// Read options into @p c. Local.
static cairn_status read_options(cairn_env *env, call *c)
{
    const cairn_solve_options *o = &c->options;

    CAIRN_TRY(cairn_method_parse(env, o->method, &c->method));
    CAIRN_TRY(cairn_precondition_parse(env, o->precondition, &c->system.m));
    CAIRN_CHECK(o->tolerance >= 0 && isfinite(o->tolerance), env, CAIRN_BAD_ARGUMENT,
                "solve: tolerance: %g: it is at least 0", o->tolerance);
    CAIRN_CHECK(o->max_iterations >= 0, env, CAIRN_BAD_ARGUMENT,
                "solve: max_iterations: %" PRId64 ": it is at least 0",
                o->max_iterations);
    CAIRN_CHECK(o->history_room >= 0 && (o->history || o->history_room == 0), env,
                CAIRN_BAD_ARGUMENT,
                "solve: history: there is no array of history_room, %" PRId64
                ", numbers",
                o->history_room);
    CAIRN_CHECK(!o->other || !o->reproducible, env, CAIRN_BAD_ARGUMENT,
                "solve: other: not with reproducible: bits follow from the format");
    if (!o->preconditioner) return CAIRN_OK;
    CAIRN_CHECK(c->system.m.kind == CAIRN_PRECONDITION_NONE, env, CAIRN_BAD_ARGUMENT,
                "solve: preconditioner: there is precondition, too: %s",
                o->precondition);
    CAIRN_CHECK(o->preconditioner->apply, env, CAIRN_BAD_ARGUMENT,
                "solve: preconditioner: apply is NULL");
    c->system.m.kind    = CAIRN_PRECONDITION_CALLERS;
    c->system.m.callers = o->preconditioner;
    return CAIRN_OK;
}

cairn_status cairn_solve_check(cairn_context             *context,
                               const cairn_solve_options *options)
{
    call c = {.options = CAIRN_SOLVE_OPTIONS};

    CAIRN_ENTER(context, CAIRN_SIZED(options, cairn_solve_options));
    CAIRN_READ(options, c.options);
    return read_options(&context->env, &c);
}

/// Arrays that may be NULL on ranks without rows alone.
static cairn_status check_vectors(cairn_env *env, const call *c)
{
    CAIRN_CHECK(c->system.rows.count == 0 || (c->system.b && c->system.x), env,
                CAIRN_BAD_ARGUMENT, "solve: %s: is NULL", c->system.b ? "x" : "b");
    return CAIRN_OK;
}

/// All ranks mean the same.
static cairn_status agree(cairn_comm *comm, cairn_status mine, const call *c)
{
    const cairn_solve_options *o         = &c->options;
    cairn_collective           arguments = {0};

    cairn_collective_text(&arguments, "method", c->method.text);
    cairn_collective_text(&arguments, "precondition", o->precondition);
    cairn_collective_real(&arguments, "tolerance", o->tolerance);
    cairn_collective_int(&arguments, "max_iterations", o->max_iterations);
    cairn_collective_text(&arguments, "reproducible", o->reproducible ? "yes" : "no");
    cairn_collective_text(&arguments, "preconditioner",
                          o->preconditioner ? "yes" : "no");
    cairn_collective_int(&arguments, "start", o->start ? o->start->iteration : -1);
    cairn_collective_text(&arguments, "other",
                          o->other && o->other->format ? o->other->format
                          : o->other                   ? "auto"
                                                       : "no");
    if (o->checkpoints) {
        cairn_collective_text(&arguments, "checkpoints", c->checkpoints.folder);
        cairn_collective_text(&arguments, "restart", c->checkpoints.restart);
        cairn_collective_int(&arguments, "iterations", c->checkpoints.iterations);
    }
    return cairn_comm_agree_on(comm, mine, &arguments);
}

/// Begin to make another format, where it is asked for. A solver that goes on from a
/// checkpoint has one format: what its job had found out is not known to it.
static cairn_status begin_other(cairn_plan              *plan,
                                call                    *c,
                                cairn_solve_switch_info *told,
                                cairn_other_plan       **other)
{
    const cairn_solve_options *o    = &c->options;
    const double               most = cairn_cost_replays(&plan->tensor->context->env);

    if (!o->other || (o->checkpoints && o->checkpoints->restart)) return CAIRN_OK;
    const int64_t products =
        (double)o->max_iterations < most ? o->max_iterations : (int64_t)most;

    CAIRN_TRY(cairn_other_plan_begin(plan, o->other, products > 0 ? products : 1,
                                     &c->beside, other));
    c->beside.info = told;
    if (c->beside.user) c->system.beside = &c->beside;
    return CAIRN_OK;
}

/// Solve what is ready, and tell. @param[in] plan  NULL: there is no matrix.
static cairn_status
run(cairn_comm *comm, cairn_plan *plan, call *c, cairn_solve_info *info)
{
    cairn_solve_info        own   = CAIRN_SOLVE_INFO;
    cairn_solve_switch_info told  = CAIRN_SOLVE_SWITCH_INFO;
    cairn_other_plan       *other = NULL;
    cairn_status status = plan ? begin_other(plan, c, &told, &other) : CAIRN_OK;

    cairn_doing(comm->env, "solving");
    if (status == CAIRN_OK)
        status = cairn_solver_run(comm, &c->system, &c->method, &c->options, &own);
    cairn_other_plan_end(&other, &told);
    if (status != CAIRN_OK && status != CAIRN_NOT_CONVERGED) return status;
    CAIRN_WRITE(info, own);
    CAIRN_WRITE(c->other.info, told);
    return status;
}

/* ---- over a plan ---- */

static cairn_status multiply(void *user, const double *x, double *y)
{
    cairn_plan *plan = user;

    return cairn_plan_run(plan, x == cairn_plan_x(plan) ? NULL : x,
                          y == cairn_plan_y(plan) ? NULL : y);
}

cairn_status
cairn_solve_check_plan(const cairn_plan *plan, const char *call, cairn_status refusal)
{
    const cairn_tensor *tensor = plan->tensor;
    const int64_t      *extent = tensor->local->shape.extent;
    cairn_env          *env    = &tensor->context->env;

    CAIRN_CHECK(extent[0] == extent[1], env, CAIRN_BAD_SHAPE,
                "%s: its matrix is %" PRId64 " x %" PRId64
                ": as many equations as unknowns are needed",
                call, extent[0], extent[1]);
    CAIRN_TRY(cairn_check_plain_product(plan, call, refusal));
    CAIRN_CHECK(tensor->dtype == CAIRN_F64, env, CAIRN_UNSUPPORTED,
                "%s: its tensor is f32; solvers have f64 in this version", call);
    return CAIRN_OK;
}

static cairn_status check_plan(const cairn_plan *plan, bool reproducible)
{
    CAIRN_TRY(cairn_check_whole_rows(plan->tensor, "solve"));
    CAIRN_TRY(cairn_solve_check_plan(plan, "solve: plan", CAIRN_BAD_ARGUMENT));
    CAIRN_CHECK(!reproducible || plan->replay->sums.reproducible,
                &plan->tensor->context->env, CAIRN_BAD_ARGUMENT,
                "solve: reproducible: the plan is not "
                "(cairn_plan_options.reproducible)");
    return CAIRN_OK;
}

cairn_status cairn_solve(cairn_plan                *plan,
                         const cairn_solve_options *options,
                         const double              *b,
                         double                    *x,
                         cairn_solve_info          *info)
{
    call c = {.options = CAIRN_SOLVE_OPTIONS};

    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_GIVEN(plan),
                         CAIRN_SIZED(options, cairn_solve_options),
                         CAIRN_SIZED(info, cairn_solve_info));
    CAIRN_READ(options, c.options);
    options = &c.options;
    CAIRN_ENTER_TOGETHER(plan->tensor->context,
                         CAIRN_SIZED(options->start, cairn_solve_state),
                         CAIRN_SIZED(options->checkpoints, cairn_solve_checkpoints),
                         CAIRN_SIZED(options->other, cairn_solve_switch));
    read_pointed(&c);
    const cairn_solve_switch *const other = &c.other;

    CAIRN_ENTER_TOGETHER(plan->tensor->context,
                         CAIRN_SIZED(other->info, cairn_solve_switch_info));
    cairn_comm *comm = plan->tensor->context->comm;
    cairn_env  *env  = comm->env;
    int64_t     end;

    cairn_plan_rows(plan, &c.system.rows.first, &end);
    c.system.rows.count = end - c.system.rows.first;
    c.system.rows.total = plan->tensor->local->shape.extent[0];
    c.system.matrix     = (cairn_solve_operator){multiply, plan};
    c.system.in         = cairn_plan_x(plan);
    c.system.out        = cairn_plan_y(plan);
    c.system.b          = b;
    c.system.x          = x;
    cairn_status status = check_plan(plan, c.options.reproducible);

    if (status == CAIRN_OK) status = read_options(env, &c);
    if (status == CAIRN_OK) status = check_checkpoints(env, &c);
    if (status == CAIRN_OK) status = check_vectors(env, &c);
    status = agree(comm, status, &c);
    if (status == CAIRN_OK)
        status =
            cairn_comm_agree(comm, cairn_precondition_read(plan->tensor, &c.system.m));
    identify(&c, cairn_format_text(cairn_tensor_format(plan->tensor)));
    if (status == CAIRN_OK && c.options.checkpoints)
        status = cairn_tensor_fingerprint(plan->tensor, c.system.identity.fingerprint);
    if (status == CAIRN_OK) status = run(comm, plan, &c, info);
    cairn_precondition_fini(env, &c.system.m);
    return status;
}

/* ---- over an operator ---- */

/// Which rows these are among those of all ranks. Collective.
static cairn_status place_rows(cairn_comm *comm, cairn_solve_rows *rows)
{
    CAIRN_TRY(cairn_comm_exscan(comm, rows->count, &rows->first));
    rows->total = rows->count;
    return comm->ops->allreduce(comm, &rows->total, 1, CAIRN_SUM);
}

cairn_status cairn_solve_with(cairn_context              *context,
                              int64_t                     rows,
                              const cairn_solve_operator *matrix,
                              const cairn_solve_options  *options,
                              const double               *b,
                              double                     *x,
                              cairn_solve_info           *info)
{
    call c = {.options = CAIRN_SOLVE_OPTIONS, .system.rows.count = rows};

    CAIRN_ENTER_TOGETHER(context, CAIRN_WITHIN(rows, 0, (int64_t)1 << 48),
                         CAIRN_GIVEN(matrix), CAIRN_SIZED(options, cairn_solve_options),
                         CAIRN_SIZED(info, cairn_solve_info));
    CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(matrix->apply));
    CAIRN_READ(options, c.options);
    options = &c.options;
    CAIRN_ENTER_TOGETHER(context, CAIRN_SIZED(options->start, cairn_solve_state),
                         CAIRN_SIZED(options->checkpoints, cairn_solve_checkpoints),
                         CAIRN_SIZED(options->other, cairn_solve_switch));
    read_pointed(&c);
    const cairn_solve_switch *const other = &c.other;

    CAIRN_ENTER_TOGETHER(context, CAIRN_SIZED(other->info, cairn_solve_switch_info));
    cairn_comm *comm = context->comm;
    cairn_env  *env  = comm->env;

    c.system.matrix     = *matrix;
    c.system.b          = b;
    c.system.x          = x;
    cairn_status status = read_options(env, &c);

    if (status == CAIRN_OK) status = check_checkpoints(env, &c);
    if (status == CAIRN_OK) status = check_vectors(env, &c);
    if (status == CAIRN_OK && c.options.other)
        status = cairn_fail(env, CAIRN_BAD_ARGUMENT,
                            "solve: other: an operator has no format");
    if (status == CAIRN_OK && c.system.m.kind != CAIRN_PRECONDITION_NONE
        && c.system.m.kind != CAIRN_PRECONDITION_CALLERS)
        status = cairn_fail(env, CAIRN_BAD_ARGUMENT,
                            "solve: precondition: %s: an operator has no entries; give "
                            "a preconditioner",
                            c.options.precondition);
    status = agree(comm, status, &c);
    identify(&c, "");
    if (status == CAIRN_OK) status = place_rows(comm, &c.system.rows);
    return status == CAIRN_OK ? run(comm, NULL, &c, info) : status;
}
