// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Positions by rows: where a stretch of rows lies in the level by which a product is
/// divided.

#include "share/share_rows.h"

#include "tensor/local.h"

/// Is the query's number of a row, at the first row of each of its windows, that row? So it
/// is where rows are put in order inside windows of consecutive rows, for places run on
/// over all windows.
static bool keeps_windows(const cairn_encoding *encoding, int number)
{
    const cairn_query *q = &encoding->query[number];

    if (q->func != CAIRN_QUERY_REORDER || q->arg < 0 || q->group_by.count != 1)
        return false;
    const cairn_map  *groups = &encoding->query[q->arg].group_by;
    const cairn_expr *window = q->group_by.expr[0];

    return groups->count == 1 && groups->expr[0]->op == CAIRN_EXPR_DIM
           && groups->expr[0]->value == 0 && window->op == CAIRN_EXPR_DIV
           && window->a->op == CAIRN_EXPR_DIM && window->a->value == 0;
}

/// Does a form ascend with the rows from one multiple of the encoding's grain to the next?
static bool ascends(const cairn_layout *layout, const cairn_form *form)
{
    if (form->terms != 1 || form->term[0].factor < 0) return false;
    const cairn_atom *atom = &layout->algebra->atom[form->term[0].atom];

    switch (atom->kind) {
    case CAIRN_ATOM_DIM: return atom->number == 0;
    case CAIRN_ATOM_QUERY: return keeps_windows(layout->encoding, atom->number);
    case CAIRN_ATOM_DIV: return ascends(layout, &atom->form);
    case CAIRN_ATOM_MOD: break;
    }
    return false;
}

int64_t cairn_share_row_grain(const cairn_share *division, const cairn_layout *layout)
{
    const cairn_level *level   = &layout->level[division->level];
    const bool         by_rows = division->kind == CAIRN_SHARE_ROWS;
    int64_t            grain;

    if (layout->partition >= 0 || division->kind == CAIRN_SHARE_NONE
        || division->kind == CAIRN_SHARE_SCATTER
        || (!by_rows && !ascends(layout, &level->form)))
        return 0;
    /* A multiple of this many rows is one of `grain` positions, whatever c is in d0/c. */
    return __builtin_mul_overflow(cairn_encoding_grain(layout->encoding),
                                  !by_rows && level->trimmed ? 1 : division->grain,
                                  &grain)
               ? 0
               : grain;
}

/// First node of the top level, whose idx ascends, with an index of at least @p bound.
static int64_t first_node(const cairn_kernel_level *level, int64_t bound)
{
    int64_t lo = 0, hi = level->nodes;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (cairn_load_int(level->idx, mid, level->idx_stride, level->idx_bits,
                           level->idx_signed)
            < bound)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int64_t cairn_share_row_position(const cairn_share       *division,
                                 const cairn_layout      *layout,
                                 const cairn_kernel_part *part,
                                 int64_t                  row)
{
    if (division->kind == CAIRN_SHARE_ROWS) return row - layout->box[0].lo;
    const cairn_level        *info                  = &layout->level[division->level];
    const cairn_kernel_level *level                 = &part->level[division->level];
    const int64_t             dims[CAIRN_MAX_ORDER] = {row};
    int64_t                   queries[CAIRN_MAX_QUERIES] = {0};

    for (int q = 0; q < CAIRN_MAX_QUERIES; q++)
        queries[q] = row;
    if (row > layout->box[0].hi) return info->trimmed ? level->nodes : level->size;
    const int64_t value = cairn_form_value(layout->algebra, &info->form, dims, queries);

    return info->trimmed ? first_node(level, value) : value - level->lo;
}
