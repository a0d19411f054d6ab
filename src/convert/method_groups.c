// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of a target with one trimmed level of few indices: which of them each group
/// has is noted, put in order, and then every value goes to the node of its index.

#include "convert/assign_members.h"
#include "convert/compiled.h"
#include "convert/compiled_lists.h"

static cairn_status applies(cairn_compiled *c, bool *may)
{
    *may = cairn_facts_list(c->m->layout, &c->facts);
    return CAIRN_OK;
}

/// Nodes of each group are listed, numbered, and get their entries' values.
static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    const bool tiled = c->tile && !c->zeros;

    if (!c->known) CAIRN_TRY(cairn_passes_count(w, CAIRN_UNIT_ENTRY));
    CAIRN_TRY(cairn_passes_number(w, CAIRN_UNIT_RUN, CAIRN_NUMBER_RANK, w->ptrs));
    return cairn_passes_move(w, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY,
                             tiled ? CAIRN_STORES_TILED : CAIRN_STORES_DIRECT);
}

static cairn_status load(cairn_compiled *c)
{
    const cairn_convert_spec mark  = cairn_compiled_spec(c, CAIRN_CONVERT_MARK);
    const cairn_convert_spec place = cairn_compiled_spec(c, CAIRN_CONVERT_PLACE);
    const int                E     = c->m->layout->last;

    if (c->origin.filter.groups && !c->m->ranked)
        CAIRN_TRY(cairn_member_groups_fit(c->origin.filter.groups, c->m->layout,
                                          c->range[E], &c->known));
    if (!c->known) CAIRN_TRY(cairn_compiled_load(c, &mark, &c->count));
    return cairn_compiled_load(c, &place, &c->fill);
}

/* ---- one group ---- */

/// The slots that any thread has set, in order, are the list.
static cairn_status list_slots(cairn_compiled *c)
{
    const int64_t slots = c->facts.slots;
    cairn_pos     n     = 0;

    for (int64_t t = 1; t < c->shares.n; t++)
        for (int64_t x = 0; x < slots; x++)
            c->slot[x] |= c->slot[t * slots + x];
    for (int64_t x = 0; x < slots; x++)
        n += c->slot[x];
    CAIRN_TRY(CAIRN_NEW(c->m->env, n, &c->list));
    c->nodes     = n;
    c->cursor[0] = 0;
    c->cursor[1] = (uint32_t)n;
    n            = 0;
    for (int64_t x = 0; x < slots; x++)
        if (c->slot[x]) c->list[n++] = (uint32_t)x;
    return CAIRN_OK;
}

/* ---- both ---- */

/// Nodes that there can be at most: one for each value that is read. Pages that nobody
/// touches cost nothing.
static cairn_pos most_nodes(const cairn_compiled *c)
{
    const cairn_local *from = c->origin.from;

    return from ? from->part[from->group[c->origin.member].first].view.values
                : c->origin.entries->n;
}

static void set_args(const cairn_compiled *c, cairn_convert_args *args)
{
    args->cursor = c->cursor;
    args->slot   = c->slot;
    args->slots  = c->facts.slots;
    args->list   = c->list;
    args->groups = c->facts.groups;
    args->offset = c->shares.offset;
    args->facts  = c->shares.found;
}

/// Which indices each group has, in the order in which they are met.
static cairn_status mark(cairn_compiled *c)
{
    const int          E                     = c->m->layout->last;
    cairn_bank        *bank                  = &c->m->bank[0];
    int64_t            low[CAIRN_MAX_LEVELS] = {0};
    cairn_convert_args args                  = {.low = low};

    low[E] = c->range[E].lo;
    if (E > 0) CAIRN_TRY(CAIRN_NEW(c->m->env, most_nodes(c), &c->list));
    set_args(c, &args);
    CAIRN_TRY(cairn_compiled_run(c, &c->count, &c->empty.view, &args));
    for (int64_t t = 0; t < c->shares.n; t++)
        bank->end += c->shares.found[t * CAIRN_CONVERT_FACTS];
    if (E == 0) return list_slots(c);
    c->nodes = cairn_shares_join(&c->shares, c->facts.groups, c->cursor, c->list, NULL);
    return CAIRN_OK;
}

/// The same from the groups by which entries were dealt out.
static cairn_status list_known(cairn_compiled *c)
{
    c->m->bank[0].end = c->origin.filter.entries;
    return cairn_member_groups_list(c->origin.filter.groups, c->origin.filter.which,
                                    c->cursor, &c->list, &c->nodes);
}

static cairn_status count(cairn_compiled *c)
{
    cairn_env *const env = c->m->env;
    const int        E   = c->m->layout->last;

    CAIRN_TRY(cairn_compiled_divide(c, E > 0 || c->m->ranked,
                                    1 + 4 * c->facts.entries / (c->facts.slots + 1)));
    CAIRN_TRY(CAIRN_NEW(env, c->facts.groups + 1, &c->cursor));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, c->shares.n * c->facts.slots, &c->slot));
    CAIRN_TRY(c->known ? list_known(c) : mark(c));
    if (E > 0)
        CAIRN_TRY(cairn_lists_sort(env, (int)c->shares.n, c->facts.groups, c->cursor,
                                   c->facts.slots, c->list));
    c->m->bank[0].nodes[E] = c->nodes;
    c->tile                = cairn_tiles_width(c);
    return CAIRN_OK;
}

static cairn_status
fill(const cairn_compiled *c, int64_t bank, cairn_convert_args *args, cairn_part *part)
{
    (void)bank;
    cairn_compiled_write_last_ptr(c, &part->view);
    set_args(c, args);
    args->zeros = c->zeros;
    if (c->tile && !c->zeros) return cairn_tiles_fill(c, &part->view, args);
    return cairn_compiled_run(c, &c->fill, &part->view, args);
}

const cairn_method cairn_method_groups = {
    .name    = "groups",
    .needs   = "one trimmed level of few indices, or queries that number groups",
    .applies = applies,
    .passes  = passes,
    .load    = load,
    .count   = count,
    .fill    = fill,
};
