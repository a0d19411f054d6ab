// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// COUNT: entries by group, nodes of each level, the indices that groups have, and where
/// rows begin.

#include "convert/members/assign_members.h"
#include "convert/passes.h"
#include "convert/stores/compiled_buckets.h"
#include "convert/stores/compiled_moves.h"
#include "phases/row_starts.h"

#include <assert.h>
#include <string.h>

/* ---- nodes ---- */

static cairn_status count_nodes(cairn_compiled *c)
{
    cairn_bank        *bank = &c->m->bank[0];
    cairn_convert_args args = {.nodes = bank->nodes, .facts = c->ranges.found};

    CAIRN_TRY(cairn_compiled_run(c, cairn_pass_phase(c, CAIRN_CONVERT_COUNT),
                                 &c->empty.view, &args));
    bank->end = c->ranges.found[0];
    return CAIRN_OK;
}

const cairn_pass_work cairn_count_nodes = {.prepare = count_nodes};

/* ---- entries by group ---- */

/// Find out, too, whether they are scattered.
static cairn_status count_groups(cairn_compiled *c)
{
    const int64_t      groups = c->facts.groups, all = c->ranges.n * groups + 1;
    cairn_convert_args args = {.groups = groups, .facts = c->ranges.found};

    CAIRN_TRY(CAIRN_NEW(c->m->env, all, &c->groups.begin));
    CAIRN_TRY(cairn_buckets_ask(c, &c->stores.bucketed));
    memset(c->groups.begin, 0, (size_t)all * sizeof *c->groups.begin);
    args.cursor = c->groups.begin;
    return cairn_compiled_run(c, cairn_pass_phase(c, CAIRN_CONVERT_HISTOGRAM),
                              &c->empty.view, &args);
}

const cairn_pass_work cairn_count_groups = {.prepare = count_groups};

/* ---- lists ---- */

/// The slots that any thread has set, in order, are the list.
static cairn_status list_slots(cairn_compiled *c)
{
    const int64_t slots = c->facts.slots;
    cairn_pos     n     = 0;

    for (int64_t t = 1; t < c->ranges.n; t++)
        for (int64_t x = 0; x < slots; x++)
            c->groups.slot[x] |= c->groups.slot[t * slots + x];
    for (int64_t x = 0; x < slots; x++)
        n += c->groups.slot[x];
    CAIRN_TRY(CAIRN_NEW(c->m->env, n, &c->groups.place));
    c->groups.n        = n;
    c->groups.begin[0] = 0;
    c->groups.begin[1] = (uint32_t)n;
    n                  = 0;
    for (int64_t x = 0; x < slots; x++)
        if (c->groups.slot[x]) c->groups.place[n++] = (uint32_t)x;
    return CAIRN_OK;
}

/// Nodes that there can be at most: one for each value that is read. Pages that are
/// never touched cost nothing.
static cairn_pos most_nodes(const cairn_compiled *c)
{
    const cairn_kernel_part *from = cairn_compiled_source(c);

    return from ? from->values : c->origin.entries->n;
}

cairn_status cairn_lists_create(cairn_compiled *c, cairn_pos most)
{
    c->groups = (cairn_line_index){
        .lines = c->facts.groups, .places = c->facts.slots, .listed = true};
    return cairn_line_index_create(c->m->env, &c->ranges, most, false, &c->groups);
}

/// Which indices each group has, in the order in which they are met.
static cairn_status count_lists(cairn_compiled *c)
{
    const int          E                     = c->m->layout->last;
    cairn_bank        *bank                  = &c->m->bank[0];
    int64_t            low[CAIRN_MAX_LEVELS] = {0};
    cairn_convert_args args                  = {.low = low};

    low[E] = c->range[E].lo;
    CAIRN_TRY(cairn_lists_create(c, E > 0 ? most_nodes(c) : 0));
    cairn_line_index_args(&c->groups, &c->ranges, &args);
    CAIRN_TRY(cairn_compiled_run(c, cairn_pass_phase(c, CAIRN_CONVERT_MARK),
                                 &c->empty.view, &args));
    for (int64_t t = 0; t < c->ranges.n; t++)
        bank->end += c->ranges.found[t * CAIRN_CONVERT_FACTS];
    if (E == 0) return list_slots(c);
    cairn_line_index_join(&c->ranges, &c->groups);
    return CAIRN_OK;
}

const cairn_pass_work cairn_count_lists = {.prepare = count_lists};

/* ---- rows ---- */

cairn_status cairn_rows_begin(cairn_compiled *c)
{
    const int64_t rows = c->m->rows.n;

    CAIRN_TRY(CAIRN_NEW(c->m->env, rows + 1, &c->rows.first));
    memcpy(c->rows.first, cairn_compiled_counts(c),
           (size_t)rows * sizeof *c->rows.first);
    cairn_begin_groups(c->rows.first, rows);
    return CAIRN_OK;
}

/// By the counts of a query, if it counted all; else by where the source has them.
static cairn_status count_rows(cairn_compiled *c)
{
    const cairn_interval box = c->origin.box[c->m->rows.row];

    if (c->m->rows.on
        && (cairn_rows_count_all(c) || !cairn_starts_fit(&c->origin, c->m->rows.row))) {
        CAIRN_TRY(cairn_rows_begin(c));
    } else {
        CAIRN_TRY(cairn_starts_find(c->m->env, &c->origin, c->m->rows.row,
                                    c->build->loader->threads, &c->rows.first));
        c->m->rows.n = box.hi - box.lo + 1;
    }
    return c->program.division.rows ? cairn_moves_divide(c, c->m->rows.n) : CAIRN_OK;
}

const cairn_pass_work cairn_count_rows = {.prepare = count_rows};
