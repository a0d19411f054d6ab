// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What policies share: a problem with its edges sorted, a schedule under way, and the
/// ranks of tasks. A schedule keeps for every task when it is done on either clock
/// (policy.h); each device does one task at a time, and a task may go into a gap that
/// earlier ones have left. Data travel as soon as they are there, and as many at once as
/// there are.
///
/// Source: Topcuoglu, Hariri, Wu, HEFT, IEEE TPDS 13(3), 2002; two clocks are ours.

#ifndef CAIRN_PLACE_POLICY_NET_H
#define CAIRN_PLACE_POLICY_NET_H

#include "place/policy.h"

/// A moment, or a length, on each clock.
typedef struct cairn_policy_time {
    double on[2]; ///< By cairn_clock.
} cairn_policy_time;

typedef struct cairn_policy_net {
    cairn_env                  *env;
    const cairn_policy_problem *problem;
    int               *in_first, *in; ///< [tasks+1], [edges]: edges that end at a task.
    int               *out_first, *out; ///< Likewise: that begin there.
    int               *topological;     ///< [tasks] tasks, predecessors first.
    int               *order;           ///< [tasks] tasks by rank, predecessors first.
    uint64_t          *only; ///< [tasks] one device each, of what is evaluated.
    cairn_policy_time *rank; ///< [tasks] what lies ahead from the task's start.
    /* The schedule under way. */
    cairn_policy_time *done;  ///< [tasks]
    double            *start; ///< [tasks] by the device's clock.
    int               *next;  ///< [tasks] on the same device, by start; -1: last.
    int                head[CAIRN_MAX_DEVICES]; ///< -1: none.
    int64_t            left[CAIRN_MAX_DEVICES]; ///< Bytes of memory.
} cairn_policy_net;

/// Sort a problem's edges. @retval CAIRN_BAD_ARGUMENT  They have a cycle.
cairn_status cairn_policy_net_create(cairn_env                  *env,
                                     const cairn_policy_problem *problem,
                                     cairn_policy_net          **net);
void         cairn_policy_net_destroy(cairn_policy_net **net);

/// Rank tasks, upwards, by the mean over their choices, and sort `order` by that.
void cairn_policy_rank(cairn_policy_net *net, const uint64_t *choice);

/// Start an empty schedule.
void cairn_policy_begin(cairn_policy_net *net);

/// When would @p task be done on @p d, where all before it are placed by @p device?
/// @param[out] start  On d's clock. @return The end, on d's clock.
double cairn_policy_try(const cairn_policy_net *net,
                        const int              *device,
                        int                     task,
                        int                     d,
                        double                 *start);

/// Put it there; device[task] is set.
void cairn_policy_put(cairn_policy_net *net, int *device, int task, int d);

/// Put it where it is done first of its choice; of those that have room, if any has.
void cairn_policy_put_best(cairn_policy_net *net,
                           const uint64_t   *choice,
                           int              *device,
                           int               task);

/// Schedule all tasks as @p device, which stays what it is, says: ranks, then one after
/// the other.
/// @return both makespans.
cairn_policy_time cairn_policy_evaluate(cairn_policy_net *net, int *device);

/// Is there room for @p bytes more on device @p d?
static inline bool
cairn_policy_has_room(const cairn_policy_net *net, int d, int64_t bytes)
{
    return net->problem->device[d].memory < 0 || bytes <= net->left[d];
}

/// Seconds of a task on a device.
static inline double
cairn_policy_seconds(const cairn_policy_problem *problem, int task, int d)
{
    return problem->seconds[(size_t)task * (size_t)problem->devices + (size_t)d];
}

/// Are times @p a better than @p b: by the clock that is asked for, then by the other?
bool cairn_policy_is_better(const cairn_policy_problem *problem,
                            cairn_policy_time           a,
                            cairn_policy_time           b);

#endif
