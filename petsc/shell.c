// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A MATSHELL over a program's AIJ matrix, whose products are those of one copy of all rows.
/// The program asked for it, so that what fails is an error, and nothing is timed. What the
/// copy has is in a `shadow` of the shell's own; the matrix is only read.

#include "whole.h"

#include <cairn/mpi.h>
#include <cairn/petsc.h>

/// The context of a shell.
typedef struct {
    Mat            aij;
    PetscBool      mpi;     ///< It has two blocks a rank.
    cairn_context *context; ///< Over its communicator.
    cairn_format  *format;  ///< NULL: one is chosen.
    shadow         its;
} shell;

/* --- the copy --------------------------------------------------------------- */

static void drop(shell *h)
{
    for (int op = 0; op < PRODUCTS; op++) {
        cairn_plan_destroy(&h->its.plan[op]);
        h->its.by[op] = UNDECIDED;
    }
    cairn_tensor_destroy(&h->its.tensor);
    h->its.looked = PETSC_FALSE;
}

/// What failed, on all ranks, as an error of PETSc's; there is no copy then.
static PetscErrorCode check(shell *h, cairn_status status)
{
    char text[512];

    if (status == CAIRN_OK) return 0;
    PetscCall(PetscStrncpy(text, cairn_context_message(h->context), sizeof text));
    drop(h);
    SETERRQ(PETSC_COMM_SELF, shadow_code(status), "cairn: %s: %s",
            cairn_status_text(status), text);
}

static PetscErrorCode say(Mat A, const shell *h, const char *text)
{
    PetscMPIInt rank;

    PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
    if (rank == 0) return shadow_say(A, &h->its, text);
    return PetscInfo(A, "cairn: %s\n", text);
}

/// The rows of one rank as AIJ has them, in the first of two blocks.
static PetscErrorCode borrow(const shell *h, blocks *b)
{
    const PetscInt *ptr, *idx;

    if (h->mpi) return whole_borrow(h->aij, b);
    PetscCall(MatSeqAIJGetCSRAndMemType(h->aij, &ptr, &idx, NULL, NULL));
    PetscCall(MatSeqAIJGetArrayRead(h->aij, &b->values[0]));
    b->rows[0]             = (cairn_csr)CAIRN_CSR;
    b->rows[0].global_rows = b->rows[0].rows = h->aij->rmap->n;
    b->rows[0].global_cols                   = h->aij->cmap->n;
    b->rows[0].ptr                           = ptr;
    b->rows[0].idx                           = idx;
    b->rows[0].val                           = b->values[0];
    b->rows[0].ptr_bits = b->rows[0].idx_bits = 8 * sizeof(PetscInt);
    return 0;
}

static PetscErrorCode restore(const shell *h, blocks *b)
{
    return h->mpi ? whole_restore(b) : MatSeqAIJRestoreArrayRead(h->aij, &b->values[0]);
}

static cairn_status store(const shell        *h,
                          const blocks       *b,
                          const cairn_format *format,
                          cairn_tensor      **tensor)
{
    if (h->mpi)
        return cairn_tensor_from_blocks(h->context, &b->rows[0], &b->rows[1], &b->map,
                                        format, tensor);
    return cairn_tensor_from_rows(h->context, &b->rows[0], CAIRN_BORROW, format,
                                  tensor);
}

static cairn_status choose(const shell *h, const blocks *b, cairn_format **format)
{
    cairn_auto_info found  = CAIRN_AUTO_INFO;
    cairn_tensor   *rows   = NULL;
    cairn_status    status = store(h, b, NULL, &rows);

    if (status == CAIRN_OK) status = shadow_choose(&h->its, rows, format, &found);
    cairn_tensor_destroy(&rows);
    return status;
}

static PetscErrorCode convert(Mat A, shell *h)
{
    cairn_format *chosen = NULL;
    cairn_status  status;
    blocks        b;
    MatInfo       info;
    char          text[CAIRN_AUTO_TEXT + 256];

    drop(h);
    PetscCall(MatGetInfo(h->aij, MAT_GLOBAL_SUM, &info));
    h->its.rows = h->aij->rmap->N;
    h->its.cols = h->aij->cmap->N;
    if (!h->its.rows || !h->its.cols || info.nz_used == 0) return 0;
    PetscCall(PetscLogEventBegin(shadow_event[CONVERT], A, 0, 0, 0));
    PetscCall(borrow(h, &b));
    h->its.nnz = 0;
    for (int k = 0; k < (h->mpi ? 2 : 1) && h->aij->rmap->n; k++)
        h->its.nnz += ((const PetscInt *)b.rows[k].ptr)[h->aij->rmap->n];
    status = cairn_context_set_replays(h->context, PetscMax(h->its.set.expected, 0));
    status = cairn_context_agree(h->context, status);
    if (status == CAIRN_OK && !h->format) status = choose(h, &b, &chosen);
    if (status == CAIRN_OK)
        status = store(h, &b, h->format ? h->format : chosen, &h->its.tensor);
    cairn_format_destroy(&chosen);
    PetscCall(restore(h, &b));
    PetscCall(PetscLogEventEnd(shadow_event[CONVERT], A, 0, 0, 0));
    PetscCall(check(h, status));
    PetscCall(PetscSNPrintf(text, sizeof text, "shell: %s",
                            cairn_format_text(cairn_tensor_format(h->its.tensor))));
    return say(A, h, text);
}

/// New values of this rank's, from where they lie.
static PetscErrorCode update(Mat A, shell *h, cairn_status *status)
{
    blocks b;

    PetscCall(PetscLogEventBegin(shadow_event[REFILL], A, 0, 0, 0));
    PetscCall(borrow(h, &b));
    *status = h->mpi
                  ? cairn_tensor_update_blocks(h->its.tensor, b.values[0], b.values[1])
                  : cairn_tensor_update(h->its.tensor, b.values[0]);
    PetscCall(restore(h, &b));
    h->its.refills++;
    return PetscLogEventEnd(shadow_event[REFILL], A, 0, 0, 0);
}

/// What the matrix is now: its state, and which blocks and arrays it has.
static PetscErrorCode see(const shell *h, sight *now)
{
    Mat block[2];

    now->pattern = h->aij->nonzerostate;
    if (!h->mpi) {
        PetscCall(MatSeqAIJGetCSRAndMemType(h->aij, &now->ptr, &now->idx, NULL, NULL));
        return PetscObjectStateGet((PetscObject)h->aij, &now->values);
    }
    PetscCall(whole_states(h->aij, &now->values, &now->blocks));
    PetscCall(MatMPIAIJGetSeqAIJ(h->aij, &block[0], &block[1], NULL));
    for (int k = 0; k < 2; k++)
        PetscCall(PetscObjectGetId((PetscObject)block[k], &now->block[k]));
    return 0;
}

/// Have the copy follow the matrix. Where the matrix has a new state all ranks agree whether
/// its pattern is the copy's; where a block alone has one, its rank alone has new values, and
/// fails alone where these have no room (whole_run()).
///
/// @param[out] mine  Of new values that this rank alone has. After a failure the next product
///                   brings them.
static PetscErrorCode follow(Mat A, shell *h, cairn_status *mine)
{
    const sight  was    = h->its.seen;
    sight        now    = was;
    cairn_status status = CAIRN_OK;
    PetscBool    other;

    PetscCheck(h->aij->assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_ORDER,
               "cairn: the matrix of a shell is not assembled");
    *mine = CAIRN_OK;
    PetscCall(see(h, &now));
    if (h->its.looked && now.values == was.values) {
        if (now.blocks == was.blocks || !h->its.tensor) return 0;
        PetscCall(update(A, h, mine));
        if (*mine == CAIRN_OK) h->its.seen = now;
        return 0;
    }
    other =
        (PetscBool)(!h->its.looked || now.pattern != was.pattern || now.ptr != was.ptr
                    || now.idx != was.idx || now.block[0] != was.block[0]
                    || now.block[1] != was.block[1]);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &other, 1, MPIU_BOOL, MPI_LOR,
                               PetscObjectComm((PetscObject)A)));
    if (other)
        PetscCall(convert(A, h));
    else if (h->its.tensor) {
        PetscCall(update(A, h, &status));
        PetscCall(check(h, cairn_context_agree(h->context, status)));
    }
    h->its.seen   = now;
    h->its.looked = PETSC_TRUE;
    return 0;
}

/* --- the shell's functions -------------------------------------------------- */

/// Make the plan of a product where there is none. Where its vectors lie otherwise than the
/// matrix's AIJ multiplies.
static PetscErrorCode plan_ready(Mat A, shell *h, int op)
{
    cairn_product_options product = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    options = CAIRN_PLAN_OPTIONS;
    PetscBool             good;

    product.transposed = op == TRANSPOSE;
    options.product    = &product;
    options.place      = h->its.set.place[0] ? h->its.set.place : NULL;
    PetscCall(
        check(h, cairn_plan_create_with(h->its.tensor, &options, &h->its.plan[op])));
    h->its.by[op] = CAIRNS;
    PetscCall(whole_fits(h->aij, op, h->its.plan[op], &good));
    if (good) return 0;
    cairn_plan_destroy(&h->its.plan[op]);
    h->its.by[op] = PARENTS;
    return say(A, h, "shell: AIJ's product: X or Y is divided otherwise than the rows");
}

static PetscErrorCode product(Mat A, int op, Vec x, Vec y)
{
    cairn_status status, mine;
    shell       *h;

    PetscCall(MatShellGetContext(A, &h));
    PetscCall(follow(A, h, &mine));
    if (h->its.tensor && h->its.by[op] == UNDECIDED) PetscCall(plan_ready(A, h, op));
    if (!h->its.plan[op])
        return (op == TRANSPOSE ? MatMultTranspose : MatMult)(h->aij, x, y);
    PetscCall(PetscLogEventBegin(shadow_event[RUN], A, x, y, 0));
    if (h->mpi)
        PetscCall(whole_run(h->aij, h->its.plan[op], op, x, y, mine, &status));
    else
        PetscCall(shadow_run(h->its.plan[op], op, x, y, &status));
    PetscCall(PetscLogFlops(2.0 * h->its.nnz));
    PetscCall(PetscLogEventEnd(shadow_event[RUN], A, x, y, 0));
    h->its.runs++;
    /* This rank alone may have failed: its copy stays, so that all go on alike. */
    PetscCheck(status == CAIRN_OK, PETSC_COMM_SELF, shadow_code(status),
               "cairn: %s: %s", cairn_status_text(status),
               cairn_context_message(h->context));
    return 0;
}

static PetscErrorCode mult(Mat A, Vec x, Vec y)
{
    return product(A, MULT, x, y);
}

static PetscErrorCode mult_transpose(Mat A, Vec x, Vec y)
{
    return product(A, TRANSPOSE, x, y);
}

static PetscErrorCode diagonal(Mat A, Vec v)
{
    shell *h;

    PetscCall(MatShellGetContext(A, &h));
    return MatGetDiagonal(h->aij, v);
}

static PetscErrorCode end(shell **of)
{
    shell *h = *of;

    if (!h) return 0;
    drop(h);
    cairn_format_destroy(&h->format);
    cairn_context_destroy(&h->context);
    PetscCall(MatDestroy(&h->aij));
    return PetscFree(*of);
}

/* A duplicate of the shell has the same context, which ends with the last of them. */
#if PETSC_VERSION_GE(3, 23, 0)
static PetscErrorCode destroy(void **context)
{
    shell *h = *context;
#else
static PetscErrorCode destroy(void *context)
{
    shell *h = context;
#endif

    return end(&h);
}

/* --- making one ------------------------------------------------------------- */

/// The context and the format, which is read here, so that one that cannot be is refused
/// before there is a shell.
static PetscErrorCode begin(shell *h, const char *format)
{
    const MPI_Comm comm = PetscObjectComm((PetscObject)h->aij);
    cairn_status   status;
    PetscBool      open;
    size_t         length = 0;
    char           text[512];

    PetscCall(shadow_settings(h->aij, &h->its.set));
    if (format) PetscCall(PetscStrlen(format, &length));
    PetscCheck(length < sizeof h->its.set.format, comm, PETSC_ERR_ARG_WRONG,
               "cairn: a format has %d characters at most, and this one %d",
               (int)sizeof h->its.set.format - 1, (int)length);
    if (format)
        PetscCall(PetscStrncpy(h->its.set.format, format, sizeof h->its.set.format));
    status = h->mpi ? cairn_context_create_mpi(comm, &h->context)
                    : cairn_context_create(&h->context);
    if (status == CAIRN_OK && shadow_threads)
        status = cairn_context_set_threads(h->context, shadow_threads);
    PetscCall(shadow_is_open(&h->its, &open));
    if (status == CAIRN_OK && !open)
        status = cairn_format_create(h->context, h->its.set.format, &h->format);
    if (h->context && h->mpi) status = cairn_context_agree(h->context, status);
    PetscCall(PetscStrncpy(text, cairn_context_message(h->context), sizeof text));
    PetscCheck(status == CAIRN_OK, comm, shadow_code(status), "cairn: %s", text);
    return 0;
}

static PetscErrorCode wrap(shell *h, Mat *A)
{
    const Mat    aij = h->aij;
    MatNullSpace null;

    PetscCall(MatCreateShell(PetscObjectComm((PetscObject)aij), aij->rmap->n,
                             aij->cmap->n, aij->rmap->N, aij->cmap->N, h, A));
    PetscCall(MatShellSetContextDestroy(*A, destroy));
    PetscCall(MatSetBlockSizesFromMats(*A, aij, aij));
    PetscCall(MatShellSetOperation(*A, MATOP_MULT, (void (*)(void))mult));
    PetscCall(
        MatShellSetOperation(*A, MATOP_MULT_TRANSPOSE, (void (*)(void))mult_transpose));
    PetscCall(MatShellSetOperation(*A, MATOP_GET_DIAGONAL, (void (*)(void))diagonal));
    PetscCall(MatGetNullSpace(aij, &null));
    if (null) PetscCall(MatSetNullSpace(*A, null));
    PetscCall(MatGetTransposeNullSpace(aij, &null));
    if (null) PetscCall(MatSetTransposeNullSpace(*A, null));
    return MatSetUp(*A);
}

PetscErrorCode cairn_petsc_create_shell(Mat aij, const char *format, Mat *A)
{
    PetscErrorCode code;
    PetscBool      seq, mpi;
    shell         *h;
    Mat            made = NULL;

    /* PETSc's own checks of arguments are in its debug builds alone. */
    PetscCheck(
        aij && A, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
        "cairn: a shell is made over a matrix, and put where A points to: %s is NULL",
        aij ? "A" : "the matrix");
    PetscCall(shadow_begin());
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)aij, MATSEQAIJ, &seq));
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)aij, MATMPIAIJ, &mpi));
    PetscCheck((seq || mpi) && !aij->factortype, PetscObjectComm((PetscObject)aij),
               PETSC_ERR_ARG_WRONG, "cairn: a shell is made over AIJ, not over %s%s",
               ((PetscObject)aij)->type_name ? ((PetscObject)aij)->type_name
                                             : "a matrix without a type",
               aij->factortype ? " factored" : "");
    PetscCall(PetscNew(&h));
    PetscCall(PetscObjectReference((PetscObject)aij));
    h->aij = aij;
    h->mpi = mpi;
    code   = begin(h, format);
    if (!code) code = wrap(h, &made);
    if (!code) {
        *A = made;
        return 0;
    }
    if (made)
        PetscCall(MatDestroy(&made));
    else
        PetscCall(end(&h));
    PetscCall(code);
    return code;
}
