// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Dense factors of diagonal blocks.

#include "solve/block_factor.h"

#include "base/wide.h"
#include "solve/vectors.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CHOLESKY = -1 };

cairn_status cairn_block_factors_create(cairn_env            *env,
                                        int64_t               first,
                                        int64_t               rows,
                                        int64_t               block,
                                        cairn_block_factors **factors)
{
    cairn_block_factors *fresh = NULL;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    *fresh = (cairn_block_factors){.first = first, .rows = rows, .block = block};
    cairn_status status = cairn_alloc_zero(env, rows, (size_t)block * sizeof(double),
                                           (void **)&fresh->value);

    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(env, rows, &fresh->pivot);
    if (status == CAIRN_OK)
        *factors = fresh;
    else
        cairn_block_factors_destroy(env, &fresh);
    return status;
}

void cairn_block_factors_destroy(cairn_env *env, cairn_block_factors **factors)
{
    if (!*factors) return;
    cairn_free(env, (*factors)->value);
    cairn_free(env, (*factors)->pivot);
    cairn_free(env, *factors);
    *factors = NULL;
}

/// First row of the block of row @p i, and one past its last, as this rank numbers them.
static int64_t block_start(const cairn_block_factors *f, int64_t i)
{
    const int64_t start = (f->first + i) / f->block * f->block - f->first;

    return start > 0 ? start : 0;
}

static int64_t block_end(const cairn_block_factors *f, int64_t i)
{
    const int64_t end = ((f->first + i) / f->block + 1) * f->block - f->first;

    return end < f->rows ? end : f->rows;
}

void cairn_block_factors_add(cairn_block_factors *f, int64_t i, int64_t j, double value)
{
    const int64_t row = i - f->first, column = j - f->first;
    const int64_t start = block_start(f, row), end = block_end(f, row);

    if (column < start || column >= end) return;
    f->value[start * f->block + (row - start) * (end - start) + column - start] +=
        value;
}

static bool is_symmetric(const double *a, int64_t m)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < i; j++)
            if (a[i * m + j] != a[j * m + i]) return false;
    return true;
}

/// A = L L', L where A's lower triangle was; its upper one stays. @return Is it positive
/// definite, with pivots whose inverses are finite?
CAIRN_WIDE static bool factor_cholesky(double *a, int64_t m)
{
    for (int64_t i = 0; i < m; i++) {
        double *const row = a + i * m;

        for (int64_t j = 0; j <= i; j++) {
            const double rest = row[j] - cairn_dot(row, a + j * m, j);

            if (j < i)
                row[j] = rest / a[j * m + j];
            else if (rest > 0 && isfinite(1 / rest))
                row[i] = sqrt(rest);
            else
                return false;
        }
    }
    return true;
}

/// Give back the lower triangle and the diagonal that a failed factor_cholesky() has
/// overwritten.
static void restore(double *a, int64_t m, const double *diagonal)
{
    for (int64_t i = 0; i < m; i++) {
        a[i * m + i] = diagonal[i];
        for (int64_t j = 0; j < i; j++)
            a[i * m + j] = a[j * m + i];
    }
}

static void swap_rows(double *a, double *b, int64_t m)
{
    for (int64_t k = 0; k < m; k++) {
        const double keep = a[k];

        a[k] = b[k];
        b[k] = keep;
    }
}

/// P A = L U, both where A was. @return Are its pivots finite, and their inverses?
CAIRN_WIDE static bool factor_lu(double *a, int64_t m, int32_t *pivot)
{
    for (int64_t k = 0; k < m; k++) {
        int64_t most = k;

        for (int64_t i = k + 1; i < m; i++)
            if (fabs(a[i * m + k]) > fabs(a[most * m + k])) most = i;
        if (!isfinite(a[most * m + k]) || !isfinite(1 / a[most * m + k])) return false;
        if (most != k) swap_rows(a + k * m, a + most * m, m);
        pivot[k] = (int32_t)most;
        for (int64_t i = k + 1; i < m; i++) {
            const double by = a[i * m + k] /= a[k * m + k];

            for (int64_t j = k + 1; j < m; j++)
                a[i * m + j] -= by * a[k * m + j];
        }
    }
    return true;
}

/// Factored, a block with one such number would have others in its place.
static cairn_status check_finite(cairn_env *env, const double *a, int64_t m, int64_t i)
{
    for (int64_t k = 0; k < m * m; k++)
        CAIRN_CHECK(isfinite(a[k]), env, CAIRN_BAD_ARGUMENT,
                    "solve: block-jacobi: row %" PRId64 " (from 0) has %g in column "
                    "%" PRId64,
                    i + k / m, a[k], i + k % m);
    return CAIRN_OK;
}

cairn_status cairn_block_factors_factor(cairn_env *env, cairn_block_factors *f)
{
    double *diagonal = NULL;

    CAIRN_TRY(CAIRN_NEW(env, f->block, &diagonal));
    cairn_status status = CAIRN_OK;

    for (int64_t i = 0; i < f->rows && status == CAIRN_OK; i = block_end(f, i)) {
        const int64_t m = block_end(f, i) - i;
        double *const a = f->value + i * f->block;

        status = check_finite(env, a, m, f->first + i);
        if (status != CAIRN_OK) break;
        for (int64_t k = 0; k < m; k++)
            diagonal[k] = a[k * m + k];
        const bool symmetric = is_symmetric(a, m);

        if (symmetric && factor_cholesky(a, m)) {
            f->pivot[i] = CHOLESKY;
            continue;
        }
        if (symmetric) restore(a, m, diagonal);
        if (!factor_lu(a, m, f->pivot + i))
            status = cairn_fail(env, CAIRN_BAD_ARGUMENT,
                                "solve: block-jacobi: the block of rows %" PRId64
                                " to %" PRId64
                                " (from 0) is singular: a pivot is 0 or out of range",
                                f->first + i, f->first + i + m - 1);
    }
    cairn_free(env, diagonal);
    return status;
}

CAIRN_WIDE static void solve_cholesky(const double *a, int64_t m, double *z)
{
    for (int64_t i = 0; i < m; i++)
        z[i] = (z[i] - cairn_dot(a + i * m, z, i)) / a[i * m + i];
    for (int64_t i = m - 1; i >= 0; i--) {
        z[i] /= a[i * m + i];
        for (int64_t j = 0; j < i; j++)
            z[j] -= a[i * m + j] * z[i];
    }
}

CAIRN_WIDE static void
solve_lu(const double *a, int64_t m, const int32_t *pivot, double *z)
{
    for (int64_t k = 0; k < m; k++) {
        const double keep = z[k];

        z[k]        = z[pivot[k]];
        z[pivot[k]] = keep;
    }
    for (int64_t i = 0; i < m; i++)
        z[i] -= cairn_dot(a + i * m, z, i);
    for (int64_t i = m - 1; i >= 0; i--)
        z[i] =
            (z[i] - cairn_dot(a + i * m + i + 1, z + i + 1, m - 1 - i)) / a[i * m + i];
}

void cairn_block_factors_solve(const cairn_block_factors *f,
                               int64_t                    i,
                               int64_t                    n,
                               const double              *r,
                               double                    *z)
{
    if (r != z) memcpy(z, r, (size_t)n * sizeof *z);
    for (int64_t k = i; k < i + n; k = block_end(f, k)) {
        const int64_t m = block_end(f, k) - k;

        if (f->pivot[k] == CHOLESKY)
            solve_cholesky(f->value + k * f->block, m, z + k - i);
        else
            solve_lu(f->value + k * f->block, m, f->pivot + k, z + k - i);
    }
}

void cairn_block_factors_solve_all(const cairn_block_factors *f,
                                   int                        threads,
                                   const double              *r,
                                   double                    *z)
{
    const int64_t before = f->first / f->block; /* blocks of the whole matrix */
    const int64_t blocks =
        f->rows > 0 ? (f->first + f->rows - 1) / f->block + 1 - before : 0;

    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < blocks; k++) {
        const int64_t inside = k == 0 ? 0 : (before + k) * f->block - f->first;

        cairn_block_factors_solve(f, inside, block_end(f, inside) - inside, r + inside,
                                  z + inside);
    }
}
