// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sums of rows: declared, filled by the loops below the row, joined to Y. A block's
/// columns are unrolled, with a chain each.

#include "lower/product/product_steps.h"

#include <stdio.h>

typedef cairn_product_build build;

void cairn_product_stand_rows(build            *e,
                              const cairn_nest *nest,
                              int               level,
                              cairn_ir_x        q,
                              int               count,
                              cairn_nest       *row,
                              cairn_sums       *sums)
{
    for (int r = 0; r < count; r++) {
        row[r] = *nest;
        if (r > 0) cairn_nest_stand(&row[r], level, cairn_ir_add_int(e->b, q, r));
        cairn_nest_dim(&row[r], e->p->out);
        sums[r] = (cairn_sums){
            .strips = 1, .strip = {{0, 1, 1}}, .inside = true, .single = true};
        cairn_product_declare(e, &sums[r]);
    }
}

/// Lanes of the sums of a strip.
static int sum_lanes(const build *e, const cairn_sums *s, int strip)
{
    if (e->columns.first) return e->columns.lanes;
    return s->packed ? (s->chains == 3 ? 4 : s->chains) : s->strip[strip].lanes;
}

static void declare_sums(build *e, cairn_sums *s)
{
    cairn_ir *b = e->b;

    s->vectors = e->columns.first && e->columns.vectors > 1 ? e->columns.vectors : 1;
    for (int r = 0; r < s->strips; r++)
        for (int c = 0; c < (s->packed ? 1 : s->chains); c++)
            for (int v = 0; v < s->vectors; v++) {
                char             name[16];
                int              n = snprintf(name, sizeof name, "s");
                const cairn_ir_x zero =
                    cairn_ir_splat(b, cairn_ir_real(b, e->p->product->accumulate, 0),
                                   sum_lanes(e, s, r));

                if (s->strips > 1) n += snprintf(name + n, sizeof name - n, "%d", r);
                if (s->chains > 1 && !s->packed)
                    n += snprintf(name + n, sizeof name - n, "%c", 'a' + c);
                if (s->vectors > 1) snprintf(name + n, sizeof name - n, "_%d", v);
                s->sum[r][c][v] = cairn_ir_declare(b, zero, "%s", name);
            }
}

/// May a row's chains be the lanes of one vector? Rows of a block whose columns lie side
/// by side, here and in x.
static bool packs(const build *e, const cairn_sums *s)
{
    const cairn_product_plan *p = e->p;
    const int                 n = p->chains == 3 ? 4 : p->chains;
    const int                 l = p->order.level[p->order.levels - 1];

    if (p->sum == CAIRN_SUM_FOUR && !e->columns.first)
        return cairn_plan_packs_chains(p);
    if (p->sum != CAIRN_SUM_COLUMNS || e->columns.first || !s->inside) return false;
    if (p->tile.kind == CAIRN_TILE_LANES || (n & (n - 1)) || n < 2) return false;
    if (n > cairn_product_lanes(p->product) || l != p->layout->levels - 1) return false;
    if (p->layout->values.tuple >= 0 || (n != p->chains && !p->tile.beyond))
        return false;
    for (int t = 0; t < p->layout->inverse.dim[p->in].terms; t++)
        if (p->layout->inverse.dim[p->in].var[t] == l)
            return p->layout->inverse.dim[p->in].num[t] == 1;
    return false;
}

typedef struct {
    const cairn_nest *nest;
    const cairn_sums *shape;
} group;

void cairn_product_declare(build *e, cairn_sums *s)
{
    const bool one = e->items && (e->items->chain || e->items->partial);

    s->chains = e->columns.first || one ? 1 : e->p->chains;
    s->packed = packs(e, s);
    declare_sums(e, s);
}

static void build_group(build *e, void *user)
{
    const group *g    = user;
    cairn_nest   nest = *g->nest;
    cairn_sums   s    = *g->shape;

    cairn_product_declare(e, &s);
    cairn_product_follow(e, &nest);
    cairn_product_add(e, &nest, &s, e->p->order.known);
    cairn_product_store(e, g->nest, &s);
}

/// Are there entries in the rows at hand? NULL: the level below them has no ptr that says
/// so, or it does not matter.
static cairn_ir_x any_entry(const build *e, const cairn_nest *nest)
{
    const cairn_product_plan *p = e->p;
    const int                 below =
        p->order.known < p->order.levels ? p->order.level[p->order.known] : -1;
    cairn_ir_x begin, end;

    if (!p->product->has_sums || e->run || below < 0) return NULL;
    if (!p->layout->level[below].arrays.has_ptr) return NULL;
    cairn_nest_range(nest, below, &begin, &end);
    return cairn_ir_lt(e->b, begin, end);
}

void cairn_product_group(build *e, const cairn_nest *nest, const cairn_sums *shape)
{
    const cairn_ir_x any = any_entry(e, nest);
    group            g   = {nest, shape};

    if (any) cairn_ir_if(e->b, any);
    if (e->p->product->columns == 1 || e->looped)
        build_group(e, &g);
    else
        cairn_product_columns(e, shape->strips, build_group, &g);
    if (any) cairn_ir_end(e->b);
}

/// The columns of a block, unrolled; or at once where they are lanes; or one of them.
static void add_columns(build *e, cairn_nest *nest, cairn_sums *s)
{
    const int l = e->p->order.level[e->p->order.levels - 1];

    if (e->items && e->items->chain) {
        cairn_nest_stand(nest, l, e->items->chain);
        cairn_product_term(e, nest, s, 0);
        return;
    }
    for (int c = 0; c < (s->packed ? 1 : e->p->chains); c++) {
        cairn_nest at = *nest;

        at.terse = true;
        cairn_nest_stand(&at, l, cairn_ir_int(e->b, c));
        cairn_product_term(e, &at, s, c);
    }
}

/// The nodes of the run at hand.
static void add_run(build *e, cairn_nest *nest, cairn_sums *s, int at)
{
    cairn_ir      *b    = e->b;
    cairn_ir_stmt *loop = cairn_ir_for(b, e->run, e->run_end, 1, "the run", "p");

    nest->open++;
    for (int l = e->p->order.run; l <= e->p->order.run_last; l++)
        nest->node[l] = cairn_ir_loop_var(b, loop);
    const cairn_ir_x run = e->run;

    e->run = NULL;
    cairn_product_add(e, nest, s, at);
    e->run = run;
}

static void add_level(build *e, cairn_nest *nest, cairn_sums *s, int at)
{
    const int l = e->p->order.level[at];

    /* Its index differs between lanes: found with each term. */
    if (e->p->tile.lanes >> l & 1) {
        nest->entered |= 1U << l;
    } else {
        cairn_nest_enter(nest, l);
        if (cairn_nest_loops(e->p->layout, l)) cairn_product_fetch(e, nest, s, at + 1);
    }
    cairn_product_add(e, nest, s, at + 1);
}

void cairn_product_add(build *e, cairn_nest *nest, cairn_sums *s, int at)
{
    const cairn_product_plan *p    = e->p;
    const int                 open = nest->open;
    cairn_nest                here = *nest;

    if (e->items && e->items->partial)
        cairn_product_join_pieces(e, s);
    else if (p->sum == CAIRN_SUM_FOUR && at == p->order.known && !e->columns.first)
        cairn_product_chains(e, &here, s);
    else if (p->share.cuts.any && at == p->order.known && e->columns.first && !e->rest)
        cairn_product_rest(e, &here, s);
    else if (e->run)
        add_run(e, &here, s, at);
    else if (at == p->order.levels)
        cairn_product_term(e, &here, s, 0);
    else if (p->sum == CAIRN_SUM_COLUMNS && at == p->order.levels - 1)
        add_columns(e, &here, s);
    else
        add_level(e, &here, s, at);
    cairn_nest_leave(&here, open);
}

/// The place of the tiled level of which the row is, where the tile runs over rows: the
/// row without what the other levels add to it.
static cairn_ir_x place_of_row(const build *e, const cairn_nest *nest, cairn_ir_x row)
{
    const cairn_linear *out  = &e->p->layout->inverse.dim[e->p->out];
    cairn_linear        rest = {.constant = -out->constant, .den = 1};
    cairn_ir           *b    = e->b;

    for (int t = 0; t < out->terms; t++) {
        if (out->var[t] == e->p->tile.level) continue;
        rest.var[rest.terms]   = out->var[t];
        rest.num[rest.terms++] = -out->num[t];
    }
    return cairn_ir_sub(b, cairn_ir_add(b, row, cairn_nest_sum(nest, &rest)),
                        cairn_nest_lo(nest, e->p->tile.level));
}

void cairn_product_stand(const build      *e,
                         cairn_nest       *nest,
                         const cairn_sums *s,
                         int               strip)
{
    const cairn_product_plan *p     = e->p;
    cairn_ir                 *b     = e->b;
    const cairn_row_strip     shape = s->strip[strip];

    if (!s->first) return;
    nest->terse = true;
    if (p->tile.shifted)
        cairn_nest_stand(
            nest, p->tile.level,
            place_of_row(e, nest, cairn_ir_add_int(b, s->first, shape.offset)));
    else
        cairn_nest_stand(nest, p->tile.level,
                         cairn_ir_add_int(b, s->first, shape.offset));
    for (int l = 0; l < p->layout->levels; l++) {
        if (!(p->tile.lanes >> l & 1) || !(nest->entered >> l & 1)) continue;
        if (p->order.rows >> l & 1) continue;
        const cairn_ir_x last = cairn_ir_add_int(
            b, cairn_ir_add(b, cairn_nest_lo(nest, l), cairn_nest_size(nest, l)), -1);

        nest->index[l] = cairn_ir_min(
            b,
            cairn_ir_load_lanes(b, cairn_nest_idx(nest, l),
                                cairn_nest_combination(nest, l), shape.lanes),
            last);
    }
}

static void add_to(build *e, cairn_ir_var *sum, cairn_ir_x a, cairn_ir_x x)
{
    cairn_ir *b = e->b;

    cairn_ir_assign(b, sum,
                    cairn_ir_add(b, cairn_ir_use(b, sum), cairn_ir_mul(b, a, x)));
}

void cairn_product_guard(build *e, cairn_nest *at)
{
    const cairn_product_plan *p = e->p;
    cairn_ir                 *b = e->b;

    if (p->tile.shifted) {
        const cairn_ir_x place =
            cairn_ir_use(b, cairn_ir_let(b, at->place[p->tile.level], "q"));

        cairn_ir_if(
            b, cairn_ir_and(b, cairn_ir_le(b, cairn_ir_int(b, 0), place),
                            cairn_ir_lt(b, place, cairn_nest_size(at, p->tile.level))));
        at->open++;
        cairn_nest_stand(at, p->tile.level, place);
    }
    if (p->guard_x || !p->layout->inverse.exact) {
        at->terse = false;
        cairn_nest_dim(at, p->in);
        if (p->guard_x) cairn_nest_guard(at, p->in);
        if (!p->layout->inverse.exact) {
            cairn_nest_dim(at, p->out);
            cairn_nest_check(at);
        }
    }
}

cairn_ir_x cairn_product_x_at(const build *e, cairn_ir_x j, int v)
{
    cairn_ir        *b = e->b;
    const cairn_ir_x stride =
        cairn_product_arg(b, CAIRN_PRODUCT_x_stride, CAIRN_IR_I64, "x_stride");

    return cairn_ir_add_int(
        b, cairn_ir_add(b, cairn_ir_mul(b, j, stride), e->columns.first),
        v * e->columns.lanes);
}

/// Rows of X by vectors, each used for all rows of the tile.
static void add_vectors(build *e, const cairn_nest *nest, cairn_sums *s)
{
    cairn_ir  *b = e->b;
    cairn_ir_x x[CAIRN_VECTORS];

    for (int r = 0; r < s->strips; r++) {
        cairn_nest at = *nest;

        cairn_product_stand(e, &at, s, r);
        if (!s->inside) cairn_product_guard(e, &at);
        const cairn_ir_x j = cairn_nest_dim(&at, e->p->in);

        for (int v = 0;
             v < s->vectors && (r == 0 || e->p->tile.reach != CAIRN_REACH_ONE); v++)
            x[v] = cairn_product_x(e, cairn_product_x_at(e, j, v), e->columns.lanes);
        for (int v = 0; v < s->vectors && r == 0 && s->strips > 1
                        && e->p->tile.reach == CAIRN_REACH_ONE;
             v++)
            x[v] = cairn_ir_use(b, cairn_ir_let(b, x[v], "x%d", v));
        cairn_ir_x a = cairn_product_value(e, &at, 1);

        if (s->vectors > 1 || e->columns.lanes > 1)
            a = cairn_ir_use(
                b, cairn_ir_let(b, cairn_ir_splat(b, a, e->columns.lanes), "a"));
        for (int v = 0; v < s->vectors; v++)
            add_to(e, s->sum[r][0][v], a, x[v]);
        cairn_nest_leave(&at, nest->open);
    }
}

/// x for the lanes of a strip that starts @p offset rows after the tile.
static cairn_ir_x x_of_strip(build            *e,
                             const cairn_nest *nest,
                             const cairn_sums *s,
                             int               strip,
                             cairn_ir_x        j)
{
    cairn_ir             *b     = e->b;
    const cairn_row_strip shape = s->strip[strip];
    cairn_nest            at    = *nest;

    if (e->p->tile.reach != CAIRN_REACH_GATHER)
        return cairn_product_x(e, cairn_ir_add_int(b, j, shape.offset), shape.lanes);
    cairn_product_stand(e, &at, s, strip);
    return cairn_product_x(e, cairn_nest_dim(&at, e->p->in), shape.lanes);
}

/// Many strips of one tile: values, and x where it goes along, count from one position.
static void add_tile(build *e, const cairn_nest *nest, cairn_sums *s, int chain)
{
    const cairn_product_plan *p  = e->p;
    cairn_ir                 *b  = e->b;
    cairn_nest                at = *nest;
    cairn_ir_x                x = NULL, j = NULL;

    cairn_product_stand(e, &at, s, 0);
    const cairn_ir_x q = cairn_ir_use(b, cairn_ir_let(b, cairn_nest_value(&at), "p"));

    if (p->tile.reach != CAIRN_REACH_GATHER) j = cairn_nest_dim(&at, p->in);
    if (p->tile.reach == CAIRN_REACH_NEXT)
        j = cairn_ir_use(b, cairn_ir_let(b, j, "%c", "ij"[p->in]));
    if (p->tile.reach == CAIRN_REACH_ONE)
        x = cairn_ir_use(b,
                         cairn_ir_let(b, cairn_product_x(e, j, 1), "%cx", "ij"[p->in]));
    for (int r = 0; r < s->strips; r++)
        add_to(e, s->sum[r][chain][0],
               cairn_product_value_at(e, nest,
                                      cairn_ir_add_int(b, q, s->strip[r].offset),
                                      s->strip[r].lanes),
               x ? x : x_of_strip(e, nest, s, r, j));
}

/// Where the term at hand stands among those that have been multiplied.
static cairn_ir_x place_of_term(const build *e, const cairn_nest *nest)
{
    const cairn_product_plan *p  = e->p;
    cairn_ir                 *b  = e->b;
    cairn_ir_x                at = e->items->visit;

    if (!at) return cairn_ir_sub(b, cairn_nest_value(nest), e->items->base);
    for (int k = p->order.known; k < p->order.levels; k++) {
        const int l = p->order.level[k];

        if (p->layout->level[l].trimmed) continue;
        at = cairn_ir_add(b, cairn_ir_mul(b, at, cairn_nest_size(nest, l)),
                          nest->place[l]);
    }
    return at;
}

/// A term that has been multiplied; 0 where the processor leaves it out, which changes no
/// sum: none is -0.
static void add_staged(build *e, const cairn_nest *nest, cairn_sums *s, int chain)
{
    cairn_ir     *b   = e->b;
    cairn_ir_var *sum = s->sum[0][chain][0];
    cairn_nest    at  = *nest;

    cairn_product_stand(e, &at, s, 0);
    cairn_ir_assign(
        b, sum,
        cairn_ir_add(b, cairn_ir_use(b, sum),
                     cairn_ir_load(b, e->items->staged,
                                   cairn_product_slot(b, place_of_term(e, &at)))));
}

void cairn_product_term(build *e, const cairn_nest *nest, cairn_sums *s, int chain)
{
    const cairn_product_plan *p = e->p;
    cairn_ir                 *b = e->b;
    cairn_ir_x                x = NULL;

    if (cairn_product_is_staged(e)) {
        add_staged(e, nest, s, chain);
        return;
    }
    if (e->columns.first) {
        add_vectors(e, nest, s);
        return;
    }
    if (p->tile.kind == CAIRN_TILE_LANES && s->strips > 1) {
        add_tile(e, nest, s, chain);
        return;
    }
    for (int r = 0; r < s->strips; r++) {
        cairn_nest at = *nest;
        const int  lanes =
            s->packed ? (s->chains == 3 ? 4 : s->chains) : s->strip[r].lanes;

        cairn_product_stand(e, &at, s, r);
        if (!s->inside) cairn_product_guard(e, &at);
        if (!x || p->tile.reach != CAIRN_REACH_ONE) {
            const bool one = p->tile.reach == CAIRN_REACH_ONE && !s->packed;

            at.terse = true;
            x        = cairn_product_x(e, cairn_nest_dim(&at, p->in), one ? 1 : lanes);
            if (p->tile.reach == CAIRN_REACH_ONE && s->strips > 1)
                x = cairn_ir_use(b, cairn_ir_let(b, x, "%cx", "ij"[p->in]));
        }
        add_to(e, s->sum[r][s->packed ? 0 : chain][0],
               cairn_product_value(e, &at, lanes), x);
        cairn_nest_leave(&at, nest->open);
    }
}
