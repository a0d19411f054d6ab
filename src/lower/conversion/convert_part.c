// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A part's levels as loops, from the top down with the node reached so far. At the
/// bottom the coordinates follow from the levels, and what is no entry (padding,
/// overhang, holes) is left out.

#include "lower/conversion/convert_steps.h"

/* ---- levels ---- */

typedef struct {
    bool       looped; ///< The outermost loop is open: others run over all they have.
    cairn_ir_x node;
    cairn_ir_x e[CAIRN_MAX_LEVELS]; ///< NULL: an indirect level that stores none.
} nest;

static cairn_ir_x named(cairn_convert *c, cairn_ir_x value, const char *name, int l)
{
    return cairn_ir_use(&c->ir, cairn_ir_let(&c->ir, value, "%s%d", name, l));
}

/// Does a level have a loop of its own?
static bool is_loop(const cairn_level *level)
{
    return level->trimmed ? level->top || level->arrays.has_ptr : !level->determined.on;
}

static bool is_innermost(const cairn_layout *layout, int l)
{
    for (l++; l < layout->levels; l++)
        if (is_loop(&layout->level[l])) return false;
    return true;
}

/// A loop that is moved on by who visits.
static cairn_ir_x open_steps(cairn_convert *c, int l, cairn_ir_x lo, cairn_ir_x hi)
{
    c->inner.step = cairn_ir_declare(&c->ir, lo, "p%d", l);
    c->inner.end  = hi;
    cairn_ir_while(&c->ir,
                   cairn_ir_lt(&c->ir, cairn_ir_use(&c->ir, c->inner.step), hi));
    cairn_convert_opened(c);
    return cairn_ir_use(&c->ir, c->inner.step);
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

    n->looped      = true;
    c->inner.level = -1;
    if (outermost && c->spec->rows.ordered)
        return c->from->level[l].trimmed ? cairn_convert_open_rows(c, note, "p0")
                                         : cairn_convert_next_row(c);
    if (outermost) {
        lo = cairn_convert_begin(c);
        hi = cairn_convert_end(c);
    } else if ((c->inner.before || c->inner.steps) && is_innermost(c->from, l)) {
        lo = cairn_ir_use(&c->ir, cairn_ir_let(&c->ir, lo, "row_begin"));
        hi = cairn_ir_use(&c->ir, cairn_ir_let(&c->ir, hi, "row_end"));
        if (c->inner.before) cairn_convert_stand_before(c, n->e, l, lo, hi);
        if (c->inner.steps) return open_steps(c, l, lo, hi);
    }

    cairn_ir_stmt *loop = cairn_ir_for(&c->ir, lo, hi, 1, note, "p%d", l);

    if (loop && c->spec->phase == CAIRN_CONVERT_HISTOGRAM && is_innermost(c->from, l)
        && (outermost || c->from->level[l].trimmed))
        loop->unroll = CAIRN_CONVERT_COUNTED;
    cairn_convert_opened(c);
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
    } else if (level->arrays.has_ptr) {
        cairn_ir_array  *ptr = cairn_convert_ptr(c, 0, l);
        const cairn_ir_x lo  = cairn_ir_load(b, ptr, n->node);
        const cairn_ir_x hi  = cairn_ir_load(b, ptr, cairn_ir_add_int(b, n->node, 1));

        n->node = open_level(c, n, l, lo, hi, "nodes");
    }
    n->e[l] = level->arrays.has_idx ? load_idx(c, l, n->node) : NULL;
    if (level->arrays.has_idx
        && (level->top || level->arrays.has_ptr || c->inner.level >= 0)) {
        c->inner.level = l;
        c->inner.node  = n->node;
    }
}

bool cairn_convert_can_mark(const cairn_layout *from)
{
    const cairn_level *level = from->level;

    return from->partition < 0 && from->levels == 2 && !from->pads && !level[0].trimmed
           && !level[0].determined.on && level[1].trimmed && level[1].arrays.has_ptr
           && level[1].arrays.has_idx;
}

/// Both levels in one loop over nodes, at each of which as many rows begin as its mark says.
static void enter_marked(cairn_convert *c, nest *n)
{
    cairn_ir             *b     = &c->ir;
    const cairn_ir_x      begin = cairn_convert_begin(c), end = cairn_convert_end(c);
    cairn_ir_array *const ptr   = cairn_convert_ptr(c, 0, 1);
    cairn_ir_array *const marks = cairn_convert_small(c, CAIRN_CONVERT_list, "marks");

    cairn_convert_require(c, cairn_ir_lt(b, begin, end)); /* else there may be no ptr */
    cairn_ir_var *const row =
        cairn_ir_declare(b, cairn_ir_add_int(b, begin, -1), "row");
    cairn_ir_stmt *loop = cairn_ir_for(b, cairn_ir_load(b, ptr, begin),
                                       cairn_ir_load(b, ptr, end), 1, "nodes", "p1");

    cairn_convert_opened(c);
    n->looped = true;
    n->node   = cairn_ir_loop_var(b, loop);
    cairn_ir_assign(
        b, row,
        cairn_ir_add(b, cairn_ir_use(b, row), cairn_ir_load(b, marks, n->node)));
    n->e[0] = named(
        c, cairn_ir_add(b, cairn_convert_low(c, 0, 0), cairn_ir_use(b, row)), "s", 0);
    n->e[1]        = load_idx(c, 1, n->node);
    c->inner.level = 1;
    c->inner.node  = n->node;
}

static void enter_dense(cairn_convert *c, nest *n, int l)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x size = cairn_convert_size(c, 0, l);
    const cairn_ir_x k    = open_level(c, n, l, cairn_ir_int(b, 0), size, "dense");

    n->e[l] = named(c, cairn_ir_add(b, cairn_convert_low(c, 0, l), k), "s", l);
    n->node = named(c, cairn_ir_add(b, cairn_ir_mul(b, n->node, size), k), "n", l);
}

cairn_ir_x cairn_convert_combination(cairn_convert *c, const cairn_ir_x *e, int l)
{
    cairn_ir  *b  = &c->ir;
    cairn_ir_x at = cairn_ir_int(b, 0);

    for (int k = c->from->partition + 1; k < l; k++)
        if (c->from->level[l].determined.by >> k & 1)
            at = cairn_ir_add(b, cairn_ir_mul(b, at, cairn_convert_size(c, 0, k)),
                              cairn_ir_sub(b, e[k], cairn_convert_low(c, 0, k)));
    return at;
}

static void enter_determined(cairn_convert *c, nest *n, int l)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x hole = cairn_ir_param(
        b, (cairn_ir_field){CAIRN_IR_LEVEL_HOLE, 0, l}, CAIRN_IR_I64, "A%d_hole", l);

    n->e[l] = load_idx(c, l,
                       c->from->level[l].determined.per_node
                           ? n->node
                           : cairn_convert_combination(c, n->e, l));
    cairn_ir_if(b, cairn_ir_ne(b, n->e[l], hole));
    cairn_convert_opened(c);
}

/* ---- the bottom ---- */

static void read_value(cairn_convert *c, cairn_ir_x position)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x load = cairn_ir_load(b, cairn_convert_values(c, 0), position);

    c->here.value = cairn_ir_use(b, cairn_ir_let(b, load, "v"));
    if (!c->from->pads) return;
    cairn_convert_require(c,
                          cairn_ir_ne(b, c->here.value, cairn_convert_no_value(c, 0)));
}

bool cairn_convert_is_level(const cairn_convert *c, int k)
{
    const cairn_linear *dim = &c->from->inverse.dim[k];

    if (dim->terms != 1 || dim->num[0] != 1 || dim->constant || dim->den != 1)
        return false;
    const cairn_form *form = &c->source[dim->var[0]];

    return cairn_form_atom(form) == k;
}

/// Is every position of what is read an entry, which then lies where it may? So it is
/// where values stand under nodes that entries made, and the arrays were filled here.
static bool has_entries_alone(const cairn_convert *c)
{
    return c->trusted && !c->from->pads && c->from->last + 1 == c->from->levels;
}

static void invert_dimension(cairn_convert *c, const cairn_ir_x *e, int k)
{
    const cairn_linear *dim = &c->from->inverse.dim[k];
    cairn_ir           *b   = &c->ir;
    cairn_ir_x          sum;

    if (cairn_convert_is_level(c, k)) {
        c->here.dim[k] = e[dim->var[0]];
        return;
    }
    sum = cairn_convert_scaled(c, e, k);
    if (dim->den != 1) {
        const cairn_ir_x den = cairn_ir_int(b, dim->den);

        sum = named(c, sum, "scaled", k);
        if (!has_entries_alone(c))
            cairn_convert_require(
                c, cairn_ir_eq(b, cairn_ir_binary(b, CAIRN_IR_FLOOR_MOD, sum, den),
                               cairn_ir_int(b, 0)));
        sum = cairn_ir_binary(b, CAIRN_IR_FLOOR_DIV, sum, den);
    }
    c->here.dim[k] = named(c, sum, "d", k);
    if (has_entries_alone(c)) return;

    const cairn_ir_x lo = cairn_convert_element(c, CAIRN_CONVERT_box, "box", 2 * k);
    const cairn_ir_x hi = cairn_convert_element(c, CAIRN_CONVERT_box, "box", 2 * k + 1);

    cairn_convert_require(c, cairn_ir_and(b, cairn_ir_le(b, lo, c->here.dim[k]),
                                          cairn_ir_le(b, c->here.dim[k], hi)));
}

/// Levels that say where a position stands only together with others.
static void check_levels(cairn_convert *c, const cairn_ir_x *e)
{
    if (has_entries_alone(c)) return;
    for (int l = 0; l < c->from->levels && !c->from->inverse.exact; l++)
        if (c->from->inverse.check >> l & 1)
            cairn_convert_require(
                c, cairn_ir_eq(&c->ir, cairn_convert_form(c, &c->source[l]), e[l]));
}

static void publish(cairn_convert *c, const cairn_ir_x *e)
{
    for (int l = 0; l < c->from->levels; l++) {
        c->here.stored[l] = e[l];
        if (!c->from->level[l].indirect) c->here.index[l] = e[l];
    }
    for (int k = 0; k < CAIRN_MAX_ATOMS; k++)
        c->here.atom[k] = NULL; /* levels may give them */
}

void cairn_convert_stand_in_part(cairn_convert    *c,
                                 const cairn_ir_x *e,
                                 cairn_ir_x        position,
                                 bool              value)
{
    cairn_convert_stand_at(c, position);
    if (value || c->from->pads) read_value(c, position);
    for (int k = 0; k < c->from->order; k++)
        invert_dimension(c, e, k);
    check_levels(c, e);
    publish(c, e);
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
    for (int l = layout->partition + 1; l < layout->levels; l++)
        if (is_loop(&layout->level[l])) return true;
    return false;
}

void cairn_convert_visit_part(cairn_convert *c, bool value)
{
    nest n = {.node = cairn_ir_int(&c->ir, 0)};

    for (int l = 0; l <= c->from->partition; l++)
        n.e[l] =
            named(c, cairn_convert_element(c, CAIRN_CONVERT_outer, "outer", l), "s", l);
    if (!has_loops(c->from)) open_once(c, &n);
    if (c->spec->rows.marked) enter_marked(c, &n);
    for (int l = c->from->partition + 1; l < c->from->levels && !c->spec->rows.marked;
         l++) {
        if (c->from->level[l].trimmed)
            enter_trimmed(c, &n, l);
        else if (c->from->level[l].determined.on)
            enter_determined(c, &n, l);
        else
            enter_dense(c, &n, l);
    }
    cairn_convert_stand_in_part(c, n.e, n.node, value);
}

/* ---- turns ---- */

int64_t cairn_convert_turns(const cairn_layout *layout, const cairn_kernel_part *view)
{
    for (int l = layout->partition + 1; l < layout->levels; l++) {
        const cairn_level *level = &layout->level[l];

        if (level->trimmed && level->top) return view->level[l].nodes;
        if (!level->trimmed && !level->determined.on) return level->size;
    }
    return 1;
}
