// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phases COUNT and FILL from sorted keys of one word, levels without gaps. FILL goes block
/// by block of keys, and in each there is a loop for every run of levels that have their
/// nodes in common. Which entry begins a node is as good as random, so that no branch asks:
/// an entry that begins none stores once more what its node has. A loop knows the few
/// shifts and masks that it needs, which stay in registers; where every entry is a node, it
/// has nothing to count.
///
/// Where the last runs have a node for every entry, the ptr of each says which entry begins
/// a node of the run above. So one loop over entries writes the ptr of the first of these,
/// and the runs above go over the nodes that began in the block, which are fewer. Where no
/// run has, the loop over entries writes values, and leaves the key of each node of the last
/// run where the keys of as many entries were: nodes are never ahead of entries.

#include "lower/conversion/convert_steps.h"

/// Nodes of a level while keys are visited in one loop.
typedef struct {
    int           depth; ///< A node ends where the key down to this level changes;
    bool          every; ///< at every entry.
    cairn_ir_var *prefix, *last_node;
    cairn_ir_x    node; ///< The entry's.
} nodes;

/// Levels begin to before end have nodes of one depth.
typedef struct {
    int        begin, end;
    nodes      own, parent; ///< Parents are counted for the ptr of the first level.
    cairn_ir_x fresh;       ///< Of nodes: the first that begins in the block.
} run;

typedef struct {
    int runs;
    int of_nodes; ///< The first runs, which go over nodes: none, or those that
                  ///< have not one for every entry, be it all.
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

/* ---- COUNT ---- */

bool cairn_convert_counts_keys(const cairn_convert *c)
{
    return cairn_convert_appends(c) && c->to->last >= 0;
}

/// Has level @p l nodes of another depth than the one before, and not one for every entry?
static bool is_counted(const cairn_convert *c, int l)
{
    return !(c->spec->of_entries >> l & 1)
           && (l == c->to->first || c->to->level[l].depth != c->to->level[l - 1].depth);
}

/* Each key is compared with the one before by itself, which a compiler does many at a
   time. */
void cairn_convert_lower_count_keys(cairn_convert *c)
{
    cairn_ir             *b     = &c->ir;
    cairn_ir_array *const words = cairn_convert_words(c, 0);
    const cairn_ir_x      begin = cairn_convert_begin(c), end = cairn_convert_end(c);
    cairn_ir_var         *total[CAIRN_MAX_LEVELS] = {NULL};
    const cairn_ir_x      entries =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_sub(b, end, begin), "entries"));

    cairn_convert_read_fields(c);
    for (int l = c->to->first; l <= c->to->last; l++)
        if (is_counted(c, l))
            total[l] = cairn_ir_declare(b, cairn_ir_min(b, entries, cairn_ir_int(b, 1)),
                                        "total%d", l);

    cairn_ir_stmt *loop =
        cairn_ir_for(b, cairn_ir_add_int(b, begin, 1), end, 1, "sorted keys", "k");
    const cairn_ir_x k    = cairn_ir_loop_var(b, loop);
    const cairn_ir_x last = cairn_ir_use(
        b,
        cairn_ir_let(b, cairn_ir_load(b, words, cairn_ir_add_int(b, k, -1)), "last"));
    const cairn_ir_x word =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, words, k), "word"));

    for (int l = c->to->first; l <= c->to->last; l++) {
        if (!total[l]) continue;
        const cairn_ir_x shift = c->fields.shift[c->to->level[l].depth];
        const cairn_ir_x changed =
            cairn_ir_ne(b, cairn_ir_binary(b, CAIRN_IR_SHIFT_RIGHT, word, shift),
                        cairn_ir_binary(b, CAIRN_IR_SHIFT_RIGHT, last, shift));

        cairn_ir_assign(b, total[l],
                        cairn_ir_add(b, cairn_ir_use(b, total[l]),
                                     cairn_ir_cast(b, CAIRN_IR_I64, changed)));
    }
    cairn_ir_end(b);

    cairn_ir_array *const nodes = cairn_convert_array(c, CAIRN_CONVERT_nodes, "nodes");
    cairn_ir_x            its   = entries;

    for (int l = c->to->first; l <= c->to->last; l++) {
        if (c->spec->of_entries >> l & 1)
            its = entries;
        else if (total[l])
            its = cairn_ir_use(b, total[l]);
        cairn_ir_store(b, nodes, cairn_ir_int(b, l), its);
    }
    cairn_ir_store(b, cairn_convert_array(c, CAIRN_CONVERT_facts, "facts"),
                   cairn_ir_int(b, 0), entries);
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
           && c->to->level[first].arrays.has_ptr;
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

/// Write the ptr of the first level up to the parent of its node at hand, before which
/// there are @p total.
static void enter_row(cairn_convert *c, append *a, cairn_ir_x total)
{
    cairn_ir        *b     = &c->ir;
    const int        first = c->to->first;
    const cairn_ir_x above = prefix_of(c, first - 1);

    cairn_ir_if(b, cairn_ir_ne(b, above, cairn_ir_use(b, a->above)));
    cairn_ir_assign(b, a->above, above);
    advance(c, a,
            cairn_convert_combine(c, cairn_ir_int(b, 0), c->to->partition + 1, first,
                                  UINT32_MAX),
            total);
    cairn_ir_end(b);
}

static void write_rows(cairn_convert *c, append *a)
{
    cairn_ir *b     = &c->ir;
    const int first = c->to->first;

    cairn_convert_visit_block(c, a->begin, a->end, false);
    cairn_convert_indices(c, first);

    if (a->top.every) count_node(c, &a->top);
    enter_row(c, a,
              a->top.every ? a->top.node
                           : cairn_ir_add_int(b, cairn_ir_use(b, a->top.last_node), 1));
    if (!a->top.every) count_node(c, &a->top);
    cairn_convert_leave(c);
}

/* ---- runs of levels ---- */

/// The ptr of level @p l, if its parents are nodes: where @p parent ends.
static void write_ptr(cairn_convert *c, int l, cairn_ir_x parent, cairn_ir_x node)
{
    cairn_ir *b = &c->ir;

    if (l == c->to->first || !c->to->level[l].arrays.has_ptr) return;
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

/// ptr and idx of a run's levels at a node; @p parent NULL: the first level has no ptr, or
/// another loop writes it.
static void
write_levels(cairn_convert *c, const run *r, cairn_ir_x parent, cairn_ir_x node)
{
    for (int l = r->begin; l < r->end; l++) {
        const cairn_ir_x above = l > r->begin ? node : parent;

        if (above) write_ptr(c, l, above, node);
        if (c->to->level[l].arrays.has_idx && !(c->spec->omit.idx >> l & 1))
            cairn_ir_store(&c->ir, cairn_convert_idx(c, 1, l), node, c->here.e[l]);
    }
}

static void write_run(cairn_convert *c, const append *a, run *r)
{
    const bool last   = r->end > c->to->last;
    const bool parent = r != &a->run[a->of_nodes];

    cairn_convert_visit_block(c, a->begin, a->end, last && !c->spec->omit.values);
    cairn_convert_indices(c, c->levels);
    if (parent) count_node(c, &r->parent);
    count_node(c, &r->own);
    write_levels(c, r, parent ? r->parent.node : NULL, r->own.node);
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

/* ---- runs of nodes ---- */

/// Have all runs fewer nodes than there are entries, so that all go over nodes?
static bool goes_over_nodes(const append *a)
{
    return a->of_nodes > 0 && a->of_nodes == a->runs;
}

/// Where nodes of the last run of nodes begin: which entry of the block is the first below;
/// or, if there is no run of entries, what their keys are, and the values of entries.
static void write_begins(cairn_convert *c, append *a)
{
    cairn_ir    *b     = &c->ir;
    nodes *const its   = &a->run[a->of_nodes - 1].own;
    const bool   last  = goes_over_nodes(a);
    const bool   value = last && !c->spec->omit.values;

    cairn_convert_visit_block(c, a->begin, a->end, value);
    if (value) cairn_convert_indices(c, c->levels);
    count_node(c, its);
    if (last)
        cairn_ir_store(b, cairn_convert_words(c, 0),
                       cairn_ir_add(b, cairn_convert_begin(c), its->node),
                       c->here.word[0]);
    else
        write_ptr(c, a->run[a->of_nodes].begin, its->node,
                  cairn_ir_sub(b, c->here.turn, cairn_convert_begin(c)));
    if (value) cairn_convert_write(c, its->node, NULL);
    cairn_convert_leave(c);
}

/// The key of an entry below node @p node of run @p r: all levels of the run follow from it.
static cairn_ir_x key_of_node(cairn_convert *c, const append *a, int r, cairn_ir_x node)
{
    cairn_ir *b = &c->ir;

    while (++r <= a->of_nodes && r < a->runs)
        node = cairn_ir_use(
            b, cairn_ir_let(
                   b, cairn_ir_load(b, cairn_convert_ptr(c, 1, a->run[r].begin), node),
                   "child%d", a->run[r].begin));
    return cairn_ir_load(b, cairn_convert_words(c, 0),
                         cairn_ir_add(b, cairn_convert_begin(c), node));
}

/// The nodes of run @p r that begin in the block.
static void write_nodes(cairn_convert *c, append *a, int r)
{
    cairn_ir        *b    = &c->ir;
    run *const       its  = &a->run[r];
    const cairn_ir_x end  = cairn_ir_add_int(b, cairn_ir_use(b, its->own.last_node), 1);
    cairn_ir_stmt   *loop = cairn_ir_for(b, its->fresh, end, 1, "nodes", "n");
    const cairn_ir_x node = cairn_ir_loop_var(b, loop);

    c->here.word[0] =
        cairn_ir_use(b, cairn_ir_let(b, key_of_node(c, a, r, node), "word"));
    cairn_convert_indices(c, its->end);
    if (r > 0) count_node(c, &a->run[r - 1].own);
    if (r == 0 && has_rows(c)) enter_row(c, a, node);
    write_levels(c, its, r > 0 ? a->run[r - 1].own.node : NULL, node);
    if (r + 1 == a->runs && cairn_convert_needs_tuples(c->to)) write_tuples(c, node);
    cairn_ir_end(b);
}

static void write_runs_of_nodes(cairn_convert *c, append *a)
{
    cairn_ir *b = &c->ir;

    for (int r = 0; r < a->of_nodes; r++)
        a->run[r].fresh = cairn_ir_use(
            b, cairn_ir_let(
                   b, cairn_ir_add_int(b, cairn_ir_use(b, a->run[r].own.last_node), 1),
                   "fresh%d", a->run[r].begin));
    write_begins(c, a);
    for (int r = a->of_nodes - 1; r >= 0; r--)
        write_nodes(c, a, r);
}

/* ---- all ---- */

/// Which runs go over nodes: those above the first that has a node for every entry, or all
/// if there is none, if ptrs lead down to the last.
static int find_runs_of_nodes(const cairn_convert *c, const append *a)
{
    for (int r = 0; r < a->runs; r++) {
        const int l = a->run[r].begin;

        if (r > 0 && !c->to->level[l].arrays.has_ptr) return 0;
        if (c->spec->of_entries >> l & 1) return r;
    }
    return a->runs;
}

static void find_runs(const cairn_convert *c, append *a)
{
    for (int l = c->to->first; l <= c->to->last;) {
        run *const r     = &a->run[a->runs++];
        const int  depth = c->to->level[l].depth;

        r->begin = l;
        while (l <= c->to->last && c->to->level[l].depth == depth)
            l++;
        r->end = l;
    }
    a->of_nodes = find_runs_of_nodes(c, a);
}

static void declare(cairn_convert *c, append *a)
{
    cairn_ir *b = &c->ir;

    for (int k = 0; k < a->runs; k++) {
        run *const r = &a->run[k];

        r->own = declare_nodes(c, r->begin);
        if (k > a->of_nodes) r->parent = declare_nodes(c, r->begin - 1);
        for (int l = r->begin; l < r->end; l++)
            if (c->to->level[l].arrays.has_ptr)
                cairn_ir_store(b, cairn_convert_ptr(c, 1, l), cairn_ir_int(b, 0),
                               cairn_ir_int(b, 0));
    }
    if (!has_rows(c)) return;
    if (a->of_nodes == 0) a->top = declare_nodes(c, c->to->first);
    a->row   = cairn_ir_declare(b, cairn_ir_int(b, 0), "row%d", c->to->first);
    a->above = cairn_ir_declare(b, cairn_ir_int(b, -1), "above%d", c->to->first);
}

/// What ptr of the first level has left.
static void finish(cairn_convert *c, append *a, cairn_ir_x entries)
{
    cairn_ir *b     = &c->ir;
    const int first = c->to->first;

    if (first > c->to->last || !c->to->level[first].arrays.has_ptr) return;
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
    find_runs(c, &a);
    declare(c, &a);
    cairn_convert_open_blocks(c, &a.begin, &a.end);
    if (a.of_nodes > 0)
        write_runs_of_nodes(c, &a);
    else if (has_rows(c))
        write_rows(c, &a);
    for (int k = a.of_nodes; k < a.runs; k++)
        write_run(c, &a, &a.run[k]);
    if (a.runs == 0) write_positions(c, &a);
    cairn_ir_end(b);
    finish(c, &a, entries);
    cairn_ir_store(b, cairn_convert_array(c, CAIRN_CONVERT_facts, "facts"),
                   cairn_ir_int(b, 0), entries);
}
