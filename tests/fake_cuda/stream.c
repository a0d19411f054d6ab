// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Streams: lists of work, done when somebody waits.

#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct item {
    struct item *next;
    fake_work    work;
    double       due; ///< Not before.
} item;

typedef struct graph {
    item *first, **last;
} graph;

struct fake_stream {
    fake_stream *next;
    int          card;
    item        *first, **last;
    graph       *recorded; ///< NULL: what it is given is to be done.
};

static fake_stream *streams;
static bool         late_thread;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

fake_stream *fake_stream_make(int card)
{
    fake_stream *s = malloc(sizeof *s);

    *s      = (fake_stream){.next = streams, .card = card};
    s->last = &s->first;
    streams = s;
    return s;
}

void fake_stream_free(fake_stream *stream)
{
    fake_stream **link = &streams;

    if (stream->first) fake_die("a stream is destroyed while work waits");
    if (stream->recorded) fake_die("a stream is destroyed while it records");
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    free(stream);
}

int fake_stream_card(const fake_stream *stream)
{
    return stream->card;
}

bool fake_stream_busy(int card)
{
    for (const fake_stream *s = streams; s; s = s->next)
        if (s->card == card && s->first) return true;
    return false;
}

/// Fibers show missing barriers, and take long: small launches, and one in 16.
static unsigned items_of(const fake_work *w)
{
    return w->x * w->y <= 2 || fake_random(16) == 0 ? w->items : 1;
}

static void run_kernel(const fake_work *w)
{
    const unsigned    items = items_of(w);
    const char *const broken =
        w->kernel(w->args, w->x, w->y, (int)items, fake_random(1u << 30));

    if (broken) fake_die(broken);
}

static void *host(cairn_cuda_pointer at)
{
    return (void *)(uintptr_t)at;
}

static void do_work(const fake_stream *s, fake_work *w)
{
    fake_memory_open(s->card);
    switch (w->kind) {
    case FAKE_COPY_UP:
    case FAKE_COPY_DOWN:
    case FAKE_COPY_INSIDE: memcpy(host(w->to), host(w->from), w->bytes); break;
    case FAKE_SET: memset(host(w->to), w->value, w->bytes); break;
    case FAKE_RUN: run_kernel(w); break;
    case FAKE_RECORD:
        if (!w->silent && w->event->turn != w->turn) break;
        w->event->recorded = w->event->done = true;
        w->event->time                      = now();
        break;
    }
    fake_memory_close(s->card);
    free(w->args);
}

/// Do the next of one stream, whichever. @return false: nothing may be done.
static bool step(void)
{
    const double time   = now();
    unsigned     able   = 0;
    fake_stream *chosen = NULL;

    for (fake_stream *s = streams; s; s = s->next)
        if (s->first && s->first->due <= time && fake_random(++able) == 0) chosen = s;
    if (!chosen) return false;
    item *const i = chosen->first;

    chosen->first = i->next;
    if (!chosen->first) chosen->last = &chosen->first;
    do_work(chosen, &i->work);
    free(i);
    return true;
}

void fake_stream_advance(void)
{
    for (unsigned turns = fake_random(4); turns > 0 && step();)
        turns--;
}

void fake_stream_drop(void)
{
    for (fake_stream *s = streams; s; s = s->next) {
        for (item *i = s->first, *next; i; i = next) {
            next = i->next;
            free(i->work.args);
            free(i);
        }
        s->first = NULL;
        s->last  = &s->first;
        if (s->recorded) fake_graph_free(s->recorded);
        s->recorded = NULL;
    }
}

/// What is late comes all the same, also when nobody asks any more.
static void *come_late(void *unused)
{
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        pthread_mutex_lock(&fake.lock);
        while (step()) {
        }
        pthread_mutex_unlock(&fake.lock);
    }
    return unused;
}

/* Graphs. */

bool fake_stream_record(fake_stream *stream)
{
    if (stream->recorded) return false;
    stream->recorded        = malloc(sizeof *stream->recorded);
    stream->recorded->last  = &stream->recorded->first;
    *stream->recorded->last = NULL;
    return true;
}

void *fake_stream_recorded(fake_stream *stream)
{
    graph *const g = stream->recorded;

    stream->recorded = NULL;
    return g;
}

bool fake_stream_records(void)
{
    for (const fake_stream *s = streams; s; s = s->next)
        if (s->recorded) return true;
    return false;
}

static void add(graph *g, const fake_work *work)
{
    item *const i = malloc(sizeof *i);

    *i       = (item){.work = *work};
    *g->last = i;
    g->last  = &i->next;
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

void *fake_graph_copy(const void *given)
{
    const graph *const from = given;
    graph *const       g    = malloc(sizeof *g);

    *g = (graph){.last = &g->first};
    for (const item *i = from->first; i; i = i->next) {
        const fake_work fresh = copy_work(&i->work);

        add(g, &fresh);
    }
    return g;
}

void fake_graph_give(fake_stream *stream, const void *given)
{
    for (const item *i = ((const graph *)given)->first; i; i = i->next) {
        const fake_work fresh = copy_work(&i->work);

        fake_stream_give(stream, &fresh);
    }
}

void fake_graph_free(void *given)
{
    graph *const g = given;

    for (item *i = g->first, *next; i; i = next) {
        next = i->next;
        free(i->work.args);
        free(i);
    }
    free(g);
}

void fake_stream_give(fake_stream *stream, const fake_work *work)
{
    item     *i;
    pthread_t thread;

    if (stream->recorded) {
        add(stream->recorded, work);
        return;
    }
    i             = malloc(sizeof *i);
    *i            = (item){.work = *work, .due = now() + fake.set.delay};
    *stream->last = i;
    stream->last  = &i->next;
    if (fake.set.delay <= 0 || late_thread) return;
    late_thread = true;
    if (pthread_create(&thread, NULL, come_late, NULL) != 0) fake_die("no thread");
    pthread_detach(thread);
}
