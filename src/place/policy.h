// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Placement policies: which device does which task. A policy sees an abstract problem,
/// seconds for each task on each device, what depends on what, and how long data travel;
/// it says where each task goes and when the last one ends. Policies are files of one
/// shape, listed in policy_list.def.
///
/// Two clocks. Seconds of a simulated device are no seconds: a schedule keeps two times
/// for everything, one of each clock. A task adds to its device's clock alone, and starts
/// on it behind all tasks that it depends on, as far as that clock has seen them; data
/// travel in the simulated clock if one of the two devices is simulated. There are two
/// makespans, which are not added.
///
/// Which devices a task may go to: those of its affinity, if it has one, else all; of these
/// those that can do it (finite seconds) and whose memory is not too small for it alone;
/// of these those of the clock that is asked for, `problem->clock`. If none is left, a
/// task without one that asks for the simulated clock goes to measured devices, but never
/// the other way round: *no policy places work on a simulated device unless the user has
/// named that device, or asks for the simulated clock*. So all devices of one
/// task's choice have one clock, and placements of one problem are compared by the clock
/// that is asked for, then by the other.
///
/// Memory is what a task leaves on its device for good (the arrays of its part): all
/// tasks of one device must fit together.

#ifndef CAIRN_PLACE_POLICY_H
#define CAIRN_PLACE_POLICY_H

#include "devices/registry.h"

/// A device as policies know it.
typedef struct cairn_policy_device {
    const char *id; ///< For messages.
    cairn_clock clock;
    int64_t     memory; ///< Bytes that tasks may take; below 0: no limit.
} cairn_policy_device;

typedef struct cairn_policy_task {
    const char *name;     ///< For messages: "member 1".
    int64_t     memory;   ///< Bytes that it takes of its device, at least 0.
    uint64_t    affinity; ///< Bit d: the user allows device d; 0: any device will do.
} cairn_policy_task;

/// `to` starts when `from` has ended, and @p bytes have travelled if their devices differ.
typedef struct cairn_policy_edge {
    int    from, to;
    double bytes;
} cairn_policy_edge;

/// Data that are in some place before all starts are a task of 0 seconds pinned there.
typedef struct cairn_policy_problem {
    int tasks, devices, edges;          ///< devices: at least 1, at most 64.
    const cairn_policy_device *device;  ///< [devices]
    const cairn_policy_task   *task;    ///< [tasks]
    const cairn_policy_edge   *edge;    ///< [edges] without cycles.
    const double              *seconds; ///< [tasks][devices]; INFINITY: it cannot.
    const double *latency;  ///< [devices][devices] seconds from .. to; NULL: 0.
    const double *per_byte; ///< [devices][devices] likewise; NULL: 0.
    cairn_clock   clock;    ///< Asked for.
} cairn_policy_problem;

/// Makespans and finish times are NAN-free; [2] is by cairn_clock.
typedef struct cairn_policy_answer {
    int    *device;                    ///< [tasks]
    double *start;                     ///< [tasks] by its device's clock.
    double  finish[CAIRN_MAX_DEVICES]; ///< Of each device's last task, by its clock.
    int64_t memory[CAIRN_MAX_DEVICES]; ///< Bytes that its tasks take.
    double  makespan[2];               ///< By clock; never to be added.
    bool    mixed;                     ///< Tasks of both clocks took some time.
    int alone; ///< All that is not pinned elsewhere went to this device, because that
               ///< was better than what the policy had found; -1: it was not.
} cairn_policy_answer;

struct cairn_policy_net; // place/policy_net.h

typedef struct cairn_policy {
    const char *name;    ///< "heft", as users write it.
    const char *summary; ///< One line.
    bool guards; ///< Its answer is never worse than any one device for all tasks.
    /// Find a device for each task among its choice, [tasks], none of them empty. Where
    /// nothing of a choice has room left, any of it will do: what does not fit together
    /// is packed again afterwards.
    /// @param[out] device  [tasks]
    cairn_status (*place)(struct cairn_policy_net *net,
                          const uint64_t          *choice,
                          int                     *device);
} cairn_policy;

/// Find a policy by its name.
/// @retval CAIRN_BAD_OPTION  There is none, with the nearest name.
cairn_status
cairn_policy_find(cairn_env *env, const char *name, const cairn_policy **policy);

/// Place.
///
/// Local; the same answer for the same problem. O(tasks^2 * devices + edges * devices).
///
/// @param[out] answer  Released by cairn_policy_answer_fini(). Unchanged on failure.
/// @retval CAIRN_BAD_ARGUMENT  The problem is none: a cycle, a device that is not there,
///                             seconds below 0 or NaN.
/// @retval CAIRN_UNSUPPORTED   No device of its choice can do a task.
/// @retval CAIRN_NO_MEMORY     The tasks do not fit, with needed and limit; or there is
///                             none to think with.
cairn_status cairn_policy_place(cairn_env                  *env,
                                const cairn_policy         *policy,
                                const cairn_policy_problem *problem,
                                cairn_policy_answer        *answer);

void cairn_policy_answer_fini(cairn_env *env, cairn_policy_answer *answer);

#endif
