// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// PETSc's reader and writer of files, beside ours: load the matrix of a binary file, print
/// its entries as our command writes Matrix Market, and write it again.
///   files IN OUT.mtx OUT [-dense] [-vector] [-mat_type TYPE]
/// -dense writes it as a dense matrix; -vector writes a vector behind it.

#include <petscmat.h>
#include <stdio.h>
#include <string.h>

/// Row by row, rank by rank.
static PetscErrorCode print_entries(Mat matrix, const char *path)
{
    PetscInt    rows, columns, first, last;
    PetscViewer viewer;
    MatInfo     info;

    PetscCall(MatGetSize(matrix, &rows, &columns));
    PetscCall(MatGetInfo(matrix, MAT_GLOBAL_SUM, &info));
    PetscCall(MatGetOwnershipRange(matrix, &first, &last));
    PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, path, &viewer));
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n",
        (long long)rows, (long long)columns, (long long)info.nz_used));
    PetscCall(PetscViewerASCIIPushSynchronized(viewer));
    for (PetscInt i = first; i < last; i++) {
        PetscInt           n;
        const PetscInt    *column;
        const PetscScalar *value;

        PetscCall(MatGetRow(matrix, i, &n, &column, &value));
        for (PetscInt k = 0; k < n; k++)
            PetscCall(PetscViewerASCIISynchronizedPrintf(
                viewer, "%lld %lld %.17g\n", (long long)i + 1, (long long)column[k] + 1,
                value[k]));
        PetscCall(MatRestoreRow(matrix, i, &n, &column, &value));
    }
    PetscCall(PetscViewerFlush(viewer));
    PetscCall(PetscViewerASCIIPopSynchronized(viewer));
    return PetscViewerDestroy(&viewer);
}

static PetscErrorCode write_vector(Mat matrix, PetscViewer viewer)
{
    Vec x;

    PetscCall(MatCreateVecs(matrix, &x, NULL));
    PetscCall(VecSet(x, 1.0));
    PetscCall(VecView(x, viewer));
    return VecDestroy(&x);
}

static PetscErrorCode copy(const char *from, const char *text, const char *to)
{
    PetscBool   dense = PETSC_FALSE, vector = PETSC_FALSE;
    PetscViewer viewer;
    Mat         matrix;

    PetscCall(PetscOptionsGetBool(NULL, NULL, "-dense", &dense, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-vector", &vector, NULL));
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, from, FILE_MODE_READ, &viewer));
    PetscCall(MatCreate(PETSC_COMM_WORLD, &matrix));
    PetscCall(MatSetType(matrix, MATAIJ));
    PetscCall(MatSetFromOptions(matrix));
    PetscCall(MatLoad(matrix, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(print_entries(matrix, text));
    if (dense) PetscCall(MatConvert(matrix, MATDENSE, MAT_INPLACE_MATRIX, &matrix));
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, to, FILE_MODE_WRITE, &viewer));
    PetscCall(MatView(matrix, viewer));
    if (vector) PetscCall(write_vector(matrix, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    return MatDestroy(&matrix);
}

int main(int argc, char **argv)
{
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(copy(argv[1], argv[2], argv[3]));
    return PetscFinalize();
}
