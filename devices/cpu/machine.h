// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The processor as code sees it: what -march=native stands for, and how wide vectors are.

#ifndef CAIRN_DEVICES_CPU_MACHINE_H
#define CAIRN_DEVICES_CPU_MACHINE_H

#include "base/text.h"

/// Add a line of what code for this processor depends on: its model, and all that it can
/// do. Processors with the same line run the same code.
///
/// Local; asks the kernel, not a compiler.
void cairn_cpu_describe(cairn_text *text);

/// Bytes of the widest vectors that are worth using: 64 where all of x86-64-v4 can be
/// executed (AVX-512 F, BW, CD, DQ, VL), 32 for x86-64-v3 (AVX2, FMA, BMI and so on), else
/// 16. Source: System V ABI, AMD64 supplement, micro-architecture levels.
int cairn_cpu_vector_bytes(void);

#endif
