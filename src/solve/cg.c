// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of conjugate gradients: Hestenes & Stiefel, J. Res. NBS 49 (1952) 409.
///
/// A step has three passes: p.q; r, z = M^-1 r and their products; x and p. Where z is made
/// again at less memory traffic than keeping it takes, the third makes it again.

#include "solve/cg.h"

#include "solve/vectors.h"

#include <string.h>

static void dot_pq(void *user, int64_t i, int64_t n, double *sum)
{
    const cairn_cg *c = user;

    cairn_vector_dot(n, c->p + i, c->q + i, 1, sum);
}

/// |r|^2 and r.z, z being made here if it is by leaves.
static void dot_rz(void *user, int64_t i, int64_t n, double *sum)
{
    const cairn_cg     *c = user;
    const double       *r = c->r + i;
    _Alignas(64) double room[CAIRN_PASS_ROWS];
    const double       *z = c->z ? c->z + i : room;

    if (c->by_leaf) z = cairn_precondition_rows(c->m, i, n, r, c->z ? c->z + i : room);
    cairn_vector_dot(n, r, r, 2, sum);
    if (z == r)
        cairn_vector_same_sums(n, 2, sum);
    else
        cairn_vector_dot(n, r, z, 2, sum + 1);
}

static void update_r(void *user, int64_t i, int64_t n, double *sum)
{
    const cairn_cg *c = user;

    cairn_vector_add(n, -c->alpha, c->q + i, c->r + i);
    if (c->by_leaf) dot_rz(user, i, n, sum);
}

static void update_xp(void *user, int64_t i, int64_t n, double *sum)
{
    const cairn_cg     *c = user;
    _Alignas(64) double room[CAIRN_PASS_ROWS];
    const double       *z =
        c->z ? c->z + i : cairn_precondition_rows(c->m, i, n, c->r + i, room);

    (void)sum;
    cairn_vector_add(n, c->alpha, c->p + i, c->x + i);
    cairn_vector_renew(n, z, c->beta, c->p + i);
}

static void begin_p(void *user, int64_t i, int64_t n, double *sum)
{
    const cairn_cg *c = user;
    const double   *z =
        c->z ? c->z + i : cairn_precondition_rows(c->m, i, n, c->r + i, c->p + i);

    (void)sum;
    if (z != c->p + i) memcpy(c->p + i, z, (size_t)n * sizeof *z);
}

/// Products of a new r, after or in the pass that makes it.
static cairn_status sum_rz(cairn_cg *c, cairn_pass_fn *update)
{
    cairn_solver *s = c->s;

    if (c->by_leaf) return cairn_sums_of(s->sums, update ? update : dot_rz, c, 2);
    if (update) cairn_sums_pass(s->sums, update, c, 0);
    cairn_solver_precondition(s, c->r, c->z);
    return cairn_sums_of(s->sums, dot_rz, c, 2);
}

cairn_status cairn_cg_prepare(cairn_solver *s, cairn_cg *c)
{
    const cairn_preconditioner *m = &s->system->m;

    c->s       = s;
    c->m       = m;
    c->by_leaf = cairn_precondition_by_leaf(m);
    c->q       = s->out;
    if (cairn_precondition_is_cheap(m)) return CAIRN_OK;
    return cairn_solver_vector(s, NULL, &c->z);
}

cairn_status cairn_cg_begin(cairn_cg *c)
{
    CAIRN_TRY(sum_rz(c, NULL));
    c->square = c->s->sums->result[0];
    c->rho    = c->s->sums->result[1];
    cairn_sums_pass(c->s->sums, begin_p, c, 0);
    return CAIRN_OK;
}

cairn_status cairn_cg_step(cairn_cg *c)
{
    cairn_solver *s   = c->s;
    const double  rho = c->rho;

    CAIRN_TRY(cairn_solver_check_positive(s, "r'z", rho, "preconditioner"));
    cairn_solver_multiply(s, c->p, c->q);
    CAIRN_TRY(cairn_sums_of(s->sums, dot_pq, c, 1));
    const double pq = s->sums->result[0];

    CAIRN_TRY(cairn_solver_check_positive(s, "p'Ap", pq, "matrix"));
    c->alpha = rho / pq;
    CAIRN_TRY(sum_rz(c, update_r));
    c->square = s->sums->result[0];
    c->rho    = s->sums->result[1];
    c->beta   = c->rho / rho;
    cairn_sums_pass(s->sums, update_xp, c, 0);
    return CAIRN_OK;
}

cairn_status cairn_cg_run(cairn_solver *s)
{
    cairn_cg     c = {.x = s->system->x, .p = s->in};
    double      *rho, *square;
    cairn_status status = cairn_cg_prepare(s, &c);

    if (status == CAIRN_OK) status = cairn_solver_vector(s, "r", &c.r);
    if (status == CAIRN_OK) status = cairn_solver_vector(s, "p", &c.p);
    if (status == CAIRN_OK) status = cairn_solver_scalar(s, "rho", &rho);
    if (status == CAIRN_OK) status = cairn_solver_scalar(s, "rr", &square);
    CAIRN_TRY(cairn_solver_agree(s, status));
    if (cairn_solver_is_started(s)) {
        c.rho    = *rho;
        c.square = *square;
    } else {
        cairn_solver_residual(s, c.r);
        CAIRN_TRY(cairn_cg_begin(&c));
    }
    *rho    = c.rho;
    *square = c.square;
    CAIRN_TRY(cairn_solver_first(s, c.square));
    while (!s->done) {
        CAIRN_TRY(cairn_cg_step(&c));
        *rho    = c.rho;
        *square = c.square;
        CAIRN_TRY(cairn_solver_next(s, c.square));
    }
    return CAIRN_OK;
}
