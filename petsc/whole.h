// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The product of a matrix of several ranks by one copy of all its rows, with Cairn's own
/// messages, beside the way of shadow.h, by which each rank's diagonal block has a copy and
/// PETSc's scatter and AIJ do the rest. The copy is made of the two blocks that each rank
/// has (cairn_tensor_from_blocks()), which stay where they lie. All is collective, and all
/// ranks decide the same: by statuses and times that they agree on. What the copy has is in
/// the `shadow` of the matrix; those of its blocks are the other way's.

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

/// y = op(A) x, or y += op(A) x, by a plan of all ranks, one of which may lack new values:
/// what became of them goes round while the ranks multiply. So a product is a meeting of all
/// ranks: none leaves it before the last has come.
///
/// Collective.
///
/// @param[in]  op      Of a product with vectors.
/// @param[in]  mine    Of this rank's new values.
/// @param[out] status  Where some rank lacks new values the same on all, with its message in
///                     @p context; else what cairn_plan_run() returned.
PetscErrorCode whole_run(Mat            A,
                         cairn_context *context,
                         cairn_plan    *plan,
                         int            op,
                         Vec            x,
                         Vec            y,
                         cairn_status   mine,
                         cairn_status  *status);

/// Do a plan's vectors lie on the ranks as A's do?
///
/// Collective.
PetscErrorCode whole_fits(Mat A, int op, const cairn_plan *plan, PetscBool *fits_all);

#endif
