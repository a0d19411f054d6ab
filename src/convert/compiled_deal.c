// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Dealing out: the groups are counted, thresholds give each its member, and one pass
/// tells every entry.

#include "convert/compiled_deal.h"

#include "convert/compiled_tally.h"

#include <string.h>

enum { NO_MEMBER = 255 };

cairn_pos cairn_origin_positions(const cairn_origin *origin)
{
    const cairn_local *from = origin->from;
    cairn_pos          n    = 0;

    if (!from) return origin->entries->n;
    for (int64_t k = 0; k < from->group[origin->member].count; k++)
        n += from->part[from->group[origin->member].first + k].view.values;
    return n;
}

cairn_pos cairn_members_count(const uint8_t *member, cairn_pos n, int which)
{
    cairn_pos count = 0;

    for (cairn_pos k = 0; k < n; k++)
        count += member[k] == which;
    return count;
}

/// One pass: each entry's byte is that of its group.
static cairn_status tell(cairn_tally        *t,
                         const cairn_build  *build,
                         const cairn_origin *origin,
                         const uint8_t      *member_of,
                         uint8_t            *member)
{
    cairn_origin       all   = *origin;
    cairn_convert_args args  = cairn_tally_args(t);
    cairn_phase        phase = {.loader = NULL};

    all.filter.member = member;
    args.member_of    = member_of;
    memset(member, NO_MEMBER, (size_t)cairn_origin_positions(origin));
    CAIRN_TRY(cairn_tally_load(t, build, origin, CAIRN_CONVERT_DEAL, &phase));
    const cairn_status status =
        cairn_shares_run(t->env, &t->shares, &all, &phase, NULL, &args);

    cairn_phase_release(&phase);
    return status;
}

static cairn_status deal(cairn_tally        *t,
                         const cairn_build  *build,
                         const cairn_origin *origin,
                         uint8_t            *member)
{
    uint8_t     *member_of;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW(t->env, t->groups, &member_of));
    CAIRN_GO(done, cairn_decompose_totals(t->env, build->format, &build->shape,
                                          &t->query, t->groups, t->total, member_of));
    status = tell(t, build, origin, member_of, member);
done:
    cairn_free(t->env, member_of);
    return status;
}

cairn_status cairn_compiled_deal(cairn_env          *env,
                                 const cairn_build  *build,
                                 const cairn_origin *origin,
                                 uint8_t           **member,
                                 cairn_route        *route)
{
    uint8_t     *made = NULL;
    cairn_query  query;
    cairn_tally  tally = {.env = env};
    cairn_status status;

    CAIRN_TRY(cairn_decompose_query(env, build->format, &build->shape, &query));
    CAIRN_GO(done, cairn_tally_run(env, build, origin, &query, true, &tally));
    CAIRN_GO(done, CAIRN_NEW(env, cairn_origin_positions(origin), &made));
    CAIRN_GO(done, deal(&tally, build, origin, made));
    CAIRN_GO(done, cairn_compiled_cut(env, build, origin, made, &tally.route));
    *member = made;
    *route  = tally.route;
    made    = NULL;
done:
    cairn_free(env, made);
    cairn_tally_fini(&tally);
    return status;
}
