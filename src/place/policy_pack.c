// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Packing tasks into memories.

#include "place/policy_choice.h"

#include <inttypes.h>

enum { STEPS = 20000 /* of the search: a few ms */ };

bool cairn_policy_fits(const cairn_policy_problem *problem, const int *device)
{
    int64_t left[CAIRN_MAX_DEVICES];

    for (int d = 0; d < problem->devices; d++)
        left[d] = problem->device[d].memory;
    for (int t = 0; t < problem->tasks; t++) {
        const int64_t bytes = problem->task[t].memory;
        int64_t      *of    = &left[device[t]];

        if (problem->device[device[t]].memory < 0) continue;
        if (bytes > *of) return false;
        *of -= bytes;
    }
    return true;
}

/// Sort tasks by memory, largest first, into `order`.
static void sort_by_memory(cairn_policy_net *net)
{
    const cairn_policy_task *task = net->problem->task;

    for (int t = 0; t < net->problem->tasks; t++) {
        int place = t;

        for (; place > 0; place--) {
            if (task[net->order[place - 1]].memory >= task[t].memory) break;
            net->order[place] = net->order[place - 1];
        }
        net->order[place] = t;
    }
}

/// The device of @p untried with most room for @p bytes; -1: none has enough.
static int roomiest(const cairn_policy_net *net, uint64_t untried, int64_t bytes)
{
    int best = -1;

    for (int d = 0; d < net->problem->devices; d++) {
        if (!(untried >> d & 1) || !cairn_policy_has_room(net, d, bytes)) continue;
        if (net->problem->device[d].memory < 0) return d;
        if (best < 0 || net->left[d] > net->left[best]) best = d;
    }
    return best;
}

/// What keeps the largest task without room from being placed.
static cairn_status refuse(cairn_policy_net *net, uint64_t choice, int t)
{
    const cairn_policy_problem *p    = net->problem;
    int                         most = __builtin_ctzll(choice);
    int64_t                     all  = 0;

    for (int d = 0; d < p->devices; d++)
        if ((choice >> d & 1) && p->device[d].memory > p->device[most].memory) most = d;
    for (int k = 0; k < p->tasks; k++)
        all += p->task[k].memory;
    return cairn_fail(net->env, CAIRN_NO_MEMORY,
                      "place: %s: needs %" PRId64 " bytes of %" PRId64
                      " that all tasks need together, but no device has so much left; "
                      "the limit of %s is %" PRId64,
                      p->task[t].name, p->task[t].memory, all, p->device[most].id,
                      p->device[most].memory);
}

/// Depth first. @p untried, [tasks], is by depth. @return where it ended: `tasks` when
/// everything has a place, else the depth that was too much the first time.
static int
search(cairn_policy_net *net, const uint64_t *choice, uint64_t *untried, int *device)
{
    const int tasks  = net->problem->tasks;
    int       failed = -1, depth = 0;

    if (tasks > 0) untried[0] = choice[net->order[0]];
    for (int step = 0; depth >= 0 && depth < tasks && step < STEPS; step++) {
        const int     t     = net->order[depth];
        const int64_t bytes = net->problem->task[t].memory;
        const int     d     = roomiest(net, untried[depth], bytes);

        if (d >= 0) {
            untried[depth] &= ~(UINT64_C(1) << d);
            device[t] = d;
            net->left[d] -= bytes;
            if (++depth < tasks) untried[depth] = choice[net->order[depth]];
            continue;
        }
        if (failed < 0) failed = depth;
        if (--depth < 0) break;
        net->left[device[net->order[depth]]] +=
            net->problem->task[net->order[depth]].memory;
    }
    return depth == tasks ? tasks : failed < 0 ? depth : failed;
}

cairn_status
cairn_policy_pack(cairn_policy_net *net, const uint64_t *choice, int *device)
{
    uint64_t *untried = NULL;

    CAIRN_TRY(CAIRN_NEW(net->env, net->problem->tasks, &untried));
    sort_by_memory(net);
    cairn_policy_begin(net);
    const int ended = search(net, choice, untried, device);

    cairn_free(net->env, untried);
    if (ended == net->problem->tasks) return CAIRN_OK;
    return refuse(net, choice[net->order[ended]], net->order[ended]);
}
