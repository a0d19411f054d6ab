// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// LANES: an item a row, nothing shared.

#include "lower/grid/grid_steps.h"

typedef cairn_grid_build build;

void cairn_grid_build_lane(build *g, cairn_nest *nest, cairn_ir_x q)
{
    const cairn_grid    *grid  = &g->p->grid;
    cairn_product_build *e     = &g->e;
    cairn_ir            *b     = e->b;
    const cairn_ir_x     each  = cairn_ir_int(b, grid->each);
    cairn_product_items  items = {.lane = NULL};

    e->items = &items;
    if (grid->rows) {
        items.lane = cairn_ir_add(b, e->lo[e->p->out], q);
    } else if (e->p->tile.level == grid->level) {
        items.lane = q;
    } else {
        if (e->p->tile.level >= 0 && g->p->tall == 1)
            items.lane = cairn_ir_binary(b, CAIRN_IR_MOD, q, each);
        e->share.begin = cairn_ir_use(
            b, cairn_ir_let(b, cairn_ir_binary(b, CAIRN_IR_DIV, q, each), "place"));
        e->share.end = cairn_ir_add_int(b, e->share.begin, 1);
    }
    cairn_product_enter(e, nest, 0);
    e->items = NULL;
}

void cairn_grid_build_lanes(build *g)
{
    cairn_ir  *b = g->e.b;
    cairn_nest nest;

    cairn_product_begin(&g->e, &nest);
    cairn_grid_build_lane(g, &nest, cairn_grid_open_items(b, 1, "a lane a row", "q"));
    cairn_ir_end(b);
    cairn_ir_end(b);
}
