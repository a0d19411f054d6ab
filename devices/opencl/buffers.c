// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Buffers. What a device says that it has is looked at first: many allocate when a
/// buffer is first used, without a report before.

#include "devices/opencl/buffers.h"

#include <inttypes.h>

static cairn_status check(const cairn_opencl_buffers *list, int64_t bytes)
{
    const cairn_opencl_device *d  = cairn_opencl_of(list->device);
    const char                *id = list->device->info.id;

    CAIRN_CHECK((cl_ulong)bytes <= d->most_bytes, list->device->env, CAIRN_NO_MEMORY,
                "memory: %s: an array of %" PRId64 " bytes; it allocates %" PRIu64
                " at once",
                id, bytes, (uint64_t)d->most_bytes);
    CAIRN_CHECK((cl_ulong)list->bytes + (cl_ulong)bytes <= d->memory, list->device->env,
                CAIRN_NO_MEMORY,
                "memory: %s: %" PRId64 " bytes beside %" PRId64 "; it has %" PRIu64, id,
                bytes, list->bytes, (uint64_t)d->memory);
    return CAIRN_OK;
}

static cairn_status make_room(cairn_opencl_buffers *list)
{
    const int more = 2 * list->capacity + 16;

    if (list->count < list->capacity) return CAIRN_OK;
    CAIRN_TRY(cairn_realloc(list->device->env, more, sizeof *list->buffer,
                            (void **)&list->buffer));
    list->capacity = more;
    return CAIRN_OK;
}

static cairn_status
failed(const cairn_opencl_buffers *list, int64_t bytes, cl_int error)
{
    return cairn_fail(list->device->env, cairn_opencl_status(error),
                      "%s: %s: a buffer of %" PRId64 " bytes: %s",
                      cairn_opencl_status(error) == CAIRN_NO_MEMORY ? "memory"
                                                                    : "device",
                      list->device->info.id, bytes, cairn_opencl_error(error));
}

static cl_int fill(cairn_device *device, cl_mem buffer, int64_t bytes, const void *data)
{
    const cairn_opencl_device *d     = cairn_opencl_of(device);
    cl_event                   event = NULL;
    cl_int error = d->driver.EnqueueWriteBuffer(d->queue, buffer, CL_FALSE, 0,
                                                (size_t)bytes, data, 0, NULL, &event);

    if (error != CL_SUCCESS) return error;
    error = cairn_opencl_wait(device, event);
    if (!d->lost) d->driver.ReleaseEvent(event);
    return error;
}

cairn_status cairn_opencl_buffer(cairn_opencl_buffers *list,
                                 int64_t               bytes,
                                 const void           *data,
                                 cl_mem               *buffer)
{
    const cairn_opencl_device *d = cairn_opencl_of(list->device);
    cl_int                     error;

    CAIRN_TRY(check(list, bytes));
    CAIRN_TRY(make_room(list));
    /* OpenCL has no buffer of no bytes. */
    cl_mem fresh = d->driver.CreateBuffer(d->context, CL_MEM_READ_WRITE,
                                          bytes > 0 ? (size_t)bytes : 1, NULL, &error);

    if (!fresh) return failed(list, bytes, error);
    list->buffer[list->count++] = fresh;
    list->bytes += bytes;
    if (data && bytes > 0) {
        error = fill(list->device, fresh, bytes, data);
        if (error != CL_SUCCESS) return failed(list, bytes, error);
    }
    *buffer = fresh;
    return CAIRN_OK;
}

void cairn_opencl_buffers_fini(cairn_opencl_buffers *list)
{
    if (!list->device) return;
    for (int k = list->count; k-- > 0 && !cairn_opencl_of(list->device)->lost;)
        cairn_opencl_of(list->device)->driver.ReleaseMemObject(list->buffer[k]);
    cairn_free(list->device->env, list->buffer);
    *list = (cairn_opencl_buffers){.device = NULL};
}
