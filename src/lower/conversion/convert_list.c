// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Listing what groups have: entries come group by group, and each has an offset, few
/// enough for an array with a slot for each. A slot is one more than the node that was
/// listed for its offset; one up to the group's first node is of another group.

#include "lower/conversion/convert_steps.h"

cairn_ir_array *cairn_convert_slots(cairn_convert *c)
{
    return cairn_convert_small(c, CAIRN_CONVERT_slot, "slot");
}

cairn_ir_array *cairn_convert_list(cairn_convert *c)
{
    return cairn_convert_small(c, CAIRN_CONVERT_list, "list");
}

cairn_ir_x cairn_convert_slot_at(cairn_convert *c, cairn_ir_x x)
{
    cairn_ir *b = &c->ir;

    return cairn_ir_add(
        b, x,
        cairn_ir_mul(b, c->here.thread,
                     cairn_convert_scalar(c, CAIRN_CONVERT_slots, "slots")));
}

void cairn_convert_increase(cairn_convert *c, cairn_ir_var *var)
{
    cairn_ir_assign(&c->ir, var,
                    cairn_ir_add_int(&c->ir, cairn_ir_use(&c->ir, var), 1));
}

void cairn_convert_declare_lister(cairn_convert        *c,
                                  cairn_convert_lister *s,
                                  const char           *what)
{
    cairn_ir        *b      = &c->ir;
    const cairn_ir_x offset = cairn_ir_load(
        b, cairn_convert_array(c, CAIRN_CONVERT_offset, "offset"), c->here.thread);

    s->nodes = cairn_ir_declare(b, offset, "nodes");
    s->first = cairn_ir_declare(b, cairn_ir_int(b, -1), "first_%s", what);
    s->now   = cairn_ir_declare(b, cairn_ir_int(b, -1), "%s_now", what);
    s->begin = cairn_ir_declare(b, cairn_ir_use(b, s->nodes), "begin_of_%s", what);
}

/// Groups that no entry is in end where the next one begins.
static void
begin_group(cairn_convert *c, const cairn_convert_lister *s, cairn_ir_x group)
{
    cairn_ir *b = &c->ir;

    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_use(b, s->first), cairn_ir_int(b, 0)));
    cairn_ir_assign(b, s->first, group);
    cairn_ir_assign(b, s->now, cairn_ir_add_int(b, group, -1));
    cairn_ir_end(b);
    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, s->now), group));
    cairn_convert_increase(c, s->now);
    cairn_ir_store(b, cairn_convert_cursors(c), cairn_ir_use(b, s->now),
                   cairn_ir_use(b, s->nodes));
    cairn_ir_end(b);
    cairn_ir_assign(b, s->begin, cairn_ir_use(b, s->nodes));
}

void cairn_convert_enter_group(cairn_convert              *c,
                               const cairn_convert_lister *s,
                               cairn_ir_x                  group)
{
    cairn_ir *b = &c->ir;

    cairn_ir_if(b, cairn_ir_ne(b, group, cairn_ir_use(b, s->now)));
    begin_group(c, s, group);
    cairn_ir_end(b);
}

void cairn_convert_list_offset(cairn_convert              *c,
                               const cairn_convert_lister *s,
                               cairn_ir_x                  x,
                               cairn_ir_array             *zero)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x slot = cairn_convert_slot_at(c, x);

    cairn_ir_if(b, cairn_ir_le(b, cairn_ir_load(b, cairn_convert_slots(c), slot),
                               cairn_ir_use(b, s->begin)));
    cairn_ir_store(b, cairn_convert_list(c), cairn_ir_use(b, s->nodes), x);
    if (zero) cairn_ir_store(b, zero, cairn_ir_use(b, s->nodes), cairn_ir_int(b, 0));
    cairn_convert_increase(c, s->nodes);
    cairn_ir_store(b, cairn_convert_slots(c), slot, cairn_ir_use(b, s->nodes));
    cairn_ir_end(b);
}

void cairn_convert_tell_lister(cairn_convert *c, const cairn_convert_lister *s)
{
    cairn_ir *b = &c->ir;

    cairn_convert_tell(c, 1, cairn_ir_use(b, s->nodes));
    cairn_convert_tell(c, 2, cairn_ir_use(b, s->first));
    cairn_convert_tell(c, 3, cairn_ir_use(b, s->now));
}
