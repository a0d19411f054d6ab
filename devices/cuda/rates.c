// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How fast a card is: copies inside its memory, and between it and pinned memory of the
/// host's; and what a product then takes.

#include "devices/cuda/pinned.h"
#include "devices/product.h"

enum { TRIES = 5 };

#define MOST ((int64_t)256 << 20)

/// What is copied: inside the card, up, down, or both ways at once.
typedef enum { INSIDE, UP, DOWN, BOTH } way;

typedef struct {
    cairn_device      *device;
    cairn_cuda_pointer block[2];
    int64_t            bytes;
    cairn_cuda_pinned  host;
    cairn_cuda_stream  other;    ///< For what goes down beside what goes up.
    cairn_cuda_event   event[3]; ///< Before, after, and after the other.
} trial;

/// Bytes that go one way.
static size_t size_of(const trial *t, way w)
{
    const int64_t bytes = w == INSIDE ? t->bytes : t->host.bytes;

    return (size_t)(w == BOTH ? bytes / 2 : bytes);
}

static cairn_cuda_result copy(const trial *t, way w)
{
    cairn_cuda_device *d     = cairn_cuda_of(t->device);
    const size_t       size  = size_of(t, w);
    cairn_cuda_result  error = CAIRN_CUDA_OK;

    if (w == INSIDE)
        return CAIRN_CUDA(d, cuMemcpyDtoDAsync_v2, t->block[1], t->block[0], size,
                          d->stream);
    if (w != DOWN)
        error = CAIRN_CUDA(d, cuMemcpyHtoDAsync_v2, t->block[0], t->host.begin, size,
                           d->stream);
    if (w != UP && error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuMemcpyDtoHAsync_v2,
                           w == BOTH ? t->host.begin + size : t->host.begin,
                           t->block[1], size, w == BOTH ? t->other : d->stream);
    return error;
}

/// Wait for the other stream, as cairn_cuda_settle() does for the device's.
static cairn_cuda_result settle_other(const trial *t, cairn_cuda_result error)
{
    cairn_cuda_device *d = cairn_cuda_of(t->device);

    if (d->loss.lost) return error;
    cairn_cuda_result last = CAIRN_CUDA(d, cuEventRecord, t->event[2], t->other);

    if (last == CAIRN_CUDA_OK)
        last = cairn_cuda_wait(t->device, t->event[2]);
    else
        cairn_cuda_note(d, CAIRN_CUDA_GIVEN_UP);
    return error != CAIRN_CUDA_OK ? error : last;
}

/// Bytes per second of one copy, of what goes both ways that of each; 0: it failed.
static double try(const trial *t, way w)
{
    cairn_cuda_device *d  = cairn_cuda_of(t->device);
    float              ms = 0, other = 0;
    cairn_cuda_result  error = CAIRN_CUDA(d, cuEventRecord, t->event[0], d->stream);

    if (error == CAIRN_CUDA_OK) error = copy(t, w);
    if (w == BOTH) error = settle_other(t, error);
    error = cairn_cuda_settle(t->device, t->event[1], error);
    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuEventElapsedTime, &ms, t->event[0], t->event[1]);
    if (error == CAIRN_CUDA_OK && w == BOTH)
        error = CAIRN_CUDA(d, cuEventElapsedTime, &other, t->event[0], t->event[2]);
    if (other > ms) ms = other;
    if (error != CAIRN_CUDA_OK || ms <= 0) return 0;
    return (double)size_of(t, w) * (w == INSIDE ? 2 : 1) / ((double)ms * 1e-3);
}

/// The best of some.
static double best(const trial *t, way w)
{
    double rate = 0;

    for (int k = 0; k < TRIES; k++) {
        const double now = try(t, w);

        rate = now > rate ? now : rate;
    }
    return rate;
}

/// Take at most a sixteenth of the memory that is left, for others want it, too.
static cairn_status prepare(trial *t)
{
    enum { NON_BLOCKING = 1 };
    cairn_cuda_device *d         = cairn_cuda_of(t->device);
    const int64_t      sixteenth = t->device->info.memory_bytes / 16;
    const int64_t      most      = t->device->env->memory_limit / 16;

    t->bytes = sixteenth < MOST ? sixteenth : MOST;
    for (int k = 0; k < 2; k++)
        CAIRN_TRY(cairn_cuda_alloc(t->device, t->bytes, "copies", &t->block[k]));
    for (int k = 0; k < 3; k++)
        CAIRN_TRY(cairn_cuda_event_make(t->device, true, &t->event[k]));
    const cairn_cuda_result error =
        CAIRN_CUDA(d, cuStreamCreate, &t->other, NON_BLOCKING);

    if (error != CAIRN_CUDA_OK) {
        t->other = NULL;
        return cairn_cuda_fail(t->device, error, "a stream");
    }
    return cairn_cuda_pin(t->device, (t->bytes < most ? t->bytes : most) / 4, &t->host);
}

static void finish(trial *t)
{
    cairn_cuda_device *d = cairn_cuda_of(t->device);

    cairn_cuda_unpin(t->device, &t->host);
    if (t->other && !d->loss.lost) CAIRN_CUDA(d, cuStreamDestroy_v2, t->other);
    for (int k = 0; k < 3; k++)
        cairn_cuda_event_free(t->device, &t->event[k]);
    for (int k = 0; k < 2; k++)
        cairn_cuda_free(d, &t->block[k], t->bytes);
}

cairn_status cairn_cuda_measure(cairn_device *device)
{
    cairn_cuda_device *d    = cairn_cuda_of(device);
    cairn_device_link *link = &device->info.link;
    trial              t    = {.device = device};

    if (link->up > 0 || cairn_cuda_enter(d) != CAIRN_CUDA_OK) return CAIRN_OK;
    /* Without memory for it nothing is known. */
    if (prepare(&t) == CAIRN_OK) {
        device->info.bandwidth = best(&t, INSIDE);
        link->up               = best(&t, UP);
        link->down             = best(&t, DOWN);
        link->both             = best(&t, BOTH);
    }
    finish(&t);
    cairn_cuda_leave(d);
    if (d->loss.lost) return cairn_cuda_fail(device, CAIRN_CUDA_UNKNOWN, "copies");
    return CAIRN_OK;
}

/* What starting a kernel and hearing that it has ended takes, as others have it. */
static const double host_hop = 25e-6;

double cairn_cuda_cost(const cairn_device *device, const cairn_device_request *request)
{
    const cairn_device_link *link   = &device->info.link;
    const cairn_device_work *work   = request->work;
    const double             inside = device->info.bandwidth;
    double                   up = 0, down = 0;

    if (inside <= 0 || link->up <= 0 || link->down <= 0) return -1;
    if (work) {
        const double row = (double)work->op->columns * work->tensor->value_bits / 8;

        up   = (double)cairn_work_rows_in(work) * row / link->up;
        down = (double)cairn_work_rows_out(work) * row / link->down;
    }
    return host_hop + (double)request->moved_bytes / inside + up + down;
}
