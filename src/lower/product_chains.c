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

static void add_entry(build *e, const entries *loop, cairn_sums *s, int k, int chain)
{
    cairn_nest nest;

    stand(e, loop, &nest, k);
    cairn_product_term(e, &nest, s, chain);
}

static void fetch(build *e, const entries *loop)
{
    cairn_nest nest;

    stand(e, loop, &nest, 0);
    cairn_product_fetch(e, &nest, e->p->levels);
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
    fetch(e, loop);
    for (int k = 0; k < TURN; k++)
        add_entry(e, loop, s, k, k % CHAINS);
    advance(e, loop, TURN);
    cairn_ir_end(b);
}

/// What is left of a row: four, then one by one.
static void last_entries(build *e, const entries *loop, cairn_sums *s, cairn_ir_x end)
{
    cairn_ir *b = e->b;

    if (e->p->hints.stream) fetch(e, loop);
    cairn_ir_if(
        b, cairn_ir_le(b, cairn_ir_add_int(b, cairn_ir_use(b, loop->p), CHAINS), end));
    for (int k = 0; k < CHAINS; k++)
        add_entry(e, loop, s, k, k);
    advance(e, loop, CHAINS);
    cairn_ir_end(b);
    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, loop->p), end));
    add_entry(e, loop, s, 0, 0);
    advance(e, loop, 1);
    cairn_ir_end(b);
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
    for (int c = 0; c < CHAINS; c++)
        cairn_ir_assign(b, s->sum[0][c][0],
                        cairn_ir_real(b, e->p->product->accumulate, 0));
    cairn_ir_end(b);
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
        whole_cuts(e, &loop, s, end, row);
    }
    whole_turns(e, &loop, s, end);
    last_entries(e, &loop, s, end);
    s->row = row;
}
