// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What programs do to matrices, done to one whose type is left to the options and to one
/// that is AIJ, which are held to each other by their products. Calls PETSc alone; where
/// the events of Cairn's plug-in exist, their counts are held to what happened: one copy a
/// pattern, one refill a change of values; of formats that are left open no more, but for
/// one copy beside with wide values and the 4 refills that time it, and on several ranks
/// one of all rows and a block's again.
///
/// Options: -expect TYPE the matrix has to be of it; -open its format is left to Cairn;
/// -counted copies are made for certain;
/// -failing K the K-th block of memory that the plug-in asks for is refused (0: none is);
/// -refused nothing else is done, and a program says how that ended.

#include "band.h"
#include "same.h"

#include <petscmat.h>
#include <petsctime.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 13 };

static long asked, refused, failing;

/// PETSc's own, but for blocks that the plug-in's files ask for.
static PetscErrorCode count_malloc(size_t      n,
                                   PetscBool   clear,
                                   int         line,
                                   const char *in,
                                   const char *file,
                                   void      **p)
{
    (void)line;
    (void)in;
    if (file
        && (strstr(file, "shadow.c") || strstr(file, "cairnpetsc.c")
            || strstr(file, "whole.c"))
        && ++asked == failing) {
        refused++;
        *p = NULL;
        return PETSC_ERR_MEM;
    }
    *p = clear ? calloc(1, n ? n : 1) : malloc(n ? n : 1);
    return *p ? 0 : PETSC_ERR_MEM;
}

static PetscErrorCode count_free(void *p, int line, const char *in, const char *file)
{
    (void)line;
    (void)in;
    (void)file;
    free(p);
    return 0;
}

static PetscErrorCode
count_realloc(size_t n, int line, const char *in, const char *file, void **p)
{
    void *more = realloc(*p, n ? n : 1);

    (void)line;
    (void)in;
    (void)file;
    if (more) *p = more;
    return more ? 0 : PETSC_ERR_MEM;
}

/// How often an event has happened; -1: there is no such event.
static PetscErrorCode count(const char *name, int *times)
{
    PetscEventPerfInfo info;
    PetscLogEvent      event;

    PetscCall(PetscLogEventGetId(name, &event));
    *times = -1;
    if (event < 0) return 0;
    PetscCall(PetscLogEventGetPerfInfo(0, event, &info));
    *times = info.count;
    return 0;
}

/// What -log_view makes of products by a copy: their operations are their own event's, as
/// those of AIJ's MatMult are.
static PetscErrorCode have_flops(void)
{
    PetscEventPerfInfo info;
    PetscLogEvent      event;

    PetscCall(PetscLogEventGetId("CairnMult", &event));
    if (event < 0) return 0;
    PetscCall(PetscLogEventGetPerfInfo(0, event, &info));
    EXPECT(info.count == 0 || info.flops > 0, "%d products of no operations",
           info.count);
    return 0;
}

/// New values for the same pattern, by each way that there is.
static PetscErrorCode new_values(Mat A, Mat R)
{
    const Mat both[2] = {A, R};
    int       copies, refills, more, again;
    PetscBool open = PETSC_FALSE;
    Vec       scale;

    PetscCall(PetscOptionsGetBool(NULL, NULL, "-open", &open, NULL));
    PetscCall(same(A, R, "assembly"));
    PetscCall(count("CairnConvert", &copies));
    PetscCall(count("CairnRefill", &refills));
    PetscCall(MatCreateVecs(A, NULL, &scale));
    PetscCall(VecSetRandom(scale, NULL));
    for (int step = 0; step < 6; step++) {
        static const char *const name[] = {"MatScale",         "MatStoreValues",
                                           "MatDiagonalScale", "MatRetrieveValues",
                                           "MatShift",         "MatSetValues"};

        for (int k = 0; k < 2; k++) {
            if (step == 0) PetscCall(MatScale(both[k], 1.7));
            if (step == 1)
                PetscCall(
                    MatSetOption(both[k], MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
            if (step == 1) PetscCall(MatStoreValues(both[k]));
            if (step == 2) PetscCall(MatDiagonalScale(both[k], scale, NULL));
            if (step == 3) PetscCall(MatRetrieveValues(both[k]));
            if (step == 4) PetscCall(MatShift(both[k], 0.3));
            if (step == 5) PetscCall(fill(both[k], 0, 0.9));
        }
        PetscCall(same(A, R, name[step]));
    }
    PetscCall(VecDestroy(&scale));
    PetscCall(count("CairnConvert", &again));
    PetscCall(count("CairnRefill", &more));
    EXPECT(again == copies || (open && again == copies + 1),
           "%d copies were made for new values", again - copies);
    if (copies > 0)
        EXPECT(open ? more <= refills + 9 : more == refills + 5,
               "%d refills of 5 changes", more - refills);
    return 0;
}

static PetscErrorCode new_pattern(Mat A, Mat R)
{
    const Mat both[2] = {A, R};
    int       copies, again;
    PetscBool open = PETSC_FALSE;
    Mat       other;

    PetscCall(PetscOptionsGetBool(NULL, NULL, "-open", &open, NULL));
    PetscCall(count("CairnConvert", &copies));
    for (int k = 0; k < 2; k++) {
        PetscCall(MatSetOption(both[k], MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
        PetscCall(MatSetOption(both[k], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
        PetscCall(fill(both[k], 9, 1.1));
    }
    PetscCall(same(A, R, "new entries"));
    PetscCall(count("CairnConvert", &again));
    if (copies > 0)
        EXPECT(again == copies + 1 || (open && again > copies && again <= copies + 3),
               "%d copies of a new pattern", again - copies);
    for (int k = 0; k < 2; k++) { /* the header of a sum is merged into the matrix */
        PetscCall(make(k ? MATAIJ : NULL, ROWS, 33, &other));
        PetscCall(MatAXPY(both[k], 2, other, DIFFERENT_NONZERO_PATTERN));
        PetscCall(MatDestroy(&other));
    }
    return same(A, R, "MatAXPY");
}

/// What comes of matrices: copies, conversions, products of matrices.
static PetscErrorCode others(Mat A, Mat R)
{
    Mat         B, C, D;
    MatType     type, kind;
    PetscReal   norm, full;
    PetscBool   equal;
    PetscMPIInt rank;

    PetscCall(MatGetType(A, &type));
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(MatGetType(B, &kind));
    EXPECT(!strcmp(type, kind), "a duplicate of %s is %s", type, kind);
    PetscCall(same(B, R, "MatDuplicate"));
    PetscCall(MatScale(B, 2));
    PetscCall(same(A, R, "scaling a duplicate"));
    PetscCall(MatConvert(B, MATAIJ, MAT_INPLACE_MATRIX, &B));
    PetscCall(MatConvert(R, type, MAT_INITIAL_MATRIX, &C));
    PetscCall(MatGetType(C, &kind));
    EXPECT(!strcmp(type, kind), "AIJ converted to %s is %s", type, kind);
    PetscCall(same(C, R, "MatConvert"));
    PetscCall(MatConvert(A, MATAIJ, MAT_REUSE_MATRIX, &B));
    PetscCall(same(B, R, "MatConvert to AIJ"));
    PetscCall(MatConvert(B, type, MAT_INPLACE_MATRIX, &B));
    PetscCall(same(B, R, "MatConvert there and back"));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&C));
    PetscCall(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, &B));
    PetscCall(same(B, R, "MatConvert to dense"));
    PetscCall(MatDestroy(&B));
    PetscCall(MatConvert(A, MATBAIJ, MAT_INITIAL_MATRIX, &B));
    PetscCall(same(B, R, "MatConvert to BAIJ"));
    PetscCall(MatDestroy(&B));

    PetscCall(MatCreateDense(PETSC_COMM_WORLD, ROWS, PETSC_DECIDE, PETSC_DETERMINE,
                             COLUMNS, NULL, &B));
    PetscCall(MatSetRandom(B, NULL));
    PetscCall(MatMatMult(R, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
    PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatNorm(D, NORM_FROBENIUS, &full));
    PetscCall(MatAXPY(C, -1, D, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(C, NORM_FROBENIUS, &norm));
    EXPECT(norm <= 1e-12 * full, "A times dense is off by %g of %g", (double)norm,
           (double)full);
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&D));

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(make(NULL, 31 + 19 * rank, 0, &B));
    PetscCall(make(MATAIJ, 31 + 19 * rank, 0, &C));
    PetscCall(same(B, C, "columns that are divided unevenly"));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&C));
    PetscCall(make(NULL, ROWS / 3, 0, &B));
    PetscCall(MatPtAP(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatPtAP(R, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
    PetscCall(same(C, D, "MatPtAP"));
    PetscCall(MatScale(A, 3));
    PetscCall(MatScale(R, 3));
    PetscCall(MatPtAP(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatPtAP(R, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &D));
    PetscCall(same(C, D, "MatPtAP again"));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&D));
    PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &C));
    PetscCall(MatIsTranspose(R, C, 1e-13, &equal));
    EXPECT(equal, "MatTranspose");
    PetscCall(MatDestroy(&C));
    return MatDestroy(&B);
}

/// One matrix and one product; @p code says how they ended.
static PetscErrorCode once(PetscErrorCode *code)
{
    Mat       A = NULL;
    Vec       x = NULL, y = NULL;
    PetscReal norm = 0;

    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    *code = make(NULL, ROWS, 0, &A);
    if (!*code) *code = MatCreateVecs(A, &x, &y);
    if (!*code) *code = VecSet(x, 1);
    if (!*code) *code = MatMult(A, x, y);
    PetscCall(PetscPopErrorHandler());
    if (!*code) PetscCall(VecNorm(y, NORM_1, &norm));
    EXPECT(*code || norm > ROWS, "the product is %g", (double)norm);
    if (x) PetscCall(VecDestroy(&x));
    if (y) PetscCall(VecDestroy(&y));
    return MatDestroy(&A);
}

int main(int argc, char **argv)
{
    char           expect[64] = "";
    PetscBool      counted = PETSC_FALSE, one = PETSC_FALSE;
    PetscInt       k = -1;
    PetscErrorCode code;
    MatType        type;
    int            copies;
    Mat            A, R;

    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "-failing"))
            PetscCall(PetscMallocSet(count_malloc, count_free, count_realloc));
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscLogDefaultBegin());
    PetscCall(
        PetscOptionsGetString(NULL, NULL, "-expect", expect, sizeof expect, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-counted", &counted, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-refused", &one, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-failing", &k, NULL));
    if (one) {
        PetscCall(once(&code));
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ended with %d\n", code));
    } else if (k >= 0) { /* each block that the plug-in asks for is refused once */
        for (failing = 1;; failing++) {
            const long before = refused;

            asked = 0;
            PetscCall(once(&code));
            if (refused == before) break;
            EXPECT(code == PETSC_ERR_MEM, "block %ld: ended with %d", failing, code);
        }
        EXPECT(refused > 0, "the plug-in asked for no memory");
        EXPECT(!code, "without a failure it ended with %d", code);
    } else {
        PetscCall(make(NULL, ROWS, 0, &A));
        PetscCall(make(MATAIJ, ROWS, 0, &R));
        PetscCall(MatGetType(A, &type));
        EXPECT(!expect[0] || !strcmp(type, expect), "the type is %s", type);
        PetscCall(new_values(A, R));
        PetscCall(count("CairnConvert", &copies));
        EXPECT(!counted || copies > 0, "no copy was made");
        PetscCall(new_pattern(A, R));
        PetscCall(others(A, R));
        PetscCall(have_flops());
        PetscCall(MatDestroy(&A));
        PetscCall(MatDestroy(&R));
    }
    if (!wrong) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "all as AIJ\n"));
    PetscCall(PetscFinalize());
    return wrong;
}
