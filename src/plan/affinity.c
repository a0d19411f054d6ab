// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Binding the threads of queues.

#include "plan/affinity.h"

#include <omp.h>

#include <sched.h>

bool cairn_affinity_fit(const cairn_machine *machine, int threads, int ranks)
{
    const int all = machine->node[0].pus;

    return machine->here && threads <= machine->pus
           && (ranks == 1 || machine->pus * ranks <= all);
}

cairn_status cairn_affinity_init(cairn_env           *env,
                                 const cairn_machine *machine,
                                 int                  queues,
                                 cairn_affinity      *affinity)
{
    int *core;

    CAIRN_TRY(CAIRN_NEW(env, (int64_t)machine->pus * queues, &core));
    *affinity = (cairn_affinity){.queues = queues, .core = core};
    return CAIRN_OK;
}

void cairn_affinity_fini(cairn_env *env, cairn_affinity *affinity)
{
    cairn_free(env, affinity->core);
    *affinity = (cairn_affinity){0};
}

void cairn_affinity_bind(cairn_affinity     *affinity,
                         int                 queue,
                         const cairn_pu_set *bound,
                         int                 threads)
{
    int *core = affinity->core;
    int  n    = 0;

    for (int q = 0; q < affinity->queues; q++)
        core += affinity->set[q].cores;
    for (int number = 0; number < CAIRN_PU_MOST; number++)
        if (cairn_pu_set_has(bound, number)) core[n++] = number;
    affinity->set[queue]     = (cairn_core_set){core, n};
    affinity->threads[queue] = threads;
}

/// A queue's thread and its team, as a task.
typedef struct {
    const cairn_core_set *set;
    int                   threads;
} team;

static cairn_status bind_team(void *argument)
{
    const team *t = argument;

#ifdef __linux__
    cpu_set_t cores;

    CPU_ZERO(&cores);
    for (int k = 0; k < t->set->cores; k++)
        CPU_SET((size_t)t->set->core[k], &cores);
/* A thread that cannot be bound runs where it is. */
#    pragma omp parallel num_threads(t->threads)
    (void)sched_setaffinity(0, sizeof cores, &cores);
#else
    (void)t;
#endif
    return CAIRN_OK;
}

static cairn_status
add_teams(const cairn_affinity *affinity, cairn_graph *graph, team *t)
{
    for (int q = 1; q < affinity->queues; q++) {
        const cairn_task task = {.run = bind_team, .argument = &t[q], .queue = q};

        if (affinity->threads[q] == 0) continue;
        t[q] = (team){&affinity->set[q], affinity->threads[q]};
        CAIRN_TRY(cairn_graph_add(graph, &task, NULL, 0, NULL));
    }
    return CAIRN_OK;
}

static cairn_status run_once(cairn_engine *engine, const cairn_program *program)
{
    cairn_status status = cairn_engine_load(engine, program);

    if (status == CAIRN_OK) status = cairn_engine_run(engine, NULL);
    if (status == CAIRN_OK) status = cairn_engine_load(engine, NULL);
    return status;
}

cairn_status cairn_affinity_settle(cairn_env            *env,
                                   const cairn_affinity *affinity,
                                   cairn_engine         *engine)
{
    team           t[CAIRN_MAX_DEVICES + 1];
    cairn_graph   *graph   = NULL;
    cairn_program *program = NULL;
    cairn_status   status;

    if (omp_get_proc_bind() == omp_proc_bind_false) return CAIRN_OK;
    CAIRN_TRY(cairn_graph_create(env, &graph));
    status = add_teams(affinity, graph, t);
    if (status == CAIRN_OK)
        status =
            cairn_program_create(graph, affinity->queues, CAIRN_ORDER_URGENT, &program);
    if (status == CAIRN_OK) status = run_once(engine, program);
    cairn_program_destroy(&program);
    cairn_graph_destroy(&graph);
    return status;
}
