// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Widths of ptr and idx, by the global ranges, so that all ranks and all matrices of
/// one size share kernels; and the grain of rank boundaries.

#include "format/layout_steps.h"

#include <inttypes.h>

static bool holds(int bits, bool is_signed, cairn_interval range)
{
    if (bits == 64) return true;
    if (!is_signed) return range.lo >= 0 && range.hi < (int64_t)1 << bits;
    return range.lo >= -((int64_t)1 << (bits - 1))
           && range.hi < (int64_t)1 << (bits - 1);
}

static int smallest(bool is_signed, cairn_interval range)
{
    int bits = 8;

    while (!holds(bits, is_signed, range))
        bits *= 2;
    return bits;
}

static cairn_status
idx_width(cairn_env *env, const cairn_layout *layout, int l, cairn_level *level)
{
    const cairn_encoding *e     = layout->encoding;
    const int             given = e->bits[l].idx ? e->bits[l].idx : e->all_bits.idx;
    cairn_interval        range = level->global;

    if (range.lo > range.hi) range = (cairn_interval){0, 0};
    if (level->determined.on) range.hi++; /* the hole */
    level->arrays.idx_signed = range.lo < 0;
    level->arrays.idx_bits =
        (uint8_t)(given ? given : smallest(level->arrays.idx_signed, range));
    CAIRN_CHECK(holds(level->arrays.idx_bits, level->arrays.idx_signed, range), env,
                CAIRN_OVERFLOW,
                "format: bits: idx(%d) = %d is too small for the range %" PRId64
                "..%" PRId64 "%s",
                l, given, range.lo, range.hi,
                level->determined.on ? " (its hole included)" : "");
    return CAIRN_OK;
}

static uint64_t saturating_mul(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

cairn_status cairn_layout_widths(cairn_env *env, cairn_layout *layout)
{
    const cairn_encoding *e     = layout->encoding;
    uint64_t              cells = 1, nodes = 1;
    bool                  gaps = false;

    for (int k = 0; k < layout->order; k++)
        cells = saturating_mul(cells, (uint64_t)layout->extent[k]);
    for (int l = 0; l < layout->levels; l++) {
        cairn_level   *level = &layout->level[l];
        const int      given = e->bits[l].ptr ? e->bits[l].ptr : e->all_bits.ptr;
        const uint64_t size  = (uint64_t)(level->global.hi - level->global.lo + 1);

        nodes = saturating_mul(nodes, size);
        gaps |= level->indirect && e->query[level->query].distance > 0;
        const bool narrow = (nodes < cells ? nodes : cells) < (uint64_t)1 << 32;

        if (level->arrays.has_ptr)
            level->arrays.ptr_bits = (uint8_t)(given             ? given
                                               : narrow && !gaps ? 32
                                                                 : 64);
        if (level->arrays.has_idx) CAIRN_TRY(idx_width(env, layout, l, level));
    }
    return CAIRN_OK;
}

/// Rows that one digit of d0 spans: c of d0/c and d0%c, with what d0 was divided by
/// before; 1 for anything else.
static int64_t digit_rows(const cairn_expr *expr, bool *of_d0)
{
    bool inner = false;

    *of_d0 = false;
    if (expr->op == CAIRN_EXPR_DIM) {
        *of_d0 = expr->value == 0;
        return 1;
    }
    if (expr->op != CAIRN_EXPR_DIV && expr->op != CAIRN_EXPR_MOD) return 1;
    int64_t rows = digit_rows(expr->a, &inner);

    if (!inner || __builtin_mul_overflow(rows, expr->b->value, &rows)) return 1;
    *of_d0 = true;
    return rows;
}

static void join_grain(const cairn_expr *expr, int64_t *grain)
{
    const int64_t limit = (int64_t)1 << 40;
    bool          of_d0;
    int64_t       joined;

    if (!expr) return;
    const int64_t rows = digit_rows(expr, &of_d0);

    if (!__builtin_mul_overflow(*grain / cairn_gcd(*grain, rows), rows, &joined)
        && joined <= limit)
        *grain = joined;
    join_grain(expr->a, grain);
    join_grain(expr->b, grain);
}

static void join_map(const cairn_map *map, int64_t *grain)
{
    for (int k = 0; map && k < map->count; k++)
        join_grain(map->expr[k], grain);
}

int64_t cairn_encoding_grain(const cairn_encoding *encoding)
{
    int64_t grain = 1;

    if (encoding->written) return cairn_encoding_grain(encoding->written);
    join_map(&encoding->map, &grain);
    for (int q = 0; q < encoding->queries; q++) {
        join_map(&encoding->query[q].group_by, &grain);
        join_map(encoding->query[q].traverse_by, &grain);
        join_map(encoding->query[q].distance_by, &grain);
    }
    return grain;
}
