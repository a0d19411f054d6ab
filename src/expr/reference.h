// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products the reference way: interpreted, level by level, over any layout.
///
///     Y(i,k) += alpha*A(i,j)*X(j,k)      and transposed:  Y(j,k) += alpha*A(i,j)*X(i,k)
///
/// The contract on bits: Y(i,k) is one f64 accumulator, which members join in order, each
/// with its sum of the row. That begins at 0, and is over positions in storage order; in a
/// member that does not pad, a new partial sum begins after every 4,096 of the row's stored
/// entries and joins the member's sum, in order, when it is full or the member ends. A term
/// is (alpha*a)*x. Padding computes 0*x. Columns do not meet: each has the bits of its own
/// product with a vector. Here terms are added straight to a Y that is given, so that every
/// member but the first is given one that is 0, and who gives it adds that to Y (a piece
/// does, plan/subproduct.h).
///
/// Transposed, a member's sum of Y(j,k) is over positions in storage order, never cut, since
/// one thread makes it.

#ifndef CAIRN_EXPR_REFERENCE_H
#define CAIRN_EXPR_REFERENCE_H

#include "tensor/local.h"

/* Long rows are cut here, so that any number of threads may share one. */
enum { CAIRN_ROW_CUT = 4096 };

/// What is to be computed.
typedef struct cairn_reference_op {
    cairn_pos columns; ///< Of X and Y, at least 1.
    bool      transposed;
    double    alpha;
} cairn_reference_op;

typedef struct cairn_reference cairn_reference;

/// Prepare: count the rows that are longer than the cut, and divide the rows of every
/// member among @p threads where its levels allow (cairn_layout_row_level()). Threads
/// never share a row of Y, so that they change no bits; a transposed product has one.
///
/// Local. Destroy with cairn_reference_destroy().
cairn_status cairn_reference_create(cairn_env                *env,
                                    const cairn_local        *tensor,
                                    const cairn_reference_op *op,
                                    int                       threads,
                                    cairn_reference         **reference);

void cairn_reference_destroy(cairn_reference **reference);

/// Add one member's product to Y. Allocates nothing.
///
/// Local.
///
/// @param[in]     x  Of the tensor's element type, row-major: X(j,c) is x[j*columns + c]
///                   for a global j; transposed X(i,c) is x[(i - box.lo)*columns + c] of
///                   the tensor's rows.
/// @param[in,out] y  Likewise: rows of the tensor, transposed global columns. Always
///                   f64: the type that sums are made in.
cairn_status
cairn_reference_run(cairn_reference *reference, int member, const void *x, double *y);

#endif
