// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Each call of PETSc's that changes a matrix of AIJ's, or reads its arrays, done to one
/// whose type is left to the options, which has multiplied before, and to one that is AIJ.
/// They are held to each other by their products afterwards: a copy that is not told of the
/// change has old values, or an old pattern. Each is done twice, the second time to a copy
/// that was made anew or filled again. Calls PETSc alone.
///
/// Options: -file PATH of a file that is written and read; -only NAME of a change.

#include "band.h"
#include "same.h"

#include <petscmat.h>
#include <string.h>

/* ---- changes in place; @p turn is 0 and then 1 ---- */

typedef PetscErrorCode change(Mat A, int turn);

static PetscErrorCode zero_entries(Mat A, int turn)
{
    (void)turn;
    return MatZeroEntries(A);
}

static PetscErrorCode zero_and_fill(Mat A, int turn)
{
    PetscCall(MatZeroEntries(A));
    return fill(A, 0, 3 + turn);
}

/// Rows of this rank's that become ones of the identity.
static PetscErrorCode rows_of(Mat A, int turn, PetscInt *n, PetscInt row[2])
{
    PetscInt first, end;

    PetscCall(MatGetOwnershipRange(A, &first, &end));
    row[0] = first + 3 + turn;
    row[1] = end - 1 - turn;
    *n     = end - first > 10 ? 2 : 0;
    return 0;
}

static PetscErrorCode zero_rows(Mat A, int turn)
{
    PetscInt n, row[2];

    PetscCall(rows_of(A, turn, &n, row));
    return MatZeroRows(A, n, row, 2.5, NULL, NULL);
}

static PetscErrorCode zero_rows_keep(Mat A, int turn)
{
    PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
    return zero_rows(A, turn);
}

static PetscErrorCode zero_rows_columns(Mat A, int turn)
{
    PetscInt n, row[2];
    Vec      x, b;

    PetscCall(rows_of(A, turn, &n, row));
    PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(x, 1));
    PetscCall(MatZeroRowsColumns(A, n, row, 1.5, x, b));
    PetscCall(VecDestroy(&x));
    return VecDestroy(&b);
}

static PetscErrorCode diagonal(Mat A, int turn)
{
    Vec d;

    PetscCall(MatCreateVecs(A, NULL, &d));
    PetscCall(VecSet(d, 0.25 + turn));
    PetscCall(MatDiagonalSet(A, d, turn ? INSERT_VALUES : ADD_VALUES));
    return VecDestroy(&d);
}

static PetscErrorCode scale_both(Mat A, int turn)
{
    Vec l, r;

    PetscCall(MatCreateVecs(A, &r, &l));
    PetscCall(VecSet(l, 0.5 + turn));
    PetscCall(VecSet(r, 1.25));
    PetscCall(MatDiagonalScale(A, l, r));
    PetscCall(VecDestroy(&l));
    return VecDestroy(&r);
}

static PetscErrorCode shift(Mat A, int turn)
{
    return MatShift(A, 0.3 + turn);
}

/// Another matrix of its type, @p beside the band.
static PetscErrorCode like(Mat A, PetscInt beside, Mat *B)
{
    MatType type;

    PetscCall(MatGetType(A, &type));
    PetscCall(make(type, ROWS, beside, B));
    return MatScale(*B, 0.7);
}

static PetscErrorCode copy_over(Mat A, int turn)
{
    Mat B;

    PetscCall(like(A, 0, &B));
    PetscCall(MatScale(B, 1 + turn));
    PetscCall(MatCopy(B, A, SAME_NONZERO_PATTERN));
    return MatDestroy(&B);
}

static PetscErrorCode add_same(Mat A, int turn)
{
    Mat B;

    (void)turn;
    PetscCall(like(A, 0, &B));
    PetscCall(MatAXPY(A, 2, B, SAME_NONZERO_PATTERN));
    PetscCall(MatAYPX(A, 0.5, B, SAME_NONZERO_PATTERN));
    return MatDestroy(&B);
}

static PetscErrorCode add_subset(Mat A, int turn)
{
    Mat B;

    (void)turn;
    PetscCall(like(A, 0, &B));
    PetscCall(MatAXPY(A, 2, B, SUBSET_NONZERO_PATTERN));
    return MatDestroy(&B);
}

static PetscErrorCode add_other(Mat A, int turn)
{
    Mat B;

    PetscCall(like(A, 20 + turn, &B));
    PetscCall(MatAYPX(A, 2, B, DIFFERENT_NONZERO_PATTERN));
    return MatDestroy(&B);
}

static PetscErrorCode random_values(Mat A, int turn)
{
    PetscRandom random;

    PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &random));
    PetscCall(PetscRandomSetSeed(random, 77 + (unsigned long)turn));
    PetscCall(PetscRandomSeed(random));
    PetscCall(MatSetRandom(A, random));
    return PetscRandomDestroy(&random);
}

/// Added to after a flush, then set, then one entry that was not there.
static PetscErrorCode flush(Mat A, int turn)
{
    PetscInt first, end, all;

    PetscCall(MatGetSize(A, NULL, &all));
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    for (int step = 0; step < 3; step++) {
        const MatAssemblyType kind = step < 2 ? MAT_FLUSH_ASSEMBLY : MAT_FINAL_ASSEMBLY;

        for (PetscInt i = first; i < end; i++)
            PetscCall(MatSetValue(A, i, step < 2 ? i : (i + 60 + turn) % all, 0.5,
                                  step == 0 ? ADD_VALUES : INSERT_VALUES));
        PetscCall(MatAssemblyBegin(A, kind));
        PetscCall(MatAssemblyEnd(A, kind));
    }
    return 0;
}

/// Values that other ranks own.
static PetscErrorCode others_rows(Mat A, int turn)
{
    PetscInt all;

    PetscCall(MatGetSize(A, &all, NULL));
    for (PetscInt i = turn; i < all; i += 7)
        PetscCall(MatSetValue(A, i, i, 0.125, ADD_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

/// The blocks of a rank; of a matrix of one rank the first is itself.
static PetscErrorCode blocks_of(Mat A, Mat block[2])
{
    PetscBool mpi;

    block[0] = A;
    block[1] = NULL;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
    if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
    return 0;
}

/// New values into AIJ's own arrays, on all ranks, or (turn 1) on the last one alone.
static PetscErrorCode own_arrays(Mat A, int turn)
{
    PetscMPIInt rank, size;
    Mat         block[2];

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(blocks_of(A, block));
    for (int b = 0; b < 2 && block[b] && (turn == 0 || rank == size - 1); b++) {
        const PetscInt *ptr;
        PetscScalar    *val;
        PetscInt        rows;
        PetscBool       done;

        PetscCall(MatGetRowIJ(block[b], 0, PETSC_FALSE, PETSC_FALSE, &rows, &ptr, NULL,
                              &done));
        PetscCall(MatSeqAIJGetArray(block[b], &val));
        for (PetscInt k = 0; k < ptr[rows]; k++)
            val[k] *= 1.5 + b + turn;
        PetscCall(MatSeqAIJRestoreArray(block[b], &val));
        PetscCall(MatRestoreRowIJ(block[b], 0, PETSC_FALSE, PETSC_FALSE, &rows, &ptr,
                                  NULL, &done));
    }
    return 0;
}

static PetscErrorCode reset(Mat A, int turn)
{
    PetscCall(MatResetPreallocation(A));
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    return fill(A, 0, 2 + turn);
}

/// Another pattern of as many entries, from the beginning.
static PetscErrorCode preallocate(Mat A, int turn)
{
    PetscCall(MatSeqAIJSetPreallocation(A, 5, NULL));
    PetscCall(MatMPIAIJSetPreallocation(A, 5, NULL, 5, NULL));
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    return fill(A, 4 + turn, 1);
}

/// COO's own pattern, then values for it twice, the second added to the first: two patterns
/// of as many entries follow each other.
static PetscErrorCode by_coordinates(Mat A, int turn)
{
    PetscInt    row[ROWS], column[ROWS], first, end, all, n = 0;
    PetscScalar value[ROWS];

    PetscCall(MatGetSize(A, NULL, &all));
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt i = first; i < end; i++, n++) {
        row[n]    = i;
        column[n] = (i + 11 + 5 * turn) % all;
        value[n]  = 1 + (PetscScalar)i / 7;
    }
    PetscCall(MatSetPreallocationCOO(A, n, row, column));
    PetscCall(MatSetValuesCOO(A, value, INSERT_VALUES));
    return MatSetValuesCOO(A, value, ADD_VALUES);
}

/// What rows a program reads between products.
static PetscErrorCode read_rows(Mat A, int turn)
{
    PetscInt           first, end, n;
    const PetscInt    *column;
    const PetscScalar *value;
    Vec                sum;

    PetscCall(MatCreateVecs(A, NULL, &sum));
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt i = first; i < end; i++) {
        PetscScalar s = turn;

        PetscCall(MatGetRow(A, i, &n, &column, &value));
        for (PetscInt k = 0; k < n; k++)
            s += value[k] * (1 + column[k]);
        PetscCall(MatRestoreRow(A, i, &n, &column, &value));
        PetscCall(VecSetValue(sum, i, s, INSERT_VALUES));
    }
    PetscCall(VecAssemblyBegin(sum));
    PetscCall(VecAssemblyEnd(sum));
    PetscCall(MatDiagonalSet(A, sum, INSERT_VALUES)); /* so that it shows in products */
    return VecDestroy(&sum);
}

static PetscErrorCode transpose_in_place(Mat A, int turn)
{
    (void)turn;
    return MatTranspose(A, MAT_INPLACE_MATRIX, &A);
}

/// A file of PETSc's, read into a matrix that has multiplied.
static PetscErrorCode load(Mat A, int turn)
{
    char        path[PETSC_MAX_PATH_LEN] = "";
    PetscViewer file;
    Mat         B;

    PetscCall(PetscOptionsGetString(NULL, NULL, "-file", path, sizeof path, NULL));
    PetscCall(like(A, 2 * turn, &B));
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path, FILE_MODE_WRITE, &file));
    PetscCall(MatView(B, file));
    PetscCall(PetscViewerDestroy(&file));
    PetscCall(MatDestroy(&B));
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path, FILE_MODE_READ, &file));
    PetscCall(MatLoad(A, file));
    return PetscViewerDestroy(&file);
}

static const struct {
    const char *name;
    change     *make;
} changes[] = {
    {"MatZeroEntries",                   zero_entries      },
    {"MatZeroEntries, MatSetValues",     zero_and_fill     },
    {"MatZeroRows",                      zero_rows         },
    {"MatZeroRows, pattern kept",        zero_rows_keep    },
    {"MatZeroRowsColumns",               zero_rows_columns },
    {"MatDiagonalSet",                   diagonal          },
    {"MatDiagonalScale",                 scale_both        },
    {"MatShift",                         shift             },
    {"MatCopy",                          copy_over         },
    {"MatAXPY, MatAYPX of one pattern",  add_same          },
    {"MatAXPY of a part of the pattern", add_subset        },
    {"MatAYPX of another pattern",       add_other         },
    {"MatSetRandom",                     random_values     },
    {"MatAssembly after a flush",        flush             },
    {"MatSetValues of others' rows",     others_rows       },
    {"MatSeqAIJGetArray",                own_arrays        },
    {"MatResetPreallocation",            reset             },
    {"MatSeqAIJSetPreallocation",        preallocate       },
    {"MatSetPreallocationCOO",           by_coordinates    },
    {"MatGetRow",                        read_rows         },
    {"MatTranspose in place",            transpose_in_place},
    {"MatLoad",                          load              },
};

/* ---- matrices of matrices, made and made again ---- */

typedef PetscErrorCode derive(Mat A, MatReuse reuse, Mat *B);

/// Every second row and column of this rank.
static PetscErrorCode submatrix(Mat A, MatReuse reuse, Mat *B)
{
    PetscInt first, end;
    IS       mine;

    PetscCall(MatGetOwnershipRange(A, &first, &end));
    PetscCall(ISCreateStride(PETSC_COMM_WORLD, (end - first) / 2, first, 2, &mine));
    PetscCall(MatCreateSubMatrix(A, mine, mine, reuse, B));
    return ISDestroy(&mine);
}

static PetscErrorCode transpose(Mat A, MatReuse reuse, Mat *B)
{
    return MatTranspose(A, reuse, B);
}

static PetscErrorCode permute(Mat A, MatReuse reuse, Mat *B)
{
    PetscInt first, end;
    IS       back;

    if (reuse == MAT_REUSE_MATRIX) PetscCall(MatDestroy(B));
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    PetscCall(ISCreateStride(PETSC_COMM_WORLD, end - first, end - 1, -1, &back));
    PetscCall(MatPermute(A, back, back, B));
    return ISDestroy(&back);
}

static PetscErrorCode square(Mat A, MatReuse reuse, Mat *B)
{
    return MatMatMult(A, A, reuse, PETSC_DEFAULT, B);
}

static PetscErrorCode normal(Mat A, MatReuse reuse, Mat *B)
{
    return MatTransposeMatMult(A, A, reuse, PETSC_DEFAULT, B);
}

/// A matrix over the caller's own arrays, to which he brings new values.
static PetscErrorCode around_arrays(Mat A, MatReuse reuse, Mat *B)
{
    static PetscInt    ptr[ROWS + 1], column[2][2 * ROWS];
    static PetscScalar value[2][2 * ROWS];
    const PetscScalar  factor = reuse == MAT_REUSE_MATRIX ? 3 : 1;
    PetscInt           first, end, all, n = 0;
    PetscBool          plain;
    PetscMPIInt        size;
    MatType            type;

    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(MatGetType(A, &type));
    PetscCall(PetscStrendswith(type, "aij", &plain));
    PetscInt *const    idx = column[plain]; /* both matrices have theirs at once */
    PetscScalar *const val = value[plain];

    PetscCall(MatGetSize(A, NULL, &all));
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt i = first; i < end; i++) {
        ptr[i - first] = n;
        for (PetscInt k = 0; k < 2; k++, n++) {
            idx[n] = i == all - 1 ? k * i : i + k;
            val[n] = factor * (2 + (PetscScalar)((i + 3 * k) % 5));
        }
    }
    ptr[end - first] = n;
    if (reuse == MAT_REUSE_MATRIX && size > 1) return MatUpdateMPIAIJWithArray(*B, val);
    if (reuse == MAT_REUSE_MATRIX) {
        PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
        return MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY);
    }
    if (size > 1)
        PetscCall(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, ROWS, ROWS, all, all, ptr,
                                            idx, val, B));
    else
        PetscCall(
            MatCreateSeqAIJWithArrays(PETSC_COMM_WORLD, ROWS, ROWS, ptr, idx, val, B));
    return MatConvert(*B, type, MAT_INPLACE_MATRIX, B);
}

static const struct {
    const char *name;
    derive     *make;
} derivations[] = {
    {"MatCreateSubMatrix",     submatrix    },
    {"MatTranspose",           transpose    },
    {"MatPermute",             permute      },
    {"MatMatMult",             square       },
    {"MatTransposeMatMult",    normal       },
    {"MatCreateAIJWithArrays", around_arrays},
};

/* ---- both ---- */

enum {
    CHANGES     = sizeof changes / sizeof *changes,
    DERIVATIONS = sizeof derivations / sizeof *derivations
};

static PetscErrorCode is_wanted(const char *name, PetscBool *wanted)
{
    char      only[128] = "";
    PetscBool some;

    PetscCall(PetscOptionsGetString(NULL, NULL, "-only", only, sizeof only, &some));
    *wanted = !some || strstr(name, only) ? PETSC_TRUE : PETSC_FALSE;
    return 0;
}

static PetscErrorCode try_change(int k)
{
    Mat both[2];

    for (int b = 0; b < 2; b++)
        PetscCall(make(b ? MATAIJ : NULL, ROWS, 0, &both[b]));
    PetscCall(same(both[0], both[1], "assembly"));
    for (int turn = 0; turn < 2; turn++) {
        for (int b = 0; b < 2; b++)
            PetscCall(changes[k].make(both[b], turn));
        PetscCall(same(both[0], both[1], changes[k].name));
    }
    PetscCall(MatDestroy(&both[0]));
    return MatDestroy(&both[1]);
}

static PetscErrorCode try_derivation(int k)
{
    Mat both[2], made[2];

    for (int b = 0; b < 2; b++)
        PetscCall(make(b ? MATAIJ : NULL, ROWS, 0, &both[b]));
    PetscCall(same(both[0], both[1], "assembly"));
    for (int turn = 0; turn < 2; turn++) {
        for (int b = 0; b < 2; b++)
            PetscCall(derivations[k].make(
                both[b], turn ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &made[b]));
        PetscCall(same(made[0], made[1], derivations[k].name));
        for (int b = 0; b < 2; b++)
            PetscCall(MatScale(both[b], 1.75));
    }
    for (int b = 0; b < 2; b++) {
        PetscCall(MatDestroy(&made[b]));
        PetscCall(MatDestroy(&both[b]));
    }
    return 0;
}

int main(int argc, char **argv)
{
    PetscBool wanted;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    /* PETSc 3.22 tells of options that nothing asked for, and -only leaves out what does. */
    PetscCall(PetscOptionsHasName(NULL, NULL, "-file", &wanted));
    for (int k = 0; k < CHANGES; k++) {
        PetscCall(is_wanted(changes[k].name, &wanted));
        if (wanted) PetscCall(try_change(k));
    }
    for (int k = 0; k < DERIVATIONS; k++) {
        PetscCall(is_wanted(derivations[k].name, &wanted));
        if (wanted) PetscCall(try_derivation(k));
    }
    if (!wrong) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "all as AIJ\n"));
    PetscCall(PetscFinalize());
    return wrong;
}
