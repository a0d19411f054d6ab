// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The context of a device for the time of a call, its memory, and what is made of its
/// failures.

#include "devices/cuda/device.h"

#include <inttypes.h>
#include <stdio.h>

static void lose(cairn_cuda_device *d, cairn_cuda_result error)
{
    d->loss.lost = true;
    d->loss.gone = error == CAIRN_CUDA_GIVEN_UP;
    snprintf(d->loss.why, sizeof d->loss.why, "%s",
             cairn_cuda_error(&d->driver, error));
}

cairn_cuda_result cairn_cuda_note(cairn_cuda_device *d, cairn_cuda_result error)
{
    if (cairn_cuda_is_sticky(error) && !d->loss.lost) lose(d, error);
    return error;
}

cairn_cuda_result cairn_cuda_enter(cairn_cuda_device *d)
{
    if (d->loss.lost) return CAIRN_CUDA_UNKNOWN;
    const cairn_cuda_result error = CAIRN_CUDA(d, cuCtxPushCurrent_v2, d->context);

    /* A context that cannot be made current is of no use, whatever the reason. What its
       streams were given cannot be waited for, and may still be at work. */
    if (error != CAIRN_CUDA_OK && !d->loss.lost) {
        lose(d, error);
        d->loss.gone = d->stream != NULL;
    }
    return error;
}

void cairn_cuda_leave(cairn_cuda_device *d)
{
    cairn_cuda_context before;

    /* Also of a context that is lost: the thread's own must be current again. */
    if (!d->loss.gone) CAIRN_CUDA(d, cuCtxPopCurrent_v2, &before);
}

cairn_cuda_result cairn_cuda_follow(cairn_cuda_device *d,
                                    cairn_cuda_stream  behind,
                                    cairn_cuda_event   event,
                                    cairn_cuda_stream  before)
{
    const cairn_cuda_result error = CAIRN_CUDA(d, cuEventRecord, event, before);

    return error == CAIRN_CUDA_OK ? CAIRN_CUDA(d, cuStreamWaitEvent, behind, event, 0)
                                  : error;
}

cairn_cuda_result cairn_cuda_fork(cairn_cuda_device *d)
{
    return cairn_cuda_follow(d, d->beside.stream, d->beside.from, d->stream);
}

cairn_cuda_result cairn_cuda_join(cairn_cuda_device *d)
{
    return cairn_cuda_follow(d, d->stream, d->beside.till, d->beside.stream);
}

/// Words about the card's memory; "" if it does not say.
static void describe_memory(cairn_cuda_device *d, char *text, size_t size)
{
    size_t left = 0, all = 0;

    text[0] = '\0';
    if (CAIRN_CUDA(d, cuMemGetInfo_v2, &left, &all) != CAIRN_CUDA_OK) return;
    snprintf(text, size, "; %zu bytes of %zu are free, %" PRId64 " are taken here",
             left, all, d->used);
}

cairn_status
cairn_cuda_fail(cairn_device *device, cairn_cuda_result error, const char *what)
{
    cairn_cuda_device *d = cairn_cuda_of(device);
    char               memory[160];

    if (cairn_cuda_status(error) == CAIRN_NO_MEMORY) {
        describe_memory(d, memory, sizeof memory);
        return cairn_fail(device->env, CAIRN_NO_MEMORY, "memory: %s: %s: %s%s",
                          device->info.id, what, cairn_cuda_error(&d->driver, error),
                          memory);
    }
    return cairn_fail(device->env, CAIRN_NO_DEVICE, "device: %s: %s: %s",
                      device->info.id, what,
                      d->loss.lost ? d->loss.why : cairn_cuda_error(&d->driver, error));
}

cairn_status cairn_cuda_alloc(cairn_device       *device,
                              int64_t             bytes,
                              const char         *what,
                              cairn_cuda_pointer *begin)
{
    cairn_cuda_device *d    = cairn_cuda_of(device);
    const size_t       size = bytes > 0 ? (size_t)bytes : 1;
    char               needs[160];
    cairn_cuda_result  error = CAIRN_CUDA(d, cuMemAlloc_v2, begin, size);

    /* What stays for later is given back while nothing can be reading it. */
    if (cairn_cuda_status(error) == CAIRN_NO_MEMORY && d->spare
        && cairn_cuda_settle(device, d->beside.from, CAIRN_CUDA_OK) == CAIRN_CUDA_OK
        && d->spare(device) > 0)
        error = CAIRN_CUDA(d, cuMemAlloc_v2, begin, size);
    if (error != CAIRN_CUDA_OK) {
        snprintf(needs, sizeof needs, "%s need %" PRId64 " bytes", what, bytes);
        return cairn_cuda_fail(device, error, needs);
    }
    d->used += bytes;
    return CAIRN_OK;
}

void cairn_cuda_free(cairn_cuda_device *d, cairn_cuda_pointer *begin, int64_t bytes)
{
    if (!*begin) return;
    if (!d->loss.lost) CAIRN_CUDA(d, cuMemFree_v2, *begin);
    d->used -= bytes;
    *begin = 0;
}
