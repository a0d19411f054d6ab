// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What all devices ask of a product.

#include "devices/product.h"

int cairn_work_number(const cairn_device_work *work)
{
    return cairn_work_group(work)->count > 0 ? cairn_work_part(work, 0)->where.member
                                             : work->member;
}

int64_t cairn_work_entries(const cairn_device_work *work)
{
    int64_t entries = 0;

    for (int64_t k = 0; k < cairn_work_group(work)->count; k++)
        entries += cairn_work_part(work, k)->nnz;
    return entries;
}

static int64_t extent(const cairn_device_work *work, int dimension)
{
    const cairn_interval *box = &work->tensor->box[dimension];

    return box->hi - box->lo + 1;
}

int64_t cairn_work_rows_in(const cairn_device_work *work)
{
    return extent(work, work->op->transposed ? 0 : 1);
}

int64_t cairn_work_rows_out(const cairn_device_work *work)
{
    return extent(work, work->op->transposed ? 1 : 0);
}

/// A pointer to rows that begin at @p first, moved so that the index is global.
static const void *shift(const void *rows, int64_t first, int64_t columns, int bits)
{
    return (const void *)((uintptr_t)rows - (uintptr_t)(first * columns * (bits / 8)));
}

cairn_product_args
cairn_work_arguments(const cairn_device_work *work, const void *x, void *y)
{
    const cairn_interval *box     = work->tensor->box;
    const int64_t         columns = work->op->columns;

    if (work->op->transposed)
        x = shift(x, box[0].lo, columns, work->tensor->value_bits);
    return (cairn_product_args){.x         = x,
                                .y         = y,
                                .x_stride  = columns,
                                .y_stride  = columns,
                                .columns   = columns,
                                .row_lo    = box[0].lo,
                                .row_end   = box[0].hi + 1,
                                .col_lo    = box[1].lo,
                                .col_end   = box[1].hi + 1,
                                .alpha     = work->op->alpha,
                                .y_aligned = (uintptr_t)y % 16 == 0};
}
