// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A CUDA driver of two devices, at the addresses of cards in topologies/accelerators.xml,
/// for machines without one: what a program that opens libcuda.so.1 by name gets to see.

#include <stddef.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int cuInit(unsigned flags)
{
    return (int)flags;
}

EXPORT int cuDriverGetVersion(int *version)
{
    *version = 12040;
    return 0;
}

EXPORT int cuDeviceGetCount(int *count)
{
    *count = 2;
    return 0;
}

EXPORT int cuDeviceGet(int *device, int ordinal)
{
    *device = 100 + ordinal;
    return 0;
}

EXPORT int cuDeviceGetName(char *name, int length, int device)
{
    snprintf(name, (size_t)length, "Example GPU %d", device - 100);
    return 0;
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = (size_t)80 << 30;
    return device < 100;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 16 ? 132 : 0;
    return device < 100;
}

EXPORT int cuDeviceGetPCIBusId(char *address, int length, int device)
{
    snprintf(address, (size_t)length, device == 100 ? "0000:17:00.0" : "0000:31:00.0");
    return 0;
}
