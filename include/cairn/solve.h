// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Iterative solution of A x = b over a plan, or over an operator of the caller's. A is
/// square, n x n; a plan has multiplied by it in whatever format it is stored, on whatever
/// devices its members are.
///
///     cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
///
///     options.precondition = "jacobi";
///     status = cairn_solve(plan, &options, b, x, NULL);
///
/// | method | for | of a step: products, reductions | source |
/// |---|---|---|---|
/// | "cg" | A symmetric, positive definite | 1, 2 | Hestenes & Stiefel, J. Res. NBS 49 (1952) 409 |
/// | "pipelined-cg" | the same, where ranks wait long for each other | 1, 1 behind the product | Ghysels & Vanroose, Parallel Computing 40 (2014) 224, algorithm 4 |
/// | "bicgstab" | any A | 2, 3 | van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631 |
/// | "gmres:M" | any A; M vectors are kept (30 where ":M" is left out), then it starts anew | 1, 2 | Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856 |
/// | "chebyshev:LO,HI" | A symmetric, the eigenvalues of M^-1 A within LO and HI | 1, 1 | Gutknecht & Roellin, Parallel Computing 28 (2002) 263 |
///
/// "chebyshev" without bounds finds them by 10 steps of Lanczos: HI is beyond the largest
/// eigenvalue, LO the least that these steps see. CG has two reductions and not one: the form
/// with one (Chronopoulos & Gear, 1989) has one vector more, which costs more memory traffic
/// than a reduction on a node costs time; between nodes "pipelined-cg" has one, and hides it.
///
/// Preconditioners M of a plan's matrix: "none"; "jacobi", its diagonal; "block-jacobi:B",
/// its blocks of B consecutive rows and columns (32 where ":B" is left out; block k has rows
/// kB to kB+B-1 of the whole matrix, of which a rank's cut may leave two parts), factored by
/// Cholesky where a block is symmetric and positive definite, else by LU with pivots.
/// gmres and bicgstab take M from the right, so that residuals are those of A x = b.
///
/// Iterations end when |b - A x| <= tolerance |b|, both in the 2-norm, by the residual that
/// the method carries along; info.true_residual is computed anew at the end.
///
/// Bits: sums over rows are of leaves of 64 rows, numbered in the whole matrix, in a binary
/// tree. On one rank the residuals have the same bits for any number of threads. With
/// `reproducible` they have the same bits on any number of ranks, threads and devices, for
/// one format; ranks then own rows from a multiple of 64 on (cairn_format_align()), and
/// the plan is reproducible, too.
///
/// State: what an iteration leaves to the next is in cairn_solve_state, by names: a caller
/// sees it at the end of each iteration, may keep it, and may begin with it later, on other
/// ranks as well: the iterations go on with the bits that they would have had.

#ifndef CAIRN_SOLVE_H
#define CAIRN_SOLVE_H

#include <cairn/context.h>
#include <cairn/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/// y = A x for the rows that this rank owns.
///
/// Called by all ranks at the same time, so that it may communicate. Where it fails on one
/// rank, the solver ends on all of them, with that rank's status.
///
/// @param[in]  x  [rows of this rank]
/// @param[out] y  [rows of this rank]; another array than @p x.
typedef cairn_status cairn_solve_apply(void *user, const double *x, double *y);

/// A linear operator of the caller's: a matrix, or the inverse of a preconditioner.
typedef struct cairn_solve_operator {
    cairn_solve_apply *apply;
    void              *user; ///< Handed to it.
} cairn_solve_operator;

typedef struct cairn_solve_vector {
    const char *name; ///< As the sources call it: "x", "r", "p".
    double     *data; ///< [rows]
} cairn_solve_vector;

typedef struct cairn_solve_scalar {
    const char *name; ///< "rho"
    double      value;
} cairn_solve_scalar;

enum {
    CAIRN_SOLVE_VECTORS = 12, ///< Of a state, at most;
    CAIRN_SOLVE_SCALARS = 8
};

/// A solver at the end of an iteration.
typedef struct cairn_solve_state {
    size_t      size;   ///< sizeof(cairn_solve_state).
    const char *method; ///< As options.method, all that it leaves out said: "gmres:30".
    int64_t     iteration; ///< Iterations done.
    int64_t     rows;      ///< Of this rank.
    double      residual;  ///< |r| / |b|, by the residual that is carried along.
    bool whole;   ///< A solver may begin with it: always, but inside a cycle of gmres.
    bool last;    ///< No iteration follows.
    int  vectors; ///< In use. "x" is the first.
    int  scalars;
    cairn_solve_vector vector[CAIRN_SOLVE_VECTORS];
    cairn_solve_scalar scalar[CAIRN_SOLVE_SCALARS];
    const char *format; ///< Of the matrix in the iteration that has ended; "": of an
                        ///< operator of the caller's. Not looked at in `start`.
} cairn_solve_state;

// clang-format off
#define CAIRN_SOLVE_STATE \
    { sizeof(cairn_solve_state), NULL, 0, 0, 0.0, false, false, 0, 0, {{NULL, NULL}}, {{NULL, 0.0}}, NULL }
// clang-format on

/// Called at the end of each iteration, on all ranks, with what may be read and kept, and
/// before the first one with iteration 0.
///
/// @return 0 to go on. Else the solver ends one iteration later, or at the end of gmres's
/// cycle, with `last` set and CAIRN_SOLVE_STOPPED: one rank is enough, since the sums of an
/// iteration carry the wish to all.
typedef int cairn_solve_step(void *user, const cairn_solve_state *state);

/// Checkpoints: states in a folder that all ranks see, from which another job goes on, on any
/// number of ranks (docs/checkpoints.md). They are written beside the iterations, which wait
/// for nothing but a copy of the vectors, and the last one, where the solution was not
/// reached, at the end. A checkpoint is of one matrix (cairn_tensor_fingerprint()), right-hand
/// side, method and preconditioner. The matrix of a caller's operator is not compared.
typedef struct cairn_solve_checkpoints {
    size_t size; ///< sizeof(cairn_solve_checkpoints);
                 ///< CAIRN_SOLVE_CHECKPOINTS sets it.
    const char
           *folder; ///< Where they are written; made if it is not there. NULL: none is.
    int64_t iterations;  ///< One after every so many; 0: not by iterations.
    double  seconds;     ///< One after so many, by rank 0's clock; 0: not by time.
    const char *restart; ///< Begin with the newest that can be used in this folder.
                         ///< NULL: at iteration 0.
} cairn_solve_checkpoints;

// clang-format off
#define CAIRN_SOLVE_CHECKPOINTS \
    { sizeof(cairn_solve_checkpoints), NULL, 0, 0.0, NULL }
// clang-format on

/// What became of another format; the same on all ranks, but for the seconds that it took.
typedef struct cairn_solve_switch_info {
    size_t size; ///< sizeof(cairn_solve_switch_info); CAIRN_SOLVE_SWITCH_INFO sets it.
    int64_t
        tried; ///< The iteration behind which products went that way first; -1: none.
    int64_t
        switched; ///< From the end of this iteration on all do; -1: it was not faster,
                  ///< or there was no time to find out.
    double seconds; ///< That it took this rank, beside the iterations: the choice, the
                    ///< conversion, the plan.
    double before,
        after;         ///< Seconds of a product, the least of five, of ranks the mean:
                       ///< as it began, and in the other format. 0: not timed.
    char format[1024]; ///< The other; "": none was chosen.
    char why[320];     ///< What was decided, for people.
} cairn_solve_switch_info;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_SOLVE_SWITCH_INFO \
    { sizeof(cairn_solve_switch_info), -1, -1, 0.0, 0.0, 0.0, {0}, {0} }
// clang-format on

/// Another format, made beside the iterations: they begin with the plan as it is, a thread of
/// each rank stores its tensor once more and prepares a plan, and at the end of the iteration
/// by which that is there on all ranks products go that way. Five are timed each way, and
/// the faster is kept; so all takes at most what the better format would have taken from the
/// beginning, a few products and one conversion, however many iterations there are. Another
/// format sums rows in another order, so residuals have other last bits from there on.
///
/// The thread has an allocator of its own, with what the context's limit leaves, and calls no
/// MPI: what ranks have to exchange is done between iterations. Where it fails, for want of
/// memory or for any other reason, the log says so, and iterations go on as they began. A
/// solver that ends before waits for the thread to notice.
typedef struct cairn_solve_switch {
    size_t      size;   ///< sizeof(cairn_solve_switch); CAIRN_SOLVE_SWITCH sets it.
    const char *format; ///< NULL: as cairn_tensor_auto() chooses, which may be none.
    const char *candidates; ///< What it chooses among, as in cairn_auto_options.
    const char *place;      ///< Of the plan, as in cairn_plan_options.
    cairn_solve_switch_info *
        info; ///< What became of it, where the solver's info is filled; NULL: not wanted.
} cairn_solve_switch;

// clang-format off
#define CAIRN_SOLVE_SWITCH \
    { sizeof(cairn_solve_switch), NULL, NULL, NULL, NULL }
// clang-format on

/// How to solve. All but the operators, the vectors of `start` and what is called is the
/// same on all ranks.
typedef struct cairn_solve_options {
    size_t      size;   ///< sizeof(cairn_solve_options); CAIRN_SOLVE_OPTIONS sets it.
    const char *method; ///< NULL: "cg".
    const char *precondition;   ///< NULL: "none".
    double      tolerance;      ///< Of |b - A x| / |b|; at least 0.
    int64_t     max_iterations; ///< At least 0.
    bool        reproducible;   ///< The same bits on any number of ranks.
    const cairn_solve_operator
        *preconditioner; ///< M^-1 of the caller's, in place of `precondition`; or NULL.
    cairn_solve_step *step; ///< NULL: none is called.
    void             *user; ///< Handed to it.
    const cairn_solve_state
        *start; ///< Begin with a whole state of this method; NULL: at iteration 0.
    const cairn_solve_checkpoints
        *checkpoints;     ///< NULL: none. Not beside `start` where
                          ///< it says restart.
    double *history;      ///< [history_room] Takes |r| / |b| of iterations 0, 1, ...
    int64_t history_room; ///< 0: none is kept.
    const cairn_solve_switch *
        other; ///< Another format for the iterations to go on in; NULL: none. Not of an
               ///< operator of the caller's, and not with `reproducible`.
} cairn_solve_options;

// clang-format off
#define CAIRN_SOLVE_OPTIONS \
    { sizeof(cairn_solve_options), NULL, NULL, 1e-8, 10000, false, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL }
// clang-format on

/// How a solver ended.
typedef enum {
    CAIRN_SOLVE_CONVERGED,
    CAIRN_SOLVE_LIMIT,     ///< max_iterations were not enough.
    CAIRN_SOLVE_STOPPED,   ///< The caller's step asked for it.
    CAIRN_SOLVE_BREAKDOWN, ///< It cannot go on: the context's message says why.
} cairn_solve_outcome;

/// What came of it; the same on all ranks, but for the seconds.
typedef struct cairn_solve_info {
    size_t              size; ///< sizeof(cairn_solve_info); CAIRN_SOLVE_INFO sets it.
    cairn_solve_outcome outcome;
    int64_t             iterations; ///< From iteration 0 on, also where it had a start,
    int64_t             first;      ///< which left this one.
    double              residual;   ///< |r| / |b|, as carried along,
    double              true_residual; ///< and |b - A x| / |b|.
    double  lower, upper; ///< Of chebyshev: the bounds that it went by; else 0.
    int64_t products;     ///< With A, those for bounds and the true residual included.
    int64_t reductions;   ///< Over all ranks, likewise.
    double  seconds;      ///< All of it on this rank,
    double  product_seconds;      ///< products,
    double  precondition_seconds; ///< and what M took where it is not fused with sums.
    int64_t checkpoints;          ///< That were completed,
    double  checkpoint_seconds;   ///< and for how long iterations waited for copies.
} cairn_solve_info;

// clang-format off
#define CAIRN_SOLVE_INFO \
    { sizeof(cairn_solve_info), CAIRN_SOLVE_CONVERGED, 0, 0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0.0, 0.0, 0.0, 0, 0.0 }
// clang-format on

/// Look at options before there is a plan: the texts, and the numbers.
///
/// Local.
///
/// @param[in] options  NULL: CAIRN_SOLVE_OPTIONS.
/// @retval CAIRN_BAD_OPTION    There is no such method or preconditioner.
/// @retval CAIRN_BAD_ARGUMENT  A number is out of its range; both preconditioners are given.
CAIRN_API cairn_status cairn_solve_check(cairn_context             *context,
                                         const cairn_solve_options *options);

/// Solve A x = b with the matrix of a plan.
///
/// Collective. Iterations allocate nothing. Vectors of the method are allocated before the
/// first, x and b aside: 3 for cg, 9 for pipelined-cg (7 without M), 6 for bicgstab, M + 3
/// for gmres:M, 3 for chebyshev, and one more for cg and chebyshev with blocks or a caller's
/// M; two of them are the plan's own X and Y, whose content is lost.
///
/// @param[in]     plan  Of y = A x: one column, alpha 1, beta 0, not transposed, f64.
/// @param[in]     options  NULL: CAIRN_SOLVE_OPTIONS.
/// @param[in]     b  [rows of cairn_plan_rows()]
/// @param[in,out] x  [rows of cairn_plan_rows()]; the guess to begin with, then the solution,
///                   or, where the status is CAIRN_NOT_CONVERGED, what the last iteration left.
/// @param[out]    info  What came of it, where the status is CAIRN_OK or CAIRN_NOT_CONVERGED;
///                   NULL: not wanted.
/// @retval CAIRN_NOT_CONVERGED  The limit was reached, the caller stopped it, or the method
///                         broke down: the matrix or the preconditioner is not positive
///                         definite, or numbers are not finite. The message has the
///                         iteration and the residual.
/// @retval CAIRN_BAD_SHAPE      The matrix is not square.
/// @retval CAIRN_BAD_OPTION     There is no such method or preconditioner.
/// @retval CAIRN_BAD_SYNTAX, CAIRN_BAD_FORMAT  `other` names no format.
/// @retval CAIRN_BAD_ARGUMENT   The plan is for another product; a diagonal entry is 0, or it
///                         or its inverse is not finite; a block is singular, or has a
///                         number that is not finite; rows begin at no multiple of 64,
///                         or the plan is not reproducible, with `reproducible`; `start`
///                         is of another method, or not whole; a number is out of its
///                         range; both preconditioners are given.
/// @retval CAIRN_BAD_FILE       There is no checkpoint to begin with that can be used: of what
///                         there is the message, and the log, have the file and why not.
/// @retval CAIRN_IO             The folder of checkpoints cannot be used. Where a checkpoint
///                         cannot be written the log says so, and iterations go on.
/// @retval CAIRN_UNSUPPORTED    The tensor is f32; its rows are by places, with jacobi or
///                         block-jacobi.
/// @retval CAIRN_NO_MEMORY      For the vectors.
CAIRN_API cairn_status cairn_solve(cairn_plan                *plan,
                                   const cairn_solve_options *options,
                                   const double              *b,
                                   double                    *x,
                                   cairn_solve_info          *info);

/// Solve A x = b with an operator of the caller's: there need be no matrix.
///
/// Collective. All else as of cairn_solve(); `precondition` is "none" or NULL.
///
/// @param[in] rows  Of this rank; ranks follow each other, so that the first of rank r is
///                  the sum of the rows of those before it.
CAIRN_API cairn_status cairn_solve_with(cairn_context              *context,
                                        int64_t                     rows,
                                        const cairn_solve_operator *matrix,
                                        const cairn_solve_options  *options,
                                        const double               *b,
                                        double                     *x,
                                        cairn_solve_info           *info);

#ifdef __cplusplus
}
#endif

#endif
