// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Shells over AIJ matrices, made by cairn_petsc_create_shell(), are held to the matrices:
/// products, after new values, new patterns and changes of one rank's block; solvers that
/// multiply by the one and precondition by the other; errors, also of one rank alone, where
/// the plug-in is loaded of its type, too. How
/// often a copy was made and filled is read from the events.
///
/// Option: -format TEXT.

#ifndef _GNU_SOURCE
#    define _GNU_SOURCE // RTLD_NEXT
#endif

#include "same.h"

#include <cairn/cairn.h>
#include <cairn/petsc.h>

#include <dlfcn.h>
#include <petsc/private/matimpl.h> // the state of a matrix that is not assembled
#include <petscksp.h>
#include <petscmath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 31 };

static char format[128] = "csr";
static int  lacks;  ///< Calls to come that find no memory for this rank's new values.
static int  breaks; ///< Products to come that fail on this rank.

/// In place of the library's, which it calls.
cairn_status
cairn_tensor_update_blocks(cairn_tensor *tensor, const void *own, const void *others)
{
    cairn_status (*library)(cairn_tensor *, const void *, const void *);

    if (lacks > 0) {
        lacks--;
        return CAIRN_NO_MEMORY;
    }
    *(void **)&library = dlsym(RTLD_NEXT, "cairn_tensor_update_blocks");
    return library(tensor, own, others);
}

/// Likewise. A product that breaks has been computed: only this rank is told otherwise.
cairn_status cairn_plan_run(cairn_plan *plan, const void *x, void *y)
{
    cairn_status (*library)(cairn_plan *, const void *, void *);

    *(void **)&library = dlsym(RTLD_NEXT, "cairn_plan_run");

    const cairn_status status = library(plan, x, y);

    return breaks > 0 ? breaks--, CAIRN_NO_MEMORY : status;
}

static PetscErrorCode count(const char *name, int *times)
{
    PetscEventPerfInfo info;
    PetscLogEvent      event;

    PetscCall(PetscLogEventGetId(name, &event));
    *times = 0;
    if (event < 0) return 0;
    PetscCall(PetscLogEventGetPerfInfo(0, event, &info));
    *times = info.count;
    return 0;
}

/// Convection and diffusion in five points, and @p far one entry more in some rows.
static PetscErrorCode fill(Mat A, PetscReal wind, PetscBool far)
{
    PetscInt first, end, n;

    PetscCall(MatGetSize(A, &n, NULL));
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt i = first; i < end; i++) {
        const PetscInt at[6] = {
            i % SIDE ? i - 1 : -1,        i % SIDE < SIDE - 1 ? i + 1 : -1,   i - SIDE,
            i + SIDE < n ? i + SIDE : -1, far && i % 7 == 0 ? n - 1 - i : -1, i};
        const PetscScalar value[6] = {-1 - wind, -1 + wind, -1, -1, 0.01, 4 + i % 5};

        PetscCall(MatSetValues(A, 1, &i, 6, at, value, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

static PetscErrorCode make(MPI_Comm comm, Mat *A)
{
    PetscCall(MatCreate(comm, A));
    PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, SIDE * SIDE, SIDE * SIDE));
    PetscCall(MatSetType(*A, MATAIJ));
    PetscCall(MatSetUp(*A));
    PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    return fill(*A, 0.1, PETSC_FALSE);
}

static PetscErrorCode expect_events(int copies, int refills, const char *after)
{
    int made, filled;

    PetscCall(count("CairnConvert", &made));
    PetscCall(count("CairnRefill", &filled));
    EXPECT(made == copies && filled == refills,
           "%s: %d copies and %d refills, not %d and %d", after, made, filled, copies,
           refills);
    return 0;
}

static PetscErrorCode follows(void)
{
    Mat         A, S, block, copy;
    PetscMPIInt size, rank;
    Vec         x, y;

    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(make(PETSC_COMM_WORLD, &A));
    PetscCall(cairn_petsc_create_shell(A, format, &S));
    PetscCall(expect_events(0, 0, "before a product"));
    PetscCall(same(S, A, "at first"));
    PetscCall(same(S, A, "again"));
    PetscCall(expect_events(1, 0, "one pattern"));
    PetscCall(MatScale(A, 3));
    PetscCall(same(S, A, "MatScale of the matrix"));
    PetscCall(fill(A, 0.4, PETSC_FALSE));
    PetscCall(same(S, A, "MatSetValues"));
    PetscCall(expect_events(1, 2, "new values twice"));
    if (size > 1) { /* the values of one rank's block, which no other sees */
        PetscCall(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
        if (rank == 0) PetscCall(MatScale(block, 2));
        PetscCall(same(S, A, "a block of one rank"));
    }
    PetscCall(fill(A, 0.2, PETSC_TRUE));
    PetscCall(same(S, A, "a new pattern"));
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &copy));
    PetscCall(MatScale(S, 2)); /* the shell alone */
    PetscCall(MatShift(S, 1));
    PetscCall(MatScale(copy, 2));
    PetscCall(MatShift(copy, 1));
    PetscCall(same(S, copy, "MatScale and MatShift of the shell"));
    PetscCall(MatDestroy(&copy));
    PetscCall(MatDestroy(&A)); /* the shell keeps its own reference */
    PetscCall(MatCreateVecs(S, &x, &y));
    PetscCall(VecSet(x, 1));
    PetscCall(MatMult(S, x, y));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    return MatDestroy(&S);
}

/// Oblong, with columns that lie on the ranks otherwise than rows do; and empty.
static PetscErrorCode shapes(void)
{
    PetscMPIInt rank;
    Mat         A, S;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    for (int entries = 0; entries < 2; entries++) {
        PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, SIDE, 9 + 4 * rank, PETSC_DETERMINE,
                               PETSC_DETERMINE, 2, NULL, 2, NULL, &A));
        for (PetscInt i = rank * SIDE; i < (rank + 1) * SIDE && entries; i++)
            PetscCall(MatSetValue(A, i, (3 * i) % 9, 1 + i, INSERT_VALUES));
        PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
        PetscCall(cairn_petsc_create_shell(A, format, &S));
        PetscCall(same(S, A, entries ? "an oblong matrix" : "no entries"));
        PetscCall(MatDestroy(&S));
        PetscCall(MatDestroy(&A));
    }
    return 0;
}

/// Iterations of a solver that multiplies by the one and preconditions by the other.
static PetscErrorCode solve(Mat amat, Mat pmat, PCType type, PetscInt *steps)
{
    KSPConvergedReason reason;
    Vec                x, b;
    KSP                ksp;
    PC                 pc;

    PetscCall(MatCreateVecs(pmat, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(KSPCreate(PetscObjectComm((PetscObject)pmat), &ksp));
    PetscCall(KSPSetOperators(ksp, amat, pmat));
    PetscCall(KSPSetType(ksp, KSPGMRES));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, type));
    PetscCall(KSPSetTolerances(ksp, 1e-9, PETSC_DEFAULT, PETSC_DEFAULT, 500));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, steps));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    EXPECT(reason > 0, "%s did not converge", type);
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&x));
    return VecDestroy(&b);
}

static PetscErrorCode solves(void)
{
    const PCType type[] = {PCNONE, PCJACOBI, PCBJACOBI, PCGAMG, PCSOR};
    PetscInt     theirs, ours;
    int          before, after;
    Mat          A, S;

    PetscCall(make(PETSC_COMM_WORLD, &A));
    PetscCall(cairn_petsc_create_shell(A, format, &S));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(type); k++) {
        PetscCall(solve(A, A, type[k], &theirs));
        PetscCall(count("CairnMult", &before));
        PetscCall(solve(S, A, type[k], &ours));
        PetscCall(count("CairnMult", &after));
        EXPECT(ours == theirs, "%s: %d iterations, AIJ %d", type[k], (int)ours,
               (int)theirs);
        EXPECT(after - before >= ours, "%s: %d products for %d iterations", type[k],
               after - before, (int)ours);
    }
    PetscCall(MatDestroy(&S));
    return MatDestroy(&A);
}

/// A call has to fail with a code, and leave its output as it was.
static PetscErrorCode refused(Mat A, const char *text, PetscErrorCode wanted)
{
    Mat            S = NULL;
    PetscErrorCode code;

    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    code = cairn_petsc_create_shell(A, text, &S);
    PetscCall(PetscPopErrorHandler());
    EXPECT(code == wanted && !S, "'%s' ended with %d, not %d", text, code, wanted);
    return 0;
}

static PetscErrorCode errors(void)
{
    static char    text[5000];
    PetscErrorCode code;
    Mat            A, D, S;
    Vec            x, y;

    PetscCall(make(PETSC_COMM_WORLD, &A));
    PetscCall(refused(NULL, "csr", PETSC_ERR_ARG_NULL));
    PetscCall(refused(A, "bdai<4>", PETSC_ERR_ARG_WRONG));
    memset(text, ' ', sizeof text - 1);
    text[sizeof text - 1] = 0;
    memcpy(text, "csr", 3);
    PetscCall(refused(A, text, PETSC_ERR_ARG_WRONG));
    PetscCall(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, &D));
    PetscCall(refused(D, "csr", PETSC_ERR_ARG_WRONG));
    PetscCall(MatDestroy(&D));
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    code = cairn_petsc_create_shell(A, "csr", NULL);
    PetscCall(PetscPopErrorHandler());
    EXPECT(code == PETSC_ERR_ARG_NULL, "no output ended with %d", code);

    PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &D));
    PetscCall(cairn_petsc_create_shell(D, format, &S));
    PetscCall(MatSetValue(D, 0, 0, 1, INSERT_VALUES)); /* not assembled */
    PetscCall(MatCreateVecs(A, &x, &y));
    D->assembled = PETSC_FALSE;
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    code = MatMult(S, x, y);
    PetscCall(PetscPopErrorHandler());
    EXPECT(code == PETSC_ERR_ORDER, "a product too early ended with %d", code);
    PetscCall(MatAssemblyBegin(D, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(D, MAT_FINAL_ASSEMBLY));
    PetscCall(same(S, D, "after an error"));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&S));
    PetscCall(MatDestroy(&D));
    return MatDestroy(&A);
}

/// A product that finds no memory for new values of this rank's (@p mine), or of another's:
/// it fails on that rank alone, and no other gets a number that is wrong. Of the product
/// transposed it gets what is none, where old values would have reached it.
static PetscErrorCode
fails_alone(Mat M, Mat R, PetscBool transposed, PetscBool mine, const char *what)
{
    PetscErrorCode (*const product)(Mat, Vec, Vec) =
        transposed ? MatMultTranspose : MatMult;
    const PetscScalar *got, *wanted;
    PetscErrorCode     code;
    PetscInt           n, none = 0;
    Vec                x, y, z;

    PetscCall(MatCreateVecs(R, &x, &y));
    PetscCall(VecDuplicate(y, &z));
    PetscCall(VecSetRandom(x, NULL));
    lacks = mine;
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    code = product(M, x, y);
    PetscCall(PetscPopErrorHandler());
    EXPECT(code == (mine ? PETSC_ERR_MEM : 0), "%s: a failure of %s ended with %d",
           what, mine ? "this rank" : "another rank", code);
    EXPECT(!lacks, "%s: no new values were asked for", what);
    PetscCall(product(R, x, z));
    PetscCall(VecGetLocalSize(y, &n));
    PetscCall(VecGetArrayRead(y, &got));
    PetscCall(VecGetArrayRead(z, &wanted));
    for (PetscInt i = 0; i < n && !mine; i++) {
        const PetscBool nan = PetscIsNanReal(got[i]);

        none += nan;
        EXPECT((transposed && nan) || PetscAbsReal(got[i] - wanted[i]) <= 1e-12,
               "%s: row %d is %g, not %g", what, (int)i, (double)got[i],
               (double)wanted[i]);
    }
    PetscCall(VecRestoreArrayRead(y, &got));
    PetscCall(VecRestoreArrayRead(z, &wanted));
    PetscCallMPI(
        MPI_Allreduce(MPI_IN_PLACE, &none, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    EXPECT(!transposed || none > 0, "%s: old values reached other ranks", what);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    return VecDestroy(&z);
}

/// Rank @p rank has new values in a block of its own, and no memory for the copy's. M and R
/// may be over the same matrix.
static PetscErrorCode lacks_alone(Mat M, Mat R, Mat aij, int rank, const char *what)
{
    PetscMPIInt its;
    Mat         block;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &its));
    for (int k = 0; k < (aij == R ? 1 : 2); k++) {
        PetscCall(MatMPIAIJGetSeqAIJ(k ? aij : R, &block, NULL, NULL));
        if (its == rank) PetscCall(MatScale(block, 2));
    }
    PetscCall(fails_alone(M, R, PETSC_FALSE, (PetscBool)(its == rank), what));
    PetscCall(fails_alone(M, R, PETSC_TRUE, (PetscBool)(its == rank), what));
    return same(M, R, what);
}

/// One rank has no memory for new values. Where all ranks have new ones they hear of it: the
/// shell fails everywhere, and the plug-in's type goes on by its blocks; else that rank
/// fails. All are right afterwards.
static PetscErrorCode lacking(void)
{
    PetscErrorCode code;
    PetscMPIInt    rank, size;
    PetscBool      loaded;
    Mat            A, S, B;
    Vec            x, y;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    if (size == 1) return 0;
    PetscCall(make(PETSC_COMM_WORLD, &A));
    PetscCall(cairn_petsc_create_shell(A, format, &S));
    PetscCall(same(S, A, "before a failure"));
    PetscCall(lacks_alone(S, A, A, size - 1, "a shell"));
    PetscCall(MatScale(A, 3));
    lacks = rank == 0;
    PetscCall(MatCreateVecs(A, &x, &y));
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    code = MatMult(S, x, y);
    PetscCall(PetscPopErrorHandler());
    EXPECT(code == PETSC_ERR_MEM, "rank %d: a failure of one of all ended with %d",
           rank, code);
    PetscCall(same(S, A, "a shell after a failure of one of all"));
    PetscCall(MatDestroy(&S));

    PetscCall(PetscOptionsHasName(NULL, NULL, "-dll_append", &loaded));
    if (loaded) {
        PetscCall(MatConvert(A, "mpiaijcairn", MAT_INITIAL_MATRIX, &B));
        PetscCall(same(B, A, "the plug-in's type"));
        PetscCall(lacks_alone(B, A, B, 0, "the plug-in's type"));
        PetscCall(MatScale(A, 3));
        PetscCall(MatScale(B, 3));
        lacks = rank == size - 1;
        PetscCall(same(B, A, "the plug-in's type, after a failure of one of all"));
        EXPECT(!lacks, "the plug-in's type asked for no new values");
        PetscCall(MatDestroy(&B));
    }
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    return MatDestroy(&A);
}

/// A product that fails on rank 0, for want of memory for a device's copy, say.
static PetscErrorCode breaks_alone(Mat M, Mat R, const char *what)
{
    PetscErrorCode code;
    PetscMPIInt    rank;
    Vec            x, y;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(MatCreateVecs(R, &x, &y));
    PetscCall(VecSet(x, 1));
    PetscCall(same(M, R, what));
    breaks = rank == 0;
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    code = MatMult(M, x, y);
    PetscCall(PetscPopErrorHandler());
    EXPECT(code == (rank ? 0 : PETSC_ERR_MEM), "%s: rank %d's product ended with %d",
           what, rank, code);
    EXPECT(!breaks, "%s: no product was computed", what);
    PetscCall(same(M, R, what));
    PetscCall(VecDestroy(&x));
    return VecDestroy(&y);
}

/// One rank's product fails: that rank has the error, none waits for another, and the next
/// products are right. While both ways are timed all go on by blocks.
static PetscErrorCode breaking(void)
{
    PetscMPIInt rank, size;
    PetscBool   loaded;
    Mat         A, B;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    if (size == 1) return 0;
    PetscCall(make(PETSC_COMM_WORLD, &A));
    PetscCall(cairn_petsc_create_shell(A, format, &B));
    PetscCall(breaks_alone(B, A, "a shell's product that fails"));
    PetscCall(MatDestroy(&B));
    PetscCall(PetscOptionsHasName(NULL, NULL, "-dll_append", &loaded));
    for (int raced = 0; raced < 2 && loaded; raced++) {
        PetscCall(MatConvert(A, "mpiaijcairn", MAT_INITIAL_MATRIX, &B));
        if (raced) {
            PetscCall(MatSetOptionsPrefix(B, "raced_"));
            PetscCall(PetscOptionsSetValue(NULL, "-raced_mat_cairn_ranks", "auto"));
            PetscCall(PetscOptionsSetValue(NULL, "-raced_mat_cairn_format", format));
            breaks = rank == 0;
            PetscCall(same(B, A, "a product that fails while both ways are timed"));
            EXPECT(!breaks, "both ways were not timed");
        } else {
            PetscCall(breaks_alone(B, A, "the plug-in's type's product that fails"));
        }
        PetscCall(MatDestroy(&B));
    }
    return MatDestroy(&A);
}

/// Make a shell and multiply by it, both ways; what is left is destroyed.
static PetscErrorCode once(Mat A, PetscErrorCode *code)
{
    Mat S = NULL;
    Vec x, y;

    PetscCall(MatCreateVecs(A, &x, &y));
    PetscCall(VecSet(x, 1));
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    *code = cairn_petsc_create_shell(A, format, &S);
    EXPECT(!*code == !!S, "a shell after error %d, or none after success", *code);
    if (!*code) *code = MatMult(S, x, y);
    if (!*code) *code = MatMultTranspose(S, y, x);
    PetscCall(PetscPopErrorHandler());
    if (!*code) PetscCall(same(S, A, "with just enough memory"));
    PetscCall(MatDestroy(&S));
    PetscCall(VecDestroy(&x));
    return VecDestroy(&y);
}

/// With ever more memory there is an error, the same on all ranks, until there is a product;
/// nothing stays behind (-malloc_dump).
static PetscErrorCode short_of_memory(void)
{
    enum { MOST = 1 << 26 };
    PetscErrorCode code = PETSC_ERR_MEM;
    PetscMPIInt    least, most;
    int            failed = 0;
    char           text[32];
    Mat            A;

    PetscCall(make(PETSC_COMM_WORLD, &A));
    for (long limit = 1; code && limit < MOST; limit *= 2) {
        snprintf(text, sizeof text, "%ld", limit);
        setenv("CAIRN_MEMORY", text, 1);
        PetscCall(once(A, &code));
        most = least = code;
        PetscCallMPI(
            MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
        PetscCallMPI(
            MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
        EXPECT(least == most && (!code || code == PETSC_ERR_MEM),
               "%ld bytes ended with %d, on ranks with %d to %d", limit, code, least,
               most);
        code = most;
        failed += code != 0;
    }
    unsetenv("CAIRN_MEMORY");
    EXPECT(!code && failed > 3, "%d limits failed, the last with %d", failed, code);
    return MatDestroy(&A);
}

/// A duplicate multiplies as the shell does, whichever of the two ends first.
static PetscErrorCode duplicates(void)
{
    Mat A, S, D;

    PetscCall(make(PETSC_COMM_WORLD, &A));
    for (int first = 0; first < 2; first++) {
        PetscCall(cairn_petsc_create_shell(A, format, &S));
        PetscCall(MatDuplicate(S, MAT_COPY_VALUES, &D));
        PetscCall(same(D, A, "a duplicate"));
        PetscCall(MatDestroy(first ? &S : &D));
        PetscCall(same(first ? D : S, A, "what is left of two"));
        PetscCall(MatDestroy(first ? &D : &S));
    }
    return MatDestroy(&A);
}

/// On a communicator of the first rank alone, the others idle.
static PetscErrorCode alone(void)
{
    PetscMPIInt rank;
    MPI_Comm    comm;
    Mat         A, S;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, rank ? MPI_UNDEFINED : 0, 0, &comm));
    if (comm == MPI_COMM_NULL) return 0;
    PetscCall(make(comm, &A));
    PetscCall(cairn_petsc_create_shell(A, NULL, &S));
    PetscCall(same(S, A, "one rank of several"));
    PetscCall(MatDestroy(&S));
    PetscCall(MatDestroy(&A));
    PetscCallMPI(MPI_Comm_free(&comm));
    return 0;
}

int main(int argc, char **argv)
{
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscLogDefaultBegin());
    PetscCall(
        PetscOptionsGetString(NULL, NULL, "-format", format, sizeof format, NULL));
    PetscCall(follows());
    PetscCall(shapes());
    PetscCall(solves());
    PetscCall(errors());
    PetscCall(lacking());
    PetscCall(breaking());
    PetscCall(short_of_memory());
    PetscCall(duplicates());
    PetscCall(alone());
    if (!wrong) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "all as AIJ\n"));
    PetscCall(PetscFinalize());
    return wrong;
}
