// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Launches of a plan that run together.

#include "devices/cuda/seat.h"

#include "devices/cuda/product.h"

#include <stdio.h>
#include <string.h>

/// What is behind a cairn_seat.
typedef struct {
    cairn_cuda_seat seat;
    cairn_launch  **launch; ///< [seat.products]
} seated;

/// What became of a run.
static cairn_status tell(cairn_seat *seat, char message[256])
{
    const seated *s = seat->state;

    seat->keeps = cairn_cuda_of(seat->device)->loss.gone && s->seat.loan.count > 0;
    return cairn_cuda_seat_status(&s->seat, message);
}

static cairn_status start(cairn_seat *seat, const void *const *x, void *const *y)
{
    seated *s = seat->state;

    cairn_cuda_seat_start(&s->seat, x, y);
    return tell(seat, seat->message);
}

static cairn_status finish(cairn_seat *seat, int k, void *y)
{
    seated             *s      = seat->state;
    cairn_launch *const launch = s->launch[k];

    cairn_cuda_seat_finish(&s->seat, k, y, &launch->times);
    const cairn_status status = tell(seat, launch->message);

    if (status != CAIRN_OK)
        snprintf(seat->message, sizeof seat->message, "%s", launch->message);
    return status;
}

static cairn_status chain(cairn_seat *seat, int64_t n, void *x, void *y)
{
    seated             *s      = seat->state;
    cairn_launch *const launch = s->launch[0];
    cairn_cuda_device  *d      = cairn_cuda_of(seat->device);

    s->seat.error = CAIRN_CUDA_OK;
    cairn_cuda_seat_note(&s->seat, cairn_cuda_enter(d), "its context");
    if (s->seat.error == CAIRN_CUDA_OK) {
        const bool room = cairn_cuda_chain_prepare(&s->seat);

        if (room) cairn_cuda_seat_chain(&s->seat, n, x, y, &launch->times);
        cairn_cuda_leave(d);
        if (!room && s->seat.error == CAIRN_CUDA_OK) return CAIRN_UNSUPPORTED;
    }
    const cairn_status status = tell(seat, launch->message);

    if (status != CAIRN_OK)
        snprintf(seat->message, sizeof seat->message, "%s", launch->message);
    return status;
}

static void bars(cairn_seat *seat, int k, cairn_seat_bar bar[CAIRN_SEAT_BARS])
{
    seated            *s = seat->state;
    cairn_cuda_device *d = cairn_cuda_of(seat->device);

    memset(bar, 0, CAIRN_SEAT_BARS * sizeof *bar);
    if (cairn_cuda_enter(d) != CAIRN_CUDA_OK) return;
    cairn_cuda_seat_bars(&s->seat, k, bar);
    cairn_cuda_leave(d);
}

/// Of a card that is entered or lost.
static void discard(cairn_device *device, seated *s)
{
    cairn_cuda_seat_close(&s->seat);
    cairn_free(device->env, s->seat.loan.lent);
    cairn_free(device->env, s->seat.loan.landing);
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
static cairn_status fill(seated                *s,
                         cairn_device          *device,
                         cairn_launch *const   *launch,
                         const cairn_seat_loan *loan,
                         int                    launches)
{
    const bool pins = device->env->options.cuda_register == CAIRN_CUDA_REGISTER_AUTO;

    s->seat = (cairn_cuda_seat){.device = device, .products = launches};
    CAIRN_TRY(CAIRN_NEW(device->env, launches, &s->seat.product));
    CAIRN_TRY(CAIRN_NEW(device->env, launches, &s->launch));
    CAIRN_TRY(CAIRN_NEW(device->env, launches, &s->seat.loan.lent));
    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, launches, &s->seat.loan.landing));
    for (int k = 0; k < launches; k++) {
        s->launch[k]       = launch[k];
        s->seat.product[k] = launch[k]->state;
    }
    CAIRN_TRY(cairn_cuda_seat_open(&s->seat, true));
    cairn_cuda_chain_open(&s->seat);
    return pins && loan ? cairn_cuda_seat_lend(&s->seat, loan) : CAIRN_OK;
}

/// What people would like to know of how it is started.
static void describe(const seated *s, const cairn_seat_loan *loan, cairn_launch *launch)
{
    const cairn_device      *device = s->seat.device;
    const cairn_cuda_driver *driver = &cairn_cuda_of(device)->driver;
    const bool pins = device->env->options.cuda_register == CAIRN_CUDA_REGISTER_AUTO;
    const cairn_cuda_result refused = s->seat.loan.refused;

    if (s->seat.no_graph != CAIRN_CUDA_OK)
        cairn_cuda_remark(launch, "started step by step",
                          cairn_cuda_error(driver, s->seat.no_graph));
    else if (loan && (!pins || refused != CAIRN_CUDA_OK))
        cairn_cuda_remark(launch, "X is copied on the host first",
                          pins ? cairn_cuda_error(driver, refused)
                               : "CAIRN_CUDA_REGISTER is never");
}

static cairn_status make(cairn_device          *device,
                         cairn_launch *const   *launch,
                         const cairn_seat_loan *loan,
                         int                    launches,
                         cairn_seat            *seat)
{
    seated      *s = NULL;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &s));
    status = fill(s, device, launch, loan, launches);
    if (status != CAIRN_OK) {
        discard(device, s);
        return status;
    }
    *seat = (cairn_seat){.device   = device,
                         .launches = launches,
                         .start    = start,
                         .finish   = finish,
                         .chain    = s->seat.chain.can ? chain : NULL,
                         .bars     = bars,
                         .release  = release,
                         .state    = s};
    for (int k = 0; k < launches; k++)
        describe(s, loan, launch[k]);
    return CAIRN_OK;
}

cairn_status cairn_cuda_seat_of(cairn_device          *device,
                                cairn_launch *const   *launch,
                                const cairn_seat_loan *loan,
                                int                    launches,
                                cairn_seat            *seat)
{
    cairn_cuda_device *d = cairn_cuda_of(device);

    for (int k = 0; k < launches; k++)
        CAIRN_CHECK(launch[k]->run == cairn_cuda_run && launch[k]->sets, device->env,
                    CAIRN_UNSUPPORTED, "device: %s: a launch that cannot be seated",
                    device->info.id);
    const cairn_cuda_result error = cairn_cuda_enter(d);

    if (error != CAIRN_CUDA_OK) return cairn_cuda_fail(device, error, "its context");
    const cairn_status status = make(device, launch, loan, launches, seat);

    cairn_cuda_leave(d);
    return status;
}
