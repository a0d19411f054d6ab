// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Waiting for a card. What the driver has for it knows no limit, so that the last event is
/// asked again and again: between pauses of the core, then of the thread, then after short
/// sleeps.
///
/// What was given up may still come back: nothing of such a device is asked for or
/// released, and a card writes to nothing but memory of the launch's own. A plan's own X
/// that it may read is never freed then.

#include "base/patience.h"
#include "devices/cuda/device.h"

#include <sched.h>
#include <time.h>

#define PAUSES 2000  /* of the core: what a small product takes */
#define YIELDS 1000  /* of the thread */
#define SLEEP  50000 /* nanoseconds: what the system makes of any shorter sleep */

static void rest(int turn)
{
    if (turn < PAUSES) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    } else if (turn < PAUSES + YIELDS) {
        sched_yield();
    } else {
        nanosleep(&(struct timespec){.tv_nsec = SLEEP}, NULL);
    }
}

static bool go_on(const cairn_device *device, cairn_patience *patience)
{
    return cairn_patience_goes_on(patience, device->env, "device", device->info.id,
                                  "its stream has not come to its end");
}

cairn_cuda_result cairn_cuda_wait(cairn_device *device, cairn_cuda_event event)
{
    cairn_cuda_device *d        = cairn_cuda_of(device);
    cairn_patience     patience = cairn_patience_begin(device->env);

    for (int turn = 0;; turn += turn < PAUSES + YIELDS) {
        const cairn_cuda_result error = CAIRN_CUDA(d, cuEventQuery, event);

        if (error != CAIRN_CUDA_NOT_READY) return error;
        if (turn >= PAUSES && !go_on(device, &patience))
            return cairn_cuda_note(d, CAIRN_CUDA_GIVEN_UP);
        rest(turn);
    }
}

/// What cannot be waited for is gone.
static cairn_cuda_result
settle_stream(cairn_device *device, cairn_cuda_stream stream, cairn_cuda_event event)
{
    cairn_cuda_device      *d     = cairn_cuda_of(device);
    const cairn_cuda_result error = CAIRN_CUDA(d, cuEventRecord, event, stream);

    if (error == CAIRN_CUDA_OK) return cairn_cuda_wait(device, event);
    cairn_cuda_note(d, CAIRN_CUDA_GIVEN_UP);
    return error;
}

cairn_cuda_result
cairn_cuda_settle(cairn_device *device, cairn_cuda_event event, cairn_cuda_result error)
{
    cairn_cuda_device *d = cairn_cuda_of(device);

    if (d->loss.lost) return error;
    /* One after the other: what failed may be that one waits for the other. */
    const struct {
        cairn_cuda_stream stream;
        cairn_cuda_event  event;
    } each[] = {
        {d->beside.stream, d->beside.till},
        {d->down.stream,   d->down.till  },
        {d->stream,        event         }
    };
    cairn_cuda_result last = CAIRN_CUDA_OK;

    for (int k = 0; k < 3 && !d->loss.lost; k++) {
        const cairn_cuda_result next =
            settle_stream(device, each[k].stream, each[k].event);

        if (last == CAIRN_CUDA_OK) last = next;
    }
    return error != CAIRN_CUDA_OK ? error : last;
}

cairn_status
cairn_cuda_event_make(cairn_device *device, bool timed, cairn_cuda_event *event)
{
    enum { WITHOUT_TIMING = 2 };
    const cairn_cuda_result error = CAIRN_CUDA(cairn_cuda_of(device), cuEventCreate,
                                               event, timed ? 0 : WITHOUT_TIMING);

    return error == CAIRN_CUDA_OK ? CAIRN_OK
                                  : cairn_cuda_fail(device, error, "an event");
}

void cairn_cuda_event_free(cairn_device *device, cairn_cuda_event *event)
{
    cairn_cuda_device *d = cairn_cuda_of(device);

    if (*event && !d->loss.lost) CAIRN_CUDA(d, cuEventDestroy_v2, *event);
    *event = NULL;
}
