// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Launches of a plan that run together.

#include "devices/cuda/seat.h"

#include "devices/cuda/product.h"

#include <stdio.h>

/// What is behind a cairn_seat.
typedef struct {
    cairn_cuda_seat seat;
    cairn_launch  **launch; ///< [seat.products]
} seated;

static cairn_status start(cairn_seat *seat, const void *const *x)
{
    seated *s = seat->state;

    cairn_cuda_seat_start(&s->seat, x);
    return cairn_cuda_seat_status(&s->seat, seat->message);
}

static cairn_status finish(cairn_seat *seat, int k, void *y)
{
    seated             *s      = seat->state;
    cairn_launch *const launch = s->launch[k];

    cairn_cuda_seat_finish(&s->seat, k, y, &launch->times);
    const cairn_status status = cairn_cuda_seat_status(&s->seat, launch->message);

    if (status != CAIRN_OK)
        snprintf(seat->message, sizeof seat->message, "%s", launch->message);
    return status;
}

/// Of a card that is entered or lost.
static void discard(cairn_device *device, seated *s)
{
    cairn_cuda_seat_close(&s->seat);
    cairn_free(device->env, s->seat.product);
    cairn_free(device->env, s->launch);
    cairn_free(device->env, s);
}

static void release(cairn_seat *seat)
{
    cairn_cuda_device *d       = cairn_cuda_of(seat->device);
    const bool         entered = cairn_cuda_enter(d) == CAIRN_CUDA_OK;

    discard(seat->device, seat->state);
    if (entered) cairn_cuda_leave(d);
    *seat = (cairn_seat){0};
}

/// On a card that is entered.
static cairn_status
fill(seated *s, cairn_device *device, cairn_launch *const *launch, int launches)
{
    s->seat = (cairn_cuda_seat){.device = device, .products = launches};
    CAIRN_TRY(CAIRN_NEW(device->env, launches, &s->seat.product));
    CAIRN_TRY(CAIRN_NEW(device->env, launches, &s->launch));
    for (int k = 0; k < launches; k++) {
        s->launch[k]       = launch[k];
        s->seat.product[k] = launch[k]->state;
    }
    return cairn_cuda_seat_open(&s->seat, true);
}

static cairn_status
make(cairn_device *device, cairn_launch *const *launch, int launches, cairn_seat *seat)
{
    seated      *s = NULL;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &s));
    status = fill(s, device, launch, launches);
    if (status != CAIRN_OK) {
        discard(device, s);
        return status;
    }
    *seat = (cairn_seat){.device   = device,
                         .launches = launches,
                         .start    = start,
                         .finish   = finish,
                         .release  = release,
                         .state    = s};
    for (int k = 0; k < launches && s->seat.no_graph != CAIRN_CUDA_OK; k++)
        snprintf(launch[k]->note, sizeof launch[k]->note, "started step by step: %s",
                 cairn_cuda_error(&cairn_cuda_of(device)->driver, s->seat.no_graph));
    return CAIRN_OK;
}

cairn_status cairn_cuda_seat_of(cairn_device        *device,
                                cairn_launch *const *launch,
                                int                  launches,
                                cairn_seat          *seat)
{
    cairn_cuda_device *d = cairn_cuda_of(device);

    for (int k = 0; k < launches; k++)
        CAIRN_CHECK(launch[k]->run == cairn_cuda_run && launch[k]->sets, device->env,
                    CAIRN_UNSUPPORTED, "device: %s: a launch that cannot be seated",
                    device->info.id);
    const cairn_cuda_result error = cairn_cuda_enter(d);

    if (error != CAIRN_CUDA_OK) return cairn_cuda_fail(device, error, "its context");
    const cairn_status status = make(device, launch, launches, seat);

    cairn_cuda_leave(d);
    return status;
}
