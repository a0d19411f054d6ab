// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Events as JSON: names first, then bars by the time they begin at.

#include "base/file.h"
#include "base/text_json.h"
#include "sched/trace_ring.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// Threads of a process in the trace: queues, then the tracks of modelled clocks, then what
/// is under way.
static int count_tracks(const cairn_trace *trace)
{
    return 2 * trace->queues + 1;
}

static int track_of(const cairn_trace *trace, const cairn_traced_event *event)
{
    if (event->task->flight) return 2 * trace->queues;
    return event->task->queue + (event->modelled >= 0 ? trace->queues : 0);
}

/// Append seconds as microseconds, whatever the locale's decimal point is.
static void add_microseconds(cairn_text *text, double seconds)
{
    const int64_t ns   = llround(seconds * 1e9);
    const int64_t size = ns < 0 ? -ns : ns;

    cairn_text_add(text, "%s%" PRId64 ".%03d", ns < 0 ? "-" : "", size / 1000,
                   (int)(size % 1000));
}

/// Append the name of a process, or, from 0 on, of a thread of it; @p suffix behind it.
static void add_name(const cairn_trace *trace,
                     int                track,
                     const char        *name,
                     const char        *suffix,
                     cairn_text        *text)
{
    char full[256];

    snprintf(full, sizeof full, "%.200s%s", name, suffix);
    cairn_text_add(text, "{\"ph\":\"M\",\"pid\":%d,", trace->rank);
    if (track >= 0) cairn_text_add(text, "\"tid\":%d,", track);
    cairn_text_add(text, "\"name\":\"%s\",\"args\":{\"name\":",
                   track < 0 ? "process_name" : "thread_name");
    cairn_text_add_json(text, full);
    cairn_text_add(text, "}}");
}

static void add_names(const cairn_trace *trace, const bool *used, cairn_text *text)
{
    char rank[32];

    snprintf(rank, sizeof rank, "rank %d", trace->rank);
    add_name(trace, -1, rank, "", text);
    for (int track = 0; track < 2 * trace->queues; track++) {
        const bool modelled = track >= trace->queues;

        if (!used[track] && (modelled || !trace->name[track])) continue;
        cairn_text_add(text, ",\n");
        add_name(trace, track, trace->name[track % trace->queues],
                 modelled ? " (simulated clock)" : "", text);
    }
    if (!used[2 * trace->queues]) return;
    cairn_text_add(text, ",\n");
    add_name(trace, 2 * trace->queues, "messages", "", text);
}

static void add_event(const cairn_trace        *trace,
                      const cairn_traced_event *event,
                      double                    begin,
                      cairn_text               *text)
{
    const bool modelled = event->modelled >= 0;

    cairn_text_add(text,
                   ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"name\":", trace->rank,
                   track_of(trace, event));
    cairn_text_add_json(text, event->task->label ? event->task->label : "task");
    cairn_text_add(text, ",\"cat\":");
    cairn_text_add_json(text, event->task->kind ? event->task->kind : "task");
    cairn_text_add(text, ",\"ts\":");
    add_microseconds(text, begin - trace->origin);
    cairn_text_add(text, ",\"dur\":");
    add_microseconds(text, modelled ? event->modelled : event->end - event->begin);
    cairn_text_add(text,
                   ",\"args\":{\"bytes\":%" PRId64 ",\"clock\":\"%s\","
                   "\"iteration\":%" PRId64 ",\"task\":%" PRId64,
                   event->task->bytes, modelled ? "simulated" : "measured",
                   event->iteration, (int64_t)event->task->number);
    if (event->how) {
        cairn_text_add(text, ",\"way\":");
        cairn_text_add_json(text, event->how);
    }
    cairn_text_add(text, "}}");
}

/// Say at the first event that there were others before it.
static void
add_dropped(const cairn_trace *trace, const cairn_traced_event *first, cairn_text *text)
{
    const int64_t dropped = cairn_trace_dropped(trace);

    if (!dropped) return;
    cairn_text_add(text,
                   ",\n{\"ph\":\"i\",\"s\":\"p\",\"pid\":%d,\"tid\":%d,"
                   "\"name\":\"%" PRId64 " events before this were dropped\",\"ts\":",
                   trace->rank, track_of(trace, first), dropped);
    add_microseconds(text, first->begin - trace->origin);
    cairn_text_add(text, ",\"args\":{\"dropped\":%" PRId64 "}}", dropped);
}

static int by_begin(const void *a, const void *b)
{
    const cairn_traced_event *const x = *(const cairn_traced_event *const *)a;
    const cairn_traced_event *const y = *(const cairn_traced_event *const *)b;

    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->iteration != y->iteration) return x->iteration < y->iteration ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

/// Print sorted events. @p ends: [tracks] where the last bar of each track ends.
static void print_sorted(const cairn_trace               *trace,
                         const cairn_traced_event *const *event,
                         double                          *ends,
                         cairn_text                      *text)
{
    const int64_t n = cairn_trace_kept(trace);

    if (n) add_dropped(trace, event[0], text);
    for (int64_t k = 0; k < n; k++) {
        double *const end   = &ends[track_of(trace, event[k])];
        double        begin = event[k]->begin;

        if (event[k]->modelled >= 0) {
            if (begin < *end) begin = *end;
            *end = begin + event[k]->modelled;
        }
        add_event(trace, event[k], begin, text);
    }
}

void cairn_trace_print_events(const cairn_trace *trace, cairn_text *text)
{
    const int64_t              n      = cairn_trace_kept(trace);
    const cairn_traced_event **sorted = NULL;
    const int                  tracks = count_tracks(trace);
    double                    *ends   = NULL;
    bool                      *used   = NULL;
    cairn_status               status = CAIRN_NEW(trace->env, n, &sorted);

    if (status == CAIRN_OK) status = CAIRN_NEW(trace->env, tracks, &ends);
    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(trace->env, tracks, &used);
    if (status == CAIRN_OK) {
        for (int track = 0; track < tracks; track++)
            ends[track] = trace->origin;
        for (int64_t k = 0; k < n; k++) {
            sorted[k]                        = &trace->event[k];
            used[track_of(trace, sorted[k])] = true;
        }
        qsort(sorted, (size_t)n, sizeof *sorted, by_begin);
        add_names(trace, used, text);
        print_sorted(trace, sorted, ends, text);
    } else if (text->status == CAIRN_OK) {
        text->status = status;
    }
    cairn_free(trace->env, sorted);
    cairn_free(trace->env, ends);
    cairn_free(trace->env, used);
}
