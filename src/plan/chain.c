// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which plans can be chained on their device, and how.

#include "plan/chain.h"

#include "plan/seats.h"

#include <string.h>

/// The only subproduct that has something to do; NULL: there are several, or none.
static cairn_subproduct *only_one(cairn_replay *replay)
{
    cairn_subproduct *only = NULL;

    for (int p = 0; p < replay->subproducts; p++) {
        if (cairn_subproduct_is_idle(&replay->subproduct[p])) continue;
        if (only) return NULL;
        only = &replay->subproduct[p];
    }
    return only;
}

/// Does it make all of Y, as the next product reads it, where it sits?
static bool can_chain(const cairn_replay *replay, const cairn_subproduct *subproduct)
{
    const bool apart = subproduct->own.wanted || subproduct->stored.local
                       || subproduct->kernel.launch.wide;

    return replay->common.comm->size == 1 && !replay->sums.cuts && !apart
           && cairn_subproduct_sets(subproduct) && subproduct->seat.among
           && cairn_plan_seat_chains(subproduct->seat.among);
}

bool cairn_replay_chain(cairn_replay *replay, int64_t n)
{
    cairn_subproduct     *subproduct = only_one(replay);
    const cairn_operands *operands   = replay->common.operands;

    if (!subproduct || cairn_replay_renew(replay) != CAIRN_OK) return false;
    cairn_plan_seats_renew(&replay->seats);
    if (!can_chain(replay, subproduct)
        || !cairn_plan_seat_chain(subproduct, n, operands->x, operands->y))
        return false;
    if (replay->trace) {
        memset(replay->time, 0, replay->tasks.graph->tasks * sizeof *replay->time);
        cairn_replay_trace(replay);
    }
    replay->runs += n;
    return true;
}
