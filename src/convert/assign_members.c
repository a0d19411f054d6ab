// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Dealing out: the groups are counted, thresholds give each its member, and one pass
/// tells every entry.

#include "convert/assign_members.h"

#include "convert/group_counter.h"

#include <string.h>

enum {
    NO_MEMBER = 255,
    FEW       = 192, ///< At most 255; vectors of 64.
};

cairn_pos cairn_origin_positions(const cairn_origin *origin)
{
    const cairn_local *from = origin->from;
    cairn_pos          n    = 0;

    if (!from) return origin->entries->n;
    for (int64_t k = 0; k < from->group[origin->member].count; k++)
        n += from->part[from->group[origin->member].first + k].view.values;
    return n;
}

/* Counts of few bytes are bytes, of which a vector holds many. */
cairn_pos cairn_members_count(const uint8_t *member, cairn_pos n, int which)
{
    cairn_pos count = 0;

    for (cairn_pos begin = 0; begin < n; begin += FEW) {
        const cairn_pos end = n - begin < FEW ? n : begin + FEW;
        uint8_t         few = 0;

        for (cairn_pos k = begin; k < end; k++)
            few = (uint8_t)(few + (member[k] == (uint8_t)which));
        count += few;
    }
    return count;
}

/* A planned build has no entries, and so none that members were assigned to. */
cairn_filter cairn_members_filter(const cairn_build  *build,
                                  const cairn_origin *origin,
                                  uint8_t            *member,
                                  int                 which)
{
    static uint8_t nobody;

    if (build->planned)
        return (cairn_filter){&nobody, which,
                              cairn_origin_entries(origin) / build->planned->members,
                              NULL};
    return (cairn_filter){
        member, which,
        cairn_members_count(member, cairn_origin_positions(origin), which), NULL};
}

/// One pass: each entry's byte is that of its group.
static cairn_status tell(cairn_group_counter *t,
                         const cairn_build   *build,
                         const cairn_origin  *origin,
                         const uint8_t       *member_of,
                         uint8_t             *member)
{
    cairn_origin       all   = *origin;
    cairn_convert_args args  = cairn_group_counter_args(t);
    cairn_phase        phase = {.loader = NULL};

    all.filter.member = member;
    args.member_of    = member_of;
    memset(member, NO_MEMBER, (size_t)cairn_origin_positions(origin));
    CAIRN_TRY(cairn_group_counter_load(t, build, origin, CAIRN_CONVERT_DEAL, &phase));
    const cairn_status status =
        cairn_shares_run(t->env, &t->shares, &all, &phase, NULL, &args);

    cairn_phase_release(&phase);
    return status;
}

/// Count the groups, give each its member, and tell every entry.
static cairn_status deal(cairn_member_groups *g,
                         const cairn_build   *build,
                         const cairn_origin  *origin,
                         const cairn_query   *query,
                         uint8_t            **member)
{
    cairn_group_counter *t = &g->tally;
    cairn_status         status =
        cairn_group_counter_run(t->env, build, origin, query, true, t);

    CAIRN_TRY(cairn_build_all_compiled(build, status));
    if (build->planned) return CAIRN_OK;
    CAIRN_TRY(cairn_group_counter_join(t, build, CAIRN_OK));
    status = CAIRN_NEW(t->env, t->groups, &g->member_of);
    if (status == CAIRN_OK)
        status = CAIRN_NEW(t->env, cairn_origin_positions(origin), member);
    status =
        cairn_decompose_totals(t->env, build->format, &build->shape, &t->query,
                               build->net, status, t->groups, t->total, g->member_of);
    if (status == CAIRN_OK) status = tell(t, build, origin, g->member_of, *member);
    return cairn_build_all_compiled(build, status);
}

/// Does nothing but the groups decide?
static bool keeps_all(const cairn_format *format)
{
    for (int k = 0; k < format->members - 1; k++)
        if (format->keep[k] < 1) return false;
    return true;
}

cairn_status cairn_assign_members(cairn_env            *env,
                                  const cairn_build    *build,
                                  const cairn_origin   *origin,
                                  uint8_t             **member,
                                  cairn_member_groups **groups,
                                  cairn_route          *route,
                                  bool                 *joint)
{
    uint8_t             *made = NULL;
    cairn_query          query;
    cairn_member_groups *g = NULL;
    cairn_status         status;

    status = cairn_decompose_query(env, build->format, &build->shape, &query);
    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(env, 1, &g);
    CAIRN_GO(done, cairn_build_all_compiled(build, status));
    g->tally.env = env;
    CAIRN_GO(done, deal(g, build, origin, &query, &made));
    CAIRN_GO(done, cairn_compiled_cut(env, build, origin, made, &g->tally.route));
    *member = made;
    *route  = g->tally.route;
    *joint  = g->tally.joint;
    made    = NULL;
    if (keeps_all(build->format)) {
        *groups = g;
        return CAIRN_OK;
    }
done:
    cairn_free(env, made);
    cairn_member_groups_destroy(env, &g);
    return status;
}
