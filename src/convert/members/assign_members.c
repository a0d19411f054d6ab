// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// COUNT, EXCHANGE and ASSIGN of hybrids: the groups are counted, thresholds give each its
/// member, and one pass writes the member of every entry.

#include "convert/members/assign_members.h"

#include "convert/compiled.h"
#include "groups/decompose.h"

#include <assert.h>
#include <string.h>

enum {
    NO_MEMBER = 255,
    FEW       = 192, ///< At most 255; vectors of 64.
};

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
    static uint8_t no_members;

    if (build->planned)
        return (cairn_filter){&no_members, which,
                              cairn_origin_entries(origin) / build->planned->members,
                              NULL};
    return (cairn_filter){
        member, which,
        cairn_members_count(member, cairn_origin_positions(origin), which), NULL};
}

/* ---- passes ---- */

/// The groups of all entries.
static cairn_status count(cairn_compiled *c)
{
    const cairn_build   *build = c->build;
    cairn_member_groups *g;
    cairn_query          query;

    CAIRN_TRY(cairn_decompose_query(c->m->env, build->format, &build->shape, &query));
    assert(!c->m->source.groups);
    CAIRN_TRY(CAIRN_NEW_ZERO(c->m->env, 1, &g));
    c->m->source.groups = g;
    return cairn_group_counter_run(c->m->env, build, &c->origin, &query, true,
                                   &g->counter);
}

/// Those that cross ranks.
static cairn_status exchange(cairn_compiled *c)
{
    cairn_group_counter *t = &c->m->source.groups->counter;

    CAIRN_TRY(cairn_group_counter_join(t, c->build, CAIRN_OK));
    c->step->idle = !t->joint;
    return CAIRN_OK;
}

/// Each entry's byte is that of its group.
static cairn_status write_members(const cairn_compiled *c)
{
    const cairn_member_groups *g      = c->m->source.groups;
    cairn_group_counter       *t      = &c->m->source.groups->counter;
    cairn_origin               origin = c->origin;
    cairn_convert_args         args   = cairn_group_counter_args(t);
    cairn_phase                phase  = {.loader = NULL};

    assert(g->member_of && c->m->source.member_of); /* each group has its member */
    origin.filter.member = c->m->source.member_of;
    args.member_of       = g->member_of;
    memset(c->m->source.member_of, NO_MEMBER, (size_t)cairn_origin_positions(&origin));
    CAIRN_TRY(
        cairn_group_counter_load(t, c->build, &c->origin, CAIRN_CONVERT_DEAL, &phase));
    const cairn_status status =
        cairn_thread_ranges_run(t->env, &t->ranges, &origin, &phase, NULL, &args);

    cairn_phase_release(&phase);
    return status;
}

/// Thresholds give each group its member, and so each entry.
static cairn_status assign(cairn_compiled *c)
{
    const cairn_build   *build = c->build;
    cairn_member_groups *g     = c->m->source.groups;
    cairn_group_counter *t     = &g->counter;
    cairn_status         status;

    assert(!g->member_of && !c->m->source.member_of);
    if (build->planned) return CAIRN_OK;
    status = CAIRN_NEW(t->env, t->index.n, &g->member_of);
    if (status == CAIRN_OK)
        status = CAIRN_NEW(t->env, cairn_origin_positions(&c->origin),
                           &c->m->source.member_of);
    CAIRN_TRY(cairn_decompose_totals(t->env, build->format, &build->shape, &t->query,
                                     build->net, status, t->index.n, t->index.count,
                                     g->member_of));
    return write_members(c);
}

static const cairn_pass_work count_groups    = {.prepare = count},
                             exchange_groups = {.prepare = exchange, .together = true},
                             assign_entries  = {.prepare = assign, .together = true};

static cairn_status write_passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    w->pass.method = CAIRN_METHOD_ASSIGN;
    w->pass.member = -1;
    CAIRN_TRY(cairn_passes_count(w, CAIRN_UNIT_ENTRY, &count_groups));
    if (c->build->net) CAIRN_TRY(cairn_passes_exchange(w, &exchange_groups));
    return cairn_passes_assign(w, &assign_entries);
}

/* ---- all ---- */

/// Does nothing but the groups decide?
static bool keeps_all(const cairn_format *format)
{
    for (int k = 0; k < format->members - 1; k++)
        if (format->keep[k] < 1) return false;
    return true;
}

void cairn_assign_forget(cairn_member_build *first)
{
    cairn_free(first->env, first->source.member_of);
    first->source.member_of = NULL;
    cairn_member_groups_destroy(first->env, &first->source.groups);
    cairn_pass_list_clear(&first->passes);
}

cairn_status cairn_assign_members(cairn_member_build *first,
                                  const cairn_build  *build,
                                  const cairn_origin *origin)
{
    cairn_status status;

    status = cairn_compiled_run_early(first, build, origin, write_passes, CAIRN_OK,
                                      &first->passes);
    if (status == CAIRN_OK && first->source.groups->counter.route > first->route)
        first->route = first->source.groups->counter.route;
    if (status == CAIRN_OK) status = cairn_assign_cut(first, build, origin);
    if (status != CAIRN_OK) cairn_assign_forget(first);
    if (!keeps_all(build->format))
        cairn_member_groups_destroy(first->env, &first->source.groups);
    return status;
}
