// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The plan of a product on one rank of several: operands with their halo, and a graph
/// of tasks, one for every subproduct (subproduct.h) and one for every addition of a Y
/// computed apart. Each device that has a subproduct is a queue of its own, unless it runs
/// its subproducts together and without a thread that waits (seats.h); the first
/// is the caller's thread, which also talks to other ranks, unless threads are bound to
/// cores (affinity.h) and that of the first makes a team: then the caller's is no
/// device's. Made once, replayed without allocating. There may be several ways to run
/// one product, with other placements, on the same operands.

#ifndef CAIRN_PLAN_REPLAY_H
#define CAIRN_PLAN_REPLAY_H

#include "convert/build.h"
#include "place/placement.h"
#include "plan/cut_sums.h"
#include "plan/seats.h"
#include "sched/engine.h"
#include "sched/trace.h"

enum { CAIRN_NO_DEVICE_HERE = -1 };

/// How sums are accumulated into Y.
typedef struct cairn_replay_sums {
    bool            reproducible; ///< As of its placement.
    bool            wide;         ///< In f64 (operands.h).
    bool            joined;       ///< The first member adds to every row.
    bool            rounded;      ///< The last one rounds what comes of them.
    bool            across;       ///< At cuts of all ranks' rows, each apart,
    cairn_cut_sums *cuts;         ///< and then exchanged; else NULL.
} cairn_replay_sums;

typedef struct cairn_replay cairn_replay;

/// Rows of X that one rank sends.
typedef struct cairn_replay_arrival {
    cairn_replay   *replay;
    int             source; ///< Of the halo.
    cairn_task_time flight; ///< When they were under way, in a run that is recorded.
    char            label[32];
} cairn_replay_arrival;

/// What is done in a run.
typedef struct cairn_replay_tasks {
    cairn_graph           *graph;
    cairn_program         *program;
    cairn_subproduct_step *step; ///< [steps] Of all subproducts that run by themselves.
    int                    steps;
    bool *from; ///< [subproducts][arrivals] Of steps that are no pieces.
    cairn_replay_arrival *arrival; ///< [arrivals] Where X is exchanged by tasks.
    int                   arrivals;
    const char           *way; ///< In which messages went in the last run, in a word.
    bool set;   ///< In the run at hand the first member sets every row of Y.
    bool stale; ///< Pieces were cut again since.
} cairn_replay_tasks;

/// Who serves the tasks of a replay.
typedef struct cairn_replay_queues {
    int count;
    int device[CAIRN_MAX_DEVICES + 1]; ///< [count]; CAIRN_NO_DEVICE_HERE: the caller's
                                       ///< thread serves none.
    int  collector; ///< The queue on which Ys are added, and lost subproducts computed.
    bool pinned; ///< Devices that are the processor have threads bound to their cores.
} cairn_replay_queues;

struct cairn_replay {
    cairn_subproducts_common common;
    cairn_product_options    op;
    int                      threads; ///< Of the host, for what is done to all of Y.
    cairn_replay_sums        sums;
    int                      subproducts;
    cairn_subproduct         subproduct[CAIRN_MAX_HOMES]; ///< By member, then share.
    int64_t             updates; ///< Of the tensor's values that the subproducts have.
    cairn_replay_queues queues;
    cairn_plan_seats    seats;
    cairn_replay_tasks  tasks;
    cairn_engine       *engine;
    cairn_trace        *trace; ///< NULL: no recording.
    cairn_task_time    *time;  ///< [tasks] of the last run, while it is recorded.
    int64_t             runs;
};

/// What is recorded.
typedef struct cairn_recording {
    int64_t               events;  ///< The last so many are kept, 56 bytes each.
    double                origin;  ///< What is 0 in the trace, in cairn_seconds().
    const cairn_task_log *storing; ///< How the tensor was stored; read at once.
} cairn_recording;

/// What a run does on this rank, in numbers that no clock has a part in.
typedef struct cairn_replay_counts {
    int    starts;  ///< Parts that are started.
    double bytes;   ///< That move if arrays, X and Y are read and written once.
    double entries; ///< Stored.
    double inside;  ///< Share of the rows that are computed while messages travel.
    double flops;   ///< Useful.
} cairn_replay_counts;

/// Count. Local.
void cairn_replay_count(const cairn_replay *replay, cairn_replay_counts *counts);

/// Prepare.
///
/// Collective.
///
/// @param[in]  devices  Run the subproducts; outlive the plan.
/// @param[in]  placing  Of this rank.
/// @param[in]  rows     Who owns which rows of the matrix: the tensor's, unless its rows are
///                      cut for sums of several ranks (placing->cuts).
/// @param[in]  op       Checked by cairn_product_valid().
/// @param[in]  held     Bytes that count against the limit beside the operands.
/// @param[out] replay   Destroy with cairn_replay_destroy(). Unchanged on failure.
/// @retval CAIRN_NO_MEMORY    The operands exceed the limit, or a device's memory.
/// @retval CAIRN_NO_KERNEL    Kernels must be compiled (CAIRN_KERNELS), and some member's
///                            cannot be.
/// @retval CAIRN_UNSUPPORTED  A device cannot do a member that was given to it.
cairn_status cairn_replay_create(cairn_comm                  *comm,
                                 cairn_devices               *devices,
                                 const cairn_placing         *placing,
                                 const cairn_local           *tensor,
                                 const cairn_rows            *rows,
                                 const cairn_product_options *op,
                                 int64_t                      held,
                                 cairn_replay               **replay);

/// Prepare another way to run the product of @p first, with its X and Y, whose content
/// stays. One of them runs at a time; they are destroyed in any order.
///
/// Collective.
///
/// @param[in] held  As of cairn_replay_create(): what is @p first's is counted besides.
/// @return As cairn_replay_create().
cairn_status cairn_replay_create_beside(const cairn_replay  *first,
                                        const cairn_placing *placing,
                                        int64_t              held,
                                        cairn_replay       **replay);

/// Prepare the product of @p first again, of other arrays of the same rows, with its X and
/// Y, whose content stays.
///
/// Collective. Both as above.
cairn_status cairn_replay_create_again(const cairn_replay  *first,
                                       const cairn_placing *placing,
                                       const cairn_local   *tensor,
                                       int64_t              held,
                                       cairn_replay       **replay);

void cairn_replay_destroy(cairn_replay **replay);

/// Run once, from X as it stands in the plan, into its Y. Values that the tensor got
/// since the last run reach shares and devices first, which allocates. Collective. A
/// device that fails is retired, and its subproducts are computed again: the run
/// succeeds.
cairn_status cairn_replay_run(cairn_replay *replay);

/// Bring values that the tensor got since the last run to the devices and shares that have
/// copies. A run does so by itself. Local.
cairn_status cairn_replay_renew(cairn_replay *replay);

/// Add the last run to the trace that there is. Local.
void cairn_replay_trace(cairn_replay *replay);

/// Record how the tensor was stored, and the tasks of runs from now on.
///
/// Local. Once for a replay.
cairn_status cairn_replay_record(cairn_replay          *replay,
                                 const cairn_recording *recording);

/// Record no more, and forget what was recorded. Local.
void cairn_replay_stop_recording(cairn_replay *replay);

/// Seconds of a run on this rank, by recent medians: of the device that has most to do,
/// one number for each clock. In the simulated clock the halo's exchange takes the time
/// of the devices' network, which is told apart, too; in the measured one it is no
/// part.
void cairn_replay_times(const cairn_replay *replay,
                        double             *measured,
                        double             *simulated,
                        double             *exchange);

/// Forget the subproducts' times. Local.
void cairn_replay_forget_times(cairn_replay *replay);

/// Forget all runs: times, and what they left in Y. Local.
void cairn_replay_begin_anew(cairn_replay *replay);

/// Let the cost models learn from the subproducts' recent runs.
///
/// Local.
///
/// @param[in] costs  NULL: nothing is learned.
void cairn_replay_observe(const cairn_replay *replay, cairn_costs *costs);

/// How many sums are made apart to be reproducible, and the bytes that their Ys take.
/// Local.
int cairn_replay_apart(const cairn_replay *replay, int64_t *bytes);

/// How many of its subproducts left a device that had failed. Local.
int cairn_replay_retired(const cairn_replay *replay);

/// Bytes of arrays that shares have beside the tensor's.
int64_t cairn_replay_share_bytes(const cairn_replay *replay);

/// Bytes that one run moves on this rank: arrays, owned X and Y, halo.
int64_t cairn_replay_bytes(const cairn_replay *replay);

#endif
