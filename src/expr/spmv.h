// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// y(i) += A(i,j)*x(j) the reference way: interpreted, level by level, over any layout.
///
/// The contract on bits: y(i) is one accumulator, over the members in order and, within
/// a member, positions in storage order; in a member that does not pad, a new partial
/// sum begins after every 4,096 of the row's stored entries and joins y(i), in order,
/// when it is full or the member ends. Sums are f64; padding computes 0*x.

#ifndef CAIRN_EXPR_SPMV_H
#define CAIRN_EXPR_SPMV_H

#include "tensor/local.h"

/* Long rows are cut here, so that any number of threads may share one later. */
enum { CAIRN_ROW_CUT = 4096 };

typedef struct cairn_spmv cairn_spmv;

/// Prepare: count the rows that are longer than the cut, and divide the rows of every
/// member among @p threads where its levels allow (cairn_layout_row_level()). Threads
/// never share a row, so that they change no bits.
///
/// Local. Destroy with cairn_spmv_destroy().
cairn_status cairn_spmv_create(cairn_env         *env,
                               const cairn_local *tensor,
                               int                threads,
                               cairn_spmv       **spmv);

void cairn_spmv_destroy(cairn_spmv **spmv);

/// Add one member's product to y.
///
/// Local. Members must be run in order, the first on y = 0.
///
/// @param[in]     x  x[j - x_first] is the entry of column j.
/// @param[in,out] y  y[i - box.lo] of the tensor's rows.
cairn_status cairn_spmv_run(cairn_spmv   *spmv,
                            int           member,
                            const double *x,
                            cairn_coord   x_first,
                            double       *y);

#endif
