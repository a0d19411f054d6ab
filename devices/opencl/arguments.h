// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The arguments of a kernel for one part: its arrays as buffers, its numbers.

#ifndef CAIRN_DEVICES_OPENCL_ARGUMENTS_H
#define CAIRN_DEVICES_OPENCL_ARGUMENTS_H

#include "devices/opencl/buffers.h"
#include "emit/opencl.h"
#include "share/abi.h"
#include "tensor/local.h"

/// What a kernel is called with: the part's arrays are found by the parameters.
typedef struct cairn_opencl_call {
    const cairn_part  *part;
    cairn_product_args args; ///< Its numbers; its arrays are these:
    cl_mem             x, y;
    cl_mem  share, first, last, step; ///< Of the team; NULL where it has none.
    int64_t x_first;                  ///< Elements of X that lie before those of `x`.
} cairn_opencl_call;

/// Set all arguments of @p target; arrays of the part that it reads are brought to the
/// device.
///
/// Local.
///
/// @param[in,out] list  Gets the buffers.
/// @retval CAIRN_NO_MEMORY, CAIRN_NO_DEVICE  As of cairn_opencl_buffer().
cairn_status cairn_opencl_arguments(cairn_opencl_buffers      *list,
                                    const cairn_opencl_kernel *kernel,
                                    const cairn_opencl_call   *call,
                                    cl_kernel                  target);

#endif
