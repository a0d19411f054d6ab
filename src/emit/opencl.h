// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop IR as OpenCL C 1.2: a kernel whose work-items take the turns of the loop of
/// threads, one each. OpenCL hands over buffers and numbers, not structs with pointers:
/// the arrays and numbers of the part that the function uses are the kernel's parameters
/// (kernel_parameter.h). The statements are those of the printer for C (c.h).
///
/// A work-item knows nothing of the others. So a function may have one loop of threads
/// and, outside of it, no store but in what leaves the function at once; without such a
/// loop there is one work-item.
///
/// A function with groups and items (ir/ir.h) is right with any number of either: turns are
/// dealt out by the numbers of groups and of items in a group.

#ifndef CAIRN_EMIT_OPENCL_H
#define CAIRN_EMIT_OPENCL_H

#include "emit/kernel_parameter.h"
#include "lower/product/product.h"

/// Bytes of the vectors for which functions are lowered: one element of a sum.
#define CAIRN_OPENCL_VECTOR CAIRN_ITEMS

typedef struct cairn_opencl_kernel {
    char                   *text;      ///< NUL-terminated.
    cairn_kernel_parameter *parameter; ///< [parameters] in their order.
    int                     parameters;
    bool                    items; ///< One work-item for every turn; else one in all.
} cairn_opencl_kernel;

/// Print @p function as a program with the kernel @p symbol.
///
/// Local. Floating-point operations stay in the order of the IR, uncontracted.
///
/// @param[out] kernel  Release with cairn_opencl_fini(). Unchanged on failure.
/// @retval CAIRN_UNSUPPORTED  The function is not as work-items need it, see above.
cairn_status cairn_opencl_print(cairn_env               *env,
                                const cairn_ir_function *function,
                                const char              *symbol,
                                cairn_opencl_kernel     *kernel);

void cairn_opencl_fini(cairn_env *env, cairn_opencl_kernel *kernel);

/// Print several functions as one program; each defines the kernel that is its name.
///
/// Local.
///
/// @param[in]  function  [count], names all different.
/// @param[out] text      NUL-terminated; cairn_free(). Unchanged on failure.
/// @retval CAIRN_UNSUPPORTED  As of cairn_opencl_print().
cairn_status cairn_opencl_print_all(cairn_env                      *env,
                                    int                             count,
                                    const cairn_ir_function *const *function,
                                    char                          **text);

#endif
