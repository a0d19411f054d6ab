// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which orders lie between a source and what it becomes.

#include "convert/card.h"
#include "convert/compiled.h"
#include "convert/intermediates/intermediates.h"
#include "convert/intermediates/intermediates_order.h"
#include "convert/kept.h"
#include "convert/numbers/compiled_blocks.h"
#include "convert/numbers/group_counter.h"
#include "format/language.h"
#include "groups/decompose.h"

enum {
    GROUPS_EACH = 4,       ///< Groups that an intermediate may have for each entry,
    GROUPS_FREE = 1 << 20, ///< and as many more.
};

typedef struct {
    cairn_env                *env;
    const cairn_build        *build;
    const cairn_member_build *m;
    int                       order;
    cairn_layout             *to[CAIRN_MAX_MEMBERS];
    cairn_query               assigns; ///< A hybrid assigns its entries by it.
    cairn_source_facts        at;      ///< What the next intermediate starts from.
    cairn_intermediates      *way;
} search;

/* ---- members that need another order ---- */

static cairn_status
find_facts(const search *s, const cairn_layout *to, cairn_facts *facts)
{
    cairn_interval range[CAIRN_MAX_LEVELS];

    for (int l = 0; l < to->levels; l++)
        range[l] = to->level[l].range;
    return cairn_facts_find(s->env, s->build->format, &s->at, to, range, facts);
}

static cairn_status comes_by_rows(const search *s, bool *rows)
{
    *rows = s->at.layout == NULL;
    if (*rows || !s->at.one_part) return CAIRN_OK;
    return cairn_convert_by_rows(s->env, s->at.layout, rows);
}

/// Would a member have to sort, or to read coordinates?
static cairn_status needs_order(const search *s, int k, bool *needs)
{
    const cairn_member_build *m = &s->m[k];
    cairn_facts               facts;

    if (m->encoding->queries == 0) {
        CAIRN_TRY(find_facts(s, s->to[k], &facts));
        *needs = !cairn_facts_ordered(s->to[k], &facts);
        return CAIRN_OK;
    }
    if (m->blocks && !cairn_blocks_of_entries(m->blocks))
        CAIRN_TRY(cairn_group_counter_comes_by_lines(s->env, s->at.layout,
                                                     &m->blocks->query, needs));
    else
        CAIRN_TRY(comes_by_rows(s, needs));
    *needs = !*needs;
    return CAIRN_OK;
}

/// How many do; @p rows: some of them need the order of the dimensions, and @p first is
/// the first of the others.
static cairn_status count_needy(const search *s, int *needy, bool *rows, int *first)
{
    bool needs = false;

    *needy = 0;
    *first = -1;
    *rows  = false;
    if (s->build->format->hybrid) {
        CAIRN_TRY(cairn_group_counter_comes_by_lines(s->env, s->at.layout, &s->assigns,
                                                     &needs));
        *needy += !needs;
        *rows = !needs;
    }
    for (int k = 0; k < s->build->format->members; k++) {
        CAIRN_TRY(needs_order(s, k, &needs));
        *needy += needs;
        *rows = *rows || (needs && s->m[k].encoding->queries > 0);
        if (needs && *first < 0 && s->m[k].encoding->queries == 0) *first = k;
    }
    return CAIRN_OK;
}

/* ---- intermediates ---- */

/// Does what is there become an intermediate without being sorted?
static cairn_status is_reached(const search *s, const cairn_layout *to, bool *reached)
{
    cairn_facts facts;

    CAIRN_TRY(find_facts(s, to, &facts));
    *reached = facts.groups <= GROUPS_EACH * facts.entries + GROUPS_FREE;
    if (s->build->bucketed && s->way->count == 0) {
        *reached = *reached && cairn_buckets_fit(s->build->bucketed, to, &facts);
        return CAIRN_OK;
    }
    *reached =
        *reached && (cairn_facts_append(to, &facts) || cairn_facts_scatter(to, &facts));
    return CAIRN_OK;
}

void cairn_intermediate_fini(cairn_env *env, cairn_intermediate *intermediate)
{
    cairn_layout_destroy(env, &intermediate->layout);
    cairn_format_destroy(&intermediate->format);
}

/// Add an intermediate, if it can be reached; then the next starts there. @p heads, @p
/// count: as cairn_dims_format() has them.
static cairn_status add_intermediate(search             *s,
                                     const cairn_dims   *d,
                                     const cairn_layout *heads,
                                     int                 count,
                                     bool               *added)
{
    const cairn_build *build = s->build;
    const int          bits  = build->from ? build->from->value_bits : 64;
    cairn_intermediate next  = {NULL, NULL};
    cairn_status       status =
        cairn_dims_format(s->env, d, s->order, heads, count, &next.format);

    *added = false;
    if (status == CAIRN_OK)
        status =
            cairn_layout_create(s->env, next.format->member[0], build->shape.extent,
                                build->box, NULL, bits, &next.layout);
    if (status == CAIRN_OK) status = is_reached(s, next.layout, added);
    if (status != CAIRN_OK || !*added) {
        cairn_intermediate_fini(s->env, &next);
        return status;
    }
    s->way->intermediate[s->way->count++] = next;
    s->at.layout                          = next.layout;
    s->at.one_part                        = true;
    return CAIRN_OK;
}

/// Move one dimension after the other until there are fewer in need than @p before.
static cairn_status
move_dimensions(search *s, cairn_dims d, const cairn_dims *wanted, int before)
{
    int  moves = cairn_dims_moves(&d, wanted, s->order), needy = before, first;
    bool added, rows;

    if (moves == 0) moves = 1; /* the levels are in order, what they stand for is not */
    while (needy >= before && moves-- > 0) {
        cairn_dims_move_to_front(&d, wanted->dim[moves]);
        CAIRN_TRY(add_intermediate(s, &d, NULL, 0, &added));
        if (!added) return CAIRN_OK;
        CAIRN_TRY(count_needy(s, &needy, &rows, &first));
    }
    return CAIRN_OK;
}

static void drop_stations(search *s, int keep)
{
    while (s->way->count > keep)
        cairn_intermediate_fini(s->env, &s->way->intermediate[--s->way->count]);
}

/// Do most entries have a node of their own, in groups that would have to find out which
/// they have? Then they are far apart, too.
static cairn_status is_sparse(const search *s, const cairn_layout *to, bool *sparse)
{
    cairn_facts facts;
    double      each;

    *sparse = false;
    CAIRN_TRY(find_facts(s, to, &facts));
    if (s->build->bucketed || cairn_facts_append(to, &facts)
        || cairn_facts_scatter(to, &facts) || !cairn_facts_list(to, &facts))
        return CAIRN_OK;
    if (s->build->planned) {
        *sparse = s->build->planned->apart;
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_sample_nodes(s->env, s->build->from, s->build->entries, to, &each));
    *sparse = each > 0.5;
    return CAIRN_OK;
}

/// Instead of the intermediates there are, one whose groups are those that the target has
/// complete levels for, below which all comes as it does at the source: where that is the
/// target's order, too, its nodes are appended from there.
static cairn_status gather_groups(search                   *s,
                                  const cairn_source_facts *source,
                                  const cairn_dims         *here,
                                  const cairn_layout       *to)
{
    const cairn_source_facts plain = s->at;
    cairn_intermediates      moves = *s->way;
    cairn_facts              facts;
    bool                     added  = false;
    cairn_status             status = CAIRN_OK;

    if (to->first < 1 || to->first + s->order > CAIRN_MAX_LEVELS) return CAIRN_OK;
    s->way->count = 0;
    s->at         = *source;
    status        = add_intermediate(s, here, to, to->first, &added);
    if (status == CAIRN_OK && added) status = find_facts(s, to, &facts);
    if (status == CAIRN_OK && added && cairn_facts_append(to, &facts)) {
        cairn_intermediates_fini(s->env, &moves);
        return CAIRN_OK;
    }
    drop_stations(s, 0);
    *s->way = moves;
    s->at   = plain;
    return status;
}

/// Stations towards what the first in need wants, if they help.
static cairn_status find_moves(search *s)
{
    const int                intermediates = s->way->count;
    const cairn_source_facts source        = s->at;
    cairn_dims               here          = cairn_dims_natural(s->order), wanted;
    int                      before, needy, first, none;
    bool                     rows, sparse;

    CAIRN_TRY(count_needy(s, &before, &rows, &first));
    if (before == 0) return CAIRN_OK;
    wanted = rows ? here : cairn_dims_of(s->to[first], s->to[first]->last + 1);
    if (s->at.layout) here = cairn_dims_of(s->at.layout, s->at.layout->levels);
    CAIRN_TRY(move_dimensions(s, here, &wanted, before));
    CAIRN_TRY(count_needy(s, &needy, &rows, &none));
    if (needy >= before) {
        drop_stations(s, intermediates);
        return CAIRN_OK;
    }
    if (s->build->format->hybrid || first < 0) return CAIRN_OK;
    CAIRN_TRY(is_sparse(s, s->to[first], &sparse));
    return sparse ? gather_groups(s, &source, &here, s->to[first]) : CAIRN_OK;
}

static cairn_status find_stations(search *s)
{
    const cairn_dims rows  = cairn_dims_natural(s->order);
    bool             added = true;

    if (s->build->bucketed) CAIRN_TRY(add_intermediate(s, &rows, NULL, 0, &added));
    return added ? find_moves(s) : CAIRN_OK;
}

/* ---- all ---- */

/// The target's layouts, as far as they are known before queries have run.
static cairn_status create_layouts(search *s)
{
    const cairn_build *build = s->build;

    for (int k = 0; k < build->format->members; k++)
        CAIRN_TRY(cairn_kept_layout(s->env, build, s->m[k].encoding, NULL, &s->to[k]));
    if (!build->format->hybrid) return CAIRN_OK;
    return cairn_decompose_query(s->env, build->format, &build->shape, &s->assigns);
}

/// Buckets that are filled from as they are.
static cairn_status goes_straight(const search *s, bool *straight)
{
    cairn_facts facts;

    *straight = false;
    if (!s->build->bucketed || s->build->format->hybrid
        || s->m[0].encoding->queries > 0)
        return CAIRN_OK;
    CAIRN_TRY(find_facts(s, s->to[0], &facts));
    *straight = cairn_buckets_fit(s->build->bucketed, s->to[0], &facts);
    return CAIRN_OK;
}

static bool may_be_worth(const search *s)
{
    const cairn_build *build = s->build;

    if (build->duty == CAIRN_BUILD_STRICT || !build->loader || s->order < 2
        || s->at.entries == 0 || !s->at.trusted
        || (build->from && build->from->format->hybrid)
        || cairn_card_is_asked_for(build))
        return false;
    return cairn_build_worth(s->env, build) == CAIRN_BUILD_COMPILED;
}

static cairn_source_facts source_of(const cairn_build *build)
{
    const cairn_origin origin = {.entries = build->entries, .from = build->from};

    return cairn_source_facts_of(&origin);
}

cairn_status cairn_intermediates_find(cairn_env                *env,
                                      const cairn_build        *build,
                                      const cairn_member_build *members,
                                      cairn_intermediates      *way)
{
    search              s        = {.env   = env,
                                    .build = build,
                                    .m     = members,
                                    .order = build->shape.order,
                                    .at    = source_of(build),
                                    .way   = way};
    const cairn_layout *source   = s.at.layout;
    bool                straight = true;
    cairn_status        status;

    way->count = 0;
    if (!may_be_worth(&s)) return CAIRN_OK;
    status = create_layouts(&s);
    if (status == CAIRN_OK) status = goes_straight(&s, &straight);
    if (status == CAIRN_OK && !straight) status = find_stations(&s);
    for (int k = 0; k < build->format->members; k++)
        cairn_layout_destroy(env, &s.to[k]);
    if (status != CAIRN_OK
        || !cairn_intermediates_pays(build, source, s.at.entries, way))
        drop_stations(&s, 0);
    return status;
}
