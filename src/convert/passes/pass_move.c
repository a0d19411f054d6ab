// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// APPEND and MOVE: entries, or rows of them, to where they belong.

#include "convert/passes.h"
#include "convert/stores/compiled_buckets.h"
#include "convert/stores/compiled_marks.h"
#include "convert/stores/compiled_moves.h"
#include "convert/stores/fill_lanes.h"
#include "convert/stores/marked_move.h"

#include <assert.h>

/* ---- one behind the other ---- */

void cairn_nodes_are_entries(cairn_compiled *c)
{
    const cairn_layout *to   = c->m->layout;
    cairn_bank         *bank = &c->m->bank[0];

    assert(to->banks == 1);
    bank->end = c->facts.entries;
    for (int l = to->first; l <= to->last; l++)
        bank->nodes[l] = bank->end;
}

/// What no pass has counted are entries.
static cairn_status find_nodes(cairn_compiled *c)
{
    if (!cairn_pass_phase(c, CAIRN_CONVERT_COUNT)) cairn_nodes_are_entries(c);
    return CAIRN_OK;
}

static cairn_status append_entries(cairn_compiled *c, const cairn_pass_call *call)
{
    CAIRN_TRY(cairn_compiled_run(c, cairn_pass_phase(c, CAIRN_CONVERT_FILL),
                                 &call->part->view, call->args));
    call->part->nnz = call->args->facts[0];
    return CAIRN_OK;
}

const cairn_pass_work cairn_append_entries = {.prepare = find_nodes,
                                              .write   = append_entries};

static cairn_status append_rows(cairn_compiled *c, const cairn_pass_call *call)
{
    call->args->place = c->rows.place;
    CAIRN_TRY(cairn_rows_run_bank(c, cairn_pass_phase(c, CAIRN_CONVERT_FILL),
                                  call->bank, &call->part->view, call->args));
    call->part->nnz = call->args->facts[0];
    return CAIRN_OK;
}

const cairn_pass_work cairn_append_rows = {.write = append_rows};

/* ---- rows whole ---- */

/// The first bank's turn is all banks' turn.
static cairn_status move_rows(cairn_compiled *c, const cairn_pass_call *call)
{
    return call->bank == 0 ? cairn_moves_run(c, true) : CAIRN_OK;
}

const cairn_pass_work cairn_move_rows = {.write = move_rows};

/// Nodes of rows bank by bank; then rows are moved in their own order, to all banks.
static cairn_status move_rows_banked(cairn_compiled *c, const cairn_pass_call *call)
{
    CAIRN_TRY(append_rows(c, call));
    return call->bank == c->m->layout->banks - 1 ? cairn_moves_run(c, false) : CAIRN_OK;
}

const cairn_pass_work cairn_move_rows_banked = {.write = move_rows_banked};

/* ---- entries to their groups ---- */

static cairn_status move_direct(cairn_compiled *c, const cairn_pass_call *call)
{
    int64_t           *delta = NULL;
    const cairn_phase *marked;

    if (cairn_marks_pay(c, CAIRN_CONVERT_SCATTER)
        && cairn_marked_move_fits(c, call->part)) {
        cairn_marked_move(c, call->part);
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_marks_make(c, CAIRN_CONVERT_SCATTER, &marked));
    CAIRN_TRY(cairn_compiled_find_delta(c, true, &delta));
    call->args->delta  = delta;
    call->args->cursor = c->groups.begin;
    call->args->groups = c->facts.groups;
    call->args->list   = c->rows.marks;

    const cairn_status status = cairn_compiled_run(
        c, marked ? marked : cairn_pass_phase(c, CAIRN_CONVERT_SCATTER),
        &call->part->view, call->args);

    cairn_free(c->m->env, delta);
    return status;
}

/// The first bank's turn is all banks' turn.
static cairn_status move_entries(cairn_compiled *c, const cairn_pass_call *call)
{
    if (call->bank > 0) return CAIRN_OK;
    /* Beside other members threads come and go; buckets need them all. */
    if (!c->stores.bucketed || (c->stores.concurrent && c->ranges.n > 1))
        return move_direct(c, call);
    cairn_pass_set_stores(c, call->pass, CAIRN_STORES_BUCKETED);
    return cairn_buckets_fill(c, call->part); /* groups are all of one bank */
}

const cairn_pass_work cairn_move_entries = {.write = move_entries};

/* ---- to nodes, slots and lines ---- */

static cairn_status move_to_nodes(cairn_compiled *c, const cairn_pass_call *call)
{
    const bool tiled = c->stores.tile && !c->stores.zeros;

    cairn_line_index_args(&c->groups, &c->ranges, call->args);
    call->args->zeros = c->stores.zeros;
    if (!tiled)
        return cairn_compiled_run(c, cairn_pass_phase(c, CAIRN_CONVERT_PLACE),
                                  &call->part->view, call->args);
    cairn_pass_set_stores(c, call->pass, CAIRN_STORES_TILED);
    return cairn_tiles_fill(c, &call->part->view, call->args);
}

const cairn_pass_work cairn_move_to_nodes = {.write = move_to_nodes};

static cairn_status run_ranked(cairn_compiled *c, const cairn_pass_call *call)
{
    call->args->cursor = c->groups.begin;
    return cairn_compiled_run(c, cairn_pass_phase(c, CAIRN_CONVERT_RANKED),
                              &call->part->view, call->args);
}

const cairn_pass_work cairn_move_to_lines = {.write = run_ranked};

static cairn_status move_to_slots(cairn_compiled *c, const cairn_pass_call *call)
{
    const int64_t lanes = cairn_slots_lanes(c->m->layout);
    const bool    tiled =
        c->slots.by_lanes
        && cairn_lanes_are_tiled(c->m->layout, lanes, call->part->view.values);

    cairn_slots_write_determined(c, call->part);
    if (!c->slots.by_lanes) return run_ranked(c, call);
    cairn_pass_set_stores(c, call->pass,
                          tiled ? CAIRN_STORES_TILED : CAIRN_STORES_DIRECT);
    return cairn_lanes_stand(c, lanes, call->args, call->part);
}

const cairn_pass_work cairn_move_to_slots = {.write = move_to_slots};
