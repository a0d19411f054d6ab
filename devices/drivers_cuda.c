// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The CUDA driver, asked for what is there. Its functions are declared here, since its
/// headers need not be installed; the names ending in _v2 are those that the driver has
/// for programs of today. Source: CUDA Driver API, sections 6.2 to 6.5.

#include "devices/drivers.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/// A CUresult is an int, 0 is success; a CUdevice is an int.
enum { MULTIPROCESSORS = 16 /* CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT */ };

enum { OLDEST = 12000 }; /* the driver that this version runs on: CUDA 12.0 */

typedef struct cuda {
    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*count)(int *count);
    int (*get)(int *device, int ordinal);
    int (*name)(char *name, int length, int device);
    int (*memory)(size_t *bytes, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*bus)(char *address, int length, int device);
    int (*error)(int error, const char **name); ///< May be NULL.
} cuda;

static bool find_all(void *library, cuda *driver)
{
    cairn_driver_function(library, "cuGetErrorName", &driver->error);
    return cairn_driver_function(library, "cuInit", &driver->init)
           && cairn_driver_function(library, "cuDriverGetVersion", &driver->version)
           && cairn_driver_function(library, "cuDeviceGetCount", &driver->count)
           && cairn_driver_function(library, "cuDeviceGet", &driver->get)
           && cairn_driver_function(library, "cuDeviceGetName", &driver->name)
           && cairn_driver_function(library, "cuDeviceTotalMem_v2", &driver->memory)
           && cairn_driver_function(library, "cuDeviceGetAttribute", &driver->attribute)
           && cairn_driver_function(library, "cuDeviceGetPCIBusId", &driver->bus);
}

static void list_device(const cuda *driver, int ordinal, cairn_drivers *drivers)
{
    cairn_driver_device *device = &drivers->device[drivers->count];
    size_t               bytes  = 0;
    int                  handle;

    if (drivers->count == CAIRN_DRIVER_DEVICES || driver->get(&handle, ordinal) != 0)
        return;
    *device = (cairn_driver_device){.driver = "cuda", .type = "gpu"};
    driver->name(device->name, sizeof device->name, handle);
    driver->memory(&bytes, handle);
    driver->attribute(&device->units, MULTIPROCESSORS, handle);
    driver->bus(device->pci, sizeof device->pci, handle);
    for (char *c = device->pci; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    device->memory_bytes = (int64_t)bytes;
    drivers->count++;
}

/// What may hide all cards: "; CUDA_VISIBLE_DEVICES is '-1'".
static void quote_visible(char *text, size_t size)
{
    const char *const visible = cairn_foreign_variable("CUDA_VISIBLE_DEVICES");

    text[0] = '\0';
    if (visible) snprintf(text, size, "; CUDA_VISIBLE_DEVICES is '%.40s'", visible);
}

/// Why it does not start: the error by its name.
static void explain(const cuda *driver, int failed, char *why, size_t size)
{
    const char *name = NULL;
    char        hidden[80];

    if (!driver->error || driver->error(failed, &name) != 0) name = NULL;
    quote_visible(hidden, sizeof hidden);
    snprintf(why, size, "the driver is there, but does not start (error %d%s%s%s)",
             failed, name ? ", " : "", name ? name : "", hidden);
}

/// What the driver says, when it runs.
static void ask(const cuda *driver, cairn_drivers *drivers)
{
    cairn_driver *about   = &drivers->cuda;
    int           version = 0, failed = driver->init(0);

    if (!failed) failed = driver->count(&about->devices);
    about->failed = failed;
    if (failed) {
        explain(driver, failed, about->why, sizeof about->why);
        return;
    }
    driver->version(&version);
    snprintf(about->version, sizeof about->version, "%d.%d", version / 1000,
             version % 1000 / 10);
    if (version < OLDEST)
        snprintf(about->why, sizeof about->why,
                 "the driver is one for CUDA %s; this version needs one for %d.0",
                 about->version, OLDEST / 1000);
    else if (about->devices == 0) {
        char hidden[80];

        quote_visible(hidden, sizeof hidden);
        snprintf(about->why, sizeof about->why,
                 "the driver for CUDA %.16s has no card%s", about->version, hidden);
    }
    about->found     = true;
    about->platforms = 1;
    for (int k = 0; k < about->devices; k++)
        list_device(driver, k, drivers);
}

void cairn_drivers_ask_cuda(cairn_drivers *drivers)
{
    void *const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    cuda        driver  = {0};

    if (!library)
        snprintf(drivers->cuda.why, sizeof drivers->cuda.why, "no libcuda.so.1");
    else if (!find_all(library, &driver))
        snprintf(drivers->cuda.why, sizeof drivers->cuda.why,
                 "libcuda.so.1 lacks functions of CUDA 4 and later");
    else
        ask(&driver, drivers);
}
