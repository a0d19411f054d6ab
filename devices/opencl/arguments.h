// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The arguments of a kernel for one part: its arrays as buffers, its numbers.

#ifndef CAIRN_DEVICES_OPENCL_ARGUMENTS_H
#define CAIRN_DEVICES_OPENCL_ARGUMENTS_H

#include "devices/opencl/buffers.h"
#include "emit/opencl.h"
#include "share/abi.h"
#include "tensor/local.h"

enum { CAIRN_OPENCL_FIELDS = 32 }; ///< Room for those of any arguments.

/// What a kernel is called with: the part's arrays are found by the parameters.
typedef struct cairn_opencl_call {
    const cairn_part  *part;
    int                abi;  ///< Of the function: CAIRN_ABI_PRODUCT, CAIRN_ABI_GRID.
    cairn_product_args args; ///< PRODUCT: its numbers,
    cairn_grid_args    grid; ///< GRID: its numbers; the arrays of both are these,
    cl_mem  array[CAIRN_OPENCL_FIELDS]; ///< by field; NULL where there is none.
    int64_t x_first; ///< Elements of X that lie before those of its buffer.
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
