// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The processor as code sees it: what -march=native stands for, and how wide vectors are.

#ifndef CAIRN_DEVICES_CPU_MACHINE_H
#define CAIRN_DEVICES_CPU_MACHINE_H

#include "base/text.h"

/// Add a line of what code for this processor depends on: its model, and all that it can
/// do. Processors with the same line run the same code.
///
/// Local; asks the processor as this process sees it, or the kernel, not a compiler.
void cairn_cpu_describe(cairn_text *text);

/// What a compiler says of a text that cairn_cpu_refuse() begins.
#define CAIRN_CPU_REFUSED "code for a processor that can do more than this one"

/// Add lines for a C preprocessor that end the compilation, with CAIRN_CPU_REFUSED, where
/// the compiler may use what this processor cannot do: a compiler that runs elsewhere, or
/// under another view of the processor (an emulator, a virtual machine), takes another one
/// for native.
///
/// Local. Adds nothing where processors are not known so well: on others than x86-64.
void cairn_cpu_refuse(cairn_text *text);

/// Bytes of the widest vectors that are worth using: 64 where all of x86-64-v4 can be
/// executed (AVX-512 F, BW, CD, DQ, VL), 32 for x86-64-v3 (AVX2, FMA, BMI and so on), else
/// 16. Source: System V ABI, AMD64 supplement, micro-architecture levels.
int cairn_cpu_vector_bytes(void);

/// The option by which a compiler makes code for the level of vectors above, whatever
/// processor it runs on: "-march=x86-64-v3". Elsewhere than on x86-64: "-march=native".
const char *cairn_cpu_level(void);

#endif
