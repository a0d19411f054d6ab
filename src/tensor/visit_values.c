// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Visits of all entries: walkers, one a member.

#include "tensor/visit_values.h"

cairn_status cairn_visits_init(cairn_visits *visits, const cairn_local *local)
{
    *visits = (cairn_visits){.local = local};
    for (int g = 0; g < local->groups; g++)
        CAIRN_TRY(cairn_walker_create(local->env, local->group[g].layout,
                                      &visits->walker[g]));
    return CAIRN_OK;
}

void cairn_visits_fini(cairn_visits *visits)
{
    for (int g = 0; g < visits->local->groups; g++)
        cairn_walker_destroy(visits->local->env, &visits->walker[g]);
}

cairn_status
cairn_visits_run(const cairn_visits *visits, cairn_visit_fn visit, void *user)
{
    for (int g = 0; g < visits->local->groups; g++)
        CAIRN_TRY(cairn_walk_member(visits->walker[g], visits->local, g, visit, user));
    return CAIRN_OK;
}
