// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Dependencies from accesses. Everything that a task may need is allocated before the
/// first thing is changed, so that a failure leaves the graph as it was.

#include "sched/graph.h"

#include <assert.h>
#include <math.h>

/// Have room for @p wanted elements; grow by doubling.
static cairn_status grow(cairn_env  *env,
                         const char *what,
                         uint64_t    wanted,
                         size_t      size,
                         uint32_t   *room,
                         void      **block)
{
    uint64_t more = *room ? 2 * (uint64_t)*room : 64;

    if (wanted <= *room) return CAIRN_OK;
    CAIRN_CHECK(wanted <= CAIRN_MOST_TASKS, env, CAIRN_OVERFLOW,
                "graph: %s: more than %u", what, CAIRN_MOST_TASKS);
    if (more < wanted) more = wanted;
    if (more > CAIRN_MOST_TASKS) more = CAIRN_MOST_TASKS;
    CAIRN_TRY(cairn_realloc(env, (int64_t)more, size, block));
    *room = (uint32_t)more;
    return CAIRN_OK;
}

#define GROW(graph, what, array, room, wanted)                               \
    grow((graph)->env, what, wanted, sizeof *(graph)->array, &(graph)->room, \
         (void **)&(graph)->array)

cairn_status cairn_graph_create(cairn_env *env, cairn_graph **graph)
{
    cairn_graph *fresh;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    fresh->env          = env;
    fresh->free_reading = CAIRN_NO_TASK;
    *graph              = fresh;
    return CAIRN_OK;
}

void cairn_graph_destroy(cairn_graph **graph)
{
    cairn_graph *g = *graph;

    if (!g) return;
    cairn_free(g->env, g->task);
    cairn_free(g->env, g->link);
    cairn_free(g->env, g->need);
    cairn_free(g->env, g->handle);
    cairn_free(g->env, g->reading);
    cairn_free(g->env, g);
    *graph = NULL;
}

void cairn_graph_clear(cairn_graph *graph)
{
    graph->tasks = graph->needs = graph->handles = graph->readings = 0;
    graph->free_reading                                            = CAIRN_NO_TASK;
}

cairn_status cairn_graph_add_handle(cairn_graph *graph, cairn_handle *handle)
{
    CAIRN_TRY(
        GROW(graph, "handles", handle, handle_room, (uint64_t)graph->handles + 1));
    graph->handle[graph->handles] = (cairn_handle_state){.writer = CAIRN_NO_TASK};
    *handle                       = graph->handles++;
    return CAIRN_OK;
}

static bool queue_is_valid(int queue)
{
    return queue == CAIRN_NO_QUEUE || (queue >= 0 && queue < CAIRN_MOST_QUEUES);
}

/// Check a task, and count the most dependencies that it can have.
static cairn_status check_task(const cairn_graph  *graph,
                               const cairn_task   *task,
                               const cairn_access *access,
                               int                 accesses,
                               uint64_t           *most)
{
    cairn_env *const env = graph->env;

    CAIRN_CHECK(task->run && queue_is_valid(task->queue) && task->cost >= 0
                    && isfinite(task->cost) && accesses >= 0,
                env, CAIRN_BAD_ARGUMENT,
                "graph: task %u: %s, queue %d, %g seconds, %d accesses", graph->tasks,
                task->run ? "a function" : "no function", task->queue, task->cost,
                accesses);
    *most = 0;
    for (int k = 0; k < accesses; k++) {
        const cairn_handle      handle = access[k].handle;
        const cairn_access_mode mode   = access[k].mode;

        CAIRN_CHECK(handle < graph->handles && mode >= CAIRN_READ
                        && mode <= CAIRN_READ_WRITE,
                    env, CAIRN_BAD_ARGUMENT,
                    "graph: task %u: access %d: handle %u of %u, mode %d", graph->tasks,
                    k, handle, graph->handles, (int)mode);
        *most += 1 + (mode & CAIRN_WRITE ? graph->handle[handle].readers : 0);
    }
    return CAIRN_OK;
}

/// Have room for another task. Each of a handle's accesses by this task may find the
/// readers of before, and at most one reader more: itself.
static cairn_status make_room(cairn_graph *graph, uint64_t most, int accesses)
{
    CAIRN_TRY(GROW(graph, "tasks", task, task_room, (uint64_t)graph->tasks + 1));
    CAIRN_TRY(GROW(graph, "tasks", link, link_room, (uint64_t)graph->tasks + 1));
    CAIRN_TRY(GROW(graph, "dependencies", need, need_room, graph->needs + most));
    return GROW(graph, "accesses", reading, reading_room,
                (uint64_t)graph->readings + (uint64_t)accesses);
}

/// The new task @p t needs @p earlier, unless that is known, or itself.
static inline void add_need(cairn_graph *graph, uint32_t t, uint32_t earlier)
{
    assert(earlier <= t); /* so no cycle can be */
    if (earlier == t || graph->link[earlier].seen == t) return;
    graph->link[earlier].seen   = t;
    graph->need[graph->needs++] = earlier;
}

static void add_reader(cairn_graph *graph, cairn_handle_state *handle, uint32_t t)
{
    uint32_t place = graph->free_reading;

    if (place != CAIRN_NO_TASK)
        graph->free_reading = graph->reading[place].next;
    else
        place = graph->readings++;
    assert(place < graph->readings);
    graph->reading[place] = (cairn_reading){.task = t, .next = CAIRN_NO_TASK};
    if (handle->readers++)
        graph->reading[handle->last_read].next = place;
    else
        handle->first_read = place;
    handle->last_read = place;
}

/// Readers wait for the writer before them, so who waits for readers waits for it, too.
static void add_writer(cairn_graph *graph, cairn_handle_state *handle, uint32_t t)
{
    uint32_t place = handle->first_read;

    if (!handle->readers && handle->writer != CAIRN_NO_TASK)
        add_need(graph, t, handle->writer);
    for (uint32_t k = 0; k < handle->readers; k++, place = graph->reading[place].next)
        add_need(graph, t, graph->reading[place].task);
    if (handle->readers) {
        graph->reading[handle->last_read].next = graph->free_reading;
        graph->free_reading                    = handle->first_read;
    }
    *handle = (cairn_handle_state){.writer = t};
}

cairn_status cairn_graph_add(cairn_graph        *graph,
                             const cairn_task   *task,
                             const cairn_access *access,
                             int                 accesses,
                             uint32_t           *number)
{
    const uint32_t t = graph->tasks;
    uint64_t       most;

    CAIRN_TRY(check_task(graph, task, access, accesses, &most));
    CAIRN_TRY(make_room(graph, most, accesses));
    graph->link[t].seen = CAIRN_NO_TASK;
    for (int k = 0; k < accesses; k++) {
        cairn_handle_state *const handle = &graph->handle[access[k].handle];

        if (access[k].mode & CAIRN_WRITE) {
            add_writer(graph, handle, t);
        } else {
            if (handle->writer != CAIRN_NO_TASK) add_need(graph, t, handle->writer);
            add_reader(graph, handle, t);
        }
    }
    assert(graph->needs - (t ? graph->link[t - 1].end : 0) <= most);
    graph->task[t]     = *task;
    graph->link[t].end = graph->needs;
    graph->tasks++;
    if (number) *number = t;
    return CAIRN_OK;
}
