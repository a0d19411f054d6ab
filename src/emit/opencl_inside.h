// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The inside of the OpenCL printer, shared by its files.

#ifndef CAIRN_EMIT_OPENCL_INSIDE_H
#define CAIRN_EMIT_OPENCL_INSIDE_H

#include "emit/c_inside.h"

/// Check that work-items that know nothing of each other can run the function.
///
/// @param[out] items  It has a loop of threads. Unchanged on failure.
/// @retval CAIRN_UNSUPPORTED  They cannot.
cairn_status
cairn_opencl_check(cairn_env *env, const cairn_ir_function *function, bool *items);

#endif
