// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the methods have in common.

#include "solve/solver.h"

#include "solve/vectors.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- vectors and numbers ---- */

static const cairn_solve_vector *find_vector(const cairn_solve_state *state,
                                             const char              *name)
{
    for (int k = 0; k < state->vectors; k++)
        if (state->vector[k].name && strcmp(state->vector[k].name, name) == 0)
            return &state->vector[k];
    return NULL;
}

static const cairn_solve_scalar *find_scalar(const cairn_solve_state *state,
                                             const char              *name)
{
    for (int k = 0; k < state->scalars; k++)
        if (state->scalar[k].name && strcmp(state->scalar[k].name, name) == 0)
            return &state->scalar[k];
    return NULL;
}

cairn_status cairn_solver_vector(cairn_solver *s, const char *name, double **at)
{
    const int64_t rows = s->system->rows.count;

    if (!*at) {
        CAIRN_TRY(CAIRN_NEW_ZERO(s->env, rows, at));
        s->block[s->blocks++] = *at;
    }
    if (!name) return CAIRN_OK;
    s->state.vector[s->state.vectors++] = (cairn_solve_vector){name, *at};
    if (!cairn_solver_is_started(s)) return CAIRN_OK;
    const cairn_solve_vector *from = find_vector(s->start, name);

    CAIRN_CHECK(from && (from->data || rows == 0), s->env, CAIRN_BAD_ARGUMENT,
                "solve: start: it has no vector %s", name);
    if (rows > 0) memcpy(*at, from->data, (size_t)rows * sizeof **at);
    return CAIRN_OK;
}

cairn_status cairn_solver_scalar(cairn_solver *s, const char *name, double **at)
{
    cairn_solve_scalar *mine = &s->state.scalar[s->state.scalars++];

    *mine = (cairn_solve_scalar){name, 0};
    *at   = &mine->value;
    if (!cairn_solver_is_started(s)) return CAIRN_OK;
    const cairn_solve_scalar *from = find_scalar(s->start, name);

    CAIRN_CHECK(from, s->env, CAIRN_BAD_ARGUMENT, "solve: start: it has no number %s",
                name);
    mine->value = from->value;
    return CAIRN_OK;
}

cairn_status cairn_solver_agree(cairn_solver *s, cairn_status mine)
{
    return cairn_comm_agree(s->sums->comm, mine);
}

/* ---- products ---- */

static void note(cairn_solver *s, cairn_status status)
{
    if (s->sums->notices.failed == CAIRN_OK) s->sums->notices.failed = status;
}

void cairn_solver_multiply(cairn_solver *s, const double *x, double *y)
{
    const double begin = cairn_seconds();

    note(s, cairn_beside_apply(&s->beside, x, y));
    s->info.products++;
    s->info.product_seconds += cairn_seconds() - begin;
}

void cairn_solver_precondition(cairn_solver *s, const double *r, double *z)
{
    const double begin = cairn_seconds();

    note(s, cairn_precondition_all(&s->system->m, s->sums, r, z));
    s->info.precondition_seconds += cairn_seconds() - begin;
}

/// From A x.
typedef struct {
    const double *b;
    double       *r;
} subtraction;

static void subtract(void *user, int64_t i, int64_t n, double *sum)
{
    const subtraction *d = user;

    (void)sum;
    cairn_vector_renew(n, d->b + i, -1, d->r + i);
}

void cairn_solver_residual(cairn_solver *s, double *r)
{
    subtraction d = {s->system->b, r};

    cairn_solver_multiply(s, s->system->x, r);
    cairn_sums_pass(s->sums, subtract, &d, 0);
}

/* ---- iterations ---- */

cairn_status cairn_solver_break(cairn_solver *s, const char *format, ...)
{
    char    why[256], far[64] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (!isnan(s->state.residual))
        snprintf(far, sizeof far, "; the residual is %.3g", s->state.residual);
    s->info.outcome = CAIRN_SOLVE_BREAKDOWN;
    s->done         = true;
    return cairn_fail(s->env, CAIRN_NOT_CONVERGED,
                      "solve: %s: iteration %" PRId64 ": %s%s", s->method->text,
                      s->state.iteration + 1, why, far);
}

/// Is this the last state, and why?
static bool ends(const cairn_solver *s, double square, cairn_solve_outcome *outcome)
{
    const cairn_solve_options *options = s->options;

    if (cairn_solver_reached(s, square))
        *outcome = CAIRN_SOLVE_CONVERGED;
    else if (s->sums->notices.ends && s->state.whole)
        *outcome = CAIRN_SOLVE_STOPPED;
    else if (s->state.iteration >= options->max_iterations)
        *outcome = CAIRN_SOLVE_LIMIT;
    else
        return false;
    return true;
}

cairn_status cairn_solver_check_finite(cairn_solver *s, const char *what, double value)
{
    if (isfinite(value)) return CAIRN_OK;
    return cairn_solver_break(s, "%s is %g: numbers are out of range", what,
                              isnan(value) ? NAN : value); /* without its sign */
}

cairn_status cairn_solver_check_positive(cairn_solver *s,
                                         const char   *what,
                                         double        value,
                                         const char   *whose)
{
    CAIRN_TRY(cairn_solver_check_finite(s, what, value));
    if (value > 0) return CAIRN_OK;
    return cairn_solver_break(s, "%s is %g: the %s is not positive definite", what,
                              value, whose);
}

/// Is |r| so, and in units of |b|?
static cairn_status check_residual(cairn_solver *s, double square)
{
    const double size = sqrt(square) / s->norm;

    return cairn_solver_check_finite(s, "|r|^2", isfinite(size) ? square : size);
}

cairn_status cairn_solver_first(cairn_solver *s, double square)
{
    const cairn_solve_options *options = s->options;
    const int64_t              k       = s->state.iteration;
    const double               size    = sqrt(square) / s->norm;

    CAIRN_TRY(check_residual(s, square));
    s->state.residual = s->info.residual = size;
    s->info.iterations                   = k;
    if (k < options->history_room) options->history[k] = size;
    s->state.format = s->keeper.format;
    s->done = s->state.last = ends(s, square, &s->info.outcome);
    if (options->step && options->step(options->user, &s->state) != 0)
        s->sums->notices.wants = true;
    s->keeper.format = cairn_beside_step(&s->beside, &s->state);
    if (s->keeper.how) cairn_keeper_step(&s->keeper, &s->state);
    return CAIRN_OK;
}

cairn_status cairn_solver_next(cairn_solver *s, double square)
{
    CAIRN_TRY(check_residual(s, square));
    s->state.iteration++;
    return cairn_solver_first(s, square);
}

/* ---- a whole solution ---- */

static void dot_b(void *user, int64_t i, int64_t n, double *sum)
{
    const double *b = user;

    cairn_vector_dot(n, b + i, b + i, 1, sum);
}

/// |b|^2, and how many of b are not 0.
static void look_at_b(void *user, int64_t i, int64_t n, double *sum)
{
    const double *b = (const double *)user + i;

    cairn_vector_dot(n, b, b, 2, sum);
    for (int64_t k = 0; k < n; k++) {
        double *const count = &sum[k / CAIRN_LEAF_ROWS * 2 + 1];

        *count = (k % CAIRN_LEAF_ROWS > 0 ? *count : 0) + (b[k] != 0);
    }
}

static cairn_status check_start(cairn_solver *s)
{
    const cairn_solve_state *start = s->start;

    if (!start) return CAIRN_OK;
    CAIRN_CHECK(start->method && strcmp(start->method, s->method->text) == 0, s->env,
                CAIRN_BAD_ARGUMENT, "solve: start: it is of %s, and this is %s",
                start->method ? start->method : "no method", s->method->text);
    CAIRN_CHECK(start->whole && start->rows == s->system->rows.count
                    && start->iteration >= 0 && start->vectors <= CAIRN_SOLVE_VECTORS
                    && start->scalars <= CAIRN_SOLVE_SCALARS,
                s->env, CAIRN_BAD_ARGUMENT,
                "solve: start: it is not whole, or has %" PRId64
                " rows on this rank, which has %" PRId64,
                start->rows, s->system->rows.count);
    return CAIRN_OK;
}

/// The norm of b, and the first vectors.
static cairn_status begin(cairn_solver *s)
{
    const cairn_solve_system *system = s->system;
    double                   *x      = system->x;

    s->state            = (cairn_solve_state){.size     = sizeof s->state,
                                              .method   = s->method->text,
                                              .rows     = system->rows.count,
                                              .residual = NAN, /* not known yet */
                                              .whole    = true};
    s->info.residual    = NAN;
    s->in               = system->in;
    s->out              = system->out;
    cairn_status status = check_start(s);

    if (status == CAIRN_OK) status = cairn_solver_vector(s, "x", &x);
    if (status == CAIRN_OK) status = cairn_solver_vector(s, NULL, &s->in);
    if (status == CAIRN_OK) status = cairn_solver_vector(s, NULL, &s->out);
    CAIRN_TRY(cairn_solver_agree(s, status));
    if (s->start) s->state.iteration = s->info.first = s->start->iteration;
    CAIRN_TRY(cairn_sums_of(s->sums, look_at_b, (void *)system->b, 2));
    s->norm = sqrt(s->sums->result[0]);
    return s->keeper.how ? cairn_keeper_open(&s->keeper) : CAIRN_OK;
}

/// x = 0 solves A x = 0.
static cairn_status solve_zero(cairn_solver *s)
{
    s->norm = 1;
    if (s->sums->result[1] > 0)
        return cairn_solver_break(s, "|b|^2 is 0, and b is not: scale it");
    memset(s->system->x, 0, (size_t)s->system->rows.count * sizeof *s->system->x);
    return cairn_solver_first(s, 0);
}

/// What is carried along drifts from what it stands for by rounding; this far only where the
/// method does not suit the matrix.
static cairn_status check_carried(cairn_solver *s)
{
    cairn_solve_info *info = &s->info;

    if (info->outcome != CAIRN_SOLVE_CONVERGED || info->true_residual <= 1e-3
        || info->true_residual <= 1e3 * s->options->tolerance)
        return CAIRN_OK;
    info->outcome = CAIRN_SOLVE_BREAKDOWN;
    if (!isfinite(info->true_residual))
        return cairn_fail(
            s->env, CAIRN_NOT_CONVERGED,
            "solve: %s: the residual computed anew is %g: numbers are out of range",
            s->method->text, info->true_residual);
    return cairn_fail(
        s->env, CAIRN_NOT_CONVERGED,
        "solve: %s: the residual that is carried along is %.3g, and computed "
        "anew %.3g: the matrix is singular, or not for this method",
        s->method->text, info->residual, info->true_residual);
}

/// |b - A x| / |b|, and what the status is.
static cairn_status end(cairn_solver *s, cairn_status status)
{
    const cairn_solve_info *info = &s->info;

    s->sums->notices.wants = false;
    cairn_solver_residual(s, s->out);
    CAIRN_TRY(cairn_sums_of(s->sums, dot_b, s->out, 1));
    s->info.true_residual = fabs(sqrt(s->sums->result[0]) / s->norm);  /* -NaN: NaN */
    if (isnan(info->residual)) s->info.residual = info->true_residual; /* not begun */
    if (status == CAIRN_OK) status = check_carried(s);
    if (status != CAIRN_OK || info->outcome == CAIRN_SOLVE_CONVERGED) return status;
    return cairn_fail(
        s->env, CAIRN_NOT_CONVERGED,
        "solve: %s: %s after %" PRId64 " iteration%s: the residual is %.3g",
        s->method->text,
        info->outcome == CAIRN_SOLVE_STOPPED ? "stopped" : "not converged",
        info->iterations, info->iterations == 1 ? "" : "s", info->residual);
}

/// Might another job go on from the last state?
static bool goes_on(const cairn_solver *s)
{
    return s->info.outcome == CAIRN_SOLVE_LIMIT
           || s->info.outcome == CAIRN_SOLVE_STOPPED;
}

cairn_status cairn_solver_run(cairn_comm                *comm,
                              const cairn_solve_system  *system,
                              const cairn_solve_method  *method,
                              const cairn_solve_options *options,
                              cairn_solve_info          *info)
{
    const double begun = cairn_seconds();
    cairn_solver s     = {.env     = comm->env,
                          .system  = system,
                          .options = options,
                          .method  = method,
                          .start   = options->start,
                          .info    = CAIRN_SOLVE_INFO};
    const int    most  = method->restart > 0 ? (int)method->restart + 2 : 3;
    cairn_status status =
        cairn_sums_create(comm, &system->rows, options->reproducible, most, &s.sums);

    s.keeper.format = system->identity.format;
    cairn_beside_init(&s.beside, system->beside, s.sums, &system->matrix,
                      system->identity.format);
    if (status == CAIRN_OK && options->checkpoints) {
        s.keeper = (cairn_keeper){.how      = options->checkpoints,
                                  .identity = &system->identity,
                                  .format   = system->identity.format,
                                  .sums     = s.sums,
                                  .b        = system->b,
                                  .info     = &s.info};
        status   = cairn_keeper_read(&s.keeper, method->text, &s.start);
    }
    if (status == CAIRN_OK) status = begin(&s);
    if (status == CAIRN_OK)
        status = s.norm > 0 || isnan(s.norm) ? method->run(&s) : solve_zero(&s);
    if (s.keeper.how)
        cairn_keeper_end(&s.keeper,
                         status == CAIRN_OK && goes_on(&s) ? &s.state : NULL);
    if (status == CAIRN_OK || status == CAIRN_NOT_CONVERGED) status = end(&s, status);
    if (s.sums) s.info.reductions = s.sums->reductions;
    s.info.seconds = cairn_seconds() - begun;
    if (status == CAIRN_OK || status == CAIRN_NOT_CONVERGED) *info = s.info;
    for (int k = 0; k < s.blocks; k++)
        cairn_free(comm->env, s.block[k]);
    cairn_sums_destroy(comm->env, &s.sums);
    return status;
}
