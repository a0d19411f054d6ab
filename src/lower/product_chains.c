// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A loop over stored entries, eight a turn in four chains, so that additions need not
/// wait for each other; and the cut of long rows.

#include "lower/product_steps.h"

typedef cairn_product_build build;

/// The loop: which level it is of (-1: the run at hand), and where in the order.
typedef struct {
    const cairn_nest *nest;
    int               level, at;
    cairn_ir_var     *p; ///< Position.
} entries;

enum { TURN = 8, CHAINS = 4 };

/// Stand at entry p + k.
static void stand(build *e, const entries *loop, cairn_nest *nest, int k)
{
    const cairn_ir_x p = cairn_ir_add_int(e->b, cairn_ir_use(e->b, loop->p), k);

    *nest       = *loop->nest;
    nest->terse = true;
    if (loop->level >= 0)
        cairn_nest_stand(nest, loop->level, p);
    else
        for (int l = e->p->run; l <= e->p->run_last; l++)
            nest->node[l] = p;
    for (int k2 = loop->at; k2 < e->p->levels; k2++)
        cairn_nest_enter(nest, e->p->order[k2]);
}

/// Number in the order of the first level whose index may differ from entry to entry: the
/// loop's, or of a run the first below the row. Those before are the same for all.
static int first_varying(const cairn_product_plan *p)
{
    int k = p->known;

    while (p->run < 0 && k < p->levels && !cairn_nest_loops(p->layout, p->order[k]))
        k++;
    return k;
}

/// Is x reached by stored indices, or, where none is stored, does the loop's own place
/// count once, so that neighbouring entries have neighbouring elements? (A loop over
/// slots may not count at all: all of its entries have the same.)
static bool reaches_by_lanes(const cairn_product_plan *p)
{
    const cairn_linear *in     = &p->layout->dim[p->in];
    int                 stored = 0, counted = 0;

    for (int k = first_varying(p); k < p->levels; k++) {
        const int     l      = p->order[k];
        const int64_t factor = cairn_plan_factor(in, l);

        if (factor == 0) continue;
        if (p->layout->level[l].has_idx) {
            stored++;
        } else if (cairn_nest_loops(p->layout, l)) {
            if (factor != 1 || in->den != 1) return false;
            counted++;
        }
    }
    return stored ? counted == 0 : counted == 1;
}

bool cairn_product_chains_pack(const build *e)
{
    const cairn_product_plan *p      = e->p;
    const cairn_layout       *layout = p->layout;

    if (cairn_product_lanes(p->product) < CHAINS || layout->value_tuple >= 0)
        return false;
    for (int k = first_varying(p); k < p->levels; k++)
        if (layout->level[p->order[k]].has_idx && layout->level[p->order[k]].tuple >= 0)
            return false;
    return reaches_by_lanes(p);
}

/// Indices of the CHAINS entries from the one at hand on.
static void take_lanes(build *e, cairn_nest *nest)
{
    for (int k = first_varying(e->p); k < e->p->levels; k++) {
        const int l = e->p->order[k];

        if (nest->index[l] && e->p->layout->level[l].has_idx)
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

static void fetch(build *e, const entries *loop, const cairn_sums *s)
{
    cairn_nest nest;

    stand(e, loop, &nest, 0);
    cairn_product_fetch(e, &nest, s, e->p->levels);
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

static void whole_turns(build *e, const entries *loop, cairn_sums *s, cairn_ir_x end)
{
    cairn_ir *b = e->b;

    cairn_ir_while(
        b, cairn_ir_le(b, cairn_ir_add_int(b, cairn_ir_use(b, loop->p), TURN), end));
    fetch(e, loop, s);
    for (int k = 0; k < TURN; k += CHAINS)
        add_four(e, loop, s, k);
    advance(e, loop, TURN);
    cairn_ir_end(b);
}

/// Up to three entries, to the first chain.
static void last_three(build *e, const entries *loop, cairn_sums *s, cairn_ir_x end)
{
    cairn_ir  *b     = e->b;
    cairn_sums alone = *s;
    cairn_nest nest;

    if (s->packed) {
        s->first_chain = cairn_ir_declare(
            b, cairn_ir_lane(b, cairn_ir_use(b, s->sum[0][0][0]), 0), "s0");
        alone.packed       = false;
        alone.sum[0][0][0] = s->first_chain;
    }
    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, loop->p), end));
    stand(e, loop, &nest, 0);
    cairn_product_term(e, &nest, &alone, 0);
    advance(e, loop, 1);
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
    last_three(e, loop, s, end);
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

    whole_turns(e, loop, s, stop);
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
    entries                   loop = {.nest = nest, .level = -1, .at = p->known};

    if (p->run < 0) {
        loop.level = p->share.cuts.level;
        while (p->order[loop.at++] != loop.level)
            continue;
    }
    loop.p = cairn_ir_declare(b, at, "p");
    const cairn_ir_x end =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_add_int(b, at, CAIRN_CUT), "p_end"));

    whole_turns(e, &loop, s, end);
}

/// Enter what stands above the loop; find the loop's bounds.
static void
find_loop(build *e, cairn_nest *nest, entries *loop, cairn_ir_x *begin, cairn_ir_x *end)
{
    const cairn_product_plan *p = e->p;

    loop->level = -1;
    loop->at    = p->known;
    *begin      = e->run;
    *end        = e->run_end;
    while (!e->run && loop->level < 0) {
        const int l = p->order[loop->at++];

        if (cairn_nest_loops(p->layout, l)) {
            cairn_nest_range(nest, l, begin, end);
            loop->level = l;
        } else {
            cairn_nest_enter(nest, l);
        }
    }
}

void cairn_product_chains(build *e, cairn_nest *nest, cairn_sums *s)
{
    const cairn_product_plan *p                     = e->p;
    cairn_ir                 *b                     = e->b;
    entries                   loop                  = {.nest = nest};
    char                      name[CAIRN_NEST_NAME] = "p", note[CAIRN_NEST_NOTE];
    cairn_ir_x                begin, end;
    cairn_ir_var             *row = NULL;

    find_loop(e, nest, &loop, &begin, &end);
    if (loop.level >= 0) {
        cairn_nest_name(p->layout, loop.level, name);
        cairn_nest_note(p->layout, loop.level, note);
        cairn_ir_note(b, "%s", note);
    }
    loop.p = cairn_ir_declare(b, begin, "%s%s", loop.level >= 0 ? "p" : "", name);
    if (end->op != CAIRN_IR_VAR)
        end = cairn_ir_use(b, cairn_ir_let(b, end, "%s_end", name));
    if (!p->layout->pads) {
        row = cairn_ir_declare(b, cairn_ir_real(b, p->product->accumulate, 0), "row");
        if (p->share.cuts.any)
            summed_cuts(e, &loop, end, row);
        else
            whole_cuts(e, &loop, s, end, row);
    }
    whole_turns(e, &loop, s, end);
    last_entries(e, &loop, s, end);
    s->row = row;
}
