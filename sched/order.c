// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A list schedule: every queue has a clock, and takes of the tasks that can start by
/// then the most urgent one. Tasks come out in the order of their starts, which is
/// behind what they need.

#include "sched/order.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* 100 ns: a replay's hop from queue to queue (45 to 70 ns) and the waiter's start. */
#define HOP 1e-7
/* 1 us: a task whose cost is not known; what matters is that all such tasks have the same. */
#define UNKNOWN 1e-6

/// A task in a heap, smallest rank first, then the one submitted first.
typedef struct {
    double   rank;
    uint32_t task;
} entry;

typedef struct {
    entry   *entry;
    uint32_t n;
} heap;

typedef struct {
    heap   ready; ///< Can start now, by urgency.
    heap   later; ///< Can start at a time to come, by time.
    double clock;
} queue_state;

typedef struct {
    const cairn_graph *graph;
    int                queues;
    queue_state       *queue; ///< [queues]
    entry             *entry; ///< [2][tasks] Of all heaps.
    uint32_t *urgent;     ///< [tasks] The first task that it leads to, on its queue,
                          ///< and that another queue waits for; CAIRN_NO_TASK: none.
    uint32_t *missing;    ///< [tasks] Tasks that it needs and that did not start.
    double   *when;       ///< [tasks] It can start.
    uint32_t *first_user; ///< [tasks + 1] and where in
    uint32_t *user;       ///< [needs] those that need a task are.
} schedule;

static bool precedes(entry a, entry b)
{
    return a.rank < b.rank || (a.rank == b.rank && a.task < b.task);
}

static void push(heap *h, entry e)
{
    uint32_t k = h->n++;

    for (; k && precedes(e, h->entry[(k - 1) / 2]); k = (k - 1) / 2)
        h->entry[k] = h->entry[(k - 1) / 2];
    h->entry[k] = e;
}

static entry pop(heap *h)
{
    assert(h->n > 0);
    const entry top  = h->entry[0];
    const entry last = h->entry[--h->n];
    uint32_t    k    = 0;

    for (uint32_t child; (child = 2 * k + 1) < h->n; k = child) {
        if (child + 1 < h->n && precedes(h->entry[child + 1], h->entry[child])) child++;
        if (!precedes(h->entry[child], last)) break;
        h->entry[k] = h->entry[child];
    }
    h->entry[k] = last;
    return top;
}

uint32_t cairn_order_crossings(const cairn_graph *graph)
{
    uint32_t crossings = 0;

    for (uint32_t t = 0; t < graph->tasks; t++) {
        const uint32_t *need;
        const uint32_t  needs = cairn_graph_needs(graph, t, &need);

        for (uint32_t k = 0; k < needs; k++)
            crossings += graph->task[need[k]].queue != graph->task[t].queue;
    }
    return crossings;
}

static cairn_status allocate(schedule *s)
{
    cairn_env *const env = s->graph->env;
    const int64_t    n   = s->graph->tasks;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, s->queues, &s->queue));
    CAIRN_TRY(CAIRN_NEW(env, 2 * n, &s->entry));
    CAIRN_TRY(CAIRN_NEW(env, n, &s->urgent));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, n, &s->missing));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, n, &s->when));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, n + 1, &s->first_user));
    return CAIRN_NEW(env, s->graph->needs, &s->user);
}

static void release(schedule *s)
{
    cairn_env *const env = s->graph->env;

    cairn_free(env, s->queue);
    cairn_free(env, s->entry);
    cairn_free(env, s->urgent);
    cairn_free(env, s->missing);
    cairn_free(env, s->when);
    cairn_free(env, s->first_user);
    cairn_free(env, s->user);
}

/// List who needs a task, for every task, and count what each needs.
static void list_users(schedule *s)
{
    const cairn_graph *const g     = s->graph;
    uint32_t *const          first = s->first_user;

    for (uint32_t k = 0; k < g->needs; k++)
        first[g->need[k]]++;
    for (uint32_t t = 0, sum = 0; t <= g->tasks; t++)
        first[t] = sum += first[t]; /* where its list ends */
    for (uint32_t t = g->tasks; t-- > 0;) {
        const uint32_t *need;

        s->missing[t] = cairn_graph_needs(g, t, &need);
        for (uint32_t k = 0; k < s->missing[t]; k++)
            s->user[--first[need[k]]] = t;
    }
}

/// Backwards from every task that another queue waits for.
static void find_urgent(schedule *s)
{
    const cairn_graph *const g = s->graph;

    memset(s->urgent, 0xff, g->tasks * sizeof *s->urgent);
    for (uint32_t t = g->tasks; t-- > 0;) {
        const uint32_t *need;
        const uint32_t  needs = cairn_graph_needs(g, t, &need);

        for (uint32_t k = 0; k < needs; k++) {
            const uint32_t p     = need[k];
            const bool     waits = g->task[p].queue != g->task[t].queue;
            const uint32_t leads = waits ? p : s->urgent[t];

            if (leads < s->urgent[p]) s->urgent[p] = leads;
        }
    }
}

/// Share the heaps' memory out to the queues, by their numbers of tasks.
static void share_heaps(schedule *s)
{
    const cairn_graph *const g     = s->graph;
    entry                   *place = s->entry;

    for (uint32_t t = 0; t < g->tasks; t++)
        s->queue[g->task[t].queue].ready.n++;
    for (int q = 0; q < s->queues; q++) {
        queue_state *const queue = &s->queue[q];

        queue->ready.entry = place;
        queue->later.entry = place + queue->ready.n;
        place += 2 * (size_t)queue->ready.n;
        queue->ready.n = 0;
    }
}

/// A task has everything that it needs, at a time that is known.
static void offer(schedule *s, uint32_t t)
{
    queue_state *const queue = &s->queue[s->graph->task[t].queue];

    if (s->when[t] <= queue->clock)
        push(&queue->ready, (entry){.rank = s->urgent[t], .task = t});
    else
        push(&queue->later, (entry){.rank = s->when[t], .task = t});
}

/// When can the queue start its next task? Infinity: it has none.
static double next_start(const queue_state *queue)
{
    if (queue->ready.n) return queue->clock;
    if (!queue->later.n) return 1.0 / 0.0;
    return fmax(queue->clock,
                queue->later.entry[0].rank); /* it may be busy until then */
}

/// Start the most urgent task of a queue that has one, at its next start.
static uint32_t start_task(schedule *s, queue_state *queue)
{
    assert(queue->ready.n + queue->later.n > 0);
    assert(next_start(queue) >= queue->clock);
    queue->clock = next_start(queue);
    while (queue->later.n && queue->later.entry[0].rank <= queue->clock) {
        const uint32_t t = pop(&queue->later).task;

        push(&queue->ready, (entry){.rank = s->urgent[t], .task = t});
    }
    return pop(&queue->ready).task;
}

/// Let the clocks run past task @p t, and offer what only waited for it.
static void finish_task(schedule *s, uint32_t t)
{
    const cairn_task *const task  = s->graph->task;
    queue_state *const      queue = &s->queue[task[t].queue];

    queue->clock += task[t].cost > 0 ? task[t].cost : UNKNOWN;
    for (uint32_t k = s->first_user[t]; k < s->first_user[t + 1]; k++) {
        const uint32_t user = s->user[k];
        const double   then =
            queue->clock + (task[user].queue == task[t].queue ? 0 : HOP);

        if (then > s->when[user]) s->when[user] = then;
        if (--s->missing[user] == 0) offer(s, user);
    }
}

static void run_clocks(schedule *s, uint32_t *order)
{
    const uint32_t n = s->graph->tasks;

    for (uint32_t t = 0; t < n; t++)
        if (!s->missing[t]) offer(s, t);
    for (uint32_t k = 0; k < n; k++) {
        queue_state *first = &s->queue[0];

        for (int q = 1; q < s->queues; q++)
            if (next_start(&s->queue[q]) < next_start(first)) first = &s->queue[q];
        order[k] = start_task(s, first);
        finish_task(s, order[k]);
    }
}

cairn_status cairn_order_make(const cairn_graph *graph,
                              int                queues,
                              cairn_order_rule   rule,
                              uint32_t          *order)
{
    schedule s = {.graph = graph, .queues = queues};

    if (rule == CAIRN_ORDER_SUBMITTED || cairn_order_crossings(graph) == 0) {
        for (uint32_t t = 0; t < graph->tasks; t++)
            order[t] = t;
        return CAIRN_OK;
    }
    const cairn_status status = allocate(&s);

    if (status == CAIRN_OK) {
        list_users(&s);
        find_urgent(&s);
        share_heaps(&s);
        run_clocks(&s, order);
    }
    release(&s);
    return status;
}
