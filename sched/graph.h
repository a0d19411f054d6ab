// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The graph of tasks: what is to be done, and which of it must wait for which.
/// Dependencies are not named: a task says which handles it reads and writes, and the
/// order of submission does the rest, as in a program that is run line by line. A task
/// waits for the last writer of what it reads, and for the last writer and all readers
/// since of what it writes. A handle is a number that stands for anything: a vector,
/// rows of one, the requests of a halo. The graph knows nothing of tensors or devices.
///
/// The order of submission is one topological order. What matters about the order of two
/// tasks must be said by accesses: layout (program.h) may move whatever they leave free.
/// Dependencies inside a queue cost nothing in a replay.

#ifndef CAIRN_SCHED_GRAPH_H
#define CAIRN_SCHED_GRAPH_H

#include "base/env.h"

#define CAIRN_NO_TASK     UINT32_MAX ///< Where there is no task.
#define CAIRN_MOST_TASKS  (1u << 30) ///< And accesses, and dependencies, of a graph.
#define CAIRN_NO_QUEUE    (-1)       ///< The queue of a task that is not placed yet.
#define CAIRN_MOST_QUEUES 1024       ///< Queues of a program.

/// What a task does, on its queue's thread. A failure is returned, and ends the replay.
typedef cairn_status (*cairn_task_run)(void *argument);

typedef uint32_t cairn_handle; ///< What tasks read and write, 0, 1, 2, ... of a graph.

typedef enum {
    CAIRN_READ       = 1,
    CAIRN_WRITE      = 2, ///< Nothing of the old content is looked at.
    CAIRN_READ_WRITE = 3,
} cairn_access_mode;

typedef struct cairn_access {
    cairn_handle      handle;
    cairn_access_mode mode;
} cairn_access;

/// When a task ran, in cairn_seconds(). Both 0: it was skipped.
typedef struct cairn_task_time {
    double begin, end;
} cairn_task_time;

/// One task. Texts are borrowed, until the graph is destroyed or cleared.
typedef struct cairn_task {
    cairn_task_run run;
    void          *argument; ///< As `run` wants it, valid as long as programs are.
    const char    *label;    ///< What a person calls it; NULL: no name.
    const char    *kind;     ///< "kernel", "halo", ...; NULL: none.
    const double
        *modelled; ///< Where the run leaves the seconds that its device's model
                   ///< says; NULL: its clock is the wall's.
    const cairn_task_time
        *flight; ///< Where the run leaves when what it waits for was under way: a bar
                 ///< more in traces, on a track of its own. NULL: it waits for nothing.
    const char *const
        *how;       ///< Where the run leaves a word of how it was done, which stays;
                    ///< NULL: there is none.
    double  cost;   ///< Seconds that it is expected to take; 0: unknown.
    int64_t bytes;  ///< Read and written by one run; 0: unknown.
    int32_t queue;  ///< That it runs on, or CAIRN_NO_QUEUE.
    bool    always; ///< It runs behind a failure, too (engine.h).
} cairn_task;

/// Who depends on a task, and on whom it does.
typedef struct cairn_task_links {
    uint32_t
        end; ///< Its needs end here in `need`; they begin where the last task's end.
    uint32_t seen; ///< The last task that was found to need it.
} cairn_task_links;

/// The tasks that last used a handle.
typedef struct cairn_handle_state {
    uint32_t writer;                ///< CAIRN_NO_TASK: no task wrote.
    uint32_t readers;               ///< Since then: a list of so many,
    uint32_t first_read, last_read; ///< and its ends; undefined if it is empty.
} cairn_handle_state;

/// One task in the list of a handle's readers.
typedef struct cairn_reading {
    uint32_t task, next;
} cairn_reading;

typedef struct cairn_graph {
    cairn_env          *env;
    cairn_task         *task;    ///< [tasks]
    cairn_task_links   *link;    ///< [tasks]
    uint32_t           *need;    ///< [needs] Earlier tasks; those of a task differ.
    cairn_handle_state *handle;  ///< [handles]
    cairn_reading      *reading; ///< [readings] In lists; some in that of free ones.
    uint32_t            tasks, needs, handles, readings;
    uint32_t            task_room, link_room, need_room, handle_room, reading_room;
    uint32_t            free_reading; ///< CAIRN_NO_TASK: none.
} cairn_graph;

/// Create an empty graph.
///
/// Local. Pairs with cairn_graph_destroy().
cairn_status cairn_graph_create(cairn_env *env, cairn_graph **graph);

/// Free a graph; one that is NULL is accepted. Programs made from it stay valid.
void cairn_graph_destroy(cairn_graph **graph);

/// Forget all tasks and handles, and keep the memory for others.
void cairn_graph_clear(cairn_graph *graph);

/// Add a handle.
///
/// Local.
///
/// @param[out] handle  The next number. Unchanged on failure.
cairn_status cairn_graph_add_handle(cairn_graph *graph, cairn_handle *handle);

/// Add a task behind all others.
///
/// Local.
///
/// @param[in]  task    Copied.
/// @param[in]  access  [accesses] What it reads and writes; NULL if that is nothing. A
///                     handle may be named several times.
/// @param[out] number  Of the task, 0, 1, 2, ...; may be NULL. Unchanged on failure, as
///                     the graph is.
/// @retval CAIRN_BAD_ARGUMENT  No function, a handle that is none, a mode that is none, a
///                             queue or a cost out of range.
/// @retval CAIRN_OVERFLOW      More than CAIRN_MOST_TASKS of something.
///
/// Cost: time in what it depends on; 64 + 8 bytes, and 4 a dependency.
cairn_status cairn_graph_add(cairn_graph        *graph,
                             const cairn_task   *task,
                             const cairn_access *access,
                             int                 accesses,
                             uint32_t           *number);

/// Get the tasks that task @p t waits for, all earlier than it, in no order.
///
/// @param[out] need  [the result] Valid until something is added; NULL if it is not needed.
static inline uint32_t
cairn_graph_needs(const cairn_graph *graph, uint32_t t, const uint32_t **need)
{
    const uint32_t begin = t ? graph->link[t - 1].end : 0;

    *need = graph->needs ? graph->need + begin : NULL;
    return graph->link[t].end - begin;
}

#endif
