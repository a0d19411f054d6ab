// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Layout in two passes over the order: which waits are needed and who publishes, then the
/// arrays, whose sizes are known by then.

#include "sched/program.h"

#include <assert.h>
#include <string.h>

/// Where a task ended up.
typedef struct {
    uint32_t rank;          ///< In the order.
    uint32_t at;            ///< Steps of its queue done with it.
    uint32_t row;           ///< What its queue knew when it started.
    uint32_t waits : 31;    ///< Waits before it.
    uint32_t published : 1; ///< A task of another queue waits for it.
} place;

typedef struct {
    const cairn_graph *graph;
    int                queues;
    uint32_t          *order; ///< [tasks]
    place             *place; ///< [tasks]
    cairn_queue_need  *wait;  ///< [waits] In the order of the waiting tasks.
    uint32_t           waits;
    uint32_t          *row;     ///< [queues] What each knows now, and its steps so far,
    uint32_t          *steps;   ///< [queues]
    uint32_t          *latest;  ///< [queues] The last task of each that a task needs,
    uint32_t          *touched; ///< [queues] and the queues for which there is one.
    uint32_t          *known; ///< [rows][queues] Steps known to be done by each queue.
    uint32_t           rows, row_room;
} layout;

/// Get the next row; it may move all of them.
static cairn_status new_row(layout *l, uint32_t *row)
{
    if (l->rows == l->row_room) {
        const uint32_t more = l->row_room ? 2 * l->row_room : (uint32_t)l->queues + 62;

        CAIRN_TRY(cairn_realloc(l->graph->env, more,
                                (size_t)l->queues * sizeof *l->known,
                                (void **)&l->known));
        l->row_room = more;
    }
    *row = l->rows++;
    return CAIRN_OK;
}

static uint32_t *known_by(const layout *l, uint32_t row)
{
    return l->known + (size_t)row * (size_t)l->queues;
}

/// Give the queue of a task that waits knowledge of its own: with three queues or more,
/// others may ask later what it was at an earlier task.
static cairn_status begin_knowing(layout *l, uint32_t queue)
{
    uint32_t row;

    if (l->queues < 3) return CAIRN_OK;
    CAIRN_TRY(new_row(l, &row));
    memcpy(known_by(l, row), known_by(l, l->row[queue]),
           (size_t)l->queues * sizeof *l->known);
    l->row[queue] = row;
    return CAIRN_OK;
}

/// Wait for @p task of another queue, and learn what that queue knew.
static void add_wait(layout *l, uint32_t *mine, uint32_t task)
{
    place *const          p      = &l->place[task];
    const uint32_t        queue  = (uint32_t)l->graph->task[task].queue;
    const uint32_t *const theirs = known_by(l, p->row);

    p->published        = 1;
    l->wait[l->waits++] = (cairn_queue_need){.queue = queue, .at = p->at};
    mine[queue]         = p->at;
    for (int q = 0; q < l->queues && l->queues > 2; q++)
        if (theirs[q] > mine[q]) mine[q] = theirs[q];
}

/// Find the last task that @p t needs on each other queue, if it is not known to be done.
/// @return for how many queues there is one.
static uint32_t find_latest(layout *l, uint32_t t)
{
    const uint32_t        own   = (uint32_t)l->graph->task[t].queue;
    const uint32_t *const known = known_by(l, l->row[own]);
    const uint32_t       *need;
    const uint32_t        needs = cairn_graph_needs(l->graph, t, &need);
    uint32_t              n     = 0;

    for (uint32_t k = 0; k < needs; k++) {
        const uint32_t queue = (uint32_t)l->graph->task[need[k]].queue;
        const uint32_t at    = l->place[need[k]].at;

        if (queue == own || at <= known[queue]) continue;
        if (l->latest[queue] == CAIRN_NO_TASK)
            l->touched[n++] = queue;
        else if (at <= l->place[l->latest[queue]].at)
            continue;
        l->latest[queue] = need[k];
    }
    return n;
}

/// Take the task of the latest rank: it may know of the others, not they of it.
static uint32_t take_latest(layout *l, uint32_t n)
{
    uint32_t best = 0;

    assert(n > 0);
    for (uint32_t k = 1; k < n; k++)
        if (l->place[l->latest[l->touched[k]]].rank
            > l->place[l->latest[l->touched[best]]].rank)
            best = k;
    const uint32_t queue = l->touched[best];
    const uint32_t task  = l->latest[queue];

    assert(task != CAIRN_NO_TASK);
    l->touched[best] = l->touched[n - 1];
    l->latest[queue] = CAIRN_NO_TASK;
    return task;
}

/// Place a task behind what its queue has, with the waits that are left.
static cairn_status place_task(layout *l, uint32_t rank)
{
    const uint32_t t      = l->order[rank];
    const uint32_t queue  = (uint32_t)l->graph->task[t].queue;
    const uint32_t before = l->waits;
    const uint32_t n      = find_latest(l, t);

    if (n) CAIRN_TRY(begin_knowing(l, queue));
    uint32_t *const mine = known_by(l, l->row[queue]);

    for (uint32_t left = n; left > 0; left--) {
        const uint32_t other = take_latest(l, left);

        if (l->place[other].at > mine[l->graph->task[other].queue])
            add_wait(l, mine, other);
    }
    l->place[t] = (place){.rank  = rank,
                          .at    = ++l->steps[queue],
                          .row   = l->row[queue],
                          .waits = l->waits - before};
    return CAIRN_OK;
}

/// The caller, on queue 0, waits for the last task of every other.
static void publish_ends(layout *l)
{
    for (uint32_t t = 0; t < l->graph->tasks; t++) {
        const int queue = l->graph->task[t].queue;

        if (queue && l->place[t].at == l->steps[queue]) l->place[t].published = 1;
    }
}

static cairn_status place_all(layout *l)
{
    memset(l->latest, 0xff, (size_t)l->queues * sizeof *l->latest);
    for (int q = 0; q < l->queues; q++) {
        CAIRN_TRY(new_row(l, &l->row[q]));
        memset(known_by(l, l->row[q]), 0, (size_t)l->queues * sizeof *l->known);
    }
    for (uint32_t rank = 0; rank < l->graph->tasks; rank++)
        CAIRN_TRY(place_task(l, rank));
    publish_ends(l);
    return CAIRN_OK;
}

static cairn_status prepare(layout *l, cairn_order_rule rule)
{
    cairn_env *const env = l->graph->env;

    CAIRN_TRY(CAIRN_NEW(env, l->graph->tasks, &l->order));
    CAIRN_TRY(CAIRN_NEW(env, l->graph->tasks, &l->place));
    CAIRN_TRY(CAIRN_NEW(env, cairn_order_crossings(l->graph), &l->wait));
    CAIRN_TRY(CAIRN_NEW(env, l->queues, &l->row));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, l->queues, &l->steps));
    CAIRN_TRY(CAIRN_NEW(env, l->queues, &l->latest));
    CAIRN_TRY(CAIRN_NEW(env, l->queues, &l->touched));
    CAIRN_TRY(cairn_order_make(l->graph, l->queues, rule, l->order));
    return place_all(l);
}

static void release(layout *l)
{
    cairn_env *const env = l->graph->env;

    cairn_free(env, l->order);
    cairn_free(env, l->place);
    cairn_free(env, l->wait);
    cairn_free(env, l->row);
    cairn_free(env, l->steps);
    cairn_free(env, l->latest);
    cairn_free(env, l->touched);
    cairn_free(env, l->known);
}

/// Count the steps and waits of every queue, and the most segments that it can have: one
/// begins with a wait, behind a step that publishes, and at the start.
static void count(const layout *l, cairn_queue_program *queue)
{
    for (uint32_t t = 0; t < l->graph->tasks; t++) {
        cairn_queue_program *const q = &queue[l->graph->task[t].queue];

        q->steps++;
        q->needs += l->place[t].waits;
        q->segments += (l->place[t].waits > 0) + l->place[t].published;
    }
    for (int k = 0; k < l->queues; k++)
        queue[k].segments += queue[k].steps > 0;
}

/// Allocate the arrays of all queues together; each then starts at its own, empty.
static cairn_status allocate(cairn_program *program)
{
    cairn_env *const           env   = program->env;
    cairn_queue_program *const q     = program->queue;
    uint32_t                   steps = 0, needs = 0, segments = 0;

    for (int k = 0; k < program->queues; k++) {
        steps += q[k].steps;
        needs += q[k].needs;
        segments += q[k].segments;
        if (q[k].steps > program->span) program->span = q[k].steps;
    }
    CAIRN_TRY(CAIRN_NEW(env, steps, &q->step));
    CAIRN_TRY(CAIRN_NEW(env, steps, &q->task));
    CAIRN_TRY(CAIRN_NEW(env, steps, &q->always));
    CAIRN_TRY(CAIRN_NEW(env, needs, &q->need));
    CAIRN_TRY(CAIRN_NEW(env, segments, &q->segment));
    for (int k = 1; k < program->queues; k++) {
        q[k].step    = q[k - 1].step + q[k - 1].steps;
        q[k].task    = q[k - 1].task + q[k - 1].steps;
        q[k].always  = q[k - 1].always + q[k - 1].steps;
        q[k].need    = q[k - 1].need + q[k - 1].needs;
        q[k].segment = q[k - 1].segment + q[k - 1].segments;
    }
    for (int k = 0; k < program->queues; k++)
        q[k].steps = q[k].needs = q[k].segments = 0;
    return CAIRN_OK;
}

/// Append a task to its queue, with its waits, which are the next of all.
static void
append(cairn_queue_program *q, uint32_t t, const cairn_task *task, const place *p)
{
    cairn_queue_segment *last = q->segments ? &q->segment[q->segments - 1] : NULL;

    if (!last || last->publish || p->waits) {
        last  = &q->segment[q->segments++];
        *last = (cairn_queue_segment){.needs = p->waits};
    }
    q->step[q->steps] =
        (cairn_queue_step){.run = task->run, .argument = task->argument};
    q->always[q->steps] = task->always;
    q->task[q->steps++] = t;
    assert(last->publish == 0); /* a segment ends with what it publishes */
    last->steps++;
    if (p->published) last->publish = q->steps;
}

static void fill(const layout *l, cairn_program *program)
{
    const cairn_queue_need *wait = l->wait;

    for (uint32_t k = 0; k < l->graph->tasks; k++) {
        const uint32_t             t = l->order[k];
        cairn_queue_program *const q = &program->queue[l->graph->task[t].queue];
        const uint32_t             n = l->place[t].waits;

        if (n) memcpy(q->need + q->needs, wait, n * sizeof *wait);
        q->needs += n;
        wait += n;
        append(q, t, &l->graph->task[t], &l->place[t]);
    }
}

static cairn_status check(const cairn_graph *graph, int queues)
{
    CAIRN_CHECK(queues >= 1 && queues <= CAIRN_MOST_QUEUES, graph->env,
                CAIRN_BAD_ARGUMENT, "program: %d queues: not 1..%d", queues,
                CAIRN_MOST_QUEUES);
    for (uint32_t t = 0; t < graph->tasks; t++)
        CAIRN_CHECK(graph->task[t].queue >= 0 && graph->task[t].queue < queues,
                    graph->env, CAIRN_BAD_ARGUMENT,
                    "program: task %u (%s): queue %d of %d", t,
                    graph->task[t].label ? graph->task[t].label : "no name",
                    graph->task[t].queue, queues);
    return CAIRN_OK;
}

static cairn_status make(layout *l, cairn_order_rule rule, cairn_program *program)
{
    CAIRN_TRY(prepare(l, rule));
    CAIRN_TRY(CAIRN_NEW_ZERO(program->env, l->queues, &program->queue));
    count(l, program->queue);
    CAIRN_TRY(allocate(program));
    fill(l, program);
    return CAIRN_OK;
}

cairn_status cairn_program_create(const cairn_graph *graph,
                                  int                queues,
                                  cairn_order_rule   rule,
                                  cairn_program    **program)
{
    layout         l = {.graph = graph, .queues = queues};
    cairn_program *fresh;

    CAIRN_TRY(check(graph, queues));
    CAIRN_TRY(CAIRN_NEW_ZERO(graph->env, 1, &fresh));
    fresh->env                = graph->env;
    fresh->queues             = queues;
    fresh->tasks              = graph->tasks;
    const cairn_status status = make(&l, rule, fresh);

    release(&l);
    if (status == CAIRN_OK)
        *program = fresh;
    else
        cairn_program_destroy(&fresh);
    return status;
}

void cairn_program_destroy(cairn_program **program)
{
    cairn_program *const p = *program;

    if (!p) return;
    if (p->queue) {
        cairn_free(p->env, p->queue->step);
        cairn_free(p->env, p->queue->task);
        cairn_free(p->env, p->queue->always);
        cairn_free(p->env, p->queue->need);
        cairn_free(p->env, p->queue->segment);
    }
    cairn_free(p->env, p->queue);
    cairn_free(p->env, p);
    *program = NULL;
}
