// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a solver needs of a tensor. Internal to the API.

#ifndef CAIRN_API_SOLVE_H
#define CAIRN_API_SOLVE_H

#include "api/api.h"
#include "solve/solver.h"

/// Read what a preconditioner is made of from a tensor's entries, and make it.
///
/// Local.
///
/// @param[in,out] m  Parsed; released with cairn_precondition_fini(), also on failure.
/// @retval CAIRN_BAD_ARGUMENT  An element of the diagonal is 0, or a block singular.
/// @retval CAIRN_UNSUPPORTED   Rows are by places.
cairn_status cairn_precondition_read(const cairn_tensor   *tensor,
                                     cairn_preconditioner *m);

/// Refuse a plan whose product is none that solvers take: y = A x of one column in f64, A
/// square. Local.
///
/// @param[in] call     What the line begins with: "solve: plan".
/// @param[in] refusal  The status where it is another product.
/// @retval CAIRN_BAD_SHAPE    A is not square.
/// @retval CAIRN_UNSUPPORTED  The tensor is f32.
cairn_status
cairn_solve_check_plan(const cairn_plan *plan, const char *call, cairn_status refusal);

#endif
