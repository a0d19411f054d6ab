// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bounds of the eigenvalues of M^-1 A, A and M symmetric and positive definite.

#ifndef CAIRN_SOLVE_LANCZOS_H
#define CAIRN_SOLVE_LANCZOS_H

#include "solve/solver.h"

enum { CAIRN_LANCZOS_STEPS = 10 };

/// Bounds by ten steps of Lanczos, which those of CG are, from a vector that the numbers of
/// rows alone decide. The upper one is beyond all eigenvalues, but for what ten steps cannot
/// see: the largest of the steps' own and the size of what is left (Zhou, Saad, Tiago &
/// Chelikowsky, J. Comput. Phys. 219 (2006) 172); the lower one is the least of the steps'.
///
/// Collective. Takes up to four vectors for the time of the call; `in` and `out` are lost.
///
/// @retval CAIRN_NOT_CONVERGED  A or M is not positive definite.
cairn_status cairn_lanczos_bounds(cairn_solver *s, double *lower, double *upper);

/// How many eigenvalues of a symmetric tridiagonal matrix are less than @p x, by the signs of
/// Sturm's sequence. Local.
///
/// @param[in] diagonal  [n]
/// @param[in] beside    [n-1] The squares of what stands beside it.
int cairn_sturm_count(int n, const double *diagonal, const double *beside, double x);

#endif
