// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Counting by groups: which numbering fits, threads, totals.

#include "convert/numbers/group_counter.h"

#include "format/normal.h"
#include "lower/conversion/convert_order.h"

/* Counts and positions are 32 bits wide. */
#define MOST ((int64_t)UINT32_MAX - 1)

enum {
    CACHED = 1 << 18, ///< Groups of the box that are as good as listed ones.
};

/* ---- what can be counted ---- */

static bool is_small(const cairn_start *start, int64_t most)
{
    if (start->kind == CAIRN_START_NONE) return true;
    return start->kind == CAIRN_START_CONST && start->value >= 0
           && start->value <= most;
}

/// What is not stored starts with 0.
static bool rest_is_nothing(const cairn_query *query)
{
    const cairn_start *start = &query->otherwise;

    for (int k = query->cases - 1; k >= 0; k--)
        if (cairn_case_holds_of_others(&query->when[k])) start = &query->when[k].start;
    return start->kind == CAIRN_START_NONE || start->value == 0;
}

/// Do sums over so many entries stay within 32 bits?
static bool is_countable(const cairn_query *query, cairn_pos entries)
{
    const int64_t most = MOST / (entries > 0 ? entries : 1);

    if (query->func != CAIRN_QUERY_SUM || query->arg != CAIRN_ARG_VALUE || most < 1
        || !is_small(&query->otherwise, most))
        return false;
    for (int k = 0; k < query->cases; k++)
        if (query->when[k].var != CAIRN_ARG_VALUE
            || !is_small(&query->when[k].start, most))
            return false;
    return rest_is_nothing(query);
}

/// Entries of all ranks, at most.
static cairn_pos all_entries(const cairn_build *build, const cairn_origin *origin)
{
    return build->net ? build->net->size * cairn_build_judged_by(build)
                      : cairn_origin_entries(origin);
}

/// Borrowed arrays may hold entries twice.
static bool is_trusted(const cairn_origin *origin)
{
    return !origin->from || cairn_group_is_ordered(cairn_origin_group(origin));
}

/* ---- groups ---- */

static cairn_status read_forms(cairn_group_counter *t, const cairn_interval *box)
{
    t->forms = t->query.group_by.count;
    for (int f = 0; f < t->forms; f++) {
        cairn_interval range;

        CAIRN_TRY(cairn_form_of(t->algebra, t->query.group_by.expr[f], &t->form[f]));
        CAIRN_CHECK(cairn_form_queries(t->algebra, &t->form[f]) == 0, t->env,
                    CAIRN_NO_KERNEL, "query: groups by another query's numbers");
        CAIRN_TRY(cairn_form_range(t->algebra, &t->form[f], box, NULL, &range));
        t->low[f]  = range.lo;
        t->size[f] = range.lo <= range.hi ? range.hi - range.lo + 1 : 0;
        CAIRN_CHECK(t->size[f] >= 0, t->env, CAIRN_NO_KERNEL,
                    "query: values beyond 64 bits");
    }
    return CAIRN_OK;
}

/// Combinations of the first @p forms expressions, or one more than can be counted.
static int64_t combinations(const cairn_group_counter *t, int forms)
{
    __int128 n = 1;

    for (int f = 0; f < forms; f++) {
        n *= t->size[f];
        if (n > MOST) return MOST + 1;
    }
    return (int64_t)n;
}

/// The first expression becomes the last.
static void rotate(cairn_map *map)
{
    const cairn_expr *first = map->expr[0];

    for (int f = 1; f < map->count; f++)
        map->expr[f - 1] = map->expr[f];
    map->expr[map->count - 1] = first;
}

/// Rotate a groupBy until entries come line by line; if they never do, all the way round.
static cairn_status find_lines(cairn_env          *env,
                               const cairn_layout *from,
                               cairn_map          *map,
                               int                *rotated,
                               bool               *lines)
{
    *rotated = 0;
    *lines   = false;
    for (int f = 0; f < map->count; f++) {
        int sorted = 0;

        CAIRN_TRY(cairn_convert_sorted_by(env, from, map, &sorted));
        *lines = sorted >= map->count - 1;
        if (*lines) break;
        rotate(map);
        *rotated = (f + 1) % map->count;
    }
    return CAIRN_OK;
}

/// An order in which entries come line by line; if there is none, that of the query.
static cairn_status find_order(cairn_group_counter *t, const cairn_origin *origin)
{
    const cairn_group *group = cairn_origin_group(origin);

    if (group && group->count != 1) return CAIRN_OK;
    return find_lines(t->env, group ? group->layout : NULL, &t->query.group_by,
                      &t->rotated, &t->by_lines);
}

cairn_status cairn_group_counter_comes_by_lines(cairn_env          *env,
                                                const cairn_layout *from,
                                                const cairn_query  *query,
                                                bool               *lines)
{
    cairn_map map = query->group_by;
    int       rotated;

    return find_lines(env, from, &map, &rotated, lines);
}

/// Arrays for groups must not outgrow the entries by much.
static cairn_status number_groups(cairn_group_counter *t, const cairn_origin *origin)
{
    const cairn_pos   entries = cairn_origin_entries(origin);
    const int64_t     most = 16 * entries + (1 << 20), all = combinations(t, t->forms);
    cairn_line_index *x = &t->index;

    x->lines  = t->forms ? combinations(t, t->forms - 1) : 1;
    x->places = t->forms ? t->size[t->forms - 1] : 1;
    x->listed = t->by_lines && t->forms > 1 && all > CACHED && x->lines <= most
                && x->places <= most;
    x->n = all;
    CAIRN_CHECK(x->listed || (all <= most && all <= MOST), t->env, CAIRN_NO_KERNEL,
                "query: too many groups to number them all");
    return CAIRN_OK;
}

/* ---- phases ---- */

cairn_convert_spec cairn_group_counter_spec(const cairn_group_counter *t,
                                            const cairn_origin        *origin,
                                            cairn_convert_phase        phase)
{
    return (cairn_convert_spec){
        .phase       = phase,
        .source      = origin->from ? CAIRN_CONVERT_PART : CAIRN_CONVERT_ENTRIES,
        .order       = t->algebra->order,
        .from        = cairn_origin_layout(origin),
        .members.one = phase == CAIRN_CONVERT_TALLY && origin->filter.member,
        .tally       = {.query = &t->query, .listed = t->index.listed},
    };
}

cairn_convert_args cairn_group_counter_args(const cairn_group_counter *t)
{
    cairn_convert_args args = {.group_low = t->low, .group_size = t->size};

    cairn_line_index_args(&t->index, &t->ranges, &args);
    return args;
}

cairn_status cairn_group_counter_load(cairn_group_counter *t,
                                      const cairn_build   *build,
                                      const cairn_origin  *origin,
                                      cairn_convert_phase  kind,
                                      cairn_phase         *phase)
{
    const cairn_convert_spec spec = cairn_group_counter_spec(t, origin, kind);

    CAIRN_TRY(cairn_phase_load(t->env, build->loader, &spec,
                               cairn_build_worth(t->env, build) != CAIRN_BUILD_COMPILED,
                               phase));
    if (phase->kernel.route > t->route) t->route = phase->kernel.route;
    return CAIRN_OK;
}

/* ---- counting ---- */

static cairn_lines lines_of(const cairn_group_counter *t)
{
    cairn_lines lines = {.algebra = t->algebra, .forms = t->forms - 1};

    for (int f = 0; f < lines.forms; f++)
        lines.form[f] = &t->form[f];
    return lines;
}

static cairn_status count(cairn_group_counter *t,
                          const cairn_build   *build,
                          const cairn_origin  *origin,
                          const cairn_phase   *phase)
{
    const cairn_lines lines   = lines_of(t);
    const int64_t     each    = t->index.listed ? t->index.places : t->index.n;
    const int64_t     most    = 1 + 4 * cairn_origin_entries(origin) / (each + 1);
    const int64_t     threads = build->loader->threads;

    CAIRN_TRY(cairn_thread_ranges_divide(
        t->env, origin, t->index.listed ? &lines : NULL,
        threads < most ? threads : most, CAIRN_RANGES_WORTH, &t->ranges));
    CAIRN_TRY(cairn_line_index_create(t->env, &t->ranges,
                                      cairn_origin_positions(origin), true, &t->index));
    cairn_convert_args args = cairn_group_counter_args(t);

    CAIRN_TRY(cairn_thread_ranges_run(t->env, &t->ranges, origin, phase, NULL, &args));
    cairn_line_index_join(&t->ranges, &t->index);
    return CAIRN_OK;
}

/// The functions that count and that assign are compiled at the same time.
static void
get_both(cairn_group_counter *t, const cairn_build *build, const cairn_origin *origin)
{
    const cairn_convert_spec spec[] = {
        cairn_group_counter_spec(t, origin, CAIRN_CONVERT_TALLY),
        cairn_group_counter_spec(t, origin, CAIRN_CONVERT_DEAL)};

    if (cairn_build_worth(t->env, build) == CAIRN_BUILD_COMPILED)
        cairn_phases_ahead(t->env, build->loader, spec, 2);
}

/// The functions of a build that is only planned.
static cairn_status request(cairn_group_counter *t,
                            const cairn_build   *build,
                            const cairn_origin  *origin,
                            bool                 assigns)
{
    cairn_convert_spec spec = cairn_group_counter_spec(t, origin, CAIRN_CONVERT_TALLY);

    CAIRN_TRY(cairn_phase_request(t->env, build->loader, &spec));
    if (!assigns) return CAIRN_OK;
    spec = cairn_group_counter_spec(t, origin, CAIRN_CONVERT_DEAL);
    return cairn_phase_request(t->env, build->loader, &spec);
}

cairn_status cairn_group_counter_run(cairn_env           *env,
                                     const cairn_build   *build,
                                     const cairn_origin  *origin,
                                     const cairn_query   *query,
                                     bool                 assigns,
                                     cairn_group_counter *t)
{
    cairn_phase phase = {.loader = NULL};

    *t = (cairn_group_counter){
        .env = env, .query = *query, .route = CAIRN_ROUTE_PREBUILT};
    CAIRN_CHECK(is_countable(query, all_entries(build, origin)) && is_trusted(origin)
                    && cairn_origin_fits(origin),
                env, CAIRN_NO_KERNEL, "query: not one that a compiled phase counts");
    CAIRN_TRY(CAIRN_NEW(env, 1, &t->algebra));
    cairn_algebra_init(t->algebra, env, build->shape.order);
    CAIRN_TRY(find_order(t, origin));
    CAIRN_TRY(read_forms(t, origin->box));
    CAIRN_TRY(number_groups(t, origin));
    if (build->planned) return request(t, build, origin, assigns);
    if (assigns) get_both(t, build, origin);
    CAIRN_TRY(cairn_group_counter_load(t, build, origin, CAIRN_CONVERT_TALLY, &phase));

    const cairn_status status = count(t, build, origin, &phase);

    cairn_phase_release(&phase);
    return status;
}

void cairn_group_counter_fini(cairn_group_counter *t)
{
    cairn_thread_ranges_fini(t->env, &t->ranges);
    cairn_line_index_fini(t->env, &t->index);
    cairn_free(t->env, t->algebra);
    *t = (cairn_group_counter){.env = t->env};
}

/* ---- groups that were counted ---- */

bool cairn_sum_counts_each(const cairn_query *sum)
{
    for (int k = 0; k < sum->cases; k++) {
        const cairn_case *when = &sum->when[k];

        if (when->constant == 0 && when->relation == CAIRN_REL_EQ) continue;
        if (when->start.kind != CAIRN_START_CONST || when->start.value <= 0)
            return false;
        if (when->constant == 0 && when->relation == CAIRN_REL_NE) return true;
    }
    return sum->otherwise.kind == CAIRN_START_CONST && sum->otherwise.value > 0;
}

cairn_group_walk cairn_group_walk_begin(const cairn_group_counter *t)
{
    return (cairn_group_walk){
        .counter = t, .each = cairn_sum_counts_each(&t->query), .line = -1};
}

bool cairn_group_walk_enter(cairn_group_walk *w)
{
    const cairn_group_counter *t    = w->counter;
    const int                  last = t->forms - 1;

    if (++w->line >= t->index.lines) return false;
    for (int k = 0; k < 2; k++) {
        int64_t left = w->line;

        w->first[k] = 0;
        w->by[k]    = last >= 0 ? w->step[k][last] : 0;
        for (int f = last - 1; f >= 0; f--) {
            w->first[k] += left % t->size[f] * w->step[k][f];
            left /= t->size[f];
        }
    }
    w->begin = cairn_line_index_begin(&t->index, w->line);
    w->end   = cairn_line_index_begin(&t->index, w->line + 1);
    w->q     = w->begin - 1;
    return true;
}
