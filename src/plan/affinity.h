// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Affinity: the cores on which the threads of a plan's queues run. Several devices
/// that are parts of the processor have cores of their own, and a thread that migrates
/// takes another device's, or leaves the memory that it wrote first. So the thread of
/// each is bound to its device's cores, and so are the teams that it makes. The
/// caller's thread is bound in replays alone, and only if it makes no teams there:
/// those would stay bound, and are the user's as well.

#ifndef CAIRN_PLAN_AFFINITY_H
#define CAIRN_PLAN_AFFINITY_H

#include "devices/registry.h"
#include "sched/engine.h"

/// The cores of queues, and the threads of their teams.
typedef struct cairn_affinity {
    cairn_core_set set[CAIRN_MAX_DEVICES + 1];     ///< [queues] For the engine.
    int            threads[CAIRN_MAX_DEVICES + 1]; ///< [queues] 0: not bound.
    int            queues;
    int           *core; ///< What the sets point into.
} cairn_affinity;

/// May threads be bound to parts of a binding? Not if there are more of them than hardware
/// threads, or if ranks of the node may have the same ones.
///
/// @param[in] threads  That all queues of a rank use at once.
/// @param[in] ranks    Of the job on this node.
bool cairn_affinity_fit(const cairn_machine *machine, int threads, int ranks);

/// Start with no queue bound.
///
/// Local.
///
/// @param[out] affinity  Released with cairn_affinity_fini(). Unchanged on failure.
cairn_status cairn_affinity_init(cairn_env           *env,
                                 const cairn_machine *machine,
                                 int                  queues,
                                 cairn_affinity      *affinity);

void cairn_affinity_fini(cairn_env *env, cairn_affinity *affinity);

/// Bind a queue's thread to the processors of its device.
///
/// @param[in] threads  Of the teams that its tasks make.
void cairn_affinity_bind(cairn_affinity     *affinity,
                         int                 queue,
                         const cairn_pu_set *bound,
                         int                 threads);

/// Let the bound threads make their teams, and bind these where they would not stay: told
/// to bind threads (OMP_PROC_BIND), OpenMP puts the teams of all devices on the same
/// places, and their masters as well.
///
/// Local. The engine has no program afterwards.
cairn_status cairn_affinity_settle(cairn_env            *env,
                                   const cairn_affinity *affinity,
                                   cairn_engine         *engine);

#endif
