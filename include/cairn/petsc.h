// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// For programs of PETSc that say themselves which matrix Cairn multiplies by. The
/// preconditioner goes on with the program's own matrix, the products are those of a copy in
/// a format of Cairn's:
///
///     cairn_petsc_create_shell(A, "bdia<64>", &S);
///     KSPSetOperators(ksp, S, A);
///
/// A program that is not to be changed has the same by options alone: docs/petsc.md.
///
/// The one function is in the plug-in, libcairnpetsc.so (CMake's component petsc, target
/// cairn::petsc), which serves the minor version of PETSc that it was built for. Not
/// included by cairn.h. docs/examples/petsc_shell.c is a program.

#ifndef CAIRN_PETSC_H
#define CAIRN_PETSC_H

#include <petscmat.h>

/// Make a MATSHELL that multiplies as an AIJ matrix does, by a copy in a format.
///
/// Collective on the communicator of @p aij. Nothing is copied yet: the copy is made at the
/// first product, of all ranks' rows together. When the matrix has new values, however they
/// came there, the next product brings them to their places; when it has a new pattern, the
/// next product makes the copy anew. Products are collective.
///
/// The shell has MatMult(), MatMultTranspose(), both with an addend, and MatGetDiagonal()
/// (of @p aij); MatScale(), MatShift() and other functions of MATSHELL hold for the shell
/// alone. Null spaces that @p aij has now are the shell's, too. Where x or y are divided
/// among ranks otherwise than Cairn divides them, and for matrices without entries, AIJ
/// multiplies; PetscInfo() tells. A duplicate (MatDuplicate()) multiplies by the same copy.
///
/// @param[in]  aij     A matrix of type AIJ of one rank or several, or of a type derived from
///                     it (`aijcairn` needs no shell). The shell keeps a reference. Need be
///                     assembled at the first product only.
/// @param[in]  format  As users write it; "auto" chooses one. NULL: as -mat_cairn_format says
///                     with the prefix of @p aij, which is "auto" where it says nothing. The
///                     same on all ranks. Of the other options -mat_cairn_place, _expected
///                     and _view hold.
/// @param[out] shell   MatDestroy(). Unchanged on failure.
///
/// @return 0, or an error of PETSc's: PETSC_ERR_ARG_NULL, PETSC_ERR_ARG_WRONG (another type;
///         a format that cannot be read), PETSC_ERR_LIB (another PETSc than the plug-in's).
///         A product fails with PETSC_ERR_ORDER (not assembled), PETSC_ERR_MEM or
///         PETSC_ERR_ARG_WRONG (no copy can be had in this format); the next one tries anew.
///         It fails on all ranks without memory for new values that all know of. It fails on
///         one rank alone where its computing fails, or where it alone has new values, in a
///         block that the others do not see, and no memory for them. That rank multiplies
///         with the others all the same; what they would have of it, of a transposed product,
///         is NaN.
PETSC_EXTERN PetscErrorCode cairn_petsc_create_shell(Mat         aij,
                                                     const char *format,
                                                     Mat        *shell);

#endif
