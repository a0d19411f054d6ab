// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// OpenCL's platforms and devices, asked through the loader. What is needed of its
/// interface is declared here, since its headers need not be installed. Source: Khronos,
/// The OpenCL Specification 3.0, sections 4.1 and 4.2; the extensions cl_khr_pci_bus_info
/// and cl_nv_device_attribute_query.

#include "devices/drivers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { CL_NO_PLATFORM = -1001, PLATFORMS = 16 };

/// Questions, by the numbers that the specification gives them.
enum {
    PLATFORM_NAME  = 0x0902,
    DEVICE_TYPE    = 0x1000,
    DEVICE_UNITS   = 0x1002,
    DEVICE_MEMORY  = 0x101f,
    DEVICE_NAME    = 0x102b,
    DEVICE_VERSION = 0x102f,
    DEVICE_PCI     = 0x410f, // domain, bus, device, function
    DEVICE_NV_BUS  = 0x4008,
    DEVICE_NV_SLOT = 0x4009, // device and function
};

enum { TYPE_CPU = 2, TYPE_GPU = 4 };

static const uint64_t all_types = 0xffffffff;

typedef int32_t (*device_info)(void    *device,
                               uint32_t what,
                               size_t   size,
                               void    *value,
                               size_t  *length);

typedef struct opencl {
    int32_t (*platforms)(uint32_t room, void **platform, uint32_t *count);
    int32_t (*platform)(void    *platform,
                        uint32_t what,
                        size_t   size,
                        void    *value,
                        size_t  *length);
    int32_t (*devices)(void     *platform,
                       uint64_t  type,
                       uint32_t  room,
                       void    **device,
                       uint32_t *count);
    device_info device;
} opencl;

static bool find_all(void *library, opencl *loader)
{
    return cairn_driver_function(library, "clGetPlatformIDs", &loader->platforms)
           && cairn_driver_function(library, "clGetPlatformInfo", &loader->platform)
           && cairn_driver_function(library, "clGetDeviceIDs", &loader->devices)
           && cairn_driver_function(library, "clGetDeviceInfo", &loader->device);
}

/// Its bus address, if the driver tells it in one of two ways.
static void
find_address(const opencl *loader, void *handle, cairn_driver_device *device)
{
    uint32_t at[4] = {0}, slot;

    if (loader->device(handle, DEVICE_PCI, sizeof at, at, NULL) != 0) {
        if (loader->device(handle, DEVICE_NV_BUS, sizeof at[1], &at[1], NULL) != 0
            || loader->device(handle, DEVICE_NV_SLOT, sizeof slot, &slot, NULL) != 0)
            return;
        at[2] = slot >> 3;
        at[3] = slot & 7;
    }
    snprintf(device->pci, sizeof device->pci, "%04x:%02x:%02x.%01x", at[0] & 0xffff,
             at[1] & 0xff, at[2] & 0x1f, at[3] & 7);
}

/// Texts of drivers end with blanks, or with nothing when they are longer than asked for.
static void
ask_text(const opencl *loader, void *handle, uint32_t what, size_t size, char *text)
{
    char   whole[1024] = "";
    size_t n;

    if (loader->device(handle, what, sizeof whole - 1, whole, NULL) != 0) return;
    n = strlen(whole);
    while (n > 0 && whole[n - 1] == ' ')
        whole[--n] = '\0';
    snprintf(text, size, "%s", whole + strspn(whole, " "));
}

static const char *type_name(uint64_t type)
{
    if (type & TYPE_GPU) return "gpu";
    return type & TYPE_CPU ? "cpu" : "accelerator";
}

static void list_device(const opencl  *loader,
                        const char    *platform,
                        void          *handle,
                        cairn_drivers *drivers)
{
    cairn_driver_device *device = &drivers->device[drivers->count];
    uint64_t             type = 0, bytes = 0;
    uint32_t             units = 0;

    if (drivers->count == CAIRN_DRIVER_DEVICES) return;
    loader->device(handle, DEVICE_TYPE, sizeof type, &type, NULL);
    loader->device(handle, DEVICE_MEMORY, sizeof bytes, &bytes, NULL);
    loader->device(handle, DEVICE_UNITS, sizeof units, &units, NULL);
    *device = (cairn_driver_device){.driver       = "opencl",
                                    .type         = type_name(type),
                                    .memory_bytes = (int64_t)bytes,
                                    .units        = (int)units};
    snprintf(device->platform, sizeof device->platform, "%.63s", platform);
    ask_text(loader, handle, DEVICE_NAME, sizeof device->name, device->name);
    ask_text(loader, handle, DEVICE_VERSION, sizeof device->version, device->version);
    find_address(loader, handle, device);
    drivers->count++;
}

static void list_platform(const opencl *loader, void *platform, cairn_drivers *drivers)
{
    void    *device[CAIRN_DRIVER_DEVICES];
    uint32_t count     = 0;
    char     name[256] = "";

    loader->platform(platform, PLATFORM_NAME, sizeof name - 1, name, NULL);
    if (loader->devices(platform, all_types, CAIRN_DRIVER_DEVICES, device, &count) != 0)
        return; /* A driver without its hardware has none, which is an error of its own. */
    drivers->opencl.devices += (int)count;
    for (uint32_t k = 0; k < count && k < CAIRN_DRIVER_DEVICES; k++)
        list_device(loader, name, device[k], drivers);
}

static void ask(const opencl *loader, cairn_drivers *drivers)
{
    cairn_driver *about = &drivers->opencl;
    void         *platform[PLATFORMS];
    uint32_t      count  = 0;
    const int     failed = loader->platforms(PLATFORMS, platform, &count);

    about->found = failed == 0 || failed == CL_NO_PLATFORM;
    if (failed == CL_NO_PLATFORM || (failed == 0 && count == 0))
        snprintf(about->why, sizeof about->why,
                 "the loader is there, but no driver is registered with it");
    else if (failed)
        snprintf(about->why, sizeof about->why,
                 "the loader is there, but fails (error %d)", failed);
    if (failed) return;
    about->platforms = (int)count;
    for (uint32_t k = 0; k < count && k < PLATFORMS; k++)
        list_platform(loader, platform[k], drivers);
}

void cairn_drivers_ask_opencl(cairn_drivers *drivers)
{
    void *const library = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL);
    opencl      loader  = {0};

    if (!library)
        snprintf(drivers->opencl.why, sizeof drivers->opencl.why, "no libOpenCL.so.1");
    else if (!find_all(library, &loader))
        snprintf(drivers->opencl.why, sizeof drivers->opencl.why,
                 "libOpenCL.so.1 lacks functions of OpenCL 1.0");
    else
        ask(&loader, drivers);
}
