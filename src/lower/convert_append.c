// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phase FILL from sorted keys of one word, levels without gaps: block by block of keys,
/// and in each a loop for every run of levels that have their nodes in common. Which entry
/// begins a node is as good as random, so that no branch asks: an entry that begins none
/// stores once more what its node has. A loop knows the few shifts and masks that it
/// needs, which stay in registers; where every entry is a node, it has nothing to count.

#include "lower/convert_steps.h"

/// Nodes of a level while keys are visited in one loop.
typedef struct {
    int           depth; ///< A node ends where the key down to this level changes;
    bool          every; ///< at every entry.
    cairn_ir_var *prefix, *last_node;
    cairn_ir_x    node; ///< The entry's.
} nodes;

/// Levels begin to before end have nodes of one depth.
typedef struct {
    int   begin, end;
    nodes own, parent; ///< Parents are counted for the ptr of the first level.
} run;

typedef struct {
    int           runs;
    run           run[CAIRN_MAX_LEVELS];
    nodes         top;        ///< Of the first level, in the loop that writes its ptr.
    cairn_ir_var *row;        ///< There: parent whose begin is written,
    cairn_ir_var *above;      ///< and its key.
    cairn_ir_x    begin, end; ///< Of the block.
} append;

bool cairn_convert_appends(const cairn_convert *c)
{
    if (c->spec->source != CAIRN_CONVERT_KEYS || c->spec->keys.split) return false;
    for (int l = c->to->first; l <= c->to->last; l++)
        if (c->to->level[l].gaps) return false;
    return true;
}

/* ---- nodes ---- */

static nodes declare_nodes(cairn_convert *c, int l)
{
    const int depth = c->to->level[l].depth;
    nodes     n     = {.depth = depth, .every = c->spec->of_entries >> l & 1};

    if (n.every) return n;
    n.prefix    = cairn_ir_declare(&c->ir, cairn_ir_int(&c->ir, -1), "last%d", l);
    n.last_node = cairn_ir_declare(&c->ir, cairn_ir_int(&c->ir, -1), "node%d", l);
    return n;
}

/// The bits of the key down to level @p l.
static cairn_ir_x prefix_of(cairn_convert *c, int l)
{
    return cairn_ir_use(
        &c->ir, cairn_ir_let(&c->ir,
                             cairn_ir_binary(&c->ir, CAIRN_IR_SHIFT_RIGHT,
                                             c->here.word[0], c->fields.shift[l]),
                             "prefix%d", l));
}

static void count_node(cairn_convert *c, nodes *n)
{
    cairn_ir *b = &c->ir;

    if (n->every) {
        n->node = cairn_ir_sub(b, c->here.turn, cairn_convert_begin(c));
        return;
    }
    const cairn_ir_x prefix  = prefix_of(c, n->depth);
    const cairn_ir_x changed = cairn_ir_ne(b, prefix, cairn_ir_use(b, n->prefix));

    cairn_ir_assign(b, n->last_node,
                    cairn_ir_add(b, cairn_ir_use(b, n->last_node),
                                 cairn_ir_cast(b, CAIRN_IR_I64, changed)));
    cairn_ir_assign(b, n->prefix, prefix);
    n->node = cairn_ir_use(b, n->last_node);
}

/* ---- the ptr of the first level ---- */

/// Are there levels above it, whose nodes are all combinations of their indices?
static bool has_rows(const cairn_convert *c)
{
    const int first = c->to->first;

    return first <= c->to->last && first > c->to->partition + 1
           && c->to->level[first].has_ptr;
}

/// Write ptr up to @p parent: those left behind end where the level stands.
static void advance(cairn_convert *c, append *a, cairn_ir_x parent, cairn_ir_x total)
{
    cairn_ir *b = &c->ir;

    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, a->row), parent));
    cairn_convert_increase(c, a->row);
    cairn_ir_store(b, cairn_convert_ptr(c, 1, c->to->first), cairn_ir_use(b, a->row),
                   total);
    cairn_ir_end(b);
}

static void write_rows(cairn_convert *c, append *a)
{
    cairn_ir *b     = &c->ir;
    const int first = c->to->first;

    cairn_convert_visit_block(c, a->begin, a->end, false);
    cairn_convert_indices(c, first);

    const cairn_ir_x above = prefix_of(c, first - 1);

    if (a->top.every) count_node(c, &a->top);
    cairn_ir_if(b, cairn_ir_ne(b, above, cairn_ir_use(b, a->above)));
    cairn_ir_assign(b, a->above, above);
    advance(c, a,
            cairn_convert_combine(c, cairn_ir_int(b, 0), c->to->partition + 1, first,
                                  UINT32_MAX),
            a->top.every ? a->top.node
                         : cairn_ir_add_int(b, cairn_ir_use(b, a->top.last_node), 1));
    cairn_ir_end(b);
    if (!a->top.every) count_node(c, &a->top);
    cairn_convert_leave(c);
}

/* ---- runs of levels ---- */

/// The ptr of level @p l, if its parents are nodes: where @p parent ends.
static void write_ptr(cairn_convert *c, int l, cairn_ir_x parent, cairn_ir_x node)
{
    cairn_ir *b = &c->ir;

    if (l == c->to->first || !c->to->level[l].has_ptr) return;
    cairn_ir_store(b, cairn_convert_ptr(c, 1, l), cairn_ir_add_int(b, parent, 1),
                   cairn_ir_add_int(b, node, 1));
}

/// Indices of the nodes of level E, for the padding of levels below.
static void write_tuples(cairn_convert *c, cairn_ir_x node)
{
    cairn_ir        *b     = &c->ir;
    const int        last  = c->to->last;
    cairn_ir_array  *tuple = cairn_convert_array(c, CAIRN_CONVERT_tuple, "tuple");
    const cairn_ir_x count =
        cairn_ir_param(b, (cairn_ir_field){CAIRN_IR_LEVEL_NODES, 1, last}, CAIRN_IR_I64,
                       "B%d_nodes", last);

    for (int l = 0; l <= last; l++)
        cairn_ir_store(b, tuple, cairn_ir_add(b, cairn_ir_mul_int(b, count, l), node),
                       c->here.e[l]);
}

static void write_run(cairn_convert *c, const append *a, run *r)
{
    cairn_ir  *b    = &c->ir;
    const bool last = r->end > c->to->last;

    cairn_convert_visit_block(c, a->begin, a->end, last && !c->spec->omit.values);
    cairn_convert_indices(c, c->levels);
    if (r->begin > c->to->first) count_node(c, &r->parent);
    count_node(c, &r->own);
    for (int l = r->begin; l < r->end; l++) {
        write_ptr(c, l, l > r->begin ? r->own.node : r->parent.node, r->own.node);
        if (c->to->level[l].has_idx && !(c->spec->omit.idx >> l & 1))
            cairn_ir_store(b, cairn_convert_idx(c, 1, l), r->own.node, c->here.e[l]);
    }
    if (last && cairn_convert_needs_tuples(c->to)) write_tuples(c, r->own.node);
    if (last && !c->spec->omit.values) cairn_convert_write(c, r->own.node, NULL);
    cairn_convert_leave(c);
}

/// Of no trimmed level: values go to their positions.
static void write_positions(cairn_convert *c, const append *a)
{
    if (c->spec->omit.values) return;
    cairn_convert_visit_block(c, a->begin, a->end, true);
    cairn_convert_indices(c, c->levels);
    cairn_convert_write(c, cairn_ir_int(&c->ir, 0), NULL);
    cairn_convert_leave(c);
}

/* ---- all ---- */

static void declare(cairn_convert *c, append *a)
{
    cairn_ir *b = &c->ir;

    for (int l = c->to->first; l <= c->to->last;) {
        run *const r = &a->run[a->runs++];

        r->begin = l;
        r->own   = declare_nodes(c, l);
        if (l > c->to->first) r->parent = declare_nodes(c, l - 1);
        for (; l <= c->to->last && c->to->level[l].depth == r->own.depth; l++)
            if (c->to->level[l].has_ptr)
                cairn_ir_store(b, cairn_convert_ptr(c, 1, l), cairn_ir_int(b, 0),
                               cairn_ir_int(b, 0));
        r->end = l;
    }
    if (!has_rows(c)) return;
    a->top   = declare_nodes(c, c->to->first);
    a->row   = cairn_ir_declare(b, cairn_ir_int(b, 0), "row%d", c->to->first);
    a->above = cairn_ir_declare(b, cairn_ir_int(b, -1), "above%d", c->to->first);
}

/// What ptr of the first level has left.
static void finish(cairn_convert *c, append *a, cairn_ir_x entries)
{
    cairn_ir *b     = &c->ir;
    const int first = c->to->first;

    if (first > c->to->last || !c->to->level[first].has_ptr) return;
    if (!a->row) a->row = cairn_ir_declare(b, cairn_ir_int(b, 0), "row%d", first);
    advance(c, a, cairn_convert_element(c, CAIRN_CONVERT_length, "length", first),
            a->run[0].own.every
                ? entries
                : cairn_ir_add_int(b, cairn_ir_use(b, a->run[0].own.last_node), 1));
}

void cairn_convert_lower_append(cairn_convert *c)
{
    cairn_ir        *b = &c->ir;
    append           a = {.runs = 0};
    const cairn_ir_x entries =
        cairn_ir_sub(b, cairn_convert_end(c), cairn_convert_begin(c));

    cairn_convert_read_fields(c);
    cairn_convert_write_holes(c);
    declare(c, &a);
    cairn_convert_open_blocks(c, &a.begin, &a.end);
    if (has_rows(c)) write_rows(c, &a);
    for (int k = 0; k < a.runs; k++)
        write_run(c, &a, &a.run[k]);
    if (a.runs == 0) write_positions(c, &a);
    cairn_ir_end(b);
    finish(c, &a, entries);
    cairn_ir_store(b, cairn_convert_array(c, CAIRN_CONVERT_facts, "facts"),
                   cairn_ir_int(b, 0), entries);
}
