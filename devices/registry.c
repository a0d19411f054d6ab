// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The devices of a list, which is read to its end before the first is opened: a device
/// is told of how many it is one.

#include "devices/registry.h"

#include "devices/config_file.h"
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

/// Put a device on the list. @p config NULL: as the kind's first model has it.
static cairn_status list_one(cairn_env                 *env,
                             const char                *where,
                             const cairn_device_ops    *kind,
                             const cairn_device_config *config,
                             cairn_devices             *devices)
{
    const int k = devices->listed;

    CAIRN_CHECK(k < CAIRN_MAX_DEVICES, env, CAIRN_BAD_OPTION,
                "option: %s: more than %d devices", where, CAIRN_MAX_DEVICES);
    devices->device[k] =
        (cairn_device){.env = env, .machine = devices->machine, .ops = complete(kind)};
    if (config)
        devices->config[k] = *config;
    else if (kind->models)
        cairn_config_init(kind->models, &devices->config[k]);
    if (kind->models) devices->device[k].config = &devices->config[k];
    devices->listed++;
    return CAIRN_OK;
}

/// Write why there are none of a kind. @return false: nobody knows, and it is "".
static bool why_none(const cairn_device_ops *kind,
                     const cairn_machine    *machine,
                     char                   *why,
                     size_t                  size)
{
    why[0] = '\0';
    if (kind->lacks) kind->lacks(machine, why, size);
    return why[0] != '\0';
}

static cairn_status list_kind(cairn_env              *env,
                              const char             *where,
                              const cairn_device_ops *kind,
                              int                     asked,
                              cairn_devices          *devices)
{
    const bool all   = asked == CAIRN_NO_NUMBER_GIVEN;
    int        count = all ? kind->count(devices->machine) : asked;
    char       why[200];

    /* What is simulated is there as soon as it is asked for. */
    if (all && count == 0 && kind->models) count = 1;
    CAIRN_CHECK(count > 0 || !all, env, CAIRN_NO_DEVICE,
                "device: %s: this machine has no %s device%s%s", where, kind->kind,
                why_none(kind, devices->machine, why, sizeof why) ? ": " : "", why);
    CAIRN_CHECK(count > 0, env, CAIRN_BAD_OPTION,
                "option: %s: '%s:0' asks for no device; N in %s:N is how many", where,
                kind->kind, kind->kind);
    while (count-- > 0)
        CAIRN_TRY(list_one(env, where, kind, NULL, devices));
    return CAIRN_OK;
}

/// How many of the first @p n devices are of a kind.
static int count_kind(const cairn_devices *devices, int n, const char *kind)
{
    int found = 0;

    for (int k = 0; k < n; k++)
        found += strcmp(devices->device[k].ops.kind, kind) == 0;
    return found;
}

static cairn_status open_one(cairn_device *device, int index, int count)
{
    const char *kind = device->ops.kind;

    snprintf(device->info.kind, sizeof device->info.kind, "%s", kind);
    snprintf(device->info.id, sizeof device->info.id, "%s:%d", kind, index);
    return device->ops.open(device, index, count);
}

/// A device is called what its user calls it.
static void rename_device(cairn_device *device, const cairn_device_config *config)
{
    _Static_assert(sizeof device->info.name == sizeof config->name, "one length");
    if (config->name[0]) memcpy(device->info.name, config->name, sizeof config->name);
}

/// Open the devices of the list, in its order.
static cairn_status open_listed(cairn_devices *devices)
{
    while (devices->count < devices->listed) {
        cairn_device *device = &devices->device[devices->count];
        const char   *kind   = device->ops.kind;

        CAIRN_TRY(open_one(device, count_kind(devices, devices->count, kind),
                           count_kind(devices, devices->listed, kind)));
        rename_device(device, &devices->config[devices->count]);
        devices->count++;
    }
    return CAIRN_OK;
}

/// The processor beside a list that leaves it out.
static cairn_status open_spare(cairn_env *env, cairn_devices *devices)
{
    if (count_kind(devices, devices->count, CAIRN_HOST_KIND) > 0) return CAIRN_OK;
    devices->spare =
        (cairn_device){.env     = env,
                       .machine = devices->machine,
                       .ops     = complete(cairn_device_kind(CAIRN_HOST_KIND))};
    return open_one(&devices->spare, 0, 1);
}

/// How many of a kind there are without a number.
static int
count_all(const cairn_device_ops *kind, bool asked, const cairn_machine *machine)
{
    if (!asked && kind->presence == CAIRN_PRESENT_ASKED) return 0;
    return !asked && kind->presence == CAIRN_PRESENT_AS_ONE ? 1 : kind->count(machine);
}

/// Every kind; unless @p asked, only those that are there without being asked for.
static cairn_status
list_all(cairn_env *env, const char *where, bool asked, cairn_devices *devices)
{
    const cairn_device_ops *kind;

    for (int k = 0; (kind = cairn_device_kind_at(k)); k++)
        for (int n = count_all(kind, asked, devices->machine); n > 0; n--)
            CAIRN_TRY(list_one(env, where, kind, NULL, devices));
    return CAIRN_OK;
}

/// A list is read item by item; each kind is named once.
typedef struct listing {
    cairn_env              *env;
    const char             *where; ///< The option's name.
    cairn_devices          *devices;
    int                     names;
    const cairn_device_ops *named[CAIRN_MAX_DEVICES];
} listing;

static cairn_status list_file(listing *list, const char *path)
{
    cairn_env              *env    = list->env;
    cairn_described_device *device = NULL;
    int                     count  = 0;
    cairn_status            status = CAIRN_OK;

    CAIRN_TRY(cairn_config_read(env, path, cairn_device_kinds(), CAIRN_MAX_DEVICES,
                                &count, &device));
    for (int k = 0; k < count && status == CAIRN_OK; k++)
        status = list_one(env, list->where, device[k].kind, &device[k].config,
                          list->devices);
    cairn_free(env, device);
    return status;
}

static cairn_status list_name(listing *list, const char *item)
{
    cairn_device_name name;

    CAIRN_TRY(
        cairn_device_name_parse(list->env, list->where, item, strlen(item), &name));
    const cairn_device_ops *kind = cairn_device_kind(name.kind);

    for (int k = 0; k < list->names; k++)
        CAIRN_CHECK(list->named[k] != kind, list->env, CAIRN_BAD_OPTION,
                    "option: %s: '%s' stands there twice", list->where, name.kind);
    list->named[list->names++] = kind;
    return list_kind(list->env, list->where, kind, name.number, list->devices);
}

/// Cut the first item off a list joined by commas. @return The rest; NULL: it was the
/// last.
static const char *cut_item(const char *list, char item[CAIRN_OPTION_PATH])
{
    const size_t length = strcspn(list, ",");

    snprintf(item, CAIRN_OPTION_PATH, "%.*s", (int)length, list);
    return list[length] ? list + length + 1 : NULL;
}

static cairn_status list_item(listing *list, const char *item)
{
    if (cairn_config_is_file(item)) return list_file(list, item);
    if (strcmp(item, "all") == 0 && list->names == 0) {
        CAIRN_TRY(list_all(list->env, list->where, true, list->devices));
        for (int k = 0; (list->named[k] = cairn_device_kind_at(k)); k++)
            list->names++;
        return CAIRN_OK;
    }
    return list_name(list, item);
}

static cairn_status read_list(listing *list, const char *text)
{
    char item[CAIRN_OPTION_PATH];
    bool kinds = false;

    for (const char *rest = text; rest && text[0];) {
        rest = cut_item(rest, item);
        if (!cairn_config_is_file(item)) kinds = true;
    }
    /* Files alone add to what the machine has. */
    if (!kinds) CAIRN_TRY(list_all(list->env, list->where, false, list->devices));
    for (const char *rest = text; rest && text[0];) {
        rest = cut_item(rest, item);
        CAIRN_TRY(list_item(list, item));
    }
    return CAIRN_OK;
}

cairn_status cairn_devices_open(cairn_env      *env,
                                const char     *where,
                                const char     *list,
                                cairn_devices **devices)
{
    return cairn_devices_open_in_turn(env, where, list, (cairn_machine_turn){0, 0},
                                      devices);
}

cairn_status cairn_devices_open_in_turn(cairn_env         *env,
                                        const char        *where,
                                        const char        *list,
                                        cairn_machine_turn turn,
                                        cairn_devices    **devices)
{
    cairn_devices *fresh = NULL;
    cairn_status   status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    CAIRN_GO(close, cairn_machine_discover(env, &fresh->machine));
    fresh->machine->turn = turn;
    CAIRN_GO(close, read_list(&(listing){env, where, fresh, 0, {NULL}}, list));
    CAIRN_GO(close, open_listed(fresh));
    CAIRN_GO(close, open_spare(env, fresh));
    *devices = fresh;
    return CAIRN_OK;

close:
    cairn_devices_close(env, &fresh);
    return status;
}

static void close_one(cairn_device *device)
{
    if (device->kernels.load) device->ops.kernels.close(device, &device->kernels);
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
        CAIRN_CHECK(device->ops.kernels.open, device->env, CAIRN_NO_KERNEL,
                    "device: %s: it has no kernels", device->info.id);
        CAIRN_TRY(device->ops.kernels.open(device, &fresh));
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
    return cairn_fail(
        env, CAIRN_NO_DEVICE,
        "device: %s:%d: this run has %d %s device%s; --devices says which it has", kind,
        index, seen, kind, seen == 1 ? "" : "s");
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
