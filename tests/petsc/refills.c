// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where do refills stop? The clock is this program's: AIJ's product takes 100 us, the
/// copy's 1 us, and a refill what the case says; by narrow values, which the first copy of a
/// matrix has, and by wide ones. So what the plug-in decides is known, and its refills and
/// AIJ's products are counted. Each product is held to AIJ's.

#ifndef _GNU_SOURCE
#    define _GNU_SOURCE // RTLD_NEXT
#endif

#include "expect.h"

#include <cairn/cairn.h>

#include <dlfcn.h>
#include <petscmat.h>

enum { SIDE = 24, ROWS = SIDE * SIDE, PERIOD = 10, CHANGES = 12, LEARNING = 4 };

static double now;                      ///< Seconds, on this program's clock.
static double narrow_costs, wide_costs; ///< Seconds of a refill.
static int    narrow_refills, wide_refills, parents_products;

static const cairn_tensor *first; ///< The copy with narrow values.

static PetscErrorCode (*parent)(Mat, Vec, Vec);

/// PetscTime() reads it.
double MPI_Wtime(void)
{
    return now += 1e-6;
}

/// In place of the library's, which it calls.
cairn_status cairn_tensor_update(cairn_tensor *tensor, const void *values)
{
    cairn_status (*library)(cairn_tensor *, const void *);

    *(void **)&library = dlsym(RTLD_NEXT, "cairn_tensor_update");
    if (!first) first = tensor;
    now += tensor == first ? narrow_costs : wide_costs;
    narrow_refills += tensor == first;
    wide_refills += tensor != first;
    return library(tensor, values);
}

static PetscErrorCode slow(Mat A, Vec x, Vec y)
{
    now += 100e-6;
    parents_products++;
    return parent(A, x, y);
}

/// Five points on a square, of whole numbers, which are stored in 8 bits.
static PetscErrorCode make(Mat *A)
{
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, ROWS, ROWS, 5, NULL, A));
    for (PetscInt i = 0; i < ROWS; i++) {
        const PetscInt    at[5]    = {i, i - 1, i + 1, i - SIDE, i + SIDE};
        const PetscScalar value[5] = {4 + i % 7, -1, -2, -1, -3};

        for (int k = 0; k < 5; k++)
            if (at[k] >= 0 && at[k] < ROWS)
                PetscCall(MatSetValue(*A, i, at[k], value[k], INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    return MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY);
}

static PetscErrorCode products(Mat A, Mat R, int n)
{
    Vec       x, y, z;
    PetscReal full, rest;

    PetscCall(MatCreateVecs(R, &x, &y));
    PetscCall(VecDuplicate(y, &z));
    PetscCall(VecSetRandom(x, NULL));
    PetscCall(MatMult(R, x, z));
    PetscCall(VecNorm(z, NORM_2, &full));
    for (int k = 0; k < n; k++) {
        PetscCall(MatMult(A, x, y));
        PetscCall(VecAXPY(y, -1, z));
        PetscCall(VecNorm(y, NORM_2, &rest));
        EXPECT(rest <= 1e-12 * full, "product %d is off by %g of %g", k, (double)rest,
               (double)full);
    }
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    return VecDestroy(&z);
}

/// New values, and PERIOD products, CHANGES times.
static PetscErrorCode change(Mat A, Mat R)
{
    narrow_refills = wide_refills = parents_products = 0;
    for (int k = 0; k < CHANGES; k++) {
        PetscCall(MatScale(A, -1));
        PetscCall(MatScale(R, -1));
        PetscCall(products(A, R, PERIOD));
    }
    return 0;
}

static PetscErrorCode begin(double narrow, double wide, Mat *A, Mat *R)
{
    narrow_costs = narrow;
    wide_costs   = wide;
    first        = NULL;
    PetscCall(make(R));
    PetscCall(make(A));
    PetscCall(MatGetOperation(*A, MATOP_MULT, (void (**)(void)) & parent));
    PetscCall(MatSetOperation(*A, MATOP_MULT, (void (*)(void))slow));
    PetscCall(MatConvert(*A, "seqaijcairn", MAT_INPLACE_MATRIX, A));
    PetscCall(products(*A, *R, PERIOD));
    return change(*A, *R);
}

static PetscErrorCode end(Mat A, Mat R)
{
    PetscCall(MatDestroy(&A));
    return MatDestroy(&R);
}

/// A refill takes as long as 50 of AIJ's products: AIJ computes, until the values stay.
static PetscErrorCode dear(void)
{
    const int rests = (CHANGES - LEARNING) * PERIOD;
    Mat       A, R;

    PetscCall(begin(5e-3, 6e-3, &A, &R));
    EXPECT(narrow_refills == LEARNING, "dear: %d refills", narrow_refills);
    EXPECT(wide_refills == LEARNING, "dear: %d refills with wide values", wide_refills);
    EXPECT(parents_products >= rests && parents_products < rests + PERIOD,
           "dear: AIJ computed %d products, not %d", parents_products, rests);
    parents_products = 0;
    PetscCall(products(A, R, 200));
    EXPECT(narrow_refills == LEARNING + 1, "values stay: %d refills", narrow_refills);
    EXPECT(parents_products > 30 && parents_products < 60,
           "values stay: AIJ computed %d products", parents_products);
    PetscCall(MatScale(A, -1));
    PetscCall(MatScale(R, -1));
    parents_products = 0;
    PetscCall(products(A, R, PERIOD));
    EXPECT(narrow_refills == LEARNING + 2 && !parents_products,
           "values stayed before: %d refills, %d products by AIJ", narrow_refills,
           parents_products);
    return end(A, R);
}

/// It does with narrow values alone: the copy gets wide ones, and goes on.
static PetscErrorCode widened(void)
{
    Mat A, R;

    PetscCall(begin(5e-3, 0, &A, &R));
    EXPECT(narrow_refills == LEARNING, "widened: %d refills", narrow_refills);
    EXPECT(wide_refills == LEARNING + CHANGES - LEARNING - 1,
           "widened: %d refills with wide values", wide_refills);
    EXPECT(parents_products < PERIOD, "widened: AIJ computed %d products",
           parents_products);
    return end(A, R);
}

/// It takes no longer than a product: each change is one.
static PetscErrorCode cheap(void)
{
    Mat A, R;

    PetscCall(begin(0, 0, &A, &R));
    EXPECT(narrow_refills == CHANGES && !wide_refills && !parents_products,
           "cheap: %d refills, %d with wide values, %d products by AIJ", narrow_refills,
           wide_refills, parents_products);
    return end(A, R);
}

int main(int argc, char **argv)
{
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(dear());
    PetscCall(widened());
    PetscCall(cheap());
    if (!wrong) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "refills as they pay\n"));
    PetscCall(PetscFinalize());
    return wrong;
}
