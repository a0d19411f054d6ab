// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phases TALLY and DEAL: what entries give to their groups of a query, and which member
/// of a hybrid a group goes to. Groups are numbered by arithmetic where the box has few,
/// or in the order in which they are met: then all expressions of the groupBy but the
/// last tell a *line* of groups, and entries come line by line.

#include "lower/conversion/convert_steps.h"

/// Values of the groupBy's expressions at the entry, counted from the least of each.
static cairn_ir_x offset_of(cairn_convert *c, int f)
{
    return cairn_ir_sub(
        &c->ir, c->here.e[f],
        cairn_convert_element(c, CAIRN_CONVERT_group_low, "group_low", f));
}

/// Row-major number of the expressions before @p end.
static cairn_ir_x number_of(cairn_convert *c, int end, const char *name)
{
    cairn_ir  *b  = &c->ir;
    cairn_ir_x at = cairn_ir_int(b, 0);

    for (int f = 0; f < end; f++)
        at =
            cairn_ir_add(b,
                         cairn_ir_mul(b, at,
                                      cairn_convert_element(c, CAIRN_CONVERT_group_size,
                                                            "group_size", f)),
                         offset_of(c, f));
    return cairn_ir_use(b, cairn_ir_let(b, at, "%s", name));
}

static cairn_ir_array *tally_of(cairn_convert *c)
{
    return cairn_convert_small(c, CAIRN_CONVERT_tally, "tally");
}

/* ---- what an entry gives ---- */

static int64_t start_of(const cairn_start *start)
{
    return start->kind == CAIRN_START_CONST ? start->value : 0;
}

static cairn_ir_x holds(cairn_convert *c, const cairn_case *when)
{
    cairn_ir        *b = &c->ir;
    const cairn_ir_x v = cairn_ir_cast(b, CAIRN_IR_F64, c->here.value);
    const cairn_ir_x k = cairn_ir_real(b, CAIRN_IR_F64, (double)when->constant);

    switch (when->relation) {
    case CAIRN_REL_EQ: return cairn_ir_eq(b, v, k);
    case CAIRN_REL_NE: return cairn_ir_ne(b, v, k);
    case CAIRN_REL_GT: return cairn_ir_lt(b, k, v);
    case CAIRN_REL_GE: return cairn_ir_le(b, k, v);
    case CAIRN_REL_LT: return cairn_ir_lt(b, v, k);
    case CAIRN_REL_LE: break;
    }
    return cairn_ir_le(b, v, k);
}

/// A comparison with 0 by eq or ne asks whether there is an entry: here is one.
static bool is_sure(const cairn_case *when, bool *yes)
{
    *yes = when->relation == CAIRN_REL_NE;
    return when->constant == 0
           && (when->relation == CAIRN_REL_NE || when->relation == CAIRN_REL_EQ);
}

static bool needs_value(const cairn_query *query)
{
    for (int k = 0; k < query->cases; k++) {
        bool yes;

        if (!is_sure(&query->when[k], &yes)) return true;
        if (yes) return false;
    }
    return false;
}

/// The start of the first case that holds.
static cairn_ir_x weight_of(cairn_convert *c, int k)
{
    const cairn_query *query = c->spec->tally.query;
    cairn_ir          *b     = &c->ir;
    bool               yes;

    if (k == query->cases) return cairn_ir_int(b, start_of(&query->otherwise));
    const cairn_ir_x its = cairn_ir_int(b, start_of(&query->when[k].start));

    if (is_sure(&query->when[k], &yes)) return yes ? its : weight_of(c, k + 1);
    return cairn_ir_select(b, holds(c, &query->when[k]), its, weight_of(c, k + 1));
}

static void add_weight(cairn_convert *c, cairn_ir_x at)
{
    cairn_ir *b = &c->ir;

    cairn_ir_store(b, tally_of(c), at,
                   cairn_ir_add(b, cairn_ir_load(b, tally_of(c), at), weight_of(c, 0)));
}

/* ---- TALLY ---- */

static void tally_dense(cairn_convert *c)
{
    cairn_ir *b = &c->ir;

    c->trusted = true;
    cairn_convert_open_shares(c);
    cairn_convert_visit(c, needs_value(c->spec->tally.query));
    cairn_convert_indices(c, c->levels);

    const cairn_ir_x group  = number_of(c, c->levels, "group");
    const cairn_ir_x groups = cairn_convert_scalar(c, CAIRN_CONVERT_groups, "groups");

    add_weight(c, cairn_ir_add(b, cairn_ir_mul(b, c->here.thread, groups), group));
    cairn_convert_leave(c);
    cairn_convert_close_shares(c);
}

/// Lines follow from the row: one is begun before its entries.
static void
tally_row(cairn_convert *c, void *user, int l, cairn_ir_x begin, cairn_ir_x end)
{
    (void)l, (void)begin, (void)end;
    cairn_convert_indices(c, c->levels - 1);
    cairn_convert_enter_group(c, user, number_of(c, c->levels - 1, "line"));
}

/// Ask for lines to be begun before the innermost loop.
static void begin_lines(cairn_convert *c, cairn_convert_before before, void *user)
{
    c->inner.before = before;
    c->inner.user   = user;
    c->inner.needs  = c->levels - 1;
}

static void tally_listed(cairn_convert *c)
{
    cairn_ir            *b = &c->ir;
    cairn_convert_lister s;

    c->trusted = true;
    cairn_convert_open_shares(c);
    cairn_convert_declare_lister(c, &s, "line");
    begin_lines(c, tally_row, &s);
    cairn_convert_visit(c, needs_value(c->spec->tally.query));
    cairn_convert_indices(c, c->levels);
    if (!c->inner.called)
        cairn_convert_enter_group(c, &s, number_of(c, c->levels - 1, "line"));

    const cairn_ir_x x =
        cairn_ir_use(b, cairn_ir_let(b, offset_of(c, c->levels - 1), "x"));

    cairn_convert_list_offset(c, &s, x, tally_of(c));
    const cairn_ir_x group = cairn_ir_add_int(
        b, cairn_ir_load(b, cairn_convert_slots(c), cairn_convert_slot_at(c, x)), -1);

    add_weight(c, cairn_ir_use(b, cairn_ir_let(b, group, "group")));
    cairn_convert_leave(c);
    cairn_convert_tell_lister(c, &s);
    cairn_convert_close_shares(c);
}

void cairn_convert_lower_tally(cairn_convert *c)
{
    if (c->spec->tally.listed)
        tally_listed(c);
    else
        tally_dense(c);
}

/* ---- DEAL ---- */

static cairn_ir_x member_of(cairn_convert *c, cairn_ir_x group)
{
    cairn_ir *b = &c->ir;

    return cairn_ir_load(
        b,
        cairn_ir_array_of(b, (cairn_ir_field){CAIRN_IR_ARG, 0, CAIRN_CONVERT_member_of},
                          CAIRN_IR_U8, "member_of"),
        group);
}

/// Put the members of a line's groups into their slots.
static void enter_line(cairn_convert *c, cairn_ir_x line)
{
    cairn_ir      *b    = &c->ir;
    cairn_ir_stmt *loop = cairn_ir_for(
        b, cairn_ir_load(b, cairn_convert_cursors(c), line),
        cairn_ir_load(b, cairn_convert_cursors(c), cairn_ir_add_int(b, line, 1)), 1,
        "groups of the line", "q");
    const cairn_ir_x q = cairn_ir_loop_var(b, loop);

    cairn_ir_store(b, cairn_convert_slots(c),
                   cairn_convert_slot_at(c, cairn_ir_load(b, cairn_convert_list(c), q)),
                   member_of(c, q));
    cairn_ir_end(b);
}

/// If the line is another than before, put its members into the slots.
static void change_line(cairn_convert *c, cairn_ir_var *current)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x line = number_of(c, c->levels - 1, "line");

    cairn_ir_if(b, cairn_ir_ne(b, line, cairn_ir_use(b, current)));
    cairn_ir_assign(b, current, line);
    enter_line(c, line);
    cairn_ir_end(b);
}

static void
deal_row(cairn_convert *c, void *user, int l, cairn_ir_x begin, cairn_ir_x end)
{
    (void)l, (void)begin, (void)end;
    cairn_convert_indices(c, c->levels - 1);
    change_line(c, user);
}

static cairn_ir_x member_in_line(cairn_convert *c, cairn_ir_var *current)
{
    if (!c->inner.called) change_line(c, current);
    return cairn_ir_load(&c->ir, cairn_convert_slots(c),
                         cairn_convert_slot_at(c, offset_of(c, c->levels - 1)));
}

void cairn_convert_lower_deal(cairn_convert *c)
{
    cairn_ir     *b       = &c->ir;
    cairn_ir_var *current = NULL;

    c->trusted = true;
    cairn_convert_open_shares(c);
    if (c->spec->tally.listed) {
        current = cairn_ir_declare(b, cairn_ir_int(b, -1), "current");
        begin_lines(c, deal_row, current);
    }
    cairn_convert_visit(c, false);
    cairn_convert_indices(c, c->levels);
    cairn_ir_store(b, cairn_convert_members(c), c->here.position,
                   current ? member_in_line(c, current)
                           : member_of(c, number_of(c, c->levels, "group")));
    cairn_convert_leave(c);
    cairn_convert_close_shares(c);
}
