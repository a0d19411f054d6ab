// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A small matrix of programs that hold the type that is left to the options to AIJ.

#ifndef CAIRN_TESTS_PETSC_BAND_H
#define CAIRN_TESTS_PETSC_BAND_H

#include <petscmat.h>

enum { ROWS = 120 }; ///< Of each rank.

/// Entries of row i that lie @p shift beside a band, and one elsewhere.
static PetscErrorCode fill(Mat A, PetscInt shift, PetscScalar factor)
{
    PetscInt first, end, n;

    PetscCall(MatGetSize(A, NULL, &n));
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt i = first; i < end; i++)
        for (PetscInt k = 0; k < 5; k++) {
            const PetscInt j = k < 4 ? i + k - 1 + shift : (17 * i + 5 + shift) % n;

            if (j >= 0 && j < n)
                PetscCall(MatSetValue(A, i, j,
                                      factor * (1 + 0.37 * ((3 * i + 5 * j) % 11)),
                                      INSERT_VALUES));
        }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

/// @param[in] type     NULL: it is left to the options.
/// @param[in] columns  Of each rank.
static PetscErrorCode make(MatType type, PetscInt columns, PetscInt shift, Mat *A)
{
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetSizes(*A, ROWS, columns, PETSC_DETERMINE, PETSC_DETERMINE));
    if (type)
        PetscCall(MatSetType(*A, type));
    else
        PetscCall(MatSetFromOptions(*A));
    PetscCall(MatSetUp(*A));
    PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    return fill(*A, shift, 1);
}

#endif
