// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Whether a launch fits in 32 bits: what a grid's functions compute are nodes, places of
/// values and of operands, and coordinates.

#include "ir/passes.h"
#include "lower/grid/grid.h"

static int64_t size_of(int64_t x)
{
    return x < 0 ? -x : x;
}

static int64_t more(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

/// How many nodes and elements of arrays a level has.
static int64_t length_of(const cairn_kernel_level *level)
{
    return more(more(level->nodes, level->size),
                more(level->ptr_length, level->idx_length));
}

/// Its largest index, whatever its sign.
static int64_t index_of(const cairn_kernel_level *level)
{
    return more(more(size_of(level->lo), size_of(level->lo + level->size)),
                level->hole);
}

bool cairn_grid_is_narrow(const cairn_kernel_part *part, const cairn_grid_args *args)
{
    const int64_t stride = more(more(args->x_stride, args->y_stride), 1);
    int64_t       length = part->values, index = 0;

    for (int l = 0; l < part->levels; l++) {
        length = more(length, length_of(&part->level[l]));
        index  = more(index, index_of(&part->level[l]));
    }
    index = more(index, more(size_of(args->row_end), size_of(args->col_end)));
    /* Before a guard, coordinates are sums of indices of several levels. */
    return length <= CAIRN_IR_NARROW && index <= CAIRN_IR_NARROW / 4 / stride
           && length / CAIRN_CUT <= CAIRN_IR_NARROW / 4 / stride;
}
