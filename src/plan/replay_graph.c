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

/// Handles while a graph is filled.
typedef struct {
    cairn_replay *replay;
    cairn_graph  *graph;
    y_handles     y;
    cairn_handle  own[CAIRN_MAX_HOMES]; ///< [subproducts] Of Ys of their own.
} filling;

/// What subproduct @p p computes into; @return the number of handles.
static int list_output(const filling *f, int p, cairn_access *list)
{
    const cairn_subproduct *subproduct = &f->replay->subproduct[p];

    if (!subproduct->has_own) return list_stretches(&f->y, subproduct, list);
    list[0] = (cairn_access){f->own[p], CAIRN_READ_WRITE};
    return 1;
}

/// X is no handle: it is complete before the first task, and no task writes it.
static cairn_status add_compute(const filling *f, int p)
{
    cairn_subproduct *subproduct = &f->replay->subproduct[p];
    const cairn_task  compute    = {
            .run      = cairn_subproduct_compute,
            .argument = subproduct,
            .label    = subproduct->label.compute,
            .kind     = "kernel",
            .modelled = cairn_subproduct_models(subproduct) ? &subproduct->modelled : NULL,
            .bytes    = cairn_subproduct_bytes(subproduct),
            .queue    = subproduct->queue};
    cairn_access access[CAIRN_MAX_HOMES];

    return cairn_graph_add(f->graph, &compute, access, list_output(f, p, access), NULL);
}

static cairn_status add_collect(const filling *f, int p)
{
    cairn_subproduct *subproduct = &f->replay->subproduct[p];
    const cairn_task  collect    = {.run      = cairn_subproduct_collect,
                                    .argument = subproduct,
                                    .label    = subproduct->label.collect,
                                    .kind     = "add",
                                    .bytes    = cairn_subproduct_added_bytes(subproduct),
                                    .queue    = f->replay->collector};
    cairn_access      access[CAIRN_MAX_HOMES + 1];
    int               n = list_stretches(&f->y, subproduct, access);

    if (!cairn_subproduct_is_collected(subproduct)) return CAIRN_OK;
    if (subproduct->has_own) n += list_output(f, p, &access[n]);
    return cairn_graph_add(f->graph, &collect, access, n, NULL);
}

/// Start what sits together. It touches the Ys of all, for what has lost its seat is
/// computed there.
static cairn_status add_start(const filling *f, cairn_plan_seat *seat)
{
    const cairn_task start = {.run      = cairn_plan_seat_start,
                              .argument = seat,
                              .label    = seat->device->info.id,
                              .kind     = "start",
                              .queue    = f->replay->collector};
    cairn_access     access[2 * CAIRN_MAX_HOMES];
    int              n = 0;

    for (int p = 0; p < f->replay->subproducts; p++) {
        const cairn_subproduct *subproduct = &f->replay->subproduct[p];

        /* Those without a Y of their own share no rows. */
        if (subproduct->seat.among == seat) n += list_output(f, p, &access[n]);
    }
    return cairn_graph_add(f->graph, &start, access, n, NULL);
}

/// Is it computed while others are under way, before any of them is waited for? What it
/// writes must not have to wait for an earlier subproduct's sums.
static bool is_meanwhile(const cairn_replay *replay, int p)
{
    const cairn_subproduct *subproduct = &replay->subproduct[p];

    if (replay->seats.count == 0 || subproduct->seat.among) return false;
    for (int k = 0; k < p && !subproduct->has_own; k++)
        if (cairn_subproduct_meets(subproduct, &replay->subproduct[k])) return false;
    return true;
}

cairn_status cairn_replay_fill_graph(cairn_replay *replay, cairn_graph *graph)
{
    filling f = {.replay = replay, .graph = graph};

    CAIRN_TRY(add_y_handles(replay, graph, &f.y));
    for (int p = 0; p < replay->subproducts; p++)
        if (replay->subproduct[p].has_own)
            CAIRN_TRY(cairn_graph_add_handle(graph, &f.own[p]));
    for (int k = 0; k < replay->seats.count; k++)
        CAIRN_TRY(add_start(&f, &replay->seats.seat[k]));
    for (int p = 0; p < replay->subproducts; p++)
        if (is_meanwhile(replay, p)) CAIRN_TRY(add_compute(&f, p));
    for (int p = 0; p < replay->subproducts; p++) {
        if (!replay->subproduct[p].seat.among && !is_meanwhile(replay, p))
            CAIRN_TRY(add_compute(&f, p));
        CAIRN_TRY(add_collect(&f, p));
    }
    return CAIRN_OK;
}
