// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Opening the devices of a list, kind by kind.

#include "devices/registry.h"

#include "devices/kinds.h"

#include <stdio.h>
#include <string.h>

/// Complete a kind's table by its delegates, nearest first.
static cairn_device_ops complete(const cairn_device_ops *kind)
{
    cairn_device_ops ops = *kind;

    while (kind->delegate && (kind = cairn_device_kind(kind->delegate)))
        cairn_device_inherit(&ops, kind);
    return ops;
}

static cairn_status open_one(cairn_env              *env,
                             const cairn_machine    *machine,
                             const cairn_device_ops *kind,
                             int                     index,
                             int                     count,
                             cairn_device           *device)
{
    *device = (cairn_device){.env = env, .machine = machine, .ops = complete(kind)};
    snprintf(device->info.kind, sizeof device->info.kind, "%s", kind->kind);
    snprintf(device->info.id, sizeof device->info.id, "%s:%d", kind->kind, index);
    return kind->open(device, index, count);
}

static bool has_kind(const cairn_devices *devices, const char *kind)
{
    for (int k = 0; k < devices->count; k++)
        if (strcmp(devices->device[k].info.kind, kind) == 0) return true;
    return false;
}

static cairn_status open_kind(cairn_env              *env,
                              const char             *where,
                              cairn_devices          *devices,
                              const cairn_device_ops *kind,
                              int                     asked)
{
    const bool all   = asked == CAIRN_NO_NUMBER_GIVEN;
    const int  count = all ? kind->count(devices->machine) : asked;

    CAIRN_CHECK(devices->count + count <= CAIRN_MAX_DEVICES, env, CAIRN_BAD_OPTION,
                "option: %s: more than %d devices", where, CAIRN_MAX_DEVICES);
    CAIRN_CHECK(all || count > 0, env, CAIRN_BAD_OPTION,
                "option: %s: '%s:0' asks for no device; N in %s:N is how many", where,
                kind->kind, kind->kind);
    for (int k = 0; k < count; k++) {
        CAIRN_TRY(open_one(env, devices->machine, kind, k, count,
                           &devices->device[devices->count]));
        devices->count++;
    }
    return CAIRN_OK;
}

/// The processor beside a list that leaves it out.
static cairn_status open_spare(cairn_env *env, cairn_devices *devices)
{
    if (has_kind(devices, CAIRN_HOST_KIND)) return CAIRN_OK;
    return open_one(env, devices->machine, cairn_device_kind(CAIRN_HOST_KIND), 0, 1,
                    &devices->spare);
}

static cairn_status open_all(cairn_env *env, const char *where, cairn_devices *devices)
{
    const cairn_device_ops *kind;

    for (int k = 0; (kind = cairn_device_kind_at(k)); k++)
        CAIRN_TRY(open_kind(env, where, devices, kind, CAIRN_NO_NUMBER_GIVEN));
    return CAIRN_OK;
}

static cairn_status
open_list(cairn_env *env, const char *where, const char *list, cairn_devices *devices)
{
    if (!list[0] || strcmp(list, "all") == 0) return open_all(env, where, devices);
    for (const char *item = list;; item++) {
        const size_t      length = strcspn(item, ",");
        cairn_device_name name;

        CAIRN_TRY(cairn_device_name_parse(env, where, item, length, &name));
        CAIRN_CHECK(!has_kind(devices, name.kind), env, CAIRN_BAD_OPTION,
                    "option: %s: '%s' stands there twice", where, name.kind);
        CAIRN_TRY(
            open_kind(env, where, devices, cairn_device_kind(name.kind), name.number));
        item += length;
        if (!*item) return CAIRN_OK;
    }
}

cairn_status cairn_devices_open(cairn_env      *env,
                                const char     *where,
                                const char     *list,
                                cairn_devices **devices)
{
    cairn_devices *fresh = NULL;
    cairn_status   status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    CAIRN_GO(close, cairn_machine_discover(env, &fresh->machine));
    CAIRN_GO(close, open_list(env, where, list, fresh));
    CAIRN_GO(close, open_spare(env, fresh));
    *devices = fresh;
    return CAIRN_OK;

close:
    cairn_devices_close(env, &fresh);
    return status;
}

static void close_one(cairn_device *device)
{
    if (device->kernels.load) device->ops.kernels_close(device, &device->kernels);
    if (device->ops.close) device->ops.close(device);
}

void cairn_devices_close(cairn_env *env, cairn_devices **devices)
{
    if (!*devices) return;
    if ((*devices)->spare.env) close_one(&(*devices)->spare);
    for (int k = (*devices)->count - 1; k >= 0; k--)
        close_one(&(*devices)->device[k]);
    cairn_machine_destroy(env, &(*devices)->machine);
    cairn_free(env, *devices);
    *devices = NULL;
}

cairn_status cairn_device_kernels(cairn_device               *device,
                                  const cairn_kernel_loader **loader)
{
    cairn_kernel_loader fresh = {0};

    if (!device->kernels.load) {
        CAIRN_CHECK(device->ops.kernels_open, device->env, CAIRN_NO_KERNEL,
                    "device: %s: it has no kernels", device->info.id);
        CAIRN_TRY(device->ops.kernels_open(device, &fresh));
        device->kernels = fresh;
    }
    *loader = &device->kernels;
    return CAIRN_OK;
}

cairn_status cairn_devices_find(cairn_env           *env,
                                const cairn_devices *devices,
                                const char          *kind,
                                int                  index,
                                int                 *found)
{
    int seen = 0;

    for (int k = 0; k < devices->count; k++) {
        if (strcmp(devices->device[k].info.kind, kind) != 0) continue;
        if (seen == index) {
            *found = k;
            return CAIRN_OK;
        }
        seen++;
    }
    return cairn_fail(env, CAIRN_NO_DEVICE,
                      "device: %s:%d: this run has %d %s device%s", kind, index, seen,
                      kind, seen == 1 ? "" : "s");
}

bool cairn_device_is_host(const cairn_device *device)
{
    return strcmp(device->info.kind, CAIRN_HOST_KIND) == 0;
}

cairn_device *cairn_devices_host(cairn_devices *devices)
{
    for (int k = 0; k < devices->count; k++)
        if (cairn_device_is_host(&devices->device[k])) return &devices->device[k];
    return &devices->spare;
}
