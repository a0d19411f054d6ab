// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Graphs: what was recorded, each thing after those that its stream was given before, or
/// that it waited for. What is not after each other is done in any order.

#include "fake.h"

#include <stdlib.h>
#include <string.h>

typedef struct node {
    fake_work work;
    fake_tail after;
    bool      done;
} node;

struct fake_graph {
    node *node; ///< [nodes] Each behind those that it is after.
    int   nodes, left;
    int   first; ///< All before it are done.
};

fake_graph *fake_graph_make(void)
{
    return calloc(1, sizeof(fake_graph));
}

void fake_graph_free(fake_graph *graph)
{
    for (int k = 0; k < graph->nodes; k++)
        if (!graph->node[k].done) free(graph->node[k].work.args);
    free(graph->node);
    free(graph);
}

static void append(fake_graph *g, const node *n)
{
    g->node             = realloc(g->node, (size_t)(g->nodes + 1) * sizeof *g->node);
    g->node[g->nodes++] = *n;
    g->left++;
}

void fake_graph_add(fake_graph *graph, const fake_work *work, fake_tail *tail)
{
    append(graph, &(node){.work = *work, .after = *tail});
    *tail = (fake_tail){1, {graph->nodes - 1}};
}

/// Is node @p early the same as one of @p tail, or before it?
static bool is_before(const fake_graph *g, int early, const fake_tail *tail)
{
    for (int k = 0; k < tail->count; k++)
        if (tail->node[k] == early
            || (tail->node[k] > early
                && is_before(g, early, &g->node[tail->node[k]].after)))
            return true;
    return false;
}

bool fake_graph_joins(const fake_graph *graph, const fake_tail *a, const fake_tail *b)
{
    for (int k = 0; k < a->count; k++)
        if (!is_before(graph, a->node[k], b)) return false;
    return true;
}

/// Is it more than a record of time?
static bool is_work(const node *n)
{
    return n->work.kind != FAKE_RECORD;
}

/// Is there work that is @p k or before it?
static bool has_work_till(const fake_graph *g, int k)
{
    bool has = is_work(&g->node[k]);

    for (int n = 0; n < g->node[k].after.count; n++)
        has = has || has_work_till(g, g->node[k].after.node[n]);
    return has;
}

/// Is there work that is @p k or after it?
static bool has_work_from(const fake_graph *g, int k)
{
    const fake_tail here = {1, {k}};
    bool            has  = false;

    for (int n = k; n < g->nodes; n++)
        has = has
              || (is_work(&g->node[n])
                  && is_before(g, here.node[0], &(fake_tail){1, {n}}));
    return has;
}

/// Count what work waits for, and leave out what is to be.
static void count_needs(fake_graph *g)
{
    fake.needs = 0;
    for (int k = 0; k < g->nodes; k++) {
        fake_tail *const after = &g->node[k].after;
        int              cut   = -1;

        for (int n = 0; n < after->count && has_work_from(g, k); n++)
            if (has_work_till(g, after->node[n]) && fake.needs++ == fake.cut) cut = n;
        if (cut >= 0) after->node[cut] = after->node[--after->count];
    }
}

/// Arguments are a run's own: they are freed after it.
static fake_work copy_work(const fake_work *work)
{
    fake_work fresh = *work;

    if (!work->args) return fresh;
    fresh.args = malloc(work->args_bytes + 1);
    memcpy(fresh.args, work->args, work->args_bytes);
    return fresh;
}

fake_graph *fake_graph_copy(const fake_graph *graph, bool cut)
{
    fake_graph *const g = fake_graph_make();

    for (int k = 0; k < graph->nodes; k++)
        append(g, &(node){.work  = copy_work(&graph->node[k].work),
                          .after = graph->node[k].after});
    if (cut) count_needs(g);
    return g;
}

static bool is_ready(const fake_graph *g, const node *n)
{
    bool ready = !n->done;

    for (int k = 0; k < n->after.count; k++)
        ready = ready && g->node[n->after.node[k]].done;
    return ready;
}

unsigned fake_graph_left(const fake_graph *graph)
{
    return (unsigned)graph->left;
}

/// Any that is ready, among some hundreds from the first that is not done on.
bool fake_graph_take(fake_graph *graph, fake_work *work)
{
    enum { WINDOW = 512 };
    node    *chosen = NULL;
    unsigned ready  = 0;

    while (graph->first < graph->nodes && graph->node[graph->first].done)
        graph->first++;
    for (int k = graph->first; k < graph->nodes && k < graph->first + WINDOW; k++)
        if (is_ready(graph, &graph->node[k]) && fake_random(++ready) == 0)
            chosen = &graph->node[k];
    if (!chosen) return false;
    chosen->done = true;
    graph->left--;
    *work = chosen->work;
    return true;
}
