// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One run of launches that sit together: Xs go to the card piece by piece, each copied to
/// pinned memory while the one before travels; then the kernels; then Ys likewise. All of
/// it is enqueued at once, and its end waited for when Ys are collected. What is the same
/// in every run, the kernels, and Xs and Ys that are one piece, is recorded as a graph when
/// the seat is opened, and started by one call. The environment is not touched.

#include "devices/cuda/product.h"

#include <stdio.h>
#include <string.h>

/// Bytes of a piece: what travels while the next is copied.
#define PIECE ((int64_t)1 << 20)

static cairn_cuda_device *device_of(const cairn_cuda_seat *s)
{
    return cairn_cuda_of(s->device);
}

static void note(cairn_cuda_seat *s, cairn_cuda_result error, const char *where)
{
    if (s->error != CAIRN_CUDA_OK || error == CAIRN_CUDA_OK) return;
    s->error = error;
    s->where = where;
}

/// Note when all before it is done. One that is recorded tells times alone: what it says
/// between two runs is the last one's.
static void mark(cairn_cuda_seat *s, cairn_cuda_event event)
{
    enum { EXTERNAL = 1 };
    cairn_cuda_device *d = device_of(s);

    if (s->error != CAIRN_CUDA_OK) return;
    note(s,
         s->recorded ? CAIRN_CUDA(d, cuEventRecordWithFlags, event, d->stream, EXTERNAL)
                     : CAIRN_CUDA(d, cuEventRecord, event, d->stream),
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

/// Is product @p k the first that reads its X?
static bool brings(const cairn_cuda_seat *s, int k)
{
    for (int j = 0; j < k; j++)
        if (s->product[j]->x == s->product[k]->x) return false;
    return true;
}

static void copy_up(cairn_cuda_seat          *s,
                    const cairn_cuda_operand *o,
                    const char               *from,
                    const char               *where)
{
    cairn_cuda_device *d    = device_of(s);
    const int64_t      most = piece_of(o->bytes);
    int64_t            piece;

    for (int64_t done = 0; done < o->bytes && s->error == CAIRN_CUDA_OK;
         done += piece) {
        piece = o->bytes - done < most ? o->bytes - done : most;
        memcpy(o->host.begin + done, from + done, (size_t)piece);
        note(s,
             CAIRN_CUDA(d, cuMemcpyHtoDAsync_v2, o->at + (cairn_cuda_pointer)done,
                        o->host.begin + done, (size_t)piece, d->stream),
             where);
    }
}

/// Into pinned memory alone if it is one piece, which the part that is the same sends.
static void bring(cairn_cuda_seat          *s,
                  const cairn_cuda_operand *o,
                  const char               *from,
                  const char               *where)
{
    if (!is_piece(o))
        copy_up(s, o, from, where);
    else if (s->error == CAIRN_CUDA_OK && o->bytes > 0)
        memcpy(o->host.begin, from, (size_t)o->bytes);
}

/// Before that part: X of product @p k, and a Y that it keeps.
static void bring_operands(cairn_cuda_seat *s, int k, const char *x, const char *y)
{
    const cairn_cuda_product *p      = s->product[k];
    const cairn_cuda_operand *on     = &p->x->on;
    const bool                long_x = !is_piece(on);

    if (brings(s, k)) {
        if (long_x) mark(s, p->moment.begin);
        bring(s, on, x + on->begin, "X to it");
        if (long_x) mark(s, p->moment.up);
    }
    if (p->keeps) bring(s, &p->y, y, "Y to it");
}

static void send(cairn_cuda_seat *s, const cairn_cuda_operand *o, const char *where)
{
    cairn_cuda_device *d = device_of(s);

    if (!is_piece(o) || o->bytes == 0 || s->error != CAIRN_CUDA_OK) return;
    note(s,
         CAIRN_CUDA(d, cuMemcpyHtoDAsync_v2, o->at, o->host.begin, (size_t)o->bytes,
                    d->stream),
         where);
}

/// Y from the card from byte @p done on.
static void
fetch(cairn_cuda_seat *s, const cairn_cuda_operand *o, int64_t done, int64_t bytes)
{
    cairn_cuda_device *d = device_of(s);

    note(s,
         CAIRN_CUDA(d, cuMemcpyDtoHAsync_v2, o->host.begin + done,
                    o->at + (cairn_cuda_pointer)done, (size_t)bytes, d->stream),
         "Y from it");
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

/// What product @p k does in every run, but for its Y's way back.
static void enqueue_product(cairn_cuda_seat *s, int k)
{
    const cairn_cuda_product *p = s->product[k];
    cairn_cuda_device        *d = device_of(s);

    if (brings(s, k) && is_piece(&p->x->on)) {
        mark(s, p->moment.begin);
        send(s, &p->x->on, "X to it");
        mark(s, p->moment.up);
    }
    mark(s, p->moment.ready);
    if (p->keeps) send(s, &p->y, "Y to it");
    if (p->clears && p->y.bytes > 0 && s->error == CAIRN_CUDA_OK)
        note(s,
             CAIRN_CUDA(d, cuMemsetD8Async, p->y.at, 0, (size_t)p->y.bytes, d->stream),
             "Y set to 0");
    if (s->error == CAIRN_CUDA_OK) note(s, cairn_cuda_start(p), "a kernel");
    mark(s, p->moment.computed);
}

/// The part of a run that is the same in all.
static void enqueue_same(cairn_cuda_seat *s)
{
    for (int k = 0; k < s->products; k++)
        enqueue_product(s, k);
    for (int k = 0; k < s->products; k++) {
        const cairn_cuda_product *p = s->product[k];

        if (!is_piece(&p->y) || p->y.bytes == 0 || s->error != CAIRN_CUDA_OK) continue;
        fetch(s, &p->y, 0, p->y.bytes);
        mark(s, p->moment.down[0]);
    }
}

/// Y of several pieces, an event behind each.
static void enqueue_down(cairn_cuda_seat *s, const cairn_cuda_product *p)
{
    const int64_t most   = piece_of(p->y.bytes);
    int           pieces = 0;
    int64_t       piece;

    for (int64_t done = 0; done < p->y.bytes && s->error == CAIRN_CUDA_OK;
         done += piece) {
        piece = p->y.bytes - done < most ? p->y.bytes - done : most;
        fetch(s, &p->y, done, piece);
        mark(s, p->moment.down[pieces++]);
    }
}

/// All of a run, on a card that is entered.
static void enqueue(cairn_cuda_seat *s, const void *const *x, void *const *y)
{
    cairn_cuda_device *d = device_of(s);

    for (int k = 0; k < s->products; k++)
        bring_operands(s, k, x[k], y ? y[k] : NULL);
    if (!s->graph)
        enqueue_same(s);
    else if (s->error == CAIRN_CUDA_OK)
        note(s, CAIRN_CUDA(d, cuGraphLaunch, s->graph, d->stream), "a graph");
    mark(s, s->done);
    for (int k = 0; k < s->products; k++)
        if (!is_piece(&s->product[k]->y)) enqueue_down(s, s->product[k]);
}

/// Whatever was begun is over after a failure.
static void settle(cairn_cuda_seat *s)
{
    if (s->error != CAIRN_CUDA_OK) cairn_cuda_settle(s->device, s->done, s->error);
}

/// Begin a run on a card that is entered.
static void begin(cairn_cuda_seat *s, const void *const *x, void *const *y)
{
    s->came = false;
    enqueue(s, x, y);
    settle(s);
}

void cairn_cuda_seat_start(cairn_cuda_seat *s, const void *const *x)
{
    s->error = CAIRN_CUDA_OK;
    note(s, cairn_cuda_enter(device_of(s)), "its context");
    if (s->error != CAIRN_CUDA_OK) return;
    begin(s, x, NULL);
    cairn_cuda_leave(device_of(s));
}

/// Take Y, piece by piece as they come, if there are several. @p y NULL: only wait.
static void take_down(cairn_cuda_seat *s, const cairn_cuda_product *p, char *y)
{
    const int64_t most   = piece_of(p->y.bytes);
    int           pieces = 0;
    int64_t       piece;

    if (!s->came) note(s, cairn_cuda_wait(s->device, s->done), "its stream");
    s->came = true;
    for (int64_t done = 0; done < p->y.bytes && s->error == CAIRN_CUDA_OK;
         done += piece) {
        piece = p->y.bytes - done < most ? p->y.bytes - done : most;
        if (!is_piece(&p->y))
            note(s, cairn_cuda_wait(s->device, p->moment.down[pieces++]), "its stream");
        if (s->error == CAIRN_CUDA_OK && y)
            memcpy(y + done, p->y.host.begin + done, (size_t)piece);
    }
}

static double
seconds_between(const cairn_cuda_seat *s, cairn_cuda_event from, cairn_cuda_event to)
{
    cairn_cuda_device *d  = device_of(s);
    float              ms = 0;

    /* Without times Y is as right as with them. */
    if (d->loss.lost
        || CAIRN_CUDA(d, cuEventElapsedTime, &ms, from, to) != CAIRN_CUDA_OK || ms < 0)
        return 0;
    return (double)ms * 1e-3;
}

/// When the last piece of a Y has come.
static cairn_cuda_event last_down(const cairn_cuda_product *p)
{
    const int64_t most = piece_of(p->y.bytes);

    return p->moment.down[(p->y.bytes + most - 1) / most - 1];
}

/// What the stream did last before Y of product @p k: Ys of one piece go before others.
static cairn_cuda_event before_down(const cairn_cuda_seat *s, int k)
{
    const bool       piece = is_piece(&s->product[k]->y);
    cairn_cuda_event event = s->product[s->products - 1]->moment.computed;

    for (int j = 0; !piece && j < s->products; j++)
        if (is_piece(&s->product[j]->y) && s->product[j]->y.bytes > 0)
            event = last_down(s->product[j]);
    for (int j = 0; j < k; j++)
        if (is_piece(&s->product[j]->y) == piece && s->product[j]->y.bytes > 0)
            event = last_down(s->product[j]);
    return event;
}

static void take_times(const cairn_cuda_seat *s, int k, cairn_launch_times *times)
{
    const cairn_cuda_product *p = s->product[k];
    const cairn_cuda_moments *m = &p->moment;

    times->in      = brings(s, k) ? seconds_between(s, m->begin, m->up) : 0;
    times->compute = seconds_between(s, m->ready, m->computed);
    times->out =
        p->y.bytes > 0 ? seconds_between(s, before_down(s, k), last_down(p)) : 0;
}

/// End a launch on a card that is entered.
static void end(cairn_cuda_seat *s, int k, void *y, cairn_launch_times *times)
{
    if (s->error != CAIRN_CUDA_OK) return;
    take_down(s, s->product[k], y);
    settle(s);
    if (s->error == CAIRN_CUDA_OK) take_times(s, k, times);
}

void cairn_cuda_seat_finish(cairn_cuda_seat    *s,
                            int                 k,
                            void               *y,
                            cairn_launch_times *times)
{
    cairn_cuda_device *d    = device_of(s);
    const bool         lost = d->loss.lost;

    if (s->error != CAIRN_CUDA_OK) return;
    note(s, cairn_cuda_enter(d), "its context");
    if (s->error == CAIRN_CUDA_OK) {
        end(s, k, y, times);
        cairn_cuda_leave(d);
    } else if (!lost)
        d->loss.gone = true; /* nothing tells any more whether it is still at work */
}

cairn_status cairn_cuda_seat_status(const cairn_cuda_seat *s, char message[256])
{
    const cairn_cuda_device *d = device_of(s);

    if (s->error == CAIRN_CUDA_OK) return CAIRN_OK;
    snprintf(message, 256, "device: %s: %s: %s", s->device->info.id, s->where,
             d->loss.lost ? d->loss.why : cairn_cuda_error(&d->driver, s->error));
    return cairn_cuda_status(s->error);
}

cairn_status cairn_cuda_run(cairn_launch *launch, const void *x, void *y)
{
    cairn_cuda_seat   *s = &((cairn_cuda_product *)launch->state)->alone;
    cairn_cuda_device *d = device_of(s);

    s->error = CAIRN_CUDA_OK;
    note(s, cairn_cuda_enter(d), "its context");
    if (s->error == CAIRN_CUDA_OK) {
        begin(s, &x, &y);
        end(s, 0, y, &launch->times);
        cairn_cuda_leave(d);
    }
    return cairn_cuda_seat_status(s, launch->message);
}

/* Opening it. */

/// Record the part that is the same in all. The stream records no more after it, whatever
/// became of it.
static cairn_cuda_result record(cairn_cuda_seat *s, cairn_cuda_graph *graph)
{
    enum { BY_THIS_THREAD = 1 };
    cairn_cuda_device *d = device_of(s);

    s->error = CAIRN_CUDA_OK;
    note(s, CAIRN_CUDA(d, cuStreamBeginCapture_v2, d->stream, BY_THIS_THREAD), "");
    if (s->error != CAIRN_CUDA_OK) return s->error;
    s->recorded = true;
    enqueue_same(s);
    s->recorded = false;
    if (!d->loss.lost) note(s, CAIRN_CUDA(d, cuStreamEndCapture, d->stream, graph), "");
    return s->error;
}

/// Pageable memory is copied by way of the driver's own, which is no graph's.
static bool is_recordable(const cairn_cuda_seat *s)
{
    for (int k = 0; k < s->products; k++) {
        const cairn_cuda_operand *x = &s->product[k]->x->on, *y = &s->product[k]->y;

        if ((is_piece(x) && !x->host.locked) || (is_piece(y) && !y->host.locked))
            return false;
    }
    return true;
}

cairn_status cairn_cuda_seat_open(cairn_cuda_seat *s, bool wanted)
{
    cairn_cuda_device *d     = device_of(s);
    cairn_cuda_graph   graph = NULL;

    CAIRN_TRY(cairn_cuda_event_make(s->device, false, &s->done));
    if (!wanted || !is_recordable(s)) return CAIRN_OK;
    s->no_graph = record(s, &graph);
    if (s->no_graph == CAIRN_CUDA_OK)
        s->no_graph = CAIRN_CUDA(d, cuGraphInstantiateWithFlags, &s->graph, graph, 0);
    if (s->no_graph != CAIRN_CUDA_OK) s->graph = NULL;
    if (graph && !d->loss.lost) CAIRN_CUDA(d, cuGraphDestroy, graph);
    return d->loss.lost ? cairn_cuda_fail(s->device, s->no_graph, "a graph") : CAIRN_OK;
}

void cairn_cuda_seat_close(cairn_cuda_seat *s)
{
    if (!s->device) return;
    cairn_cuda_device *d = device_of(s);

    if (s->graph && !d->loss.lost) CAIRN_CUDA(d, cuGraphExecDestroy, s->graph);
    s->graph = NULL;
    cairn_cuda_event_free(s->device, &s->done);
}
