// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where sums end: chains are added up in one fixed order, multiplied by alpha, and join
/// Y; elements of X and of the values as sums take them.

#include "lower/product/product_steps.h"

typedef cairn_product_build build;

int cairn_product_lanes(const cairn_product *product)
{
    return product->vector_bytes / cairn_ir_type_bytes(product->accumulate);
}

cairn_ir_type cairn_product_result(const cairn_product *product)
{
    return product->wide && !product->rounds ? product->accumulate : product->operand;
}

static cairn_ir_x widen(const build *e, cairn_ir_x x)
{
    return cairn_ir_cast(e->b, e->p->product->accumulate, x);
}

cairn_ir_x cairn_product_x(const build *e, cairn_ir_x j, int lanes)
{
    if (j->lanes > 1) return widen(e, cairn_ir_gather(e->b, e->x, j));
    return widen(e, cairn_ir_load_lanes(e->b, e->x, j, lanes));
}

cairn_ir_x cairn_product_value(const build *e, const cairn_nest *nest, int lanes)
{
    return cairn_product_value_at(e, nest, cairn_nest_value(nest), lanes);
}

/* Whatever a value is stored as, it is widened before anything is computed: the order of a
 * sum, and so its bits, do not depend on it. */
cairn_ir_x
cairn_product_value_at(const build *e, const cairn_nest *nest, cairn_ir_x at, int lanes)
{
    cairn_ir             *b      = e->b;
    const cairn_ir_array *values = cairn_nest_values(nest);

    switch (e->p->layout->values.kind) {
    case CAIRN_VALUE_ONE:
        at = widen(e, cairn_ir_load(b, values, cairn_ir_int(b, 0)));
        return lanes > 1 ? cairn_ir_splat(b, at, lanes) : at;
    case CAIRN_VALUE_CODE:
        return widen(e, cairn_ir_gather(b, cairn_nest_dictionary(nest),
                                        cairn_ir_load_lanes(b, values, at, lanes)));
    default: return widen(e, cairn_ir_load_lanes(b, values, at, lanes));
    }
}

cairn_ir_x cairn_product_slot(cairn_ir *b, cairn_ir_x at)
{
    return cairn_ir_add(b, at,
                        cairn_ir_binary(b, CAIRN_IR_DIV, at, cairn_ir_int(b, 16)));
}

cairn_ir_x cairn_product_row_at(const build *e, cairn_ir_x row, cairn_ir_x column)
{
    cairn_ir *b = e->b;

    row = cairn_ir_mul(
        b, row, cairn_product_arg(b, CAIRN_PRODUCT_y_stride, CAIRN_IR_I64, "y_stride"));
    return cairn_ir_add(b, row, column);
}

cairn_ir_x cairn_product_y_at(const build *e, cairn_ir_x row, cairn_ir_x column)
{
    const cairn_ir_x at = cairn_ir_sub(e->b, row, e->lo[e->p->out]);

    return column ? cairn_product_row_at(e, at, column) : at;
}

static cairn_ir_x times_alpha(const build *e, cairn_ir_x sum)
{
    if (!e->p->product->scaled) return sum;
    const cairn_ir_x alpha =
        cairn_product_arg(e->b, CAIRN_PRODUCT_alpha, CAIRN_IR_F64, "alpha");

    return cairn_ir_mul(e->b, widen(e, alpha), sum);
}

/// A sum times alpha. A negative alpha must not make -0 of 0: added to a Y that is 0 it
/// would be 0, and Y has the same bits with any part computed apart.
static cairn_ir_x scale(const build *e, cairn_ir_x sum)
{
    sum = times_alpha(e, sum);
    if (!e->p->product->scaled) return sum;
    return cairn_ir_add(e->b, sum, cairn_ir_real(e->b, e->p->product->accumulate, 0));
}

cairn_ir_array *cairn_product_joined(const build *e)
{
    if (!e->p->product->rounds) return e->y;
    return cairn_ir_array_of(
        e->b, (cairn_ir_field){.source = CAIRN_IR_ARG, .level = CAIRN_PRODUCT_sums},
        e->p->product->accumulate, "sums");
}

/// Add what joins Y to the leaf's sums. @return the same under a name.
static cairn_ir_x sum_up(const build *e, cairn_ir_x sum)
{
    cairn_ir           *b    = e->b;
    cairn_y_sums *const sums = e->share.y_sums;

    if (sum->op != CAIRN_IR_VAR) sum = cairn_ir_use(b, cairn_ir_let(b, sum, "total"));
    cairn_ir_var *const into = sum->lanes > 1 && sum->lanes == sums->lanes
                                   ? sums->vector[sums->next++ % CAIRN_CHAINS]
                                   : sums->row;

    cairn_ir_assign(b, into,
                    cairn_ir_add(b, cairn_ir_use(b, into),
                                 into == sums->row && sum->lanes > 1
                                     ? cairn_ir_lane_sum(b, sum)
                                     : sum));
    return sum;
}

/// Y at @p at becomes or grows by @p sum.
static void join(const build *e, cairn_ir_x at, cairn_ir_x sum, bool grows)
{
    cairn_ir *b = e->b;

    sum = scale(e, sum);
    if (e->share.y_sums) /* as it is rounded: beyond f32 it is infinite */
        sum = sum_up(
            e, widen(e, cairn_ir_cast(b, cairn_product_result(e->p->product), sum)));
    if (grows)
        sum = cairn_ir_add(
            b,
            widen(e, cairn_ir_load_lanes(b, cairn_product_joined(e), at, sum->lanes)),
            sum);
    cairn_ir_store(b, e->y, at,
                   cairn_ir_cast(b, cairn_product_result(e->p->product), sum));
}

static bool grows(const build *e)
{
    return e->p->product->adds || !e->p->order.once;
}

void cairn_product_join_total(const build *e, cairn_ir_x at, cairn_ir_x total)
{
    join(e, at, total, grows(e));
}

/// Chains lo..hi-1 in pairs: (0 + 1) + (2 + 3).
static cairn_ir_x
pairs(const build *e, const cairn_sums *s, int strip, int vector, int lo, int hi)
{
    const int middle = lo + (hi - lo + 1) / 2;

    if (hi - lo == 1 && lo == 0 && s->first_chain)
        return cairn_ir_use(e->b, s->first_chain);
    if (hi - lo == 1) {
        const cairn_ir_x all =
            cairn_ir_use(e->b, s->sum[strip][s->packed ? 0 : lo][vector]);

        return s->packed ? cairn_ir_lane(e->b, all, lo) : all;
    }
    return cairn_ir_add(e->b, pairs(e, s, strip, vector, lo, middle),
                        pairs(e, s, strip, vector, middle, hi));
}

cairn_ir_x
cairn_product_total(const build *e, const cairn_sums *s, int strip, int vector)
{
    const cairn_ir_x sum = pairs(e, s, strip, vector, 0, s->chains);

    return s->row ? cairn_ir_add(e->b, cairn_ir_use(e->b, s->row), sum) : sum;
}

/// The sums of a strip under a name.
static cairn_ir_x declared_total(const build *e, const cairn_sums *s, int strip)
{
    const cairn_ir_x sum = cairn_product_total(e, s, strip, 0);

    return sum->op == CAIRN_IR_VAR
               ? sum
               : cairn_ir_use(e->b, cairn_ir_let(e->b, sum, "total"));
}

/// Stand at lane @p k of the tile.
static cairn_nest
at_lane(const build *e, const cairn_nest *nest, const cairn_sums *s, int k)
{
    const int  l  = e->p->tile.level;
    cairn_nest at = *nest;

    at.place[l] = cairn_ir_add_int(e->b, s->first, k);
    at.index[l] = cairn_ir_add(e->b, at.place[l], cairn_nest_lo(nest, l));
    return at;
}

/// The lanes of a strip one by one: rows that are not neighbours, or rubbish beyond.
static void store_lanes(build            *e,
                        const cairn_nest *nest,
                        const cairn_sums *s,
                        int               strip,
                        cairn_ir_x        sum)
{
    cairn_ir             *b     = e->b;
    const cairn_row_strip shape = s->strip[strip];

    for (int k = 0; k < shape.used; k++) {
        cairn_nest at = at_lane(e, nest, s, shape.offset + k);

        for (int l = 0; l < e->p->layout->levels; l++)
            if (e->p->tile.lanes & e->p->order.rows & 1U << l) cairn_nest_enter(&at, l);
        cairn_ir_x row = cairn_nest_sum(&at, &e->p->layout->inverse.dim[e->p->out]);

        if (e->p->tile.moved
            && e->p->guard_row) { /* no test of the tile has seen this row */
            at.dim[e->p->out] = row = cairn_ir_use(b, cairn_ir_let(b, row, "row"));
            cairn_nest_guard(&at, e->p->out);
        }
        join(e, cairn_product_y_at(e, row, NULL), cairn_ir_lane(b, sum, k), grows(e));
        cairn_nest_leave(&at, nest->open);
    }
}

/// The level whose stored index is the row of each lane; -1: the row follows from more.
static int listed_rows(const cairn_product_plan *p)
{
    const uint32_t      listed = p->tile.lanes & p->order.rows;
    const cairn_linear *out    = &p->layout->inverse.dim[p->out];

    if (!listed || listed & (listed - 1)) return -1;
    const int l = __builtin_ctz(listed);

    return out->terms == 1 && out->var[0] == l && out->num[0] == 1 && out->den == 1
                   && out->constant == 0
               ? l
               : -1;
}

/// Is each row of the tile the one before and 1, from @p first on, and none a hole, which
/// is beyond all rows? Where rows are in another order the first and the last tell it
/// soonest.
static cairn_ir_x rows_follow(const build      *e,
                              const cairn_nest *nest,
                              const cairn_sums *s,
                              int               l,
                              cairn_ir_x       *first)
{
    cairn_ir             *b    = e->b;
    const cairn_nest      at   = at_lane(e, nest, s, 0);
    const cairn_ir_array *idx  = cairn_nest_idx(&at, l);
    const cairn_ir_x      from = cairn_nest_combination(&at, l);
    const cairn_ir_x      last =
        cairn_ir_load(b, idx, cairn_ir_add_int(b, from, e->width - 1));
    const cairn_ir_x hole = cairn_nest_hole(nest, l);

    *first         = cairn_ir_load(b, idx, from);
    cairn_ir_x all = cairn_ir_eq(b, last, cairn_ir_add_int(b, *first, e->width - 1));

    for (int k = 0; k < s->strips; k++) {
        const cairn_row_strip shape = s->strip[k];
        const cairn_ir_x      place = cairn_ir_add_int(b, from, shape.offset);

        if (k > 0 && k < s->strips - 1)
            all = cairn_ir_and(b, all,
                               cairn_ir_eq(b, cairn_ir_load(b, idx, place),
                                           cairn_ir_add_int(b, *first, shape.offset)));
        if (shape.lanes == 1) continue;
        all = cairn_ir_and(
            b, all,
            cairn_ir_follow(b, cairn_ir_load_lanes(b, idx, place, shape.lanes)));
    }
    all = cairn_ir_and(b, all, cairn_ir_ne(b, last, hole));
    if (!e->p->guard_row) return all;
    return cairn_ir_and(b, all,
                        cairn_ir_and(b, cairn_ir_le(b, nest->lo[e->p->out], *first),
                                     cairn_ir_lt(b, last, nest->end[e->p->out])));
}

/// A tile whose rows are stored: its vectors at once where the rows follow each other, as
/// rows of one length do that were sorted by it, else lane by lane.
static void store_moved(build *e, const cairn_nest *nest, const cairn_sums *s)
{
    cairn_ir             *b   = e->b;
    const cairn_row_strip end = s->strip[s->strips - 1];
    const int             l   = end.used == end.lanes ? listed_rows(e->p) : -1;
    cairn_ir_x            total[CAIRN_ROW_STRIPS], first;

    for (int k = 0; k < s->strips; k++)
        total[k] = declared_total(e, s, k);
    if (l >= 0) {
        cairn_ir_if(b, rows_follow(e, nest, s, l, &first));
        first = cairn_ir_use(b, cairn_ir_let(b, first, "%c", "ij"[e->p->out]));
        for (int k = 0; k < s->strips; k++)
            join(e,
                 cairn_product_y_at(e, cairn_ir_add_int(b, first, s->strip[k].offset),
                                    NULL),
                 total[k], grows(e));
        cairn_ir_else(b);
    }
    for (int k = 0; k < s->strips; k++)
        store_lanes(e, nest, s, k, total[k]);
    if (l >= 0) cairn_ir_end(b);
}

/// Row of the strip's first lane.
static cairn_ir_x
row_of(const build *e, const cairn_nest *nest, const cairn_sums *s, int strip)
{
    cairn_nest at = *nest;

    if (e->p->tile.shifted || s->single)
        return cairn_ir_add_int(e->b, nest->dim[e->p->out], s->strip[strip].offset);
    cairn_product_stand(e, &at, s, strip);
    return cairn_nest_sum(&at, &e->p->layout->inverse.dim[e->p->out]);
}

static void
join_vectors(build *e, cairn_ir_x row, const cairn_sums *s, int strip, bool bypass)
{
    cairn_ir *b = e->b;

    for (int v = 0; v < s->vectors; v++) {
        const cairn_ir_x column =
            e->columns.first
                ? cairn_ir_add_int(b, e->columns.first, v * e->columns.lanes)
                : NULL;
        const cairn_ir_x at  = cairn_product_y_at(e, row, column);
        const cairn_ir_x sum = cairn_product_total(e, s, strip, v);

        if (bypass)
            cairn_ir_store(
                b, e->y, at,
                cairn_ir_cast(b, cairn_product_result(e->p->product), scale(e, sum)))
                ->stream = true;
        else
            join(e, at, sum, grows(e));
    }
}

/// Are rows of Y whole lines of the caches, and aligned alike? They may begin anywhere in
/// a line: what a row leaves of it the next one fills.
static cairn_ir_x rows_are_aligned(const build *e)
{
    cairn_ir        *b = e->b;
    const cairn_ir_x stride =
        cairn_product_arg(b, CAIRN_PRODUCT_y_stride, CAIRN_IR_I64, "y_stride");
    const cairn_ir_x aligned =
        cairn_product_arg(b, CAIRN_PRODUCT_y_aligned, CAIRN_IR_I64, "y_aligned");
    const int line = 64 / cairn_ir_type_bytes(cairn_product_result(e->p->product));
    const cairn_ir_x rest =
        cairn_ir_binary(b, CAIRN_IR_MOD, stride, cairn_ir_int(b, line));

    return cairn_ir_and(b, cairn_ir_ne(b, aligned, cairn_ir_int(b, 0)),
                        cairn_ir_eq(b, rest, cairn_ir_int(b, 0)));
}

/// Past the caches, where every row is aligned as the first is.
static bool may_bypass(const build *e)
{
    const cairn_product *product = e->p->product;

    return e->columns.first && e->p->hints.bypass_y && !grows(e)
           && e->columns.vectors > 0
           && e->columns.lanes * cairn_ir_type_bytes(cairn_product_result(product))
                  == 64;
}

void cairn_product_store(build *e, const cairn_nest *nest, const cairn_sums *s)
{
    cairn_ir *b = e->b;

    if (e->p->tile.moved && !s->single) {
        store_moved(e, nest, s);
        return;
    }
    for (int k = 0; k < s->strips; k++) {
        if (s->strip[k].used < s->strip[k].lanes) {
            store_lanes(e, nest, s, k, declared_total(e, s, k));
            continue;
        }
        cairn_ir_x row = row_of(e, nest, s, k);

        if (s->vectors > 1 && row->op != CAIRN_IR_VAR)
            row = cairn_ir_use(b, cairn_ir_let(b, row, "%c", "ij"[e->p->out]));
        if (may_bypass(e)) {
            cairn_ir_if(b, rows_are_aligned(e));
            join_vectors(e, row, s, k, true);
            cairn_ir_else(b);
            join_vectors(e, row, s, k, false);
            cairn_ir_end(b);
        } else {
            join_vectors(e, row, s, k, false);
        }
    }
}

cairn_ir_var *cairn_product_open_row(const build *e, cairn_ir_x at)
{
    return cairn_ir_declare(e->b, widen(e, cairn_ir_load(e->b, e->y, at)), "sum");
}

bool cairn_product_adds_one(const cairn_product_plan *p)
{
    for (int k = p->order.known; k < p->order.levels; k++)
        if (cairn_nest_loops(p->layout, p->order.level[k])) return false;
    return true;
}

bool cairn_product_needs_term(const cairn_product_plan *p)
{
    if (p->order.known == p->order.levels) return true;
    return !p->order.once && !p->tile.shifted && cairn_product_adds_one(p);
}

/// What a visit comes to: a term, a sum of one, or the sum of a block's.
static cairn_ir_x visit_total(build *e, const cairn_nest *nest)
{
    cairn_ir        *b    = e->b;
    cairn_nest       here = *nest;
    const cairn_ir_x zero = cairn_ir_real(b, e->p->product->accumulate, 0);
    cairn_sums s = {.strips = 1, .strip = {{0, 1, 1}}, .single = true, .inside = true};

    if (cairn_product_adds_one(e->p)) {
        const cairn_ir_x term =
            cairn_ir_load(b, e->items->staged, cairn_product_slot(b, e->items->visit));

        return e->p->order.known == e->p->order.levels ? term
                                                       : cairn_ir_add(b, zero, term);
    }
    cairn_product_declare(e, &s);
    cairn_product_add(e, &here, &s, e->p->order.known);
    return cairn_product_total(e, &s, 0, 0);
}

void cairn_product_visit(build *e, const cairn_nest *nest, cairn_ir_var *sum)
{
    cairn_product_join_visit(e, visit_total(e, nest), sum);
}

void cairn_product_join_visit(const build *e, cairn_ir_x total, cairn_ir_var *sum)
{
    cairn_ir_assign(e->b, sum,
                    cairn_ir_add(e->b, cairn_ir_use(e->b, sum), scale(e, total)));
}

void cairn_product_close_row(const build *e, cairn_ir_x at, cairn_ir_var *sum)
{
    cairn_ir_store(e->b, e->y, at,
                   cairn_ir_cast(e->b, cairn_product_result(e->p->product),
                                 cairn_ir_use(e->b, sum)));
}

/// All columns of one entry.
static void point_columns(build *e, cairn_ir_x i, cairn_ir_x j, cairn_ir_x a)
{
    cairn_ir        *b = e->b;
    const cairn_ir_x x_stride =
        cairn_product_arg(b, CAIRN_PRODUCT_x_stride, CAIRN_IR_I64, "x_stride");
    cairn_ir_stmt *loop = cairn_ir_for(
        b, cairn_ir_int(b, 0),
        cairn_product_arg(b, CAIRN_PRODUCT_columns, CAIRN_IR_I64, "columns"), 1,
        "columns", "c");
    const cairn_ir_x c = cairn_ir_loop_var(b, loop);

    loop->simd = true;
    const cairn_ir_x x =
        cairn_product_x(e, cairn_ir_add(b, cairn_ir_mul(b, j, x_stride), c), 1);

    join(e, cairn_product_y_at(e, i, c), cairn_ir_mul(b, a, x), true);
    cairn_ir_end(b);
}

void cairn_product_point(build *e, cairn_nest *nest)
{
    const cairn_product_plan *p = e->p;
    cairn_ir                 *b = e->b;
    const cairn_ir_x          i = cairn_nest_dim(nest, p->out);
    const cairn_ir_x          j = e->x_value ? NULL : cairn_nest_dim(nest, p->in);

    if (p->guard_row) cairn_nest_guard(nest, p->out);
    if (p->guard_x && j) cairn_nest_guard(nest, p->in);
    if (!p->layout->inverse.exact) {
        cairn_nest_dim(nest, p->in);
        cairn_nest_check(nest);
    }
    cairn_ir_x a = cairn_product_value(e, nest, 1);

    if (p->product->columns != 1) {
        a = cairn_ir_use(b, cairn_ir_let(b, a, "a"));
        point_columns(e, i, j, a);
        return;
    }
    const cairn_ir_x x = e->x_value ? e->x_value : cairn_product_x(e, j, 1);

    join(e, cairn_product_y_at(e, i, NULL), cairn_ir_mul(b, a, x), true);
}
