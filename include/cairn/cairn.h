// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Everything. Read in this order: status.h, context.h, format.h, tensor.h, expr.h and
/// plan.h; solve.h for systems of equations, arrays.h for arrays in and out, values.h for
/// diagonals and norms, emit.h for kernels as text, device.h for what the machine has,
/// doctor.h for what is wrong with it, whatif.h for what another machine would take,
/// kernel.h for the arrays as kernels see them, mpi.h (not included here) for programs with
/// a communicator of their own.

#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H

#include <cairn/arrays.h>
#include <cairn/auto.h>
#include <cairn/context.h>
#include <cairn/device.h>
#include <cairn/doctor.h>
#include <cairn/emit.h>
#include <cairn/expr.h>
#include <cairn/format.h>
#include <cairn/kernel.h>
#include <cairn/plan.h>
#include <cairn/rows.h>
#include <cairn/solve.h>
#include <cairn/status.h>
#include <cairn/tensor.h>
#include <cairn/values.h>
#include <cairn/whatif.h>

#endif
