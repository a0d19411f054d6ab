// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays held to their layout, level by level.

#include "tensor/check.h"

#include "tensor/lists.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- faults ---- */

void cairn_fault_print(const cairn_fault *fault, char text[CAIRN_FAULT])
{
    int n = snprintf(text, CAIRN_FAULT, "member %d: ", fault->where.member);

    if (fault->banked)
        n += snprintf(text + n, CAIRN_FAULT - (size_t)n, "bank %" PRId64 ": ",
                      fault->where.bank);
    if (fault->level >= 0)
        n += snprintf(text + n, CAIRN_FAULT - (size_t)n, "level %d: ", fault->level);
    if (fault->array)
        n += snprintf(text + n, CAIRN_FAULT - (size_t)n,
                      "%s[%" PRId64 "]: ", fault->array, fault->at);
    snprintf(text + n, CAIRN_FAULT - (size_t)n, "%s", fault->why);
}

bool cairn_fault_note(cairn_fault      *fault,
                      const cairn_part *part,
                      int               level,
                      const char       *array,
                      int64_t           at,
                      const char       *fmt,
                      ...)
{
    va_list args;

    *fault = (cairn_fault){.where  = part->where,
                           .banked = part->layout && part->layout->partition >= 0,
                           .level  = level,
                           .array  = array,
                           .at     = at};
    va_start(args, fmt);
    vsnprintf(fault->why, sizeof fault->why, fmt, args);
    va_end(args);
    return false;
}

/* ---- one array ---- */

static int64_t load_ptr(const cairn_kernel_level *level, int64_t k)
{
    return cairn_load_int(level->ptr, k, level->ptr_bits / 8, level->ptr_bits, false);
}

static int64_t load_idx(const cairn_kernel_level *level, int64_t k)
{
    return cairn_load_int(level->idx, k, level->idx_stride, level->idx_bits,
                          level->idx_signed);
}

static bool has_all(cairn_interval have, int64_t length)
{
    return have.lo == 0 && have.hi == length - 1;
}

/// Elements of an array at @p at, of which only some are in memory, as an array.
static const void *from_element(const void *at, int64_t first, int64_t stride)
{
    return (const void *)((uintptr_t)at + (uintptr_t)(first * stride));
}

/// Is it known at a glance that nothing is wrong with the ptr?
static bool ptr_is_plain(const cairn_kernel_level *level, cairn_interval have)
{
    cairn_kernel_level some = *level;

    if (has_all(have, level->ptr_length)) return cairn_ptr_rises(level);
    some.ptr        = from_element(level->ptr, have.lo, level->ptr_bits / 8);
    some.ptr_length = cairn_interval_size(have);
    return some.ptr_length == 0
           || (have.lo > 0 && have.hi < level->ptr_length - 1
               && cairn_ptr_never_falls(&some) && load_ptr(level, have.lo) >= 0
               && load_ptr(level, have.hi) >= 0
               && load_ptr(level, have.hi) <= level->nodes);
}

static bool
ptr_is_sound(const cairn_part *part, int l, cairn_interval have, cairn_fault *fault)
{
    const cairn_kernel_level *level  = &part->view.level[l];
    const int64_t             last   = level->ptr_length - 1;
    int64_t                   before = 0;

    if (ptr_is_plain(level, have)) return true;
    for (int64_t k = have.lo; k <= have.hi; k++) {
        const int64_t p = load_ptr(level, k);

        if (k == 0 && p != 0)
            return cairn_fault_note(fault, part, l, "ptr", 0, "%" PRId64 ", not 0", p);
        if (p < before)
            return cairn_fault_note(fault, part, l, "ptr", k,
                                    "%" PRId64 " is less than the one before, %" PRId64,
                                    p, before);
        before = p;
    }
    if (have.hi >= have.lo
        && (have.hi == last ? before != level->nodes : before > level->nodes))
        return cairn_fault_note(fault, part, l, "ptr", have.hi,
                                "%" PRId64 " is not where the level's %" PRId64
                                " nodes end",
                                before, level->nodes);
    return true;
}

static bool
idx_is_sound(const cairn_part *part, int l, cairn_interval have, cairn_fault *fault)
{
    const cairn_kernel_level *level = &part->view.level[l];
    const cairn_level        *info  = &part->layout->level[l];
    cairn_kernel_level        some  = *level;

    if (!level->idx_bits) return true;
    some.idx        = from_element(level->idx, have.lo, level->idx_stride);
    some.idx_length = cairn_interval_size(have);
    if (cairn_idx_is_within(&some, info->global)) return true;
    for (int64_t k = have.lo; k <= have.hi; k++) {
        const int64_t e = load_idx(level, k);

        if ((e < info->global.lo || e > info->global.hi)
            && !(info->determined.on && e == level->hole))
            return cairn_fault_note(fault, part, l, "idx", k,
                                    "%" PRId64 " is not within %" PRId64 "..%" PRId64,
                                    e, info->global.lo, info->global.hi);
    }
    return true;
}

bool cairn_part_is_sound_at_hand(const cairn_part    *part,
                                 const cairn_at_hand *have,
                                 cairn_fault         *fault)
{
    const cairn_layout       *layout = part->layout;
    const cairn_kernel_level *level  = part->view.level;

    for (int l = layout->first; l <= layout->last; l++) {
        if (!ptr_is_sound(part, l, have[l].ptr, fault)) return false;
        if (l > layout->first && layout->level[l].depth == layout->level[l - 1].depth
            && level[l].nodes != level[l - 1].nodes)
            return cairn_fault_note(fault, part, l, NULL, 0,
                                    "has %" PRId64 " nodes, and level %d, which shares "
                                    "them, %" PRId64,
                                    level[l].nodes, l - 1, level[l - 1].nodes);
    }
    for (int l = 0; l < layout->levels; l++)
        if (!idx_is_sound(part, l, have[l].idx, fault)) return false;
    return true;
}

bool cairn_part_is_sound(const cairn_part *part, cairn_fault *fault)
{
    cairn_at_hand have[CAIRN_MAX_LEVELS];

    for (int l = 0; l < part->layout->levels; l++)
        have[l] = (cairn_at_hand){
            {0, part->view.level[l].ptr_length - 1},
            {0, part->view.level[l].idx_length - 1}
        };
    return cairn_part_is_sound_at_hand(part, have, fault);
}

/* ---- order ---- */

/// Levels first..last have the same nodes: each is the only child of the one above.
typedef struct {
    int first, last;
} chain;

static chain chain_from(const cairn_layout *layout, int first)
{
    chain c = {first, first};

    while (c.last < layout->last && !layout->level[c.last + 1].arrays.has_ptr)
        c.last++;
    return c;
}

static bool comes_after(const cairn_part *part, chain c, int64_t p, cairn_fault *fault);

/// In lists of tuples nodes may differ only in what is in their lists: does that of @p p
/// go on where the list before it ends?
static bool
list_comes_after(const cairn_part *part, int l, int64_t p, cairn_fault *fault)
{
    const cairn_kernel_level *list  = &part->view.level[l];
    const int64_t             begin = load_ptr(list, p);

    if (load_ptr(list, p - 1) == begin || begin == load_ptr(list, p + 1)) return true;
    return comes_after(part, chain_from(part->layout, l), begin, fault);
}

/// Does node @p p come after the one before it, by their indices from the chain down?
static bool comes_after(const cairn_part *part, chain c, int64_t p, cairn_fault *fault)
{
    for (int l = c.first; l <= c.last; l++) {
        const cairn_kernel_level *level = &part->view.level[l];

        if (!level->idx_bits) return true; /* a number that no array stores */
        const int64_t before = load_idx(level, p - 1), e = load_idx(level, p);

        if (e > before) return true;
        if (e < before)
            return cairn_fault_note(
                fault, part, l, "idx", p,
                "%" PRId64 " does not ascend from the one before, %" PRId64, e, before);
    }
    if (part->layout->level[c.last].depth > c.last)
        return list_comes_after(part, c.last + 1, p, fault);
    return cairn_fault_note(fault, part, c.last, "idx", p,
                            "%" PRId64 " is there twice, as the one before",
                            load_idx(&part->view.level[c.last], p));
}

static bool chain_ascends(const cairn_part *part, chain c, cairn_fault *fault)
{
    const cairn_kernel_level *top     = &part->view.level[c.first];
    const bool                has_ptr = part->layout->level[c.first].arrays.has_ptr;
    const int64_t             parents = has_ptr ? top->ptr_length - 1 : 1;

    /* The nodes of one level, which no list of tuples tells apart. */
    if (c.first == c.last && part->layout->level[c.last].depth <= c.last
        && cairn_idx_ascends(top, has_ptr, part->layout->level[c.first].global))
        return true;
    for (int64_t k = 0; k < parents; k++) {
        const int64_t begin = has_ptr ? load_ptr(top, k) : 0;
        const int64_t end   = has_ptr ? load_ptr(top, k + 1) : top->nodes;

        for (int64_t p = begin + 1; p < end; p++)
            if (!comes_after(part, c, p, fault)) return false;
    }
    return true;
}

bool cairn_part_ascends(const cairn_part *part, cairn_fault *fault)
{
    const cairn_layout *layout = part->layout;

    for (int l = layout->first; l <= layout->last;) {
        const chain c = chain_from(layout, l);

        if (!chain_ascends(part, c, fault)) return false;
        l = c.last + 1;
    }
    return true;
}

bool cairn_part_has_one_list(const cairn_part *part)
{
    const cairn_layout       *layout = part->layout;
    const int                 l      = layout->last;
    const cairn_kernel_level *level  = part->view.level;

    if (l < 1 || layout->first != l || layout->levels != l + 1
        || !layout->level[l].arrays.has_ptr || layout->level[l].depth > l)
        return false;
    for (int k = 0; k < l; k++)
        if (level[k].idx_bits) return false;
    return cairn_ptr_rises(&level[l]);
}

bool cairn_part_is_in_order(const cairn_part *part, int64_t begin, int64_t end)
{
    const int l = part->layout->last;

    return cairn_idx_ascends_within(&part->view.level[l], part->layout->level[l].global,
                                    begin, end);
}

bool cairn_part_has_childless(const cairn_part *part)
{
    const cairn_layout *layout = part->layout;

    for (int l = layout->first + 1; l <= layout->last; l++) {
        const cairn_kernel_level *level = &part->view.level[l];

        if (!layout->level[l].arrays.has_ptr || layout->level[l - 1].gaps) continue;
        for (int64_t k = 0; k + 1 < level->ptr_length; k++)
            if (load_ptr(level, k) == load_ptr(level, k + 1)) return true;
    }
    return false;
}
