// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Pipelined conjugate gradients: Ghysels & Vanroose, Parallel Computing 40 (2014) 224,
/// algorithm 4, in its names. The sums of a step travel while the next product is computed,
/// at the price of five vectors more and of rounding errors that the recurrences carry along:
/// what it can reach is a larger residual than that of CG.

#include "solve/solver.h"
#include "solve/vectors.h"

typedef struct {
    cairn_solver               *s;
    const cairn_preconditioner *m;
    double       *x, *r, *u, *w, *z, *q, *p; ///< u is r, and q is s, where
    double       *d;           ///< M is the identity. What the source calls s.
    const double *now, *a_now; ///< m = M^-1 w, n = A m.
    double        alpha, beta;
} pipeline;

static void dots(void *user, int64_t i, int64_t n, double *sum)
{
    const pipeline *c = user;

    cairn_vector_dot(n, c->r + i, c->r + i, 3, sum);
    if (c->u == c->r)
        cairn_vector_same_sums(n, 3, sum);
    else
        cairn_vector_dot(n, c->r + i, c->u + i, 3, sum + 1);
    cairn_vector_dot(n, c->w + i, c->u + i, 3, sum + 2);
}

static void update(void *user, int64_t i, int64_t n, double *sum)
{
    const pipeline *c     = user;
    const bool      plain = c->u == c->r;

    cairn_vector_renew(n, c->a_now + i, c->beta, c->z + i);
    if (!plain) cairn_vector_renew(n, c->now + i, c->beta, c->q + i);
    cairn_vector_renew(n, c->w + i, c->beta, c->d + i);
    cairn_vector_renew(n, c->u + i, c->beta, c->p + i);
    cairn_vector_add(n, c->alpha, c->p + i, c->x + i);
    cairn_vector_add(n, -c->alpha, c->d + i, c->r + i);
    if (!plain) cairn_vector_add(n, -c->alpha, c->q + i, c->u + i);
    cairn_vector_add(n, -c->alpha, c->z + i, c->w + i);
    dots(user, i, n, sum);
}

static cairn_status
prepare(cairn_solver *s, pipeline *c, double **gamma, double **alpha)
{
    const bool plain = c->m->kind == CAIRN_PRECONDITION_NONE;

    CAIRN_TRY(cairn_solver_vector(s, "r", &c->r));
    CAIRN_TRY(cairn_solver_vector(s, "w", &c->w));
    CAIRN_TRY(cairn_solver_vector(s, "z", &c->z));
    CAIRN_TRY(cairn_solver_vector(s, "s", &c->d));
    CAIRN_TRY(cairn_solver_vector(s, "p", &c->p));
    if (plain) {
        c->u = c->r;
        c->q = c->d;
    } else {
        CAIRN_TRY(cairn_solver_vector(s, "u", &c->u));
        CAIRN_TRY(cairn_solver_vector(s, "q", &c->q));
    }
    CAIRN_TRY(cairn_solver_scalar(s, "gamma", gamma));
    return cairn_solver_scalar(s, "alpha", alpha);
}

/// m and n, while the sums are under way.
static cairn_status reduce(pipeline *c)
{
    cairn_solver *s = c->s;

    CAIRN_TRY(cairn_sums_begin(s->sums));
    if (c->m->kind == CAIRN_PRECONDITION_NONE) {
        c->now = c->w;
    } else {
        cairn_solver_precondition(s, c->w, s->in);
        c->now = s->in;
    }
    cairn_solver_multiply(s, c->now, s->out);
    c->a_now = s->out;
    return cairn_sums_end(s->sums);
}

/// From gamma and delta of this step, and gamma and alpha of the one before, if there was
/// one.
static cairn_status step(pipeline *c, double *gamma, double *alpha)
{
    cairn_solver *s   = c->s;
    const double  now = s->sums->result[1], delta = s->sums->result[2];

    CAIRN_TRY(cairn_solver_check_positive(s, "r'u", now, "preconditioner"));
    c->beta            = *gamma > 0 ? now / *gamma : 0;
    const double below = *gamma > 0 ? delta - c->beta * now / *alpha : delta;

    CAIRN_TRY(cairn_solver_check_positive(s, "p'Ap", below, "matrix"));
    *gamma = now;
    *alpha = c->alpha = now / below;
    cairn_sums_pass(s->sums, update, c, 3);
    return CAIRN_OK;
}

cairn_status cairn_pipelined_cg_run(cairn_solver *s)
{
    pipeline c = {.s = s, .m = &s->system->m, .x = s->system->x};
    double  *gamma, *alpha;

    CAIRN_TRY(cairn_solver_agree(s, prepare(s, &c, &gamma, &alpha)));
    if (!cairn_solver_is_started(s)) {
        cairn_solver_residual(s, c.r);
        if (c.u != c.r) cairn_solver_precondition(s, c.r, c.u);
        cairn_solver_multiply(s, c.u, c.w);
    }
    cairn_sums_pass(s->sums, dots, &c, 3);
    CAIRN_TRY(reduce(&c));
    CAIRN_TRY(cairn_solver_first(s, s->sums->result[0]));
    while (!s->done) {
        CAIRN_TRY(step(&c, gamma, alpha));
        CAIRN_TRY(reduce(&c));
        CAIRN_TRY(cairn_solver_next(s, s->sums->result[0]));
    }
    return CAIRN_OK;
}
