// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Layout inference: levels, ranges, which nodes and arrays there are.

#include "format/layout.h"

#include "format/layout_steps.h"

#include <string.h>

/// The query that an expression is about, even if its form does not depend on it
/// (place%1); -1: none.
static int query_of(const cairn_expr *expr)
{
    if (!expr) return -1;
    if (expr->op == CAIRN_EXPR_QUERY || expr->op == CAIRN_EXPR_INDIRECT)
        return (int)expr->value;
    const int a = query_of(expr->a);

    return a >= 0 ? a : query_of(expr->b);
}

static cairn_status level_forms(cairn_layout *layout)
{
    const cairn_encoding *e = layout->encoding;

    for (int l = 0; l < layout->levels; l++) {
        cairn_level *level = &layout->level[l];

        CAIRN_TRY(cairn_form_of(layout->algebra, e->map.expr[l], &level->form));
        level->query        = query_of(e->map.expr[l]);
        level->indirect     = level->query >= 0;
        level->trimmed      = l >= layout->first && l <= layout->last;
        level->merged       = e->merged >> l & 1;
        level->arrays.tuple = -1;
    }
    return CAIRN_OK;
}

/// Nodes of a trimmed level: as many as of the next merged level at or below it.
static void level_nodes(cairn_layout *layout)
{
    for (int l = layout->last; l >= layout->first && l >= 0; l--) {
        cairn_level *level = &layout->level[l];

        level->depth =
            level->merged || l == layout->last ? l : layout->level[l + 1].depth;
    }
    for (int l = layout->first; l <= layout->last; l++) {
        cairn_level *level = &layout->level[l];

        level->top            = l == layout->partition + 1;
        level->arrays.has_idx = !level->indirect;
        level->arrays.has_ptr =
            !level->top && (l == layout->first || layout->level[l - 1].depth == l - 1);
    }
}

static bool uses_distance(const cairn_layout *layout, const cairn_level *level)
{
    return level->indirect && layout->encoding->query[level->query].distance > 0;
}

/// Gaps are nodes without entries: sound only where a node stands for one prefix.
static cairn_status level_gaps(cairn_env *env, cairn_layout *layout)
{
    for (int l = 0; l < layout->levels; l++) {
        cairn_level *level = &layout->level[l];

        if (!level->trimmed || !uses_distance(layout, level)) continue;
        CAIRN_CHECK(
            level->depth == l && (level->arrays.has_ptr || l == layout->first), env,
            CAIRN_BAD_FORMAT,
            "format: level %d: a level numbered with distance keeps its gaps: it "
            "must be merged or the last trimmed one, and the level above merged",
            l);
        level->gaps = true;
    }
    return CAIRN_OK;
}

static void level_kinds(cairn_layout *layout)
{
    for (int l = 0; l < layout->levels; l++) {
        cairn_level *level = &layout->level[l];

        if (level->determined.on)
            level->kind = CAIRN_LEVEL_SINGLETON;
        else if (!level->trimmed)
            level->kind = CAIRN_LEVEL_DENSE;
        else if (level->indirect)
            level->kind = CAIRN_LEVEL_RAGGED;
        else
            level->kind = level->arrays.has_ptr || level->top ? CAIRN_LEVEL_COMPRESSED
                                                              : CAIRN_LEVEL_SINGLETON;
    }
}

/// The range by definition, or what running gave where only that tells, or where this
/// rank sees a part of what reorder numbered.
static cairn_status query_ranges(cairn_env            *env,
                                 cairn_layout         *layout,
                                 const cairn_interval *span,
                                 bool                  whole,
                                 cairn_interval       *global,
                                 cairn_interval       *local,
                                 bool                 *known)
{
    for (int q = 0; q < layout->encoding->queries; q++) {
        CAIRN_TRY(cairn_query_range(env, layout->encoding, q, layout->extent,
                                    &global[q], &known[q]));
        local[q] = global[q];
        if (!span) continue;
        const bool narrow =
            layout->encoding->query[q].func == CAIRN_QUERY_REORDER && !whole;

        if (!known[q] || narrow) local[q] = span[q];
        if (!known[q]) {
            global[q] = span[q];
            if (span[q].lo > 0 && span[q].lo <= span[q].hi)
                local[q].lo = global[q].lo = 0;
            known[q] = true;
        }
    }
    return CAIRN_OK;
}

static cairn_status
level_ranges(cairn_env *env, cairn_layout *layout, const cairn_interval *span)
{
    cairn_interval whole[CAIRN_MAX_ORDER], global[CAIRN_MAX_QUERIES],
        local[CAIRN_MAX_QUERIES];
    bool known[CAIRN_MAX_QUERIES] = {false}, all = true;

    for (int k = 0; k < layout->order; k++) {
        whole[k] = (cairn_interval){0, layout->extent[k] - 1};
        all &= whole[k].lo == layout->box[k].lo && whole[k].hi == layout->box[k].hi;
    }
    CAIRN_TRY(query_ranges(env, layout, span, all, global, local, known));
    for (int l = 0; l < layout->levels; l++) {
        cairn_level *level = &layout->level[l];

        CAIRN_TRY(cairn_form_range(layout->algebra, &level->form, whole, global,
                                   &level->global));
        CAIRN_TRY(cairn_form_range(layout->algebra, &level->form, layout->box, local,
                                   &level->range));
        level->size  = level->range.hi - level->range.lo + 1;
        level->sized = !level->indirect || known[level->query];
    }
    return CAIRN_OK;
}

static cairn_status count_banks(cairn_env *env, cairn_layout *layout)
{
    layout->banks = 1;
    for (int l = 0; l <= layout->partition; l++)
        CAIRN_CHECK(!__builtin_mul_overflow(layout->banks, layout->level[l].size,
                                            &layout->banks),
                    env, CAIRN_OVERFLOW,
                    "format: partition(%d): the number of banks leaves 64 bits",
                    layout->partition);
    return CAIRN_OK;
}

static cairn_status
infer(cairn_env *env, cairn_layout *layout, const cairn_interval *span)
{
    CAIRN_TRY(level_forms(layout));
    level_nodes(layout);
    CAIRN_TRY(cairn_layout_determine(env, layout));
    CAIRN_TRY(cairn_layout_pack_lists(env, layout));
    CAIRN_TRY(level_gaps(env, layout));
    level_kinds(layout);
    CAIRN_TRY(cairn_layout_pads(env, layout, &layout->pads));
    if (layout->given.sized) CAIRN_TRY(level_ranges(env, layout, span));
    CAIRN_TRY(cairn_layout_invert(env, layout));
    if (!layout->given.sized) return CAIRN_OK;
    CAIRN_TRY(cairn_layout_widths(env, layout));
    CAIRN_TRY(count_banks(env, layout));
    return cairn_layout_pack_fields(env, layout);
}

static void
set_extents(cairn_layout *layout, const int64_t *extent, const cairn_interval *box)
{
    layout->given.sized = extent != NULL;
    for (int k = 0; k < layout->order && extent; k++) {
        layout->extent[k] = extent[k];
        layout->box[k]    = box ? box[k] : (cairn_interval){0, extent[k] - 1};
    }
}

static cairn_status create(cairn_env            *env,
                           const cairn_encoding *encoding,
                           const int64_t        *extent,
                           const cairn_interval *box,
                           const cairn_interval *span,
                           cairn_layout         *fresh)
{
    fresh->encoding     = encoding;
    fresh->order        = encoding->map.order;
    fresh->levels       = encoding->map.count;
    fresh->first        = encoding->trimmed ? encoding->trim_first : fresh->levels;
    fresh->last         = encoding->trimmed ? encoding->trim_last : -1;
    fresh->partition    = encoding->partition;
    fresh->values.tuple = -1;
    set_extents(fresh, extent, box);
    fresh->given.spans = span != NULL;
    if (span) memcpy(fresh->given.span, span, (size_t)encoding->queries * sizeof *span);
    CAIRN_TRY(CAIRN_NEW(env, 1, &fresh->algebra));
    cairn_algebra_init(fresh->algebra, env, fresh->order);
    return infer(env, fresh, span);
}

/// What the sizes and the text do not say: how values are stored, and whether levels of one
/// value store it.
typedef struct {
    int              carrier_bits, value_bits;
    cairn_value_kind value_kind;
    bool             constants;
} rules;

static cairn_status create_by_rules(cairn_env            *env,
                                    const cairn_encoding *encoding,
                                    const int64_t        *extent,
                                    const cairn_interval *box,
                                    const cairn_interval *span,
                                    rules                 by,
                                    cairn_layout        **layout)
{
    cairn_layout *fresh;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    fresh->values.carrier_bits = (uint8_t)by.carrier_bits;
    fresh->values.bits         = (uint8_t)by.value_bits;
    fresh->values.kind         = by.value_kind;
    fresh->given.constants     = by.constants;
    const cairn_status status  = create(env, encoding, extent, box, span, fresh);

    if (status == CAIRN_OK)
        *layout = fresh;
    else
        cairn_layout_destroy(env, &fresh);
    return status;
}

/// Words, which are narrower than any type of values, are integers.
static cairn_value_kind kind_of_type(int value_bits)
{
    return value_bits < 32 ? CAIRN_VALUE_INTEGER : CAIRN_VALUE_FLOAT;
}

cairn_status cairn_layout_create(cairn_env            *env,
                                 const cairn_encoding *encoding,
                                 const int64_t        *extent,
                                 const cairn_interval *box,
                                 const cairn_interval *span,
                                 int                   value_bits,
                                 cairn_layout        **layout)
{
    const rules by = {.carrier_bits = value_bits,
                      .value_bits   = value_bits,
                      .value_kind   = kind_of_type(value_bits)};

    return create_by_rules(env, encoding, extent, box, span, by, layout);
}

cairn_status cairn_layout_create_v1(cairn_env            *env,
                                    const cairn_encoding *encoding,
                                    const int64_t        *extent,
                                    const cairn_interval *box,
                                    const cairn_interval *span,
                                    int                   value_bits,
                                    cairn_layout        **layout)
{
    const rules by = {
        .carrier_bits = value_bits, .value_bits = value_bits, .constants = true};

    return create_by_rules(env, encoding, extent, box, span, by, layout);
}

cairn_status cairn_layout_store(cairn_env          *env,
                                const cairn_layout *layout,
                                cairn_value_kind    kind,
                                int                 bits,
                                cairn_layout      **stored)
{
    const rules by = {.carrier_bits = layout->values.carrier_bits,
                      .value_bits   = bits,
                      .value_kind   = kind,
                      .constants    = layout->given.constants};

    return create_by_rules(env, layout->encoding,
                           layout->given.sized ? layout->extent : NULL, layout->box,
                           layout->given.spans ? layout->given.span : NULL, by, stored);
}

cairn_status cairn_layout_carry(cairn_env          *env,
                                const cairn_layout *layout,
                                int                 carrier_bits,
                                cairn_value_kind    kind,
                                int                 bits,
                                cairn_layout      **stored)
{
    CAIRN_TRY(cairn_layout_store(env, layout, kind, bits, stored));
    (*stored)->values.carrier_bits = (uint8_t)carrier_bits;
    return CAIRN_OK;
}

/* All its blocks are held: each goes with the last of those who destroy it. */
cairn_layout *cairn_layout_hold(const cairn_layout *layout)
{
    cairn_layout *const held =
        (cairn_layout *)layout; /* constant but for who holds it */

    for (int l = 0; l < held->levels; l++)
        if (held->level[l].determined.recipe.step)
            cairn_hold(held->level[l].determined.recipe.step);
    cairn_hold(held->algebra);
    cairn_hold(held);
    return held;
}

void cairn_layout_destroy(cairn_env *env, cairn_layout **layout)
{
    if (!*layout) return;
    for (int l = 0; l < (*layout)->levels; l++)
        cairn_free(env, (*layout)->level[l].determined.recipe.step);
    cairn_free(env, (*layout)->algebra);
    cairn_free(env, *layout);
    *layout = NULL;
}

cairn_status cairn_encoding_index_levels(cairn_env            *env,
                                         const cairn_encoding *encoding,
                                         uint32_t             *levels)
{
    cairn_layout *layout;

    CAIRN_TRY(cairn_layout_create(env, encoding, NULL, NULL, NULL, 64, &layout));
    *levels = 0;
    for (int l = 0; l < layout->levels; l++)
        if (layout->level[l].arrays.has_idx) *levels |= 1U << l;
    cairn_layout_destroy(env, &layout);
    return CAIRN_OK;
}
