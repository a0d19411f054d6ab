// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions as grids: what there is, and the functions of keys in order.

#include "lower/grid_conversion/grid_convert.h"

#include "base/text.h"
#include "format/normal.h"
#include "ir/passes.h"
#include "lower/grid_conversion/grid_convert_steps.h"

#include <stdio.h>

/* ---- what there is ---- */

bool cairn_grid_convert_has_gaps(const cairn_layout *to)
{
    return to->last >= 0 && to->level[to->last].gaps;
}

/// Is a level's form the number that a query gives, by itself?
static bool is_number(const cairn_layout *to, int l, int query)
{
    const cairn_atom *atom =
        cairn_form_single(to->algebra, &to->level[l].form, CAIRN_ATOM_QUERY);

    return atom && atom->number == query;
}

/// Does what a level's recipe looks up first have an entry there, or is there none? It is
/// the number of a level above, which entries alone have: then every position without an
/// entry is a hole.
static bool has_only_entries(const cairn_layout *to, int l)
{
    const cairn_recipe *recipe = &to->level[l].determined.recipe;
    const cairn_step   *step   = recipe->step;
    const cairn_start  *some, *none;
    bool                apart;

    if (recipe->steps == 0 || step->kind != CAIRN_STEP_QUERY || step->in.terms != 1
        || step->in.var[0] >= l || step->in.num[0] != 1 || step->in.constant != 0
        || step->in.den != 1 || !is_number(to, step->in.var[0], step->query))
        return false;
    const cairn_query *query = &to->encoding->query[step->query];

    return query->func == CAIRN_QUERY_ENUM && query->arg == CAIRN_ARG_VALUE
           && cairn_query_starts(query, &some, &none, &apart)
           && none->kind == CAIRN_START_NONE;
}

bool cairn_grid_convert_pads(const cairn_layout *to)
{
    for (int l = to->last + 1; l < to->levels; l++)
        if (to->level[l].determined.on && !has_only_entries(to, l)) return false;
    return true;
}

/// Why levels of the target are not filled by keys; "": they are. Queries @p known are
/// answered before there is a key.
static const char *lacks(const cairn_layout *to, uint32_t known)
{
    for (int l = 0; l < to->levels; l++) {
        const cairn_level *level = &to->level[l];

        if (level->gaps && (l != to->first || l != to->last || !level->arrays.has_ptr))
            return "the target has holes between nodes of several levels";
        if (cairn_form_queries(to->algebra, &level->form) & ~known)
            return "a query numbers a level of the target";
    }
    return cairn_convert_needs_tuples(to) && !cairn_grid_convert_pads(to)
               ? "the padding of the target follows from the indices of its nodes"
               : "";
}

bool cairn_grid_convert_can(const cairn_convert_spec *spec, const char **why)
{
    const cairn_layout *from = spec->from, *to = spec->to;

    /* Where entries or groups are numbered along lines, levels are of a known kind. */
    const bool lines = spec->along.on || spec->blocks.query;

    *why = lines ? "" : lacks(to, from ? spec->tables.queries : UINT32_MAX);
    if (spec->blocks.each) *why = "a query numbers entries along lines of groups";
    if ((from && !cairn_layout_is_wide(from)) || !cairn_layout_is_wide(to))
        *why = "values are stored narrower than their type";
    if (to->partition >= 0 && lines) *why = "the target has banks of slots";
    if (to->partition >= to->first) *why = "nodes of the target number its banks";
    return !(*why)[0];
}

uint32_t cairn_grid_convert_depths(const cairn_layout *to)
{
    uint32_t depths = 0;

    for (int l = to->first; l <= to->last && !cairn_grid_convert_has_gaps(to); l++)
        depths |= UINT32_C(1) << to->level[l].depth;
    return depths;
}

int64_t cairn_grid_convert_groups(int64_t turns)
{
    return (turns + CAIRN_GRID_CONVERT_ITEMS - 1) / CAIRN_GRID_CONVERT_ITEMS;
}

/* ---- turns ---- */

cairn_ir_x cairn_grid_convert_open(cairn_convert *c, cairn_ir_x turns, const char *name)
{
    cairn_ir        *b     = &c->ir;
    const cairn_ir_x items = cairn_ir_int(b, CAIRN_GRID_CONVERT_ITEMS);
    const cairn_ir_x all   = cairn_ir_add_int(b, turns, CAIRN_GRID_CONVERT_ITEMS - 1);
    cairn_ir_stmt   *groups =
        cairn_ir_for(b, cairn_ir_int(b, 0),
                     cairn_ir_binary(b, CAIRN_IR_DIV, all, items), 1, NULL, "g");

    groups->turns          = CAIRN_TURNS_GROUPS;
    const cairn_ir_x first = cairn_ir_mul(b, cairn_ir_loop_var(b, groups), items);
    const cairn_ir_x last =
        cairn_ir_min(b, cairn_ir_add_int(b, first, CAIRN_GRID_CONVERT_ITEMS), turns);

    return cairn_grid_convert_items(c, first, last, name);
}

cairn_ir_x cairn_grid_convert_items(cairn_convert *c,
                                    cairn_ir_x     begin,
                                    cairn_ir_x     end,
                                    const char    *name)
{
    cairn_ir_stmt *const items = cairn_ir_for(&c->ir, begin, end, 1, NULL, "%s", name);

    items->turns = CAIRN_TURNS_ITEMS;
    return cairn_ir_loop_var(&c->ir, items);
}

void cairn_grid_convert_close(cairn_convert *c)
{
    cairn_ir_end(&c->ir);
    cairn_ir_end(&c->ir);
}

cairn_ir_x cairn_grid_convert_end(cairn_convert *c)
{
    return cairn_convert_scalar(c, CAIRN_GRID_CONVERT_end, "end");
}

cairn_ir_array *cairn_grid_convert_keys(cairn_convert *c)
{
    return cairn_ir_array_of(
        &c->ir,
        (cairn_ir_field){.source = CAIRN_IR_ARG, .level = CAIRN_GRID_CONVERT_key},
        CAIRN_IR_U64, "key");
}

/* ---- arrays ---- */

cairn_ir_x cairn_grid_convert_value(cairn_convert *c, cairn_ir_x at)
{
    return cairn_ir_load(
        &c->ir, c->from ? cairn_convert_values(c, 0) : cairn_convert_entry_values(c),
        at);
}

/// Where the numbers of a depth, which is row @p row, begin.
static cairn_ir_x numbers_of(cairn_convert *c, int row)
{
    return cairn_ir_mul_int(
        &c->ir, cairn_convert_scalar(c, CAIRN_GRID_CONVERT_stride, "stride"), row);
}

/// Nodes of a depth that begin before entry @p p: of all banks, or of the one whose entries
/// are counted from 0.
static cairn_ir_x begun_before(cairn_convert *c, int depth, cairn_ir_x p)
{
    cairn_ir      *b = &c->ir;
    const uint32_t above =
        cairn_grid_convert_depths(c->to) & ((UINT32_C(1) << depth) - 1);
    const cairn_ir_x from = numbers_of(c, __builtin_popcount(above));
    cairn_ir_array  *number =
        cairn_convert_small(c, CAIRN_GRID_CONVERT_number, "number");
    const cairn_ir_x begun = cairn_ir_load(b, number, cairn_ir_add(b, from, p));

    if (c->to->partition < 0) return begun;
    return cairn_ir_sub(b, begun, cairn_ir_load(b, number, from));
}

/// The node of entry @p p.
static cairn_ir_x node_of(cairn_convert *c, int depth, cairn_ir_x p)
{
    cairn_ir *b = &c->ir;

    return cairn_ir_add_int(b, begun_before(c, depth, cairn_ir_add_int(b, p, 1)), -1);
}

static void stand_at_key(cairn_convert *c, cairn_ir_x p)
{
    c->here.word[0] = cairn_grid_convert_key_at(c, p, "word");
}

/// Indices of the nodes that entry @p p begins, of levels of one depth.
static void write_nodes(cairn_convert *c, int depth, cairn_ir_x p, cairn_ir_x node)
{
    cairn_ir *b = &c->ir;

    cairn_ir_if(b, cairn_ir_eq(b, node, begun_before(c, depth, p)));
    for (int l = c->to->first; l <= c->to->last; l++)
        if (c->to->level[l].depth == depth && c->to->level[l].arrays.has_idx)
            cairn_ir_store(b, cairn_convert_idx(c, 1, l), node, c->here.e[l]);
    cairn_ir_end(b);
}

/// How far the entry stands behind the first node of its group.
static cairn_ir_x behind_first(cairn_convert *c)
{
    const int E = c->to->last;

    return cairn_ir_sub(&c->ir, c->here.e[E], cairn_convert_low(c, 1, E));
}

/// The node of an entry whose group has holes.
static cairn_ir_x node_with_gaps(cairn_convert *c)
{
    cairn_ir        *b = &c->ir;
    const cairn_ir_x group =
        cairn_ir_load(b, cairn_convert_cursors(c), cairn_convert_group(c));

    return cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_add(b, group, behind_first(c)), "node"));
}

static void lower_fill(cairn_convert *c)
{
    cairn_ir      *b      = &c->ir;
    const uint32_t depths = cairn_grid_convert_depths(c->to);
    cairn_ir_x     node   = cairn_ir_int(b, 0);

    cairn_convert_read_fields(c);
    const cairn_ir_x p = cairn_grid_convert_open(c, cairn_grid_convert_end(c), "p");

    stand_at_key(c, p);
    cairn_convert_indices(c, c->levels);
    for (int depth = 0; depth <= c->to->last; depth++) {
        if (!(depths >> depth & 1)) continue;
        node = cairn_ir_use(b, cairn_ir_let(b, node_of(c, depth, p), "node%d", depth));
        write_nodes(c, depth, p, node);
    }
    if (cairn_grid_convert_has_gaps(c->to)) node = node_with_gaps(c);
    const cairn_ir_x at =
        cairn_ir_load(b, cairn_convert_small(c, CAIRN_GRID_CONVERT_at, "at"), p);

    c->here.value = cairn_grid_convert_value(c, at);
    cairn_convert_write(c, node, NULL);
    cairn_grid_convert_close(c);
}

/// The parent of entry @p p at level @p l, among all there are.
static cairn_ir_x parent_of(cairn_convert *c, int l, cairn_ir_x p)
{
    cairn_ir *b = &c->ir;

    if (l > c->to->first) return node_of(c, c->to->level[l - 1].depth, p);
    stand_at_key(c, p);
    cairn_convert_indices(c, l);
    return cairn_convert_combine(c, cairn_ir_int(b, 0), c->to->partition + 1, l,
                                 UINT32_MAX);
}

/// The first of the entries whose number, which @p number_at finds of the one at hand and
/// which never falls, is @p q or more.
static cairn_ir_x first_from(cairn_convert *c,
                             cairn_ir_x (*number_at)(cairn_convert *, int, cairn_ir_x),
                             int        l,
                             cairn_ir_x q)
{
    cairn_ir        *b = &c->ir;
    const cairn_ir_x entries =
        cairn_convert_scalar(c, CAIRN_GRID_CONVERT_capacity, "entries");
    const cairn_grid_search s = cairn_grid_search_open(b, cairn_ir_int(b, 0), entries);
    const cairn_ir_x        number =
        cairn_ir_use(b, cairn_ir_let(b, number_at(c, l, s.middle), "its"));

    return cairn_grid_search_close(b, &s, cairn_ir_lt(b, number, q));
}

/// A parent's nodes begin where the first entry is that is its, or a later one's.
static void lower_ptr(cairn_convert *c, int l)
{
    cairn_ir *b = &c->ir;

    if (l == c->to->first) cairn_convert_read_fields(c);
    const cairn_ir_x q = cairn_grid_convert_open(c, cairn_grid_convert_end(c), "q");

    cairn_ir_store(
        b, cairn_convert_ptr(c, 1, l), q,
        cairn_grid_convert_has_gaps(c->to)
            ? cairn_ir_load(b, cairn_convert_cursors(c), q)
            : begun_before(c, c->to->level[l].depth, first_from(c, parent_of, l, q)));
    cairn_grid_convert_close(c);
}

/// A group has nodes up to its last entry's, which is the one before the next group's first.
static void lower_gaps(cairn_convert *c)
{
    cairn_ir *b = &c->ir;
    const int E = c->to->last;

    cairn_convert_read_fields(c);
    const cairn_ir_x q    = cairn_grid_convert_open(c, cairn_grid_convert_end(c), "q");
    const cairn_ir_x next = cairn_ir_use(
        b, cairn_ir_let(b, first_from(c, parent_of, E, cairn_ir_add_int(b, q, 1)),
                        "next"));

    cairn_ir_store(b, cairn_convert_cursors(c), q, cairn_ir_int(b, 0));
    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_int(b, 0), next));
    const cairn_ir_x group = parent_of(c, E, cairn_ir_add_int(b, next, -1));

    cairn_ir_if(b, cairn_ir_eq(b, group, q));
    cairn_convert_indices(c, E + 1);
    cairn_ir_store(b, cairn_convert_cursors(c), q,
                   cairn_ir_add_int(b, behind_first(c), 1));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_grid_convert_close(c);
}

static cairn_ir_x bank_of(cairn_convert *c, int l, cairn_ir_x p)
{
    stand_at_key(c, p);
    cairn_convert_indices(c, l + 1);
    return cairn_convert_combine(c, cairn_ir_int(&c->ir, 0), 0, l + 1, UINT32_MAX);
}

static void lower_banks(cairn_convert *c)
{
    cairn_ir *b      = &c->ir;
    const int depths = __builtin_popcount(cairn_grid_convert_depths(c->to));

    cairn_convert_read_fields(c);
    const cairn_ir_x end = cairn_grid_convert_end(c);
    const cairn_ir_x q   = cairn_grid_convert_open(c, end, "q");
    const cairn_ir_x at  = first_from(c, bank_of, c->to->partition, q);
    cairn_ir_array  *number =
        cairn_convert_small(c, CAIRN_GRID_CONVERT_number, "number");

    cairn_ir_store(b, cairn_convert_cursors(c), q, at);
    for (int row = 0; row < depths; row++)
        cairn_ir_store(
            b, cairn_convert_cursors(c),
            cairn_ir_add(b, cairn_ir_mul_int(b, end, row + 1), q),
            cairn_ir_load(b, number, cairn_ir_add(b, numbers_of(c, row), at)));
    cairn_grid_convert_close(c);
}

static void lower_holes(cairn_convert *c, int l)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x hole = cairn_ir_param(
        b, (cairn_ir_field){CAIRN_IR_LEVEL_HOLE, 1, l}, CAIRN_IR_I64, "B%d_hole", l);
    const cairn_ir_x h = cairn_grid_convert_open(c, cairn_grid_convert_end(c), "h");

    cairn_ir_store(b, cairn_convert_idx(c, 1, l), h, hole);
    cairn_grid_convert_close(c);
}

/* ---- all of them ---- */

static bool has_function(const cairn_convert_spec *spec, int function)
{
    const cairn_layout *to = spec->to;

    if (function == CAIRN_GRID_CONVERT_BANKS) return to->partition >= 0;
    if (function == CAIRN_GRID_CONVERT_GAPS) return cairn_grid_convert_has_gaps(to);
    if (function == CAIRN_GRID_CONVERT_PAD) return spec->along.on || spec->blocks.query;
    if (function < CAIRN_GRID_CONVERT_PTR) return true;
    if (spec->along.on || spec->blocks.query) return false;
    if (function < CAIRN_GRID_CONVERT_HOLES) {
        const int l = function - CAIRN_GRID_CONVERT_PTR;

        return l < to->levels && to->level[l].arrays.has_ptr;
    }
    const int l = function - CAIRN_GRID_CONVERT_HOLES;

    return l < to->levels && to->level[l].determined.on;
}

static void name_function(const char *name, int function, char *text, size_t size)
{
    static const char *const alone[] = {"pack", "fill", "banks", "gaps", "pad"};

    if (function < CAIRN_GRID_CONVERT_PTR)
        snprintf(text, size, "%s_%s", name, alone[function]);
    else if (function < CAIRN_GRID_CONVERT_HOLES)
        snprintf(text, size, "%s_ptr%d", name, function - CAIRN_GRID_CONVERT_PTR);
    else
        snprintf(text, size, "%s_holes%d", name, function - CAIRN_GRID_CONVERT_HOLES);
}

static void build(cairn_convert *c, int function)
{
    if (function == CAIRN_GRID_CONVERT_PACK)
        cairn_grid_convert_lower_pack(c);
    else if (function == CAIRN_GRID_CONVERT_FILL && c->spec->along.on)
        cairn_grid_convert_lower_slots(c);
    else if (function == CAIRN_GRID_CONVERT_FILL && c->spec->blocks.query)
        cairn_grid_convert_lower_lines(c);
    else if (function == CAIRN_GRID_CONVERT_FILL)
        lower_fill(c);
    else if (function == CAIRN_GRID_CONVERT_BANKS)
        lower_banks(c);
    else if (function == CAIRN_GRID_CONVERT_GAPS)
        lower_gaps(c);
    else if (function == CAIRN_GRID_CONVERT_PAD && c->spec->along.on)
        cairn_grid_convert_lower_pad(c);
    else if (function == CAIRN_GRID_CONVERT_PAD)
        cairn_grid_convert_lower_pad_lines(c);
    else if (function < CAIRN_GRID_CONVERT_HOLES)
        lower_ptr(c, function - CAIRN_GRID_CONVERT_PTR);
    else
        lower_holes(c, function - CAIRN_GRID_CONVERT_HOLES);
}

cairn_status cairn_grid_convert_finish(cairn_env          *env,
                                       cairn_convert     **c,
                                       cairn_ir_function **function)
{
    cairn_ir_return(&(*c)->ir, cairn_ir_int(&(*c)->ir, 0));
    const cairn_status status = cairn_passes_finish(env, &(*c)->ir, function);

    cairn_convert_destroy(env, c);
    return status;
}

static cairn_status lower(cairn_env                *env,
                          const cairn_convert_spec *spec,
                          const char               *name,
                          int                       which,
                          cairn_ir_function       **function)
{
    char           symbol[CAIRN_GRID_CONVERT_NAME];
    cairn_convert *c;

    name_function(name, which, symbol, sizeof symbol);
    CAIRN_TRY(cairn_convert_create(env, spec, symbol, CAIRN_ABI_GRID_CONVERT, &c));
    build(c, which);
    return cairn_grid_convert_finish(env, &c, function);
}

cairn_status cairn_grid_convert_lower(cairn_env                *env,
                                      const cairn_convert_spec *spec,
                                      const char               *name,
                                      cairn_ir_function       **function)
{
    cairn_status status = CAIRN_OK;

    for (int k = 0; k < CAIRN_GRID_CONVERT_FUNCTIONS; k++)
        function[k] = NULL;
    for (int k = 0; k < CAIRN_GRID_CONVERT_FUNCTIONS && status == CAIRN_OK; k++)
        if (has_function(spec, k)) status = lower(env, spec, name, k, &function[k]);
    if (status != CAIRN_OK)
        cairn_grid_convert_discard(env, function, CAIRN_GRID_CONVERT_FUNCTIONS);
    return status;
}

void cairn_grid_convert_discard(cairn_env          *env,
                                cairn_ir_function **function,
                                int                 functions)
{
    for (int k = 0; k < functions; k++)
        if (function[k]) cairn_ir_destroy(env, &function[k]);
}

cairn_status
cairn_grid_convert_key(cairn_env *env, const cairn_convert_spec *spec, char **key)
{
    cairn_text text;
    char      *pair;

    CAIRN_TRY(cairn_convert_key(env, spec, &pair));
    cairn_text_init(&text, env);
    cairn_text_add(&text, "grid of %s", pair);
    if (spec->along.on) cairn_text_add(&text, ", columns d%d", spec->along.col);
    cairn_free(env, pair);
    return cairn_text_take(&text, key);
}
