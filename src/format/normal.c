// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The normal form of an encoding: its queries one after the other, those that are
/// another spelling of an earlier one, and what is proved of the whole.

#include "format/normal.h"

#include "format/check.h"
#include "format/language.h"
#include "format/layout.h"
#include "format/normal_steps.h"

enum {
    LARGE = 1 << 15, ///< Starts beyond it may take a sum out of 64 bits: they stay.
};

/* ---- who asks for which query ---- */

static uint32_t used_by_expr(const int *alias, const cairn_expr *e)
{
    if (e->op == CAIRN_EXPR_QUERY || e->op == CAIRN_EXPR_INDIRECT)
        return 1U << alias[e->value];
    return (e->a ? used_by_expr(alias, e->a) : 0)
           | (e->b ? used_by_expr(alias, e->b) : 0);
}

static uint32_t used_by_map(const int *alias, const cairn_map *map)
{
    uint32_t used = 0;

    for (int k = 0; map && k < map->count; k++)
        used |= used_by_expr(alias, map->expr[k]);
    return used;
}

static uint32_t used_by_start(const int *alias, const cairn_start *start)
{
    return start->kind == CAIRN_START_QUERY ? 1U << alias[start->value] : 0;
}

/// Queries whose numbers themselves a query takes over.
static uint32_t shown_by_query(const int *alias, const cairn_query *q)
{
    uint32_t used =
        used_by_map(alias, &q->group_by) | used_by_map(alias, q->traverse_by)
        | used_by_map(alias, q->distance_by) | used_by_start(alias, &q->otherwise);

    for (int c = 0; c < q->cases; c++)
        used |= used_by_start(alias, &q->when[c].start);
    return used;
}

/// All that it asks for.
static uint32_t used_by_query(const int *alias, const cairn_query *q)
{
    uint32_t used = shown_by_query(alias, q);

    if (q->arg >= 0) used |= 1U << alias[q->arg];
    for (int c = 0; c < q->cases; c++)
        if (q->when[c].var >= 0) used |= 1U << alias[q->when[c].var];
    return used;
}

static void find_visible(cairn_normal *n)
{
    const cairn_encoding *e = n->written;

    n->visible = used_by_map(n->alias, &e->map);
    for (int q = 0; q < e->queries; q++)
        n->visible |= shown_by_query(n->alias, &e->query[q]);
}

/// Can running the query be left out: does nothing refuse it that does not refuse others?
static bool cannot_fail(const cairn_query *q)
{
    if (q->func != CAIRN_QUERY_SUM || q->otherwise.kind != CAIRN_START_CONST
        || q->otherwise.value > LARGE || q->otherwise.value < -LARGE)
        return false;
    for (int c = 0; c < q->cases; c++)
        if (q->when[c].start.kind != CAIRN_START_CONST || q->when[c].start.value > LARGE
            || q->when[c].start.value < -LARGE)
            return false;
    return true;
}

static void find_idle(cairn_normal *n)
{
    cairn_encoding *e    = n->made;
    uint32_t        used = used_by_map(n->alias, &e->map);

    for (int q = e->queries - 1; q >= 0; q--) {
        const bool same = n->alias[q] != q;

        if (used >> q & 1 || (!same && !cannot_fail(&e->query[q])))
            used |= used_by_query(n->alias, &e->query[q]);
        else
            e->idle |= 1U << q;
    }
}

/* ---- one query ---- */

/// Divide the starts of a sum that is only compared by their common factor.
static void scale(cairn_normal *n, int q)
{
    cairn_query *query = &n->made->query[q];
    int64_t      unit  = 0;

    if (n->visible >> q & 1 || !cannot_fail(query)) return;
    for (int c = 0; c <= query->cases; c++) {
        const int64_t value =
            c < query->cases ? query->when[c].start.value : query->otherwise.value;

        unit = cairn_gcd(unit, value < 0 ? -value : value);
    }
    if (unit < 2) return;
    for (int c = 0; c < query->cases; c++)
        query->when[c].start.value /= unit;
    query->otherwise.value /= unit;
    n->unit[q] = unit;
}

/// Are the numbers of a sum never below 0?
static bool never_negative(const cairn_query *q)
{
    if (q->func != CAIRN_QUERY_SUM || q->otherwise.kind != CAIRN_START_CONST
        || q->otherwise.value < 0)
        return false;
    for (int c = 0; c < q->cases; c++)
        if (q->when[c].start.kind != CAIRN_START_CONST || q->when[c].start.value < 0)
            return false;
    return true;
}

static bool same_start(const cairn_start *a, const cairn_start *b)
{
    return a->kind == b->kind && a->value == b->value;
}

static bool same_with(const cairn_query *a, const cairn_query *b)
{
    if (a->cases != b->cases || !same_start(&a->otherwise, &b->otherwise)) return false;
    for (int c = 0; c < a->cases; c++)
        if (a->when[c].var != b->when[c].var
            || a->when[c].relation != b->when[c].relation
            || a->when[c].constant != b->when[c].constant
            || !same_start(&a->when[c].start, &b->when[c].start))
            return false;
    return true;
}

static cairn_status
same_query(cairn_normal *n, const cairn_query *a, const cairn_query *b, bool *same)
{
    *same = a->func == b->func && a->arg == b->arg && a->buckets == b->buckets
            && a->distance == b->distance && a->descend == b->descend
            && same_with(a, b);
    if (*same) CAIRN_TRY(cairn_normal_same_map(n, &a->group_by, &b->group_by, same));
    if (*same)
        CAIRN_TRY(cairn_normal_same_map(n, a->traverse_by, b->traverse_by, same));
    if (*same)
        CAIRN_TRY(cairn_normal_same_map(n, a->distance_by, b->distance_by, same));
    return CAIRN_OK;
}

static cairn_status find_alias(cairn_normal *n, int q)
{
    const cairn_query *queries = n->made->query;

    for (int p = 0; p < q; p++) {
        bool same = n->alias[p] == p && n->unit[p] == n->unit[q];

        if (same) CAIRN_TRY(same_query(n, &queries[p], &queries[q], &same));
        if (!same) continue;
        n->alias[q] = p;
        return CAIRN_OK;
    }
    return CAIRN_OK;
}

static cairn_status normalise_query(cairn_normal *n, int q)
{
    cairn_query *query = &n->made->query[q];

    if (query->arg >= 0) query->arg = n->alias[query->arg];
    CAIRN_TRY(cairn_normal_maps(n, q));
    CAIRN_TRY(cairn_normal_with(n, q));
    scale(n, q);
    if (never_negative(query)) n->counts |= 1U << q;
    return find_alias(n, q);
}

/* ---- the index map ---- */

/// The expression with what it asks for by the number of the first spelling.
static cairn_status
rename_expr(cairn_normal *n, const cairn_expr *e, const cairn_expr **renamed)
{
    cairn_expr *copy;

    CAIRN_TRY(CAIRN_ARENA_NEW(n->arena, 1, &copy));
    *copy = *e;
    if (e->op == CAIRN_EXPR_QUERY || e->op == CAIRN_EXPR_INDIRECT)
        copy->value = n->alias[e->value];
    if (e->a) CAIRN_TRY(rename_expr(n, e->a, &copy->a));
    if (e->b) CAIRN_TRY(rename_expr(n, e->b, &copy->b));
    *renamed = copy;
    return CAIRN_OK;
}

static cairn_status rename_map(cairn_normal *n, cairn_map *map)
{
    bool same = true;

    for (int q = 0; q < n->written->queries; q++)
        same = same && n->alias[q] == q;
    for (int l = 0; l < map->count && !same; l++)
        if (cairn_expr_is_indirect(map->expr[l]))
            CAIRN_TRY(rename_expr(n, map->expr[l], &map->expr[l]));
    return CAIRN_OK;
}

/* ---- what is proved of the whole ---- */

static bool same_level(const cairn_level *a, const cairn_level *b)
{
    return a->kind == b->kind && a->depth == b->depth
           && a->arrays.has_idx == b->arrays.has_idx
           && a->arrays.has_ptr == b->arrays.has_ptr && a->gaps == b->gaps
           && a->determined.on == b->determined.on
           && a->determined.by == b->determined.by
           && a->determined.per_node == b->determined.per_node
           && a->arrays.tuple == b->arrays.tuple;
}

/// The next step of a recipe that asks a query, from step @p s on; `steps`: none.
static int next_asked(const cairn_recipe *recipe, int s)
{
    while (s < recipe->steps && recipe->step[s].kind != CAIRN_STEP_QUERY)
        s++;
    return s;
}

/// Are the same queries asked for an index? Each may find that there is none, so that two
/// levels for one query must stay two where the text has two spellings of it.
static bool
same_recipe(const cairn_normal *n, const cairn_recipe *text, const cairn_recipe *made)
{
    int a = next_asked(text, 0), b = next_asked(made, 0);

    while (a < text->steps && b < made->steps
           && n->alias[text->step[a].query] == n->alias[made->step[b].query]) {
        a = next_asked(text, a + 1);
        b = next_asked(made, b + 1);
    }
    return a == text->steps && b == made->steps && text->dims == made->dims;
}

static bool
same_layout(const cairn_normal *n, const cairn_layout *text, const cairn_layout *made)
{
    bool same = text->pads == made->pads && text->packs.count == made->packs.count
                && text->inverse.check == made->inverse.check
                && text->inverse.exact == made->inverse.exact;

    for (int l = 0; l < text->levels && same; l++)
        same = same_level(&text->level[l], &made->level[l])
               && same_recipe(n, &text->level[l].determined.recipe,
                              &made->level[l].determined.recipe);
    return same;
}

/// Levels that are stored and determined must be the text's.
static cairn_status check_layout(const cairn_normal *n)
{
    cairn_layout *of_text = NULL, *of_normal = NULL;
    cairn_status  status;

    CAIRN_GO(done,
             cairn_layout_create(n->env, n->written, NULL, NULL, NULL, 64, &of_text));
    CAIRN_GO(done,
             cairn_layout_create(n->env, n->made, NULL, NULL, NULL, 64, &of_normal));
    if (!same_layout(n, of_text, of_normal))
        status = cairn_fail(n->env, CAIRN_UNSUPPORTED,
                            "format: the normal form has other levels");
done:
    cairn_layout_destroy(n->env, &of_text);
    cairn_layout_destroy(n->env, &of_normal);
    return status;
}

/* ---- the encoding ---- */

static void normal_fini(cairn_normal *n)
{
    cairn_free(n->env, n->algebra);
    cairn_free(n->env, n->list);
    cairn_free(n->env, n->space);
}

static cairn_status normal_init(cairn_normal         *n,
                                cairn_env            *env,
                                cairn_arena          *arena,
                                const cairn_encoding *written)
{
    *n = (cairn_normal){.env = env, .arena = arena, .written = written};
    for (int q = 0; q < CAIRN_MAX_QUERIES; q++) {
        n->alias[q] = q;
        n->unit[q]  = 1;
    }
    CAIRN_TRY(CAIRN_ARENA_NEW(arena, 1, &n->made));
    *n->made         = *written;
    n->made->written = written;
    CAIRN_TRY(CAIRN_NEW(env, 1, &n->algebra));
    CAIRN_TRY(CAIRN_NEW(env, 2, &n->list));
    CAIRN_TRY(CAIRN_NEW(env, 2, &n->space));
    cairn_algebra_init(n->algebra, env, written->map.order);
    return CAIRN_OK;
}

static cairn_status normalise(cairn_normal *n)
{
    find_visible(n);
    for (int q = 0; q < n->written->queries; q++)
        CAIRN_TRY(normalise_query(n, q));
    CAIRN_TRY(rename_map(n, &n->made->map));
    find_idle(n);
    CAIRN_TRY(cairn_encoding_check(n->env, n->made, "normal form"));
    return check_layout(n);
}

cairn_status cairn_encoding_normal(cairn_env             *env,
                                   cairn_arena           *arena,
                                   const cairn_encoding  *encoding,
                                   const cairn_encoding **normal)
{
    cairn_normal n = {.env = env};
    cairn_status status;

    *normal = encoding;
    if (encoding->queries == 0) return CAIRN_OK;
    status = normal_init(&n, env, arena, encoding);
    if (status == CAIRN_OK) status = normalise(&n);
    if (status == CAIRN_OK) *normal = n.made;
    normal_fini(&n);
    return status == CAIRN_NO_MEMORY ? status : CAIRN_OK;
}

/* ---- a hybrid's query ---- */

/// The first member's own groups: see cairn_decompose_query().
static cairn_status
own_groups(cairn_env *env, const cairn_encoding *first, cairn_map *groups)
{
    uint32_t levels;

    *groups = (cairn_map){.order = first->map.order};
    CAIRN_TRY(cairn_encoding_index_levels(env, first, &levels));
    for (int l = 0; levels >> l; l++)
        if (!cairn_expr_is_indirect(first->map.expr[l]))
            groups->expr[groups->count++] = first->map.expr[l];
    return CAIRN_OK;
}

static cairn_status
normalise_decompose(cairn_normal *n, const cairn_format *format, cairn_query *query)
{
    cairn_map own, same;
    bool      equal;

    n->visible = 1;
    CAIRN_TRY(normalise_query(n, 0));
    CAIRN_TRY(own_groups(n->env, format->member[0], &own));
    if (own.count == 0) return CAIRN_OK;
    CAIRN_TRY(cairn_normal_groups(n, &own, &same));
    CAIRN_TRY(cairn_normal_groups(n, &format->query->group_by, &query->group_by));
    CAIRN_TRY(cairn_normal_same_map(n, &same, &query->group_by, &equal));
    if (equal) query->group_by = own;
    return CAIRN_OK;
}

cairn_status cairn_format_normal_query(cairn_env          *env,
                                       cairn_arena        *arena,
                                       const cairn_format *format,
                                       const cairn_query **normal)
{
    cairn_normal    n = {.env = env};
    cairn_encoding *alone;
    cairn_status    status;

    *normal = format->query;
    if (!format->query) return CAIRN_OK;
    CAIRN_TRY(CAIRN_ARENA_NEW(arena, 1, &alone));
    alone->map.order = format->order;
    alone->queries   = 1;
    alone->query[0]  = *format->query;
    status           = normal_init(&n, env, arena, alone);
    if (status == CAIRN_OK) status = normalise_decompose(&n, format, &n.made->query[0]);
    if (status == CAIRN_OK) *normal = &n.made->query[0];
    normal_fini(&n);
    return status == CAIRN_NO_MEMORY ? status : CAIRN_OK;
}

/* ---- extents ---- */

static cairn_status check_map(cairn_algebra        *algebra,
                              const cairn_map      *map,
                              const cairn_interval *box,
                              const cairn_interval *numbers)
{
    for (int k = 0; map && k < map->count; k++) {
        cairn_form     form;
        cairn_interval range;

        CAIRN_TRY(cairn_form_of(algebra, map->expr[k], &form));
        CAIRN_TRY(cairn_form_range(algebra, &form, box, numbers, &range));
    }
    return CAIRN_OK;
}

/// Do all expressions of an encoding's queries stay within 64 bits?
static cairn_status
check_extents(cairn_env *env, const cairn_encoding *e, const int64_t *extent)
{
    cairn_interval box[CAIRN_MAX_ORDER], numbers[CAIRN_MAX_QUERIES];
    cairn_algebra *algebra;
    cairn_status   status = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW(env, 1, &algebra));
    cairn_algebra_init(algebra, env, e->map.order);
    for (int k = 0; k < e->map.order; k++)
        box[k] = (cairn_interval){0, extent[k] > 0 ? extent[k] - 1 : 0};
    for (int q = 0; q < CAIRN_MAX_QUERIES; q++)
        numbers[q] = (cairn_interval){0, (int64_t)1 << 48};
    for (int q = 0; q < e->queries && status == CAIRN_OK; q++) {
        status = check_map(algebra, &e->query[q].group_by, box, numbers);
        if (status == CAIRN_OK)
            status = check_map(algebra, e->query[q].traverse_by, box, numbers);
        if (status == CAIRN_OK)
            status = check_map(algebra, e->query[q].distance_by, box, numbers);
    }
    cairn_free(env, algebra);
    return status;
}

cairn_status cairn_format_meaning(cairn_env             *env,
                                  const cairn_format    *format,
                                  int                    k,
                                  const int64_t         *extent,
                                  const cairn_encoding **encoding)
{
    const cairn_encoding *normal = format->normal[k];
    cairn_status          status = CAIRN_OK;

    *encoding = format->member[k];
    if (!normal || normal == format->member[k]) return CAIRN_OK;
    status = check_extents(env, format->member[k], extent);
    if (status == CAIRN_OK) status = check_extents(env, normal, extent);
    if (status == CAIRN_OK) *encoding = normal;
    return status == CAIRN_NO_MEMORY ? status : CAIRN_OK;
}
