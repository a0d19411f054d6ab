// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// SUNDIALS with Cairn's products: a SUNMatrix whose pattern is given once and stored in a
/// format, and a SUNLinearSolver that has one of SUNDIALS's Krylov solvers multiply by the
/// matrix of the Newton system. CVODE, ARKODE, IDA and KINSOL take both as they take their
/// own:
///
///     cairn_sunmatrix_create(context, &rows, "bdia<64>", sunctx, &A);
///     LS = cairn_sunlinsol(SUNLinSol_SPGMR(y, SUN_PREC_NONE, 0, sunctx), sunctx);
///     CVodeSetLinearSolver(cvode, LS, A);
///     CVodeSetJacFn(cvode, jacobian);     // writes cairn_sunmatrix_values(J)
///
/// The integrator's I - gamma J is computed in the values as the program writes them; they
/// go to their places in the format, at about the speed of a gather, at the first product
/// after they changed. docs/arrays.md has more, docs/examples/sundials_cvode.c a program.
///
/// Header only, C11 or C++; needs SUNDIALS's headers and is compiled with the program.
/// All four are tried with SUNDIALS 6.4 and 7.1. Not included by cairn.h.
/// Vectors are any whose elements of this rank lie in one array of the processor's memory
/// (serial, OpenMP, Pthreads, parallel).

#ifndef CAIRN_SUNDIALS_H
#define CAIRN_SUNDIALS_H

#include <cairn/cairn.h>

#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>

#if SUNDIALS_VERSION_MAJOR != 6 && SUNDIALS_VERSION_MAJOR != 7
#    error "cairn/sundials.h: for SUNDIALS 6 and 7"
#endif
#if defined(SUNDIALS_EXTENDED_PRECISION)
#    error "cairn/sundials.h: this SUNDIALS's numbers are neither double nor float"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// What operations of a matrix return, beside 0, what a solver returns whose product failed,
/// and what a SUNContext without a communicator is made with: 7 has other names than 6.
#if SUNDIALS_VERSION_MAJOR == 6
#    define CAIRN_SUN_ILL_INPUT SUNMAT_ILL_INPUT
#    define CAIRN_SUN_MEM_FAIL  SUNMAT_MEM_FAIL
#    define CAIRN_SUN_OP_FAIL   SUNMAT_OPERATION_FAIL
#    define CAIRN_SUN_NO_RESULT SUNLS_PACKAGE_FAIL_UNREC
#    define CAIRN_SUN_NO_COMM   NULL
#else
#    define CAIRN_SUN_ILL_INPUT SUN_ERR_ARG_INCOMPATIBLE
#    define CAIRN_SUN_MEM_FAIL  SUN_ERR_MEM_FAIL
#    define CAIRN_SUN_OP_FAIL   SUN_ERR_OP_FAIL
#    define CAIRN_SUN_NO_RESULT SUN_ERR_EXT_FAIL
#    define CAIRN_SUN_NO_COMM   SUN_COMM_NULL
#endif

/// What the clones of a matrix share: its pattern.
typedef struct cairn_sunpattern cairn_sunpattern;

struct cairn_sunpattern {
    cairn_context *context;
    cairn_csr      rows;     ///< Its arrays are these, from 0 on; `val` is not used.
    int64_t       *ptr;      ///< [rows + 1]
    int64_t       *idx;      ///< [entries]
    int64_t       *diagonal; ///< [rows] The entry on it.
    int64_t        entries;
    char          *format; ///< NULL: compressed rows.
    int            users;  ///< Matrices that have it.
};

/// The content of a SUNMatrix.
typedef struct cairn_suncontent cairn_suncontent;

struct cairn_suncontent {
    cairn_sunpattern *pattern;
    sunrealtype      *values; ///< [entries] As the program has the pattern.
    cairn_tensor     *tensor; ///< NULL before the first product, which clones that only
    cairn_plan       *plan;   ///< keep values never see.
    bool              stale;  ///< `values` changed since the tensor got them.
};

static inline cairn_suncontent *cairn_sunmatrix_content(SUNMatrix A)
{
    return (cairn_suncontent *)A->content;
}

/// The values of this rank's entries, in the order of the rows that the matrix was made of;
/// to be written: the next setup brings them to the format, on all ranks together, or the
/// next product without one, before which all ranks have to have called this, or none. It is
/// called again after each: by a pointer that was kept nothing is known to be new.
///
/// @return [entries] They live as long as the matrix.
static inline sunrealtype *cairn_sunmatrix_values(SUNMatrix A)
{
    cairn_sunmatrix_content(A)->stale = true;
    return cairn_sunmatrix_content(A)->values;
}

/// @name Operations of the matrix
/// @{

static inline SUNMatrix_ID cairn_sunmatrix_id(SUNMatrix A)
{
    (void)A;
    return SUNMATRIX_CUSTOM;
}

static inline void cairn_sunpattern_release(cairn_sunpattern *p)
{
    if (!p || --p->users > 0) return;
    free(p->ptr);
    free(p->idx);
    free(p->diagonal);
    free(p->format);
    free(p);
}

static inline void cairn_sunmatrix_destroy(SUNMatrix A)
{
    if (!A) return;
    cairn_suncontent *c = cairn_sunmatrix_content(A);

    if (c) {
        cairn_plan_destroy(&c->plan);
        cairn_tensor_destroy(&c->tensor);
        cairn_sunpattern_release(c->pattern);
        free(c->values);
        free(c);
    }
    A->content = NULL;
    SUNMatFreeEmpty(A);
}

static inline int cairn_sunmatrix_zero(SUNMatrix A)
{
    memset(cairn_sunmatrix_values(A), 0,
           (size_t)cairn_sunmatrix_content(A)->pattern->entries * sizeof(sunrealtype));
    return 0;
}

/// Only matrices of one pattern are combined.
static inline bool cairn_sunmatrix_alike(SUNMatrix A, SUNMatrix B)
{
    return B->ops->clone == A->ops->clone
           && cairn_sunmatrix_content(A)->pattern
                  == cairn_sunmatrix_content(B)->pattern;
}

/// B = A.
static inline int cairn_sunmatrix_copy(SUNMatrix A, SUNMatrix B)
{
    if (!cairn_sunmatrix_alike(A, B)) return CAIRN_SUN_ILL_INPUT;
    memcpy(cairn_sunmatrix_values(B), cairn_sunmatrix_content(A)->values,
           (size_t)cairn_sunmatrix_content(A)->pattern->entries * sizeof(sunrealtype));
    return 0;
}

/// A = c A + B.
static inline int cairn_sunmatrix_scale_add(sunrealtype c, SUNMatrix A, SUNMatrix B)
{
    if (!cairn_sunmatrix_alike(A, B)) return CAIRN_SUN_ILL_INPUT;
    sunrealtype       *a = cairn_sunmatrix_values(A);
    const sunrealtype *b = cairn_sunmatrix_content(B)->values;

    for (int64_t k = 0; k < cairn_sunmatrix_content(A)->pattern->entries; k++)
        a[k] = c * a[k] + b[k];
    return 0;
}

/// A = c A + I.
static inline int cairn_sunmatrix_scale_add_identity(sunrealtype c, SUNMatrix A)
{
    const cairn_sunpattern *p = cairn_sunmatrix_content(A)->pattern;
    sunrealtype            *a = cairn_sunmatrix_values(A);

    for (int64_t k = 0; k < p->entries; k++)
        a[k] *= c;
    for (int64_t i = 0; i < p->rows.rows; i++)
        a[p->diagonal[i]] += 1;
    return 0;
}

static inline int cairn_sunmatrix_code(cairn_status status)
{
    switch (status) {
    case CAIRN_OK: return 0;
    case CAIRN_NO_MEMORY: return CAIRN_SUN_MEM_FAIL;
    case CAIRN_BAD_SHAPE:
    case CAIRN_BAD_COORD:
    case CAIRN_BAD_ARGUMENT:
    case CAIRN_BAD_SYNTAX:
    case CAIRN_BAD_FORMAT: return CAIRN_SUN_ILL_INPUT;
    default: return CAIRN_SUN_OP_FAIL;
    }
}

/// Store a content's values in its format, with a plan.
static inline cairn_status cairn_sunmatrix_store(cairn_suncontent *c)
{
    const cairn_sunpattern *p      = c->pattern;
    const bool              choose = p->format && strcmp(p->format, "auto") == 0;
    cairn_csr               rows   = p->rows;
    cairn_format           *format = NULL;
    cairn_status            status = CAIRN_OK;

    rows.val = c->values;
    if (p->format && !choose)
        status = cairn_format_create(p->context, p->format, &format);
    if (!status)
        status =
            cairn_tensor_from_rows(p->context, &rows, CAIRN_COPY, format, &c->tensor);
    if (!status && choose)
        status = cairn_tensor_auto(c->tensor, NULL, NULL, &format, NULL);
    if (!status && choose && format) {
        cairn_tensor_destroy(&c->tensor);
        status =
            cairn_tensor_from_rows(p->context, &rows, CAIRN_COPY, format, &c->tensor);
    }
    if (!status) status = cairn_plan_create_spmv(c->tensor, &c->plan);
    if (status) cairn_tensor_destroy(&c->tensor);
    cairn_format_destroy(&format);
    return status;
}

/// Bring new values to the format; the first time, store them. Collective.
static inline int cairn_sunmatrix_setup(SUNMatrix A)
{
    cairn_suncontent *c      = cairn_sunmatrix_content(A);
    cairn_status      status = CAIRN_OK;

    if (!c->plan)
        status = cairn_sunmatrix_store(c);
    else { // A rank whose values stayed agrees, too.
        if (c->stale) status = cairn_tensor_update(c->tensor, c->values);
        status = cairn_context_agree(c->pattern->context, status);
    }
    if (!status) c->stale = false;
    return cairn_sunmatrix_code(status);
}

/// Has a vector this rank's elements?
static inline bool cairn_sunmatrix_fits(N_Vector v, int64_t global, int64_t own)
{
    return N_VGetLength(v) == global
           && (!v->ops->nvgetlocallength || v->ops->nvgetlocallength(v) == own);
}

/// y = A x. Collective. Vectors of another length on this rank, or without an array, are
/// refused there; where they are right the others wait.
static inline int cairn_sunmatrix_multiply(SUNMatrix A, N_Vector x, N_Vector y)
{
    cairn_suncontent  *c       = cairn_sunmatrix_content(A);
    const sunrealtype *from    = N_VGetArrayPointer(x);
    sunrealtype       *to      = N_VGetArrayPointer(y);
    sunrealtype        nothing = 0; // A rank without rows has no array.
    int                code    = 0;

    if (!cairn_sunmatrix_fits(x, c->pattern->rows.global_cols, c->pattern->rows.rows)
        || !cairn_sunmatrix_fits(y, c->pattern->rows.global_rows, c->pattern->rows.rows)
        || (c->pattern->rows.rows > 0 && (!from || !to)))
        return CAIRN_SUN_ILL_INPUT;
    if (c->stale || !c->plan) code = cairn_sunmatrix_setup(A);
    if (code) return code;
    return cairn_sunmatrix_code(
        cairn_plan_run(c->plan, from ? from : &nothing, to ? to : &nothing));
}

/// Words of reals and of integers beside what Cairn counts for the context.
static inline int
cairn_sunmatrix_space(SUNMatrix A, long int *reals, long int *integers)
{
    const cairn_sunpattern *p = cairn_sunmatrix_content(A)->pattern;

    *reals    = (long int)p->entries;
    *integers = (long int)(p->entries + 2 * p->rows.rows + 1);
    return 0;
}

/// @}

static inline SUNMatrix cairn_sunmatrix_clone(SUNMatrix A);

/// A matrix of zeros over a pattern, which it takes; NULL without memory.
static inline SUNMatrix cairn_sunmatrix_over(cairn_sunpattern *p, SUNContext sunctx)
{
    cairn_suncontent *c = (cairn_suncontent *)calloc(1, sizeof *c);
    SUNMatrix         A = SUNMatNewEmpty(sunctx);

    p->users++;
    if (c) {
        c->pattern = p;
        c->stale   = true;
        c->values  = (sunrealtype *)calloc((size_t)p->entries + 1, sizeof(sunrealtype));
    }
    if (!A || !c || !c->values) {
        if (A) SUNMatFreeEmpty(A);
        if (c) free(c->values);
        free(c);
        cairn_sunpattern_release(p);
        return NULL;
    }
    A->content          = c;
    A->ops->getid       = cairn_sunmatrix_id;
    A->ops->clone       = cairn_sunmatrix_clone;
    A->ops->destroy     = cairn_sunmatrix_destroy;
    A->ops->zero        = cairn_sunmatrix_zero;
    A->ops->copy        = cairn_sunmatrix_copy;
    A->ops->scaleadd    = cairn_sunmatrix_scale_add;
    A->ops->scaleaddi   = cairn_sunmatrix_scale_add_identity;
    A->ops->matvecsetup = cairn_sunmatrix_setup;
    A->ops->matvec      = cairn_sunmatrix_multiply;
    A->ops->space       = cairn_sunmatrix_space;
    return A;
}

/// Another matrix of the same pattern, its values zero, as SUNMatClone() has it.
static inline SUNMatrix cairn_sunmatrix_clone(SUNMatrix A)
{
    return cairn_sunmatrix_over(cairn_sunmatrix_content(A)->pattern, A->sunctx);
}

/// Element @p k of an array of signed numbers of 32 or 64 bits.
static inline int64_t cairn_sunpattern_number(const void *array, int bits, int64_t k)
{
    return bits == 32 ? ((const int32_t *)array)[k] : ((const int64_t *)array)[k];
}

/// Copy a pattern and find its diagonal.
static inline cairn_status cairn_sunpattern_read(cairn_sunpattern *p,
                                                 const cairn_csr  *rows)
{
    const int64_t n = rows->rows < 0 ? rows->global_rows - rows->first_row : rows->rows;

    if (n < 0 || rows->global_rows != rows->global_cols) return CAIRN_BAD_SHAPE;
    p->entries = cairn_sunpattern_number(rows->ptr, rows->ptr_bits, n) - rows->base;
    if (p->entries < 0) return CAIRN_BAD_COORD;
    if (p->entries > 0 && !rows->idx) return CAIRN_BAD_ARGUMENT;
    p->ptr      = (int64_t *)malloc(((size_t)n + 1) * sizeof *p->ptr);
    p->idx      = (int64_t *)malloc(((size_t)p->entries + 1) * sizeof *p->idx);
    p->diagonal = (int64_t *)malloc(((size_t)n + 1) * sizeof *p->diagonal);
    if (!p->ptr || !p->idx || !p->diagonal) return CAIRN_NO_MEMORY;
    for (int64_t i = 0; i <= n; i++) {
        p->ptr[i] = cairn_sunpattern_number(rows->ptr, rows->ptr_bits, i) - rows->base;
        if (p->ptr[i] < (i ? p->ptr[i - 1] : 0) || p->ptr[i] > p->entries)
            return CAIRN_BAD_COORD;
    }
    for (int64_t k = 0; k < p->entries; k++)
        p->idx[k] = cairn_sunpattern_number(rows->idx, rows->idx_bits, k) - rows->base;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = p->ptr[i];

        while (k < p->ptr[i + 1] && p->idx[k] != rows->first_row + i)
            k++;
        if (k == p->ptr[i + 1]) return CAIRN_BAD_SHAPE;
        p->diagonal[i] = k;
    }
    p->rows          = *rows;
    p->rows.rows     = n;
    p->rows.ptr      = p->ptr;
    p->rows.idx      = p->idx;
    p->rows.val      = NULL;
    p->rows.ptr_bits = p->rows.idx_bits = 64;
    p->rows.base                        = 0;
    p->rows.val_kind                    = CAIRN_VALUE_FLOAT;
    p->rows.val_bits                    = 0;
    p->rows.release                     = NULL;
    p->rows.dtype = sizeof(sunrealtype) == sizeof(float) ? CAIRN_F32 : CAIRN_F64;
    return CAIRN_OK;
}

/// Make a square SUNMatrix of a pattern, its values zero.
///
/// Collective on the context's ranks. It is stored at its first product, in the format.
///
/// @param[in]  context  Outlives the matrix and its clones.
/// @param[in]  rows     This rank's rows, copied; `val` and its type are not looked at. Each
///                      has an entry on the diagonal, which I - gamma J needs.
/// @param[in]  format   A text of the format language; "auto": what cairn_tensor_auto()
///                      chooses for as many products as cairn_context_set_replays() said;
///                      NULL: compressed rows.
/// @param[out] A        SUNMatDestroy() destroys it. Unchanged on failure.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, or a width or base is none.
/// @retval CAIRN_BAD_SHAPE     It is not square, or a row has no entry on the diagonal.
/// @retval CAIRN_BAD_COORD     `ptr` descends.
/// @retval CAIRN_NO_MEMORY
/// @return Else as cairn_format_create(). What else is wrong with rows the first product
///         tells: its code, and the context's message.
static inline cairn_status cairn_sunmatrix_create(cairn_context   *context,
                                                  const cairn_csr *rows,
                                                  const char      *format,
                                                  SUNContext       sunctx,
                                                  SUNMatrix       *A)
{
    cairn_sunpattern *p      = (cairn_sunpattern *)calloc(1, sizeof *p);
    cairn_format     *named  = NULL;
    SUNMatrix         made   = NULL;
    cairn_status      status = p ? CAIRN_OK : CAIRN_NO_MEMORY;

    if (!context || !rows || !sunctx || !A || !rows->ptr
        || (rows->ptr_bits != 32 && rows->ptr_bits != 64)
        || (rows->idx_bits != 32 && rows->idx_bits != 64) || rows->base < 0
        || rows->base > 1)
        status = CAIRN_BAD_ARGUMENT;
    if (!status) {
        p->users   = 1;
        p->context = context;
        status     = cairn_sunpattern_read(p, rows);
    }
    if (!status && format) {
        p->format = (char *)malloc(strlen(format) + 1);
        if (p->format)
            strcpy(p->format, format);
        else
            status = CAIRN_NO_MEMORY;
    }
    status = cairn_context_agree(context, status);
    if (!status && format && strcmp(format, "auto") != 0) {
        status = cairn_format_create(context, format, &named);
        cairn_format_destroy(&named);
    }
    if (!status) {
        made   = cairn_sunmatrix_over(p, sunctx);
        status = cairn_context_agree(context, made ? CAIRN_OK : CAIRN_NO_MEMORY);
    }
    // A matrix has its own count of the pattern.
    if (p) p->users = made ? 2 : 1;
    cairn_sunpattern_release(p);
    if (!status)
        *A = made;
    else
        cairn_sunmatrix_destroy(made);
    return status;
}

/// A SUNATimesFn over a SUNMatrix, Cairn's or another: `SUNLinSolSetATimes(LS, A,
/// cairn_sunmatrix_atimes)` for programs that call a Krylov solver themselves.
static inline int cairn_sunmatrix_atimes(void *A, N_Vector x, N_Vector y)
{
    return SUNMatMatvec((SUNMatrix)A, x, y);
}

/// @name A Krylov solver that multiplies by the matrix it is set up with
/// @{

static inline SUNLinearSolver cairn_sunlinsol_inner(SUNLinearSolver S)
{
    return (SUNLinearSolver)S->content;
}

static inline SUNLinearSolver_Type cairn_sunlinsol_type(SUNLinearSolver S)
{
    (void)S;
    return SUNLINEARSOLVER_MATRIX_ITERATIVE;
}

static inline SUNLinearSolver_ID cairn_sunlinsol_id(SUNLinearSolver S)
{
    (void)S;
    return SUNLINEARSOLVER_CUSTOM;
}

static inline int cairn_sunlinsol_preconditioner(SUNLinearSolver S,
                                                 void           *data,
                                                 SUNPSetupFn     setup,
                                                 SUNPSolveFn     solve)
{
    return SUNLinSolSetPreconditioner(cairn_sunlinsol_inner(S), data, setup, solve);
}

static inline int
cairn_sunlinsol_scaling(SUNLinearSolver S, N_Vector left, N_Vector right)
{
    return SUNLinSolSetScalingVectors(cairn_sunlinsol_inner(S), left, right);
}

static inline int cairn_sunlinsol_zero_guess(SUNLinearSolver S, int zero)
{
    return SUNLinSolSetZeroGuess(cairn_sunlinsol_inner(S), zero);
}

/// The matrix is known from setup on; the solver asks for a product before it starts.
static inline int cairn_sunlinsol_initialize(SUNLinearSolver S)
{
    const int code =
        SUNLinSolSetATimes(cairn_sunlinsol_inner(S), NULL, cairn_sunmatrix_atimes);

    return code ? code : SUNLinSolInitialize(cairn_sunlinsol_inner(S));
}

static inline int cairn_sunlinsol_setup(SUNLinearSolver S, SUNMatrix A)
{
    int code = SUNLinSolSetATimes(cairn_sunlinsol_inner(S), A, cairn_sunmatrix_atimes);

    if (!code && A->ops->matvecsetup && SUNMatMatvecSetup(A))
        code = SUNLS_ATIMES_FAIL_UNREC;
    return code ? code : SUNLinSolSetup(cairn_sunlinsol_inner(S), NULL);
}

static inline int cairn_sunlinsol_solve(SUNLinearSolver S,
                                        SUNMatrix       A,
                                        N_Vector        x,
                                        N_Vector        b,
                                        sunrealtype     tolerance)
{
    const int code = SUNLinSolSolve(cairn_sunlinsol_inner(S), NULL, x, b, tolerance);

    (void)A;
    /* IDA 6.4 and 7.1 take a product that failed for a solution. */
    return code == SUNLS_ATIMES_FAIL_UNREC ? CAIRN_SUN_NO_RESULT : code;
}

static inline int cairn_sunlinsol_iterations(SUNLinearSolver S)
{
    return SUNLinSolNumIters(cairn_sunlinsol_inner(S));
}

static inline sunrealtype cairn_sunlinsol_norm(SUNLinearSolver S)
{
    return SUNLinSolResNorm(cairn_sunlinsol_inner(S));
}

static inline N_Vector cairn_sunlinsol_residual(SUNLinearSolver S)
{
    return SUNLinSolResid(cairn_sunlinsol_inner(S));
}

static inline sunindextype cairn_sunlinsol_flag(SUNLinearSolver S)
{
    return SUNLinSolLastFlag(cairn_sunlinsol_inner(S));
}

static inline int
cairn_sunlinsol_space(SUNLinearSolver S, long int *reals, long int *integers)
{
    return SUNLinSolSpace(cairn_sunlinsol_inner(S), reals, integers);
}

static inline int cairn_sunlinsol_free(SUNLinearSolver S)
{
    if (!S) return 0;
    const int code = SUNLinSolFree(cairn_sunlinsol_inner(S));

    S->content = NULL;
    SUNLinSolFreeEmpty(S);
    return code;
}

/// @}

/// Have a Krylov solver of SUNDIALS (SPGMR, SPFGMR, SPBCGS, SPTFQMR, PCG) multiply by the
/// SUNMatrix that an integrator sets it up with, in the place of differences of the
/// right-hand side.
///
/// Local.
///
/// @param[in] krylov  Belongs to the result, SUNLinSolFree() of which frees it.
/// @return NULL: @p krylov is NULL or no such solver, or there is no memory; @p krylov is
///         still the caller's.
static inline SUNLinearSolver cairn_sunlinsol(SUNLinearSolver krylov, SUNContext sunctx)
{
    SUNLinearSolver S;

    if (!krylov || !krylov->ops->setatimes
        || SUNLinSolGetType(krylov) != SUNLINEARSOLVER_ITERATIVE)
        return NULL;
    S = SUNLinSolNewEmpty(sunctx);
    if (!S) return NULL;
    S->content                = krylov;
    S->ops->gettype           = cairn_sunlinsol_type;
    S->ops->getid             = cairn_sunlinsol_id;
    S->ops->setpreconditioner = cairn_sunlinsol_preconditioner;
    S->ops->setscalingvectors = cairn_sunlinsol_scaling;
    S->ops->setzeroguess      = cairn_sunlinsol_zero_guess;
    S->ops->initialize        = cairn_sunlinsol_initialize;
    S->ops->setup             = cairn_sunlinsol_setup;
    S->ops->solve             = cairn_sunlinsol_solve;
    S->ops->numiters          = cairn_sunlinsol_iterations;
    S->ops->resnorm           = cairn_sunlinsol_norm;
    S->ops->resid             = cairn_sunlinsol_residual;
    S->ops->lastflag          = cairn_sunlinsol_flag;
    S->ops->space             = cairn_sunlinsol_space;
    S->ops->free              = cairn_sunlinsol_free;
    return S;
}

#ifdef __cplusplus
}
#endif

#endif
