// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An OpenCL device that is open: its context, its one queue, what bounds it.

#ifndef CAIRN_DEVICES_OPENCL_DEVICE_H
#define CAIRN_DEVICES_OPENCL_DEVICE_H

#include "devices/device.h"
#include "devices/opencl/driver.h"

typedef struct cairn_opencl_device {
    cairn_opencl_driver driver;
    cl_platform_id      platform;
    cl_device_id        device;
    cl_context          context;
    cl_command_queue    queue;              ///< In order, and profiling.
    cl_ulong            memory, most_bytes; ///< In all, and of one buffer.
    cl_uint             units;
    size_t              group;     ///< Work-items of a group, at most.
    bool                processor; ///< It is one: an item runs as a thread does.
    bool                doubles;   ///< It has f64, which all sums are made in.
    bool                compiles;  ///< Else binaries are all that it takes.
    double              transfers; ///< Bytes per second to it; 0: not measured.
    bool                lost;      ///< Given up while it worked: nothing is released.
} cairn_opencl_device;

/// The state of an open device.
static inline cairn_opencl_device *cairn_opencl_of(const cairn_device *device)
{
    return device->state;
}

/// A text that the device says of itself: CL_DEVICE_NAME, CL_DRIVER_VERSION. "" if not.
void cairn_opencl_text(const cairn_opencl_device *device,
                       cl_device_info             what,
                       char                      *text,
                       size_t                     size);

/// Wait until a command is done, the last that the queue was given.
///
/// Any thread, one at a time. One that takes long is told of in the log; after
/// CAIRN_GIVE_UP the device is lost.
///
/// @return CL_SUCCESS, the command's failure, or CAIRN_OPENCL_GIVEN_UP.
cl_int cairn_opencl_wait(cairn_device *device, cl_event last);

/* Slots of the device, as devices/device.h has them. */

cairn_status cairn_opencl_measure(cairn_device *device);
double       cairn_opencl_cost(const cairn_device         *device,
                               const cairn_device_request *request);
cairn_status cairn_opencl_build(cairn_device            *device,
                                const cairn_device_work *work,
                                cairn_launch            *launch);

#endif
