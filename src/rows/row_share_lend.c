// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Shares whose arrays are stretches of the member's. The first level follows the rows,
/// so that everything below its nodes in these rows lies together; from there each level
/// says where the stretch goes on.

#include "convert/build_steps.h"
#include "rows/row_share_steps.h"
#include "tensor/stretch.h"
#include "tensor/walk.h"

/// Positions of the tree below one level.
typedef struct {
    cairn_pos begin, end;
} stretch;

/// Range of the first level's index over rows lo..hi.
static cairn_status first_level_range(const cairn_row_share *share,
                                      int64_t                lo,
                                      int64_t                hi,
                                      cairn_interval        *r)
{
    const cairn_layout *layout = cairn_row_share_group(share)->layout;
    cairn_interval      box[CAIRN_MAX_ORDER];

    for (int k = 0; k < layout->order; k++)
        box[k] = layout->box[k];
    box[0] = (cairn_interval){lo, hi};
    return cairn_form_range(layout->algebra, &layout->level[0].form, box, NULL, r);
}

/// Do other rows of the tensor have other indices at the first level?
static cairn_status first_level_divides(const cairn_row_share *share, bool *divides)
{
    const cairn_interval all = share->tensor->box[0], rows = share->rows;
    cairn_interval       before, own, after;

    CAIRN_TRY(first_level_range(share, all.lo, rows.lo - 1, &before));
    CAIRN_TRY(first_level_range(share, rows.lo, rows.hi, &own));
    CAIRN_TRY(first_level_range(share, rows.hi + 1, all.hi, &after));
    *divides = (before.lo > before.hi || before.hi < own.lo)
               && (after.lo > after.hi || after.lo > own.hi);
    return CAIRN_OK;
}

cairn_status cairn_row_share_is_stretch(const cairn_row_share *share, bool *is)
{
    const cairn_layout *whole = cairn_row_share_group(share)->layout;
    const cairn_layout *own   = share->local->group[0].layout;
    const bool          same  = share->rows.lo <= share->rows.hi && whole->partition < 0
                      && cairn_layout_row_level(whole) == 0
                      && cairn_layout_stores_alike(whole, own);

    *is = same;
    return same ? first_level_divides(share, is) : CAIRN_OK;
}

static int64_t load_ptr(const cairn_kernel_level *level, cairn_pos p)
{
    return cairn_load_int(level->ptr, p, level->ptr_bits / 8, level->ptr_bits, false);
}

/// First node of the top level, whose idx ascends, with an index of at least @p bound.
static cairn_pos first_node(const cairn_kernel_level *level, int64_t bound)
{
    cairn_pos lo = 0, hi = level->nodes;

    while (lo < hi) {
        const cairn_pos mid = lo + (hi - lo) / 2;

        if (cairn_load_int(level->idx, mid, level->idx_stride, level->idx_bits,
                           level->idx_signed)
            < bound)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/// From the stretch of the level above to that of level @p l; @p first is the range of the
/// first level.
static stretch step(const cairn_layout      *layout,
                    const cairn_kernel_part *from,
                    cairn_interval           first,
                    int                      l,
                    stretch                  s)
{
    const cairn_kernel_level *level = &from->level[l];
    const cairn_level        *info  = &layout->level[l];

    if (info->trimmed && info->top)
        return (stretch){first_node(level, first.lo), first_node(level, first.hi + 1)};
    if (info->trimmed && level->ptr)
        return (stretch){load_ptr(level, s.begin), load_ptr(level, s.end)};
    if (info->trimmed || info->determined.on) return s;
    if (l == 0) return (stretch){first.lo - level->lo, first.hi + 1 - level->lo};
    return (stretch){s.begin * level->size, s.end * level->size};
}

/// Where the indices of a determined level that depend on no node begin.
static cairn_pos
first_combination(const cairn_layout *own, const cairn_kernel_part *from, int l)
{
    cairn_pos first = own->level[0].range.lo - from->level[0].lo;

    if (!(own->level[l].determined.by & 1)) return 0;
    for (int k = 1; k < l; k++)
        if (own->level[l].determined.by >> k & 1) first *= own->level[k].size;
    return first;
}

static void
lend_idx(const cairn_kernel_level *from, cairn_pos first, cairn_kernel_level *to)
{
    if (to->idx_bits) to->idx = (const char *)from->idx + first * from->idx_stride;
}

/// Bytes that a ptr takes in the share's block, so that the next one is aligned.
static int64_t ptr_bytes(const cairn_kernel_level *level)
{
    const int64_t bytes = level->ptr_length * (level->ptr_bits / 8);

    return (bytes + 7) / 8 * 8;
}

/// A ptr over the parents @p above, from 0 again.
static void copy_ptr(const cairn_kernel_level *from,
                     stretch                   above,
                     char                     *at,
                     cairn_kernel_level       *to)
{
    const int64_t first = load_ptr(from, above.begin);

    for (cairn_pos p = 0; p < to->ptr_length; p++)
        cairn_store_int(at, p, to->ptr_bits / 8, to->ptr_bits,
                        load_ptr(from, above.begin + p) - first);
    to->ptr = at;
}

/// Stretches of all levels; at[0] is above the first.
static void find_stretches(const cairn_row_share *share, stretch *at)
{
    const cairn_layout *own = share->local->group[0].layout;

    at[0] = (stretch){0, 1};
    for (int l = 0; l < own->levels; l++)
        at[l + 1] = step(own, &cairn_row_share_part(share, 0)->view,
                         own->level[0].range, l, at[l]);
}

static void lend_arrays(const cairn_row_share *share, const stretch *at, char *block)
{
    const cairn_layout      *own  = share->local->group[0].layout;
    const cairn_kernel_part *from = &cairn_row_share_part(share, 0)->view;
    cairn_kernel_part       *to   = &share->local->part[0].view;

    for (int l = 0; l < own->levels; l++) {
        const cairn_level *info  = &own->level[l];
        const bool         nodes = info->trimmed || info->determined.per_node;

        if (to->level[l].ptr_bits)
            copy_ptr(&from->level[l], at[l], block, &to->level[l]);
        block += ptr_bytes(&to->level[l]);
        lend_idx(&from->level[l],
                 nodes ? at[l + 1].begin : first_combination(own, from, l),
                 &to->level[l]);
    }
    /* Blocks of tuples are empty where an extent is 0. */
    if (to->values > 0) to->val = cairn_value_at(from, at[own->levels].begin);
    to->dictionary = from->dictionary;
}

/// Has every value an entry? Not where zeros stand beside them, gaps between them, or where
/// a determined level has holes.
static bool has_entries_alone(const cairn_layout *layout)
{
    bool alone = !layout->pads;

    for (int l = 0; l < layout->levels; l++)
        alone = alone && !layout->level[l].gaps && !layout->level[l].determined.on;
    return alone;
}

/// Entries among the share's values.
static cairn_pos count_entries(const cairn_part *part)
{
    cairn_pos entries = 0;

    if (has_entries_alone(part->layout)) return part->view.values;
    for (cairn_pos v = 0; v < part->view.values; v++)
        entries += cairn_value_get(&part->view, v) != 0;
    return entries;
}

cairn_status cairn_row_share_lend(cairn_row_share *share, int64_t held)
{
    cairn_env          *env                     = share->tensor->env;
    cairn_group        *group                   = &share->local->group[0];
    const cairn_layout *own                     = group->layout;
    cairn_part         *part                    = &share->local->part[0];
    cairn_pos           nodes[CAIRN_MAX_LEVELS] = {0};
    stretch             at[CAIRN_MAX_LEVELS + 1];
    int64_t             offset = 0;

    find_stretches(share, at);
    for (int l = 0; l < own->levels; l++)
        if (own->level[l].trimmed) nodes[l] = at[l + 1].end - at[l + 1].begin;
    cairn_part_place(own, nodes, NULL, &offset, &group->bytes, part);
    for (int l = 0; l < own->levels; l++)
        share->bytes += ptr_bytes(&part->view.level[l]);
    CAIRN_TRY(cairn_check_memory(env, "a share", held + share->bytes));
    CAIRN_TRY(cairn_alloc(env, share->bytes, 1, &group->block));
    lend_arrays(share, at, group->block);
    part->nnz = count_entries(part);
    return CAIRN_OK;
}

bool cairn_row_positions_known(const cairn_local *tensor, int member)
{
    return cairn_layout_ascends_with_rows(tensor->group[member].layout);
}

cairn_pos
cairn_row_positions_before(const cairn_local *tensor, int member, cairn_coord row)
{
    const cairn_group  *group              = &tensor->group[member];
    const cairn_layout *layout             = group->layout;
    const cairn_part   *part               = &tensor->part[group->first];
    const cairn_coord   d[CAIRN_MAX_ORDER] = {row};
    cairn_interval      first              = layout->level[0].range;
    stretch             s                  = {0, 1};

    if (row > tensor->box[0].hi) return part->view.values;
    first.lo = cairn_form_value(layout->algebra, &layout->level[0].form, d, NULL);
    for (int l = 0; l < layout->levels; l++)
        s = step(layout, &part->view, first, l, s);
    return s.begin;
}
