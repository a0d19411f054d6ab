// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What can be taken.

#include "convert/stores/shared_arrays.h"

/* ---- what fits ---- */

/// All entries of one part, which has a value for each and no other.
static bool has_entries_alone(const cairn_compiled *c)
{
    const cairn_part *part;

    if (!c->origin.from || c->origin.filter.member
        || cairn_origin_group(&c->origin)->count != 1)
        return false;
    part = cairn_origin_part(&c->origin, 0);
    return part->layout->partition < 0 && !part->layout->pads && part->layout->last >= 0
           && part->layout->last + 1 == part->layout->levels
           && !part->layout->level[part->layout->last].gaps
           && part->view.values == part->nnz;
}

static bool is_array(const cairn_level *level)
{
    return level->trimmed && level->arrays.has_idx && level->arrays.tuple < 0;
}

static bool same_elements(const cairn_level *a, const cairn_level *b)
{
    return a->arrays.idx_bits == b->arrays.idx_bits
           && a->arrays.idx_signed == b->arrays.idx_signed;
}

/// Is every entry a node of the target's level?
static bool is_of_entries(const cairn_compiled *c, int l)
{
    const cairn_level *level = &c->m->layout->level[l];

    return level->trimmed && level->depth >= c->facts.order.distinct && !level->gaps;
}

const cairn_kernel_level *cairn_shared_arrays_like(const cairn_compiled *c, int l)
{
    const cairn_layout *from = cairn_origin_layout(&c->origin), *to = c->m->layout;
    const int           same = c->facts.order.same[l];

    if (same < 0 || !is_of_entries(c, l) || !is_array(&to->level[l])
        || !is_array(&from->level[same]) || from->level[same].depth != from->last
        || from->level[same].gaps)
        return NULL;
    return &cairn_compiled_source(c)->level[same];
}

/// The source's idx with an index for each entry, which level @p l would have; NULL: none.
static const void *idx_for(const cairn_compiled *c, int l)
{
    const cairn_layout             *from = cairn_origin_layout(&c->origin);
    const cairn_kernel_level *const like = cairn_shared_arrays_like(c, l);

    if (!like
        || !same_elements(&from->level[c->facts.order.same[l]],
                          &c->m->layout->level[l]))
        return NULL;
    return like->idx;
}

/// Values that will change are not shared.
static void *values_for(const cairn_compiled *c)
{
    const cairn_layout *from = cairn_origin_layout(&c->origin), *to = c->m->layout;

    if (to->last < 0 || to->last + 1 != to->levels || !is_of_entries(c, to->last)
        || from->values.tuple >= 0 || to->values.tuple >= 0
        || from->values.bits != to->values.bits || c->origin.from->pattern.kept)
        return NULL;
    return cairn_compiled_source(c)->val;
}

/* Of a share of a tensor (rows/row_share.h) arrays are lent: no block of its own has them. An
 * array without elements is in none either, and nothing is gained by taking it. What goes
 * into a caller's arrays has none in common with anybody. */
static bool is_held(const cairn_compiled *c, const void *array)
{
    const cairn_supposed *planned = c->build->planned;

    return array && !c->build->into
           && (planned
                   ? !planned->lent
                   : cairn_group_block(cairn_origin_group(&c->origin), array) != NULL);
}

void cairn_shared_arrays_find(cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;

    c->shared = (cairn_shared_arrays){0};
    if (!has_entries_alone(c)) return;
    c->shared.from = cairn_origin_group(&c->origin);
    for (int l = to->first; l <= to->last; l++) {
        const void *const idx = idx_for(c, l);

        if (!is_held(c, idx)) continue;
        c->shared.idx[l] = idx;
        c->shared.bytes += c->facts.entries * (to->level[l].arrays.idx_bits / 8);
    }
    void *const values = values_for(c);

    if (!is_held(c, values)) return;
    c->shared.val = values;
    c->shared.bytes += c->facts.entries * (to->values.bits / 8);
}

/// Indices of these widths are moved by words.
static bool is_word(int bits)
{
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/// Can the indices of level @p l be the source's, as they are or narrower?
static bool idx_is_copied(const cairn_compiled *c, int l)
{
    const cairn_kernel_level *const like = cairn_shared_arrays_like(c, l);
    const int                       bits = c->m->layout->level[l].arrays.idx_bits;

    return like && like->idx && is_word(bits) && is_word(like->idx_bits)
           && bits <= like->idx_bits;
}

bool cairn_shared_arrays_are_all(const cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;

    if (!has_entries_alone(c) || c->facts.entries == 0) return false;
    for (int l = to->first; l <= to->last; l++)
        if (!c->shared.idx[l] && !idx_is_copied(c, l)) return false;
    return c->shared.val
           || (values_for(c) && cairn_compiled_source(c)->val_kind == CAIRN_VALUE_FLOAT
               && cairn_compiled_source(c)->val_bits == to->values.bits);
}

uint32_t cairn_shared_arrays_levels(const cairn_compiled *c)
{
    uint32_t levels = 0;

    for (int l = 0; l < CAIRN_MAX_LEVELS; l++)
        if (c->shared.idx[l]) levels |= 1U << l;
    return levels;
}

/* ---- mirroring ---- */

bool cairn_shared_arrays_fits_mirror(const cairn_compiled *c)
{
    const int                 E    = c->m->layout->last;
    const cairn_kernel_level *view = &cairn_compiled_source(c)->level[E];
    const cairn_level        *from = &cairn_origin_layout(&c->origin)->level[E];
    const cairn_level        *to   = &c->m->layout->level[E];

    return from->arrays.ptr_bits == to->arrays.ptr_bits && same_elements(from, to)
           && is_held(c, view->idx) && is_held(c, view->ptr);
}

/// One array in place of another. @return it.
static const void *
take(const cairn_compiled *c, const void *own, const void *other, int64_t bytes)
{
    cairn_group_drop(c->m->env, c->m->group, own);
    cairn_group_take(c->m->group, cairn_origin_group(&c->origin), other);
    c->m->group->shared += bytes;
    return other;
}

void cairn_shared_arrays_mirror(const cairn_compiled *c, cairn_part *part)
{
    const int                 E    = c->m->layout->last;
    const cairn_kernel_level *from = &cairn_compiled_source(c)->level[E];
    cairn_kernel_level       *to   = &part->view.level[E];

    to->idx = take(c, to->idx, from->idx, to->idx_length * to->idx_bits / 8);
    to->ptr = take(c, to->ptr, from->ptr, to->ptr_length * to->ptr_bits / 8);
}
