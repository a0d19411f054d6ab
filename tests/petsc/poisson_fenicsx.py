# SPDX-License-Identifier: BSD-3-Clause
"""Poisson's problem by FEniCSx, which knows nothing of Cairn: iterations, norm of u. On four
ranks no two runs of AIJ's take the same steps, and by the usual tolerance they differ in the
fifth digit, so this one is 1e-10."""
import numpy as np
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from petsc4py import PETSc

domain = mesh.create_unit_square(MPI.COMM_WORLD, 48, 48)
V = fem.FunctionSpace(domain, ("CG", 2))
facets = mesh.locate_entities_boundary(domain, 1, lambda x: np.isclose(x[0], 0) | np.isclose(x[0], 1))
held = fem.dirichletbc(PETSc.ScalarType(0), fem.locate_dofs_topological(V, 1, facets), V)
u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
x = ufl.SpatialCoordinate(domain)
a = ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx
f = 10 * ufl.exp(-((x[0] - 0.5) ** 2 + (x[1] - 0.5) ** 2) / 0.02)
problem = fem.petsc.LinearProblem(a, ufl.inner(f, v) * ufl.dx, bcs=[held],
                                  petsc_options={"ksp_type": "cg", "pc_type": "gamg", "ksp_rtol": 1e-10})
solution = problem.solve()
PETSc.Sys.Print(f"{problem.solver.getIterationNumber()} iterations, norm {solution.vector.norm():.6e}")
