// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Partial sums of long rows.

#include "expr/long_rows.h"

#include "expr/reference.h"

#include <string.h>

cairn_status cairn_long_rows_init(cairn_env       *env,
                                  const cairn_pos *entries,
                                  cairn_pos        rows,
                                  cairn_pos        columns,
                                  cairn_long_rows *long_rows)
{
    int32_t n = 0;

    for (cairn_pos i = 0; i < rows; i++)
        n += entries[i] > CAIRN_ROW_CUT;
    if (n == 0) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(env, rows, &long_rows->number));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, n, &long_rows->seen));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, n * columns, &long_rows->sum));
    long_rows->rows    = rows;
    long_rows->columns = columns;
    for (cairn_pos i = 0; i < rows; i++)
        long_rows->number[i] = entries[i] > CAIRN_ROW_CUT ? long_rows->count++ : -1;
    return CAIRN_OK;
}

void cairn_long_rows_fini(cairn_env *env, cairn_long_rows *long_rows)
{
    cairn_free(env, long_rows->number);
    cairn_free(env, long_rows->seen);
    cairn_free(env, long_rows->sum);
    *long_rows = (cairn_long_rows){0};
}

void cairn_long_rows_add(cairn_long_rows *long_rows,
                         int32_t          number,
                         double           a,
                         const double    *x,
                         double          *y)
{
    const cairn_pos columns = long_rows->columns;
    double *const   sum     = long_rows->sum + number * columns;
    cairn_pos      *seen    = &long_rows->seen[number];
    double *const   into    = *seen < CAIRN_ROW_CUT ? y : sum;

    for (cairn_pos c = 0; c < columns; c++)
        into[c] += a * x[c];
    if (++*seen % CAIRN_ROW_CUT != 0) return;
    for (cairn_pos c = 0; c<columns && * seen> CAIRN_ROW_CUT; c++)
        y[c] += sum[c];
    memset(sum, 0, (size_t)columns * sizeof *sum);
}

void cairn_long_rows_join(cairn_long_rows *long_rows, double *y)
{
    const cairn_pos columns = long_rows->columns;

    for (cairn_pos i = 0; i < long_rows->rows; i++) {
        const int32_t number = long_rows->number[i];

        if (number < 0) continue;
        double *const   sum  = long_rows->sum + number * columns;
        const cairn_pos seen = long_rows->seen[number];
        const bool      open = seen > CAIRN_ROW_CUT && seen % CAIRN_ROW_CUT != 0;

        for (cairn_pos c = 0; c < columns && open; c++)
            y[i * columns + c] += sum[c];
        memset(sum, 0, (size_t)columns * sizeof *sum);
        long_rows->seen[number] = 0;
    }
}
