// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bounds of eigenvalues by a few steps of Lanczos.

#include "solve/lanczos.h"

#include "solve/cg.h"

#include <float.h>
#include <math.h>

/// The tridiagonal matrix of the steps.
typedef struct {
    int    n;
    double diagonal[CAIRN_LANCZOS_STEPS];
    double beside[CAIRN_LANCZOS_STEPS]; ///< Squares; the last one: of what is left.
} tridiagonal;

int cairn_sturm_count(int n, const double *diagonal, const double *beside, double x)
{
    double ratio = 1;
    int    count = 0;

    for (int k = 0; k < n; k++) {
        ratio = diagonal[k] - x - (k > 0 ? beside[k - 1] / ratio : 0);
        if (ratio == 0) ratio = DBL_MIN;
        count += ratio < 0;
    }
    return count;
}

/// The eigenvalue with @p below others below it, by bisection.
static double eigenvalue(const tridiagonal *t, int below)
{
    double low = 0, high = 0;

    for (int k = 0; k < t->n; k++)
        high = fmax(high, t->diagonal[k] + 2 * sqrt(t->beside[k])
                              + (k > 0 ? 2 * sqrt(t->beside[k - 1]) : 0));
    for (int k = 0; k < 200 && high - low > 1e-12 * high; k++) {
        const double middle = (low + high) / 2;

        if (cairn_sturm_count(t->n, t->diagonal, t->beside, middle) > below)
            high = middle;
        else
            low = middle;
    }
    return (low + high) / 2;
}

/// The vector to begin with: of each row a number from -1/2 to 1/2, by its number (the
/// finalizer of MurmurHash3).
static void fill(void *user, int64_t i, int64_t n, double *sum)
{
    const cairn_cg *c = user;

    (void)sum;
    for (int64_t k = i; k < i + n; k++) {
        uint64_t h = (uint64_t)(c->s->system->rows.first + k) + 0x9e3779b97f4a7c15u;

        h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
        h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
        h ^= h >> 33;
        c->r[k] = (double)(h >> 11) * 0x1p-53 - 0.5;
    }
}

/// Steps of CG as those of Lanczos: Saad, Iterative Methods for Sparse Linear Systems, 2nd
/// edition, section 6.7.3.
static cairn_status go(cairn_cg *c, tridiagonal *t)
{
    double alpha = 0, beta = 0;

    cairn_sums_pass(c->s->sums, fill, c, 0);
    CAIRN_TRY(cairn_cg_begin(c));
    const double rho = c->rho;

    if (c->square == 0) { /* x is the solution */
        t->diagonal[0] = 1;
        t->n           = 1;
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_solver_check_positive(c->s, "r'z", rho, "preconditioner"));
    for (int k = 0; k < CAIRN_LANCZOS_STEPS && c->rho > DBL_EPSILON * rho; k++) {
        CAIRN_TRY(cairn_cg_step(c));
        t->diagonal[k] = 1 / c->alpha + (k > 0 ? beta / alpha : 0);
        alpha          = c->alpha;
        beta           = c->beta;
        t->beside[k]   = fmax(beta, 0) / (alpha * alpha);
        t->n           = k + 1;
    }
    return CAIRN_OK;
}

cairn_status cairn_lanczos_bounds(cairn_solver *s, double *lower, double *upper)
{
    cairn_cg     c      = {.p = s->in};
    tridiagonal  t      = {0};
    const int    before = s->blocks;
    cairn_status status = cairn_cg_prepare(s, &c);

    if (status == CAIRN_OK) status = cairn_solver_vector(s, NULL, &c.x);
    if (status == CAIRN_OK) status = cairn_solver_vector(s, NULL, &c.r);
    status = cairn_solver_agree(s, status);
    if (status == CAIRN_OK) status = go(&c, &t);
    while (s->blocks > before)
        cairn_free(s->env, s->block[--s->blocks]);
    CAIRN_TRY(status);
    *lower = eigenvalue(&t, 0);
    *upper = eigenvalue(&t, t.n - 1) + sqrt(t.beside[t.n - 1]);
    if (*upper - *lower < 1e-3 * *upper) { /* All are one: what is between them is 0. */
        *lower *= 0.999;
        *upper *= 1.001;
    }
    return CAIRN_OK;
}
