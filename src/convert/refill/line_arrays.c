// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Compressed lines: entries taken, columns that have any.

#include "convert/refill/line_arrays.h"

#include "tensor/statistics.h"

enum { MARKS = 8 }; ///< Columns an entry, up to which each is marked.

cairn_status
cairn_lines_take(cairn_env *env, const cairn_line_arrays *a, cairn_entries *entries)
{
    CAIRN_TRY(cairn_entries_reserve(env, entries, cairn_lines_entries(a)));
    for (int64_t i = 0; i < cairn_lines_count(a); i++)
        for (int64_t k = cairn_lines_ptr(a, i); k < cairn_lines_ptr(a, i + 1); k++) {
            cairn_coord  d[2];
            const double v = !a->val                 ? 1
                             : a->dtype == CAIRN_F32 ? ((const float *)a->val)[k]
                                                     : ((const double *)a->val)[k];

            cairn_lines_coord(a, i, k, d);
            CAIRN_TRY(cairn_entries_add(env, entries, d, v));
        }
    return cairn_entries_sort(env, entries);
}

/* ---- columns ---- */

/// Columns that have entries, of arrays by columns.
static cairn_status list_columns(const cairn_line_arrays *a, cairn_local *local)
{
    const int64_t lines = cairn_lines_count(a);

    CAIRN_TRY(CAIRN_NEW(local->env, lines, &local->pattern.column));
    for (int64_t j = 0; j < lines; j++)
        if (cairn_lines_ptr(a, j) < cairn_lines_ptr(a, j + 1))
            local->pattern.column[local->pattern.columns++] = j;
    return CAIRN_OK;
}

/// Columns that have entries, ascending, by a mark for each column of the matrix.
static cairn_status mark_columns(const cairn_line_arrays *a, cairn_local *local)
{
    const int64_t n      = cairn_lines_entries(a);
    const int64_t extent = local->shape.extent[1];
    uint8_t      *mark;

    CAIRN_TRY(CAIRN_NEW_ZERO(local->env, extent, &mark));
    if (a->idx_bits == 32)
        for (int64_t k = 0; k < n; k++)
            mark[((const uint32_t *)a->idx)[k]] = 1;
    else
        for (int64_t k = 0; k < n; k++)
            mark[((const uint64_t *)a->idx)[k]] = 1;
    for (int64_t j = 0; j < extent; j++)
        if (mark[j]) local->pattern.column[local->pattern.columns++] = j;
    cairn_free(local->env, mark);
    return CAIRN_OK;
}

/// Likewise of arrays by rows.
static cairn_status find_columns(const cairn_line_arrays *a, cairn_local *local)
{
    const int64_t n = cairn_lines_entries(a), extent = local->shape.extent[1];
    const bool    marks = extent / MARKS <= n;

    CAIRN_TRY(CAIRN_NEW(local->env, marks && extent < n ? extent : n,
                        &local->pattern.column));
    if (marks) {
        CAIRN_TRY(mark_columns(a, local));
    } else {
        for (int64_t k = 0; k < n; k++)
            local->pattern.column[k] = cairn_lines_idx(a, k);
        if (n > 0) local->pattern.columns = cairn_distinct(local->pattern.column, n);
    }
    return CAIRN_OK;
}

cairn_status cairn_lines_keep_columns(const cairn_line_arrays *a, cairn_local *local)
{
    local->pattern.kept = true;
    CAIRN_TRY(a->by_columns ? list_columns(a, local) : find_columns(a, local));
    return cairn_realloc(local->env, local->pattern.columns,
                         sizeof *local->pattern.column,
                         (void **)&local->pattern.column);
}
