// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How fast a card is: copies inside its memory, and between it and pinned memory of the
/// host's; and what a product then takes.

#include "devices/cuda/pinned.h"
#include "devices/product.h"

enum { TRIES = 5 };

#define MOST ((int64_t)256 << 20)

/// What is copied: inside the card, up, down.
typedef enum { INSIDE, UP, DOWN, WAYS } way;

typedef struct {
    cairn_device      *device;
    cairn_cuda_pointer block[2];
    int64_t            bytes;
    cairn_cuda_pinned  host;
    cairn_cuda_event   event[2];
} trial;

static cairn_cuda_result copy(const trial *t, way w)
{
    cairn_cuda_device *d    = cairn_cuda_of(t->device);
    const size_t       size = (size_t)(w == INSIDE ? t->bytes : t->host.bytes);

    switch (w) {
    case INSIDE:
        return CAIRN_CUDA(d, cuMemcpyDtoDAsync_v2, t->block[1], t->block[0], size,
                          d->stream);
    case UP:
        return CAIRN_CUDA(d, cuMemcpyHtoDAsync_v2, t->block[0], t->host.begin, size,
                          d->stream);
    default:
        return CAIRN_CUDA(d, cuMemcpyDtoHAsync_v2, t->host.begin, t->block[0], size,
                          d->stream);
    }
}

/// Bytes per second of one copy; 0: it failed.
static double try(const trial *t, way w)
{
    cairn_cuda_device *d     = cairn_cuda_of(t->device);
    float              ms    = 0;
    cairn_cuda_result  error = CAIRN_CUDA(d, cuEventRecord, t->event[0], d->stream);

    if (error == CAIRN_CUDA_OK) error = copy(t, w);
    error = cairn_cuda_settle(t->device, t->event[1], error);
    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuEventElapsedTime, &ms, t->event[0], t->event[1]);
    if (error != CAIRN_CUDA_OK || ms <= 0) return 0;
    return (double)(w == INSIDE ? 2 * t->bytes : t->host.bytes) / ((double)ms * 1e-3);
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
    const int64_t sixteenth = t->device->info.memory_bytes / 16;
    const int64_t most      = t->device->env->memory_limit / 16;

    t->bytes = sixteenth < MOST ? sixteenth : MOST;
    for (int k = 0; k < 2; k++) {
        CAIRN_TRY(cairn_cuda_alloc(t->device, t->bytes, "copies", &t->block[k]));
        CAIRN_TRY(cairn_cuda_event_make(t->device, true, &t->event[k]));
    }
    return cairn_cuda_pin(t->device, (t->bytes < most ? t->bytes : most) / 4, &t->host);
}

static void finish(trial *t)
{
    cairn_cuda_unpin(t->device, &t->host);
    for (int k = 0; k < 2; k++) {
        cairn_cuda_event_free(t->device, &t->event[k]);
        cairn_cuda_free(cairn_cuda_of(t->device), &t->block[k], t->bytes);
    }
}

cairn_status cairn_cuda_measure(cairn_device *device)
{
    cairn_cuda_device *d = cairn_cuda_of(device);
    trial              t = {.device = device};

    if (d->rates.up > 0 || cairn_cuda_enter(d) != CAIRN_CUDA_OK) return CAIRN_OK;
    /* Without memory for it nothing is known. */
    if (prepare(&t) == CAIRN_OK) {
        device->info.bandwidth = best(&t, INSIDE);
        d->rates.up            = best(&t, UP);
        d->rates.down          = best(&t, DOWN);
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
    const cairn_cuda_device *d      = cairn_cuda_of(device);
    const cairn_device_work *work   = request->work;
    const double             inside = device->info.bandwidth;
    double                   up = 0, down = 0;

    if (inside <= 0 || d->rates.up <= 0 || d->rates.down <= 0) return -1;
    if (work) {
        const double row = (double)work->op->columns * work->tensor->value_bits / 8;

        up   = (double)cairn_work_rows_in(work) * row / d->rates.up;
        down = (double)cairn_work_rows_out(work) * row / d->rates.down;
    }
    return host_hop + (double)request->moved_bytes / inside + up + down;
}
