// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random graphs of tasks that compute something: each mixes what it reads and leaves the
/// mix in what it writes, in plain memory. So whatever runs them in an order that accesses
/// forbid gives other numbers than the order of submission, and the thread sanitizer sees
/// it even if the numbers happen to be right. Without Criterion, which that sanitizer does
/// not bear.

#ifndef CAIRN_TESTS_SUPPORT_TASK_CASES_H
#define CAIRN_TESTS_SUPPORT_TASK_CASES_H

#include "sched/graph.h"
#include "support/random_format.h"

enum { CASE_TASKS = 160, CASE_HANDLES = 24, CASE_ACCESSES = 5 };

typedef struct task_case task_case;

/// One task: what it accesses, and what it saw.
typedef struct {
    task_case   *all;
    uint32_t     number;
    int          accesses;
    cairn_access access[CASE_ACCESSES];
    cairn_status outcome; ///< What it returns; a failure before it does anything.
    bool         always;  ///< It runs behind failures, too.
    uint64_t     seen;
    int          runs;
} case_task;

struct task_case {
    int       tasks, handles, queues;
    uint64_t  value[CASE_HANDLES];
    case_task task[CASE_TASKS];
    uint64_t  expected[CASE_TASKS]; ///< `seen` of each, when run as submitted.
    uint64_t  left[CASE_HANDLES];   ///< Values after that.
};

static inline uint64_t case_mix(uint64_t a, uint64_t b)
{
    uint64_t state = a * 31 + b;

    return random_next(&state);
}

static inline cairn_status case_run(void *argument)
{
    case_task *const task  = argument;
    uint64_t *const  value = task->all->value;

    task->runs++;
    if (task->outcome != CAIRN_OK) return task->outcome;
    task->seen = task->number;
    for (int k = 0; k < task->accesses; k++)
        if (task->access[k].mode & CAIRN_READ)
            task->seen = case_mix(task->seen, value[task->access[k].handle]);
    for (int k = 0; k < task->accesses; k++)
        if (task->access[k].mode & CAIRN_WRITE)
            value[task->access[k].handle] = case_mix(task->seen, (uint64_t)k);
    return CAIRN_OK;
}

/// Begin a replay: values as at the start, nothing seen.
static inline void case_reset(task_case *c)
{
    for (int h = 0; h < c->handles; h++)
        c->value[h] = (uint64_t)h * 1000003;
    for (int t = 0; t < c->tasks; t++) {
        c->task[t].seen = 0;
        c->task[t].runs = 0;
    }
}

/// How many tasks or values differ from what the order of submission gives?
static inline int case_wrong(const task_case *c)
{
    int wrong = 0;

    for (int t = 0; t < c->tasks; t++)
        wrong += c->task[t].runs != 1 || c->task[t].seen != c->expected[t];
    for (int h = 0; h < c->handles; h++)
        wrong += c->value[h] != c->left[h];
    return wrong;
}

/// Draw tasks and accesses, and run them as submitted, for what to expect.
static inline void case_draw(uint64_t *state, task_case *c)
{
    c->tasks   = random_below(state, random_chance(state, 30) ? 8 : CASE_TASKS) + 1;
    c->handles = random_below(state, CASE_HANDLES) + 1;
    c->queues  = random_below(state, 5) + 1;
    for (int t = 0; t < c->tasks; t++) {
        case_task *const task = &c->task[t];

        task->all      = c;
        task->number   = (uint32_t)t;
        task->outcome  = CAIRN_OK;
        task->always   = random_chance(state, 20);
        task->accesses = random_below(state, CASE_ACCESSES + 1);
        for (int k = 0; k < task->accesses; k++)
            task->access[k] = (cairn_access){
                .handle = (cairn_handle)random_below(state, c->handles),
                .mode   = (cairn_access_mode)(random_chance(state, 60)
                                                  ? CAIRN_READ
                                                  : 2 + random_below(state, 2))};
    }
    case_reset(c);
    for (int t = 0; t < c->tasks; t++)
        case_run(&c->task[t]);
    for (int t = 0; t < c->tasks; t++)
        c->expected[t] = c->task[t].seen;
    memcpy(c->left, c->value, sizeof c->left);
}

/// Draw a queue for task @p t: anywhere, in blocks, in turn, or mostly the first.
static inline int case_queue(uint64_t *state, const task_case *c, int way, int t)
{
    switch (way) {
    case 0: return random_below(state, c->queues);
    case 1: return t * c->queues / c->tasks;
    case 2: return t % c->queues;
    default: return random_chance(state, 90) ? 0 : random_below(state, c->queues);
    }
}

/// Add all handles and tasks to a graph, with queues.
static inline cairn_status
case_submit(uint64_t *state, task_case *c, cairn_graph *graph)
{
    const int way = random_below(state, 4);

    for (int h = 0; h < c->handles; h++) {
        cairn_handle handle;

        CAIRN_TRY(cairn_graph_add_handle(graph, &handle));
    }
    for (int t = 0; t < c->tasks; t++) {
        const cairn_task task = {.run      = case_run,
                                 .argument = &c->task[t],
                                 .label    = "case",
                                 .cost     = 1e-6 * random_below(state, 4),
                                 .queue    = case_queue(state, c, way, t),
                                 .always   = c->task[t].always};

        CAIRN_TRY(cairn_graph_add(graph, &task, c->task[t].access, c->task[t].accesses,
                                  NULL));
    }
    return CAIRN_OK;
}

#endif
