// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The product of a matrix of several ranks by one copy of all its rows, with Cairn's own
/// messages, beside the way of shadow.h, by which each rank's diagonal block has a copy and
/// PETSc's scatter and AIJ do the rest. The copy is made of the two blocks that each rank
/// has (cairn_tensor_from_blocks()), which stay where they lie. All is collective, and all
/// ranks decide the same: by statuses and times that they agree on, when the copy is made,
/// when it is tried, and when all bring new values. No product besides has a message but
/// those of its plan. What the copy has is in the `shadow` of the matrix; those of its
/// blocks are the other way's.

#ifndef CAIRN_PETSC_WHOLE_H
#define CAIRN_PETSC_WHOLE_H

#include "shadow.h"

/// y = op(A) x, or y = add + op(A) x, the way that is faster.
///
/// Collective.
///
/// @param[in] op   Of a product with vectors.
/// @param[in] add  May be y; NULL: nothing is added.
PetscErrorCode whole_product(Mat A, int op, Vec x, Vec add, Vec y);

/// Without its copy and plans.
///
/// Collective.
PetscErrorCode whole_drop(Mat A, shadow *s);

/// A rank's two blocks as AIJ has them, for as long as their values are borrowed.
typedef struct {
    Mat                mat[2]; ///< Own columns, others.
    const PetscScalar *values[2];
    cairn_csr          rows[2];
    cairn_column_map   map;
} blocks;

PetscErrorCode whole_borrow(Mat A, blocks *b);
PetscErrorCode whole_restore(blocks *b);

/// The state of the matrix, which is that of all ranks, since its functions that change
/// values are collective; and that of this rank's blocks.
PetscErrorCode whole_states(Mat A, PetscObjectState *all, PetscObjectState *mine);

/// y = op(A) x, or y += op(A) x, by a plan of all ranks, of which this one may lack new
/// values that no other has heard of. It takes part all the same: others wait for what it
/// sends, and for nothing else, for a product is no meeting of all ranks. What would reach
/// them of its old values is NaN.
///
/// Collective.
///
/// @param[in]  op      Of a product with vectors.
/// @param[in]  mine    Of this rank's new values.
/// @param[out] status  Of this rank alone: @p mine, unless that is CAIRN_OK, else what
///                     cairn_plan_run() returned. After a failure y is undefined.
PetscErrorCode whole_run(Mat           A,
                         cairn_plan   *plan,
                         int           op,
                         Vec           x,
                         Vec           y,
                         cairn_status  mine,
                         cairn_status *status);

/// Do a plan's vectors lie on the ranks as A's do?
///
/// Collective.
PetscErrorCode whole_fits(Mat A, int op, const cairn_plan *plan, PetscBool *fits_all);

#endif
