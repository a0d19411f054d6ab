// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a PETSc program of the tests expects, and whether all of it held.

#ifndef CAIRN_TESTS_PETSC_EXPECT_H
#define CAIRN_TESTS_PETSC_EXPECT_H

#include <petscsys.h>

static int wrong; ///< Something did not hold; the program's exit status.

/// Where @p what does not hold, print a message; the other arguments are PetscPrintf()'s.
#define EXPECT(what, ...)                                                   \
    do {                                                                    \
        if (!(what)) {                                                      \
            PetscCall(PetscPrintf(PETSC_COMM_SELF, "wrong: " __VA_ARGS__)); \
            PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));                  \
            wrong = 1;                                                      \
        }                                                                   \
    } while (0)

#endif
