// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Buffers of a launch: allocated and filled when it is made, released all together.

#ifndef CAIRN_DEVICES_OPENCL_BUFFERS_H
#define CAIRN_DEVICES_OPENCL_BUFFERS_H

#include "devices/opencl/device.h"

typedef struct cairn_opencl_buffers {
    cairn_device *device;
    cl_mem       *buffer; ///< [count]
    int           count, capacity;
    int64_t       bytes; ///< Of all.
} cairn_opencl_buffers;

/// Allocate @p bytes, which may be none, and fill them with @p data unless that is NULL.
///
/// Local; returns when @p data is no longer needed.
///
/// @param[out] buffer  The list's, which releases it. Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  The device has less, or allocates less at once.
/// @retval CAIRN_NO_DEVICE  The device was lost.
cairn_status cairn_opencl_buffer(cairn_opencl_buffers *list,
                                 int64_t               bytes,
                                 const void           *data,
                                 cl_mem               *buffer);

void cairn_opencl_buffers_fini(cairn_opencl_buffers *list);

#endif
