// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The options of a matrix, each named once: for PETSc's -help as for what is read.

#include "shadow.h"

/// The options, by a prefix that was said before. Each keeps what it was where nothing says
/// otherwise.
static PetscErrorCode read_options(PetscOptionItems *PetscOptionsObject, settings *set)
{
    static const char *const ranks[] = {"blocks", "whole", "auto"};

    PetscCall(PetscOptionsString("-mat_cairn_format", "Format, or auto", NULL,
                                 set->format, set->format, sizeof set->format, NULL));
    PetscCall(PetscOptionsString("-mat_cairn_place", "Devices, as cairn run --place",
                                 NULL, set->place, set->place, sizeof set->place,
                                 NULL));
    PetscCall(PetscOptionsInt("-mat_cairn_expected", "Products that will come", NULL,
                              set->expected, &set->expected, NULL));
    PetscCall(PetscOptionsEList("-mat_cairn_ranks", "What has a copy on several ranks",
                                NULL, ranks, 3, ranks[set->ranks], &set->ranks, NULL));
    PetscCall(PetscOptionsBool("-mat_cairn_strict", "Having no copy is an error", NULL,
                               set->strict, &set->strict, NULL));
    PetscCall(PetscOptionsBool("-mat_cairn_view", "Say what was chosen, and why", NULL,
                               set->view, &set->view, NULL));
    return 0;
}

/// Options without a prefix hold for matrices that have a prefix, too: a program may choose
/// prefixes anew in every run (FEniCSx does), and no option of a user can begin with those.
PetscErrorCode shadow_settings(Mat A, settings *set)
{
    const char *prefix[2] = {NULL, NULL};

    if (set->read) return 0;
    PetscCall(PetscStrncpy(set->format, "auto", sizeof set->format));
    set->expected = 1000;
    PetscCall(MatGetOptionsPrefix(A, &prefix[1]));
    for (int k = 0; k < (prefix[1] ? 2 : 1); k++) {
        PetscOptionsBegin(PetscObjectComm((PetscObject)A), prefix[k], "Cairn", "Mat");
        PetscOptionsObject->options = ((PetscObject)A)->options;
        PetscCall(read_options(PetscOptionsObject, set));
        PetscOptionsEnd();
    }
    set->read = PETSC_TRUE;
    return 0;
}
