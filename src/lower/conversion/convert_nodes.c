// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phases COUNT and FILL: entries come in the order of their tuples, and nodes are
/// appended. A trimmed level gets a node where the prefix that its nodes stand for
/// changes; a ptr is written when its parent is left behind.

#include "lower/conversion/convert_steps.h"

/// The state of the append, by level.
typedef struct {
    bool          fill;
    int           compared;                ///< Last level that is.
    cairn_ir_var *total[CAIRN_MAX_LEVELS]; ///< Nodes so far,
    cairn_ir_var *node[CAIRN_MAX_LEVELS];  ///< the entry's,
    cairn_ir_var *base[CAIRN_MAX_LEVELS];  ///< with gaps: the first of this parent,
    cairn_ir_var *row[CAIRN_MAX_LEVELS];   ///< parent whose begin is written.
    cairn_ir_var *last[CAIRN_MAX_LEVELS];  ///< Index (or prefix) of the entry before.
    cairn_ir_var *last_high;
    cairn_ir_x    prefix[CAIRN_MAX_LEVELS];  ///< Of this entry; keys only.
    cairn_ir_x    changed[CAIRN_MAX_LEVELS]; ///< Does (e0..el) differ from before?
    cairn_ir_var *entries, *first;
} append;

static cairn_ir_x zero(cairn_convert *c)
{
    return cairn_ir_int(&c->ir, 0);
}

static bool has_keys(const cairn_convert *c)
{
    return c->spec->source == CAIRN_CONVERT_KEYS
           || c->spec->source == CAIRN_CONVERT_LONG;
}

static bool has_ptr(const cairn_convert *c, const append *a, int l)
{
    return a->fill && c->to->level[l].arrays.has_ptr;
}

static void declare(cairn_convert *c, append *a)
{
    cairn_ir *b = &c->ir;

    for (int l = c->to->first; l <= c->to->last; l++) {
        a->total[l] = cairn_ir_declare(b, zero(c), "total%d", l);
        if (a->fill || c->to->level[l].gaps)
            a->node[l] = cairn_ir_declare(b, zero(c), "node%d", l);
        if (c->to->level[l].gaps)
            a->base[l] = cairn_ir_declare(b, zero(c), "base%d", l);
        if (!has_ptr(c, a, l)) continue;
        a->row[l] = cairn_ir_declare(b, zero(c), "row%d", l);
        cairn_ir_store(b, cairn_convert_ptr(c, 1, l), zero(c), zero(c));
    }
    for (int l = 0; l <= a->compared; l++)
        a->last[l] = cairn_ir_declare(b, cairn_ir_int(b, -1), "last%d", l);
    if (c->spec->keys.split)
        a->last_high = cairn_ir_declare(b, cairn_ir_int(b, -1), "last_high");
    a->entries = cairn_ir_declare(b, zero(c), "entries");
    if (has_keys(c)) return;
    a->first = cairn_ir_declare(b, cairn_ir_int(b, 1), "first");
}

/* ---- what changed ---- */

/// The bits of the key down to level @p l.
static void compare_prefix(cairn_convert *c, append *a, int l)
{
    cairn_ir  *b    = &c->ir;
    const bool high = l < c->spec->keys.split;
    cairn_ir_x changed;

    a->prefix[l] = cairn_ir_use(
        b, cairn_ir_let(b,
                        cairn_ir_binary(b, CAIRN_IR_SHIFT_RIGHT, c->here.word[high],
                                        c->fields.shift[l]),
                        "prefix%d", l));
    changed = cairn_ir_ne(b, a->prefix[l], cairn_ir_use(b, a->last[l]));
    if (!high && c->spec->keys.split)
        changed = cairn_ir_or(
            b, changed, cairn_ir_ne(b, c->here.word[1], cairn_ir_use(b, a->last_high)));
    a->changed[l] = cairn_ir_use(b, cairn_ir_let(b, changed, "changed%d", l));
}

/// Whether the index of level @p l or one above differs.
static void compare_index(cairn_convert *c, append *a, int l)
{
    cairn_ir        *b      = &c->ir;
    const cairn_ir_x last   = cairn_ir_use(b, a->last[l]);
    const cairn_ir_x differ = cairn_ir_ne(b, c->here.e[l], last);
    const cairn_ir_x above =
        l ? a->changed[l - 1] : cairn_ir_ne(b, cairn_ir_use(b, a->first), zero(c));

    a->changed[l] =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_or(b, above, differ), "changed%d", l));
}

/// Rows are visited, each for all of its entries.
static bool by_rows(const cairn_convert *c)
{
    return c->spec->source == CAIRN_CONVERT_ROWS;
}

bool cairn_convert_is_of_entries(const cairn_convert *c, int l)
{
    return c->to->level[l].depth >= c->spec->rows.levels;
}

/// Nodes of level @p l without a condition; so is any level that has the same nodes.
static bool is_every(const cairn_convert *c, int l)
{
    if (by_rows(c)) return cairn_convert_is_of_entries(c, l);
    return c->spec->of_entries >> l & 1;
}

/// The last level whose change matters to any.
static int last_compared(const cairn_convert *c)
{
    int last = -1;

    for (int l = c->to->first; l <= c->to->last; l++) {
        const int depth = is_every(c, l) ? -1 : c->to->level[l].depth;

        if (depth > last) last = depth;
        if (c->to->level[l].gaps && l - 1 > last) last = l - 1;
    }
    return last;
}

static void compare(cairn_convert *c, append *a)
{
    for (int l = 0; l <= a->compared; l++)
        if (has_keys(c))
            compare_prefix(c, a, l);
        else
            compare_index(c, a, l);
}

/// The entry is one more; a row as many as it has.
static void add_visited(cairn_convert *c, cairn_ir_var *variable)
{
    cairn_ir *b = &c->ir;

    if (by_rows(c))
        cairn_ir_assign(b, variable,
                        cairn_ir_add(b, cairn_ir_use(b, variable), c->here.count));
    else
        cairn_convert_increase(c, variable);
}

static void remember(cairn_convert *c, append *a)
{
    cairn_ir *b = &c->ir;

    for (int l = 0; l <= a->compared; l++)
        cairn_ir_assign(b, a->last[l], has_keys(c) ? a->prefix[l] : c->here.e[l]);
    if (c->spec->keys.split) cairn_ir_assign(b, a->last_high, c->here.word[1]);
    if (a->first) cairn_ir_assign(b, a->first, zero(c));
    add_visited(c, a->entries);
}

/* ---- nodes ---- */

static cairn_ir_x parent_of(cairn_convert *c, const append *a, int l)
{
    if (l > c->to->first) return cairn_ir_use(&c->ir, a->node[l - 1]);
    return cairn_convert_combine(c, zero(c), c->to->partition + 1, l, UINT32_MAX);
}

/// Write ptr up to @p parent: those left behind end where the level stands now.
static void advance(cairn_convert *c, append *a, int l, cairn_ir_x parent)
{
    cairn_ir *b = &c->ir;

    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, a->row[l]), parent));
    cairn_convert_increase(c, a->row[l]);
    cairn_ir_store(b, cairn_convert_ptr(c, 1, l), cairn_ir_use(b, a->row[l]),
                   cairn_ir_use(b, a->total[l]));
    cairn_ir_end(b);
}

/// The number of the entry's node where gaps are nodes too.
static void number_with_gaps(cairn_convert *c, append *a, int l)
{
    cairn_ir        *b      = &c->ir;
    const cairn_ir_x before = cairn_ir_use(b, a->total[l]);

    if (l > 0) {
        cairn_ir_if(b, a->changed[l - 1]);
        cairn_ir_assign(b, a->base[l], before);
        cairn_ir_end(b);
    }
    cairn_ir_assign(
        b, a->node[l],
        cairn_ir_add(b, cairn_ir_use(b, a->base[l]),
                     cairn_ir_sub(b, c->here.e[l], cairn_convert_low(c, 1, l))));
}

/// Indices of the nodes of level E that this entry begins, gaps before it too.
static void write_tuples(cairn_convert *c, append *a, cairn_ir_x begin)
{
    cairn_ir        *b     = &c->ir;
    const int        last  = c->to->last;
    cairn_ir_array  *tuple = cairn_convert_array(c, CAIRN_CONVERT_tuple, "tuple");
    const cairn_ir_x nodes =
        cairn_ir_param(b, (cairn_ir_field){CAIRN_IR_LEVEL_NODES, 1, last}, CAIRN_IR_I64,
                       "B%d_nodes", last);
    const cairn_ir_x node = cairn_ir_use(b, a->node[last]);
    cairn_ir_stmt   *loop =
        cairn_ir_for(b, begin, cairn_ir_add_int(b, node, 1), 1, NULL, "t");
    const cairn_ir_x t = cairn_ir_loop_var(b, loop);

    for (int l = 0; l <= last; l++) {
        const cairn_ir_x at = cairn_ir_add(b, cairn_ir_mul_int(b, nodes, l), t);

        cairn_ir_store(b, tuple, at,
                       l < last
                           ? c->here.e[l]
                           : cairn_ir_sub(b, c->here.e[l], cairn_ir_sub(b, node, t)));
    }
    cairn_ir_end(b);
}

static void add_node(cairn_convert *c, append *a, int l)
{
    const cairn_level *level = &c->to->level[l];
    cairn_ir          *b     = &c->ir;
    const bool         tuples =
        a->fill && l == c->to->last && cairn_convert_needs_tuples(c->to);
    cairn_ir_x begin = NULL;

    if (has_ptr(c, a, l)) advance(c, a, l, parent_of(c, a, l));
    if (tuples)
        begin = cairn_ir_use(
            b, cairn_ir_let(b, cairn_ir_use(b, a->total[l]), "begin_%d", l));
    if (level->gaps) {
        number_with_gaps(c, a, l);
        cairn_ir_assign(b, a->total[l],
                        cairn_ir_add_int(b, cairn_ir_use(b, a->node[l]), 1));
    } else {
        if (a->node[l]) cairn_ir_assign(b, a->node[l], cairn_ir_use(b, a->total[l]));
        if (is_every(c, l))
            add_visited(c, a->total[l]);
        else
            cairn_convert_increase(c, a->total[l]);
    }
    if (a->fill && level->arrays.has_idx && !(by_rows(c) && is_every(c, l))
        && !(c->spec->omit.idx >> l & 1))
        cairn_ir_store(b, cairn_convert_idx(c, 1, l), cairn_ir_use(b, a->node[l]),
                       c->here.e[l]);
    if (tuples) write_tuples(c, a, begin);
}

/// Nodes of the levels whose prefix changed, those of one depth under one condition.
static void add_nodes(cairn_convert *c, append *a)
{
    for (int l = c->to->first; l <= c->to->last;) {
        const int depth = c->to->level[l].depth;

        const bool every = is_every(c, l);

        if (!every) cairn_ir_if(&c->ir, a->changed[depth]);
        for (; l <= c->to->last && c->to->level[l].depth == depth; l++)
            add_node(c, a, l);
        if (!every) cairn_ir_end(&c->ir);
    }
}

/* ---- the end ---- */

static void finish(cairn_convert *c, append *a)
{
    cairn_ir       *b     = &c->ir;
    cairn_ir_array *nodes = cairn_convert_array(c, CAIRN_CONVERT_nodes, "nodes");
    cairn_ir_array *facts = cairn_convert_array(c, CAIRN_CONVERT_facts, "facts");

    for (int l = c->to->first; l <= c->to->last; l++) {
        if (has_ptr(c, a, l))
            advance(c, a, l,
                    cairn_convert_element(c, CAIRN_CONVERT_length, "length", l));
        if (!a->fill)
            cairn_ir_store(b, nodes, cairn_ir_int(b, l), cairn_ir_use(b, a->total[l]));
    }
    cairn_ir_store(b, facts, zero(c), cairn_ir_use(b, a->entries));
}

/// The value of an entry; of a row, where its entries go.
static void write_found(cairn_convert *c, append *a)
{
    cairn_ir        *b = &c->ir;
    const cairn_ir_x node =
        c->to->last >= 0 ? cairn_ir_use(b, a->node[c->to->last]) : zero(c);

    if (by_rows(c))
        cairn_ir_store(b, cairn_convert_small(c, CAIRN_CONVERT_place, "place"),
                       c->here.turn, node);
    else if (!c->spec->omit.values) /* then there is no level below */
        cairn_convert_write(c, node, NULL);
}

void cairn_convert_lower_nodes(cairn_convert *c, bool fill)
{
    append a = {.fill = fill, .compared = last_compared(c)};

    if (fill && cairn_convert_appends(c)) {
        cairn_convert_lower_append(c);
        return;
    }
    if (!fill && cairn_convert_counts_keys(c)) {
        cairn_convert_lower_count_keys(c);
        return;
    }

    if (has_keys(c)) cairn_convert_read_fields(c);
    if (fill) cairn_convert_write_holes(c);
    declare(c, &a);
    cairn_convert_visit(c, fill && !c->spec->omit.values);
    cairn_convert_indices(c, by_rows(c) ? c->spec->rows.levels
                             : fill     ? c->levels
                                        : c->to->last + 1);
    compare(c, &a);
    add_nodes(c, &a);
    if (fill) write_found(c, &a);
    remember(c, &a);
    cairn_convert_leave(c);
    finish(c, &a);
}

bool cairn_convert_needs_tuples(const cairn_layout *layout)
{
    if (layout->last < 0) return false;
    for (int l = layout->last + 1; l < layout->levels; l++)
        if (layout->level[l].determined.on && layout->level[l].determined.per_node)
            return true;
    return false;
}
