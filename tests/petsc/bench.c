// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// MatMult of one matrix as several types, in turns: a line with the least time of each, in
/// microseconds. tests/bench/petsc.sh runs it with the plug-in.
///
/// Options: -file FILE.mtx (coordinates; real, integer or pattern; general or symmetric),
/// else -n and -points 5 or 7: a stencil on a square or a cube; -bs block size of BAIJ;
/// -turns; -refill: new values before every 20 products, their time shared among these.

#include <petscmat.h>
#include <petsctime.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    PetscInt     rows, cols, count;
    PetscInt    *row, *col;
    PetscScalar *value;
} coordinates;

/// What is compared; the second of Cairn's has the prefix "rows_", whose options say how.
static const struct {
    const char *name, *type, *prefix;
} kinds[] = {
    {"aij",      MATAIJ,     NULL   },
    {"sell",     MATSELL,    NULL   },
    {"baij",     MATBAIJ,    NULL   },
    {"aijcairn", "aijcairn", NULL   },
    {"by rows",  "aijcairn", "rows_"}
};

enum { KINDS = sizeof kinds / sizeof kinds[0], PRODUCTS = 20 };

static PetscErrorCode make_stencil(PetscInt n, PetscInt points, coordinates *a)
{
    const PetscInt side[3] = {n, n, points == 7 ? n : 1};
    const PetscInt step[3] = {1, n, n * n};

    a->rows = a->cols = n * n * side[2];
    PetscCall(PetscMalloc3(a->rows * points, &a->row, a->rows * points, &a->col,
                           a->rows * points, &a->value));
    a->count = 0;
    for (PetscInt i = 0; i < a->rows; i++)
        for (int d = 0; d < points; d++) {
            const int      mode = d ? (d - 1) / 2 : 0, sign = d % 2 ? -1 : 1;
            const PetscInt at = i / step[mode] % side[mode] + (d ? sign : 0);

            if (at < 0 || at >= side[mode]) continue;
            a->row[a->count] = i;
            a->col[a->count] = d ? i + sign * step[mode] : i;
            a->value[a->count++] =
                d ? -1 - 1e-3 * (i % 977) : points + 1e-3 * (i % 977);
        }
    return 0;
}

static PetscErrorCode read_file(const char *path, coordinates *a)
{
    char  line[1024];
    FILE *in = fopen(path, "r");
    int   pattern, symmetric;
    long  rows, cols, stored, i, j;

    PetscCheck(in && fgets(line, sizeof line, in), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
               "%s cannot be read", path);
    pattern   = strstr(line, "pattern") != NULL;
    symmetric = strstr(line, "symmetric") != NULL;
    while (fgets(line, sizeof line, in) && line[0] == '%')
        continue;
    PetscCheck(sscanf(line, "%ld %ld %ld", &rows, &cols, &stored) == 3, PETSC_COMM_SELF,
               PETSC_ERR_FILE_UNEXPECTED, "%s has no sizes", path);
    a->rows  = rows;
    a->cols  = cols;
    a->count = 0;
    PetscCall(
        PetscMalloc3(2 * stored, &a->row, 2 * stored, &a->col, 2 * stored, &a->value));
    for (long k = 0; k < stored; k++) {
        double value = 1;

        PetscCheck(fscanf(in, "%ld %ld", &i, &j) == 2
                       && (pattern || fscanf(in, "%lf", &value) == 1),
                   PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s: entry %ld", path,
                   k + 1);
        for (int image = 0; image < (symmetric && i != j ? 2 : 1); image++) {
            a->row[a->count]     = (image ? j : i) - 1;
            a->col[a->count]     = (image ? i : j) - 1;
            a->value[a->count++] = value;
        }
    }
    fclose(in);
    return 0;
}

static PetscErrorCode make(int kind, PetscInt bs, const coordinates *a, Mat *A)
{
    PetscInt *length;

    PetscCall(MatCreate(PETSC_COMM_SELF, A));
    PetscCall(MatSetSizes(*A, a->rows, a->cols, a->rows, a->cols));
    PetscCall(MatSetOptionsPrefix(*A, kinds[kind].prefix));
    PetscCall(MatSetType(*A, kinds[kind].type));
    PetscCall(PetscCalloc1(a->rows, &length));
    for (PetscInt k = 0; k < a->count; k++)
        length[a->row[k]]++;
    for (PetscInt i = 0; !strcmp(kinds[kind].name, "baij") && i < a->rows / bs; i++) {
        PetscInt most = 0;

        for (PetscInt k = 0; k < bs; k++)
            most = PetscMax(most, length[i * bs + k]);
        length[i] = PetscMin(bs * most, a->cols / bs);
    }
    PetscCall(MatSeqAIJSetPreallocation(*A, 0, length));
    PetscCall(MatSeqSELLSetPreallocation(*A, 0, length));
    PetscCall(MatSeqBAIJSetPreallocation(*A, bs, 0, length));
    PetscCall(PetscFree(length));
    for (PetscInt k = 0; k < a->count; k++)
        PetscCall(
            MatSetValues(*A, 1, a->row + k, 1, a->col + k, a->value + k, ADD_VALUES));
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    return MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY);
}

/// The least seconds of a product.
static PetscErrorCode turn(Mat A, PetscBool refill, Vec x, Vec y, double *least)
{
    PetscLogDouble begin, middle, end;
    double         spent = PETSC_MAX_REAL;

    PetscCall(MatMult(A, x, y));
    if (refill) PetscCall(MatScale(A, -1));
    PetscCall(PetscTime(&begin));
    PetscCall(MatMult(A, x, y));
    PetscCall(PetscTime(&middle));
    for (int k = 1; k < PRODUCTS; k++) {
        PetscLogDouble from;

        PetscCall(PetscTime(&from));
        PetscCall(MatMult(A, x, y));
        PetscCall(PetscTime(&end));
        spent = PetscMin(spent, end - from);
    }
    if (refill) spent = ((middle - begin) + (PRODUCTS - 1) * spent) / PRODUCTS;
    *least = PetscMin(*least, spent);
    return 0;
}

int main(int argc, char **argv)
{
    coordinates a;
    char        file[1024], name[64] = "";
    PetscInt    n = 300, points = 5, bs = 1, turns = 20;
    PetscBool   given, refill = PETSC_FALSE;
    double      least[KINDS];
    Mat         A[KINDS];
    Vec         x, y;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-file", file, sizeof file, &given));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-name", name, sizeof name, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-points", &points, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-bs", &bs, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-turns", &turns, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-refill", &refill, NULL));
    PetscCall(given ? read_file(file, &a) : make_stencil(n, points, &a));
    for (int k = 0; k < KINDS; k++) {
        PetscCall(make(k, bs, &a, &A[k]));
        least[k] = PETSC_MAX_REAL;
    }
    PetscCall(MatCreateVecs(A[0], &x, &y));
    PetscCall(VecSetRandom(x, NULL));
    for (PetscInt t = 0; t < turns; t++)
        for (int k = 0; k < KINDS; k++)
            PetscCall(turn(A[k], refill, x, y, &least[k]));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %s |", name));
    for (int k = 0; k < KINDS; k++)
        PetscCall(PetscPrintf(PETSC_COMM_SELF, " %.1f |", 1e6 * least[k]));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
    for (int k = 0; k < KINDS; k++)
        PetscCall(MatDestroy(&A[k]));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(PetscFree3(a.row, a.col, a.value));
    PetscCall(PetscFinalize());
    return 0;
}
