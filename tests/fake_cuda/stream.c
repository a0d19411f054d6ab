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
    fake_graph  *graph; ///< Or all of this.
    double       due;   ///< Not before.
} item;

/// What is recorded, of streams that joined each other.
typedef struct recording {
    fake_graph   *graph;
    unsigned long number;
    fake_stream  *origin;
} recording;

struct fake_stream {
    fake_stream *next;
    int          card;
    item        *first, **last;
    recording   *recorded; ///< NULL: what it is given is to be done.
    fake_tail    tail;     ///< Of what is recorded.
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

/// The card whose memory kernels have open, from the first of some steps to the end of
/// them: opening all takes longer than most work. -1: none has.
static int opened = -1;

static void close_all(void)
{
    if (opened >= 0) fake_memory_close(opened);
    opened = -1;
}

static void open_all(int card)
{
    if (opened == card) return;
    close_all();
    fake_memory_open(card);
    opened = card;
}

static void run_kernel(int card, const fake_work *w)
{
    const unsigned items = items_of(w);

    open_all(card);
    const char *const broken =
        w->kernel(w->args, w->x, w->y, (int)items, fake_random(1u << 30));

    if (broken) fake_die(broken);
}

static void *host(cairn_cuda_pointer at)
{
    return (void *)(uintptr_t)at;
}

/// Only the pages that are copied or set are opened, where not all are.
static void copy(int card, const fake_work *w)
{
    if (opened != card) {
        fake_memory_open_at(card, w->to, w->bytes);
        fake_memory_open_at(card, w->from, w->bytes);
    }
    memcpy(host(w->to), host(w->from), w->bytes);
    if (opened == card) return;
    fake_memory_close_at(card, w->to, w->bytes);
    fake_memory_close_at(card, w->from, w->bytes);
}

static void set(int card, const fake_work *w)
{
    if (opened != card) fake_memory_open_at(card, w->to, w->bytes);
    memset(host(w->to), w->value, w->bytes);
    if (opened != card) fake_memory_close_at(card, w->to, w->bytes);
}

static void do_work(const fake_stream *s, fake_work *w)
{
    switch (w->kind) {
    case FAKE_COPY_DOWN:
        fake.down += w->bytes;
        if (fake.set.delay <= 0 || !fake_host_is_gone(w->to, w->bytes))
            copy(s->card, w);
        break;
    case FAKE_COPY_UP: fake.up += w->bytes; /* fall through */
    case FAKE_COPY_INSIDE: copy(s->card, w); break;
    case FAKE_SET: set(s->card, w); break;
    case FAKE_RUN: run_kernel(s->card, w); break;
    case FAKE_WAIT: break;
    case FAKE_RECORD:
        if (w->event->come < w->turn) w->event->come = w->turn;
        if (!w->silent && w->event->turn != w->turn) break;
        w->event->recorded = w->event->done = true;
        w->event->time                      = now();
        break;
    }
    free(w->args);
}

static bool may_begin(const item *i, double time)
{
    return i->due <= time
           && (i->graph || i->work.kind != FAKE_WAIT
               || i->work.event->come >= i->work.turn);
}

/// Do the next of one stream, whichever. @return false: nothing may be done.
static bool step(void)
{
    const double time   = now();
    unsigned     able   = 0;
    fake_stream *chosen = NULL;
    fake_work    work;

    for (fake_stream *s = streams; s; s = s->next)
        if (s->first && may_begin(s->first, time) && fake_random(++able) == 0)
            chosen = s;
    if (!chosen) return false;
    item *const i = chosen->first;

    if (i->graph && fake_graph_take(i->graph, &work)) {
        do_work(chosen, &work);
        return true;
    }
    chosen->first = i->next;
    if (!chosen->first) chosen->last = &chosen->first;
    if (i->graph)
        fake_graph_free(i->graph);
    else
        do_work(chosen, &i->work);
    free(i);
    return true;
}

/// What waits in graphs that streams have come to.
static unsigned waiting(void)
{
    unsigned count = 0;

    for (const fake_stream *s = streams; s; s = s->next)
        if (s->first && s->first->graph) count += fake_graph_left(s->first->graph);
    return count;
}

/// Few at a time; of thousands more, so that they do not take thousands of calls.
void fake_stream_advance(void)
{
    for (unsigned turns = fake_random(4 + waiting() / 64); turns > 0 && step();)
        turns--;
    close_all();
}

static void drop_recording(recording *r)
{
    for (fake_stream *s = streams; s; s = s->next)
        if (s->recorded == r) s->recorded = NULL;
    if (r->graph) fake_graph_free(r->graph);
    free(r);
}

void fake_stream_drop(int card)
{
    for (fake_stream *s = streams; s; s = s->next) {
        if (card >= 0 && s->card != card) continue;
        for (item *i = s->first, *next; i; i = next) {
            next = i->next;
            if (i->graph) fake_graph_free(i->graph);
            free(i->work.args);
            free(i);
        }
        s->first = NULL;
        s->last  = &s->first;
        if (s->recorded) drop_recording(s->recorded);
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
        close_all();
        pthread_mutex_unlock(&fake.lock);
    }
    return unused;
}

/* Recording. */

bool fake_stream_record(fake_stream *stream)
{
    static unsigned long numbers;

    if (stream->recorded) return false;
    stream->recorded   = malloc(sizeof *stream->recorded);
    *stream->recorded  = (recording){fake_graph_make(), ++numbers, stream};
    stream->tail.count = 0;
    return true;
}

bool fake_stream_records(void)
{
    for (const fake_stream *s = streams; s; s = s->next)
        if (s->recorded) return true;
    return false;
}

cairn_cuda_result fake_stream_end(fake_stream *stream, fake_graph **graph)
{
    enum { NO_RECORD = 901, UNMATCHED = 903, UNJOINED = 904 };
    recording *const  r     = stream->recorded;
    cairn_cuda_result error = CAIRN_CUDA_OK;

    *graph = NULL;
    if (!r) return NO_RECORD;
    if (r->origin != stream) return UNMATCHED;
    for (const fake_stream *s = streams; s; s = s->next)
        if (s->recorded == r && !fake_graph_joins(r->graph, &s->tail, &stream->tail))
            error = UNJOINED;
    if (error == CAIRN_CUDA_OK) {
        *graph   = r->graph;
        r->graph = NULL;
    }
    drop_recording(r);
    return error;
}

static void join_tails(fake_tail *to, const fake_tail *from)
{
    for (int k = 0; k < from->count; k++) {
        int at = 0;

        while (at < to->count && to->node[at] != from->node[k])
            at++;
        if (at < to->count) continue;
        if (to->count == FAKE_NEEDS) fake_die("a stream waits for too much at once");
        to->node[to->count++] = from->node[k];
    }
}

void fake_stream_mark(fake_stream *stream, fake_event *event)
{
    if (stream->recorded) {
        event->recording = stream->recorded->number;
        event->tail      = stream->tail;
        return;
    }
    event->recording = 0;
    event->recorded  = true;
    event->done      = false;
    event->turn++;
    fake_stream_give(
        stream, &(fake_work){.kind = FAKE_RECORD, .event = event, .turn = event->turn});
}

/// A stream that waits for what is recorded is recorded, too, from then on.
cairn_cuda_result fake_stream_wait(fake_stream *stream, fake_event *event)
{
    enum { ISOLATION = 905, CAPTURED_EVENT = 907 };
    recording *of = NULL;

    for (const fake_stream *s = streams; s && event->recording; s = s->next)
        if (s->recorded && s->recorded->number == event->recording) of = s->recorded;
    if (event->recording && !of) return CAPTURED_EVENT;
    if (stream->recorded && stream->recorded != of) return ISOLATION;
    if (fake.waits-- == 0) return CAIRN_CUDA_OK; /* planted: it is forgotten */
    if (of) {
        if (!stream->recorded) stream->tail.count = 0;
        stream->recorded = of;
        join_tails(&stream->tail, &event->tail);
    } else if (event->recorded) {
        fake_stream_give(
            stream,
            &(fake_work){.kind = FAKE_WAIT, .event = event, .turn = event->turn});
    }
    return CAIRN_CUDA_OK;
}

static void enqueue(fake_stream *stream, const item *what)
{
    item *const i = malloc(sizeof *i);
    pthread_t   thread;

    *i            = *what;
    i->due        = now() + fake.set.delay;
    *stream->last = i;
    stream->last  = &i->next;
    if (fake.set.delay <= 0 || late_thread) return;
    late_thread = true;
    if (pthread_create(&thread, NULL, come_late, NULL) != 0) fake_die("no thread");
    pthread_detach(thread);
}

void fake_stream_give(fake_stream *stream, const fake_work *work)
{
    if (stream->recorded)
        fake_graph_add(stream->recorded->graph, work, &stream->tail);
    else
        enqueue(stream, &(item){.work = *work});
}

void fake_stream_give_graph(fake_stream *stream, const fake_graph *graph)
{
    enqueue(stream, &(item){.graph = fake_graph_copy(graph, false)});
}
