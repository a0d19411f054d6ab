// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// hypre's Krylov solvers with Cairn's products. hypre has no class of matrices to derive
/// from: its solvers multiply through a table of functions that each has. A `cairn_hypre` is
/// a HYPRE_ParCSRMatrix stored in a format once more; one line after a solver's Setup puts
/// its product into the solver's table. Vectors stay hypre's and are used where they lie,
/// and preconditioners, BoomerAMG among them, see hypre's own matrix as before:
///
///     HYPRE_ParCSRPCGSetup(pcg, A, b, x);              // as before
///     cairn_hypre_create(context, A, "bdia<64>", &op); // once a pattern
///     cairn_hypre_pcg(pcg, op);                        // after each Setup
///     HYPRE_ParCSRPCGSolve(pcg, A, b, x);              // as before
///
/// A Setup takes the line back: until the next one hypre multiplies itself. docs/arrays.md
/// has more, docs/examples/hypre_pcg.c a program.
///
/// Header only, C11 or C++; needs hypre's headers, which look into its structs, and is
/// compiled with the program. Tried with hypre 2.26. Not included by cairn.h. Matrices and
/// vectors are real and lie in the processor's memory.

#ifndef CAIRN_HYPRE_H
#define CAIRN_HYPRE_H

#include <cairn/cairn.h>

#include <_hypre_parcsr_ls.h>
#include <HYPRE_MatvecFunctions.h>
#include <krylov.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(HYPRE_COMPLEX) || defined(HYPRE_LONG_DOUBLE)
#    error "cairn/hypre.h: this hypre's numbers are neither double nor float"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// A matrix of hypre's as Cairn has it. Made and destroyed by the functions below alone.
typedef struct cairn_hypre cairn_hypre;

struct cairn_hypre {
    hypre_ParCSRMatrix *matrix;
    cairn_tensor *tensor; ///< For all other calls; this still owns it and the plan.
    cairn_plan   *plan;
    HYPRE_Real   *product; ///< [rows] A x, where a solver wants more than that alone.
    int64_t       rows;    ///< Of this rank.
    cairn_status
        status; ///< Of the first product that failed; the context's message may be
                ///< of a later call.
};

/// Are HYPRE_Int and HYPRE_BigInt as wide in the library that is loaded as in the headers
/// that the program was compiled with? Local.
static inline bool cairn_hypre_widths(HYPRE_ParCSRMatrix matrix)
{
    union {
        HYPRE_BigInt big;
        HYPRE_Int    number;
        uint32_t     word[4];
    } seen[3];
    const size_t width[3] = {sizeof(HYPRE_BigInt), sizeof(HYPRE_BigInt),
                             sizeof(HYPRE_Int)};
    MPI_Comm     comm;

    memset(seen, 0x5a, sizeof seen);
    if (HYPRE_ParCSRMatrixGetComm(matrix, &comm)) return false;
    if (HYPRE_ParCSRMatrixGetDims(matrix, &seen[0].big, &seen[1].big)) return false;
    if (hypre_MPI_Comm_size(comm, &seen[2].number)) return false;
    // The library wrote all words that the headers know of, and none behind them.
    for (int k = 0; k < 3; k++)
        if ((width[k] == 8 && seen[k].word[1] == 0x5a5a5a5a)
            || seen[k].word[width[k] / 4] != 0x5a5a5a5a)
            return false;
    return true;
}

/// What of a matrix can be seen to be wrong on this rank alone.
static inline cairn_status
cairn_hypre_look(cairn_context *context, HYPRE_ParCSRMatrix matrix, cairn_hypre **made)
{
    int rank = 0, size = 0;

    if (!matrix || !made) return CAIRN_BAD_ARGUMENT;
    if (!cairn_hypre_widths(matrix)) return CAIRN_UNSUPPORTED;
    if (hypre_GetActualMemLocation(hypre_ParCSRMatrixMemoryLocation(matrix))
        == hypre_MEMORY_DEVICE)
        return CAIRN_UNSUPPORTED;
    if (MPI_Comm_rank(hypre_ParCSRMatrixComm(matrix), &rank) != MPI_SUCCESS
        || MPI_Comm_size(hypre_ParCSRMatrixComm(matrix), &size) != MPI_SUCCESS)
        return CAIRN_COMM;
    return rank == cairn_context_rank(context) && size == cairn_context_size(context)
               ? CAIRN_OK
               : CAIRN_BAD_ARGUMENT;
}

/// One of a rank's two blocks as a struct.
static inline cairn_csr cairn_hypre_block(hypre_ParCSRMatrix *matrix,
                                          hypre_CSRMatrix    *block)
{
    static const HYPRE_Int no_rows[1] = {0};
    cairn_csr              rows       = CAIRN_CSR;

    rows.global_rows = hypre_ParCSRMatrixGlobalNumRows(matrix);
    rows.global_cols = hypre_ParCSRMatrixGlobalNumCols(matrix);
    rows.first_row   = hypre_ParCSRMatrixFirstRowIndex(matrix);
    rows.rows        = hypre_CSRMatrixNumRows(block);
    rows.ptr         = rows.rows ? hypre_CSRMatrixI(block) : no_rows;
    rows.idx         = hypre_CSRMatrixJ(block);
    rows.val         = hypre_CSRMatrixData(block);
    rows.ptr_bits = rows.idx_bits = 8 * (int)sizeof(HYPRE_Int);
    rows.dtype = sizeof(HYPRE_Real) == sizeof(float) ? CAIRN_F32 : CAIRN_F64;
    return rows;
}

/// Store both blocks in a format; NULL: compressed rows.
static inline cairn_status cairn_hypre_store(cairn_context      *context,
                                             hypre_ParCSRMatrix *matrix,
                                             const cairn_format *format,
                                             cairn_tensor      **tensor)
{
    const cairn_csr  local = cairn_hypre_block(matrix, hypre_ParCSRMatrixDiag(matrix));
    const cairn_csr  ghost = cairn_hypre_block(matrix, hypre_ParCSRMatrixOffd(matrix));
    cairn_column_map map   = CAIRN_COLUMN_MAP;

    map.first_col = hypre_ParCSRMatrixFirstColDiag(matrix);
    map.cols      = hypre_CSRMatrixNumCols(hypre_ParCSRMatrixDiag(matrix));
    map.ghosts    = hypre_CSRMatrixNumCols(hypre_ParCSRMatrixOffd(matrix));
    map.col       = hypre_ParCSRMatrixColMapOffd(matrix);
    map.bits      = 8 * (int)sizeof(HYPRE_BigInt);
    return cairn_tensor_from_blocks(context, &local, &ghost, &map, format, tensor);
}

/// The same in what `auto` chooses, which looks at compressed rows.
static inline cairn_status cairn_hypre_store_auto(cairn_context      *context,
                                                  hypre_ParCSRMatrix *matrix,
                                                  cairn_tensor      **tensor)
{
    cairn_format *format = NULL;
    cairn_tensor *rows   = NULL;
    cairn_status  status = cairn_hypre_store(context, matrix, NULL, &rows);

    if (!status) status = cairn_tensor_auto(rows, NULL, NULL, &format, NULL);
    if (!status && format) {
        cairn_tensor_destroy(&rows);
        status = cairn_hypre_store(context, matrix, format, &rows);
    }
    cairn_format_destroy(&format);
    if (!status)
        *tensor = rows;
    else
        cairn_tensor_destroy(&rows);
    return status;
}

/// Destroy it, after the solvers that have it. NULL is accepted.
static inline void cairn_hypre_destroy(cairn_hypre **op)
{
    if (!op || !*op) return;
    cairn_plan_destroy(&(*op)->plan);
    cairn_tensor_destroy(&(*op)->tensor);
    free((*op)->product);
    free(*op);
    *op = NULL;
}

/// Are rows and columns, of which vectors have one element each, on the ranks where hypre
/// has them?
static inline bool cairn_hypre_aligned(const cairn_hypre *op)
{
    hypre_ParCSRMatrix *matrix = op->matrix;
    int64_t             first, end, from, to;

    cairn_plan_rows(op->plan, &first, &end);
    cairn_plan_columns(op->plan, &from, &to);
    return end - first == op->rows
           && to - from == hypre_CSRMatrixNumCols(hypre_ParCSRMatrixDiag(matrix))
           && (end == first || first == hypre_ParCSRMatrixFirstRowIndex(matrix))
           && (to == from || from == hypre_ParCSRMatrixFirstColDiag(matrix));
}

/// Store an assembled matrix in a format: the two blocks that a rank has of its rows,
/// merged by their columns, as cairn_tensor_from_blocks() does.
///
/// Collective.
///
/// @param[in]  context  Of the matrix's ranks, in their order (cairn_context_create_mpi());
///                      outlives this.
/// @param[in]  matrix   Outlives this; its pattern, and the order of its entries, stay.
/// @param[in]  format   A text of the format language; "auto": what cairn_tensor_auto()
///                      chooses for as many products as cairn_context_set_replays() said;
///                      NULL: compressed rows.
/// @param[out] op       Destroy with cairn_hypre_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, or the context has other ranks.
/// @retval CAIRN_UNSUPPORTED   HYPRE_Int or HYPRE_BigInt has another width in the library
///                             that is loaded than in the program's headers, or the matrix
///                             lies on a card.
/// @retval CAIRN_BAD_SHAPE     Columns are on other ranks than Cairn has them: where the
///                             rows are if the matrix is square, else evenly.
/// @return Else as cairn_tensor_from_blocks(), cairn_tensor_auto() and
///         cairn_plan_create_spmv(), whose messages the context has.
static inline cairn_status cairn_hypre_create(cairn_context     *context,
                                              HYPRE_ParCSRMatrix matrix,
                                              const char        *format,
                                              cairn_hypre      **op)
{
    cairn_hypre  *made   = NULL;
    cairn_format *named  = NULL;
    cairn_status  status = cairn_hypre_look(context, matrix, op);

    if (!status) {
        made   = (cairn_hypre *)calloc(1, sizeof *made);
        status = made ? CAIRN_OK : CAIRN_NO_MEMORY;
    }
    if (!status) {
        made->matrix = (hypre_ParCSRMatrix *)matrix;
        made->rows   = hypre_ParCSRMatrixNumRows(made->matrix);
        made->product =
            (HYPRE_Real *)malloc(((size_t)made->rows + 1) * sizeof(HYPRE_Real));
        status = made->product ? CAIRN_OK : CAIRN_NO_MEMORY;
    }
    status = cairn_context_agree(context, status);
    if (!status && format && strcmp(format, "auto") == 0)
        status = cairn_hypre_store_auto(context, made->matrix, &made->tensor);
    else if (!status) {
        if (format) status = cairn_format_create(context, format, &named);
        if (!status)
            status = cairn_hypre_store(context, made->matrix, named, &made->tensor);
        cairn_format_destroy(&named);
    }
    if (!status) status = cairn_plan_create_spmv(made->tensor, &made->plan);
    if (!status)
        status = cairn_context_agree(
            context, cairn_hypre_aligned(made) ? CAIRN_OK : CAIRN_BAD_SHAPE);
    if (!status)
        *op = made;
    else
        cairn_hypre_destroy(&made);
    return status;
}

/// New values of the matrix, for the same pattern, at about the speed of a gather.
///
/// Local.
///
/// @return As cairn_tensor_update_blocks().
static inline cairn_status cairn_hypre_update(cairn_hypre *op)
{
    if (!op) return CAIRN_BAD_ARGUMENT;
    return cairn_tensor_update_blocks(
        op->tensor, hypre_CSRMatrixData(hypre_ParCSRMatrixDiag(op->matrix)),
        hypre_CSRMatrixData(hypre_ParCSRMatrixOffd(op->matrix)));
}

/// y = alpha A x + beta y of hypre's vectors.
///
/// Collective. A failure is hypre's error flag, on all ranks: what the solver goes on with
/// is not a number, it ends, and its Solve returns the flag.
///
/// @param[in] x, y  hypre_ParVector of one column each, which do not overlap. Of another
///                  length on this rank they are HYPRE_ERROR_ARG, and nothing is done;
///                  ranks where they fit wait.
/// @return hypre's error flag.
static inline HYPRE_Int cairn_hypre_multiply(cairn_hypre  *op,
                                             HYPRE_Complex alpha,
                                             void         *x,
                                             HYPRE_Complex beta,
                                             void         *y)
{
    hypre_Vector     *u    = hypre_ParVectorLocalVector((hypre_ParVector *)x);
    hypre_Vector     *v    = hypre_ParVectorLocalVector((hypre_ParVector *)y);
    const HYPRE_Real *from = hypre_VectorData(u);
    HYPRE_Real       *to   = hypre_VectorData(v);

    if (hypre_VectorSize(u)
            != hypre_CSRMatrixNumCols(hypre_ParCSRMatrixDiag(op->matrix))
        || hypre_VectorSize(v) != op->rows) {
        const int argument = hypre_VectorSize(v) != op->rows ? 5 : 3;

        hypre_error_in_arg(argument);
        return hypre_error_flag;
    }
    const bool  alone  = alpha == 1 && beta == 0;
    HYPRE_Real *target = alone ? to : op->product;
    // A rank without rows has no array; NULL would be the plan's own.
    HYPRE_Real         nothing = 0;
    const cairn_status status =
        cairn_plan_run(op->plan, from ? from : &nothing, target ? target : &nothing);

    if (status) {
        if (!op->status) op->status = status;
        for (int64_t i = 0; i < op->rows; i++)
            to[i] = NAN;
        hypre_error(status == CAIRN_NO_MEMORY ? HYPRE_ERROR_MEMORY
                                              : HYPRE_ERROR_GENERIC);
        return hypre_error_flag;
    }
    if (alone) return hypre_error_flag;
    if (beta == 0)
        for (int64_t i = 0; i < op->rows; i++)
            to[i] = alpha * target[i];
    else
        for (int64_t i = 0; i < op->rows; i++)
            to[i] = alpha * target[i] + beta * to[i];
    return hypre_error_flag;
}

/// @name What stands in the tables of solvers
/// @{

static inline void *cairn_hypre_no_data(void *A, void *x)
{
    (void)A;
    (void)x;
    return NULL;
}

static inline HYPRE_Int cairn_hypre_keep_data(void *data)
{
    (void)data;
    return hypre_error_flag;
}

/// Of another matrix than what was stored, or of several columns, the product is hypre's,
/// and so is that after a Setup, which leaves no data.
static inline HYPRE_Int cairn_hypre_matvec(void         *data,
                                           HYPRE_Complex alpha,
                                           void         *A,
                                           void         *x,
                                           HYPRE_Complex beta,
                                           void         *y)
{
    cairn_hypre *op = (cairn_hypre *)data;

    if (!op || A != (void *)op->matrix || alpha == 0
        || hypre_ParVectorNumVectors((hypre_ParVector *)x) != 1)
        return hypre_ParKrylovMatvec(NULL, alpha, A, x, beta, y);
    return cairn_hypre_multiply(op, alpha, x, beta, y);
}

static inline void *cairn_hypre_itself(void *A, void *x)
{
    (void)x;
    return A;
}

static inline HYPRE_Int cairn_hypre_matvec_itself(void         *data,
                                                  HYPRE_Complex alpha,
                                                  void         *A,
                                                  void         *x,
                                                  HYPRE_Complex beta,
                                                  void         *y)
{
    (void)data;
    return cairn_hypre_multiply((cairn_hypre *)A, alpha, x, beta, y);
}

/// @}

/// cairn_hypre_pcg(), _gmres(), _flexgmres(), _lgmres(), _cogmres(), _bicgstab(): have a
/// solver of HYPRE_ParCSRPCGCreate() and its kin multiply by @p op, until its next Setup.
///
/// Local; call it after Setup, on all ranks or on none.
///
/// @param[in] op  Outlives the solver, or its next Setup. NULL: hypre multiplies.
/// @return hypre's error flag.
#define CAIRN_HYPRE_METHODS(X) \
    X(pcg, PCG)                \
    X(gmres, GMRES)            \
    X(flexgmres, FlexGMRES)    \
    X(lgmres, LGMRES)          \
    X(cogmres, COGMRES)        \
    X(bicgstab, BiCGSTAB)

#define X(name, Method)                                                              \
    static inline HYPRE_Int cairn_hypre_##name(HYPRE_Solver solver, cairn_hypre *op) \
    {                                                                                \
        hypre_##Method##Data *data = (hypre_##Method##Data *)solver;                 \
                                                                                     \
        if (data) {                                                                  \
            data->functions->MatvecCreate  = cairn_hypre_no_data;                    \
            data->functions->Matvec        = cairn_hypre_matvec;                     \
            data->functions->MatvecDestroy = cairn_hypre_keep_data;                  \
            data->matvec_data              = op;                                     \
        } else                                                                       \
            hypre_error_in_arg(1);                                                   \
        return hypre_error_flag;                                                     \
    }
CAIRN_HYPRE_METHODS(X)
#undef X

/// Fill the table of products that HYPRE_LOBPCGCreate() is given. The matrices of
/// HYPRE_LOBPCGSetup() and HYPRE_LOBPCGSetupB() are then cairn_hypre, cast to HYPRE_Matrix;
/// hypre's own for the preconditioner is given before them, by HYPRE_LOBPCGSetupT().
///
/// Local.
///
/// @return hypre's error flag.
static inline HYPRE_Int cairn_hypre_lobpcg(HYPRE_MatvecFunctions *functions)
{
    if (!functions) {
        hypre_error_in_arg(1);
        return hypre_error_flag;
    }
    HYPRE_ParCSRSetupMatvec(functions);
    functions->MatvecCreate  = cairn_hypre_itself;
    functions->Matvec        = cairn_hypre_matvec_itself;
    functions->MatvecDestroy = cairn_hypre_keep_data;
    return hypre_error_flag;
}

#ifdef __cplusplus
}
#endif

#endif
