// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What tests of grids share: a product's arguments as those of a grid, which products
/// have one, and rows whose lengths are around those that are cut.

#ifndef CAIRN_TESTS_SUPPORT_GRID_CASE_H
#define CAIRN_TESTS_SUPPORT_GRID_CASE_H

#include "devices/grid_tiles.h"
#include "support/product_case.h"

/// Entries of rows: of none, of a few, about a tile, about one cut and two.
static const int grid_lengths[] = {0,    1,    3,    1023, 1024, 1025, 0,  4095,
                                   4096, 4097, 8192, 8193, 9000, 5,    16, 1028,
                                   128,  129,  256,  257,  2,    511};

/// Where a row is met again by lists of its own, each longer than a cut; and where lists
/// hold blocks whose columns some entries lack.
static const char *const grid_formats[] = {
    "#encoding<{ idx_map<(d0,d1)->(d1/4500,d0,d1)>, mutation<merge(1), trim(2,2)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d1/4500,d0,d1/2,d1%2)>, "
    "mutation<merge(1), trim(2,2)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0/3,d1,d0-d1)>, mutation<merge(0), trim(1,2)> }>",
};

enum { GRID_FORMATS = sizeof grid_formats / sizeof *grid_formats };

enum { GRID_ROWS = sizeof grid_lengths / sizeof *grid_lengths, GRID_COLUMN = 9011 };

/// How many products were looked at, by the shape of their grid.
typedef struct {
    int products, columns, shape[CAIRN_GRID_REGROUPED + 1], listed, pieces;
} grid_count;

static inline void grid_count_tell(const grid_count *n)
{
    printf(
        "%d products, %d of several columns: %d lanes, %d lists, %d regrouped (%d by "
        "value), %d without a grid; %d pieces of long lists\n",
        n->products, n->columns, n->shape[CAIRN_GRID_LANES], n->shape[CAIRN_GRID_LISTS],
        n->shape[CAIRN_GRID_REGROUPED], n->listed, n->shape[CAIRN_GRID_NONE],
        n->pieces);
}

/// Have at least 95 % of the products a grid?
static inline bool grid_count_suffices(const grid_count *n)
{
    return 20 * n->shape[CAIRN_GRID_NONE] <= n->products;
}

static inline void
grid_count_note(grid_count *n, const cairn_product *product, const cairn_grid *grid)
{
    n->products++;
    n->columns += product->columns != 1;
    n->shape[grid->shape]++;
    n->listed += grid->listed;
}

/// A product's arguments as those of a grid.
static inline cairn_grid_args grid_args(const cairn_product_args *args)
{
    return (cairn_grid_args){
#define X(type, name, what) .name = args->name,
        CAIRN_OPERANDS_MAP(X)
#undef X
    };
}

/// How items have the columns of a product with several: at most 16 bytes' worth each, as
/// many as divide them.
static inline void grid_case_deal(product_case *c, cairn_grid_hints *hints)
{
    static const int columns[] = {2, 3, 8, 32, 33};

    if (!c->wish.columns) c->wish.columns = columns[random_below(&c->state, 5)];
    hints->width = 1 << random_below(&c->state, 3);
    hints->group = 1 << random_below(&c->state, 6);
    while (c->wish.columns % hints->width != 0)
        hints->width /= 2;
}

/// Draw a product that grids may do: with sums in f64, and in a Y of f64 where rows are met
/// again, as plans ask for it.
static inline void grid_case_draw(product_case *c, cairn_product *product)
{
    static const int batches[] = {0, 2, 4, 8};

    product_case_draw(c, product);
    product->grid_hints.batch  = batches[random_below(&c->state, 4)];
    product->grid_hints.narrow = random_chance(&c->state, 50);
    product->grid_hints.staged = 4 << random_below(&c->state, 2);
    product->grid_hints.pieces = 1 << random_below(&c->state, 4);
    product->grid_hints.starts = random_chance(&c->state, 50);
    product->grid_hints.early  = random_chance(&c->state, 50);
    product->accumulate        = CAIRN_IR_F64;
    if (product->columns != 1) grid_case_deal(c, &product->grid_hints);
    for (int m = 0; m < c->local->groups; m++) {
        const cairn_product_rows rows =
            cairn_product_rows_of(c->local->group[m].layout, product);

        if (!rows.once) product->wide = true;
        if (!rows.once || !rows.all) product->adds = true;
    }
}

#endif
