// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// GMRES with restarts: Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856, with M from
/// the right. A new vector is made orthogonal twice by the classical Gram-Schmidt process,
/// whose products with all vectors are one reduction: twice is enough (Giraud, Langou,
/// Rozloznik & van den Eshof, Numer. Math. 101 (2005) 87).

#include "solve/solver.h"
#include "solve/vectors.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
    cairn_solver *s;
    bool          by_leaf;
    int           restart; ///< M
    int           j;       ///< Vectors that the new one is made orthogonal to, less 1.
    int64_t       rows;
    double       *v;                 ///< [M + 1][rows] The basis.
    double       *h;                 ///< [M][M + 1] Columns of R, rotated,
    double       *cosine, *sine, *g; ///< [M + 1] by these; the right-hand side.
    double       *part;              ///< [M + 2] Of the vectors, in the pass at hand.
    bool          rest;              ///< They are still to be taken off the new one,
    double        scale;             ///< which then has this factor.
    double        noise;             ///< What is left of the new one by rounding alone.
    double       *square;            ///< |r|^2 as the rotations have it, of the state.
} cycle;

static double *basis(const cycle *c, int k)
{
    return c->v + (int64_t)k * c->rows;
}

/// Products of the new vector with those before it, and with itself.
static void dot_all(void *user, int64_t i, int64_t n, double *sum)
{
    const cycle  *c = user;
    const double *w = basis(c, c->j + 1) + i;

    for (int k = 0; k <= c->j + 1; k++)
        cairn_vector_dot(n, basis(c, k) + i, w, c->j + 2, sum + k);
}

static void take_off(const cycle *c, int64_t i, int64_t n)
{
    double *const w = basis(c, c->j + 1) + i;

    for (int k = 0; k <= c->j; k++)
        cairn_vector_add(n, -c->part[k], basis(c, k) + i, w);
}

static void take_off_and_dot(void *user, int64_t i, int64_t n, double *sum)
{
    take_off(user, i, n);
    dot_all(user, i, n, sum);
}

static void take_off_and_square(void *user, int64_t i, int64_t n, double *sum)
{
    const cycle  *c = user;
    const double *w = basis(c, c->j + 1) + i;

    take_off(c, i, n);
    cairn_vector_dot(n, w, w, 1, sum);
}

/// The new vector has length 1, and M^-1 of it is what A is multiplied with next.
static void normalize(void *user, int64_t i, int64_t n, double *sum)
{
    const cycle                *c = user;
    const cairn_preconditioner *m = &c->s->system->m;
    double *const               w = basis(c, c->j + 1) + i;

    (void)sum;
    if (c->rest) take_off(c, i, n);
    cairn_vector_scale(n, c->scale, w);
    if (c->by_leaf) {
        const double *z = cairn_precondition_rows(m, i, n, w, c->s->in + i);

        if (z != c->s->in + i) memcpy(c->s->in + i, z, (size_t)n * sizeof *z);
    }
}

static void normalize_all(cycle *c, double length)
{
    c->scale = 1 / length;
    cairn_sums_pass(c->s->sums, normalize, c, 0);
    if (!c->by_leaf) cairn_solver_precondition(c->s, basis(c, c->j + 1), c->s->in);
}

/// Make the new vector orthogonal: column @p h of the Hessenberg matrix, j + 2 numbers. Its
/// length follows from that before the second time, unless most of it goes then.
static cairn_status orthogonalize(cycle *c, double *h)
{
    cairn_row_sums *sums  = c->s->sums;
    const int       count = c->j + 2;
    const size_t    bytes = (size_t)count * sizeof(double);
    double          square, rest, before;

    CAIRN_TRY(cairn_sums_of(sums, dot_all, c, count));
    before = sums->result[c->j + 1];
    memcpy(c->part, sums->result, bytes);
    memcpy(h, sums->result, bytes);
    CAIRN_TRY(cairn_sums_of(sums, take_off_and_dot, c, count));
    memcpy(c->part, sums->result, bytes);
    for (int k = 0; k <= c->j; k++)
        h[k] += c->part[k];
    rest = square = sums->result[c->j + 1];
    for (int k = 0; k <= c->j; k++)
        rest -= c->part[k] * c->part[k];
    c->rest = rest > square / 2;
    if (!c->rest) {
        CAIRN_TRY(cairn_sums_of(sums, take_off_and_square, c, 1));
        rest = sums->result[0];
    }
    CAIRN_TRY(cairn_solver_check_finite(c->s, "|A v|^2", before));
    c->noise    = 8 * DBL_EPSILON * sqrt(before);
    h[c->j + 1] = sqrt(rest) > c->noise ? sqrt(rest) : 0;
    return CAIRN_OK;
}

/// Rotate column j into R, and the right-hand side along. @return the residual's length.
static double rotate(cycle *c, double *h)
{
    const int j = c->j;

    for (int k = 0; k < j; k++) {
        const double a = h[k], b = h[k + 1];

        h[k]     = c->cosine[k] * a + c->sine[k] * b;
        h[k + 1] = c->cosine[k] * b - c->sine[k] * a;
    }
    const double length = hypot(h[j], h[j + 1]);

    c->cosine[j] = length > 0 ? h[j] / length : 1;
    c->sine[j]   = length > 0 ? h[j + 1] / length : 0;
    h[j]         = length > c->noise ? length : 0; /* then the matrix is singular */
    c->g[j + 1]  = -c->sine[j] * c->g[j];
    c->g[j]      = c->cosine[j] * c->g[j];
    return fabs(c->g[j + 1]);
}

/// out = V y
static void combine(void *user, int64_t i, int64_t n, double *sum)
{
    const cycle  *c   = user;
    double *const out = c->s->out + i;

    (void)sum;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = 0; k <= c->j; k++)
        cairn_vector_add(n, c->part[k], basis(c, k) + i, out);
}

static void add_in(void *user, int64_t i, int64_t n, double *sum)
{
    const cycle *c = user;

    (void)sum;
    cairn_vector_add(n, 1, c->s->in + i, c->s->system->x + i);
}

/// x is what the cycle so far leads to: R y = g, x = x + M^-1 V y.
static cairn_status leave(cycle *c)
{
    const int stride = c->restart + 1;

    for (int i = c->j; i >= 0; i--) {
        double sum = c->g[i];

        for (int k = i + 1; k <= c->j; k++)
            sum -= c->h[k * stride + i] * c->part[k];
        if (c->h[i * stride + i] == 0)
            return cairn_solver_break(c->s, "the matrix is singular");
        c->part[i] = sum / c->h[i * stride + i];
    }
    cairn_sums_pass(c->s->sums, combine, c, 0);
    cairn_solver_precondition(c->s, c->s->out, c->s->in);
    cairn_sums_pass(c->s->sums, add_in, c, 0);
    return CAIRN_OK;
}

/// Begin a cycle with r = b - A x as its first vector.
static cairn_status enter(cycle *c)
{
    double square;

    c->j    = -1;
    c->rest = false;
    cairn_solver_residual(c->s, basis(c, 0));
    CAIRN_TRY(cairn_sums_of(c->s->sums, dot_all, c, 1));
    square  = c->s->sums->result[0];
    c->g[0] = sqrt(square);
    if (square > 0) normalize_all(c, c->g[0]);
    return CAIRN_OK;
}

/// One step; at a cycle's end x is there, and the next one begins with it.
static cairn_status step(cycle *c)
{
    cairn_solver *s = c->s;

    c->j++;
    double *const h = c->h + c->j * (c->restart + 1);

    cairn_solver_multiply(s, s->in, basis(c, c->j + 1));
    CAIRN_TRY(orthogonalize(c, h));
    const double next = h[c->j + 1], residual = rotate(c, h);

    /* A cycle that is cut short leaves x, but no state that others would go on from with
     * the bits of those that had not been cut. */
    s->state.whole = c->j + 1 == c->restart || !(next > 0);
    *c->square     = residual * residual;
    if (s->state.whole || cairn_solver_reached(s, *c->square)
        || s->state.iteration + 1 >= s->options->max_iterations)
        CAIRN_TRY(leave(c));
    else
        normalize_all(c, next);
    return cairn_solver_next(s, *c->square);
}

static cairn_status allocate(cycle *c)
{
    cairn_solver *s      = c->s;
    const int64_t m      = c->restart;
    double       *blocks = NULL;

    CAIRN_TRY(cairn_alloc(s->env, (m + 1) * c->rows, sizeof(double), (void **)&c->v));
    s->block[s->blocks++] = c->v;
    CAIRN_TRY(CAIRN_NEW_ZERO(s->env, m * (m + 1) + 4 * (m + 2), &blocks));
    s->block[s->blocks++] = blocks;
    c->h                  = blocks;
    c->cosine             = c->h + m * (m + 1);
    c->sine               = c->cosine + m + 2;
    c->g                  = c->sine + m + 2;
    c->part               = c->g + m + 2;
    return cairn_solver_scalar(s, "rr", &c->square);
}

cairn_status cairn_gmres_run(cairn_solver *s)
{
    cycle c = {.s       = s,
               .by_leaf = cairn_precondition_by_leaf(&s->system->m),
               .restart = (int)s->method->restart,
               .rows    = s->system->rows.count};

    CAIRN_TRY(cairn_solver_agree(s, allocate(&c)));
    CAIRN_TRY(enter(&c));
    if (!cairn_solver_is_started(s)) *c.square = c.g[0] * c.g[0];
    CAIRN_TRY(cairn_solver_first(s, *c.square));
    while (!s->done) {
        CAIRN_TRY(step(&c));
        if (s->state.whole && !s->done) CAIRN_TRY(enter(&c));
    }
    return CAIRN_OK;
}
