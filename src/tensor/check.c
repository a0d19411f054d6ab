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

static bool ptr_is_sound(const cairn_part *part, int l, cairn_fault *fault)
{
    const cairn_kernel_level *level  = &part->view.level[l];
    const int64_t             last   = level->ptr_length - 1;
    int64_t                   before = 0;

    if (cairn_ptr_rises(level)) return true;
    for (int64_t k = 0; k <= last; k++) {
        const int64_t p = load_ptr(level, k);

        if (k == 0 && p != 0)
            return cairn_fault_note(fault, part, l, "ptr", 0, "%" PRId64 ", not 0", p);
        if (p < before)
            return cairn_fault_note(fault, part, l, "ptr", k,
                                    "%" PRId64 " is less than the one before, %" PRId64,
                                    p, before);
        before = p;
    }
    if (last >= 0 && before != level->nodes)
        return cairn_fault_note(fault, part, l, "ptr", last,
                                "%" PRId64 " is not where the level's %" PRId64
                                " nodes end",
                                before, level->nodes);
    return true;
}

static bool idx_is_sound(const cairn_part *part, int l, cairn_fault *fault)
{
    const cairn_kernel_level *level = &part->view.level[l];
    const cairn_level        *info  = &part->layout->level[l];

    if (cairn_idx_is_within(level, info->global)) return true;
    for (int64_t k = 0; level->idx_bits && k < level->idx_length; k++) {
        const int64_t e = load_idx(level, k);

        if ((e < info->global.lo || e > info->global.hi)
            && !(info->determined && e == level->hole))
            return cairn_fault_note(fault, part, l, "idx", k,
                                    "%" PRId64 " is not within %" PRId64 "..%" PRId64,
                                    e, info->global.lo, info->global.hi);
    }
    return true;
}

bool cairn_part_is_sound(const cairn_part *part, cairn_fault *fault)
{
    const cairn_layout       *layout = part->layout;
    const cairn_kernel_level *level  = part->view.level;

    for (int l = layout->first; l <= layout->last; l++) {
        if (!ptr_is_sound(part, l, fault)) return false;
        if (l > layout->first && layout->level[l].depth == layout->level[l - 1].depth
            && level[l].nodes != level[l - 1].nodes)
            return cairn_fault_note(fault, part, l, NULL, 0,
                                    "has %" PRId64 " nodes, and level %d, which shares "
                                    "them, %" PRId64,
                                    level[l].nodes, l - 1, level[l - 1].nodes);
    }
    for (int l = 0; l < layout->levels; l++)
        if (!idx_is_sound(part, l, fault)) return false;
    return true;
}

/* ---- order ---- */

/// Levels first..last have the same nodes: each is the only child of the one above.
typedef struct {
    int first, last;
} chain;

static chain chain_from(const cairn_layout *layout, int first)
{
    chain c = {first, first};

    while (c.last < layout->last && !layout->level[c.last + 1].has_ptr)
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
    const bool                has_ptr = part->layout->level[c.first].has_ptr;
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

bool cairn_part_has_childless(const cairn_part *part)
{
    const cairn_layout *layout = part->layout;

    for (int l = layout->first + 1; l <= layout->last; l++) {
        const cairn_kernel_level *level = &part->view.level[l];

        if (!layout->level[l].has_ptr || layout->level[l - 1].gaps) continue;
        for (int64_t k = 0; k + 1 < level->ptr_length; k++)
            if (load_ptr(level, k) == load_ptr(level, k + 1)) return true;
    }
    return false;
}
