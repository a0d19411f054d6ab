# SPDX-License-Identifier: BSD-3-Clause
"""A matrix of five points by petsc4py, which knows nothing of Cairn: iterations, residual."""
from petsc4py import PETSc

n = 80
A = PETSc.Mat().create()
A.setSizes([n * n, n * n])
A.setFromOptions()
A.setUp()
for row in range(*A.getOwnershipRange()):
    i, j = divmod(row, n)
    A[row, row] = 4.1
    for other, inside in ((row - n, i > 0), (row + n, i < n - 1), (row - 1, j > 0), (row + 1, j < n - 1)):
        if inside:
            A[row, other] = -1
A.assemble()
x, b = A.createVecs()
b.set(1)
ksp = PETSc.KSP().create()
ksp.setOperators(A)
ksp.setType("cg")
ksp.getPC().setType("gamg")
ksp.setFromOptions()
ksp.solve(b, x)
PETSc.Sys.Print(f"{ksp.getIterationNumber()} iterations, norm {x.norm():.6e}")
