// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cuts through coordinates, or through the outermost loop over a part.

#include "convert/compiled_shares.h"

#include "lower/share.h"

enum {
    WORTH = 200000, ///< Entries from which threads pay (measured).
};

static const cairn_part *part_of(const cairn_compiled *c)
{
    const cairn_local *from = c->origin.from;

    return &from->part[from->group[c->origin.member].first];
}

/// The level of the outermost loop over a part; -1: there is none.
static int outermost(const cairn_layout *layout)
{
    for (int l = layout->partition + 1; l < layout->levels; l++) {
        const cairn_level *level = &layout->level[l];

        if (level->trimmed ? level->top : !level->determined) return l;
    }
    return -1;
}

/// By the ptr of the next trimmed level, if nothing but complete levels lie between.
static cairn_share division_of(const cairn_layout *layout, int level)
{
    const int S = level < layout->first ? layout->first : level + 1;

    if (S <= layout->last && layout->level[S].has_ptr)
        return (cairn_share){
            .kind = CAIRN_SHARE_PTR, .level = level, .ptr = S, .grain = 1};
    return (cairn_share){.kind = CAIRN_SHARE_EVEN, .level = level, .grain = 1};
}

/* ---- whole groups ---- */

/// The dimension that the outermost loop over the source runs along, position by
/// position; -1: it does not.
static int run_along(const cairn_compiled *c, int level)
{
    const cairn_layout *from = part_of(c)->layout;
    const cairn_form   *form = &from->level[level].form;

    if (from->level[level].trimmed || form->terms != 1 || form->constant
        || form->term[0].factor != 1 || form->term[0].atom >= from->order)
        return -1;
    return form->term[0].atom;
}

/// Can groups be told by the dimensions in @p dims?
static bool groups_follow(const cairn_compiled *c, uint32_t dims)
{
    const cairn_layout *to = c->m->layout;

    for (int l = 0; l < to->first; l++)
        if ((cairn_form_dims(to->algebra, &to->level[l].form) & ~dims)
            || cairn_form_queries(to->algebra, &to->level[l].form))
            return false;
    return !c->m->ranked || (dims >> c->m->rank.row & 1);
}

/// Coordinates at turn @p k, those that groups_follow() needs.
static void coordinates(const cairn_compiled *c, int dim, cairn_pos k, cairn_coord *d)
{
    if (c->origin.from) {
        d[dim] = part_of(c)->layout->box[dim].lo + k;
        return;
    }
    for (int j = 0; j < c->m->layout->order; j++)
        d[j] = c->origin.entries->coord[j][k];
}

/// Turns k-1 and k are of one group (or row).
static bool is_one_group(const cairn_compiled *c, int dim, cairn_pos k)
{
    const cairn_layout *to                      = c->m->layout;
    cairn_coord         before[CAIRN_MAX_ORDER] = {0}, here[CAIRN_MAX_ORDER] = {0};

    coordinates(c, dim, k - 1, before);
    coordinates(c, dim, k, here);
    for (int l = 0; l < to->first; l++)
        if (cairn_form_value(to->algebra, &to->level[l].form, before, NULL)
            != cairn_form_value(to->algebra, &to->level[l].form, here, NULL))
            return false;
    return !c->m->ranked || to->first > 0
           || before[c->m->rank.row] == here[c->m->rank.row];
}

/// Move the cuts up to where groups begin, and drop those that meet.
static void cut_groups(cairn_compiled *c, int dim)
{
    const int64_t end    = c->share[c->shares];
    int64_t       shares = 0;

    for (int64_t t = 1; t <= c->shares; t++) {
        int64_t at = c->share[t];

        while (at > 0 && at < end && is_one_group(c, dim, at))
            at++;
        if (at > c->share[shares]) c->share[++shares] = at;
    }
    c->shares = shares > 0 ? shares : 1;
}

/* ---- all ---- */

static void one_share(cairn_compiled *c)
{
    c->shares   = 1;
    c->share[0] = 0;
    c->share[1] = c->origin.from
                      ? cairn_convert_turns(part_of(c)->layout, &part_of(c)->view)
                      : c->origin.entries->n;
    if (c->origin.from && part_of(c)->view.values == 0) c->share[1] = 0;
    c->offset[0] = 0;
}

static void divide_entries(cairn_compiled *c, bool groups, int threads)
{
    const cairn_pos n = c->origin.entries->n;

    if (groups && !groups_follow(c, UINT32_MAX)) return;
    for (int t = 0; t <= threads; t++)
        c->share[t] = (int64_t)((__int128)n * t / threads);
    c->shares = threads;
    if (groups) cut_groups(c, 0);
    for (int64_t t = 0; t < c->shares; t++)
        c->offset[t] = c->share[t];
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
        } else if (!layout->level[l].determined) {
            k *= level->size;
        }
    }
    return k;
}

static void divide_part(cairn_compiled *c, bool groups, int threads)
{
    const cairn_part *part  = part_of(c);
    const int         level = outermost(part->layout);

    if (level < 0) return;
    const cairn_share division = division_of(part->layout, level);
    const int         dim      = run_along(c, level);

    if (groups
        && (division.kind != CAIRN_SHARE_PTR || dim < 0 || !groups_follow(c, 1U << dim)
            || part->view.values > UINT32_MAX)) /* offsets have 32 bits */
        return;
    c->shares = cairn_share_fill(&division, &part->view, 0, threads, c->share);
    if (!groups) return;
    cut_groups(c, dim);

    for (int64_t t = 0; t < c->shares; t++)
        c->offset[t] = values_before(part, &division, c->share[t]);
}

cairn_status cairn_compiled_divide(cairn_compiled *c, bool groups, int64_t most)
{
    const cairn_local *from    = c->origin.from;
    int                threads = c->build->loader->threads;

    if (threads > most) threads = (int)most;
    if (c->facts.entries < WORTH || (from && from->group[c->origin.member].count != 1))
        threads = 1;
    if (threads < 1) threads = 1;
    CAIRN_TRY(CAIRN_NEW_ZERO(c->m->env, threads + 1, &c->share));
    CAIRN_TRY(CAIRN_NEW_ZERO(c->m->env, threads, &c->offset));
    CAIRN_TRY(
        CAIRN_NEW_ZERO(c->m->env, (int64_t)threads * CAIRN_CONVERT_FACTS, &c->found));
    one_share(c);
    if (threads == 1) return CAIRN_OK;
    if (from)
        divide_part(c, groups, threads);
    else
        divide_entries(c, groups, threads);
    return CAIRN_OK;
}
