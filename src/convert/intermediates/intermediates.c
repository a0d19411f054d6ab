// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What going by way of other orders costs, and how: one intermediate is built from the other.

#include "convert/intermediates/intermediates.h"

#include "rules/path.h"

#include <string.h>

enum {
    BUCKETS = 1 << 20, ///< Entries from which groups may be far apart.
};

/* ---- what it costs ---- */

static __int128 groups_of(const cairn_layout *intermediate)
{
    __int128 groups = 1;

    for (int l = 0; l < intermediate->first; l++)
        groups *= intermediate->level[l].size;
    return groups;
}

bool cairn_intermediates_pays(const cairn_build         *build,
                              const cairn_layout        *source,
                              cairn_pos                  n,
                              const cairn_intermediates *way)
{
    const int     order   = build->shape.order;
    const int64_t buckets = n >= BUCKETS ? 48 : 0;
    int64_t  from = cairn_pass_entry_bytes(source, order), sort = from + 192, each = 0;
    __int128 groups = 0;

    if (build->bucketed) return true;
    for (int k = 0; k < way->count; k++) {
        const cairn_layout *to  = way->intermediate[k].layout;
        const int64_t       its = cairn_pass_entry_bytes(to, order);

        each += 2 * (from + its) + buckets;
        groups += groups_of(to);
        from = its;
    }
    return (each + 2 * from) * (__int128)n + 32 * groups < sort * (__int128)n;
}

/* ---- going there ---- */

/// The next intermediate, from the one before; NULL: from the source.
static cairn_status go_on(cairn_env                *env,
                          const cairn_build        *build,
                          const cairn_intermediate *intermediate,
                          cairn_intermediates      *way,
                          cairn_local             **next)
{
    const cairn_local *before = way->last;
    cairn_path        *path   = NULL;
    cairn_route        route  = CAIRN_ROUTE_PREBUILT;
    cairn_build        b      = {.format          = intermediate->format,
                                 .shape           = build->shape,
                                 .entries         = before ? NULL : build->entries,
                                 .from            = before ? before : build->from,
                                 .bucketed        = before ? NULL : build->bucketed,
                                 .rank            = build->rank,
                                 .ranks           = build->ranks,
                                 .value_bits      = intermediate->layout->values.bits,
                                 .held            = build->held,
                                 .loader          = build->loader,
                                 .report.route    = &route,
                                 .report.executed = &path,
                                 .duty            = CAIRN_BUILD_STRICT};

    memcpy(b.box, build->box, sizeof b.box);
    if (before) b.held += before->group[0].bytes;
    CAIRN_TRY(cairn_local_build(env, &b, next));
    if (route > way->route) way->route = route;

    const cairn_status status = cairn_pass_list_append(
        &way->program, &path->program, (int)(intermediate - way->intermediate) + 1);

    cairn_path_destroy(&path);
    if (status != CAIRN_OK) cairn_local_destroy(next);
    return status;
}

static cairn_status
make_all(cairn_env *env, const cairn_build *build, cairn_intermediates *way)
{
    for (int k = 0; k < way->count; k++) {
        cairn_local       *next = NULL;
        const cairn_status status =
            go_on(env, build, &way->intermediate[k], way, &next);

        cairn_local_destroy(&way->last);
        CAIRN_TRY(status);
        way->last = next;
    }
    return CAIRN_OK;
}

/* What fails here need not be reported: the build goes on without another order. */
void cairn_intermediates_go(cairn_env                *env,
                            const cairn_build        *build,
                            const cairn_member_build *members,
                            cairn_intermediates      *way)
{
    const double begin = cairn_seconds();

    way->route = CAIRN_ROUTE_PREBUILT;
    cairn_pass_list_init(&way->program, env);
    if (cairn_intermediates_find(env, build, members, way) != CAIRN_OK
        || make_all(env, build, way) != CAIRN_OK || !way->last)
        return;
    way->onward          = *build;
    way->onward.from     = way->last;
    way->onward.entries  = NULL;
    way->onward.bucketed = NULL;
    way->onward.held += way->last->group[0].bytes;
    cairn_build_note(build, "order", -1, true, begin);
}

void cairn_intermediates_fini(cairn_env *env, cairn_intermediates *way)
{
    cairn_local_destroy(&way->last);
    if (way->program.env) cairn_pass_list_fini(&way->program);
    while (way->count > 0)
        cairn_intermediate_fini(env, &way->intermediate[--way->count]);
}
