// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One run: X goes to the card piece by piece, each copied to pinned memory while the one
/// before travels; then the kernels; then Y likewise. All of it is enqueued at once, and its
/// end waited for. What is the same in every run, the kernels, and X and Y where they are
/// one piece, is recorded as a graph when the launch is made, and started by one call. The
/// environment is not touched.

#include "devices/cuda/product.h"

#include <stdio.h>
#include <string.h>

/// Bytes of a piece: what travels while the next is copied.
#define PIECE ((int64_t)1 << 20)

typedef struct {
    const cairn_cuda_product *p;
    cairn_cuda_device        *d;
    cairn_cuda_result         error;    ///< The first,
    const char               *where;    ///< and what met it.
    bool                      recorded; ///< Nothing is started: it becomes a graph.
} attempt;

static void note(attempt *s, cairn_cuda_result error, const char *where)
{
    if (s->error != CAIRN_CUDA_OK || error == CAIRN_CUDA_OK) return;
    s->error = error;
    s->where = where;
}

/// Note when all before it is done. One that is recorded tells times alone: what it says
/// between two runs is the last one's.
static void mark(attempt *s, cairn_cuda_event event)
{
    enum { EXTERNAL = 1 };

    if (s->error != CAIRN_CUDA_OK) return;
    note(s,
         s->recorded
             ? CAIRN_CUDA(s->d, cuEventRecordWithFlags, event, s->d->stream, EXTERNAL)
             : CAIRN_CUDA(s->d, cuEventRecord, event, s->d->stream),
         "an event");
}

/// Pieces of so many bytes, at most CAIRN_CUDA_PIECES of them.
static int64_t piece_of(int64_t bytes)
{
    const int64_t least = (bytes + CAIRN_CUDA_PIECES - 1) / CAIRN_CUDA_PIECES;

    return least > PIECE ? least : PIECE;
}

/// Is it one piece, so that its copy is the same in every run?
static bool is_piece(const cairn_cuda_operand *o)
{
    return o->bytes <= PIECE;
}

static void
copy_up(attempt *s, const cairn_cuda_operand *o, const char *from, const char *where)
{
    const int64_t most = piece_of(o->bytes);
    int64_t       piece;

    for (int64_t done = 0; done < o->bytes && s->error == CAIRN_CUDA_OK;
         done += piece) {
        piece = o->bytes - done < most ? o->bytes - done : most;
        memcpy(o->host.begin + done, from + done, (size_t)piece);
        note(s,
             CAIRN_CUDA(s->d, cuMemcpyHtoDAsync_v2, o->at + (cairn_cuda_pointer)done,
                        o->host.begin + done, (size_t)piece, s->d->stream),
             where);
    }
}

/// Enqueue Y's pieces, an event behind each. @return how many.
static int enqueue_down(attempt *s, const cairn_cuda_operand *o)
{
    const int64_t most   = piece_of(o->bytes);
    int           pieces = 0;
    int64_t       piece;

    for (int64_t done = 0; done < o->bytes && s->error == CAIRN_CUDA_OK;
         done += piece) {
        piece = o->bytes - done < most ? o->bytes - done : most;
        note(s,
             CAIRN_CUDA(s->d, cuMemcpyDtoHAsync_v2, o->host.begin + done,
                        o->at + (cairn_cuda_pointer)done, (size_t)piece, s->d->stream),
             "Y from it");
        mark(s, s->p->moment.down[pieces++]);
    }
    return pieces;
}

/// Take Y's pieces as they come.
static void take_down(attempt *s, const cairn_cuda_operand *o, char *y)
{
    const int64_t most   = piece_of(o->bytes);
    int           pieces = 0;
    int64_t       piece;

    for (int64_t done = 0; done < o->bytes && s->error == CAIRN_CUDA_OK;
         done += piece) {
        piece = o->bytes - done < most ? o->bytes - done : most;
        note(s, cairn_cuda_wait(s->p->device, s->p->moment.down[pieces++]),
             "its stream");
        if (s->error == CAIRN_CUDA_OK)
            memcpy(y + done, o->host.begin + done, (size_t)piece);
    }
}

cairn_cuda_result cairn_cuda_start(const cairn_cuda_product *p)
{
    enum { ITEMS = 128 };
    cairn_cuda_device *d     = cairn_cuda_of(p->device);
    cairn_cuda_result  error = CAIRN_CUDA_OK;

    for (int64_t k = 0; k < p->steps && error == CAIRN_CUDA_OK; k++) {
        void *argument[] = {p->step[k].arguments};

        error = CAIRN_CUDA(d, cuLaunchKernel, p->step[k].function, p->step[k].groups, 1,
                           1, ITEMS, 1, 1, 0, d->stream, argument, NULL);
    }
    return error;
}

static double seconds_between(attempt *s, cairn_cuda_event from, cairn_cuda_event to)
{
    float ms = 0;

    /* Without times Y is as right as with them. */
    if (s->d->loss.lost
        || CAIRN_CUDA(s->d, cuEventElapsedTime, &ms, from, to) != CAIRN_CUDA_OK
        || ms < 0)
        return 0;
    return (double)ms * 1e-3;
}

static void take_times(attempt *s, int pieces, cairn_launch_times *times)
{
    const cairn_cuda_moments *m = &s->p->moment;

    times->in      = seconds_between(s, m->begin, m->up);
    times->compute = seconds_between(s, m->up, m->computed);
    times->out = pieces > 0 ? seconds_between(s, m->computed, m->down[pieces - 1]) : 0;
}

/// X or Y to the card: into pinned memory alone if it is one piece, which part() sends.
static void
bring(attempt *s, const cairn_cuda_operand *o, const char *from, const char *where)
{
    if (!is_piece(o))
        copy_up(s, o, from, where);
    else if (s->error == CAIRN_CUDA_OK && o->bytes > 0)
        memcpy(o->host.begin, from, (size_t)o->bytes);
}

static void send(attempt *s, const cairn_cuda_operand *o, const char *where)
{
    if (!is_piece(o) || o->bytes == 0 || s->error != CAIRN_CUDA_OK) return;
    note(s,
         CAIRN_CUDA(s->d, cuMemcpyHtoDAsync_v2, o->at, o->host.begin, (size_t)o->bytes,
                    s->d->stream),
         where);
}

/// The part of a run that is the same in all.
static void part(attempt *s)
{
    const cairn_cuda_product *p = s->p;

    if (is_piece(&p->x)) mark(s, p->moment.begin);
    send(s, &p->x, "X to it");
    if (p->keeps) send(s, &p->y, "Y to it");
    if (p->clears && p->y.bytes > 0 && s->error == CAIRN_CUDA_OK)
        note(s,
             CAIRN_CUDA(s->d, cuMemsetD8Async, p->y.at, 0, (size_t)p->y.bytes,
                        s->d->stream),
             "Y set to 0");
    mark(s, p->moment.up);
    if (s->error == CAIRN_CUDA_OK) note(s, cairn_cuda_start(p), "a kernel");
    mark(s, p->moment.computed);
    if (is_piece(&p->y) && p->y.bytes > 0 && s->error == CAIRN_CUDA_OK)
        note(s,
             CAIRN_CUDA(s->d, cuMemcpyDtoHAsync_v2, p->y.host.begin, p->y.at,
                        (size_t)p->y.bytes, s->d->stream),
             "Y from it");
}

/// Y's pieces, an event behind each. @return how many.
static int end_of(attempt *s, const cairn_cuda_operand *y)
{
    if (!is_piece(y)) return enqueue_down(s, y);
    if (y->bytes == 0) return 0;
    mark(s, s->p->moment.down[0]);
    return 1;
}

/// All of it, on a card that is entered.
static void attempt_all(attempt *s, const char *x, char *y, cairn_launch_times *times)
{
    const cairn_cuda_product *p = s->p;
    int                       pieces;

    if (!is_piece(&p->x)) mark(s, p->moment.begin);
    bring(s, &p->x, x, "X to it");
    if (p->keeps) bring(s, &p->y, y, "Y to it");
    if (!p->graph)
        part(s);
    else if (s->error == CAIRN_CUDA_OK)
        note(s, CAIRN_CUDA(s->d, cuGraphLaunch, p->graph, s->d->stream), "a graph");
    pieces = end_of(s, &p->y);
    take_down(s, &p->y, y);
    if (s->error != CAIRN_CUDA_OK || pieces == 0)
        note(s, cairn_cuda_settle(p->device, p->moment.computed, s->error),
             "its stream");
    if (s->error == CAIRN_CUDA_OK) take_times(s, pieces, times);
}

/// Record the part that is the same in all. The stream records no more after it, whatever
/// became of it.
static cairn_cuda_result record(const cairn_cuda_product *p, cairn_cuda_graph *graph)
{
    enum { BY_THIS_THREAD = 1 };
    cairn_cuda_device *d = cairn_cuda_of(p->device);
    attempt            s = {.p = p, .d = d, .recorded = true};

    note(&s, CAIRN_CUDA(d, cuStreamBeginCapture_v2, d->stream, BY_THIS_THREAD), "");
    if (s.error != CAIRN_CUDA_OK) return s.error;
    part(&s);
    if (!d->loss.lost)
        note(&s, CAIRN_CUDA(d, cuStreamEndCapture, d->stream, graph), "");
    return s.error;
}

/// Pageable memory is copied by way of the driver's own, which is no graph's.
static bool is_recordable(const cairn_cuda_product *p)
{
    return (!is_piece(&p->x) || p->x.host.locked)
           && (!is_piece(&p->y) || p->y.host.locked);
}

cairn_status cairn_cuda_record(cairn_cuda_product *p)
{
    cairn_cuda_device *d     = cairn_cuda_of(p->device);
    cairn_cuda_graph   graph = NULL;

    if (!is_recordable(p)) return CAIRN_OK;
    p->no_graph = record(p, &graph);
    if (p->no_graph == CAIRN_CUDA_OK)
        p->no_graph = CAIRN_CUDA(d, cuGraphInstantiateWithFlags, &p->graph, graph, 0);
    if (p->no_graph != CAIRN_CUDA_OK) p->graph = NULL;
    if (graph && !d->loss.lost) CAIRN_CUDA(d, cuGraphDestroy, graph);
    return d->loss.lost ? cairn_cuda_fail(p->device, p->no_graph, "a graph") : CAIRN_OK;
}

cairn_status cairn_cuda_run(cairn_launch *launch, const void *x, void *y)
{
    const cairn_cuda_product *p = launch->state;
    attempt                   s = {.p = p, .d = cairn_cuda_of(launch->device)};

    note(&s, cairn_cuda_enter(s.d), "its context");
    if (s.error == CAIRN_CUDA_OK) {
        attempt_all(&s, (const char *)x + p->x.begin, y, &launch->times);
        cairn_cuda_leave(s.d);
    }
    if (s.error == CAIRN_CUDA_OK) return CAIRN_OK;
    snprintf(launch->message, sizeof launch->message, "device: %s: %s: %s",
             launch->device->info.id, s.where,
             s.d->loss.lost ? s.d->loss.why : cairn_cuda_error(&s.d->driver, s.error));
    return cairn_cuda_status(s.error);
}
