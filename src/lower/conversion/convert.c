// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One phase of a conversion: both maps in one algebra, the builder, the key.

#include "base/text.h"
#include "ir/passes.h"
#include "lower/conversion/convert_steps.h"

static const char *const phase_name[] = {
    "pack",   "count", "fill",   "histogram", "scatter", "bucket",
    "mirror", "mark",  "place",  "tally",     "deal",    "lanes",
    "ranked", "cut",   "groups", "move",      "stand"};
static const char *const source_name[] = {"entries", "part", "keys", "long keys",
                                          "rows"};

/* ---- lowering ---- */

static cairn_status
forms_of(cairn_convert *c, const cairn_layout *layout, cairn_form *form)
{
    for (int l = 0; l < layout->levels; l++)
        CAIRN_TRY(cairn_form_of(c->algebra, layout->encoding->map.expr[l], &form[l]));
    return CAIRN_OK;
}

static cairn_status groups_of(cairn_convert *c, const cairn_map *map, cairn_form *form)
{
    for (int f = 0; f < map->count; f++)
        CAIRN_TRY(cairn_form_of(c->algebra, map->expr[f], &form[f]));
    return CAIRN_OK;
}

/// Both maps in one algebra: equal forms are then equal, whichever side they are on.
static cairn_status read_maps(cairn_convert *c)
{
    const cairn_convert_spec *spec = c->spec;

    if (c->from) CAIRN_TRY(forms_of(c, c->from, c->source));
    if (spec->blocks.query)
        CAIRN_TRY(groups_of(c, &spec->blocks.query->group_by, c->numbers.block_form));
    if (spec->tally.query) { /* its groups take the place of what is filled */
        c->levels = spec->tally.query->group_by.count;
        return groups_of(c, &spec->tally.query->group_by, c->target);
    }
    if (spec->members.cut) {
        c->levels = 1;
        return cairn_form_of(c->algebra, spec->members.cut, &c->target[0]);
    }
    c->levels = c->to ? c->to->levels : c->spec->order;
    if (c->to) return forms_of(c, c->to, c->target);
    for (int k = 0; k < c->levels; k++)
        c->target[k] = (cairn_form){.terms = 1, .term = {{.atom = k, .factor = 1}}};
    return CAIRN_OK;
}

static void describe(cairn_convert *c, const char *name)
{
    char              *text   = NULL;
    const cairn_status status = cairn_convert_key(c->ir.env, c->spec, &text);

    if (status != CAIRN_OK) { /* it is the function's */
        if (c->ir.status == CAIRN_OK) c->ir.status = status;
        return;
    }
    cairn_ir_describe(&c->ir, "%s: one phase of a conversion", name);
    cairn_ir_describe(&c->ir, "%s", text);
    cairn_free(c->ir.env, text);
}

static void lower_phase(cairn_convert *c)
{
    switch (c->spec->phase) {
    case CAIRN_CONVERT_PACK: cairn_convert_lower_pack(c); break;
    case CAIRN_CONVERT_COUNT: cairn_convert_lower_nodes(c, false); break;
    case CAIRN_CONVERT_FILL: cairn_convert_lower_nodes(c, true); break;
    case CAIRN_CONVERT_HISTOGRAM: cairn_convert_lower_histogram(c); break;
    case CAIRN_CONVERT_SCATTER: cairn_convert_lower_scatter(c); break;
    case CAIRN_CONVERT_BUCKET: cairn_convert_lower_bucket(c); break;
    case CAIRN_CONVERT_MIRROR: cairn_convert_lower_mirror(c); break;
    case CAIRN_CONVERT_MARK: cairn_convert_lower_mark(c); break;
    case CAIRN_CONVERT_PLACE: cairn_convert_lower_place(c); break;
    case CAIRN_CONVERT_TALLY: cairn_convert_lower_tally(c); break;
    case CAIRN_CONVERT_DEAL: cairn_convert_lower_deal(c); break;
    case CAIRN_CONVERT_LANES: cairn_convert_lower_lanes(c); break;
    case CAIRN_CONVERT_RANKED: cairn_convert_lower_ranked(c); break;
    case CAIRN_CONVERT_STAND: cairn_convert_lower_stand(c); break;
    case CAIRN_CONVERT_CUT: cairn_convert_lower_cut(c); break;
    case CAIRN_CONVERT_GROUPS: cairn_convert_lower_groups(c); break;
    case CAIRN_CONVERT_MOVE: cairn_convert_lower_move(c); break;
    }
    cairn_ir_return(&c->ir, cairn_ir_int(&c->ir, 0));
}

static cairn_status
finish(cairn_env *env, cairn_convert *c, cairn_ir_function **function)
{
    bool               changed = false;
    cairn_ir_function *fresh;

    CAIRN_TRY(cairn_passes_finish(env, &c->ir, &fresh));

    const cairn_status status = cairn_pass_limits(env, fresh, &changed);

    if (status == CAIRN_OK)
        *function = fresh;
    else
        cairn_ir_destroy(env, &fresh);
    return status;
}

cairn_status cairn_convert_create(cairn_env                *env,
                                  const cairn_convert_spec *spec,
                                  const char               *name,
                                  int                       abi,
                                  cairn_convert           **c)
{
    cairn_convert *fresh = NULL;
    cairn_status   status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    fresh->spec = spec;
    fresh->from = spec->source == CAIRN_CONVERT_PART ? spec->from : NULL;
    fresh->to   = spec->to;
    CAIRN_GO(discard, CAIRN_NEW(env, 1, &fresh->algebra));
    cairn_algebra_init(fresh->algebra, env, spec->order);
    CAIRN_GO(discard, read_maps(fresh));
    cairn_ir_begin(&fresh->ir, env, name, abi);
    describe(fresh, name);
    *c = fresh;
    return CAIRN_OK;

discard:
    cairn_convert_destroy(env, &fresh);
    return status;
}

void cairn_convert_destroy(cairn_env *env, cairn_convert **c)
{
    cairn_free(env, (*c)->algebra);
    cairn_free(env, *c);
    *c = NULL;
}

cairn_status cairn_convert_lower(cairn_env                *env,
                                 const cairn_convert_spec *spec,
                                 const char               *name,
                                 cairn_ir_function       **function)
{
    cairn_convert *c;

    CAIRN_TRY(cairn_convert_create(env, spec, name, CAIRN_ABI_CONVERT, &c));
    lower_phase(c);
    const cairn_status status = finish(env, c, function);

    cairn_convert_destroy(env, &c);
    return status;
}

/* ---- the key ---- */

/// As it was written, but for the names of queries: those are the user's, and say nothing.
static void add_expr(cairn_text *text, const cairn_expr *e)
{
    static const char marks[] = {[CAIRN_EXPR_ADD] = '+',
                                 [CAIRN_EXPR_SUB] = '-',
                                 [CAIRN_EXPR_MUL] = '*',
                                 [CAIRN_EXPR_DIV] = '/',
                                 [CAIRN_EXPR_MOD] = '%'};

    switch (e->op) {
    case CAIRN_EXPR_CONST: cairn_text_add(text, "%lld", (long long)e->value); return;
    case CAIRN_EXPR_DIM: cairn_text_add(text, "d%lld", (long long)e->value); return;
    case CAIRN_EXPR_QUERY:
    case CAIRN_EXPR_INDIRECT:
        cairn_text_add(text, "q%lld", (long long)e->value);
        return;
    case CAIRN_EXPR_NEG:
        cairn_text_add(text, "-");
        add_expr(text, e->a);
        return;
    default: break;
    }
    cairn_text_add(text, "(");
    add_expr(text, e->a);
    cairn_text_add(text, "%c", marks[e->op]);
    add_expr(text, e->b);
    cairn_text_add(text, ")");
}

static void add_level(cairn_text *text, const cairn_layout *layout, int l)
{
    static const char  kinds[] = {'d', 'c', 's', 'r'};
    const cairn_level *level   = &layout->level[l];
    const int64_t      size    = cairn_convert_constant_size(layout, l);

    cairn_text_add(text, ":%c", kinds[level->kind]);
    if (level->arrays.has_ptr) cairn_text_add(text, "p%d", level->arrays.ptr_bits);
    if (level->arrays.has_idx || level->determined.on)
        cairn_text_add(text, "%c%d", level->arrays.idx_signed ? 'i' : 'u',
                       level->arrays.idx_bits);
    if (level->trimmed) cairn_text_add(text, "n%d", level->depth);
    if (level->top) cairn_text_add(text, "t");
    if (level->gaps) cairn_text_add(text, "g");
    if (level->determined.on)
        cairn_text_add(text, "by%x%s", level->determined.by,
                       level->determined.per_node ? "n" : "");
    if (size) cairn_text_add(text, "s%lld", (long long)size);
    if (level->arrays.tuple >= 0)
        cairn_text_add(text, "of%zu", layout->packs.tuple[level->arrays.tuple].size);
}

static void add_inverse(cairn_text *text, const cairn_linear *dim)
{
    cairn_text_add(text, " =");
    for (int t = 0; t < dim->terms; t++)
        cairn_text_add(text, "%+llde%d", (long long)dim->num[t], dim->var[t]);
    cairn_text_add(text, "%+lld/%lld", (long long)dim->constant, (long long)dim->den);
}

static void add_layout(cairn_text *text, const char *what, const cairn_layout *layout)
{
    cairn_text_add(text, " %s", what);
    for (int l = 0; l < layout->levels; l++) {
        cairn_text_add(text, " ");
        add_expr(text, layout->encoding->map.expr[l]);
        add_level(text, layout, l);
    }
    if (layout->partition >= 0) cairn_text_add(text, " bank%d", layout->partition);
    for (int k = 0; k < layout->order; k++)
        add_inverse(text, &layout->inverse.dim[k]);
    cairn_text_add(text, " check%x %c%d%s%s", layout->inverse.check,
                   layout->values.bits < 32 ? 'i' : 'f', layout->values.bits,
                   layout->pads ? " pads" : "", layout->inverse.exact ? " exact" : "");
    if (layout->values.tuple >= 0)
        cairn_text_add(text, " of%zu*%lld",
                       layout->packs.tuple[layout->values.tuple].size,
                       (long long)layout->packs.tuple[layout->values.tuple].block);
}

static void add_groups(cairn_text *text, const cairn_query *query, bool listed)
{
    cairn_text_add(text, ", %s groups", listed ? "listed" : "dense");
    for (int f = 0; f < query->group_by.count; f++) {
        cairn_text_add(text, " ");
        add_expr(text, query->group_by.expr[f]);
    }
}

/// Groups, and what each entry gives to its own.
static void add_query(cairn_text *text, const cairn_query *query, bool listed)
{
    add_groups(text, query, listed);
    for (int k = 0; k < query->cases; k++)
        cairn_text_add(text, " case%d %lld->%d,%lld", (int)query->when[k].relation,
                       (long long)query->when[k].constant,
                       (int)query->when[k].start.kind,
                       (long long)query->when[k].start.value);
    cairn_text_add(text, " else %d,%lld", (int)query->otherwise.kind,
                   (long long)query->otherwise.value);
}

cairn_status
cairn_convert_key(cairn_env *env, const cairn_convert_spec *spec, char **key)
{
    cairn_text text;

    cairn_text_init(&text, env);
    cairn_text_add(&text, "convert: %s %s, order %d, split %d", phase_name[spec->phase],
                   source_name[spec->source], spec->order, spec->keys.split);
    if (spec->ahead) cairn_text_add(&text, ", ahead");
    if (spec->keys.grouped) cairn_text_add(&text, ", grouped");
    if (spec->of_entries) cairn_text_add(&text, ", nodes %x", spec->of_entries);
    if (spec->along.on)
        cairn_text_add(&text, ", query %d counts along d%d", spec->along.query,
                       spec->along.row);
    if (spec->phase == CAIRN_CONVERT_STAND)
        cairn_text_add(&text, ", columns d%d", spec->along.col);
    if (spec->tables.queries)
        cairn_text_add(&text, ", queries %x by d%d", spec->tables.queries,
                       spec->tables.row);
    if (spec->blocks.query) {
        cairn_text_add(&text,
                       spec->blocks.each ? ", query %d each by" : ", query %d by",
                       spec->blocks.number);
        add_groups(&text, spec->blocks.query, spec->blocks.listed);
    }
    if (spec->omit.determined) cairn_text_add(&text, ", lined");
    if (spec->omit.idx) cairn_text_add(&text, ", idx %x there", spec->omit.idx);
    if (spec->omit.values) cairn_text_add(&text, ", values there");
    if (spec->members.cut) {
        cairn_text_add(&text, ", at ");
        add_expr(&text, spec->members.cut);
    }
    if (spec->rows.ordered) cairn_text_add(&text, ", d%d in order", spec->tables.row);
    if (spec->rows.levels)
        cairn_text_add(&text, ", %d levels by d%d", spec->rows.levels,
                       spec->tables.row);
    if (spec->rows.lanes) cairn_text_add(&text, ", %d at once", spec->rows.lanes);
    if (spec->rows.marked) cairn_text_add(&text, ", marked");
    if (spec->rows.halved) cairn_text_add(&text, ", halved");
    if (spec->members.one) cairn_text_add(&text, ", of one member");
    if (cairn_convert_divides_narrowly(spec))
        cairn_text_add(&text, ", divided narrowly%s",
                       cairn_convert_divides_counts(spec) ? ", counts" : "");
    if (spec->tally.query) add_query(&text, spec->tally.query, spec->tally.listed);
    if (spec->source == CAIRN_CONVERT_PART) add_layout(&text, "from", spec->from);
    if (spec->to) add_layout(&text, "to", spec->to);
    return cairn_text_take(&text, key);
}
