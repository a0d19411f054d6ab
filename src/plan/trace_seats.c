// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bars of seats as tasks of a trace.

#include "plan/trace_seats.h"

#include <string.h>

int cairn_trace_seat_bars(const cairn_plan_seats *seats)
{
    int bars = 0;

    for (int k = 0; k < seats->count; k++)
        bars += CAIRN_SEAT_BARS * seats->seat[k].members;
    return bars;
}

static cairn_task bar_of(const cairn_subproduct *subproduct, int bar, int track)
{
    static const char *const label[CAIRN_SEAT_BARS] = {"X", NULL, "Y"};
    const bool               computes               = bar == CAIRN_SEAT_COMPUTE;

    return (cairn_task){.label = computes ? subproduct->label.compute : label[bar],
                        .kind  = computes ? "kernel" : "copy",
                        .bytes = computes ? cairn_subproduct_bytes(subproduct) : 0,
                        .queue = track};
}

cairn_status cairn_trace_begin_seats(cairn_trace            *trace,
                                     const cairn_graph      *graph,
                                     const cairn_plan_seats *seats,
                                     int                     first)
{
    cairn_env  *env  = graph->env;
    cairn_graph all  = {.env = env, .tasks = graph->tasks};
    const int   bars = cairn_trace_seat_bars(seats);

    CAIRN_TRY(CAIRN_NEW(env, (int64_t)graph->tasks + bars, &all.task));
    memcpy(all.task, graph->task, graph->tasks * sizeof *all.task);
    for (int k = 0; k < seats->count; k++)
        for (int m = 0; m < seats->seat[k].members; m++)
            for (int bar = 0; bar < CAIRN_SEAT_BARS; bar++)
                all.task[all.tasks++] =
                    bar_of(seats->seat[k].member[m], bar, first + k);
    const cairn_status status = cairn_trace_begin(trace, &all);

    cairn_free(env, all.task);
    return status;
}

void cairn_trace_seat_times(const cairn_plan_seats *seats, cairn_task_time *time)
{
    for (int k = 0; k < seats->count; k++)
        for (int m = 0; m < seats->seat[k].members; m++, time += CAIRN_SEAT_BARS) {
            cairn_seat_bar bar[CAIRN_SEAT_BARS];

            cairn_plan_seat_bars(seats->seat[k].member[m], bar);
            for (int n = 0; n < CAIRN_SEAT_BARS; n++)
                time[n] = (cairn_task_time){bar[n].begin, bar[n].end};
        }
}
