// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One run of launches that sit together: Xs go to the card piece by piece, each copied to
/// pinned memory while the one before travels; then the kernels; then Ys likewise. All of
/// it is enqueued at once, and its end waited for when Ys are collected. What is the same
/// in every run, the kernels, and Xs and Ys that are one piece, is recorded as a graph when
/// the seat is opened, and started by one call. The environment is not touched.

#include "devices/cuda/product.h"

#include <stdio.h>

/// Bytes of the pieces of what is longer than one: one travels while the next is copied.
#define LONG_PIECE ((int64_t)4 << 20)

static cairn_cuda_device *device_of(const cairn_cuda_seat *s)
{
    return cairn_cuda_of(s->device);
}

void cairn_cuda_seat_note(cairn_cuda_seat  *seat,
                          cairn_cuda_result error,
                          const char       *where)
{
    if (seat->error != CAIRN_CUDA_OK || error == CAIRN_CUDA_OK) return;
    seat->error = error;
    seat->where = where;
}

static void note(cairn_cuda_seat *s, cairn_cuda_result error, const char *where)
{
    cairn_cuda_seat_note(s, error, where);
}

/// One that is recorded tells times alone: what it says between two runs is the last one's.
void cairn_cuda_seat_mark_in(cairn_cuda_seat  *seat,
                             cairn_cuda_event  event,
                             cairn_cuda_stream stream)
{
    enum { EXTERNAL = 1 };
    cairn_cuda_device *d = device_of(seat);

    if (seat->error != CAIRN_CUDA_OK) return;
    note(seat,
         seat->recorded ? CAIRN_CUDA(d, cuEventRecordWithFlags, event, stream, EXTERNAL)
                        : CAIRN_CUDA(d, cuEventRecord, event, stream),
         "an event");
}

void cairn_cuda_seat_mark(cairn_cuda_seat *seat, cairn_cuda_event event)
{
    cairn_cuda_seat_mark_in(seat, event, device_of(seat)->stream);
}

bool cairn_cuda_seat_brings(const cairn_cuda_seat *seat, int k)
{
    for (int j = 0; j < k; j++)
        if (seat->product[j]->x == seat->product[k]->x) return false;
    return true;
}

void cairn_cuda_seat_up(cairn_cuda_seat          *seat,
                        const cairn_cuda_operand *operand,
                        const char               *from,
                        const char               *where)
{
    const cairn_cuda_operand *o = operand;
    cairn_cuda_device        *d = device_of(seat);
    int64_t                   piece;

    for (int64_t done = 0; done < o->bytes && seat->error == CAIRN_CUDA_OK;
         done += piece) {
        piece = o->bytes - done < LONG_PIECE ? o->bytes - done : LONG_PIECE;
        cairn_cuda_copy(seat->device, o->host.begin + done, from + done, piece);
        note(seat,
             CAIRN_CUDA(d, cuMemcpyHtoDAsync_v2, o->at + (cairn_cuda_pointer)done,
                        o->host.begin + done, (size_t)piece, d->stream),
             where);
    }
}

/// Into pinned memory alone if it is one piece, which the part that is the same sends; else
/// all the way, two pieces of it at a time: it waits for those before.
static void bring(cairn_cuda_seat          *s,
                  const cairn_cuda_operand *o,
                  cairn_cuda_ring          *ring,
                  const char               *from,
                  const char               *where)
{
    if (s->error != CAIRN_CUDA_OK) return;
    if (cairn_cuda_is_piece(o)) {
        cairn_cuda_copy(s->device, o->host.begin, from, o->bytes);
        return;
    }
    ring->error = CAIRN_CUDA_OK; /* of an earlier run */
    cairn_cuda_ring_send(ring, o->at, from, o->bytes);
    note(s, ring->error, where);
}

/// X of several pieces, and when.
static void
bring_long(cairn_cuda_seat *s, const cairn_cuda_product *p, const char *from)
{
    cairn_cuda_seat_begin(s, p->moment.begin);
    cairn_cuda_seat_mark(s, p->moment.begin);
    bring(s, &p->x->on, &p->x->ring, from, "X to it");
    cairn_cuda_seat_mark(s, p->moment.up);
}

/// Before that part: X of product @p k, and a Y that it keeps.
static void bring_operands(cairn_cuda_seat *s, int k, const char *x, const char *y)
{
    cairn_cuda_product       *p  = s->product[k];
    const cairn_cuda_operand *on = &p->x->on;

    if (cairn_cuda_seat_brings(s, k) && !(s->lending && p->x->lent)) {
        if (cairn_cuda_is_piece(on))
            bring(s, on, NULL, x + on->begin, "X to it");
        else
            bring_long(s, p, x + on->begin);
    }
    if (p->keeps) bring(s, &p->y, &p->ring, y, "Y to it");
}

static void send(cairn_cuda_seat          *s,
                 const cairn_cuda_operand *o,
                 const char               *from,
                 const char               *where)
{
    cairn_cuda_device *d = device_of(s);

    if (o->bytes == 0 || s->error != CAIRN_CUDA_OK) return;
    note(s,
         CAIRN_CUDA(d, cuMemcpyHtoDAsync_v2, o->at, from, (size_t)o->bytes, d->stream),
         where);
}

/// X of product @p k, in one piece, or from where the host lent it.
static void send_x(cairn_cuda_seat *s, int k)
{
    const cairn_cuda_product *p    = s->product[k];
    const cairn_cuda_operand *on   = &p->x->on;
    const char *const         lent = s->lending ? p->x->lent : NULL;

    if (!cairn_cuda_seat_brings(s, k) || (!lent && !cairn_cuda_is_piece(on))) return;
    cairn_cuda_seat_mark(s, p->moment.begin);
    send(s, on, lent ? lent : on->host.begin, "X to it");
    cairn_cuda_seat_mark(s, p->moment.up);
}

void cairn_cuda_seat_down(cairn_cuda_seat          *seat,
                          const cairn_cuda_operand *operand,
                          const cairn_cuda_pinned  *to)
{
    cairn_cuda_device *d = device_of(seat);

    if (operand->bytes == 0 || seat->error != CAIRN_CUDA_OK) return;
    note(seat,
         CAIRN_CUDA(d, cuMemcpyDtoHAsync_v2, to->begin, operand->at,
                    (size_t)operand->bytes, d->stream),
         "Y from it");
}

void cairn_cuda_seat_ask(cairn_cuda_seat *seat, int k, cairn_cuda_pointer from)
{
    cairn_cuda_product *p = seat->product[k];

    if (seat->error != CAIRN_CUDA_OK) return;
    p->ring.error = CAIRN_CUDA_OK; /* of an earlier run */
    cairn_cuda_ring_ask(&p->ring, from, p->y.bytes, p->moment.down);
    note(seat, p->ring.error, "Y from it");
}

void cairn_cuda_seat_take(cairn_cuda_seat *seat, int k, char *to)
{
    cairn_cuda_ring *ring = &seat->product[k]->ring;

    if (seat->error != CAIRN_CUDA_OK) return;
    cairn_cuda_ring_take(ring, to);
    note(seat, ring->error, "Y from it");
}

cairn_cuda_result cairn_cuda_start_step(cairn_cuda_device     *d,
                                        const cairn_cuda_step *step,
                                        cairn_cuda_stream      stream)
{
    enum { ITEMS = 128 };
    void *argument[] = {step->arguments};

    return CAIRN_CUDA(d, cuLaunchKernel, step->function, step->groups, 1, 1, ITEMS, 1,
                      1, 0, stream, argument, NULL);
}

cairn_cuda_result cairn_cuda_start(const cairn_cuda_product *p, cairn_cuda_vectors at)
{
    cairn_cuda_device *d     = cairn_cuda_of(p->device);
    cairn_cuda_result  error = CAIRN_CUDA_OK;

    cairn_cuda_point(p, at);
    for (int64_t k = 0; k < p->steps && error == CAIRN_CUDA_OK; k++) {
        const cairn_cuda_step *step   = &p->step[k];
        const bool             beside = step->beside, joins = k > 0 && step[-1].beside;

        if (beside) error = cairn_cuda_fork(d);
        if (error == CAIRN_CUDA_OK)
            error =
                cairn_cuda_start_step(d, step, beside ? d->beside.stream : d->stream);
        if (joins && error == CAIRN_CUDA_OK) error = cairn_cuda_join(d);
    }
    return error;
}

/// What product @p k does in every run, but for its Y's way back.
static void enqueue_product(cairn_cuda_seat *s, int k)
{
    const cairn_cuda_product *p = s->product[k];
    cairn_cuda_device        *d = device_of(s);

    send_x(s, k);
    cairn_cuda_seat_mark(s, p->moment.ready);
    if (p->keeps && cairn_cuda_is_piece(&p->y))
        send(s, &p->y, p->y.host.begin, "Y to it");
    if (p->clears && p->y.bytes > 0 && s->error == CAIRN_CUDA_OK)
        note(s,
             CAIRN_CUDA(d, cuMemsetD8Async, p->y.at, 0, (size_t)p->y.bytes, d->stream),
             "Y set to 0");
    if (s->error == CAIRN_CUDA_OK)
        note(s, cairn_cuda_start(p, cairn_cuda_vectors_of(p)), "a kernel");
    cairn_cuda_seat_mark(s, p->moment.computed);
}

void cairn_cuda_seat_same(cairn_cuda_seat *seat, int lent)
{
    cairn_cuda_seat *s = seat;

    s->lending = lent;
    for (int k = 0; k < s->products; k++)
        enqueue_product(s, k);
    for (int k = 0; k < s->products; k++) {
        const cairn_cuda_product *p = s->product[k];

        if (!cairn_cuda_is_piece(&p->y) || p->y.bytes == 0 || s->error != CAIRN_CUDA_OK)
            continue;
        cairn_cuda_seat_down(s, &p->y, &p->y.host);
        cairn_cuda_seat_mark(s, p->moment.down);
    }
}

/// All of a run, on a card that is entered.
static void enqueue(cairn_cuda_seat *s, const void *const *x, void *const *y)
{
    cairn_cuda_device *d = device_of(s);

    cairn_cuda_seat_meet(s, x, y);
    const cairn_cuda_graph_exec graph = s->staged    ? s->loan.staged
                                        : s->lending ? s->loan.graph
                                                     : s->graph;

    for (int k = 0; k < s->products; k++)
        bring_operands(s, k, x[k], y[k]);
    cairn_cuda_seat_begin(s, s->product[0]->moment.begin);
    if (!graph)
        cairn_cuda_seat_same(s, 0);
    else if (s->error == CAIRN_CUDA_OK)
        note(s, CAIRN_CUDA(d, cuGraphLaunch, graph, d->stream), "a graph");
    cairn_cuda_seat_mark(s, s->done);
    for (int k = 0; k < s->products && !s->staged; k++) {
        const cairn_cuda_product *p = s->product[k];

        if (cairn_cuda_seat_landing(s, k))
            cairn_cuda_seat_land_all(s, k);
        else if (!cairn_cuda_is_piece(&p->y))
            cairn_cuda_seat_ask(s, k, p->y.at);
    }
}

void cairn_cuda_seat_settle(cairn_cuda_seat *seat)
{
    if (seat->error != CAIRN_CUDA_OK)
        cairn_cuda_settle(seat->device, seat->done, seat->error);
}

void cairn_cuda_seat_begin(cairn_cuda_seat *seat, cairn_cuda_event first)
{
    if (seat->begun.host == 0)
        seat->begun = (cairn_cuda_moment){cairn_seconds(), first};
}

void cairn_cuda_seat_wait(cairn_cuda_seat *seat, cairn_cuda_event event)
{
    if (seat->error == CAIRN_CUDA_OK)
        note(seat, cairn_cuda_wait(seat->device, event), "its stream");
}

/// Begin a run on a card that is entered.
static void begin(cairn_cuda_seat *s, const void *const *x, void *const *y)
{
    s->came       = false;
    s->begun.host = 0;
    enqueue(s, x, y);
    cairn_cuda_seat_settle(s);
}

void cairn_cuda_seat_start(cairn_cuda_seat *s, const void *const *x, void *const *y)
{
    s->error = CAIRN_CUDA_OK;
    note(s, cairn_cuda_enter(device_of(s)), "its context");
    if (s->error != CAIRN_CUDA_OK) return;
    begin(s, x, y);
    cairn_cuda_leave(device_of(s));
}

/// Take Y, piece by piece as they come, if there are several. @p y NULL: only wait.
static void take_down(cairn_cuda_seat *s, int k, char *y)
{
    const cairn_cuda_product *p = s->product[k];

    if (!s->came) cairn_cuda_seat_wait(s, s->done);
    s->came = true;
    if (cairn_cuda_seat_landing(s, k))
        cairn_cuda_seat_take_landed(s, k, y);
    else if (!cairn_cuda_is_piece(&p->y))
        cairn_cuda_seat_take(s, k, y);
    else if (s->error == CAIRN_CUDA_OK && y)
        cairn_cuda_copy(s->device, y, p->y.host.begin, p->y.bytes);
}

/// End a launch on a card that is entered.
static void end(cairn_cuda_seat *s, int k, void *y, cairn_launch_times *times)
{
    if (s->error != CAIRN_CUDA_OK) return;
    take_down(s, k, y);
    cairn_cuda_seat_settle(s);
    if (s->error == CAIRN_CUDA_OK) cairn_cuda_seat_times(s, k, times);
}

void cairn_cuda_seat_finish(cairn_cuda_seat    *s,
                            int                 k,
                            void               *y,
                            cairn_launch_times *times)
{
    cairn_cuda_device *d    = device_of(s);
    const bool         lost = d->loss.lost;

    if (s->error == CAIRN_CUDA_OK) {
        note(s, cairn_cuda_enter(d), "its context");
        if (s->error == CAIRN_CUDA_OK) {
            end(s, k, y, times);
            cairn_cuda_leave(d);
        } else if (!lost)
            d->loss.gone =
                true; /* nothing tells any more whether it is still at work */
    }
    if (d->loss.gone) cairn_cuda_seat_withdraw(s, k);
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

/// The stream records no more after it, whatever became of it.
static cairn_cuda_result record(cairn_cuda_seat *s,
                                void (*enqueue_all)(cairn_cuda_seat *, int),
                                int               which,
                                cairn_cuda_graph *graph)
{
    enum { BY_THIS_THREAD = 1 };
    cairn_cuda_device *d = device_of(s);

    s->error = CAIRN_CUDA_OK;
    note(s, CAIRN_CUDA(d, cuStreamBeginCapture_v2, d->stream, BY_THIS_THREAD), "");
    if (s->error != CAIRN_CUDA_OK) return s->error;
    s->recorded = true;
    enqueue_all(s, which);
    s->recorded = false;
    if (!d->loss.lost) note(s, CAIRN_CUDA(d, cuStreamEndCapture, d->stream, graph), "");
    return s->error;
}

cairn_cuda_result cairn_cuda_seat_record(cairn_cuda_seat *seat,
                                         void (*enqueue)(cairn_cuda_seat *, int which),
                                         int                    which,
                                         cairn_cuda_graph_exec *graph)
{
    cairn_cuda_device *d        = device_of(seat);
    cairn_cuda_graph   recorded = NULL;
    cairn_cuda_result  error    = record(seat, enqueue, which, &recorded);

    seat->error = CAIRN_CUDA_OK;
    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuGraphInstantiateWithFlags, graph, recorded, 0);
    if (error != CAIRN_CUDA_OK) *graph = NULL;
    if (recorded && !d->loss.lost) CAIRN_CUDA(d, cuGraphDestroy, recorded);
    return error;
}

/// Pageable memory is copied by way of the driver's own, which is no graph's.
static bool is_recordable(const cairn_cuda_seat *s)
{
    for (int k = 0; k < s->products; k++) {
        const cairn_cuda_operand *x = &s->product[k]->x->on, *y = &s->product[k]->y;

        if ((cairn_cuda_is_piece(x) && !x->host.locked)
            || (cairn_cuda_is_piece(y) && !y->host.locked))
            return false;
    }
    return true;
}

cairn_status cairn_cuda_seat_open(cairn_cuda_seat *s, bool wanted)
{
    CAIRN_TRY(cairn_cuda_event_make(s->device, false, &s->done));
    if (!wanted || !is_recordable(s)) return CAIRN_OK;
    s->no_graph = cairn_cuda_seat_record(s, cairn_cuda_seat_same, 0, &s->graph);
    return device_of(s)->loss.lost ? cairn_cuda_fail(s->device, s->no_graph, "a graph")
                                   : CAIRN_OK;
}

void cairn_cuda_seat_close(cairn_cuda_seat *s)
{
    if (!s->device) return;
    cairn_cuda_device *d = device_of(s);

    cairn_cuda_chain_close(s);
    cairn_cuda_seat_return(s);
    if (s->graph && !d->loss.lost) CAIRN_CUDA(d, cuGraphExecDestroy, s->graph);
    s->graph = NULL;
    cairn_cuda_event_free(s->device, &s->done);
}
