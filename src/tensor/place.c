// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lengths of a part's arrays, and their places in the group's block.

#include "tensor/local.h"

enum { ALIGN = 64 };

/* Lengths beyond this are this: no machine has the memory, and sums of a part's arrays
 * stay within 64 bits. */
#define TOO_MANY ((int64_t)1 << 56)

static int64_t product(int64_t a, int64_t b)
{
    const __int128 n = (__int128)a * b;

    return n < TOO_MANY ? (int64_t)n : TOO_MANY;
}

/// Positions of the complete levels in @p mask.
static int64_t combinations(const cairn_layout *layout, uint32_t mask)
{
    int64_t n = 1;

    for (int l = layout->partition + 1; l < layout->levels; l++)
        if (mask >> l & 1) n = product(n, layout->level[l].size);
    return n;
}

static uint32_t complete_below(const cairn_layout *layout)
{
    uint32_t mask = 0;

    for (int l = layout->last + 1; l < layout->levels; l++)
        if (!layout->level[l].determined) mask |= 1U << l;
    return mask;
}

/// Parents of level @p l, over which its ptr runs.
static int64_t parents(const cairn_layout *layout, const cairn_pos *nodes, int l)
{
    if (l > layout->first) return nodes[l - 1];
    return combinations(layout, (1U << l) - 1);
}

/// Take @p bytes of the block, aligned; only count when there is none.
static void *take(char *base, int64_t *offset, int64_t bytes, int64_t *sum)
{
    char *at = base ? base + *offset : NULL;

    *offset += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    *sum += bytes;
    return at;
}

static int64_t last_nodes(const cairn_layout *layout, const cairn_pos *nodes)
{
    return layout->last >= 0 ? nodes[layout->last] : 1;
}

static void describe_level(const cairn_layout *layout,
                           const cairn_pos    *nodes,
                           int                 l,
                           cairn_kernel_level *view)
{
    const cairn_level *level = &layout->level[l];

    *view = (cairn_kernel_level){.lo         = level->range.lo,
                                 .size       = level->size,
                                 .nodes      = level->trimmed ? nodes[l] : 0,
                                 .hole       = level->global.hi + 1,
                                 .ptr_bits   = level->has_ptr ? level->ptr_bits : 0,
                                 .idx_bits   = level->has_idx ? level->idx_bits : 0,
                                 .idx_signed = level->has_idx && level->idx_signed,
                                 .kind       = (uint8_t)level->kind};
    if (level->has_ptr) view->ptr_length = parents(layout, nodes, l) + 1;
    if (level->trimmed && level->has_idx) view->idx_length = nodes[l];
    if (level->determined)
        view->idx_length = product(combinations(layout, level->by),
                                   level->per_node ? last_nodes(layout, nodes) : 1);
    view->idx_stride = level->tuple >= 0 ? (int64_t)layout->tuple[level->tuple].size
                                         : view->idx_bits / 8;
}

/// A tuple array and the views of its fields in it.
static void place_tuple(const cairn_layout *layout,
                        int                 number,
                        char               *base,
                        int64_t            *offset,
                        int64_t            *bytes,
                        cairn_kernel_part  *view)
{
    const cairn_tuple *tuple  = &layout->tuple[number];
    const int64_t      length = view->level[tuple->field[0]].idx_length;
    char *at = take(base, offset, product(length, (int64_t)tuple->size), bytes);

    for (int f = 0; f < tuple->fields && at; f++)
        view->level[tuple->field[f]].idx = at + tuple->offset[f];
    if (!tuple->values) return;
    view->val        = at ? at + tuple->value_offset : NULL;
    view->val_block  = tuple->block;
    view->val_stride = (int64_t)tuple->size;
}

void cairn_part_place(const cairn_layout *layout,
                      const cairn_pos    *nodes,
                      char               *base,
                      int64_t            *offset,
                      int64_t            *bytes,
                      cairn_part         *part)
{
    cairn_kernel_part *view = &part->view;

    view->order    = layout->order;
    view->levels   = layout->levels;
    view->first    = layout->first;
    view->last     = layout->last;
    view->bank     = part->where.bank;
    view->val_bits = layout->value_bits;
    view->values   = product(last_nodes(layout, nodes),
                             combinations(layout, complete_below(layout)));
    part->layout   = layout;
    for (int l = 0; l < layout->levels; l++) {
        cairn_kernel_level *level = &view->level[l];

        describe_level(layout, nodes, l, level);
        if (level->ptr_bits)
            level->ptr = take(base, offset,
                              product(level->ptr_length, level->ptr_bits / 8), bytes);
        if (level->idx_bits && layout->level[l].tuple < 0)
            level->idx = take(base, offset,
                              product(level->idx_length, level->idx_bits / 8), bytes);
    }
    for (int t = 0; t < layout->tuples; t++)
        place_tuple(layout, t, base, offset, bytes, view);
    if (layout->value_tuple >= 0) return;
    view->val_block  = 1;
    view->val_stride = layout->value_bits / 8;
    view->val = take(base, offset, product(view->values, view->val_stride), bytes);
}
