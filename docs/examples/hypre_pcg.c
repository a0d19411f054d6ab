// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program of hypre's: conjugate gradients, preconditioned by BoomerAMG. What Cairn adds
/// are a context, the matrix in diagonals, and one line after Setup; then new values.
/// Build: mpicc hypre_pcg.c $(pkg-config --cflags --libs cairn) -I/usr/include/hypre -lHYPRE

#include <cairn/hypre.h>
#include <cairn/mpi.h>

#include <_hypre_IJ_mv.h>
#include <stdio.h>

enum { SIDE = 40, POINTS = SIDE * SIDE };

/// The five-point Laplacian and @p shift on a square, this rank's rows of it.
static void fill(HYPRE_IJMatrix ij, HYPRE_BigInt first, HYPRE_BigInt end, double shift)
{
    HYPRE_IJMatrixInitialize(ij);
    for (HYPRE_BigInt row = first; row < end; row++) {
        const HYPRE_BigInt i = row / SIDE, j = row % SIDE;
        const HYPRE_BigInt near[5]  = {row, row - SIDE, row + SIDE, row - 1, row + 1};
        const bool         there[5] = {true, 0 < i, i + 1 < SIDE, 0 < j, j + 1 < SIDE};
        HYPRE_BigInt       cols[5];
        HYPRE_Complex      values[5];
        HYPRE_Int          n = 0;

        for (int k = 0; k < 5; k++) {
            if (!there[k]) continue;
            cols[n]     = near[k];
            values[n++] = k == 0 ? 4 + shift : -1;
        }
        HYPRE_IJMatrixSetValues(ij, 1, &n, &row, cols, values);
    }
    HYPRE_IJMatrixAssemble(ij);
}

static HYPRE_ParVector vector(HYPRE_BigInt first, HYPRE_BigInt end, HYPRE_IJVector *ij)
{
    void *v = NULL;

    HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, end - 1, ij);
    HYPRE_IJVectorSetObjectType(*ij, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(*ij);
    HYPRE_IJVectorAssemble(*ij);
    HYPRE_IJVectorGetObject(*ij, &v);
    return v;
}

/// Solve with hypre's product, and with Cairn's: iterations, or -1.
static HYPRE_Int
solve(HYPRE_ParCSRMatrix A, HYPRE_ParVector b, HYPRE_ParVector x, cairn_hypre *op)
{
    HYPRE_Solver pcg, amg;
    HYPRE_Int    iterations = -1;

    HYPRE_BoomerAMGCreate(&amg);
    HYPRE_BoomerAMGSetMaxIter(amg, 1);
    HYPRE_BoomerAMGSetTol(amg, 0.0);
    HYPRE_BoomerAMGSetPrintLevel(amg, 0);
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &pcg);
    HYPRE_PCGSetTol(pcg, 1e-8);
    HYPRE_PCGSetPrecond(pcg, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve,
                        (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup, amg);
    HYPRE_ParVectorSetConstantValues(x, 0);
    HYPRE_ParCSRPCGSetup(pcg, A, b, x);
    if (op) cairn_hypre_pcg(pcg, op); // The line.
    if (HYPRE_ParCSRPCGSolve(pcg, A, b, x) == 0)
        HYPRE_PCGGetNumIterations(pcg, &iterations);
    HYPRE_ParCSRPCGDestroy(pcg);
    HYPRE_BoomerAMGDestroy(amg);
    return iterations;
}

int main(int argc, char **argv)
{
    cairn_context *context = NULL;
    cairn_hypre   *op      = NULL;
    HYPRE_IJMatrix ij;
    HYPRE_IJVector vectors[2];
    void          *A         = NULL;
    HYPRE_Int      theirs[2] = {-1, -1}, ours[2] = {-1, -1};

    MPI_Init(&argc, &argv);
    HYPRE_Init();
    cairn_status status = cairn_context_create_mpi(MPI_COMM_WORLD, &context);
    const int    rank = cairn_context_rank(context), size = cairn_context_size(context);
    const HYPRE_BigInt first = POINTS * rank / size, end = POINTS * (rank + 1) / size;
    HYPRE_ParVector    b = vector(first, end, &vectors[0]);
    HYPRE_ParVector    x = vector(first, end, &vectors[1]);

    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, end - 1, first, end - 1, &ij);
    HYPRE_IJMatrixSetObjectType(ij, HYPRE_PARCSR);
    HYPRE_ParVectorSetConstantValues(b, 1);
    for (int step = 0; step < 2 && !status; step++) {
        fill(ij, first, end, 0.5 * step);
        HYPRE_IJMatrixGetObject(ij, &A);
        if (step == 0)
            status = cairn_hypre_create(context, A, "bdia<64>", &op);
        else
            status = cairn_hypre_update(op); // New values for the pattern.
        if (status) break;
        theirs[step] = solve(A, b, x, NULL);
        ours[step]   = solve(A, b, x, op);
    }
    if (status) fprintf(stderr, "%s\n", cairn_context_message(context));
    const bool right =
        theirs[0] > 0 && theirs[1] > 0 && ours[0] == theirs[0] && ours[1] == theirs[1];
    if (right && rank == 0)
        printf("%d and %d iterations, as hypre's own\n", (int)ours[0], (int)ours[1]);
    cairn_hypre_destroy(&op);
    HYPRE_IJMatrixDestroy(ij);
    HYPRE_IJVectorDestroy(vectors[0]);
    HYPRE_IJVectorDestroy(vectors[1]);
    cairn_context_destroy(&context);
    HYPRE_Finalize();
    MPI_Finalize();
    return right ? 0 : 1;
}
