// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A product of a simulated device: another launch, or the reference way, inside.

#include "devices/simulated.h"

#include "devices/config.h"
#include "devices/discover.h"
#include "devices/kinds.h"
#include "expr/reference.h"

#include <stdio.h>
#include <string.h>

/// What a launch keeps.
typedef struct {
    cairn_env       *env;
    cairn_launch     inner;     ///< `release` NULL: interpreted,
    cairn_reference *reference; ///< by this,
    int              member;
} simulated;

void cairn_simulated_open(cairn_device *device)
{
    const int64_t asked = device->env->options.threads;

    device->info.clock        = CAIRN_CLOCK_SIMULATED;
    device->info.threads      = asked > 0 ? (int)asked : device->machine->cores;
    device->info.halo_latency = cairn_config_number(device->config, "halo_latency");
    device->info.halo_rate    = cairn_config_number(device->config, "halo_rate");
}

static cairn_status run_inner(cairn_launch *launch, const void *x, void *y)
{
    simulated         *s      = launch->state;
    const cairn_status status = s->inner.run(&s->inner, x, y);

    if (status != CAIRN_OK)
        memcpy(launch->message, s->inner.message, sizeof launch->message);
    return status;
}

static cairn_status run_reference(cairn_launch *launch, const void *x, void *y)
{
    const simulated *s = launch->state;

    return cairn_reference_run(s->reference, s->member, x, y);
}

static void discard(simulated *s)
{
    if (s->inner.release) s->inner.release(&s->inner);
    cairn_reference_destroy(&s->reference);
    cairn_free(s->env, s);
}

static void release(cairn_launch *launch)
{
    discard(launch->state);
    *launch = (cairn_launch){0};
}

static cairn_status
interpret(const cairn_device *device, const cairn_device_work *work, simulated *s)
{
    const cairn_reference_op op = {.columns    = work->op->columns,
                                   .transposed = work->op->transposed != 0,
                                   .alpha      = work->op->alpha};

    s->member = work->member;
    return cairn_reference_create(device->env, work->tensor, &op, device->info.threads,
                                  &s->reference);
}

/// Get the arithmetic from the delegate, or interpret.
static cairn_status
prepare(cairn_device *device, const cairn_device_work *work, simulated *s)
{
    const cairn_device_ops *delegate = cairn_device_delegate(device);
    const cairn_status      status   = delegate->build(device, work, &s->inner);

    if (status != CAIRN_NO_KERNEL
        || device->env->options.kernels == CAIRN_KERNELS_COMPILED)
        return status;
    return interpret(device, work, s);
}

cairn_status cairn_simulated_build(cairn_device                *device,
                                   const cairn_device_work     *work,
                                   const cairn_simulated_model *model,
                                   cairn_launch                *launch)
{
    simulated   *s = NULL;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &s));
    s->env = device->env;
    CAIRN_GO(discard, prepare(device, work, s));
    const bool compiled = s->inner.release != NULL;

    *launch = (cairn_launch){.device = device,
                             .route = compiled ? s->inner.route : CAIRN_ROUTE_REFERENCE,
                             .sets  = compiled && s->inner.sets,
                             .wide  = !compiled || s->inner.wide,
                             .bytes = {.own = model->bytes},
                             .run   = compiled ? run_inner : run_reference,
                             .release = release,
                             .times   = model->times,
                             .state   = s};
    memcpy(launch->note, model->note, sizeof launch->note);
    return CAIRN_OK;

discard:
    discard(s);
    return status;
}
