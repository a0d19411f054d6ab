// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// OpenCL as a table of functions, found when a device is asked for: the loader of
/// OpenCL platforms, libOpenCL.so.1, is opened by name and never linked, so that nothing
/// asks for it where there is none.

#ifndef CAIRN_DEVICES_OPENCL_DRIVER_H
#define CAIRN_DEVICES_OPENCL_DRIVER_H

#include "base/env.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

/// The functions of OpenCL 1.2 that are used, without their "cl".
#define CAIRN_OPENCL_MAP(X)    \
    X(GetPlatformIDs)          \
    X(GetPlatformInfo)         \
    X(GetDeviceIDs)            \
    X(GetDeviceInfo)           \
    X(CreateContext)           \
    X(ReleaseContext)          \
    X(CreateCommandQueue)      \
    X(ReleaseCommandQueue)     \
    X(CreateProgramWithSource) \
    X(CreateProgramWithBinary) \
    X(BuildProgram)            \
    X(GetProgramBuildInfo)     \
    X(GetProgramInfo)          \
    X(ReleaseProgram)          \
    X(CreateKernel)            \
    X(SetKernelArg)            \
    X(ReleaseKernel)           \
    X(CreateBuffer)            \
    X(ReleaseMemObject)        \
    X(EnqueueWriteBuffer)      \
    X(EnqueueReadBuffer)       \
    X(EnqueueCopyBuffer)       \
    X(EnqueueFillBuffer)       \
    X(EnqueueNDRangeKernel)    \
    X(Flush)                   \
    X(GetEventInfo)            \
    X(GetEventProfilingInfo)   \
    X(ReleaseEvent)

typedef struct cairn_opencl_driver {
    void *library; ///< NULL: there is no OpenCL here.
#define X(name) __typeof__(&cl##name) name;
    CAIRN_OPENCL_MAP(X)
#undef X
} cairn_opencl_driver;

/// Find OpenCL. Platforms may start threads, and stay in memory till the process ends.
///
/// @return false: there is no loader, or it is older than OpenCL 1.2.
bool cairn_opencl_driver_open(cairn_opencl_driver *driver);
void cairn_opencl_driver_close(cairn_opencl_driver *driver);

/// A device as its platform gives it.
typedef struct cairn_opencl_handle {
    cl_platform_id platform;
    cl_device_id   device;
} cairn_opencl_handle;

#define CAIRN_OPENCL_DEVICES 64 ///< Over all platforms; more are not looked at.

/// Ask all platforms for their devices, one platform after the other.
///
/// @param[out] handle  Room for CAIRN_OPENCL_DEVICES.
/// @return how many there are; 0 without platforms.
int cairn_opencl_devices(const cairn_opencl_driver *driver,
                         cairn_opencl_handle        handle[CAIRN_OPENCL_DEVICES]);

#define CAIRN_OPENCL_GIVEN_UP (-9000) ///< A failure of ours: CAIRN_GIVE_UP has passed.

/// The name of a failure: "CL_OUT_OF_RESOURCES"; "OpenCL error" for what 1.2 lacks.
const char *cairn_opencl_error(cl_int error);

/// What a failure is for who asked: NO_MEMORY or NO_DEVICE.
cairn_status cairn_opencl_status(cl_int error);

#endif
