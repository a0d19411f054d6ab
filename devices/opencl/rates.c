// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How fast a device is: copies inside its memory and from main memory to it, and what a
/// product then takes.

#include "devices/opencl/device.h"
#include "devices/product.h"

/// Seconds from an event's start to its end.
static double seconds_of(const cairn_opencl_device *d, cl_event event)
{
    cl_ulong begin = 0, end = 0;

    d->driver.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin,
                                    &begin, NULL);
    d->driver.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end,
                                    NULL);
    return end > begin ? (double)(end - begin) * 1e-9 : 0;
}

/// Seconds of the quicker of two, the second of which finds all pages in place.
static double quickest(const cairn_opencl_device *d, cl_event first, cl_event second)
{
    const double cold = seconds_of(d, first), warm = seconds_of(d, second);

    return warm > 0 && warm < cold ? warm : cold;
}

/// Copy @p block to @p a and @p a to @p b, twice. Anything that fails leaves the rates
/// unknown; the block is not read any more afterwards, unless the device is given up.
static void
time_copies(cairn_device *device, const void *block, int64_t bytes, cl_mem a, cl_mem b)
{
    enum { IN, INSIDE, IN_AGAIN, INSIDE_AGAIN, COPIES };
    cairn_opencl_device *d    = device->state;
    const size_t         size = (size_t)bytes;
    cl_event             copy[COPIES];
    int                  made = 0;

    for (; made < COPIES; made++) {
        const cl_int error =
            made % 2 == IN ? d->driver.EnqueueWriteBuffer(
                d->queue, a, CL_FALSE, 0, size, block, 0, NULL, &copy[made])
                           : d->driver.EnqueueCopyBuffer(d->queue, a, b, 0, 0, size, 0,
                                                         NULL, &copy[made]);
        if (error != CL_SUCCESS) break;
    }
    if (made == 0) return;
    if (cairn_opencl_wait(device, copy[made - 1]) == CL_SUCCESS && made == COPIES) {
        const double move   = quickest(d, copy[IN], copy[IN_AGAIN]);
        const double inside = quickest(d, copy[INSIDE], copy[INSIDE_AGAIN]);

        if (move > 0) d->transfers = (double)bytes / move;
        if (inside > 0) device->info.bandwidth = 2 * (double)bytes / inside;
    }
    while (!d->lost && made > 0)
        d->driver.ReleaseEvent(copy[--made]);
}

cairn_status cairn_opencl_measure(cairn_device *device)
{
    cairn_opencl_device *d     = device->state;
    const int64_t        bytes = 64 << 20;
    char                *block = NULL;
    cl_int               error;

    if ((cl_ulong)bytes > d->most_bytes || bytes > device->env->memory_limit)
        return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, bytes, &block));
    cl_mem a = d->driver.CreateBuffer(d->context, CL_MEM_READ_WRITE, (size_t)bytes,
                                      NULL, &error);
    cl_mem b = d->driver.CreateBuffer(d->context, CL_MEM_READ_WRITE, (size_t)bytes,
                                      NULL, &error);

    if (a && b) time_copies(device, block, bytes, a, b);
    CAIRN_CHECK(!d->lost, device->env, CAIRN_NO_DEVICE, "device: %s: its queue: %s",
                device->info.id, cairn_opencl_error(CAIRN_OPENCL_GIVEN_UP));
    if (a) d->driver.ReleaseMemObject(a);
    if (b) d->driver.ReleaseMemObject(b);
    cairn_free(device->env, block);
    return CAIRN_OK;
}

/* What starting a kernel and hearing that it has ended takes: PoCL 3.1 on two cores, 27
   to 37 us; drivers of cards are between 10 and 50. */
static const double host_hop = 30e-6;

double cairn_opencl_cost(const cairn_device         *device,
                         const cairn_device_request *request)
{
    const cairn_opencl_device *d      = cairn_opencl_of(device);
    const cairn_device_work   *work   = request->work;
    const double               inside = device->info.bandwidth;
    double                     moved  = 0;

    if (inside <= 0 || d->transfers <= 0) return -1;
    if (work)
        moved = (double)(cairn_work_rows_in(work) + cairn_work_rows_out(work))
                * (double)work->op->columns * work->tensor->value_bits / 8;
    return host_hop + (double)request->moved_bytes / inside + moved / d->transfers;
}
