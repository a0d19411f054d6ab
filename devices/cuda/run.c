// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One run: X goes to the card piece by piece, each copied to pinned memory while the one
/// before travels; then the kernels; then Y likewise. All of it is enqueued at once, and its
/// end waited for. The environment is not touched.

#include "devices/cuda/product.h"

#include <stdio.h>
#include <string.h>

/// Bytes of a piece: what travels while the next is copied.
#define PIECE ((int64_t)1 << 20)

typedef struct {
    const cairn_cuda_product *p;
    cairn_cuda_device        *d;
    cairn_cuda_result         error; ///< The first,
    const char               *where; ///< and what met it.
} attempt;

static void note(attempt *s, cairn_cuda_result error, const char *where)
{
    if (s->error != CAIRN_CUDA_OK || error == CAIRN_CUDA_OK) return;
    s->error = error;
    s->where = where;
}

/// Note when all before it is done.
static void mark(attempt *s, cairn_cuda_event event)
{
    if (s->error != CAIRN_CUDA_OK) return;
    note(s, CAIRN_CUDA(s->d, cuEventRecord, event, s->d->stream), "an event");
}

/// Pieces of so many bytes, at most CAIRN_CUDA_PIECES of them.
static int64_t piece_of(int64_t bytes)
{
    const int64_t least = (bytes + CAIRN_CUDA_PIECES - 1) / CAIRN_CUDA_PIECES;

    return least > PIECE ? least : PIECE;
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

    if (CAIRN_CUDA(s->d, cuEventElapsedTime, &ms, from, to) != CAIRN_CUDA_OK || ms < 0)
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

/// All of it, on a card that is entered.
static void attempt_all(attempt *s, const char *x, char *y, cairn_launch_times *times)
{
    const cairn_cuda_product *p = s->p;
    int                       pieces;

    mark(s, p->moment.begin);
    copy_up(s, &p->x, x, "X to it");
    if (p->keeps) copy_up(s, &p->y, y, "Y to it");
    if (p->clears && p->y.bytes > 0 && s->error == CAIRN_CUDA_OK)
        note(s,
             CAIRN_CUDA(s->d, cuMemsetD8Async, p->y.at, 0, (size_t)p->y.bytes,
                        s->d->stream),
             "Y set to 0");
    mark(s, p->moment.up);
    if (s->error == CAIRN_CUDA_OK) note(s, cairn_cuda_start(p), "a kernel");
    mark(s, p->moment.computed);
    pieces = enqueue_down(s, &p->y);
    take_down(s, &p->y, y);
    if (s->error != CAIRN_CUDA_OK || pieces == 0)
        note(s, cairn_cuda_settle(p->device, p->moment.computed, s->error),
             "its stream");
    if (s->error == CAIRN_CUDA_OK) take_times(s, pieces, times);
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
