// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Hints of grids. The numbers are chosen from what an H100 took with a dozen of them (the
/// section tune of tests/bench/cuda, docs/performance-cuda.md); all of them together were
/// not timed.

#include "devices/grid_hints.h"

#include "lower/grid/grid.h"

/* Terms that an item has in flight; from so many a row, or below so many groups for a
   unit, twice as many hide what few groups cannot. */
enum { BATCH = 4, MANY_TERMS = 24, FEW_GROUPS = 8 };

/* Values that an item has in flight, so that it waits once for those of a tile; pieces
   whose chains are added side by side. */
enum { STAGED = 8, PIECES = 2 };

/// What does not depend on the matrix.
static cairn_grid_hints hints_of_product(const cairn_product *product)
{
    cairn_grid_hints hints = {.batch = BATCH};

    if (product->columns != 1) return hints;
    hints.staged = STAGED;
    hints.pieces = PIECES;
    hints.starts = hints.early = true;
    return hints;
}

static bool is_narrow(const cairn_device_work *work)
{
    const cairn_product_args op   = cairn_work_arguments(work, NULL, NULL);
    const cairn_grid_args    args = {
#define X(type, name, what) .name = op.name,
        CAIRN_OPERANDS_MAP(X)
#undef X
    };

    for (int64_t k = 0; k < cairn_work_group(work)->count; k++)
        if (!cairn_grid_is_narrow(&cairn_work_part(work, k)->view, &args)) return false;
    return true;
}

/// Terms in flight: what a row has, and how many groups there are to hide its waits.
static int batch_of(const cairn_device_work *work, int64_t units)
{
    const int64_t rows   = cairn_work_rows_out(work);
    int64_t       values = 0;

    for (int64_t k = 0; k < cairn_work_group(work)->count; k++)
        values += cairn_work_part(work, k)->view.values;
    const bool long_rows = values / MANY_TERMS > rows;
    const bool few       = values / CAIRN_GRID_TILE < units * FEW_GROUPS;

    return long_rows || few ? 2 * BATCH : BATCH;
}

/// Are several parts to be done, whose rows are their own?
static bool joins_banks(const cairn_device_work *work, const cairn_product *product)
{
    const cairn_layout *layout = cairn_work_group(work)->layout;
    int64_t             parts  = 0;

    if (layout->partition < 0) return false;
    for (int64_t k = 0; k < cairn_work_group(work)->count; k++)
        parts += cairn_work_part(work, k)->view.values > 0;
    return parts > 1 && cairn_product_rows_of(layout, product).apart;
}

cairn_grid_hints cairn_grid_hints_of(const cairn_device_work *work,
                                     const cairn_product     *product,
                                     int64_t                  units)
{
    const cairn_grid grid  = cairn_grid_of(cairn_work_group(work)->layout, product);
    cairn_grid_hints hints = hints_of_product(product);

    if (grid.shape == CAIRN_GRID_NONE) return (cairn_grid_hints){.batch = 0};
    hints.narrow = is_narrow(work);
    hints.banks  = joins_banks(work, product);
    /* With several columns each term is as many loads of X as the item has of them. */
    if (product->columns != 1)
        cairn_grid_deal_columns(product, work->op->columns, &hints);
    else
        hints.batch = grid.shape == CAIRN_GRID_LANES && product->operand == CAIRN_IR_F32
                          ? BATCH
                          : batch_of(work, units);
    return hints;
}

int cairn_grid_hints_all(const cairn_product *product,
                         int64_t              columns,
                         bool                 apart,
                         cairn_grid_hints     hints[CAIRN_GRID_HINTS])
{
    int count = 0, alone;

    for (int batch = BATCH; batch <= 2 * BATCH; batch += BATCH) {
        if (batch > BATCH && product->columns != 1) break;
        for (int narrow = 0; narrow < 2; narrow++) {
            cairn_grid_hints *const h = &hints[count++];

            *h        = hints_of_product(product);
            h->batch  = batch;
            h->narrow = narrow;
            if (product->columns != 1) cairn_grid_deal_columns(product, columns, h);
        }
    }
    alone = count;
    for (int k = 0; apart && k < alone; k++) {
        hints[count]         = hints[k];
        hints[count++].banks = true;
    }
    return count;
}
