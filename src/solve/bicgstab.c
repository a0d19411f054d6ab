// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// BiCGSTAB: van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631, with M from the right,
/// as of its section 4 with K1 = I. Three reductions a step: alpha, omega and rho each need
/// what comes of the one before.

#include "solve/solver.h"
#include "solve/vectors.h"

#include <string.h>

typedef struct {
    cairn_solver               *s;
    const cairn_preconditioner *m;
    bool                        by_leaf;
    double                     *x, *r, *shadow, *p, *v,
        *t;     ///< shadow: r of the beginning; r: s in between.
    double *in; ///< M^-1 p, then M^-1 s.
    double  alpha, beta, omega;
} stabilized;

/// M^-1 of some rows into `in`, if that is by leaves.
static void precondition(const stabilized *c, const double *from, int64_t i, int64_t n)
{
    if (!c->by_leaf) return;
    const double *z = cairn_precondition_rows(c->m, i, n, from + i, c->in + i);

    if (z != c->in + i) memcpy(c->in + i, z, (size_t)n * sizeof *z);
}

/// Likewise of all rows, if it is not.
static void precondition_all(stabilized *c, const double *from)
{
    if (!c->by_leaf) cairn_solver_precondition(c->s, from, c->in);
}

static void begin_p(void *user, int64_t i, int64_t n, double *sum)
{
    const stabilized *c = user;

    memcpy(c->shadow + i, c->r + i, (size_t)n * sizeof *c->r);
    memcpy(c->p + i, c->r + i, (size_t)n * sizeof *c->r);
    cairn_vector_dot(n, c->r + i, c->r + i, 1, sum);
}

static void make_in(void *user, int64_t i, int64_t n, double *sum)
{
    const stabilized *c = user;

    (void)sum;
    precondition(c, c->p, i, n);
}

static void dot_v(void *user, int64_t i, int64_t n, double *sum)
{
    const stabilized *c = user;

    cairn_vector_dot(n, c->shadow + i, c->v + i, 1, sum);
}

/// x by the first half of a step; s, in place of r; M^-1 s.
static void halve(void *user, int64_t i, int64_t n, double *sum)
{
    const stabilized *c = user;

    (void)sum;
    cairn_vector_add(n, c->alpha, c->in + i, c->x + i);
    cairn_vector_add(n, -c->alpha, c->v + i, c->r + i);
    precondition(c, c->r, i, n);
}

static void dot_t(void *user, int64_t i, int64_t n, double *sum)
{
    const stabilized *c = user;

    cairn_vector_dot(n, c->t + i, c->r + i, 2, sum);
    cairn_vector_dot(n, c->t + i, c->t + i, 2, sum + 1);
}

static void finish(void *user, int64_t i, int64_t n, double *sum)
{
    const stabilized *c = user;

    cairn_vector_add(n, c->omega, c->in + i, c->x + i);
    cairn_vector_add(n, -c->omega, c->t + i, c->r + i);
    cairn_vector_dot(n, c->r + i, c->r + i, 2, sum);
    cairn_vector_dot(n, c->shadow + i, c->r + i, 2, sum + 1);
}

static void update_p(void *user, int64_t i, int64_t n, double *sum)
{
    const stabilized *c = user;

    (void)sum;
    cairn_vector_add(n, -c->omega, c->v + i, c->p + i);
    cairn_vector_renew(n, c->r + i, c->beta, c->p + i);
    precondition(c, c->p, i, n);
}

/// @param[in,out] rho  Of shadow and r.
/// @param[out]    square  |r|^2
static cairn_status step(stabilized *c, double *rho, double *square)
{
    cairn_solver *s = c->s;

    if (*rho == 0) return cairn_solver_break(s, "rho is 0");
    cairn_solver_multiply(s, c->in, c->v);
    CAIRN_TRY(cairn_sums_of(s->sums, dot_v, c, 1));
    if (s->sums->result[0] == 0) return cairn_solver_break(s, "r0'v is 0");
    c->alpha = *rho / s->sums->result[0];
    cairn_sums_pass(s->sums, halve, c, 0);
    precondition_all(c, c->r);
    cairn_solver_multiply(s, c->in, c->t);
    CAIRN_TRY(cairn_sums_of(s->sums, dot_t, c, 2));
    /* t is 0 where s is, which solves it, or where A is singular. */
    c->omega = s->sums->result[1] > 0 ? s->sums->result[0] / s->sums->result[1] : 0;
    CAIRN_TRY(cairn_sums_of(s->sums, finish, c, 2));
    *square = s->sums->result[0];
    if (c->omega == 0 && *square > 0) return cairn_solver_break(s, "omega is 0");
    c->beta = *square > 0 ? s->sums->result[1] / *rho * (c->alpha / c->omega) : 0;
    *rho    = s->sums->result[1];
    cairn_sums_pass(s->sums, update_p, c, 0);
    precondition_all(c, c->p);
    return CAIRN_OK;
}

cairn_status cairn_bicgstab_run(cairn_solver *s)
{
    stabilized   c = {.s       = s,
                      .m       = &s->system->m,
                      .by_leaf = cairn_precondition_by_leaf(&s->system->m),
                      .x       = s->system->x,
                      .in      = s->in,
                      .t       = s->out};
    double      *rho, *square;
    cairn_status status = cairn_solver_vector(s, "r", &c.r);

    if (status == CAIRN_OK) status = cairn_solver_vector(s, "r0", &c.shadow);
    if (status == CAIRN_OK) status = cairn_solver_vector(s, "p", &c.p);
    if (status == CAIRN_OK) status = cairn_solver_vector(s, NULL, &c.v);
    if (status == CAIRN_OK) status = cairn_solver_scalar(s, "rho", &rho);
    if (status == CAIRN_OK) status = cairn_solver_scalar(s, "rr", &square);
    CAIRN_TRY(cairn_solver_agree(s, status));
    if (!cairn_solver_is_started(s)) {
        cairn_solver_residual(s, c.r);
        CAIRN_TRY(cairn_sums_of(s->sums, begin_p, &c, 1));
        *rho = *square = s->sums->result[0];
    }
    cairn_sums_pass(s->sums, make_in, &c, 0);
    precondition_all(&c, c.p);
    CAIRN_TRY(cairn_solver_first(s, *square));
    while (!s->done) {
        CAIRN_TRY(step(&c, rho, square));
        CAIRN_TRY(cairn_solver_next(s, *square));
    }
    return CAIRN_OK;
}
