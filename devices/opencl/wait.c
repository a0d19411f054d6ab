// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Waiting for the queue. clFinish() has no limit, so the last command's event is asked
/// again and again, first at once, then after sleeps that grow with the time waited.
///
/// What was given up may still come back, and then reads X and writes Y: nothing of such a
/// device is released, and nothing of the caller's is lent to one that may be given up.

#include "base/patience.h"
#include "devices/opencl/device.h"

static bool go_on(const cairn_device *device, cairn_patience *patience)
{
    return cairn_patience_goes_on(patience, device->env, "device", device->info.id,
                                  "its queue has not come to its end");
}

cl_int cairn_opencl_wait(cairn_device *device, cl_event last)
{
    cairn_opencl_device *d        = cairn_opencl_of(device);
    cairn_patience       patience = cairn_patience_begin(device->env);
    cl_int               state    = CL_QUEUED;

    if (d->lost) return CAIRN_OPENCL_GIVEN_UP;
    /* A queue that cannot be flushed may run all the same, and its commands read and write
       memory that the caller then frees: their end is waited for as after any other. */
    const cl_int flushed = d->driver.Flush(d->queue);

    for (;;) {
        const cl_int asked = d->driver.GetEventInfo(
            last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);

        if (asked != CL_SUCCESS) return asked;
        if (state < 0) return state;
        if (state == CL_COMPLETE) return flushed;
        if (!go_on(device, &patience)) {
            d->lost = true;
            return CAIRN_OPENCL_GIVEN_UP;
        }
        cairn_patience_rest(&patience);
    }
}
