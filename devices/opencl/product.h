// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The inside of a launch: programs, kernels with all of their arguments for each part,
/// X and Y on the device. A run copies X in, starts the kernels, copies Y out.

#ifndef CAIRN_DEVICES_OPENCL_PRODUCT_H
#define CAIRN_DEVICES_OPENCL_PRODUCT_H

#include "devices/opencl/arguments.h"
#include "devices/product.h"
#include "lower/grid/grid.h"

/// One part's kernel.
typedef struct cairn_opencl_task {
    cl_kernel kernel; ///< NULL: the part has no values, and is left out.
    size_t    items;  ///< Work-items, a multiple of `group`.
    size_t    group;  ///< Of them that run together.
} cairn_opencl_task;

/// A function, built.
typedef struct cairn_opencl_code {
    cairn_opencl_kernel kernel;
    cl_program          program;
    char                symbol[CAIRN_KERNEL_SYMBOL + 8];
} cairn_opencl_code;

/// Operands for a device that may be given up; else NULL.
typedef struct cairn_opencl_own {
    void *x, *y;
} cairn_opencl_own;

/// What a launch keeps.
typedef struct cairn_opencl_product {
    cairn_device        *device;
    cairn_device_work    work;
    cairn_grid           grid;                       ///< NONE: items take turns.
    cairn_opencl_code    code[CAIRN_GRID_FUNCTIONS]; ///< Without a grid one.
    cairn_opencl_buffers buffers;
    cairn_opencl_task   *task; ///< [tasks] for each part, one for each function.
    int64_t              tasks;
    cl_mem               x, y;
    int64_t              x_bytes, y_bytes;
    int64_t          x_begin; ///< Byte of the host's X at which the device's begins.
    cairn_opencl_own own;
    bool             keeps;  ///< Y comes to the device first,
    bool             clears; ///< or is 0 there first.
    char interpreted[128];   ///< Why visits were listed so (grid_visits.h), or "".
} cairn_opencl_product;

/// Run it; a slot of cairn_launch.
cairn_status cairn_opencl_run(cairn_launch *launch, const void *x, void *y);

#endif
