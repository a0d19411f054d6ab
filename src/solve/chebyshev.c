// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The Chebyshev iteration: Gutknecht & Roellin, Parallel Computing 28 (2002) 263, by
/// three-term recurrences of the corrections d. One pass a step where M is by leaves; its one
/// reduction is the residual's.

#include "solve/lanczos.h"
#include "solve/vectors.h"

#include <string.h>

typedef struct {
    cairn_solver               *s;
    const cairn_preconditioner *m;
    bool                        by_leaf;
    double                     *x, *r, *d, *q;
    double                     *z;         ///< Where M is not by leaves.
    double                      keep, add; ///< d = keep d + add z
} polynomial;

static void update_d(void *user, int64_t i, int64_t n, double *sum)
{
    const polynomial   *c = user;
    _Alignas(64) double room[CAIRN_PASS_ROWS];
    const double       *z =
        c->by_leaf ? cairn_precondition_rows(c->m, i, n, c->r + i, room) : c->z + i;

    cairn_vector_mix(n, c->keep, c->add, z, c->d + i);
    cairn_vector_dot(n, c->r + i, c->r + i, 1, sum);
}

static void begin_d(void *user, int64_t i, int64_t n, double *sum)
{
    const polynomial *c = user;

    memset(c->d + i, 0, (size_t)n * sizeof *c->d);
    update_d(user, i, n, sum);
}

static void update_xr(void *user, int64_t i, int64_t n, double *sum)
{
    const polynomial *c = user;

    cairn_vector_add(n, 1, c->d + i, c->x + i);
    cairn_vector_add(n, -1, c->q + i, c->r + i);
    if (c->by_leaf) update_d(user, i, n, sum);
}

/// A pass over r, and one over d.
static cairn_status
update(polynomial *c, cairn_pass_fn *r, cairn_pass_fn *d, double *square)
{
    cairn_solver *s = c->s;

    if (c->by_leaf) {
        CAIRN_TRY(cairn_sums_of(s->sums, r ? r : d, c, 1));
    } else {
        if (r) cairn_sums_pass(s->sums, r, c, 0);
        cairn_solver_precondition(s, c->r, c->z);
        CAIRN_TRY(cairn_sums_of(s->sums, d, c, 1));
    }
    *square = s->sums->result[0];
    return CAIRN_OK;
}

/// The vectors and numbers of the state.
static cairn_status prepare(polynomial *c, double **rho, double **square)
{
    cairn_solver *s = c->s;

    CAIRN_TRY(cairn_solver_vector(s, "r", &c->r));
    CAIRN_TRY(cairn_solver_vector(s, "d", &c->d));
    if (!c->by_leaf) CAIRN_TRY(cairn_solver_vector(s, NULL, &c->z));
    CAIRN_TRY(cairn_solver_scalar(s, "rho", rho));
    return cairn_solver_scalar(s, "rr", square);
}

/// The bounds that the text says, or that a start had, or those of some steps of Lanczos.
static cairn_status find_bounds(polynomial *c, double *lower, double *upper)
{
    const cairn_solve_method *method = c->s->method;

    if (method->upper > 0) {
        *lower = method->lower;
        *upper = method->upper;
    } else if (!cairn_solver_is_started(c->s)) {
        CAIRN_TRY(cairn_lanczos_bounds(c->s, lower, upper));
    }
    c->s->info.lower = *lower;
    c->s->info.upper = *upper;
    return CAIRN_OK;
}

cairn_status cairn_chebyshev_run(cairn_solver *s)
{
    polynomial   c = {.s       = s,
                      .m       = &s->system->m,
                      .by_leaf = cairn_precondition_by_leaf(&s->system->m),
                      .x       = s->system->x,
                      .d       = s->in,
                      .q       = s->out};
    double      *rho, *square, *lower, *upper;
    cairn_status status = cairn_solver_scalar(s, "lower", &lower);

    if (status == CAIRN_OK) status = cairn_solver_scalar(s, "upper", &upper);
    if (status == CAIRN_OK) status = prepare(&c, &rho, &square);
    CAIRN_TRY(cairn_solver_agree(s, status));
    CAIRN_TRY(find_bounds(&c, lower, upper));
    const double middle = (*upper + *lower) / 2, half = (*upper - *lower) / 2;
    const double sigma = middle / half;

    if (!cairn_solver_is_started(s)) {
        *rho  = 1 / sigma;
        c.add = 1 / middle;
        cairn_solver_residual(s, c.r);
        CAIRN_TRY(update(&c, NULL, begin_d, square));
    }
    CAIRN_TRY(cairn_solver_first(s, *square));
    while (!s->done) {
        const double next = 1 / (2 * sigma - *rho);

        c.keep = next * *rho;
        c.add  = 2 * next / half;
        cairn_solver_multiply(s, c.d, c.q);
        CAIRN_TRY(update(&c, update_xr, update_d, square));
        *rho = next;
        CAIRN_TRY(cairn_solver_next(s, *square));
    }
    return CAIRN_OK;
}
