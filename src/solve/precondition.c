// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Preconditioners.

#include "solve/precondition.h"

#include "solve/vectors.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STANDARD_BLOCK = 32, MOST_BLOCK = 4096 };

/// The number behind "block-jacobi:".
static cairn_status read_block(cairn_env *env, const char *text, int64_t *block)
{
    char *end;

    *block = strtoll(text, &end, 10);
    CAIRN_CHECK(end != text && !*end && *block >= 1 && *block <= MOST_BLOCK, env,
                CAIRN_BAD_OPTION,
                "solve: precondition: block-jacobi:%s: blocks have 1 to %d rows", text,
                MOST_BLOCK);
    return CAIRN_OK;
}

cairn_status
cairn_precondition_parse(cairn_env *env, const char *text, cairn_preconditioner *m)
{
    static const char blocks[] = "block-jacobi";
    const size_t      length   = sizeof blocks - 1;

    *m = (cairn_preconditioner){.kind  = CAIRN_PRECONDITION_NONE,
                                .block = STANDARD_BLOCK};
    if (!text || strcmp(text, "none") == 0) return CAIRN_OK;
    if (strcmp(text, "jacobi") == 0) {
        m->kind = CAIRN_PRECONDITION_JACOBI;
        return CAIRN_OK;
    }
    CAIRN_CHECK(strncmp(text, blocks, length) == 0
                    && (!text[length] || text[length] == ':'),
                env, CAIRN_BAD_OPTION,
                "solve: precondition: '%s' is none: there are none, jacobi and "
                "block-jacobi:B",
                text);
    m->kind = CAIRN_PRECONDITION_BLOCKS;
    return text[length] ? read_block(env, text + length + 1, &m->block) : CAIRN_OK;
}

cairn_status cairn_precondition_invert(cairn_env            *env,
                                       int64_t               first,
                                       int64_t               rows,
                                       cairn_preconditioner *m)
{
    for (int64_t i = 0; i < rows; i++) {
        CAIRN_CHECK(isfinite(m->inverse[i]) && isfinite(1 / m->inverse[i]), env,
                    CAIRN_BAD_ARGUMENT,
                    "solve: jacobi: row %" PRId64 " (from 0) has %g on the diagonal%s",
                    first + i, m->inverse[i],
                    isfinite(m->inverse[i]) ? ": its inverse is not finite" : "");
        m->inverse[i] = 1 / m->inverse[i];
    }
    return CAIRN_OK;
}

void cairn_precondition_fini(cairn_env *env, cairn_preconditioner *m)
{
    cairn_free(env, m->inverse);
    cairn_block_factors_destroy(env, &m->factors);
}

const double *cairn_precondition_rows(const cairn_preconditioner *m,
                                      int64_t                     i,
                                      int64_t                     n,
                                      const double               *r,
                                      double                     *z)
{
    if (m->kind == CAIRN_PRECONDITION_NONE) return r;
    if (m->kind == CAIRN_PRECONDITION_BLOCKS) {
        cairn_block_factors_solve(m->factors, i, n, r, z);
        return z;
    }
    cairn_vector_multiply(n, m->inverse + i, r, z);
    return z;
}

/// From where to where, in a pass.
typedef struct {
    const cairn_preconditioner *m;
    const double               *r;
    double                     *z;
} all_rows;

static void do_rows(void *user, int64_t i, int64_t n, double *sum)
{
    const all_rows *a = user;
    const double   *z = cairn_precondition_rows(a->m, i, n, a->r + i, a->z + i);

    (void)sum;
    if (z != a->z + i) memcpy(a->z + i, z, (size_t)n * sizeof *z);
}

cairn_status cairn_precondition_all(const cairn_preconditioner *m,
                                    cairn_row_sums             *sums,
                                    const double               *r,
                                    double                     *z)
{
    all_rows a = {m, r, z};

    if (m->kind == CAIRN_PRECONDITION_CALLERS)
        return m->callers->apply(m->callers->user, r, z);
    if (cairn_precondition_by_leaf(m))
        cairn_sums_pass(sums, do_rows, &a, 0);
    else
        cairn_block_factors_solve_all(m->factors, sums->threads, r, z);
    return CAIRN_OK;
}
