// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the arguments of a kernel for one part are: which of the part's arrays, and from
/// which byte on, or which number. For devices whose kernels take arrays and numbers one
/// by one (emit/kernel_parameter.h). All follows from the fields that the kernel's list
/// names, never from a format.

#ifndef CAIRN_DEVICES_PART_ARGUMENTS_H
#define CAIRN_DEVICES_PART_ARGUMENTS_H

#include "emit/kernel_parameter.h"
#include "share/abi.h"
#include "tensor/local.h"

typedef struct cairn_part_arguments {
    const cairn_part *part;
    int               abi; ///< Of the kernel: cairn_abi.
    const void *args; ///< The operation's arguments, the struct of that convention;
                      ///< where it has an array, what the device knows it by.
    cairn_array array[CAIRN_MAX_ARRAYS]; ///< Of the part, as they lie in memory.
    int         arrays;
} cairn_part_arguments;

void cairn_part_arguments_init(cairn_part_arguments *a,
                               const cairn_part     *part,
                               int                   abi,
                               const void           *args);

/// Which of the part's arrays holds an array of the kernel's that is the part's own.
///
/// @param[out] begin  Byte of it where the kernel's begins.
/// @return its number; -1: none, since the field has no bytes.
int cairn_part_arguments_array(const cairn_part_arguments *a,
                               cairn_ir_field              field,
                               int64_t                    *begin);

/// What an array of the operation's arguments is: what the device knows it by.
uint64_t cairn_part_arguments_address(const cairn_part_arguments *a,
                                      cairn_ir_field              field);

/// A number's bytes.
typedef struct cairn_kernel_number {
    size_t bytes;
    union {
        int64_t integer;
        float   f32;
        double  f64;
    };
} cairn_kernel_number;

/// A number of the part, or of the operation.
cairn_kernel_number cairn_part_arguments_number(const cairn_part_arguments   *a,
                                                const cairn_kernel_parameter *p);

#endif
