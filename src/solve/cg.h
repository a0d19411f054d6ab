// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Steps of conjugate gradients, for the method of that name and for bounds of eigenvalues.

#ifndef CAIRN_SOLVE_CG_H
#define CAIRN_SOLVE_CG_H

#include "solve/solver.h"

typedef struct cairn_cg {
    cairn_solver               *s;
    const cairn_preconditioner *m;
    bool                        by_leaf;
    double                     *x, *r, *p, *q;
    double                     *z; ///< M^-1 r where it is kept; else NULL.
    double                      alpha, beta, rho, square;
} cairn_cg;

/// Get what CG needs beside x, r and p, which the caller sets. Local.
cairn_status cairn_cg_prepare(cairn_solver *s, cairn_cg *c);

/// Begin with the residual in r: p, rho = r.z, and square = |r|^2. Collective.
cairn_status cairn_cg_begin(cairn_cg *c);

/// One step: x, r, p, rho and square become the next, alpha and beta what led there.
///
/// Collective.
/// @retval CAIRN_NOT_CONVERGED  A or M is not positive definite.
cairn_status cairn_cg_step(cairn_cg *c);

#endif
