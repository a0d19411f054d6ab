// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A plug-in for PETSc: matrix types `seqaijcairn`, `mpiaijcairn` and, for either,
/// `aijcairn`. Each is AIJ in every respect, so that preconditioners go on working; the
/// products with vectors and dense matrices alone are ours, by a copy of the matrix
/// (shadow.h). Of several ranks each has a copy of its diagonal block, and PETSc's scatter
/// goes on meanwhile.
///
///     PETSC_OPTIONS='-dll_append PATH/libcairnpetsc.so -mat_type aijcairn' program
///
/// docs/petsc.md has the options. Failures are PETSc errors; where a copy cannot be had,
/// AIJ's product runs, which PetscInfo() tells.

#include "whole.h"

#include <cairn/mpi.h>

#include <petsctime.h>

static const char *const type_of[KINDS]   = {"seqaijcairn", "mpiaijcairn"};
static const char *const parent_of[KINDS] = {MATSEQAIJ, MATMPIAIJ};

static const char any_type[] = "MatProductSetFromOptions_anytype_C";

/// AIJ's functions that are composed, as they were found.
static PetscErrorCode (*parents_retrieve[KINDS])(Mat);
static PetscErrorCode (*parents_dense_symbolic)(Mat, Mat, PetscReal, Mat);
static PetscErrorCode (*parents_dense)(Mat, Mat, Mat);

/* --- products with dense matrices ------------------------------------------- */

/// C = A B by the copy: WIDTH columns at once, laid out by rows; what is left, each where
/// it lies. The time in @p seconds becomes less where it is.
static PetscErrorCode
dense_run(const shadow *s, Mat B, Mat C, cairn_status *status, double *seconds)
{
    double        *x = cairn_plan_x(s->plan[DENSE]), *y = cairn_plan_y(s->plan[DENSE]);
    const PetscInt columns = B->cmap->n;
    const PetscScalar *b;
    PetscScalar       *c;
    PetscInt           ldb, ldc, k = 0;
    PetscLogDouble     begin, end;

    PetscCall(MatDenseGetLDA(B, &ldb));
    PetscCall(MatDenseGetLDA(C, &ldc));
    PetscCall(MatDenseGetArrayRead(B, &b));
    PetscCall(MatDenseGetArrayWrite(C, &c));
    PetscCall(PetscTime(&begin));
    for (*status = CAIRN_OK; k + WIDTH <= columns && *status == CAIRN_OK; k += WIDTH) {
        for (size_t i = 0; i < (size_t)s->cols; i++)
            for (size_t j = 0; j < WIDTH; j++)
                x[i * WIDTH + j] = b[(k + j) * ldb + i];
        *status = cairn_plan_run(s->plan[DENSE], NULL, NULL);
        for (size_t i = 0; i < (size_t)s->rows; i++)
            for (size_t j = 0; j < WIDTH; j++)
                c[(k + j) * ldc + i] = y[i * WIDTH + j];
    }
    for (; k < columns && *status == CAIRN_OK; k++)
        *status =
            cairn_plan_run(s->plan[MULT], b + (size_t)k * ldb, c + (size_t)k * ldc);
    PetscCall(PetscTime(&end));
    *seconds = PetscMin(*seconds, end - begin);
    PetscCall(MatDenseRestoreArrayRead(B, &b));
    PetscCall(MatDenseRestoreArrayWrite(C, &c));
    return 0;
}

/// Who computes A B? The format was chosen for vectors, and AIJ's loop over four columns
/// is good: both are tried. Whether a refill pays is found as for one product of a vector.
static PetscErrorCode dense_decide(Mat A, shadow *s, Mat B, Mat C, PetscBool *is_ours)
{
    double         ours = PETSC_MAX_REAL, theirs = PETSC_MAX_REAL;
    cairn_plan    *plan;
    cairn_status   status = CAIRN_OK;
    PetscLogDouble begin, end;
    PetscBool      open;
    Vec            x, y;

    *is_ours = PETSC_FALSE;
    PetscCall(MatCreateVecs(A, &x, &y));
    PetscCall(shadow_decide(A, s, MULT, x, y, &plan));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    *is_ours = plan && s->by[DENSE] == CAIRNS;
    if (!plan || s->by[DENSE] != UNDECIDED) return 0;
    PetscCall(shadow_is_open(s, &open));
    PetscCall(shadow_plan(A, s, DENSE));
    for (int turn = 0; turn < 2 && open && s->tensor && status == CAIRN_OK; turn++) {
        PetscCall(PetscTime(&begin));
        PetscCall((*parents_dense)(A, B, C));
        PetscCall(PetscTime(&end));
        theirs = PetscMin(theirs, end - begin);
        PetscCall(dense_run(s, B, C, &status, &ours));
    }
    if (status != CAIRN_OK) PetscCall(shadow_give_up(A, s, status));
    if (!s->tensor) return 0;
    s->by[DENSE] = open && theirs < ours ? PARENTS : CAIRNS;
    *is_ours     = s->by[DENSE] == CAIRNS;
    return 0;
}

static PetscErrorCode dense_numeric(Mat A, Mat B, Mat C)
{
    cairn_status status  = CAIRN_OK;
    double       seconds = PETSC_MAX_REAL;
    PetscBool    is_ours;
    shadow      *s;

    if (A->ops->mult != shadow_mult) return (*parents_dense)(A, B, C);
    PetscCall(shadow_of(A, &s));
    PetscCall(dense_decide(A, s, B, C, &is_ours));
    if (is_ours) {
        PetscCall(PetscLogEventBegin(shadow_event[RUN], A, B, C, 0));
        PetscCall(dense_run(s, B, C, &status, &seconds));
        PetscCall(PetscLogFlops(2.0 * s->nnz * B->cmap->n));
        PetscCall(PetscLogEventEnd(shadow_event[RUN], A, B, C, 0));
        if (status == CAIRN_OK) return 0;
        PetscCall(shadow_give_up(A, s, status));
    }
    return (*parents_dense)(A, B, C);
}

static PetscErrorCode dense_symbolic(Mat A, Mat B, PetscReal fill, Mat C)
{
    PetscCall((*parents_dense_symbolic)(A, B, fill, C));
    parents_dense          = C->ops->matmultnumeric;
    C->ops->matmultnumeric = dense_numeric;
    return 0;
}

/// The name of a matrix's type, of ours AIJ's.
static const char *plain_type(Mat A)
{
    const char *type = ((PetscObject)A)->type_name;

    for (int kind = 0; kind < KINDS; kind++)
        if (!strcmp(type, type_of[kind])) return parent_of[kind];
    return type;
}

/// How is a product of matrices computed that are not all AIJ? PETSc asks here when it
/// found nothing under the names of their types: look again under AIJ's.
static PetscErrorCode product_set(Mat C)
{
    const Mat of[3]            = {C->product->A, C->product->B,
                       C->product->type == MATPRODUCT_ABC ? C->product->C : NULL};
    PetscErrorCode (*set)(Mat) = NULL;
    char name[256];

    PetscCall(PetscSNPrintf(name, sizeof name, "MatProductSetFromOptions_%s_%s%s%s_C",
                            plain_type(of[0]), plain_type(of[1]), of[2] ? "_" : "",
                            of[2] ? plain_type(of[2]) : ""));
    for (int k = 0; k < 3 && !set; k++)
        if (of[k]) PetscCall(PetscObjectQueryFunction((PetscObject)of[k], name, &set));
    for (int k = 0; k < 3 && !set; k++) {
        if (of[k])
            PetscCall(PetscObjectQueryFunction((PetscObject)of[k], any_type, &set));
        if (set == product_set) set = NULL;
    }
    if (set) PetscCall((*set)(C));
    if (C->product->type == MATPRODUCT_AB && of[0]->ops->mult == shadow_mult
        && !strcmp(plain_type(of[1]), MATSEQDENSE) && C->ops->matmultsymbolic) {
        parents_dense_symbolic  = C->ops->matmultsymbolic;
        C->ops->matmultsymbolic = dense_symbolic;
    }
    return 0;
}

/* --- the types -------------------------------------------------------------- */

static PetscErrorCode adopt(Mat B);

/// PETSc may replace the block of a rank at any assembly.
static PetscErrorCode block_ready(Mat A)
{
    shadow *s, *t;
    Mat     block;

    PetscCall(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
    t = block->ops->mult == shadow_mult ? block->spptr : NULL;
    if (t && t->set.whole) return 0;
    PetscCall(shadow_of(A, &s));
    PetscCall(shadow_settings(A, &s->set));
    PetscCall(adopt(block));
    PetscCall(shadow_of(block, &t));
    t->set       = s->set;
    t->set.whole = PETSC_TRUE;
    return 0;
}

/// Products of several ranks: by the blocks, unless one copy of all rows may be had.
static PetscErrorCode mpi_product(Mat A, int op, Vec x, Vec add, Vec y)
{
    shadow *s;

    PetscCall(block_ready(A));
    PetscCall(shadow_of(A, &s));
    PetscCall(shadow_settings(A, &s->set));
    if (s->set.ranks != RANKS_BLOCKS) return whole_product(A, op, x, add, y);
    switch (op) {
    case MULT: return shadow_parent[MPI].mult(A, x, y);
    case MULT_ADD: return shadow_parent[MPI].multadd(A, x, add, y);
    case TRANSPOSE: return shadow_parent[MPI].multtranspose(A, x, y);
    default: return shadow_parent[MPI].multtransposeadd(A, x, add, y);
    }
}

static PetscErrorCode mpi_mult(Mat A, Vec x, Vec y)
{
    return mpi_product(A, MULT, x, NULL, y);
}

static PetscErrorCode mpi_mult_add(Mat A, Vec x, Vec add, Vec y)
{
    return mpi_product(A, MULT_ADD, x, add, y);
}

static PetscErrorCode mpi_transpose(Mat A, Vec x, Vec y)
{
    return mpi_product(A, TRANSPOSE, x, NULL, y);
}

static PetscErrorCode mpi_transpose_add(Mat A, Vec x, Vec add, Vec y)
{
    return mpi_product(A, TRANSPOSE_ADD, x, add, y);
}

static int kind_of(Mat A)
{
    return A->ops->mult == mpi_mult ? MPI : SEQ;
}

/// Options are read now, and not at the first product: a block preconditioner on one rank
/// has the whole matrix as its block by then, and gives it its own prefix.
static PetscErrorCode assembly_end(Mat A, MatAssemblyType mode)
{
    shadow *s;

    PetscCall(shadow_parent[kind_of(A)].assemblyend(A, mode));
    if (mode != MAT_FINAL_ASSEMBLY) return 0;
    PetscCall(shadow_of(A, &s));
    return shadow_settings(A, &s->set);
}

/// What MatStoreValues() kept comes back without a new state.
static PetscErrorCode retrieve(Mat A)
{
    PetscCall((*parents_retrieve[kind_of(A)])(A));
    return PetscObjectStateIncrease((PetscObject)A);
}

static PetscErrorCode duplicate(Mat A, MatDuplicateOption option, Mat *M)
{
    shadow *from, *to;

    PetscCall(shadow_parent[kind_of(A)].duplicate(A, option, M));
    PetscCall(shadow_of(A, &from));
    PetscCall(shadow_of(*M, &to));
    to->set = from->set;
    return 0;
}

static PetscErrorCode destroy(Mat A);

static const struct _MatOps mine[KINDS] = {
    {.mult             = shadow_mult,
     .multadd          = shadow_mult_add,
     .multtranspose    = shadow_transpose,
     .multtransposeadd = shadow_transpose_add,
     .assemblyend      = assembly_end,
     .duplicate        = duplicate,
     .destroy          = destroy},
    {.mult             = mpi_mult,
     .multadd          = mpi_mult_add,
     .multtranspose    = mpi_transpose,
     .multtransposeadd = mpi_transpose_add,
     .assemblyend      = assembly_end,
     .duplicate        = duplicate,
     .destroy          = destroy},
};

/// Make a matrix of the type, by the functions that differ.
static PetscErrorCode become(Mat B, const struct _MatOps *from, const char *type)
{
    B->ops->mult             = from->mult;
    B->ops->multadd          = from->multadd;
    B->ops->multtranspose    = from->multtranspose;
    B->ops->multtransposeadd = from->multtransposeadd;
    B->ops->assemblyend      = from->assemblyend;
    B->ops->duplicate        = from->duplicate;
    B->ops->destroy          = from->destroy;
    return PetscObjectChangeTypeName((PetscObject)B, type);
}

static PetscErrorCode into(Mat A, MatType type, MatReuse reuse, Mat *out);
static PetscErrorCode release(Mat A, MatType type, MatReuse reuse, Mat *out);

/// What PETSc looks up by the names of types: AIJ's converters under ours, and our own. On
/// the type itself: PtAP looks there, and would copy entry by entry.
static PetscErrorCode compose(Mat A, int kind, PetscBool on)
{
    static const char *const other[] = {"%ssbaij",   "%sbaij",    "%sdense", "%ssell",
                                        "elemental", "scalapack", "hypre",   "is"};
    const char              *mine = type_of[kind], *theirs = parent_of[kind];
    const char              *rank   = kind == MPI ? "mpi" : "seq";
    PetscObject              object = (PetscObject)A;
    PetscErrorCode (*f)(void);
    char last[32], name[128];

#define COMPOSE(function, ...)                                           \
    do {                                                                 \
        PetscCall(PetscSNPrintf(name, sizeof name, __VA_ARGS__));        \
        PetscCall(PetscObjectComposeFunction(object, name, (function))); \
    } while (0)

    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(other); k++) {
        PetscCall(PetscSNPrintf(last, sizeof last, other[k], rank));
        PetscCall(PetscSNPrintf(name, sizeof name, "MatConvert_%s_%s_C", theirs, last));
        PetscCall(PetscObjectQueryFunction(object, name, &f));
        COMPOSE(on ? f : NULL, "MatConvert_%s_%s_C", mine, last);
    }
    COMPOSE(on ? into : NULL, "MatConvert_%s_%s_C", theirs, mine);
    COMPOSE(on ? release : NULL, "MatConvert_%s_%s_C", mine, theirs);
    COMPOSE(on ? product_set : NULL, any_type);
    if (on)
        PetscCall(PetscObjectQueryFunction(object, "MatRetrieveValues_C",
                                           &parents_retrieve[kind]));
    COMPOSE(on ? retrieve : NULL, "MatRetrieveValues_C");
#undef COMPOSE
    return 0;
}

static PetscErrorCode strip(Mat A, int kind)
{
    shadow *s = A->spptr;
    char    text[128];

    if (s && s->looked) {
        PetscCall(PetscSNPrintf(text, sizeof text,
                                "products by the copy %" PetscInt_FMT
                                ", by AIJ %" PetscInt_FMT ", refills %" PetscInt_FMT,
                                s->runs, s->parents_runs, s->refills));
        PetscCall(shadow_say(A, s, text));
    }
    if (s && kind == MPI) PetscCall(whole_drop(A, s));
    if (s && kind == SEQ) shadow_drop(s);
    PetscCall(PetscFree(A->spptr));
    return compose(A, kind, PETSC_FALSE);
}

static PetscErrorCode destroy(Mat A)
{
    const int kind = kind_of(A);

    PetscCall(strip(A, kind));
    return shadow_parent[kind].destroy(A);
}

/// Make AIJ ours, in place. A matrix that is ours stays as it is: with -mat_seqaij_type one
/// comes here twice.
static PetscErrorCode adopt(Mat B)
{
    const char *type = ((PetscObject)B)->type_name;
    PetscBool   mpi, plain;
    shadow     *s;

    if (B->ops->mult == shadow_mult || B->ops->mult == mpi_mult) return 0;
    PetscCall(PetscStrcmp(type, MATMPIAIJ, &mpi));
    PetscCall(PetscStrcmp(type, parent_of[mpi], &plain));
    PetscCheck(plain, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "cairn: a matrix of type %s cannot become aijcairn: it is not plain AIJ",
               type);
    B->spptr = NULL;
    PetscCall(shadow_of(B, &s));
    shadow_parent[mpi] = *B->ops;
    PetscCall(compose(B, mpi, PETSC_TRUE));
    return become(B, &mine[mpi], type_of[mpi]);
}

/// What conversions of either direction begin with: a matrix to be changed in place, or
/// NULL where the values were copied.
static PetscErrorCode target(Mat A, MatReuse reuse, Mat *out, Mat *B)
{
    *B = reuse == MAT_INPLACE_MATRIX ? A : NULL;
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
    if (reuse == MAT_REUSE_MATRIX) PetscCall(MatCopy(A, *out, SAME_NONZERO_PATTERN));
    if (*B) *out = *B;
    return 0;
}

static PetscErrorCode into(Mat A, MatType type, MatReuse reuse, Mat *out)
{
    Mat B;

    (void)type;
    PetscCall(target(A, reuse, out, &B));
    return B ? adopt(B) : 0;
}

/// Back to AIJ, the block of a rank with it.
static PetscErrorCode release(Mat A, MatType type, MatReuse reuse, Mat *out)
{
    const int kind = kind_of(A);
    Mat       B, block;

    PetscCall(target(A, reuse, out, &B));
    if (!B) return 0;
    PetscCall(strip(B, kind));
    PetscCall(become(B, &shadow_parent[kind], parent_of[kind]));
    PetscCall(PetscObjectComposeFunction((PetscObject)B, "MatRetrieveValues_C",
                                         parents_retrieve[kind]));
    if (kind == SEQ) return 0;
    PetscCall(MatMPIAIJGetSeqAIJ(B, &block, NULL, NULL));
    if (!block || block->ops->mult != shadow_mult) return 0;
    return release(block, type, MAT_INPLACE_MATRIX, &block);
}

static PetscErrorCode create_seq(Mat B)
{
    PetscCall(MatSetType(B, MATSEQAIJ));
    return adopt(B);
}

static PetscErrorCode create_mpi(Mat B)
{
    PetscCall(MatSetType(B, MATMPIAIJ));
    return adopt(B);
}

/* --- loading ---------------------------------------------------------------- */

/// Is the PETSc that loads this the one it was built for? Its integers are given room for
/// 64 bits. Of the two that PetscSplitOwnership() takes, `part` is -1 in either width, and
/// shows afterwards how much of it was written.
static PetscErrorCode check_petsc(void)
{
    int64_t       part = -1, whole = 5, number[4] = {0};
    PetscBool     found  = PETSC_FALSE;
    PetscDataType scalar = PETSC_DATATYPE_UNKNOWN;

    PetscCall(PetscGetVersionNumber((PetscInt *)number, (PetscInt *)(number + 1),
                                    (PetscInt *)(number + 2),
                                    (PetscInt *)(number + 3)));
    PetscCall(
        PetscSplitOwnership(PETSC_COMM_SELF, (PetscInt *)&part, (PetscInt *)&whole));
    PetscCall(PetscDataTypeFromString("scalar", &scalar, &found));
    PetscCheck(
        number[0] == PETSC_VERSION_MAJOR && number[1] == PETSC_VERSION_MINOR
            && scalar == PETSC_SCALAR && (part == 5) == (sizeof(PetscInt) == 8),
        PETSC_COMM_SELF, PETSC_ERR_LIB,
        "libcairnpetsc was built for PETSc %d.%d with real doubles and indices of "
        "%d bits, and cannot serve PETSc %d.%d with %s and indices of %d bits",
        PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, 8 * (int)sizeof(PetscInt),
        (int)number[0], (int)number[1],
        scalar == PETSC_SCALAR ? "real doubles" : "other scalars", part == 5 ? 64 : 32);
    return 0;
}

/// The cores are divided among the ranks of a node as in a context of all of them.
static PetscErrorCode count_threads(void)
{
    cairn_context     *all    = NULL;
    const cairn_status status = cairn_context_create_mpi(PETSC_COMM_WORLD, &all);
    char               text[512];
    PetscMPIInt        size;

    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    shadow_threads = status == CAIRN_OK ? cairn_context_threads(all) : size > 1;
    PetscCall(PetscStrncpy(text, cairn_context_message(all), sizeof text));
    cairn_context_destroy(&all);
    PetscCheck(status == CAIRN_OK || status == CAIRN_UNSUPPORTED, PETSC_COMM_SELF,
               shadow_code(status), "cairn: %s", text);
    return 0;
}

PetscErrorCode shadow_begin(void)
{
    static const char *const name[EVENTS] = {"CairnConvert", "CairnRefill", "CairnMult",
                                             "CairnAIJMult"};

    if (shadow_begun) return 0;
    PetscCall(check_petsc());
    for (int k = 0; k < EVENTS; k++)
        PetscCall(PetscLogEventRegister(name[k], MAT_CLASSID, &shadow_event[k]));
    shadow_begun = PETSC_TRUE;
    return PetscRegisterFinalize(shadow_end);
}

PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_cairnpetsc(void);

/// What PETSc calls when it has loaded this library.
///
/// Collective on PETSC_COMM_WORLD.
PetscErrorCode PetscDLLibraryRegister_cairnpetsc(void)
{
    PetscCall(shadow_begin());
    PetscCall(count_threads());
    PetscCall(MatRegister(type_of[SEQ], create_seq));
    PetscCall(MatRegister(type_of[MPI], create_mpi));
    PetscCall(MatRegisterRootName("aijcairn", type_of[SEQ], type_of[MPI]));
    return MatSeqAIJRegister(type_of[SEQ], into);
}
