// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What kernels of other devices than the processor are given. The processor's take the
/// part as a struct with pointers; a device has the part's arrays elsewhere, so that its
/// kernels take the arrays and numbers that they use, one by one, and a list says which
/// is which. OpenCL has buffers, of which an array may be a piece; CUDA has addresses.

#ifndef CAIRN_EMIT_KERNEL_PARAMETER_H
#define CAIRN_EMIT_KERNEL_PARAMETER_H

#include "ir/ir.h"

/// What a parameter is made of.
typedef enum {
    CAIRN_PARAMETER_ARRAY, ///< The array `field`, from its first byte on.
    CAIRN_PARAMETER_TUPLES, ///< OpenCL: the buffer in which the array stands with others,
                            ///< in tuples;
    CAIRN_PARAMETER_AT,     ///< the byte of that buffer where it begins, int64_t.
    CAIRN_PARAMETER_FIRST, ///< OpenCL: elements of the array that lie before those of its
                           ///< buffer, int64_t: it is indexed as if they were there.
    CAIRN_PARAMETER_NUMBER, ///< The number `field`, of `type`.
} cairn_parameter_what;

typedef struct cairn_kernel_parameter {
    cairn_parameter_what what;
    cairn_ir_field       field;
    cairn_ir_type        type;    ///< Of an element, or of the number.
    bool                 written; ///< ARRAY, TUPLES: the kernel writes it.
    int                  offset;  ///< CUDA: the byte of the struct where it stands.
} cairn_kernel_parameter;

#endif
