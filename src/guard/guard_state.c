// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Columns, values and bounds of checks.

#include "guard/guard_state.h"

#include <float.h>

/* Additions of each of the eight parts of a leaf, which are joined by three: more than those
   of the passes. */
enum { LEAF_ADDITIONS = CAIRN_GUARD_LEAF / 8 + 3 };

bool cairn_guard_is_narrow(const cairn_guard *guard)
{
    return guard->local->value_bits == 32;
}

int64_t cairn_guard_sample(int64_t columns)
{
    enum { FEW = 2 * CAIRN_GUARD_STRETCH, MANY = 16 * CAIRN_GUARD_STRETCH };

    return columns <= FEW    ? CAIRN_GUARD_STRETCH
           : columns <= MANY ? 4 * CAIRN_GUARD_BLOCK
                             : CAIRN_GUARD_BLOCK;
}

bool cairn_guard_are_listed(const cairn_guard *guard)
{
    return guard->columns <= UINT32_MAX;
}

int64_t
cairn_guard_place(const cairn_guard *guard, const cairn_x_rows *rows, cairn_coord j)
{
    if (rows->owned.lo <= j && j <= rows->owned.hi) return j - rows->owned.lo;
    const cairn_pos k = cairn_x_rows_ghost(rows, j);

    return k < rows->ghosts && rows->ghost[k] == j ? guard->own + k : -1;
}

double cairn_guard_value(const cairn_guard *guard, const void *values, int64_t k)
{
    return cairn_guard_is_narrow(guard) ? (double)((const float *)values)[k]
                                        : ((const double *)values)[k];
}

cairn_guard_x cairn_guard_x_of(const cairn_guard    *guard,
                               const cairn_operands *operands,
                               const void           *x)
{
    return (cairn_guard_x){guard, x, cairn_halo_fetched(operands->halo)};
}

double cairn_guard_x_at(const cairn_guard_x *x, int64_t k)
{
    const int64_t own = x->guard->own;

    return k < own ? cairn_guard_value(x->guard, x->own, k)
                   : cairn_guard_value(x->guard, x->ghost, k - own);
}

double cairn_guard_bound(const cairn_guard *guard, long double size)
{
    const double n = (double)(guard->longest + 2 * LEAF_ADDITIONS + guard->members);
    const double narrow = cairn_guard_is_narrow(guard) ? FLT_EPSILON : 0;

    /* Products below the normal numbers lose what no eps counts. */
    return 4 * (n * DBL_EPSILON + narrow) * (double)size
           + n * (double)guard->columns * (narrow > 0 ? FLT_MIN : DBL_MIN);
}
