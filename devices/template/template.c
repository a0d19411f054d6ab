// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A device to copy. It has a memory of its own, to which arrays and operands are
/// brought, and one kernel: products of rows of columns. Every slot says what its
/// author must decide; docs/adding-a-device.md walks through it. It is built and run by
/// tests/device/test_device_conformance.c and not offered to users.

#include "devices/config.h"
#include "devices/kinds.h"
#include "devices/template/product.h"

#include <stdio.h>
#include <string.h>

/* 1. Numbers. What may a user say of a device? Give each number a default, a range, a
   unit, and say whose number the default is. A device that finds out all by itself has
   no models: leave the slot NULL. */
static const cairn_device_key keys[] = {
    {"memory",   0, 0, 1e18, true,  "bytes", "of its own; 0: as much as the process may"},
    {"fail_run", 0, 0, 1e9,  true,  "",      "the run in which it is lost, from 1"      },
    {NULL,       0, 0, 0,    false, NULL,    NULL                                       },
};

static const cairn_device_model models[] = {
    {"standard", "made to be copied", keys},
    {NULL,       NULL,                NULL},
};

/* 2. How many are here, where no number is asked for? Ask the driver, quickly, and
   without a message where there is none: 0 is no error. What must be asked for by name,
   as this, says 0. Set `asked` in the table if looking takes long. */
static int template_count(const cairn_machine *machine)
{
    (void)machine;
    return 0;
}

/* 3. Open number `index` of `count`. Take what all products share (a handle, a queue of
   the driver's), and say what is known: invent nothing. Undo all of it on failure. */
static cairn_status template_open(cairn_device *device, int index, int count)
{
    cairn_device_facts    *info  = &device->info;
    cairn_template_device *state = NULL;

    (void)index, (void)count;
    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &state));
    state->memory   = cairn_config_count(device->config, "memory");
    state->fail_run = cairn_config_count(device->config, "fail_run");
    if (state->memory == 0) state->memory = device->env->memory_limit;
    snprintf(info->name, sizeof info->name, "a device to copy");
    info->clock        = CAIRN_CLOCK_MEASURED; /* or SIMULATED: never both */
    info->memory_bytes = state->memory;
    info->cores = info->threads = 1;
    device->state               = state;
    return CAIRN_OK;
}

/* 4. Close: everything that open() took. All launches were released before. */
static void template_close(cairn_device *device)
{
    cairn_free(device->env, device->state);
    device->state = NULL;
}

/* 5. Can it do this? Placement asks before anything is converted for the device. `work`
   is NULL as long as it is not known what will run: then only memory can be judged. What
   this refuses, `build` must refuse, too; what it accepts, `build` may still refuse. */
static bool template_can(const cairn_device         *device,
                         const cairn_device_request *request)
{
    const cairn_template_device *d = cairn_template_of(device);

    if (request->work)
        return cairn_template_reads(request->work)
               && cairn_template_bytes(request->work) <= d->memory;
    return request->memory_bytes <= d->memory;
}

/* 6. What does one run cost, transfers included? From what was measured, or below 0:
   unknown, and placement learns it from runs. */
static double template_cost(const cairn_device         *device,
                            const cairn_device_request *request)
{
    const cairn_template_device *d = cairn_template_of(device);

    return d->rate > 0 ? (double)request->moved_bytes / d->rate : -1;
}

/* 7. Measure bandwidth, in about 50 ms: the larger of a few tries, since other work only
   ever slows them down. Leave 0 where that cannot be done. */
static cairn_status template_measure(cairn_device *device)
{
    cairn_template_device *d     = cairn_template_of(device);
    const int64_t          bytes = 16 << 20;
    char                  *block = NULL;

    if (2 * bytes > device->env->memory_limit) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 2 * bytes, &block));
    for (int k = 0; k < 3; k++) {
        const double begin = cairn_seconds();

        memcpy(block + k % 2 * bytes, block + (1 - k % 2) * bytes, (size_t)bytes);
        const double seconds = cairn_seconds() - begin;

        if (seconds > 0 && (double)bytes / seconds > d->rate)
            d->rate = (double)bytes / seconds;
    }
    cairn_free(device->env, block);
    device->info.bandwidth = 2 * d->rate; /* read and written */
    return CAIRN_OK;
}

/* 8. What would go wrong here, for `cairn doctor`? A driver that is too old, a folder
   that is missing; and what is to be done. NULL where there is nothing to say. */
static void
template_check(const cairn_device *device, int ranks, cairn_diagnostics *findings)
{
    const cairn_template_device *d = cairn_template_of(device);

    (void)ranks; /* of the node, which each have a device */

    if (d->memory < 1 << 20)
        cairn_diagnostics_attention(findings, device->info.kind,
                                    "give it more \"memory\"",
                                    "%s: %lld bytes of memory hold no matrix",
                                    device->info.id, (long long)d->memory);
    else
        cairn_diagnostics_ok(findings, device->info.kind, "%s", device->info.name);
}

/* 9. The table. Slots that are not here are NULL. `kernels.open`: the
   processor's; a device that compiles has a loader of its own. */
const cairn_device_ops cairn_device_template = {
    .kind     = "template",
    .summary  = "made to be copied",
    .delegate = CAIRN_HOST_KIND,
    .models   = models,
    .count    = template_count,
    .open     = template_open,
    .close    = template_close,
    .measure  = template_measure,
    .cost     = template_cost,
    .check    = template_check,
    .can      = template_can,
    .build    = cairn_template_build,
};
