// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Solvers of PETSc's own on a matrix whose type is left to the options: a line of each,
/// its name, iterations and true residual. Knows nothing of Cairn. compare.sh holds a run
/// with AIJ to one with PETSC_OPTIONS.
///
/// Options: -n points along a side, -dof unknowns at each, -coo assembles by
/// MatSetValuesCOO(), -rows a,b,... solves with these alone, -hard makes the matrix AIJ
/// whatever -mat_type says, -prefix NAME begins the options of a matrix that is not.

#include <petscdmda.h>
#include <petscksp.h>

typedef struct {
    const char *name, *options;
} row;

/// Names are also prefixes of options.
static const row rows[] = {
    {"none",      "-ksp_type cg -pc_type none"                                    },
    {"jacobi",    "-ksp_type cg -pc_type jacobi"                                  },
    {"ilu",       "-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu"             },
    {"icc",       "-ksp_type cg -pc_type bjacobi -sub_pc_type icc"                },
    {"sor",       "-ksp_type gmres -pc_type sor"                                  },
    {"asm",       "-ksp_type gmres -pc_type asm"                                  },
    {"gamg",      "-ksp_type cg -pc_type gamg"                                    },
    {"classical", "-ksp_type cg -pc_type gamg -pc_gamg_type classical"            },
    {"mg",        "-ksp_type cg -pc_type mg -pc_mg_levels 3 -pc_mg_galerkin both" },
    {"hypre",     "-ksp_type cg -pc_type hypre"                                   },
    {"lu",        "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type mumps"},
    {"lsqr",      "-ksp_type lsqr -pc_type none -ksp_max_it 60"                   },
    {"bcgs",      "-ksp_type bcgs -pc_type jacobi"                                },
};

/// The conductivity between two points: symmetric, and of values that no narrow type has.
static PetscScalar between(PetscInt i, PetscInt j, PetscInt k, PetscInt l)
{
    return 1 + 0.3 * ((7 * (i + k + 4) + 3 * (j + l + 4)) % 5) / 4.7;
}

/// The entries of the rows of this rank, as coordinates in @p da's own numbers.
static PetscErrorCode entries(DM            da,
                              PetscInt      dof,
                              PetscInt      n,
                              PetscInt     *count,
                              PetscInt    **at,
                              PetscScalar **value)
{
    static const int step[5][2] = {
        {0,  0 },
        {-1, 0 },
        {1,  0 },
        {0,  -1},
        {0,  1 }
    };
    PetscInt     x, y, w, h, gx, gy, gw, *p;
    PetscScalar *v, c;

    PetscCall(DMDAGetCorners(da, &x, &y, NULL, &w, &h, NULL));
    PetscCall(DMDAGetGhostCorners(da, &gx, &gy, NULL, &gw, NULL, NULL));
    PetscCall(
        PetscMalloc2(10 * w * h * dof * dof + 1, at, 5 * w * h * dof * dof + 1, value));
    p = *at;
    v = *value;
    for (PetscInt j = y; j < y + h; j++)
        for (PetscInt i = x; i < x + w; i++)
            for (int s = 0; s < 5; s++) {
                const PetscInt k = i + step[s][0], l = j + step[s][1];

                c = s ? -between(i, j, k, l) : 1e-3;
                for (int t = 1; !s && t < 5; t++)
                    c += between(i, j, i + step[t][0], j + step[t][1]);
                if (k < 0 || l < 0 || k >= n || l >= n) continue;
                for (PetscInt a = 0; a < dof; a++)
                    for (PetscInt b = 0; b < dof; b++) {
                        *p++ = dof * ((j - gy) * gw + i - gx) + a;
                        *p++ = dof * ((l - gy) * gw + k - gx) + b;
                        *v++ = c * (a == b ? 1 : 0.1 + 0.02 * (a + b));
                    }
            }
    *count = v - *value;
    return 0;
}

static PetscErrorCode
assemble(DM da, PetscInt dof, PetscInt n, PetscBool coo, PetscBool hard, Mat *A)
{
    ISLocalToGlobalMapping map;
    PetscInt               count = 0, *at, local;
    PetscScalar           *value;
    PetscBool              named;
    char                   prefix[32];
    Vec                    like;

    PetscCall(entries(da, dof, n, &count, &at, &value));
    PetscCall(DMGetLocalToGlobalMapping(da, &map));
    PetscCall(ISLocalToGlobalMappingApply(map, 2 * count, at, at));
    PetscCall(DMCreateGlobalVector(da, &like));
    PetscCall(VecGetLocalSize(like, &local));
    PetscCall(VecDestroy(&like));
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetSizes(*A, local, local, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetBlockSize(*A, dof));
    PetscCall(
        PetscOptionsGetString(NULL, NULL, "-prefix", prefix, sizeof prefix, &named));
    if (hard)
        PetscCall(MatSetType(*A, MATAIJ));
    else {
        if (named) PetscCall(MatSetOptionsPrefix(*A, prefix));
        PetscCall(MatSetFromOptions(*A));
    }
    if (coo) {
        PetscInt *columns;

        PetscCall(PetscMalloc1(count + 1, &columns));
        for (PetscInt k = 0; k < count; k++) {
            columns[k] = at[2 * k + 1];
            at[k]      = at[2 * k];
        }
        PetscCall(MatSetPreallocationCOO(*A, count, at, columns));
        PetscCall(MatSetValuesCOO(*A, value, INSERT_VALUES));
        PetscCall(PetscFree(columns));
    } else {
        PetscCall(MatSeqAIJSetPreallocation(*A, 5 * dof, NULL));
        PetscCall(MatMPIAIJSetPreallocation(*A, 5 * dof, NULL, 5 * dof, NULL));
        for (PetscInt k = 0; k < count; k++)
            PetscCall(MatSetValues(*A, 1, at + 2 * k, 1, at + 2 * k + 1, value + k,
                                   INSERT_VALUES));
        PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    }
    PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
    return PetscFree2(at, value);
}

/// @param[in] check  The same matrix, for the residual.
static PetscErrorCode solve(const row *r, DM da, PetscInt dof, Mat A, Mat check)
{
    char        option[256], prefix[32];
    const char *words = r->options;
    size_t      at    = 0;
    PetscReal   norm, full;
    PetscInt    its;
    Vec         x, b, rest;
    KSP         ksp;

    PetscCall(PetscSNPrintf(prefix, sizeof prefix, "%s_", r->name));
    for (; *words; words++) /* "-ksp_type" becomes "-NAME_ksp_type" */
        if (*words == '-') {
            option[at++] = '-';
            for (const char *c = prefix; *c; c++)
                option[at++] = *c;
        } else {
            option[at++] = *words;
        }
    option[at] = 0;
    PetscCall(PetscOptionsInsertString(NULL, option));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOptionsPrefix(ksp, prefix));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 2000));
    if (r->name[0] == 'm') {
        PetscCall(KSPSetDM(ksp, da));
        PetscCall(KSPSetDMActive(ksp, PETSC_FALSE));
    }
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecDuplicate(b, &rest));
    PetscCall(VecSet(b, 1));
    PetscCall(VecNorm(b, NORM_2, &full));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(MatResidual(check, b, x, rest));
    PetscCall(VecNorm(rest, NORM_2, &norm));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %" PetscInt_FMT " %.6e\n", r->name, its,
                          (double)(norm / full)));
    (void)dof;
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    return VecDestroy(&rest);
}

int main(int argc, char **argv)
{
    PetscInt  n = 33, dof = 1;
    PetscBool coo = PETSC_FALSE, hard = PETSC_FALSE, some = PETSC_FALSE;
    char      only[256];
    Mat       A, check;
    DM        da;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-dof", &dof, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-coo", &coo, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-hard", &hard, NULL));
    PetscCall(
        PetscOptionsGetString(NULL, NULL, "-rows", only + 1, sizeof only - 2, &some));
    PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                           DMDA_STENCIL_STAR, n, n, PETSC_DECIDE, PETSC_DECIDE, dof, 1,
                           NULL, NULL, &da));
    PetscCall(DMSetUp(da));
    PetscCall(assemble(da, dof, n, coo, hard, &A));
    PetscCall(assemble(da, dof, n, PETSC_FALSE, PETSC_TRUE, &check));
    only[0] = ',';
    if (some) PetscCall(PetscStrlcat(only, ",", sizeof only));
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char name[32], *found = NULL;

        PetscCall(PetscSNPrintf(name, sizeof name, ",%s,", rows[k].name));
        if (some) PetscCall(PetscStrstr(only, name, &found));
        if (!some || found) PetscCall(solve(&rows[k], da, dof, A, check));
    }
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&check));
    PetscCall(DMDestroy(&da));
    PetscCall(PetscFinalize());
    return 0;
}
