// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products of several ranks are no meetings of all ranks: MPI's collective functions are
/// counted, PETSc's calls and Cairn's, while the type that is left to the options multiplies
/// again and again, has new values that all ranks know of, and new ones of one rank's block
/// alone. Products are held to AIJ's. CAIRN_HALO has to name a way, or the first runs try
/// them all, which ranks agree on.

#include <mpi.h>

static int meetings; ///< Collective calls of this rank.

/// One of MPI's functions, in place of the library's, which it calls.
#define COUNTED(name, parameters, arguments) \
    int name parameters                      \
    {                                        \
        meetings++;                          \
        return P##name arguments;            \
    }

// clang-format off
COUNTED(MPI_Barrier, (MPI_Comm c), (c))
COUNTED(MPI_Ibarrier, (MPI_Comm c, MPI_Request *r), (c, r))
COUNTED(MPI_Bcast, (void *a, int n, MPI_Datatype t, int root, MPI_Comm c), (a, n, t, root, c))
COUNTED(MPI_Ibcast, (void *a, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *r),
        (a, n, t, root, c, r))
COUNTED(MPI_Reduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c),
        (a, b, n, t, o, root, c))
COUNTED(MPI_Allreduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
        (a, b, n, t, o, c))
COUNTED(MPI_Iallreduce,
        (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *r),
        (a, b, n, t, o, c, r))
COUNTED(MPI_Allgather,
        (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c),
        (a, n, t, b, m, u, c))
COUNTED(MPI_Iallgather,
        (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c,
         MPI_Request *r),
        (a, n, t, b, m, u, c, r))
COUNTED(MPI_Alltoall,
        (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c),
        (a, n, t, b, m, u, c))
COUNTED(MPI_Ialltoall,
        (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c,
         MPI_Request *r),
        (a, n, t, b, m, u, c, r))
COUNTED(MPI_Ialltoallw,
        (const void *a, const int n[], const int d[], const MPI_Datatype t[], void *b,
         const int m[], const int e[], const MPI_Datatype u[], MPI_Comm c, MPI_Request *r),
        (a, n, d, t, b, m, e, u, c, r))
// clang-format on

/* Whose macros have the names of these functions. */
#include "same.h"

#include <petscmat.h>

enum { ROWS = 200, PRODUCTS = 100 };

/// Five entries a row, of the rows beside it and of other ranks'.
static PetscErrorCode fill(Mat A, PetscScalar factor)
{
    PetscInt first, end;

    PetscCall(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt i = first; i < end; i++)
        for (PetscInt k = 0; k < 5; k++) {
            const PetscInt j = (i + k * k * 7) % ROWS;

            PetscCall(MatSetValue(A, i, j, factor * (1 + 0.3 * ((i + 3 * k) % 7)),
                                  INSERT_VALUES));
        }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

static PetscErrorCode make(MatType type, Mat *A)
{
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, ROWS, ROWS));
    if (type)
        PetscCall(MatSetType(*A, type));
    else
        PetscCall(MatSetFromOptions(*A));
    PetscCall(MatSetUp(*A));
    PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(fill(*A, 1));
    return MatSetOption(*A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE);
}

/// Each product with vectors @p times times, in which all ranks meet @p most times at most.
static PetscErrorCode meet(Mat A, int times, int most, const char *after)
{
    Vec x, y, z;
    int met;

    PetscCall(MatCreateVecs(A, &x, &y));
    PetscCall(VecDuplicate(y, &z));
    PetscCall(VecSet(x, 1));
    PetscCall(VecSet(y, 1));
    meetings = 0;
    for (int k = 0; k < times; k++) {
        PetscCall(MatMult(A, x, z));
        PetscCall(MatMultAdd(A, x, y, z));
        PetscCall(MatMultTranspose(A, x, z));
        PetscCall(MatMultTransposeAdd(A, x, y, z));
    }
    met = meetings;
    EXPECT(met <= most, "%s: %d products had %d meetings, not %d", after, 4 * times,
           met, most);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    return VecDestroy(&z);
}

/// New values, which the next products bring, meeting @p most times at most; then many
/// products without a meeting.
static PetscErrorCode changed(Mat A, Mat R, int most, const char *by)
{
    PetscCall(meet(A, 1, most, by));
    PetscCall(meet(A, PRODUCTS, 0, by));
    return same(A, R, by);
}

/// The values of one rank's block, which no other sees.
static PetscErrorCode scale_block(Mat A)
{
    PetscMPIInt rank;
    Mat         block;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
    return rank ? 0 : MatScale(block, 1.5);
}

int main(int argc, char **argv)
{
    enum { AGREED = 2 }; // is the pattern the same, and has each rank its new values?
    Mat A, R;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(make(NULL, &A));
    PetscCall(make(MATAIJ, &R));
    PetscCall(same(A, R, "at first"));
    EXPECT(meetings > 0, "no meeting is seen, not even those of a norm");
    PetscCall(meet(R, PRODUCTS, 0, "AIJ"));
    PetscCall(changed(A, R, 0, "the same values"));
    PetscCall(MatStoreValues(A));
    PetscCall(MatStoreValues(R));
    PetscCall(MatScale(A, 3));
    PetscCall(MatScale(R, 3));
    PetscCall(changed(A, R, AGREED, "MatScale"));
    PetscCall(fill(A, 0.7));
    PetscCall(fill(R, 0.7));
    PetscCall(changed(A, R, AGREED, "MatSetValues"));
    PetscCall(MatRetrieveValues(A));
    PetscCall(MatRetrieveValues(R));
    PetscCall(changed(A, R, AGREED, "MatRetrieveValues"));
    PetscCall(scale_block(A));
    PetscCall(scale_block(R));
    PetscCall(changed(A, R, 0, "a block of one rank"));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&R));
    if (!wrong) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "all as AIJ\n"));
    PetscCall(PetscFinalize());
    return wrong;
}
