// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lengths of a part's arrays, and their places in the group's blocks.

#include "tensor/local.h"

#include <assert.h>
#include <string.h>

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
        if (!layout->level[l].determined.on) mask |= 1U << l;
    return mask;
}

/// Parents of level @p l, over which its ptr runs.
static int64_t parents(const cairn_layout *layout, const cairn_pos *nodes, int l)
{
    if (l > layout->first) return nodes[l - 1];
    return combinations(layout, (1U << l) - 1);
}

/// Where arrays go.
typedef struct {
    char                      *base;   ///< The block; NULL: they are only counted.
    int64_t                    offset; ///< In it.
    int64_t                    bytes;  ///< Of all arrays.
    bool                       apart;  ///< Big ones do not go there:
    cairn_env                 *env;    ///< if there is a block, into others
    bool                       zero;   ///< that are zero,
    cairn_group               *group;  ///< of this group;
    cairn_status               status; ///< OK: they were allocated.
    const cairn_shared_arrays *shared; ///< Nor those of another tensor; or NULL.
} room;

/// A block for one array.
static void *take_block(room *r, int64_t bytes)
{
    cairn_group *group = r->group;
    void        *block = NULL;

    if (!r->base || r->status != CAIRN_OK) return NULL;
    r->status = (r->zero ? cairn_alloc_zero : cairn_alloc)(r->env, bytes, 1, &block);
    if (block) group->other[group->apart++] = block;
    return block;
}

/// Take @p bytes of the block, aligned; only count when there is none. @p shared: not NULL:
/// the array is there.
static void *take(room *r, int64_t bytes, const void *shared)
{
    char *at = r->base ? r->base + r->offset : NULL;

    assert(bytes >= 0 && r->offset % ALIGN == 0);
    r->bytes += bytes;
    if (shared && bytes > 0) return (void *)shared;
    if (r->apart && bytes >= (int64_t)CAIRN_POOL_MAPPED) return take_block(r, bytes);
    r->offset += (bytes + ALIGN - 1) / ALIGN * ALIGN;
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

    /* Field by field: copied as a whole, the bytes would be read again before their
       stores are done, at every bank. */
    view->lo         = level->range.lo;
    view->size       = level->size;
    view->nodes      = level->trimmed ? nodes[l] : 0;
    view->ptr        = NULL;
    view->ptr_length = 0;
    view->idx        = NULL;
    view->idx_length = 0;
    view->hole       = level->global.hi + 1;
    view->ptr_bits   = level->arrays.has_ptr ? level->arrays.ptr_bits : 0;
    view->idx_bits   = level->arrays.has_idx ? level->arrays.idx_bits : 0;
    view->idx_signed = level->arrays.has_idx && level->arrays.idx_signed;
    view->kind       = (uint8_t)level->kind;
    if (level->arrays.has_ptr) view->ptr_length = parents(layout, nodes, l) + 1;
    if (level->trimmed && level->arrays.has_idx) view->idx_length = nodes[l];
    if (level->determined.on)
        view->idx_length =
            product(combinations(layout, level->determined.by),
                    level->determined.per_node ? last_nodes(layout, nodes) : 1);
    view->idx_stride = level->arrays.tuple >= 0
                           ? (int64_t)layout->packs.tuple[level->arrays.tuple].size
                           : view->idx_bits / 8;
}

/// A tuple array and the views of its fields in it.
static void
place_tuple(const cairn_layout *layout, int number, room *r, cairn_kernel_part *view)
{
    const cairn_tuple *tuple  = &layout->packs.tuple[number];
    const int64_t      length = view->level[tuple->field[0]].idx_length;
    char *const        at     = take(r, product(length, (int64_t)tuple->size), NULL);

    for (int f = 0; f < tuple->fields && at; f++)
        view->level[tuple->field[f]].idx = at + tuple->offset[f];
    if (!tuple->values) return;
    view->val        = at ? at + tuple->value_offset : NULL;
    view->val_block  = tuple->block;
    view->val_stride = (int64_t)tuple->size;
}

static void
place(const cairn_layout *layout, const cairn_pos *nodes, room *r, cairn_part *part)
{
    const cairn_shared_arrays *shared = r->shared;
    cairn_kernel_part         *view   = &part->view;

    view->size       = (int64_t)sizeof *view;
    view->order      = layout->order;
    view->levels     = layout->levels;
    view->first      = layout->first;
    view->last       = layout->last;
    view->bank       = part->where.bank;
    view->val_bits   = layout->values.bits;
    view->val_kind   = layout->values.kind;
    view->dictionary = NULL; /* the group's, which has one (value_storage.h) */
    view->values     = product(last_nodes(layout, nodes),
                               combinations(layout, complete_below(layout)));
    part->layout     = layout;
    for (int l = 0; l < layout->levels; l++) {
        cairn_kernel_level *level = &view->level[l];

        describe_level(layout, nodes, l, level);
        if (level->ptr_bits)
            level->ptr = take(r, product(level->ptr_length, level->ptr_bits / 8), NULL);
        if (level->idx_bits && layout->level[l].arrays.tuple < 0)
            level->idx = take(r, product(level->idx_length, level->idx_bits / 8),
                              shared ? shared->idx[l] : NULL);
    }
    for (int t = 0; t < layout->packs.count; t++)
        place_tuple(layout, t, r, view);
    if (layout->values.tuple >= 0) return;
    view->val_block = 1;
    view->val_stride =
        layout->values.kind == CAIRN_VALUE_ONE ? 0 : layout->values.bits / 8;
    view->val = take(r, product(cairn_stored_values(view), layout->values.bits / 8),
                     shared ? shared->val : NULL);
}

void cairn_part_place(const cairn_layout *layout,
                      const cairn_pos    *nodes,
                      char               *base,
                      int64_t            *offset,
                      int64_t            *bytes,
                      cairn_part         *part)
{
    room r = {.base = base, .offset = *offset};

    place(layout, nodes, &r, part);
    *offset = r.offset;
    *bytes += r.bytes;
}

/// Hold the blocks of arrays that were shared.
static void
hold_shared(cairn_group *group, const cairn_shared_arrays *shared, cairn_part *part)
{
    const cairn_kernel_part *view = &part->view;

    for (int l = 0; l < view->levels; l++)
        if (shared->idx[l] && view->level[l].idx == shared->idx[l])
            cairn_group_take(group, shared->from, shared->idx[l]);
    if (shared->val && view->val == shared->val)
        cairn_group_take(group, shared->from, shared->val);
    group->shared = shared->bytes;
}

/// An array of a group.
static void clear_array(const cairn_group *group, const void *at, int64_t bytes)
{
    const void *block = bytes > 0 ? cairn_group_block(group, at) : NULL;

    if (block && !cairn_alloc_is_zero(block)) memset((void *)at, 0, (size_t)bytes);
}

void cairn_part_clear_positions(const cairn_group *group, cairn_part *part)
{
    const cairn_layout      *layout = part->layout;
    const cairn_kernel_part *view   = &part->view;

    assert(layout->packs.count == 0);
    for (int l = layout->last + 1; l < layout->levels; l++)
        if (layout->level[l].determined.on)
            clear_array(group, view->level[l].idx,
                        view->level[l].idx_length * view->level[l].idx_bits / 8);
    if (layout->last < 0 || combinations(layout, complete_below(layout)) > 1)
        clear_array(group, view->val,
                    cairn_stored_values(view) * layout->values.bits / 8);
}

cairn_status cairn_group_alloc(cairn_env                 *env,
                               cairn_group               *group,
                               const cairn_layout        *layout,
                               const cairn_pos           *nodes,
                               cairn_clearing             clear,
                               const cairn_shared_arrays *shared,
                               cairn_part                *part)
{
    const bool zero = clear == CAIRN_CLEAR_ALL;
    room       r    = {.apart = true, .shared = shared};

    assert(!group->block);
    place(layout, nodes, &r, part);
    CAIRN_TRY((zero ? cairn_alloc_zero : cairn_alloc)(env, r.offset, 1, &group->block));
    r = (room){.base   = group->block,
               .apart  = true,
               .env    = env,
               .zero   = zero,
               .group  = group,
               .shared = shared};
    place(layout, nodes, &r, part);
    group->bytes = r.bytes;
    if (r.status == CAIRN_OK && clear == CAIRN_CLEAR_POSITIONS)
        cairn_part_clear_positions(group, part);
    if (shared) hold_shared(group, shared, part);
    return r.status;
}

/// Elements of @p width bytes, @p stride bytes apart, of which other fields stand between.
static void clear(void *at, int64_t length, int64_t stride, size_t width)
{
    for (int64_t k = 0; at && k < length; k++)
        memset((char *)at + k * stride, 0, width);
}

void cairn_group_point(cairn_group        *group,
                       const cairn_layout *layout,
                       const cairn_pos    *nodes,
                       bool                zero,
                       const cairn_arrays *arrays,
                       cairn_part         *part)
{
    cairn_kernel_part *view   = &part->view;
    int64_t            offset = 0;

    assert(!group->block && layout->partition < 0);
    cairn_part_place(layout, nodes, NULL, &offset, &group->bytes, part);
    view->val = arrays->val;
    assert(view->val_block == 1);
    if (zero)
        clear(view->val, view->values, view->val_stride, (size_t)view->val_bits / 8);
    for (int l = 0; l < layout->levels; l++) {
        cairn_kernel_level *level = &view->level[l];

        level->ptr = arrays->ptr[l];
        level->idx = arrays->idx[l];
        if (!zero) continue;
        clear(arrays->ptr[l], level->ptr_length, level->ptr_bits / 8,
              (size_t)level->ptr_bits / 8);
        clear(arrays->idx[l], level->idx_length, level->idx_stride,
              (size_t)level->idx_bits / 8);
    }
}

cairn_status cairn_group_alloc_parts(cairn_env       *env,
                                     cairn_group     *group,
                                     const cairn_pos *nodes,
                                     cairn_part      *part)
{
    const int64_t first = group->first, end = first + group->count;
    int64_t       total = 0, offset = 0;
    cairn_part    scratch = {.nnz = 0};

    if (group->count == 1)
        return cairn_group_alloc(env, group, group->layout,
                                 nodes + first * CAIRN_MAX_LEVELS, CAIRN_CLEAR_ALL,
                                 NULL, &part[first]);
    for (int64_t p = first; p < end; p++)
        cairn_part_place(group->layout, nodes + p * CAIRN_MAX_LEVELS, NULL, &total,
                         &group->bytes, &scratch);
    assert(!group->block);
    CAIRN_TRY(cairn_alloc_zero(env, total, 1, &group->block));
    group->bytes = 0;
    for (int64_t p = first; p < end; p++)
        cairn_part_place(group->layout, nodes + p * CAIRN_MAX_LEVELS, group->block,
                         &offset, &group->bytes, &part[p]);
    assert(offset == total); /* both passes saw the same arrays */
    return CAIRN_OK;
}
