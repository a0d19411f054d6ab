// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Subproducts as tasks: the handles that each reads and writes give the dependencies.

#include "plan/replay_graph.h"

#include <string.h>

/// Handles of Y: one for each stretch of rows that no share cuts, so that shares of one
/// member do not wait for each other. All of Y is one where the product is transposed.
typedef struct {
    int          stretches;
    cairn_coord  first[CAIRN_MAX_HOMES]; ///< Row at which each begins, ascending.
    cairn_handle handle[CAIRN_MAX_HOMES];
} y_handles;

static void add_stretch(y_handles *y, cairn_coord first)
{
    int at = 0;

    while (at < y->stretches && y->first[at] < first)
        at++;
    if (at < y->stretches && y->first[at] == first) return;
    memmove(&y->first[at + 1], &y->first[at],
            (size_t)(y->stretches - at) * sizeof *y->first);
    y->first[at] = first;
    y->stretches++;
}

static cairn_status
add_y_handles(const cairn_replay *replay, cairn_graph *graph, y_handles *y)
{
    const cairn_coord begin = replay->common.tensor->box[0].lo;

    *y = (y_handles){.stretches = 0};
    for (int p = 0; p < replay->subproducts; p++)
        add_stretch(y,
                    replay->op.transposed ? begin : replay->subproduct[p].home.rows.lo);
    for (int k = 0; k < y->stretches; k++)
        CAIRN_TRY(cairn_graph_add_handle(graph, &y->handle[k]));
    return CAIRN_OK;
}

/// The ranges of rows that a subproduct adds to; @return their number.
static int list_stretches(const y_handles        *y,
                          const cairn_subproduct *subproduct,
                          cairn_access           *list)
{
    const cairn_interval *rows = &subproduct->home.rows;
    int                   n    = 0;

    for (int k = 0; k < y->stretches; k++)
        if (subproduct->op.transposed || y->first[k] == rows->lo
            || (y->first[k] > rows->lo && y->first[k] <= rows->hi))
            list[n++] = (cairn_access){y->handle[k], CAIRN_READ_WRITE};
    return n;
}

/// X is no handle: it is complete before the first task, and no task writes it.
static cairn_status
add_subproduct(cairn_replay *replay, cairn_graph *graph, const y_handles *y, int p)
{
    cairn_subproduct *subproduct = &replay->subproduct[p];
    const cairn_task  compute    = {
            .run      = cairn_subproduct_compute,
            .argument = subproduct,
            .label    = subproduct->label,
            .kind     = "kernel",
            .modelled = cairn_subproduct_models(subproduct) ? &subproduct->modelled : NULL,
            .bytes    = cairn_subproduct_bytes(subproduct),
            .queue    = subproduct->queue};
    const cairn_task collect = {.run      = cairn_subproduct_collect,
                                .argument = subproduct,
                                .label    = subproduct->collect_label,
                                .kind     = "add",
                                .bytes    = cairn_subproduct_added_bytes(subproduct),
                                .queue    = replay->collector};
    cairn_access     access[CAIRN_MAX_HOMES + 1];
    const int        n = list_stretches(y, subproduct, access);
    cairn_access     own;

    if (subproduct->has_own) {
        CAIRN_TRY(cairn_graph_add_handle(graph, &own.handle));
        own.mode  = CAIRN_READ_WRITE;
        access[n] = own;
        CAIRN_TRY(cairn_graph_add(graph, &compute, &own, 1, NULL));
    } else {
        CAIRN_TRY(cairn_graph_add(graph, &compute, access, n, NULL));
    }
    if (!cairn_subproduct_is_collected(subproduct)) return CAIRN_OK;
    return cairn_graph_add(graph, &collect, access, n + subproduct->has_own, NULL);
}

cairn_status cairn_replay_fill_graph(cairn_replay *replay, cairn_graph *graph)
{
    y_handles y;

    CAIRN_TRY(add_y_handles(replay, graph, &y));
    for (int p = 0; p < replay->subproducts; p++)
        CAIRN_TRY(add_subproduct(replay, graph, &y, p));
    return CAIRN_OK;
}
