// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The cut of long rows: which rows of a member have more stored entries than
/// CAIRN_ROW_CUT, and the partial sums in which their terms are added. Short rows, nearly
/// all of them, cost one look at a number.

#ifndef CAIRN_EXPR_LONG_ROWS_H
#define CAIRN_EXPR_LONG_ROWS_H

#include "base/env.h"

typedef struct cairn_long_rows {
    cairn_pos  rows, columns;
    int32_t    count;
    int32_t   *number; ///< [rows] of a long row, -1: short; NULL: all are short.
    cairn_pos *seen;   ///< [count] stored entries so far.
    double    *sum;    ///< [count][columns] the partial sums being filled.
} cairn_long_rows;

/// Number the rows of which @p entries, [rows], says more than the cut.
///
/// Local. Release with cairn_long_rows_fini(); @p long_rows is zero before.
cairn_status cairn_long_rows_init(cairn_env       *env,
                                  const cairn_pos *entries,
                                  cairn_pos        rows,
                                  cairn_pos        columns,
                                  cairn_long_rows *long_rows);

void cairn_long_rows_fini(cairn_env *env, cairn_long_rows *long_rows);

/// Add the terms a*x[c] to long row @p number, which is at @p y. The first 4,096 entries
/// go on in y itself. One thread at a time for one row.
void cairn_long_rows_add(cairn_long_rows *long_rows,
                         int32_t          number,
                         double           a,
                         const double    *x,
                         double          *y);

/// The last, unfilled partial sums join @p y, [rows][columns], and all is as in the
/// beginning.
void cairn_long_rows_join(cairn_long_rows *long_rows, double *y);

#endif
