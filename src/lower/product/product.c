// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The frame of a product's kernel: what it is given, rows set to 0 where not all are
/// written, threads, and the levels down to where the row is known.

#include "lower/product/product.h"

#include "ir/passes.h"
#include "lower/product/product_steps.h"

#include <stdio.h>

typedef cairn_product_build build;

cairn_ir_x
cairn_product_arg(cairn_ir *b, int field, cairn_ir_type type, const char *name)
{
    return cairn_ir_param(b, (cairn_ir_field){.source = CAIRN_IR_ARG, .level = field},
                          type, "%s", name);
}

#define ARG(b, name) cairn_product_arg(b, CAIRN_PRODUCT_##name, CAIRN_IR_I64, #name)

static cairn_ir_array *
arg_array(cairn_ir *b, int field, cairn_ir_type type, const char *name)
{
    return cairn_ir_array_of(
        b, (cairn_ir_field){.source = CAIRN_IR_ARG, .level = field}, type, "%s", name);
}

void cairn_product_take_arguments(build *e)
{
    cairn_ir *b = e->b;

    e->x = arg_array(b, CAIRN_PRODUCT_x, e->p->product->operand, "x");
    e->y = arg_array(b, CAIRN_PRODUCT_y, cairn_product_result(e->p->product), "y");

    e->lo[0]  = ARG(b, row_lo);
    e->end[0] = ARG(b, row_end);
    e->lo[1]  = ARG(b, col_lo);
    e->end[1] = ARG(b, col_end);
}

/// Y as it is without any value: 0, where rows may not be met; or what stands beside it,
/// rounded.
static void fill_rows(build *e)
{
    cairn_ir *const     b    = e->b;
    const cairn_ir_type type = cairn_product_result(e->p->product);
    const cairn_ir_x    rows = cairn_ir_sub(b, e->end[e->p->out], e->lo[e->p->out]);
    cairn_ir_stmt      *row, *column = NULL;

    row           = cairn_ir_for(b, cairn_ir_int(b, 0), rows, 1, NULL, "r");
    cairn_ir_x at = cairn_ir_loop_var(b, row);

    if (e->p->product->columns != 1) {
        at     = cairn_ir_mul(b, at, ARG(b, y_stride));
        column = cairn_ir_for(b, cairn_ir_int(b, 0), ARG(b, columns), 1, NULL, "c");
        at     = cairn_ir_add(b, at, cairn_ir_loop_var(b, column));
    }
    cairn_ir_store(b, e->y, at,
                   e->p->product->rounds ? cairn_ir_cast(
                       b, type, cairn_ir_load(b, cairn_product_joined(e), at))
                                         : cairn_ir_real(b, type, 0));
    if (column) cairn_ir_end(b);
    cairn_ir_end(b);
}

/// x[j], and its guard, as soon as the levels of j have been entered and others loop
/// below.
static void find_x_early(build *e, cairn_nest *nest, int at)
{
    const cairn_layout *layout = e->p->layout;
    const uint32_t      needed = cairn_nest_levels_of(layout, e->p->in);

    if (e->x_value || e->items || e->p->product->columns != 1 || !layout->inverse.exact)
        return;
    if (e->p->order.known < e->p->order.levels || (needed & ~nest->entered)
        || at >= e->p->order.levels)
        return;
    const cairn_ir_x j = cairn_nest_dim(nest, e->p->in);

    if (!cairn_nest_inside(layout, e->p->in, nest->entered))
        cairn_nest_guard(nest, e->p->in);
    e->x_value = cairn_ir_use(
        e->b, cairn_ir_let(e->b, cairn_product_x(e, j, 1), "%cx", "ij"[e->p->in]));
}

/// The nodes run .. run_end-1 have the same indices in the levels of the row.
static void find_run(build *e, cairn_nest *nest, cairn_ir_x end, cairn_ir_var *q)
{
    cairn_ir  *b    = e->b;
    cairn_ir_x same = cairn_ir_lt(b, cairn_ir_use(b, q), end);

    for (int l = e->p->order.run; l <= e->p->order.run_last; l++) {
        if (!nest->index[l]) continue; /* the same for all */
        const cairn_ir_x next =
            cairn_ir_load(b, cairn_nest_idx(nest, l), cairn_ir_use(b, q));

        same = cairn_ir_and(b, same, cairn_ir_eq(b, next, nest->index[l]));
    }
    cairn_ir_while(b, same);
    cairn_ir_assign(b, q, cairn_ir_add_int(b, cairn_ir_use(b, q), 1));
    cairn_ir_end(b);
    e->run_end = cairn_ir_use(b, q);
}

static void
enter_run(build *e, cairn_nest *nest, int at, cairn_ir_x begin, cairn_ir_x end)
{
    cairn_ir *b = e->b;
    char      name[CAIRN_NEST_NAME], note[CAIRN_NEST_NOTE];

    cairn_nest_name(e->p->layout, e->p->order.run, name);
    cairn_nest_note(e->p->layout, e->p->order.run, note);
    cairn_ir_note(b, "%s: entries of a row follow each other", note);
    cairn_ir_var *const next = cairn_product_first_cut(e, begin);
    cairn_ir_var       *p    = cairn_ir_declare(b, begin, "p%s", name);

    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, p), end));
    for (int l = e->p->order.run; l <= e->p->order.run_last; l++)
        cairn_nest_stand(nest, l, cairn_ir_use(b, p));
    cairn_ir_var *q = cairn_ir_declare(
        b, cairn_ir_add_int(b, cairn_ir_use(b, p), next ? 0 : 1), "q%s", name);

    if (next) cairn_product_pass_cuts(e, next, q);
    find_run(e, nest, end, q);
    e->run = cairn_ir_use(b, p);
    cairn_product_enter(e, nest, at + e->p->order.run_last - e->p->order.run + 1);
    cairn_ir_assign(b, p, e->run_end);
    cairn_ir_end(b);
}

static void enter_level(build *e, cairn_nest *nest, int at)
{
    const cairn_product_plan *p = e->p;
    const int                 l = p->order.level[at];
    cairn_ir_x                begin, end;

    if (p->layout->level[l].determined.on) {
        cairn_nest_enter(nest, l);
    } else {
        cairn_nest_range(nest, l, &begin, &end);
        if (e->share.begin) cairn_product_own_range(e, nest, l, &begin, &end);
        if (l == p->order.run) {
            enter_run(e, nest, at, begin, end);
            return;
        }
        if (p->hints.abreast) {
            cairn_product_abreast(e, nest, at, begin, end);
            return;
        }
        if (p->hints.alike && at + 1 == p->order.known) {
            cairn_product_alike(e, nest, at, begin, end);
            return;
        }
        if (p->hints.beside && at + 1 == p->order.known) {
            cairn_product_beside(e, nest, at, begin, end);
            return;
        }
        if (p->empty && !e->items && at + 1 == p->order.known) {
            cairn_product_empty(e, nest, at, begin, end);
            return;
        }
        if (cairn_nest_loops(p->layout, l))
            cairn_nest_enter_range(nest, l, begin, end);
        else
            cairn_nest_stand(nest, l, begin);
    }
    find_x_early(e, nest, at + 1);
    cairn_product_enter(e, nest, at + 1);
}

void cairn_product_enter(build *e, cairn_nest *nest, int at)
{
    const cairn_product_plan *p        = e->p;
    const int                 open     = nest->open;
    const cairn_nest          before   = *nest;
    const cairn_ir_x          x_before = e->x_value;
    const bool                meets    = e->items && e->items->meet;

    if (meets && at == p->order.known)
        e->items->meet(e, nest);
    else if (!meets && p->tile.kind != CAIRN_TILE_NONE
             && (p->tile.shifted
                 || (at < p->order.levels && p->order.level[at] == p->tile.level)))
        cairn_product_tile(e, nest, at);
    else if (at == p->order.levels)
        cairn_product_point(e, nest);
    else if (at == p->order.known)
        cairn_product_row(e, nest);
    else
        enter_level(e, nest, at);
    cairn_nest_leave(nest, open);
    *nest      = before;
    e->x_value = x_before;
}

/// Is there a level of constant size where an empty box has none, or are rows met by their
/// places, of which they have none in a box without columns?
static bool counts_on_values(const cairn_product_plan *p)
{
    const cairn_layout *layout = p->layout;
    int64_t             lo, size;

    for (int l = layout->partition + 1; l < layout->first; l++)
        if (cairn_nest_constant(layout, l, &lo, &size) && size != 1) return true;
    for (int l = 0; l < layout->levels; l++)
        if ((p->order.rows >> l & 1) && layout->level[l].indirect) return true;
    return false;
}

/// Rows that may not be met are 0 first. A part without values is done then, and what it
/// rounds is rounded: complete levels may have very many indices, and those of constant
/// size may have none.
static void begin_rows(build *e)
{
    cairn_ir            *b       = e->b;
    const cairn_product *product = e->p->product;
    const cairn_ir_x     values  = cairn_ir_param(
             b, (cairn_ir_field){.source = CAIRN_IR_VALUES}, CAIRN_IR_I64, "A_values");

    if (e->p->order.complete && !counts_on_values(e->p)) return;
    if (!e->p->order.complete && !product->adds) fill_rows(e);
    cairn_ir_if(b, cairn_ir_eq(b, values, cairn_ir_int(b, 0)));
    if ((e->p->order.complete && !product->adds) || product->rounds) fill_rows(e);
    cairn_ir_return(b, cairn_ir_int(b, 0));
    cairn_ir_end(b);
}

static void build_body(build *e)
{
    cairn_product_take_arguments(e);
    begin_rows(e);
    if (e->p->product->columns != 1 && e->p->hints.by_columns
        && e->p->order.known < e->p->order.levels) {
        e->looped = true;
        cairn_product_columns(e, e->p->tile.constant ? (int)e->p->tile.constant : 1,
                              cairn_product_threads, NULL);
    } else {
        cairn_product_threads(e, NULL);
    }
}

void cairn_product_describe(build *e)
{
    const cairn_product *product = e->p->product;
    const bool           many    = product->columns != 1;
    char                 levels[320];
    size_t               n = 0;

    cairn_ir_describe(
        e->b, "%s(%s) %s %sA(%s)*%s(%s)", many ? "Y" : "y", many ? "i,c" : "i",
        product->rounds && many ? "= sums(i,c) +"
        : product->rounds       ? "= sums(i) +"
        : product->adds         ? "+="
                                : "=",
        product->scaled ? "alpha*" : "", product->transposed ? "j,i" : "i,j",
        many ? "X" : "x", many ? "j,c" : "j");
    levels[0] = '\0';
    for (int l = 0; l < e->p->layout->levels && n < sizeof levels; l++) {
        char note[CAIRN_NEST_NOTE];

        cairn_nest_note(e->p->layout, l, note);
        n += (size_t)snprintf(levels + n, sizeof levels - n, "%s%s", l ? "; " : "",
                              note);
    }
    cairn_ir_describe(e->b, "A: %s", levels);

    char *key = NULL;

    /* A failure here is the function's. */
    e->b->status = cairn_product_key(e->b->env, e->p->layout, e->p->product, &key);
    if (e->b->status == CAIRN_OK) cairn_ir_describe(e->b, "key: %s", key);
    cairn_free(e->b->env, key);
}

cairn_status cairn_product_lower(cairn_env            *env,
                                 const cairn_layout   *layout,
                                 const cairn_product  *product,
                                 const char           *name,
                                 cairn_product_kernel *kernel)
{
    cairn_product_plan plan;
    cairn_ir           b;
    cairn_ir_function *function;

    CAIRN_CHECK(layout->order == 2, env, CAIRN_BAD_SHAPE,
                "product: %s: the tensor has order %d, not 2", name, layout->order);
    cairn_product_plan_make(layout, product, &plan);
    cairn_ir_begin(&b, env, name, CAIRN_ABI_PRODUCT);
    build e = {.b = &b, .p = &plan};

    if (b.status == CAIRN_OK) {
        /* Else gcc 12 has a tile read its lines of X from both ends in turns: where X does
           not begin with a line, 64,000 rows in diagonals took 1 us of 27 more (Zen 5). */
        b.function->in_order = product->sums_y;
        cairn_product_describe(&e);
        build_body(&e);
    }
    CAIRN_TRY(cairn_passes_finish(env, &b, &function));
    *kernel = (cairn_product_kernel){function, plan.share};
    return CAIRN_OK;
}

cairn_share cairn_product_share(const cairn_layout  *layout,
                                const cairn_product *product)
{
    cairn_product_plan plan;

    cairn_product_plan_make(layout, product, &plan);
    return plan.share;
}
