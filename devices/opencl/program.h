// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Programs for an OpenCL device: built ahead, or compiled now. Where
/// CAIRN_OPENCL_BIN names a folder, SYMBOL.clbin in it is the program of the kernel
/// SYMBOL, as clGetProgramInfo() or a vendor's compiler gives it; where
/// CAIRN_DUMP_KERNELS names one, its text is written there as SYMBOL.cl, which is what
/// such a compiler has to be given. Compiled programs are not kept here: drivers do.

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
/// @param[out] route    How it came to be; unchanged on failure.
/// @retval CAIRN_NO_KERNEL  The device's compiler refuses it (the message has the first
///                          line of what it says), or it has none and there is no binary,
///                          or not of this device.
/// @retval CAIRN_IO         Text or binary cannot be written or read.
cairn_status cairn_opencl_program(cairn_device              *device,
                                  const cairn_opencl_kernel *kernel,
                                  const char                *symbol,
                                  cl_program                *program,
                                  cairn_route               *route);

#endif
