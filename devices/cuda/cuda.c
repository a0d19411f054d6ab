// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cards of CUDA's driver, those of compute capability 7.0 and later, numbered as the driver
/// has them. Main memory and the queue that calls a launch are the processor's; the card's
/// stream is used inside a run.

#include "devices/cuda/product.h"
#include "devices/discover.h"
#include "devices/drivers.h"
#include "lower/grid/grid.h"

#include <stdio.h>

/// Processes of one job divide the cards, each has one at least.
static int cuda_count(const cairn_machine *machine)
{
    const int         processes = machine->turn.of > 1 ? machine->turn.of : 1;
    cairn_cuda_card   card[CAIRN_CUDA_CARDS];
    cairn_cuda_driver driver;
    char              why[160];

    if (!cairn_cuda_driver_open(&driver, why, sizeof why)) return 0;
    const int count = cairn_cuda_cards(&driver, card);

    return count > processes ? count / processes : count > 0;
}

static void cuda_lacks(const cairn_machine *machine, char *why, size_t size)
{
    cairn_drivers     drivers = {0};
    cairn_cuda_driver driver;

    (void)machine;
    cairn_drivers_ask_cuda(&drivers);
    snprintf(why, size, "%s", drivers.cuda.why);
    /* What reports can do without, a run may not. */
    if (!why[0] && cairn_cuda_driver_open(&driver, why, size))
        snprintf(why, size, "no card of compute capability 7.0 or later");
}

/// Devices of all processes of the job, each with @p each of them, that are card @p at of
/// @p cards.
static int users_of(int at, int cards, int each, cairn_machine_turn turn)
{
    int users = 0;

    for (int r = 0; r < (turn.of > 1 ? turn.of : 1); r++)
        for (int k = 0; k < each; k++)
            users += (k + r) % cards == at;
    return users > 0 ? users : 1;
}

/// Take number @p index of the cards there are, counted from this process's turn on.
static cairn_status
take(cairn_env *env, cairn_cuda_device *d, int index, int each, cairn_machine_turn turn)
{
    cairn_cuda_card card[CAIRN_CUDA_CARDS];
    char            why[160];

    CAIRN_CHECK(cairn_cuda_driver_open(&d->driver, why, sizeof why), env,
                CAIRN_NO_DEVICE, "device: cuda:%d: %s", index, why);
    const int count = cairn_cuda_cards(&d->driver, card);

    CAIRN_CHECK(index < count, env, CAIRN_NO_DEVICE,
                "device: cuda:%d: CUDA has %d device%s here", index, count,
                count == 1 ? "" : "s");
    const int at = (index + turn.number) % count;

    d->card    = card[at];
    d->users   = users_of(at, count, each, turn);
    d->capable = cairn_cuda_capable(&d->driver, d->card);
    d->units   = cairn_cuda_number(&d->driver, d->card, CAIRN_CUDA_UNITS);
    return CAIRN_OK;
}

/// Streams that wait for no other, of a card that is entered.
static cairn_status create_streams(cairn_device *device)
{
    enum { NON_BLOCKING = 1 };
    cairn_cuda_device *d       = cairn_cuda_of(device);
    cairn_cuda_stream *fresh[] = {&d->stream, &d->beside.stream, &d->down.stream};

    for (int k = 0; k < 3; k++) {
        const cairn_cuda_result error =
            CAIRN_CUDA(d, cuStreamCreate, fresh[k], NON_BLOCKING);

        if (error == CAIRN_CUDA_OK) continue;
        *fresh[k] = NULL;
        return cairn_cuda_fail(device, error, "a stream");
    }
    CAIRN_TRY(cairn_cuda_event_make(device, false, &d->beside.from));
    CAIRN_TRY(cairn_cuda_event_make(device, false, &d->beside.till));
    return cairn_cuda_event_make(device, false, &d->down.till);
}

/// The primary context, which the program may have, too, and its streams.
static cairn_status create(cairn_device *device)
{
    cairn_cuda_device *d = cairn_cuda_of(device);
    cairn_cuda_result  error =
        CAIRN_CUDA(d, cuDevicePrimaryCtxRetain, &d->context, d->card);

    if (error != CAIRN_CUDA_OK) {
        d->context = NULL;
        return cairn_cuda_fail(device, error, "its context");
    }
    error = cairn_cuda_enter(d);
    if (error != CAIRN_CUDA_OK) return cairn_cuda_fail(device, error, "its context");
    const cairn_status status = create_streams(device);

    cairn_cuda_leave(d);
    return status;
}

static void discard(cairn_device *device)
{
    cairn_cuda_device *d       = cairn_cuda_of(device);
    const bool         entered = d->stream && cairn_cuda_enter(d) == CAIRN_CUDA_OK;

    cairn_cuda_arrays_drop(device);
    if (entered) {
        cairn_cuda_event_free(device, &d->beside.from);
        cairn_cuda_event_free(device, &d->beside.till);
        cairn_cuda_event_free(device, &d->down.till);
        if (d->beside.stream) CAIRN_CUDA(d, cuStreamDestroy_v2, d->beside.stream);
        if (d->down.stream && !d->loss.lost)
            CAIRN_CUDA(d, cuStreamDestroy_v2, d->down.stream);
        if (!d->loss.lost) CAIRN_CUDA(d, cuStreamDestroy_v2, d->stream);
        cairn_cuda_leave(d);
    }
    if (d->context && !d->loss.gone) d->driver.cuDevicePrimaryCtxRelease_v2(d->card);
    cairn_cuda_code_close(device);
    cairn_free(device->env, d);
    device->state = NULL;
}

/// Version and clock: "CUDA 13.0, 1980 MHz".
static void describe_driver(const cairn_cuda_device *d, char *text, size_t size)
{
    const int clock = cairn_cuda_number(&d->driver, d->card, CAIRN_CUDA_CLOCK_KHZ);

    snprintf(text, size, "CUDA %d.%d, %d MHz", d->driver.version / 1000,
             d->driver.version % 1000 / 10, clock / 1000);
}

static void describe(cairn_device *device)
{
    cairn_cuda_device  *d     = cairn_cuda_of(device);
    cairn_device_facts *info  = &device->info;
    const int64_t       asked = device->env->options.threads;
    size_t              left = 0, all = 0;

    if (d->driver.cuDeviceGetName(info->name, (int)sizeof info->name, d->card)
            != CAIRN_CUDA_OK
        || !info->name[0])
        snprintf(info->name, sizeof info->name, "a card of compute capability %d.%d",
                 d->capable / 10, d->capable % 10);
    describe_driver(d, info->driver, sizeof info->driver);
    if (cairn_cuda_enter(d) == CAIRN_CUDA_OK) {
        CAIRN_CUDA(d, cuMemGetInfo_v2, &left, &all);
        cairn_cuda_leave(d);
    }
    if (left == 0) d->driver.cuDeviceTotalMem_v2(&left, d->card);
    info->clock        = CAIRN_CLOCK_MEASURED;
    info->memory_bytes = (int64_t)left / d->users;
    info->cores        = d->units;
    /* What is delegated to the processor runs on its threads. */
    info->threads = asked > 0 ? (int)asked : device->machine->cores;
}

static cairn_status cuda_open(cairn_device *device, int index, int count)
{
    cairn_cuda_device *d = NULL;
    cairn_status       status;

    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &d));
    device->state        = d;
    d->code.cache.folder = -1;
    CAIRN_GO(discard, take(device->env, d, index, count, device->machine->turn));
    CAIRN_GO(discard, create(device));
    cairn_cuda_code_open(device);
    describe(device);
    return CAIRN_OK;

discard:
    discard(device);
    return status;
}

static void cuda_close(cairn_device *device)
{
    discard(device);
}

bool cairn_cuda_can(const cairn_device *device, const cairn_device_request *request)
{
    const cairn_device_work *work = request->work;

    if (request->memory_bytes > device->info.memory_bytes) return false;
    if (!work) return true;
    const cairn_layout *layout  = cairn_work_group(work)->layout;
    const cairn_product product = cairn_cuda_product_of(work);

    return cairn_grid_of(layout, &product).shape != CAIRN_GRID_NONE;
}

const cairn_device_ops cairn_device_cuda = {
    .kind     = "cuda",
    .summary  = "NVIDIA's cards, by CUDA's driver",
    .delegate = "cpu",
    .presence = CAIRN_PRESENT_ASKED,
    .count    = cuda_count,
    .lacks    = cuda_lacks,
    .open     = cuda_open,
    .close    = cuda_close,
    .measure  = cairn_cuda_measure,
    .cost     = cairn_cuda_cost,
    .check    = cairn_cuda_check,
    .can      = cairn_cuda_can,
    .build    = cairn_cuda_build_next,
    .seat     = cairn_cuda_seat_of,
    .ahead    = cairn_cuda_ahead,
    .grids    = &cairn_cuda_grids,
};
