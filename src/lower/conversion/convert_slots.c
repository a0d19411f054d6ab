// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phases MARK and PLACE: groups of entries come one after the other, and the indices of
/// the one trimmed level are few enough for an array with a slot for each. MARK notes
/// which a group has: slot[x] is one more than the node, and a node before the group's
/// first is another group's. PLACE finds the node of an index there.

#include "lower/conversion/convert_steps.h"

/// The index of the trimmed level, from the least of its range.
static cairn_ir_x offset_of(cairn_convert *c)
{
    const int E = c->to->last;

    return cairn_ir_use(
        &c->ir, cairn_ir_let(
                    &c->ir,
                    cairn_ir_sub(&c->ir, c->here.e[E],
                                 cairn_convert_element(c, CAIRN_CONVERT_low, "low", E)),
                    "x"));
}

/* ---- runs ---- */

/// Does a run begin at the entry, and are all of it there? Indices ascend, so they are if
/// the last stands where it then must.
static cairn_ir_x is_whole(cairn_convert *c, int64_t length)
{
    cairn_ir        *b    = &c->ir;
    const int        last = c->to->levels - 1, l = c->from->levels - 1;
    const cairn_ir_x end =
        cairn_ir_add_int(b, cairn_ir_use(b, c->inner.step), length - 1);
    const cairn_ir_x there =
        cairn_ir_eq(b, cairn_ir_load(b, cairn_convert_idx(c, 0, l), end),
                    cairn_ir_add_int(b, c->here.stored[l], length - 1));

    return cairn_ir_and(b, cairn_ir_eq(b, c->here.e[last], cairn_ir_int(b, 0)),
                        cairn_ir_and(b, cairn_ir_lt(b, end, c->inner.end), there));
}

static void step_by(cairn_convert *c, int64_t entries)
{
    cairn_ir_assign(
        &c->ir, c->inner.step,
        cairn_ir_add_int(&c->ir, cairn_ir_use(&c->ir, c->inner.step), entries));
}

/* ---- MARK ---- */

typedef struct {
    cairn_convert_lister list;
    cairn_ir_var        *entries;
    cairn_ir_var *length; ///< Entries of the row before, in this group; NULL: each
                          ///< row is looked at.
    int64_t run;          ///< Entries of a whole run; 0: each is looked at.
} marker;

/// A row that has the indices of the row before it has no others: compare them, which
/// takes less than looking at each. Only what differs is visited.
static void skip_like_row(cairn_convert *c,
                          const marker  *m,
                          int            l,
                          cairn_ir_x     begin,
                          cairn_ir_x     end)
{
    cairn_ir             *b      = &c->ir;
    const cairn_ir_array *idx    = cairn_convert_idx(c, 0, l);
    const cairn_ir_x      length = cairn_ir_use(b, m->length);
    const cairn_ir_x      count =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_sub(b, end, begin), "count"));
    cairn_ir_var *differs = cairn_ir_declare(b, cairn_ir_int(b, 1), "differs");

    cairn_ir_if(b, cairn_ir_and(b, cairn_ir_lt(b, cairn_ir_int(b, 0), count),
                                cairn_ir_eq(b, count, length)));
    cairn_ir_assign(b, differs,
                    cairn_ir_sub(b, cairn_ir_load(b, idx, begin),
                                 cairn_ir_load(b, idx, cairn_ir_sub(b, begin, count))));
    cairn_ir_if(b, cairn_ir_eq(b, cairn_ir_use(b, differs), cairn_ir_int(b, 0)));
    cairn_ir_stmt   *loop = cairn_ir_for(b, begin, end, 1, "like the row before", "p");
    const cairn_ir_x p    = cairn_ir_loop_var(b, loop);

    cairn_ir_assign(
        b, differs,
        cairn_ir_binary(
            b, CAIRN_IR_BITS_OR, cairn_ir_use(b, differs),
            cairn_ir_sub(b, cairn_ir_load(b, idx, p),
                         cairn_ir_load(b, idx, cairn_ir_sub(b, p, count)))));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_ir_assign(b, m->length, count);
    cairn_ir_assign(b, m->entries, cairn_ir_add(b, cairn_ir_use(b, m->entries), count));
    cairn_convert_require(c,
                          cairn_ir_ne(b, cairn_ir_use(b, differs), cairn_ir_int(b, 0)));
}

static void
mark_row(cairn_convert *c, void *user, int l, cairn_ir_x begin, cairn_ir_x end)
{
    const marker *m = user;
    cairn_ir     *b = &c->ir;
    cairn_ir_x    group;

    cairn_convert_indices(c, c->to->first);
    group = cairn_convert_group(c);
    if (m->length) {
        cairn_ir_if(b, cairn_ir_ne(b, group, cairn_ir_use(b, m->list.now)));
        cairn_ir_assign(b, m->length, cairn_ir_int(b, 0));
        cairn_ir_end(b);
    }
    cairn_convert_enter_group(c, &m->list, group);
    if (m->length) skip_like_row(c, m, l, begin, end);
}

/// All entries of a whole run have the node of the first.
static void pass_run(cairn_convert *c, int64_t length)
{
    cairn_convert_indices(c, c->levels);
    cairn_ir_if(&c->ir, is_whole(c, length));
    step_by(c, length);
    cairn_ir_else(&c->ir);
    step_by(c, 1);
    cairn_ir_end(&c->ir);
}

static void mark_entry(cairn_convert *c, const marker *m)
{
    cairn_ir  *b   = &c->ir;
    const bool one = c->to->first == 0;

    cairn_convert_indices(c, c->to->last + 1);
    if (!one && !c->inner.called)
        cairn_convert_enter_group(c, &m->list, cairn_convert_group(c));

    const cairn_ir_x x = offset_of(c);

    if (one)
        cairn_ir_store(b, cairn_convert_slots(c), cairn_convert_slot_at(c, x),
                       cairn_ir_int(b, 1));
    else
        cairn_convert_list_offset(c, &m->list, x, NULL);
    if (!(c->inner.called && m->length)) cairn_convert_increase(c, m->entries);
    if (m->run) pass_run(c, m->run);
}

void cairn_convert_lower_mark(cairn_convert *c)
{
    cairn_ir *b = &c->ir;
    marker    m = {.length = NULL};

    c->trusted = true;
    cairn_convert_open_shares(c);
    cairn_convert_declare_lister(c, &m.list, "group");
    m.entries = cairn_ir_declare(b, cairn_ir_int(b, 0), "entries");
    if (c->to->first > 0) {
        c->inner.before = mark_row;
        c->inner.user   = &m;
        c->inner.needs  = c->to->first;
        if (cairn_convert_has_like_rows(c)) {
            m.length = cairn_ir_declare(b, cairn_ir_int(b, 0), "length");
            m.run    = cairn_convert_run_length(c);
        }
    }
    c->inner.steps = m.run > 0;
    cairn_convert_visit(c, false);
    mark_entry(c, &m);
    cairn_convert_leave(c);
    cairn_convert_tell(c, 0, cairn_ir_use(b, m.entries));
    cairn_convert_tell_lister(c, &m.list);
    cairn_convert_close_shares(c);
}

/* ---- PLACE ---- */

/// Where the index of every node of level E stands: into its slot, and for padding.
static void enter_nodes(cairn_convert *c, cairn_ir_x group)
{
    cairn_ir      *b    = &c->ir;
    const int      E    = c->to->last;
    cairn_ir_stmt *loop = cairn_ir_for(
        b, cairn_ir_load(b, cairn_convert_cursors(c), group),
        cairn_ir_load(b, cairn_convert_cursors(c), cairn_ir_add_int(b, group, 1)), 1,
        "nodes of the group", "q");
    const cairn_ir_x q = cairn_ir_loop_var(b, loop);
    const cairn_ir_x x = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_load(b, cairn_convert_list(c), q), "its"));
    const cairn_ir_x e =
        cairn_ir_add(b, x, cairn_convert_element(c, CAIRN_CONVERT_low, "low", E));

    cairn_ir_store(b, cairn_convert_slots(c),
                   c->here.thread ? cairn_convert_slot_at(c, x) : x, q);
    if (c->to->level[E].arrays.has_idx)
        cairn_ir_store(b, cairn_convert_idx(c, 1, E), q, e);
    if (cairn_convert_needs_tuples(c->to)) {
        cairn_ir_array  *tuple = cairn_convert_array(c, CAIRN_CONVERT_tuple, "tuple");
        const cairn_ir_x nodes =
            cairn_ir_param(b, (cairn_ir_field){CAIRN_IR_LEVEL_NODES, 1, E},
                           CAIRN_IR_I64, "B%d_nodes", E);

        for (int l = 0; l <= E; l++)
            cairn_ir_store(b, tuple, cairn_ir_add(b, cairn_ir_mul_int(b, nodes, l), q),
                           l < E ? c->here.e[l] : e);
    }
    cairn_ir_end(b);
}

bool cairn_convert_clears(const cairn_layout *to)
{
    return to->first == to->last && to->first > 0 && to->packs.count == 0;
}

/// Zeros where the group's values go, unless they are there: the lines are then in cache
/// when these come.
static void clear_nodes(cairn_convert *c, cairn_ir_x group)
{
    cairn_ir  *b    = &c->ir;
    cairn_ir_x size = cairn_ir_int(b, 1);

    for (int l = c->to->last + 1; l < c->to->levels; l++)
        if (!c->to->level[l].determined.on)
            size = cairn_ir_mul(b, size, cairn_convert_size(c, 1, l));
    cairn_ir_if(b, cairn_ir_eq(b, cairn_convert_scalar(c, CAIRN_CONVERT_zeros, "zeros"),
                               cairn_ir_int(b, 0)));
    cairn_ir_stmt *loop = cairn_ir_for(
        b, cairn_ir_mul(b, cairn_ir_load(b, cairn_convert_cursors(c), group), size),
        cairn_ir_mul(
            b,
            cairn_ir_load(b, cairn_convert_cursors(c), cairn_ir_add_int(b, group, 1)),
            size),
        1, "no value yet", "h");
    cairn_ir_store(b, cairn_convert_values(c, 1), cairn_ir_loop_var(b, loop),
                   cairn_convert_no_value(c, 1));
    cairn_ir_end(b);
    cairn_ir_end(b);
}

/// Of another group than before: its nodes come into the slots.
static cairn_ir_x enter_group(cairn_convert *c, cairn_ir_var *current)
{
    cairn_ir        *b     = &c->ir;
    const cairn_ir_x group = cairn_convert_group(c);

    cairn_ir_if(b, cairn_ir_ne(b, group, cairn_ir_use(b, current)));
    cairn_ir_assign(b, current, group);
    enter_nodes(c, group);
    if (cairn_convert_clears(c->to)) clear_nodes(c, group);
    cairn_ir_end(b);
    return group;
}

/// Values of a row that has an entry in each place: node by node, as they come.
static void
place_nodes(cairn_convert *c, cairn_ir_x nodes, cairn_ir_x nodes_end, cairn_ir_x begin)
{
    cairn_ir        *b      = &c->ir;
    const int        last   = c->to->levels - 1;
    const int64_t    length = cairn_convert_run_length(c);
    cairn_ir_stmt   *outer  = cairn_ir_for(b, nodes, nodes_end, 1, "a full row", "q");
    const cairn_ir_x q      = cairn_ir_loop_var(b, outer);
    cairn_ir_stmt   *inner =
        cairn_ir_for(b, cairn_ir_int(b, 0), cairn_ir_int(b, length), 1, NULL, "k");
    const cairn_ir_x k = cairn_ir_loop_var(b, inner);
    const cairn_ir_x at =
        cairn_ir_add(b, begin, cairn_ir_mul_int(b, cairn_ir_sub(b, q, nodes), length));

    c->here.e[last] = k;
    c->here.value =
        cairn_ir_load(b, cairn_convert_values(c, 0), cairn_ir_add(b, at, k));
    cairn_convert_write(c, q, NULL);
    cairn_ir_end(b);
    cairn_ir_end(b);
}

/// The entries of a row are visited only if the row is not full.
static void
place_full_row(cairn_convert *c, cairn_ir_x group, cairn_ir_x begin, cairn_ir_x end)
{
    cairn_ir        *b     = &c->ir;
    const cairn_ir_x nodes = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_load(b, cairn_convert_cursors(c), group), "nodes"));
    const cairn_ir_x nodes_end =
        cairn_ir_use(b, cairn_ir_let(b,
                                     cairn_ir_load(b, cairn_convert_cursors(c),
                                                   cairn_ir_add_int(b, group, 1)),
                                     "nodes_end"));
    const cairn_ir_x lacks = cairn_ir_use(
        b,
        cairn_ir_let(b,
                     cairn_ir_sub(b,
                                  cairn_ir_mul_int(b, cairn_ir_sub(b, nodes_end, nodes),
                                                   cairn_convert_run_length(c)),
                                  cairn_ir_sub(b, end, begin)),
                     "lacks"));

    for (int l = c->to->last + 1; l < c->to->levels - 1; l++)
        c->here.e[l] = cairn_ir_use(
            b, cairn_ir_let(b, cairn_convert_form(c, &c->target[l]), "e%d", l));
    cairn_ir_if(b, cairn_ir_eq(b, lacks, cairn_ir_int(b, 0)));
    place_nodes(c, nodes, nodes_end, begin);
    cairn_ir_end(b);
    cairn_convert_require(c, cairn_ir_ne(b, lacks, cairn_ir_int(b, 0)));
}

static void
place_row(cairn_convert *c, void *user, int l, cairn_ir_x begin, cairn_ir_x end)
{
    (void)l;
    cairn_convert_indices(c, c->to->first);

    const cairn_ir_x group = enter_group(c, user);

    if (cairn_convert_has_full_rows(c)) place_full_row(c, group, begin, end);
}

/// The value @p k entries on goes to the same node, @p k indices on.
static void place_value(cairn_convert *c, cairn_ir_x node, cairn_ir_x k)
{
    cairn_ir        *b    = &c->ir;
    const int        last = c->to->levels - 1;
    const cairn_ir_x its  = c->here.e[last];

    c->here.e[last] = cairn_ir_add(b, its, k);
    c->here.value   = cairn_ir_load(b, cairn_convert_values(c, 0),
                                    cairn_ir_add(b, cairn_ir_use(b, c->inner.step), k));
    cairn_convert_write(c, node, NULL);
    c->here.e[last] = its;
}

/// A run that has all its entries goes as one; else the entry alone.
static void place_run(cairn_convert *c, cairn_ir_x node, int64_t length)
{
    cairn_ir        *b    = &c->ir;
    const int        last = c->to->levels - 1;
    const cairn_ir_x its  = c->here.e[last];

    cairn_ir_if(b, is_whole(c, length));
    c->here.e[last]     = cairn_ir_int(b, 0);
    cairn_ir_stmt *loop = cairn_ir_for(b, cairn_ir_int(b, 0), cairn_ir_int(b, length),
                                       1, "a run that is whole", "k");

    place_value(c, node, cairn_ir_loop_var(b, loop));
    cairn_ir_end(b);
    step_by(c, length);
    cairn_ir_else(b);
    c->here.e[last] = its;
    place_value(c, node, cairn_ir_int(b, 0));
    step_by(c, 1);
    cairn_ir_end(b);
}

static void place_entry(cairn_convert *c, cairn_ir_var *current, int64_t length)
{
    cairn_ir  *b   = &c->ir;
    const bool one = c->to->first == 0;

    cairn_convert_indices(c, c->levels);
    if (!one && !c->inner.called) enter_group(c, current);

    /* With one group all threads have the same slots. */
    const cairn_ir_x x    = offset_of(c);
    const cairn_ir_x slot = one ? x : cairn_convert_slot_at(c, x);
    const cairn_ir_x node = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_load(b, cairn_convert_slots(c), slot), "node"));

    if (length)
        place_run(c, node, length);
    else
        cairn_convert_write(c, node, NULL);
}

void cairn_convert_lower_place(cairn_convert *c)
{
    cairn_ir     *b       = &c->ir;
    const bool    one     = c->to->first == 0;
    const int64_t length  = cairn_convert_run_length(c);
    cairn_ir_var *current = NULL;

    cairn_convert_write_holes(c);
    if (one) enter_nodes(c, cairn_ir_int(b, 0));
    c->trusted = true;
    cairn_convert_open_shares(c);
    current = cairn_ir_declare(b, cairn_ir_int(b, -1), "current");
    if (!one) {
        c->inner.before = place_row;
        c->inner.user   = current;
        c->inner.needs  = c->to->first;
    }
    c->inner.steps = length > 0;
    cairn_convert_visit(c, !c->inner.steps);
    place_entry(c, current, length);
    cairn_convert_leave(c);
    cairn_convert_close_shares(c);
}
