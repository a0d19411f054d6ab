// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A loop over stored entries, eight a turn in four chains, so that additions need not
/// wait for each other; and the cut of long rows.

#include "lower/product/product_steps.h"

typedef cairn_product_build build;

/// The loop: which level it is of (-1: the run at hand), and where in the order.
typedef struct {
    const cairn_nest *nest;
    int               level, at;
    cairn_ir_var     *p; ///< Position.
} entries;

enum { TURN = CAIRN_TURN, CHAINS = CAIRN_CHAINS };

/// Stand at entry @p p.
static void stand_at(build *e, const entries *loop, cairn_nest *nest, cairn_ir_x p)
{
    *nest       = *loop->nest;
    nest->terse = true;
    if (loop->level >= 0)
        cairn_nest_stand(nest, loop->level, p);
    else
        for (int l = e->p->order.run; l <= e->p->order.run_last; l++)
            nest->node[l] = p;
    for (int k2 = loop->at; k2 < e->p->order.levels; k2++)
        cairn_nest_enter(nest, e->p->order.level[k2]);
}

/// Stand at entry p + k.
static void stand(build *e, const entries *loop, cairn_nest *nest, int k)
{
    stand_at(e, loop, nest, cairn_ir_add_int(e->b, cairn_ir_use(e->b, loop->p), k));
}

/// Indices of the CHAINS entries from the one at hand on.
static void take_lanes(build *e, cairn_nest *nest)
{
    for (int k = cairn_plan_first_varying(e->p); k < e->p->order.levels; k++) {
        const int l = e->p->order.level[k];

        if (nest->index[l] && e->p->layout->level[l].arrays.has_idx)
            nest->index[l] = cairn_ir_load_lanes(e->b, cairn_nest_idx(nest, l),
                                                 nest->node[l], CHAINS);
    }
}

/// Add entries p + k to p + k + CHAINS - 1, each to its chain.
static void add_four(build *e, const entries *loop, cairn_sums *s, int k)
{
    cairn_nest nest;

    for (int chain = 0; chain < (s->packed ? 1 : CHAINS); chain++) {
        stand(e, loop, &nest, k + chain);
        if (s->packed) take_lanes(e, &nest);
        cairn_product_term(e, &nest, s, chain);
    }
}

/// Add a turn of @p turn entries whose columns, if the last is so far behind the first, are
/// all between them: x is loaded as it lies. Rows ascend where the hint is given.
static void add_run_or_not(build *e, const entries *loop, cairn_sums *s, int turn)
{
    cairn_ir *b = e->b;
    const int l = e->p->layout->last;

    cairn_nest nest, last;

    stand(e, loop, &nest, 0);
    stand(e, loop, &last, turn - 1);
    const cairn_ir_x first = cairn_ir_use(b, cairn_ir_let(b, nest.index[l], "first"));

    cairn_ir_if(b, cairn_ir_eq(b, cairn_ir_sub(b, last.index[l], first),
                               cairn_ir_int(b, turn - 1)));
    for (int k = 0; k < turn; k += CHAINS) {
        stand(e, loop, &nest, k);
        nest.index[l] = cairn_ir_add_int(b, first, k);
        cairn_product_term(e, &nest, s, 0);
    }
    cairn_ir_else(b);
    for (int k = 0; k < turn; k += CHAINS)
        add_four(e, loop, s, k);
    cairn_ir_end(b);
}

static void fetch(build *e, const entries *loop, const cairn_sums *s)
{
    cairn_nest nest;

    stand(e, loop, &nest, 0);
    cairn_product_fetch(e, &nest, s, e->p->order.levels);
}

static void advance(build *e, const entries *loop, int by)
{
    cairn_ir_assign(e->b, loop->p,
                    cairn_ir_add_int(e->b, cairn_ir_use(e->b, loop->p), by));
}

static cairn_ir_x left(build *e, const entries *loop, cairn_ir_x end)
{
    return cairn_ir_sub(e->b, end, cairn_ir_use(e->b, loop->p));
}

/// @p turn entries a turn, while there are as many.
static void
whole_turns(build *e, const entries *loop, cairn_sums *s, int turn, cairn_ir_x end)
{
    cairn_ir *b = e->b;

    cairn_ir_while(
        b, cairn_ir_le(b, cairn_ir_add_int(b, cairn_ir_use(b, loop->p), turn), end));
    fetch(e, loop, s);
    if (e->p->hints.runs && turn == TURN)
        add_run_or_not(e, loop, s, turn);
    else
        for (int k = 0; k < turn; k += CHAINS)
            add_four(e, loop, s, k);
    advance(e, loop, turn);
    cairn_ir_end(b);
}

/// One by one to the first chain, which is a variable of its own.
static void one_by_one(build *e, const entries *loop, cairn_sums *s, cairn_ir_x end)
{
    cairn_ir  *b     = e->b;
    cairn_sums alone = *s;
    cairn_nest nest;

    if (s->packed) {
        alone.packed       = false;
        alone.sum[0][0][0] = s->first_chain;
    }
    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, loop->p), end));
    stand(e, loop, &nest, 0);
    cairn_product_term(e, &nest, &alone, 0);
    advance(e, loop, 1);
    cairn_ir_end(b);
}

/// Packed: the first lane goes on as a scalar.
static void split_first(build *e, cairn_sums *s)
{
    cairn_ir *b = e->b;

    if (!s->packed) return;
    s->first_chain = cairn_ir_declare(
        b, cairn_ir_lane(b, cairn_ir_use(b, s->sum[0][0][0]), 0), "s0");
}

/// The products of the four entries before @p end; but for the last up to three, which no
/// turn has added, they are 0.
static cairn_ir_x
last_products(build *e, const entries *loop, cairn_sums *s, cairn_ir_x end)
{
    cairn_ir  *b = e->b;
    cairn_nest nest;

    stand_at(e, loop, &nest, cairn_ir_add_int(b, end, -CHAINS));
    take_lanes(e, &nest);
    cairn_product_stand(e, &nest, s, 0);
    const cairn_ir_x x = cairn_product_x(e, cairn_nest_dim(&nest, e->p->in), CHAINS);

    return cairn_ir_last(b, cairn_ir_mul(b, cairn_product_value(e, &nest, CHAINS), x),
                         left(e, loop, end));
}

/// What is left of an uneven row, up to three entries, to the first chain, without a branch
/// that may go either way: measured on Zen 5, rows of 3 to 13 entries (6 in the mean) take
/// 4.1 ns where the loops of even rows take 8.9, rows of 5 each 3.3 and 2.7. A sum is
/// never -0, so that it stays what it is where 0 is added. The four products are the
/// list's: of its first rows there may not be four, and they are added one by one.
static void last_lanes(build *e, const entries *loop, cairn_sums *s, cairn_ir_x end)
{
    cairn_ir *b = e->b;

    if (e->p->hints.stream) fetch(e, loop, s);
    split_first(e, s);
    cairn_ir_if(b, cairn_ir_le(b, cairn_ir_int(b, CHAINS), end));
    const cairn_ir_x last =
        cairn_ir_use(b, cairn_ir_let(b, last_products(e, loop, s, end), "last"));

    for (int k = 1; k < CHAINS; k++)
        cairn_ir_assign(b, s->first_chain,
                        cairn_ir_add(b, cairn_ir_use(b, s->first_chain),
                                     cairn_ir_lane(b, last, k)));
    cairn_ir_else(b);
    one_by_one(e, loop, s, end);
    cairn_ir_end(b);
}

/// What is left of a row: four, then one by one.
static void last_entries(build *e, const entries *loop, cairn_sums *s, cairn_ir_x end)
{
    cairn_ir *b = e->b;

    if (e->p->hints.stream) fetch(e, loop, s);
    cairn_ir_if(
        b, cairn_ir_le(b, cairn_ir_add_int(b, cairn_ir_use(b, loop->p), CHAINS), end));
    add_four(e, loop, s, 0);
    advance(e, loop, CHAINS);
    cairn_ir_end(b);
    split_first(e, s);
    one_by_one(e, loop, s, end);
}

/// Whole cuts of a long row: each has sums of its own, which join the row's in order.
static void whole_cuts(build         *e,
                       const entries *loop,
                       cairn_sums    *s,
                       cairn_ir_x     end,
                       cairn_ir_var  *row)
{
    cairn_ir *b = e->b;

    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_int(b, CAIRN_CUT), left(e, loop, end)));
    const cairn_ir_x stop = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_add_int(b, cairn_ir_use(b, loop->p), CAIRN_CUT),
                        "cut"));

    whole_turns(e, loop, s, TURN, stop);
    cairn_ir_assign(
        b, row, cairn_ir_add(b, cairn_ir_use(b, row), cairn_product_total(e, s, 0, 0)));
    for (int c = 0; c < (s->packed ? 1 : CHAINS); c++)
        cairn_ir_assign(b, s->sum[0][c][0],
                        cairn_ir_splat(b,
                                       cairn_ir_real(b, e->p->product->accumulate, 0),
                                       s->packed ? CHAINS : 1));
    cairn_ir_end(b);
}

/// Whole cuts of a long row that have been summed before.
static void
summed_cuts(build *e, const entries *loop, cairn_ir_x end, cairn_ir_var *row)
{
    cairn_ir        *b  = e->b;
    const cairn_ir_x at = cairn_ir_use(b, loop->p);

    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_int(b, CAIRN_CUT), left(e, loop, end)));
    cairn_ir_assign(
        b, row, cairn_ir_add(b, cairn_ir_use(b, row), cairn_product_partial(e, at, 0)));
    advance(e, loop, CAIRN_CUT);
    cairn_ir_end(b);
}

void cairn_product_chains_cut(build *e, cairn_nest *nest, cairn_sums *s, cairn_ir_x at)
{
    const cairn_product_plan *p    = e->p;
    cairn_ir                 *b    = e->b;
    entries                   loop = {.nest = nest, .level = -1, .at = p->order.known};

    if (p->order.run < 0) {
        loop.level = p->share.cuts.level;
        while (p->order.level[loop.at++] != loop.level)
            continue;
    }
    loop.p = cairn_ir_declare(b, at, "p");
    const cairn_ir_x end =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_add_int(b, at, CAIRN_CUT), "p_end"));

    whole_turns(e, &loop, s, TURN, end);
}

/// Open the nodes @p lo, @p lo + @p step .. before @p hi, add them, and close.
static void add_every(build      *e,
                      entries    *loop,
                      cairn_sums *s,
                      cairn_ir_x  lo,
                      cairn_ir_x  hi,
                      int         step)
{
    cairn_nest nest;

    loop->p = cairn_ir_for(e->b, lo, hi, step, NULL, "p")->var;
    stand(e, loop, &nest, 0);
    cairn_product_term(e, &nest, s, 0);
    cairn_ir_end(e->b);
}

void cairn_product_one_chain(build      *e,
                             cairn_nest *nest,
                             cairn_sums *s,
                             cairn_ir_x  begin,
                             cairn_ir_x  end,
                             cairn_ir_x  whole,
                             cairn_ir_x  chain)
{
    const cairn_product_plan *p    = e->p;
    cairn_ir                 *b    = e->b;
    entries                   loop = {.nest = nest, .level = -1, .at = p->order.known};

    while (p->order.run < 0 && loop.level < 0) {
        const int l = p->order.level[loop.at++];

        if (cairn_nest_loops(p->layout, l)) loop.level = l;
    }
    add_every(e, &loop, s, cairn_ir_add(b, begin, chain), cairn_ir_min(b, end, whole),
              CHAINS);
    cairn_ir_if(b, cairn_ir_eq(b, chain, cairn_ir_int(b, 0)));
    add_every(e, &loop, s, cairn_ir_max(b, begin, whole), end, 1);
    cairn_ir_end(b);
}

/// Enter what stands above the loop; find the loop's bounds.
static void
find_loop(build *e, cairn_nest *nest, entries *loop, cairn_ir_x *begin, cairn_ir_x *end)
{
    const cairn_product_plan *p = e->p;

    loop->level = -1;
    loop->at    = p->order.known;
    *begin      = e->run;
    *end        = e->run_end;
    while (!e->run && loop->level < 0) {
        const int l = p->order.level[loop->at++];

        if (cairn_nest_loops(p->layout, l)) {
            cairn_nest_range(nest, l, begin, end);
            loop->level = l;
        } else {
            cairn_nest_enter(nest, l);
        }
    }
}

/// Add the @p lanes entries from number @p k on to the sums of @p count rows, which have x
/// in common: those of a row stand behind those of the row before.
static void add_to_rows(build         *e,
                        const entries *loop,
                        cairn_sums    *s,
                        int            count,
                        cairn_ir_x     length,
                        int            k,
                        int            lanes)
{
    cairn_ir  *b = e->b;
    cairn_nest nest;

    stand(e, loop, &nest, k);
    if (lanes > 1) take_lanes(e, &nest);
    const cairn_ir_x j = cairn_nest_dim(&nest, e->p->in);
    const cairn_ir_x x =
        cairn_ir_use(b, cairn_ir_let(b, cairn_product_x(e, j, lanes), "xs"));

    for (int r = 0; r < count; r++) {
        const cairn_ir_x at =
            cairn_ir_add(b, cairn_nest_value(&nest), cairn_ir_mul_int(b, length, r));
        const cairn_ir_x a   = cairn_product_value_at(e, &nest, at, lanes);
        cairn_ir_var    *sum = lanes > 1 ? s[r].sum[0][0][0] : s[r].first_chain;

        cairn_ir_assign(b, sum,
                        cairn_ir_add(b, cairn_ir_use(b, sum), cairn_ir_mul(b, a, x)));
    }
}

/// Fetch ahead what stands behind the entries at hand, of each row.
static void
fetch_rows(build *e, const entries *loop, cairn_sums *s, int count, cairn_ir_x length)
{
    cairn_ir  *b = e->b;
    cairn_nest nest;

    for (int r = 0; r < count; r++) {
        stand_at(
            e, loop, &nest,
            cairn_ir_add(b, cairn_ir_use(b, loop->p), cairn_ir_mul_int(b, length, r)));
        cairn_product_fetch(e, &nest, s, e->p->order.levels);
    }
}

void cairn_product_chains_alike(build      *e,
                                cairn_nest *nest,
                                cairn_sums *s,
                                int         count,
                                cairn_ir_x  begin,
                                cairn_ir_x  end)
{
    cairn_ir *b    = e->b;
    entries   loop = {
          .nest = nest, .level = e->p->layout->last, .at = e->p->order.levels};

    loop.p = cairn_ir_declare(b, begin, "p");
    end    = cairn_ir_use(b, cairn_ir_let(b, end, "p_end"));
    const cairn_ir_x length =
        cairn_ir_use(b, cairn_ir_let(b, left(e, &loop, end), "length"));

    cairn_ir_while(
        b, cairn_ir_le(b, cairn_ir_add_int(b, cairn_ir_use(b, loop.p), TURN), end));
    fetch_rows(e, &loop, s, count, length);
    for (int k = 0; k < TURN; k += CHAINS)
        add_to_rows(e, &loop, s, count, length, k, CHAINS);
    advance(e, &loop, TURN);
    cairn_ir_end(b);
    cairn_ir_if(
        b, cairn_ir_le(b, cairn_ir_add_int(b, cairn_ir_use(b, loop.p), CHAINS), end));
    add_to_rows(e, &loop, s, count, length, 0, CHAINS);
    advance(e, &loop, CHAINS);
    cairn_ir_end(b);
    for (int r = 0; r < count; r++)
        split_first(e, &s[r]);
    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, loop.p), end));
    add_to_rows(e, &loop, s, count, length, 0, 1);
    advance(e, &loop, 1);
    cairn_ir_end(b);
}

/// Whole cuts of a row of entries from the one at hand to before @p end. @return what their
/// sums are added to; NULL: there are none.
static cairn_ir_var *
cuts_of_row(build *e, const entries *loop, cairn_sums *s, cairn_ir_x end)
{
    /* What a group shares is shorter than a cut. */
    if (e->p->layout->pads || cairn_product_is_staged(e)) return NULL;
    cairn_ir_var *const row = cairn_ir_declare(
        e->b, cairn_ir_real(e->b, e->p->product->accumulate, 0), "row");

    if (e->p->share.cuts.any)
        summed_cuts(e, loop, end, row);
    else
        whole_cuts(e, loop, s, end, row);
    return row;
}

/// All entries of a row from the one at hand to before @p end.
static void rest_of_row(build *e, const entries *loop, cairn_sums *s, cairn_ir_x end)
{
    if (e->p->hints.uneven) {
        whole_turns(e, loop, s, CHAINS, end);
        last_lanes(e, loop, s, end);
    } else {
        whole_turns(e, loop, s, TURN, end);
        last_entries(e, loop, s, end);
    }
}

/// Turns of all rows, while each has as many.
static void turns_beside(build *e, entries *loop, cairn_sums *s, const cairn_ir_x *end)
{
    cairn_ir  *b    = e->b;
    cairn_ir_x most = left(e, &loop[0], end[0]);

    for (int r = 1; r < CAIRN_BESIDE; r++)
        most = cairn_ir_min(b, most, left(e, &loop[r], end[r]));
    const cairn_ir_x stop = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_add(b, cairn_ir_use(b, loop[0].p), most), "stop"));

    cairn_ir_while(
        b, cairn_ir_le(b, cairn_ir_add_int(b, cairn_ir_use(b, loop[0].p), TURN), stop));
    for (int r = 0; r < CAIRN_BESIDE; r++)
        fetch(e, &loop[r], &s[r]);
    for (int k = 0; k < TURN; k += CHAINS)
        for (int r = 0; r < CAIRN_BESIDE; r++)
            add_four(e, &loop[r], &s[r], k);
    for (int r = 0; r < CAIRN_BESIDE; r++)
        advance(e, &loop[r], TURN);
    cairn_ir_end(b);
}

void cairn_product_chains_beside(build *e, const cairn_nest *nest, cairn_sums *s)
{
    cairn_ir  *b = e->b;
    entries    loop[CAIRN_BESIDE];
    cairn_ir_x begin, end[CAIRN_BESIDE];

    for (int r = 0; r < CAIRN_BESIDE; r++) {
        cairn_nest_range(&nest[r], e->p->layout->last, &begin, &end[r]);
        loop[r]  = (entries){.nest  = &nest[r],
                             .level = e->p->layout->last,
                             .at    = e->p->order.levels,
                             .p     = cairn_ir_declare(b, begin, "p")};
        end[r]   = cairn_ir_use(b, cairn_ir_let(b, end[r], "p_end"));
        s[r].row = cuts_of_row(e, &loop[r], &s[r], end[r]);
    }
    turns_beside(e, loop, s, end);
    for (int r = 0; r < CAIRN_BESIDE; r++)
        rest_of_row(e, &loop[r], &s[r], end[r]);
}

void cairn_product_chains(build *e, cairn_nest *nest, cairn_sums *s)
{
    const cairn_product_plan *p                     = e->p;
    cairn_ir                 *b                     = e->b;
    entries                   loop                  = {.nest = nest};
    char                      name[CAIRN_NEST_NAME] = "p", note[CAIRN_NEST_NOTE];
    cairn_ir_x                begin, end;

    find_loop(e, nest, &loop, &begin, &end);
    if (loop.level >= 0) {
        cairn_nest_name(p->layout, loop.level, name);
        cairn_nest_note(p->layout, loop.level, note);
        cairn_ir_note(b, "%s", note);
    }
    loop.p = cairn_ir_declare(b, begin, "%s%s", loop.level >= 0 ? "p" : "", name);
    if (end->op != CAIRN_IR_VAR)
        end = cairn_ir_use(b, cairn_ir_let(b, end, "%s_end", name));
    s->row = cuts_of_row(e, &loop, s, end);
    rest_of_row(e, &loop, s, end);
}
