// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Columns of a share by numbers of its own: one array of indices is replaced.

#include "rows/row_share_columns.h"

/// Is it the same combination of levels, without divisions, that gives every coordinate? No
/// level but @p l may be determined by others.
static bool is_plain(const cairn_layout *layout, int l)
{
    bool plain = layout->order == 2 && layout->inverse.exact
                 && layout->inverse.check == 0 && layout->partition < 0;

    for (int k = 0; k < layout->levels; k++)
        plain = plain && layout->level[k].sized && !layout->level[k].gaps
                && (k == l || !layout->level[k].determined.on);
    return plain;
}

static bool names_level(const cairn_linear *linear, int l)
{
    for (int t = 0; t < linear->terms; t++)
        if (linear->var[t] == l) return true;
    return false;
}

/// The term with the largest factor; -1: none.
static int largest_term(const cairn_linear *linear)
{
    int largest = -1;

    for (int t = 0; t < linear->terms; t++)
        if (largest < 0 || linear->num[t] > linear->num[largest]) largest = t;
    return largest;
}

/// Do the other terms stay in 0..width-1?
static bool stay_inside(const cairn_layout *layout, int but, int64_t width)
{
    const cairn_linear *column = &layout->inverse.dim[1];
    int64_t             most   = 0;

    for (int t = 0; t < column->terms; t++) {
        if (t == but) continue;
        if (column->var[t] >= layout->levels || column->num[t] < 0) return false;
        const cairn_interval range = layout->level[column->var[t]].global;

        if (range.lo < 0 || range.hi > INT32_MAX || column->num[t] > INT32_MAX)
            return false;
        most += column->num[t] * range.hi;
    }
    return most < width;
}

cairn_column_groups cairn_column_groups_of(const cairn_layout *layout)
{
    const cairn_column_groups none   = {.level = -1};
    const cairn_linear       *column = &layout->inverse.dim[1];

    if (column->den != 1 || column->constant != 0) return none;
    const int term = largest_term(column);

    if (term < 0 || column->var[term] >= layout->levels || column->num[term] < 1)
        return none;
    const int          l     = column->var[term];
    const cairn_level *level = &layout->level[l];

    if (!is_plain(layout, l) || !(level->trimmed || level->determined.on)
        || !level->arrays.has_idx || level->indirect || level->arrays.tuple >= 0
        || names_level(&layout->inverse.dim[0], l)
        || !stay_inside(layout, term, column->num[term]))
        return none;
    return (cairn_column_groups){.level = l, .width = column->num[term]};
}

int64_t cairn_row_share_column_bytes(const cairn_row_share     *share,
                                     const cairn_column_groups *groups)
{
    const cairn_kernel_level *level = &share->local->part[0].view.level[groups->level];

    return level->idx_length * (level->idx_bits / 8);
}

/// The place of @p group in the list; -1: it is not there.
static int64_t place_of(const int64_t *list, int64_t n, int64_t group)
{
    int64_t lo = 0, hi = n;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (list[mid] < group)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && list[lo] == group ? lo : -1;
}

cairn_status cairn_row_share_number_columns(cairn_row_share           *share,
                                            const cairn_column_groups *groups,
                                            const int64_t             *list,
                                            int64_t                    n,
                                            int64_t                    from)
{
    cairn_env          *env   = share->tensor->env;
    cairn_local        *local = share->local;
    cairn_group        *group = &local->group[0];
    cairn_kernel_level *level = &local->part[0].view.level[groups->level];
    const int64_t       end   = local->shape.extent[1],
                  last        = n > 0 ? (list[n - 1] + 1) * groups->width : 0;
    void *idx;

    CAIRN_TRY(cairn_alloc(env, level->idx_length, (size_t)level->idx_bits / 8, &idx));
    group->other[group->apart++] = idx;
    for (cairn_pos k = 0; k < level->idx_length; k++) {
        const int64_t number = cairn_row_share_group_at(share, groups, k),
                      place  = place_of(list, n, number);

        cairn_store_int(idx, k, level->idx_bits / 8, level->idx_bits,
                        cairn_row_share_is_hole(share, groups, number) ? number
                        : place < 0                                    ? 0
                                                                       : from + place);
    }
    share->bytes += cairn_row_share_column_bytes(share, groups);
    level->idx        = idx;
    level->idx_stride = level->idx_bits / 8;
    local->box[1]     = (cairn_interval){0, (from + n) * groups->width - 1
                                                - (last > end ? last - end : 0)};
    return CAIRN_OK;
}
