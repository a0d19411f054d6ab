// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program that leaves a matrix to the end, after products by its copy, and uses PETSc
/// twice: PetscFinalize() and MPI_Finalize() end well. (Matrices of a communicator that the
/// program frees behind PetscFinalize() are not to be left: AIJ's end in an error, too.)

#include <petscmat.h>

static PetscErrorCode leave(void)
{
    enum { ROWS = 200 };
    PetscInt  first, end;
    PetscReal sum;
    Mat       A;
    Vec       x, y;

    PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
    PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, ROWS, ROWS));
    PetscCall(MatSetFromOptions(A));
    PetscCall(MatSetUp(A));
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt i = first; i < end; i++) {
        PetscCall(MatSetValue(A, i, i, 2, INSERT_VALUES));
        PetscCall(MatSetValue(A, i, (i + ROWS / 4) % ROWS, 1, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatCreateVecs(A, &x, &y));
    PetscCall(VecSet(x, 1));
    for (int k = 0; k < 3; k++)
        PetscCall(MatMult(A, x, y));
    PetscCall(VecNorm(y, NORM_1, &sum));
    PetscCheck(sum == 3 * ROWS, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%g, not %d",
               (double)sum, 3 * ROWS);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int k = 0; k < 2; k++) {
        PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
        PetscCall(leave());
        PetscCall(PetscFinalize());
    }
    return MPI_Finalize();
}
