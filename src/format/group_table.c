// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The table has a row for every position: the outer forms' values, then the inner ones'.
/// Sorted, groups are runs.

#include "format/group_table.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int      width; ///< Values of a row.
    int64_t  rows;
    int64_t *value; ///< [rows][width]
} table;

static int by_values(const void *a, const void *b, void *user)
{
    const int64_t *x = a, *y = b;

    for (int k = 0; k < ((const table *)user)->width; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

/// Are they sorted as they stand? Where groups follow the first dimension they are, and
/// looking costs much less than sorting.
static bool is_sorted(table *t)
{
    for (int64_t r = 1; r < t->rows; r++)
        if (by_values(t->value + (r - 1) * t->width, t->value + r * t->width, t) > 0)
            return false;
    return true;
}

/// The next position of the box, the last used dimension fastest; false after the last.
static bool next_position(const cairn_algebra  *algebra,
                          const cairn_interval *box,
                          uint32_t              used,
                          int64_t              *at)
{
    for (int k = algebra->order - 1; k >= 0; k--) {
        if (!(used >> k & 1)) continue;
        if (at[k] < box[k].hi) {
            at[k]++;
            return true;
        }
        at[k] = box[k].lo;
    }
    return false;
}

static void count_runs(const table *t, int outer, cairn_group_counts *counts)
{
    int64_t positions = 0, inner = 0;

    for (int64_t r = 0; r < t->rows; r++) {
        const int64_t *row = t->value + r * t->width, *before = row - t->width;
        const size_t   outer_bytes = (size_t)outer * sizeof *row;
        const size_t   all_bytes   = (size_t)t->width * sizeof *row;

        if (r == 0 || memcmp(row, before, outer_bytes) != 0) {
            counts->groups++;
            positions = inner = 0;
        }
        positions++;
        if (positions == 1 || memcmp(row, before, all_bytes) != 0) inner++;
        if (positions > counts->largest) counts->largest = positions;
        if (inner > counts->inner) counts->inner = inner;
    }
}

cairn_status cairn_group_table(cairn_env            *env,
                               const cairn_algebra  *algebra,
                               int                   outer,
                               const cairn_form     *outer_form,
                               int                   inner,
                               const cairn_form     *inner_form,
                               const cairn_interval *box,
                               uint32_t              used,
                               cairn_group_counts   *counts)
{
    table         t         = {.width = outer + inner};
    const int64_t positions = cairn_box_points(box, algebra->order, used);
    int64_t       at[CAIRN_MAX_ORDER];

    *counts = (cairn_group_counts){0, 0, 0};
    if (positions == 0) return CAIRN_OK;
    for (int k = 0; k < algebra->order; k++)
        at[k] = box[k].lo;
    CAIRN_TRY(CAIRN_NEW(env, positions * (t.width + 1), &t.value));
    do {
        int64_t *row = t.value + t.rows++ * t.width;

        for (int f = 0; f < outer; f++)
            row[f] = cairn_form_value(algebra, &outer_form[f], at, NULL);
        for (int f = 0; f < inner; f++)
            row[outer + f] = cairn_form_value(algebra, &inner_form[f], at, NULL);
    } while (next_position(algebra, box, used, at));
    if (t.width > 0 && !is_sorted(&t))
        qsort_r(t.value, (size_t)t.rows, (size_t)t.width * sizeof *t.value, by_values,
                &t);
    count_runs(&t, outer, counts);
    cairn_free(env, t.value);
    return CAIRN_OK;
}
