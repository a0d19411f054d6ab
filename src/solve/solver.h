// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the methods have in common: a system of equations, the vectors of a method, and what
/// is done at the end of an iteration. A method is one function (cairn_solve_method), which
/// goes from a state that is fresh or a caller's to one that has ended.

#ifndef CAIRN_SOLVE_SOLVER_H
#define CAIRN_SOLVE_SOLVER_H

#include "solve/beside.h"
#include "solve/keep.h"
#include "solve/precondition.h"

#include <math.h>

/// A x = b, on one rank of several.
typedef struct cairn_solve_system {
    cairn_solve_rows     rows;
    cairn_solve_operator matrix;
    double              *in,
        *out; ///< [rows] Arrays that A reads and writes without copies; or NULL.
    cairn_preconditioner m;
    cairn_solve_identity identity; ///< For checkpoints.
    const cairn_beside_work
                 *beside; ///< Makes the matrix in another format; NULL: nothing does.
    const double *b;      ///< [rows]
    double       *x;      ///< [rows]
} cairn_solve_system;

typedef struct cairn_solver {
    cairn_env                       *env;
    cairn_row_sums                  *sums;
    const cairn_solve_system        *system;
    const cairn_solve_options       *options;
    const struct cairn_solve_method *method;
    double                           norm; ///< Of b.
    double                          *in,
        *out; ///< [rows] Of the system, or own: no vectors of the state, unless a
              ///< method says so.
    const cairn_solve_state *start; ///< NULL: none, iteration 0.
    cairn_solve_state        state;
    cairn_solve_info         info;
    cairn_keeper             keeper;
    cairn_beside             beside; ///< The matrix.
    bool                     done;
    int                      blocks;
    double                  *block[CAIRN_SOLVE_VECTORS + 4]; ///< To be freed.
} cairn_solver;

/// What comes of a method's text.
typedef struct cairn_solve_method {
    const char *name;
    char        text[64];     ///< Whole: "gmres:30".
    int64_t     restart;      ///< Of gmres.
    double      lower, upper; ///< Of chebyshev; 0: to be found.
    /// Go on from the state, which is whole, until `done`.
    cairn_status (*run)(cairn_solver *s);
} cairn_solve_method;

/// Read a method's text.
///
/// Local. @param[in] text  NULL: "cg".
/// @retval CAIRN_BAD_OPTION
cairn_status
cairn_method_parse(cairn_env *env, const char *text, cairn_solve_method *method);

/// What a step of a method does, in numbers that follow from its code alone.
typedef struct cairn_step_counts {
    int  products;
    int  sums;    ///< Reductions over all ranks.
    int  vectors; ///< Vectors read or written by passes over rows, once a pass.
    bool beside;  ///< Sums travel while the product is computed.
} cairn_step_counts;

/// Count a step with a preconditioner that is none or the diagonal.
///
/// Local. @return false: not of this method (gmres, whose steps differ) or preconditioner.
bool cairn_method_counts(const cairn_solve_method   *method,
                         const cairn_preconditioner *m,
                         cairn_step_counts          *counts);

/// Solve.
///
/// Collective.
///
/// @param[in]  options  Checked but for `start`; `method` and `precondition` are read already.
/// @param[out] info     Also filled with CAIRN_NOT_CONVERGED.
cairn_status cairn_solver_run(cairn_comm                *comm,
                              const cairn_solve_system  *system,
                              const cairn_solve_method  *method,
                              const cairn_solve_options *options,
                              cairn_solve_info          *info);

/* What follows is for methods. */

/// A vector without a name, or with one in the state; 0 in all rows, or what the caller's
/// start has of that name. Local.
///
/// @param[in,out] at  The array if it is not NULL, else a new one.
/// @retval CAIRN_BAD_ARGUMENT  The start has none of that name.
cairn_status cairn_solver_vector(cairn_solver *s, const char *name, double **at);

/// A number of the state. Local.
/// @retval CAIRN_BAD_ARGUMENT  Likewise.
cairn_status cairn_solver_scalar(cairn_solver *s, const char *name, double **at);

/// All of a method's vectors are there, or not: the same on all ranks, and `start` is
/// iteration 0 or the caller's. Collective.
cairn_status cairn_solver_agree(cairn_solver *s, cairn_status mine);

/// y = A x; z = M^-1 r. What fails is told by the next reduction. Collective.
void cairn_solver_multiply(cairn_solver *s, const double *x, double *y);
void cairn_solver_precondition(cairn_solver *s, const double *r, double *z);

/// r = b - A x. Collective.
void cairn_solver_residual(cairn_solver *s, double *r);

/// An iteration has ended, or none has begun: note the residual, call the caller, and see
/// whether to go on.
///
/// @param[in] first   None has begun.
/// @param[in] square  |r|^2
/// @retval CAIRN_NOT_CONVERGED  It is no finite number.
cairn_status cairn_solver_first(cairn_solver *s, double square);
cairn_status cairn_solver_next(cairn_solver *s, double square);

/// The method cannot go on: why.
///
/// @return CAIRN_NOT_CONVERGED
__attribute__((format(printf, 2, 3))) cairn_status
cairn_solver_break(cairn_solver *s, const char *format, ...);

/// Is @p value, which all ranks have, a finite number?
///
/// @param[in] what  Its name in formulas, for the message.
/// @retval CAIRN_NOT_CONVERGED  No: the method cannot go on.
cairn_status cairn_solver_check_finite(cairn_solver *s, const char *what, double value);

/// Is it more than 0, too, as of @p whose that is positive definite?
///
/// @param[in] whose  "matrix" or "preconditioner".
/// @retval CAIRN_NOT_CONVERGED  No: the method cannot go on.
cairn_status cairn_solver_check_positive(cairn_solver *s,
                                         const char   *what,
                                         double        value,
                                         const char   *whose);

/// Is a residual of this square small enough? Asked in this way alone: rounded otherwise the
/// answer might be another.
static inline bool cairn_solver_reached(const cairn_solver *s, double square)
{
    return sqrt(square) / s->norm <= s->options->tolerance;
}

/// Has an iteration's state come from the caller?
static inline bool cairn_solver_is_started(const cairn_solver *s)
{
    return s->start != NULL;
}

/// The functions of the methods.
cairn_status cairn_cg_run(cairn_solver *s);
cairn_status cairn_pipelined_cg_run(cairn_solver *s);
cairn_status cairn_bicgstab_run(cairn_solver *s);
cairn_status cairn_gmres_run(cairn_solver *s);
cairn_status cairn_chebyshev_run(cairn_solver *s);

#endif
