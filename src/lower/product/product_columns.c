// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The columns of X and Y, in tiles of as many vectors as registers hold sums for; then
/// of one vector; then one by one. And what is fetched ahead.

#include "lower/product/product_steps.h"

typedef cairn_product_build build;
typedef void (*tile_body)(build *e, void *user);

enum { SUMS = 16 }; /* vectors of sums that stay in registers beside the operands */

static void columns_loop(build     *e,
                         cairn_ir_x begin,
                         cairn_ir_x end,
                         int        vectors,
                         int        lanes,
                         tile_body  body,
                         void      *user)
{
    cairn_ir      *b    = e->b;
    cairn_ir_stmt *loop = cairn_ir_for(b, begin, end, vectors * lanes, "columns", "c");

    e->columns.first   = cairn_ir_loop_var(b, loop);
    e->columns.lanes   = lanes;
    e->columns.vectors = vectors;
    body(e, user);
    e->columns.first = NULL;
    cairn_ir_end(b);
}

/// The last column, after @p begin, up to which whole tiles of @p width go.
static cairn_ir_x
whole(build *e, cairn_ir_x begin, cairn_ir_x columns, int width, const char *name)
{
    cairn_ir        *b    = e->b;
    const cairn_ir_x rest = cairn_ir_binary(
        b, CAIRN_IR_MOD, cairn_ir_sub(b, columns, begin), cairn_ir_int(b, width));

    return cairn_ir_use(b, cairn_ir_let(b, cairn_ir_sub(b, columns, rest), "%s", name));
}

void cairn_product_columns(build *e, int rows, tile_body body, void *user)
{
    cairn_ir        *b     = e->b;
    const int        lanes = cairn_product_lanes(e->p->product);
    const int        sums  = e->p->product->vector_bytes == 64 ? SUMS : SUMS / 2;
    const cairn_ir_x columns =
        cairn_product_arg(b, CAIRN_PRODUCT_columns, CAIRN_IR_I64, "columns");
    cairn_ir_x begin = cairn_ir_int(b, 0);
    int        wide  = CAIRN_VECTORS;

    while (wide > 1 && wide * rows > sums)
        wide /= 2;
    for (; wide > 1; wide = wide > 4 ? 4 : 1) {
        const cairn_ir_x end =
            whole(e, begin, columns, wide * lanes, wide > 4 ? "wide" : "half");

        columns_loop(e, begin, end, wide, lanes, body, user);
        begin = end;
    }
    const cairn_ir_x end = whole(e, begin, columns, lanes, "even");

    columns_loop(e, begin, end, 1, lanes, body, user);
    columns_loop(e, end, columns, 1, 1, body, user);
}

/// Bytes of a row of X that the columns at hand need.
static int row_bytes(const build *e)
{
    return e->columns.vectors * e->columns.lanes
           * cairn_ir_type_bytes(e->p->product->operand);
}

/// The lines of a row of X that the columns at hand need.
static void fetch_row(build *e, cairn_ir_x j, int locality)
{
    cairn_ir        *b = e->b;
    const cairn_ir_x stride =
        cairn_product_arg(b, CAIRN_PRODUCT_x_stride, CAIRN_IR_I64, "x_stride");
    const cairn_ir_x row = cairn_ir_use(
        b,
        cairn_ir_let(b, cairn_ir_add(b, cairn_ir_mul(b, j, stride), e->columns.first),
                     "ahead"));

    for (int line = 0; line < row_bytes(e); line += 64)
        cairn_ir_prefetch(b, e->x, row, line, locality, false);
}

/// Neighbouring rows of X that one node of level @p l needs.
static int rows_of_block(const cairn_product_plan *p, int l)
{
    for (int k = l + 1; k < p->layout->levels; k++) {
        const int64_t size = cairn_plan_constant(p->layout, k);

        if (size > 1 && size <= CAIRN_BLOCK
            && cairn_plan_factor(&p->layout->inverse.dim[p->in], k) == 1)
            return (int)size;
    }
    return 1;
}

/// Fetch rows of X ahead: of the entries that come AHEAD later (into L1: measured on
/// random columns 4.2 and 2.6 times a plain loop, into L2 2.9 and 1.6, without 2.4 and
/// 1.9), or of the blocks that come half as much later, all of their rows.
static void fetch_x(build *e, const cairn_nest *nest, int at)
{
    enum { AHEAD = 32 };
    const cairn_product_plan *p = e->p;
    cairn_ir                 *b = e->b;
    const int                 l = at > 0 ? p->order.level[at - 1] : -1;
    cairn_nest                ahead;

    if (l < 0 || !p->layout->level[l].trimmed || !p->layout->level[l].arrays.has_idx)
        return;
    if (l != p->layout->last || p->tile.shifted) return;
    const int block = rows_of_block(p, l);

    ahead       = *nest;
    ahead.terse = true;
    const cairn_ir_x nodes =
        cairn_ir_param(b, (cairn_ir_field){.source = CAIRN_IR_LEVEL_NODES, .level = l},
                       CAIRN_IR_I64, "A%d_nodes", l);

    cairn_nest_stand(
        &ahead, l,
        cairn_ir_min(b,
                     cairn_ir_add_int(b, nest->node[l], block > 1 ? AHEAD / 2 : AHEAD),
                     cairn_ir_add_int(b, nodes, -1)));
    for (int k = at; k < p->order.levels; k++) {
        if (p->layout->level[p->order.level[k]].determined.on) return;
        cairn_nest_stand(&ahead, p->order.level[k], cairn_ir_int(b, 0));
    }
    ahead.dim[p->in]   = NULL;
    const cairn_ir_x j = cairn_nest_sum(&ahead, &p->layout->inverse.dim[p->in]);

    for (int k = 0; k < block; k++)
        fetch_row(e, cairn_ir_add_int(b, j, k), 3);
}

/// In bands the last column of a row is the first use of its row of X: fetched for rows
/// BEHIND later, into L2. Measured by loops written by hand, with Y past the caches (Zen 4,
/// nothing else at work, f64, least ms) on 5 and 7 points of 10^6 rows and 15 diagonals
/// of 400,000: 32 columns without 30.2, 38.3, 10.1, into L1 27.3, 35.5, 12.8, into L2
/// 22.6, 36.8, 10.9; 64 columns, which the machine follows by itself, without 39.5, 70.0,
/// 20.3, into L1 45.8, 81.0, 24.0, into L2 44.9, 76.2, 19.5.
void cairn_product_follow(build *e, const cairn_nest *nest)
{
    enum { BEHIND = 16, FOLLOWED = 512 };
    const int  l    = e->p->layout->last;
    cairn_ir  *b    = e->b;
    cairn_nest last = *nest;
    cairn_ir_x begin, end;

    if (!e->columns.first || e->columns.vectors < 2 || !e->p->hints.follow_x
        || row_bytes(e) >= FOLLOWED)
        return;
    cairn_nest_range(nest, l, &begin, &end);
    cairn_ir_if(b, cairn_ir_lt(b, begin, end));
    last.terse = true;
    cairn_nest_stand(&last, l, cairn_ir_add_int(b, end, -1));
    fetch_row(
        e,
        cairn_ir_add_int(b, cairn_nest_sum(&last, &e->p->layout->inverse.dim[e->p->in]),
                         BEHIND),
        2);
    cairn_ir_end(b);
}

/// Cache lines of values that one turn of the loop at hand reads, at most sixteen.
static int lines_of_turn(const build *e)
{
    enum { MOST = 1024 };
    const cairn_product_plan *p     = e->p;
    int64_t                   bytes = p->layout->values.bits / 8, lo, size;

    if (p->sum == CAIRN_SUM_FOUR) return 1;
    for (int l = p->layout->last + 1; l < p->layout->levels; l++) {
        if (p->layout->level[l].determined.on) continue;
        if (!cairn_nest_constant(p->layout, l, &lo, &size)) size = 1;
        if (l == p->tile.level) size = e->width;
        bytes = bytes < MOST ? bytes * size : MOST;
    }
    return bytes < 128 ? 1 : bytes > MOST ? MOST / 64 : (int)(bytes / 64);
}

/// Stand at the first position below the loop at hand; @return false: there are loops, or
/// where the row lies in the tile is known only inside them.
static bool stand_below(build *e, const cairn_sums *s, cairn_nest *below, int at)
{
    const cairn_product_plan *p = e->p;

    const cairn_linear *out = &p->layout->inverse.dim[p->out];

    below->terse = true;
    for (int t = 0; p->tile.shifted && t < out->terms; t++)
        if (out->var[t] != p->tile.level && !below->index[out->var[t]]) return false;
    if (p->tile.shifted) cairn_product_stand(e, below, s, 0);
    for (int k = at; k < p->order.levels; k++) {
        const int l = p->order.level[k];

        if (p->layout->level[l].determined.on) continue;
        if (p->layout->level[l].trimmed && cairn_nest_loops(p->layout, l)) return false;
        if (p->layout->level[l].trimmed)
            cairn_nest_stand(below, l, cairn_nest_node(below, l - 1));
        else
            cairn_nest_stand(below, l, cairn_ir_int(e->b, 0));
    }
    return true;
}

/// Where the lines of the matrix are fetched to, and how many bytes of values ahead.
typedef struct {
    int     locality;
    int64_t bytes;
} distance;

/// Measured: 4 KB into L1 on short rows and on blocks, 8 KB into L2 where x does not stay
/// in its caches. A tile of rows with a stream for every term (diagonals, slots of all
/// rows) needs the lines of its next turns: 1 KB into L1 (15 slots of 400,000 rows 6.6
/// ms without, 6.8 with 8 KB into L2, 2.0 so; 15 diagonals 1.36 and 1.1).
static distance distance_of(const cairn_product_plan *p)
{
    if (p->tile.kind == CAIRN_TILE_LANES && p->tile.constant == 0)
        return (distance){3, 1024};
    return p->hints.scattered || p->tile.kind ? (distance){2, 8192}
                                              : (distance){3, 4096};
}

/// Rows abreast compare the indices of all of a vector's lanes of rows before the first value
/// is loaded, so that they need lines further ahead: indices of so many entries as have 12
/// KB with their values, and values of three quarters of them. Measured on Zen 5, one thread,
/// lists of 40 to 55 MB, f32, stencils of 5, 7, 27 points and 15 diagonals: 0.96, 0.95, 0.88
/// and 0.95 of the time of the distances above; with both 16 KB ahead 1.08, 1.08, 0.91, 1.06.
static int64_t entries_ahead(const cairn_product_plan *p, int idx_bits)
{
    const cairn_layout_values *values = &p->layout->values;

    return 12288 * 8
           / (idx_bits + (values->kind == CAIRN_VALUE_ONE ? 0 : values->bits));
}

/// How many bytes of values ahead; 0: none are fetched. Many narrow ones are in one line, so
/// that only streams beside each other need it (5 diagonals of 8 bits 2.96 ms with 1 KB,
/// 2.43 with 256 bytes, 2.58 without; rows of 5 4.40 and 4.09 without, slices 3.79 and
/// 3.69).
static int64_t values_ahead(const cairn_product_plan *p, distance ahead)
{
    const cairn_value_kind kind = p->layout->values.kind;

    if (p->hints.abreast && kind == CAIRN_VALUE_FLOAT) {
        const cairn_level *list = &p->layout->level[p->layout->last];

        return entries_ahead(p, list->arrays.idx_bits) / 4 * 3 * p->layout->values.bits
               / 8;
    }
    if (kind == CAIRN_VALUE_FLOAT && p->layout->values.bits > 16) return ahead.bytes;
    if (kind == CAIRN_VALUE_ONE || p->tile.kind != CAIRN_TILE_LANES
        || p->tile.constant != 0)
        return 0;
    return ahead.bytes / 4;
}

static int64_t
indices_ahead(const cairn_product_plan *p, distance ahead, const cairn_level *level)
{
    const int bits = level->arrays.idx_bits;

    return p->hints.abreast ? entries_ahead(p, bits) * bits / 8 : ahead.bytes / 2;
}

static void fetch_matrix(build *e, const cairn_nest *nest, const cairn_sums *s, int at)
{
    const cairn_product_plan *p     = e->p;
    const distance            ahead = distance_of(p);
    cairn_nest                below = *nest;

    if (!stand_below(e, s, &below, at)) return;
    for (int line = 0; line < lines_of_turn(e) && values_ahead(p, ahead) > 0; line++)
        cairn_ir_prefetch(e->b, cairn_nest_values(nest), cairn_nest_value(&below),
                          values_ahead(p, ahead) + 64 * line, ahead.locality, false);
    for (int k = p->order.known; k < p->order.levels; k++) {
        const int          l     = p->order.level[k];
        const cairn_level *level = &p->layout->level[l];

        if (!level->arrays.has_idx
            || (level->arrays.tuple >= 0
                && level->arrays.tuple == p->layout->values.tuple))
            continue;
        const cairn_ir_x at_idx =
            level->determined.on ? cairn_nest_combination(&below, l) : below.node[l];
        const int bytes =
            p->tile.lanes >> l & 1 ? e->width * level->arrays.idx_bits / 8 : 1;

        for (int line = 0; line < bytes; line += 64)
            cairn_ir_prefetch(e->b, cairn_nest_idx(nest, l), at_idx,
                              indices_ahead(p, ahead, level) + line, ahead.locality,
                              false);
    }
}

void cairn_product_fetch(build *e, const cairn_nest *nest, const cairn_sums *s, int at)
{
    if (e->place) return; /* a tile's row alone: at the edges */
    if (e->columns.first && e->p->hints.fetch_x && e->columns.vectors > 1)
        fetch_x(e, nest, at);
    if (!e->columns.first && e->p->hints.stream) fetch_matrix(e, nest, s, at);
}
