// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Is what one matrix says of vectors what another says?

#ifndef CAIRN_TESTS_PETSC_SAME_H
#define CAIRN_TESTS_PETSC_SAME_H

#include "expect.h"

#include <petscmat.h>

static PetscErrorCode apart(Vec a, Vec b, const char *after, const char *product)
{
    PetscReal full, rest;

    PetscCall(VecNorm(b, NORM_2, &full));
    PetscCall(VecAXPY(a, -1, b));
    PetscCall(VecNorm(a, NORM_2, &rest));
    EXPECT(rest <= 1e-12 * full, "%s: %s is off by %g of %g", after, product,
           (double)rest, (double)full);
    return 0;
}

/// The products with vectors of A are those of R, and so is the diagonal of a square matrix.
/// A message names what was done to them before, @p after.
static PetscErrorCode same(Mat A, Mat R, const char *after)
{
    Vec      x, y, z, u, v;
    PetscInt rows, columns;

    PetscCall(MatCreateVecs(R, &x, &y));
    PetscCall(VecDuplicate(y, &z));
    PetscCall(VecDuplicate(x, &u));
    PetscCall(VecDuplicate(x, &v));
    PetscCall(VecSetRandom(x, NULL));
    PetscCall(MatMult(A, x, y));
    PetscCall(MatMult(R, x, z));
    PetscCall(apart(y, z, after, "Ax"));
    PetscCall(VecSetRandom(y, NULL));
    PetscCall(MatMultAdd(R, x, y, z));
    PetscCall(MatMultAdd(A, x, y, y));
    PetscCall(apart(y, z, after, "y + Ax in place"));
    PetscCall(VecSetRandom(y, NULL));
    PetscCall(MatMultTranspose(A, y, u));
    PetscCall(MatMultTranspose(R, y, v));
    PetscCall(apart(u, v, after, "A'y"));
    PetscCall(MatMultTransposeAdd(R, y, x, v));
    PetscCall(MatMultTransposeAdd(A, y, x, u));
    PetscCall(apart(u, v, after, "x + A'y"));
    PetscCall(MatGetSize(R, &rows, &columns));
    if (rows == columns) {
        PetscCall(MatGetDiagonal(A, y));
        PetscCall(MatGetDiagonal(R, z));
        PetscCall(apart(y, z, after, "the diagonal"));
    }
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&z));
    PetscCall(VecDestroy(&u));
    return VecDestroy(&v);
}

#endif
