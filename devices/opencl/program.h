// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Programs for an OpenCL device, built from text.

#ifndef CAIRN_DEVICES_OPENCL_PROGRAM_H
#define CAIRN_DEVICES_OPENCL_PROGRAM_H

#include "devices/opencl/device.h"
#include "emit/opencl.h"

/// Get the program of a kernel.
///
/// Local.
///
/// @param[in]  symbol   The kernel that it defines.
/// @param[out] program  Released with clReleaseProgram(). Unchanged on failure.
/// @param[out] route    How it came to be.
/// @retval CAIRN_NO_KERNEL  The device's compiler refuses it; the message has the first
///                          line of what it says.
cairn_status cairn_opencl_program(cairn_device              *device,
                                  const cairn_opencl_kernel *kernel,
                                  const char                *symbol,
                                  cl_program                *program,
                                  cairn_route               *route);

#endif
