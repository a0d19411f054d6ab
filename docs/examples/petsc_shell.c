// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program of PETSc that says itself what Cairn multiplies: GMRES with the products of a
/// copy in diagonals, preconditioned by algebraic multigrid over the program's AIJ matrix;
/// then again with new values. On any number of ranks. Build, where the plug-in is
/// installed:
///
///     mpicc petsc_shell.c $(pkg-config --cflags --libs cairn PETSc) -lcairnpetsc

#include <cairn/petsc.h>

#include <petscksp.h>

enum { N = 48 }; ///< Points of a square's side.

/// Convection and diffusion in five points.
static PetscErrorCode fill(Mat A, PetscReal wind)
{
    PetscInt first, end;

    PetscCall(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt i = first; i < end; i++) {
        const PetscInt at[5] = {i % N ? i - 1 : -1, i % N < N - 1 ? i + 1 : -1, i - N,
                                i + N < N * N ? i + N : -1, i};
        const PetscScalar value[] = {-1 - wind, -1 + wind, -1, -1, 4.1};

        PetscCall(MatSetValues(A, 1, &i, 5, at, value, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

int main(int argc, char **argv)
{
    Mat      A, S;
    Vec      x, b, r;
    KSP      ksp;
    PetscInt steps, wrong = 0;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, N * N, N * N,
                           5, NULL, 5, NULL, &A));
    PetscCall(fill(A, 0.1));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecDuplicate(b, &r));
    PetscCall(VecSet(b, 1));

    PetscCall(cairn_petsc_create_shell(A, "bdia<64>", &S));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, S, A));
    PetscCall(PetscOptionsSetValue(NULL, "-pc_type", "gamg"));
    PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 200));
    PetscCall(KSPSetFromOptions(ksp));
    for (int step = 0; step < 2; step++) {
        PetscReal rest, all;

        if (step) PetscCall(fill(A, 0.3)); // the next product of S has the new values
        PetscCall(KSPSolve(ksp, b, x));
        PetscCall(KSPGetIterationNumber(ksp, &steps));
        PetscCall(MatMult(A, x, r));
        PetscCall(VecAXPY(r, -1, b));
        PetscCall(VecNorm(r, NORM_2, &rest));
        PetscCall(VecNorm(b, NORM_2, &all));
        wrong += rest > 1e-6 * all;
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s\n",
                              step ? "new values" : "first values",
                              rest > 1e-6 * all ? "not solved" : "solved"));
    }
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&S));
    PetscCall(MatDestroy(&A));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&r));
    PetscCall(PetscFinalize());
    return wrong > 0;
}
