// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Threads: the loop over them, what is each one's, and the nodes that are listed for it
/// where products scatter.

#include "lower/product/product_steps.h"

typedef cairn_product_build build;

static cairn_ir_x arg(build *e, int field, const char *name)
{
    return cairn_product_arg(e->b, field, CAIRN_IR_I64, name);
}

static cairn_ir_array *
arg_array(cairn_ir *b, int field, cairn_ir_type type, const char *name)
{
    return cairn_ir_array_of(
        b, (cairn_ir_field){.source = CAIRN_IR_ARG, .level = field}, type, "%s", name);
}

/// Of a thread's own nodes under one parent the first, or the end.
static cairn_ir_x
own_node(build *e, const cairn_nest *nest, int field, const char *name)
{
    cairn_ir                   *b = e->b;
    const int                   l = e->p->share.level;
    const cairn_ir_array *const own =
        arg_array(b, field, cairn_nest_ptr(nest, l)->type, name);

    return cairn_ir_load(
        b, own, cairn_ir_add(b, e->share.cursor, cairn_nest_node(nest, l - 1)));
}

void cairn_product_own_range(build            *e,
                             const cairn_nest *nest,
                             int               l,
                             cairn_ir_x       *begin,
                             cairn_ir_x       *end)
{
    const cairn_share *share   = &e->p->share;
    const bool         scatter = share->kind == CAIRN_SHARE_SCATTER;

    if (l == (scatter ? share->ptr : share->level)) {
        *begin = e->share.begin;
        *end   = e->share.end;
    } else if (scatter && l == share->level) {
        *begin = own_node(e, nest, CAIRN_PRODUCT_first, "first");
        *end   = own_node(e, nest, CAIRN_PRODUCT_last, "last");
    }
}

void cairn_product_begin(build *e, cairn_nest *nest)
{
    cairn_nest_begin(nest, e->b, e->p->layout, 0);
    for (int k = 0; k < 2; k++) {
        nest->lo[k]  = e->lo[k];
        nest->end[k] = e->end[k];
    }
}

/// One thread's part of the rows, or all.
static void build_share(build *e)
{
    cairn_nest nest;

    cairn_product_begin(e, &nest);
    cairn_product_enter(e, &nest, 0);
}

/// The share of thread @p t: its range of positions; where threads scatter also where
/// its nodes are listed.
static void take_share(build *e, cairn_ir_array *share, cairn_ir_x t)
{
    cairn_ir  *b       = e->b;
    const bool scatter = e->p->share.kind == CAIRN_SHARE_SCATTER;

    if (scatter) t = cairn_ir_mul_int(b, t, CAIRN_SHARE_FIELDS);
    e->share.begin =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, share, t), "begin"));
    e->share.end = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_load(b, share, cairn_ir_add_int(b, t, 1)), "end"));
    if (!scatter) return;
    e->share.cursor = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_load(b, share, cairn_ir_add_int(b, t, 2)), "own"));
    e->share.node = cairn_ir_load(b, share, cairn_ir_add_int(b, t, 3));
}

/// A thread's nodes where they are listed: from each to the next.
static void build_steps(build *e)
{
    cairn_ir             *b    = e->b;
    const int             top  = e->p->order.level[0];
    cairn_ir_array *const step = arg_array(b, CAIRN_PRODUCT_step, CAIRN_IR_U16, "step");
    cairn_ir_var *const   q    = cairn_ir_declare(b, e->share.cursor, "q");
    cairn_ir_var *const   p    = cairn_ir_declare(b, e->share.node, "p");
    cairn_ir_stmt   *loop = cairn_ir_for(b, e->share.begin, e->share.end, 1, NULL, "k");
    const cairn_ir_x k    = cairn_ir_mul_int(b, cairn_ir_loop_var(b, loop), 2);
    cairn_nest       nest;

    cairn_ir_assign(b, q,
                    cairn_ir_add(b, cairn_ir_use(b, q), cairn_ir_load(b, step, k)));
    cairn_ir_assign(b, p,
                    cairn_ir_add(b, cairn_ir_use(b, p),
                                 cairn_ir_load(b, step, cairn_ir_add_int(b, k, 1))));
    cairn_product_begin(e, &nest);
    cairn_nest_stand(&nest, top, cairn_ir_use(b, q));
    cairn_nest_stand(&nest, e->p->share.level, cairn_ir_use(b, p));
    cairn_product_enter(e, &nest, 2);
    cairn_ir_end(b);
}

static void build_listed_or_not(build *e)
{
    cairn_ir *b = e->b;

    cairn_ir_if(
        b, cairn_ir_lt(b, cairn_ir_int(b, 0), arg(e, CAIRN_PRODUCT_steps, "steps")));
    build_steps(e);
    cairn_ir_else(b);
    build_share(e);
    cairn_ir_end(b);
}

/// All sums of a leaf.
static cairn_ir_x leaf_total(cairn_ir *b, const cairn_y_sums *sums)
{
    cairn_ir_x all = cairn_ir_use(b, sums->row);

    if (sums->lanes == 0) return all;
    cairn_ir_var *const *const v = sums->vector;
    const cairn_ir_x           lanes =
        cairn_ir_add(b, cairn_ir_add(b, cairn_ir_use(b, v[0]), cairn_ir_use(b, v[1])),
                     cairn_ir_add(b, cairn_ir_use(b, v[2]), cairn_ir_use(b, v[3])));

    return cairn_ir_add(b, cairn_ir_lane_sum(b, lanes), all);
}

/// The share of thread @p t in leaves, whose rows of Y are added up.
static void build_leaves(build *e, cairn_ir_x t)
{
    cairn_ir           *b    = e->b;
    const int64_t       size = e->p->share.leaf;
    const cairn_ir_type type = e->p->product->accumulate;
    const cairn_ir_x    end  = e->share.end;
    cairn_ir_array     *into = arg_array(b, CAIRN_PRODUCT_y_sum, CAIRN_IR_F64, "y_sum");
    const bool   as_lanes = e->p->tile.kind == CAIRN_TILE_LANES || e->p->hints.abreast;
    cairn_y_sums sums   = {.lanes = as_lanes ? cairn_product_lanes(e->p->product) : 0};
    cairn_ir_stmt *loop = cairn_ir_for(b, e->share.begin, end, size, "leaves", "leaf");

    e->share.begin = cairn_ir_loop_var(b, loop);
    e->share.end   = cairn_ir_use(
          b,
          cairn_ir_let(b, cairn_ir_min(b, cairn_ir_add_int(b, e->share.begin, size), end),
                       "leaf_end"));
    sums.row = cairn_ir_declare(b, cairn_ir_real(b, type, 0), "rows");
    for (int k = 0; k < CAIRN_CHAINS && sums.lanes > 0; k++)
        sums.vector[k] = cairn_ir_declare(
            b, cairn_ir_splat(b, cairn_ir_real(b, type, 0), sums.lanes), "lanes%d", k);
    e->share.y_sums = &sums;
    build_share(e);
    e->share.y_sums = NULL;
    cairn_ir_store(b, into,
                   cairn_ir_add(b,
                                cairn_ir_binary(b, CAIRN_IR_DIV, e->share.begin,
                                                cairn_ir_int(b, size)),
                                t),
                   cairn_ir_cast(b, CAIRN_IR_F64, leaf_total(b, &sums)));
    cairn_ir_end(b);
}

void cairn_product_threads(build *e, void *user)
{
    cairn_ir *b = e->b;

    (void)user;
    cairn_product_cuts(e);
    if (e->p->share.kind == CAIRN_SHARE_NONE) {
        build_share(e);
        return;
    }
    cairn_ir_array *share = arg_array(b, CAIRN_PRODUCT_share, CAIRN_IR_I64, "share");
    cairn_ir_stmt  *loop =
        cairn_ir_for(b, cairn_ir_int(b, 0), arg(e, CAIRN_PRODUCT_shares, "shares"), 1,
                     "threads", "t");
    const cairn_ir_x t = cairn_ir_loop_var(b, loop);

    loop->turns = CAIRN_TURNS_THREADS;
    take_share(e, share, t);
    if (e->p->product->sums_y)
        build_leaves(e, t);
    else if (e->p->share.listed)
        build_listed_or_not(e);
    else
        build_share(e);
    cairn_ir_end(b);
}
