// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A loader of OpenCL drivers with two platforms: one of a GPU that tells its address, one
/// that has lost its hardware. For machines without drivers.

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static int platforms[2], gpu;

EXPORT int32_t clGetPlatformIDs(uint32_t room, void **platform, uint32_t *count)
{
    for (uint32_t k = 0; k < 2 && k < room; k++)
        platform[k] = &platforms[k];
    *count = 2;
    return 0;
}

EXPORT int32_t clGetPlatformInfo(void    *platform,
                                 uint32_t what,
                                 size_t   size,
                                 void    *value,
                                 size_t  *length)
{
    (void)length;
    snprintf(value, size, "Example platform %d", platform == &platforms[1]);
    return what == 0x0902 ? 0 : -30;
}

EXPORT int32_t clGetDeviceIDs(void     *platform,
                              uint64_t  type,
                              uint32_t  room,
                              void    **device,
                              uint32_t *count)
{
    if (platform == &platforms[1]) return -1; /* CL_DEVICE_NOT_FOUND */
    if (room > 0) device[0] = &gpu;
    *count = 1;
    return type == 0xffffffff ? 0 : -31;
}

static int32_t give(const void *bytes, size_t n, size_t size, void *value)
{
    if (size < n) return -30;
    memcpy(value, bytes, n);
    return 0;
}

EXPORT int32_t
clGetDeviceInfo(void *device, uint32_t what, size_t size, void *value, size_t *length)
{
    static const uint64_t type = 4, memory = (uint64_t)48 << 30;
    static const uint32_t units = 64, bus = 0xae, slot = 0;

    (void)device, (void)length;
    if (what == 0x1000) return give(&type, sizeof type, size, value);
    if (what == 0x101f) return give(&memory, sizeof memory, size, value);
    if (what == 0x1002) return give(&units, sizeof units, size, value);
    if (what == 0x102b) return give("  Example GPU  ", 16, size, value);
    if (what == 0x102f) return give("OpenCL 3.0 ", 12, size, value);
    if (what == 0x4008) return give(&bus, sizeof bus, size, value);
    if (what == 0x4009) return give(&slot, sizeof slot, size, value);
    return -30; /* CL_INVALID_VALUE */
}
