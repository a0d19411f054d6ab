// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cuts through coordinates, or through the outermost loop over a part.

#include "phases/thread_ranges.h"

#include "base/offsets.h"
#include "share/share.h"

#include <assert.h>

/// The level of the outermost loop over a part; -1: there is none.
static int outermost(const cairn_layout *layout)
{
    for (int l = layout->partition + 1; l < layout->levels; l++) {
        const cairn_level *level = &layout->level[l];

        if (level->trimmed ? level->top : !level->determined.on) return l;
    }
    return -1;
}

/// By the ptr of the next trimmed level, if nothing but complete levels lie between.
static cairn_share division_of(const cairn_layout *layout, int level)
{
    const int S = level < layout->first ? layout->first : level + 1;

    if (S <= layout->last && layout->level[S].arrays.has_ptr)
        return (cairn_share){
            .kind = CAIRN_SHARE_PTR, .level = level, .ptr = S, .grain = 1};
    return (cairn_share){.kind = CAIRN_SHARE_EVEN, .level = level, .grain = 1};
}

/* ---- whole lines ---- */

/// The dimension that the outermost loop over the source runs along, position by
/// position; -1: it does not.
static int run_along(const cairn_origin *origin, int level)
{
    const cairn_layout *from = cairn_origin_layout(origin);

    if (from->level[level].trimmed) return -1;
    return cairn_form_dimension(&from->level[level].form, from->order);
}

/// Do the dimensions in @p dims identify lines?
static bool lines_follow(const cairn_lines *lines, uint32_t dims)
{
    for (int f = 0; f < lines->forms; f++)
        if ((cairn_form_dims(lines->algebra, lines->form[f]) & ~dims)
            || cairn_form_queries(lines->algebra, lines->form[f]))
            return false;
    return (lines->dims & ~dims) == 0;
}

/// Coordinates at turn @p k, those that lines_follow() needs.
static void
coordinates(const cairn_origin *origin, int dim, cairn_pos k, cairn_coord *d)
{
    if (origin->from) {
        d[dim] = cairn_origin_layout(origin)->box[dim].lo + k;
        return;
    }
    for (int j = 0; j < origin->entries->order; j++)
        d[j] = origin->entries->coord[j][k];
}

/// Turns k-1 and k are of one line.
static bool
is_one_line(const cairn_origin *origin, const cairn_lines *lines, int dim, cairn_pos k)
{
    cairn_coord before[CAIRN_MAX_ORDER] = {0}, here[CAIRN_MAX_ORDER] = {0};

    coordinates(origin, dim, k - 1, before);
    coordinates(origin, dim, k, here);
    for (int f = 0; f < lines->forms; f++)
        if (cairn_form_value(lines->algebra, lines->form[f], before, NULL)
            != cairn_form_value(lines->algebra, lines->form[f], here, NULL))
            return false;
    return true;
}

/// Move the cuts up to where lines begin, and drop those that meet.
static void cut_lines(cairn_thread_ranges *s,
                      const cairn_origin  *origin,
                      const cairn_lines   *lines,
                      int                  dim)
{
    const int64_t end    = s->cut[s->n];
    int64_t       ranges = 0;

    for (int64_t t = 1; t <= s->n; t++) {
        int64_t at = s->cut[t];

        while (at > 0 && at < end && is_one_line(origin, lines, dim, at))
            at++;
        if (at > s->cut[ranges]) s->cut[++ranges] = at;
    }
    s->n = ranges > 0 ? ranges : 1;
}

/* ---- all ---- */

static void one_share(cairn_thread_ranges *s, const cairn_origin *origin)
{
    const cairn_part *part = cairn_origin_part(origin, 0);

    s->n      = 1;
    s->cut[0] = s->cut[1] = 0;
    if (!origin->from)
        s->cut[1] = origin->entries->n;
    else if (part && part->view.values > 0) /* there may be none (no banks) */
        s->cut[1] = cairn_convert_turns(part->layout, &part->view);
    s->offset[0] = 0;
}

static void divide_entries(cairn_thread_ranges *s,
                           const cairn_origin  *origin,
                           const cairn_lines   *lines,
                           int                  threads)
{
    const cairn_pos n = origin->entries->n;

    if (lines && !lines_follow(lines, UINT32_MAX)) return;
    for (int t = 0; t <= threads; t++)
        s->cut[t] = (int64_t)((__int128)n * t / threads);
    s->n = threads;
    if (lines) cut_lines(s, origin, lines, 0);
    for (int64_t t = 0; t < s->n; t++)
        s->offset[t] = s->cut[t];
}

/// Values of a part before position @p k of the level that is divided: each of them may
/// begin a node, whatever nodes they lie in.
static int64_t
values_before(const cairn_part *part, const cairn_share *division, int64_t k)
{
    const cairn_layout *layout = part->layout;

    for (int l = division->level + 1; l < layout->levels; l++) {
        const cairn_kernel_level *level = &part->view.level[l];

        if (layout->level[l].trimmed) {
            if (level->ptr_bits)
                k = cairn_load_int(level->ptr, k, level->ptr_bits / 8, level->ptr_bits,
                                   false);
        } else if (!layout->level[l].determined.on) {
            k *= level->size;
        }
    }
    return k;
}

static void divide_part(cairn_thread_ranges *s,
                        const cairn_origin  *origin,
                        const cairn_lines   *lines,
                        int                  threads)
{
    const cairn_part *part  = cairn_origin_part(origin, 0);
    const int         level = outermost(part->layout);

    if (level < 0) return;
    const cairn_share division = division_of(part->layout, level);
    const int         dim      = run_along(origin, level);

    if (lines
        && (division.kind != CAIRN_SHARE_PTR || dim < 0
            || !lines_follow(lines, 1U << dim)
            || part->view.values > UINT32_MAX)) /* offsets have 32 bits */
        return;
    s->n = cairn_share_fill(&division, &part->view, 0, threads, s->cut);
    if (!lines) return;
    cut_lines(s, origin, lines, dim);

    for (int64_t t = 0; t < s->n; t++)
        s->offset[t] = values_before(part, &division, s->cut[t]);
}

cairn_status cairn_thread_ranges_divide(cairn_env           *env,
                                        const cairn_origin  *origin,
                                        const cairn_lines   *lines,
                                        int64_t              threads,
                                        cairn_pos            worth,
                                        cairn_thread_ranges *s)
{
    const cairn_group *group   = cairn_origin_group(origin);
    const cairn_pos    entries = cairn_origin_entries(origin);

    assert(s->n == 0 && !s->cut);
    if (entries < worth || (group && group->count != 1) || threads < 1) threads = 1;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, threads + 1, &s->cut));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, threads, &s->offset));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, threads * CAIRN_CONVERT_FACTS, &s->found));
    one_share(s, origin);
    if (threads == 1) return CAIRN_OK;
    if (group)
        divide_part(s, origin, lines, (int)threads);
    else
        divide_entries(s, origin, lines, (int)threads);
    s->few = s->n > 1 && entries < CAIRN_RANGES_WORTH;
    assert(s->n >= 1 && s->n <= threads);
    assert(cairn_begins_ascend(s->n, s->cut, s->cut[s->n]));
    return CAIRN_OK;
}

void cairn_thread_ranges_fini(cairn_env *env, cairn_thread_ranges *s)
{
    cairn_free(env, s->cut);
    cairn_free(env, s->offset);
    cairn_free(env, s->found);
    *s = (cairn_thread_ranges){.n = 0};
}

/* ---- running ---- */

void cairn_thread_ranges_each(cairn_env                 *env,
                              const cairn_thread_ranges *s,
                              void (*task)(void *user, int range),
                              void *user)
{
    const int ranges = (int)s->n;

    if (s->few) {
        cairn_thread_team_do(&env->thread_team, ranges, task, user, ranges);
        return;
    }
#pragma omp parallel for schedule(static, 1) num_threads(ranges) if (ranges > 1)
    for (int t = 0; t < ranges; t++)
        task(user, t);
}

cairn_status cairn_thread_ranges_run(cairn_env                 *env,
                                     const cairn_thread_ranges *s,
                                     const cairn_origin        *origin,
                                     const cairn_phase         *phase,
                                     cairn_kernel_part         *to,
                                     cairn_convert_args        *args)
{
    const cairn_group *group   = cairn_origin_group(origin);
    const bool         several = group && group->count > 1 && args->facts;
    int64_t            outer[CAIRN_MAX_LEVELS], most[CAIRN_CONVERT_FACTS];

    assert(s->n > 0);
    assert(s->n == 1 || !group || group->count == 1); /* one part is divided */
    for (int64_t k = 0; k < (group ? group->count : 1); k++) {
        cairn_origin_args(origin, k, outer, args);
        int64_t whole[2] = {args->begin, args->end};

        args->share  = s->n > 1 ? s->cut : whole;
        args->shares = s->n > 1 ? s->n : 1;
        CAIRN_TRY(cairn_phase_run(env, phase, cairn_origin_view(origin, k), to, args));
        for (int f = 0; f < CAIRN_CONVERT_FACTS && several; f++) {
            if (k == 0 || args->facts[f] > most[f]) most[f] = args->facts[f];
            args->facts[f] = most[f];
        }
    }
    return CAIRN_OK;
}
