// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Finding OpenCL, its platforms and their devices.

#include "devices/opencl/driver.h"

#include <dlfcn.h>

/// A function by its name; false: the library lacks it.
static bool find(void *library, const char *name, void *function)
{
    void *const found = dlsym(library, name);

    *(void **)function = found;
    return found != NULL;
}

bool cairn_opencl_driver_open(cairn_opencl_driver *driver)
{
    cairn_opencl_driver fresh = {.library = NULL};

    /* What platforms start does not end before the process: it stays loaded. */
    fresh.library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!fresh.library) return false;
#define X(name)                                          \
    if (!find(fresh.library, "cl" #name, &fresh.name)) { \
        dlclose(fresh.library);                          \
        return false;                                    \
    }
    CAIRN_OPENCL_MAP(X)
#undef X
    *driver = fresh;
    return true;
}

void cairn_opencl_driver_close(cairn_opencl_driver *driver)
{
    if (driver->library) dlclose(driver->library);
    *driver = (cairn_opencl_driver){.library = NULL};
}

enum { PLATFORMS = 16 };

int cairn_opencl_devices(const cairn_opencl_driver *driver,
                         cairn_opencl_handle        handle[CAIRN_OPENCL_DEVICES])
{
    cl_platform_id platform[PLATFORMS];
    cl_uint        platforms = 0;
    int            count     = 0;

    if (driver->GetPlatformIDs(PLATFORMS, platform, &platforms) != CL_SUCCESS) return 0;
    for (cl_uint p = 0; p < platforms && p < PLATFORMS; p++) {
        cl_device_id  device[CAIRN_OPENCL_DEVICES];
        cl_uint       devices = 0;
        const cl_uint room    = (cl_uint)(CAIRN_OPENCL_DEVICES - count);

        if (room == 0) break;
        if (driver->GetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, room, device,
                                 &devices)
            != CL_SUCCESS)
            continue; /* a platform without devices says so by failing */
        for (cl_uint d = 0; d < devices && d < room; d++)
            handle[count++] = (cairn_opencl_handle){platform[p], device[d]};
    }
    return count;
}

/// Failures that running kernels may meet.
static const struct {
    cl_int      error;
    const char *name;
} names[] = {
#define NAME(error)   \
    {                 \
        error, #error \
    }
    NAME(CL_DEVICE_NOT_FOUND),
    NAME(CL_DEVICE_NOT_AVAILABLE),
    NAME(CL_COMPILER_NOT_AVAILABLE),
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    NAME(CL_OUT_OF_RESOURCES),
    NAME(CL_OUT_OF_HOST_MEMORY),
    NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    NAME(CL_MEM_COPY_OVERLAP),
    NAME(CL_BUILD_PROGRAM_FAILURE),
    NAME(CL_MAP_FAILURE),
    NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    NAME(CL_COMPILE_PROGRAM_FAILURE),
    NAME(CL_LINKER_NOT_AVAILABLE),
    NAME(CL_LINK_PROGRAM_FAILURE),
    NAME(CL_INVALID_VALUE),
    NAME(CL_INVALID_DEVICE),
    NAME(CL_INVALID_CONTEXT),
    NAME(CL_INVALID_COMMAND_QUEUE),
    NAME(CL_INVALID_MEM_OBJECT),
    NAME(CL_INVALID_BINARY),
    NAME(CL_INVALID_BUILD_OPTIONS),
    NAME(CL_INVALID_PROGRAM),
    NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    NAME(CL_INVALID_KERNEL_NAME),
    NAME(CL_INVALID_KERNEL),
    NAME(CL_INVALID_ARG_INDEX),
    NAME(CL_INVALID_ARG_VALUE),
    NAME(CL_INVALID_ARG_SIZE),
    NAME(CL_INVALID_KERNEL_ARGS),
    NAME(CL_INVALID_WORK_GROUP_SIZE),
    NAME(CL_INVALID_EVENT),
    NAME(CL_INVALID_OPERATION),
    NAME(CL_INVALID_BUFFER_SIZE),
#undef NAME
};

const char *cairn_opencl_error(cl_int error)
{
    if (error == CAIRN_OPENCL_GIVEN_UP) return "waited for in vain, and given up";
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (names[n].error == error) return names[n].name;
    return "OpenCL error";
}

cairn_status cairn_opencl_status(cl_int error)
{
    switch (error) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE: return CAIRN_NO_MEMORY;
    default: return CAIRN_NO_DEVICE;
    }
}
