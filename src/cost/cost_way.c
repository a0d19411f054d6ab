// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ways to run something many times: is a conversion worth it?

#include "cost/cost.h"

#include <math.h>

static double once(const cairn_cost_way *way)
{
    return way->conversion + way->moved_once;
}

static double each(const cairn_cost_way *way)
{
    return way->product + way->moved_each + way->merge;
}

double cairn_cost_total(const cairn_cost_way *way, double replays)
{
    const double total = once(way) + replays * each(way);

    return total >= 0 ? total : INFINITY; /* 0 * INFINITY is no number */
}

int cairn_cost_best(const cairn_cost_way *way,
                    int                   ways,
                    cairn_clock           clock,
                    double                replays)
{
    double least = INFINITY;
    int    best  = -1;

    for (int k = 0; k < ways; k++) {
        const double total = cairn_cost_total(&way[k], replays);

        if (way[k].clock == clock && total < least) least = total, best = k;
    }
    return best;
}

double cairn_cost_break_even(const cairn_cost_way *stay, const cairn_cost_way *other)
{
    const double more = once(other) - once(stay), less = each(stay) - each(other);

    if (stay->clock != other->clock || isinf(once(other)) || isinf(each(other)))
        return INFINITY;
    if (isinf(once(stay)) || isinf(each(stay)) || (more < 0 && less >= 0)) return 0;
    return less > 0 ? fmax(more / less, 0) : INFINITY;
}

double cairn_cost_replays(const cairn_env *env)
{
    return env->options.replays > 0 ? (double)env->options.replays : 1000;
}
