// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is visited, as loops: entries, keys, or a part's levels from the top down with
/// the node reached so far. At the bottom the coordinates follow from the levels, and
/// what is no entry (padding, overhang, holes) is left out.

#include "lower/convert_steps.h"

/// A statement that the visit leaves open.
static void opened(cairn_convert *c)
{
    c->opened++;
}

static cairn_ir_x begin_of(cairn_convert *c)
{
    return c->begin ? c->begin : cairn_convert_scalar(c, CAIRN_CONVERT_begin, "begin");
}

cairn_ir_x cairn_convert_end(cairn_convert *c)
{
    return c->end ? c->end : cairn_convert_scalar(c, CAIRN_CONVERT_end, "end");
}

/* ---- threads ---- */

void cairn_convert_open_shares(cairn_convert *c)
{
    cairn_ir       *b     = &c->ir;
    cairn_ir_array *share = cairn_convert_array(c, CAIRN_CONVERT_share, "share");
    cairn_ir_stmt  *loop  = cairn_ir_for(
          b, cairn_ir_int(b, 0), cairn_convert_scalar(c, CAIRN_CONVERT_shares, "shares"),
          1, "threads", "t");

    loop->parallel = true;
    c->thread      = cairn_ir_loop_var(b, loop);
    c->begin =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, share, c->thread), "begin"));
    c->end = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_load(b, share, cairn_ir_add_int(b, c->thread, 1)),
                        "end"));
}

void cairn_convert_close_shares(cairn_convert *c)
{
    cairn_ir_end(&c->ir);
    c->begin = c->end = c->thread = NULL;
}

void cairn_convert_tell(cairn_convert *c, int k, cairn_ir_x value)
{
    cairn_ir  *b  = &c->ir;
    cairn_ir_x at = cairn_ir_int(b, k);

    if (c->thread)
        at = cairn_ir_add(b, cairn_ir_mul_int(b, c->thread, CAIRN_CONVERT_FACTS), at);
    cairn_ir_store(b, cairn_convert_array(c, CAIRN_CONVERT_facts, "facts"), at, value);
}

/* ---- entries and keys ---- */

static void open_turns(cairn_convert *c, const char *note, const char *name)
{
    cairn_ir_stmt *loop =
        cairn_ir_for(&c->ir, begin_of(c), cairn_convert_end(c), 1, note, "%s", name);

    opened(c);
    c->turn = loop ? cairn_ir_loop_var(&c->ir, loop) : NULL;
}

/// The loop or the condition that follows needs what was let; conditions nest.
static void require(cairn_convert *c, cairn_ir_x condition)
{
    cairn_ir_if(&c->ir, condition);
    opened(c);
}

/// Where the entry stands; those of other members are left out.
static void stand_at(cairn_convert *c, cairn_ir_x position)
{
    c->position = position;
    if (c->spec->filter)
        require(c,
                cairn_ir_eq(&c->ir,
                            cairn_ir_load(&c->ir, cairn_convert_members(c), position),
                            cairn_convert_scalar(c, CAIRN_CONVERT_which, "which")));
}

/// The row of a turn, counted from the first of the box.
static cairn_ir_x next_row(cairn_convert *c)
{
    cairn_ir        *b     = &c->ir;
    cairn_ir_array  *order = cairn_convert_small(c, CAIRN_CONVERT_order, "order");
    const cairn_ir_x last  = cairn_ir_add_int(b, cairn_convert_end(c), -1);
    cairn_ir_stmt   *loop =
        cairn_ir_for(b, begin_of(c), cairn_convert_end(c), 1, "rows in order", "r");
    const cairn_ir_x r = cairn_ir_loop_var(b, loop);

    opened(c);
    cairn_convert_ask_for_row(
        c,
        cairn_ir_use(
            b, cairn_ir_let(
                   b,
                   cairn_ir_load(
                       b, order,
                       cairn_ir_min(b, cairn_ir_add_int(b, r, CAIRN_CONVERT_ROWS_AHEAD),
                                    last)),
                   "later")));
    return cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, order, r), "row"));
}

/// Open a loop over the entries of rows in order. @return its variable.
static cairn_ir_x open_rows(cairn_convert *c, const char *note, const char *name)
{
    cairn_ir        *b     = &c->ir;
    const cairn_ir_x row   = next_row(c);
    cairn_ir_array  *first = cairn_convert_small(c, CAIRN_CONVERT_first, "first");
    cairn_ir_stmt   *loop  = cairn_ir_for(
           b, cairn_ir_load(b, first, row),
           cairn_ir_load(b, first, cairn_ir_add_int(b, row, 1)), 1, note, "%s", name);

    opened(c);
    return cairn_ir_loop_var(b, loop);
}

static void visit_entries(cairn_convert *c, bool value)
{
    if (c->spec->ordered)
        c->turn = open_rows(c, "entries", "k");
    else
        open_turns(c, "entries", "k");
    stand_at(c, c->turn);
    for (int d = 0; d < c->spec->order; d++) {
        c->dim[d] = cairn_ir_use(
            &c->ir,
            cairn_ir_let(
                &c->ir, cairn_ir_load(&c->ir, cairn_convert_coordinates(c, d), c->turn),
                "d%d", d));
    }
    if (!value) return;
    c->value = cairn_ir_use(
        &c->ir,
        cairn_ir_let(&c->ir,
                     cairn_ir_load(&c->ir, cairn_convert_entry_values(c), c->turn),
                     "v"));
}

static void visit_keys(cairn_convert *c, bool value)
{
    open_turns(c, "sorted keys", "k");
    for (int w = 0; w < (c->spec->split ? 2 : 1); w++)
        c->word[w] = cairn_ir_use(
            &c->ir,
            cairn_ir_let(&c->ir,
                         cairn_ir_load(&c->ir, cairn_convert_words(c, w), c->turn),
                         w ? "high_word" : "word"));
    if (!value) return;
    c->value = cairn_ir_use(
        &c->ir,
        cairn_ir_let(&c->ir, cairn_ir_load(&c->ir, cairn_convert_moved(c), c->turn),
                     "v"));
}

/* ---- rows ---- */

static void visit_rows(cairn_convert *c)
{
    cairn_ir *b   = &c->ir;
    const int row = c->spec->table_row;

    open_turns(c, "rows", "k");
    c->dim[row] = cairn_ir_use(
        b, cairn_ir_let(b,
                        cairn_ir_add(b, c->turn,
                                     cairn_convert_element(c, CAIRN_CONVERT_box, "box",
                                                           2 * (int64_t)row)),
                        "d%d", row));
}

/* ---- the levels of a part ---- */

typedef struct {
    bool       looped; ///< The outermost loop is open: others run over all they have.
    cairn_ir_x node;
    cairn_ir_x e[CAIRN_MAX_LEVELS]; ///< NULL: an indirect level that stores none.
} nest;

static cairn_ir_x named(cairn_convert *c, cairn_ir_x value, const char *name, int l)
{
    return cairn_ir_use(&c->ir, cairn_ir_let(&c->ir, value, "%s%d", name, l));
}

/// Open the loop of level @p l from @p lo to @p hi; the outermost has turns of its own.
static cairn_ir_x open_level(cairn_convert *c,
                             nest          *n,
                             int            l,
                             cairn_ir_x     lo,
                             cairn_ir_x     hi,
                             const char    *note)
{
    const bool outermost = !n->looped;

    n->looped = true;
    c->inner  = -1;
    if (outermost && c->spec->ordered)
        return c->from->level[l].trimmed ? open_rows(c, note, "p0") : next_row(c);
    if (outermost) {
        lo = begin_of(c);
        hi = cairn_convert_end(c);
    }

    cairn_ir_stmt *loop = cairn_ir_for(&c->ir, lo, hi, 1, note, "p%d", l);

    opened(c);
    return loop ? cairn_ir_loop_var(&c->ir, loop) : NULL;
}

static cairn_ir_x load_idx(cairn_convert *c, int l, cairn_ir_x at)
{
    return named(c, cairn_ir_load(&c->ir, cairn_convert_idx(c, 0, l), at), "s", l);
}

static void enter_trimmed(cairn_convert *c, nest *n, int l)
{
    const cairn_level *level = &c->from->level[l];
    cairn_ir          *b     = &c->ir;

    if (level->top) {
        const cairn_ir_x nodes =
            cairn_ir_param(b, (cairn_ir_field){CAIRN_IR_LEVEL_NODES, 0, l},
                           CAIRN_IR_I64, "A%d_nodes", l);

        n->node = open_level(c, n, l, cairn_ir_int(b, 0), nodes, "top nodes");
    } else if (level->has_ptr) {
        cairn_ir_array  *ptr = cairn_convert_ptr(c, 0, l);
        const cairn_ir_x lo  = cairn_ir_load(b, ptr, n->node);
        const cairn_ir_x hi  = cairn_ir_load(b, ptr, cairn_ir_add_int(b, n->node, 1));

        n->node = open_level(c, n, l, lo, hi, "nodes");
    }
    n->e[l] = level->has_idx ? load_idx(c, l, n->node) : NULL;
    if (level->has_idx && (level->top || level->has_ptr || c->inner >= 0)) {
        c->inner = l;
        c->at    = n->node;
    }
}

static void enter_dense(cairn_convert *c, nest *n, int l)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x size = cairn_convert_size(c, 0, l);
    const cairn_ir_x k    = open_level(c, n, l, cairn_ir_int(b, 0), size, "dense");

    n->e[l] = named(c, cairn_ir_add(b, cairn_convert_low(c, 0, l), k), "s", l);
    n->node = named(c, cairn_ir_add(b, cairn_ir_mul(b, n->node, size), k), "n", l);
}

/// Position in the index of a determined level that is stored per combination.
static cairn_ir_x combination(cairn_convert *c, const nest *n, int l)
{
    cairn_ir  *b  = &c->ir;
    cairn_ir_x at = cairn_ir_int(b, 0);

    for (int k = c->from->partition + 1; k < l; k++)
        if (c->from->level[l].by >> k & 1)
            at = cairn_ir_add(b, cairn_ir_mul(b, at, cairn_convert_size(c, 0, k)),
                              cairn_ir_sub(b, n->e[k], cairn_convert_low(c, 0, k)));
    return at;
}

static void enter_determined(cairn_convert *c, nest *n, int l)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x hole = cairn_ir_param(
        b, (cairn_ir_field){CAIRN_IR_LEVEL_HOLE, 0, l}, CAIRN_IR_I64, "A%d_hole", l);

    n->e[l] =
        load_idx(c, l, c->from->level[l].per_node ? n->node : combination(c, n, l));
    cairn_ir_if(b, cairn_ir_ne(b, n->e[l], hole));
    opened(c);
}

/* ---- the bottom ---- */

static void read_value(cairn_convert *c, const nest *n)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x load = cairn_ir_load(b, cairn_convert_values(c, 0), n->node);

    c->value = cairn_ir_use(b, cairn_ir_let(b, load, "v"));
    if (!c->from->pads) return;
    require(c, cairn_ir_ne(
                   b, c->value,
                   cairn_ir_real(
                       b, c->from->value_bits == 32 ? CAIRN_IR_F32 : CAIRN_IR_F64, 0)));
}

/// Is dimension @p k the index of a level, which then lies in the box?
static bool is_level(const cairn_convert *c, int k)
{
    const cairn_linear *dim = &c->from->dim[k];

    if (dim->terms != 1 || dim->num[0] != 1 || dim->constant || dim->den != 1)
        return false;
    const cairn_form *form = &c->source[dim->var[0]];

    return form->terms == 1 && form->constant == 0 && form->term[0].factor == 1
           && form->term[0].atom == k;
}

static void invert_dimension(cairn_convert *c, const nest *n, int k)
{
    const cairn_linear *dim = &c->from->dim[k];
    cairn_ir           *b   = &c->ir;
    cairn_ir_x          sum;

    if (is_level(c, k)) {
        c->dim[k] = n->e[dim->var[0]];
        return;
    }
    sum = cairn_convert_scaled(c, n->e, k);
    if (dim->den != 1) {
        const cairn_ir_x den = cairn_ir_int(b, dim->den);

        sum = named(c, sum, "scaled", k);
        require(c, cairn_ir_eq(b, cairn_ir_binary(b, CAIRN_IR_FLOOR_MOD, sum, den),
                               cairn_ir_int(b, 0)));
        sum = cairn_ir_binary(b, CAIRN_IR_FLOOR_DIV, sum, den);
    }
    c->dim[k] = named(c, sum, "d", k);

    const cairn_ir_x lo = cairn_convert_element(c, CAIRN_CONVERT_box, "box", 2 * k);
    const cairn_ir_x hi = cairn_convert_element(c, CAIRN_CONVERT_box, "box", 2 * k + 1);

    require(c, cairn_ir_and(b, cairn_ir_le(b, lo, c->dim[k]),
                            cairn_ir_le(b, c->dim[k], hi)));
}

/// Levels that say where a position stands only together with others.
static void check_levels(cairn_convert *c, const nest *n)
{
    for (int l = 0; l < c->from->levels && !c->from->exact; l++)
        if (c->from->check >> l & 1)
            require(c,
                    cairn_ir_eq(&c->ir, cairn_convert_form(c, &c->source[l]), n->e[l]));
}

static void publish(cairn_convert *c, const nest *n)
{
    for (int l = 0; l < c->from->levels; l++) {
        c->stored[l] = n->e[l];
        if (!c->from->level[l].indirect) c->index[l] = n->e[l];
    }
    for (int k = 0; k < CAIRN_MAX_ATOMS; k++)
        c->atom[k] = NULL; /* levels may give them */
}

/// A part without any loop is visited once.
static void open_once(cairn_convert *c, nest *n)
{
    cairn_ir *b = &c->ir;

    if (!n->looped)
        open_level(c, n, c->from->levels, cairn_ir_int(b, 0), cairn_ir_int(b, 1), NULL);
}

static bool has_loops(const cairn_layout *layout)
{
    for (int l = layout->partition + 1; l < layout->levels; l++) {
        const cairn_level *level = &layout->level[l];

        if (level->trimmed ? level->top || level->has_ptr : !level->determined)
            return true;
    }
    return false;
}

static void visit_part(cairn_convert *c, bool value)
{
    nest n = {.node = cairn_ir_int(&c->ir, 0)};

    for (int l = 0; l <= c->from->partition; l++)
        n.e[l] =
            named(c, cairn_convert_element(c, CAIRN_CONVERT_outer, "outer", l), "s", l);
    if (!has_loops(c->from)) open_once(c, &n);
    for (int l = c->from->partition + 1; l < c->from->levels; l++) {
        if (c->from->level[l].trimmed)
            enter_trimmed(c, &n, l);
        else if (c->from->level[l].determined)
            enter_determined(c, &n, l);
        else
            enter_dense(c, &n, l);
    }
    stand_at(c, n.node);
    if (value || c->from->pads) read_value(c, &n);
    for (int k = 0; k < c->from->order; k++)
        invert_dimension(c, &n, k);
    check_levels(c, &n);
    publish(c, &n);
}

/* ---- all ---- */

void cairn_convert_visit(cairn_convert *c, bool value)
{
    const bool entries = c->spec->source == CAIRN_CONVERT_ENTRIES
                         || c->spec->source == CAIRN_CONVERT_PART;
    const bool rank = c->spec->rank && entries, blocks = c->spec->blocks && entries;

    if (rank) cairn_convert_declare_rank(c);
    if (blocks) cairn_convert_declare_blocks(c);
    switch (c->spec->source) {
    case CAIRN_CONVERT_ENTRIES: visit_entries(c, value); break;
    case CAIRN_CONVERT_PART: visit_part(c, value); break;
    case CAIRN_CONVERT_ROWS: visit_rows(c); break;
    default: visit_keys(c, value); break;
    }
    if (rank) cairn_convert_number_entry(c);
    if (blocks) cairn_convert_number_block(c);
}

void cairn_convert_leave(cairn_convert *c)
{
    for (; c->opened > 0; c->opened--)
        cairn_ir_end(&c->ir);
    if (c->rank) cairn_convert_tell_ranks(c);
}

int64_t cairn_convert_turns(const cairn_layout *layout, const cairn_kernel_part *view)
{
    for (int l = layout->partition + 1; l < layout->levels; l++) {
        const cairn_level *level = &layout->level[l];

        if (level->trimmed && level->top) return view->level[l].nodes;
        if (!level->trimmed && !level->determined) return level->size;
    }
    return 1;
}
