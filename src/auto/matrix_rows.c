// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries and lists of a tensor as rows.

#include "auto/matrix_rows.h"

cairn_matrix_rows cairn_matrix_rows_of_entries(const cairn_entries *entries,
                                               cairn_coord          first,
                                               cairn_coord          end,
                                               cairn_coord          cols)
{
    return (cairn_matrix_rows){.first   = first,
                               .end     = end,
                               .cols    = cols,
                               .n       = entries->n,
                               .entries = entries,
                               .ordered = true};
}

/// Is a level's index dimension @p d and nothing else?
static bool is_dimension(const cairn_level *level, int d)
{
    const cairn_form *form = &level->form;

    return !level->indirect && form->constant == 0 && form->terms == 1
           && form->term[0].atom == d && form->term[0].factor == 1;
}

/// A dense level of rows over lists of columns, whose values stand beside them.
static bool is_compressed_rows(const cairn_layout *layout)
{
    const cairn_level *row = &layout->level[0], *col = &layout->level[1];

    return layout->levels == 2 && layout->order == 2 && layout->partition < 0
           && is_dimension(row, 0) && row->kind == CAIRN_LEVEL_DENSE
           && !row->arrays.has_idx && is_dimension(col, 1)
           && col->kind == CAIRN_LEVEL_COMPRESSED && col->arrays.has_ptr
           && col->arrays.has_idx && layout->packs.count == 0;
}

bool cairn_matrix_rows_of_local(const cairn_local *local, cairn_matrix_rows *rows)
{
    const cairn_group *group = &local->group[0];
    const cairn_part  *part  = &local->part[0];

    if (local->groups != 1 || local->parts != 1 || !is_compressed_rows(group->layout))
        return false;
    *rows = (cairn_matrix_rows){.first   = local->box[0].lo,
                                .end     = local->box[0].hi + 1,
                                .cols    = local->shape.extent[1],
                                .n       = part->view.level[1].nodes,
                                .lists   = &part->view.level[1],
                                .values  = &part->view,
                                .ordered = cairn_group_is_ordered(group)};
    return part->view.val_block == 1;
}

/// The first entry of row @p row or of one behind it.
static cairn_pos find_row(const cairn_entries *entries, cairn_coord row)
{
    cairn_pos lo = 0, hi = entries->n;

    while (lo < hi) {
        const cairn_pos mid = lo + (hi - lo) / 2;

        if (entries->coord[0][mid] < row)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

cairn_pos cairn_matrix_row_begin(const cairn_matrix_rows *rows, cairn_coord row)
{
    if (rows->entries) return find_row(rows->entries, row);
    if (row <= rows->first) return 0;
    return row >= rows->end ? rows->n : cairn_matrix_ptr(rows, row - rows->first);
}

cairn_coord cairn_matrix_row_of(const cairn_matrix_rows *rows, cairn_pos k)
{
    int64_t lo = 0, hi = rows->end - rows->first;

    if (rows->entries) return rows->entries->coord[0][k];
    while (lo < hi) { /* the first list that ends behind the entry */
        const int64_t mid = lo + (hi - lo) / 2;

        if (cairn_matrix_ptr(rows, mid + 1) <= k)
            lo = mid + 1;
        else
            hi = mid;
    }
    return rows->first + lo;
}
