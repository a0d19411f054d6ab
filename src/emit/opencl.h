// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop IR as OpenCL C 1.2: a kernel whose work-items take the turns of the loop of
/// threads, one each. OpenCL hands over buffers and numbers, not structs with pointers:
/// the arrays and numbers of the part that the function uses are the kernel's parameters,
/// and a list says which is which. The statements are those of the printer for C (c.h).
///
/// A work-item knows nothing of the others. So a function may have one loop of threads
/// and, outside of it, no store but in what leaves the function at once; without such a
/// loop there is one work-item.

#ifndef CAIRN_EMIT_OPENCL_H
#define CAIRN_EMIT_OPENCL_H

#include "lower/product.h"

/// Bytes of the vectors for which functions are lowered: one element of a sum.
#define CAIRN_OPENCL_VECTOR CAIRN_ITEMS

/// What a parameter of the kernel is made of.
typedef enum {
    CAIRN_OPENCL_ARRAY,  ///< Buffer with the array `field`, from its first byte on.
    CAIRN_OPENCL_TUPLES, ///< Buffer in which the array stands with others, in tuples;
    CAIRN_OPENCL_AT,     ///< the byte of that buffer where it begins, int64_t.
    CAIRN_OPENCL_FIRST,  ///< Elements of the array that lie before those of its buffer,
                         ///< int64_t: it is indexed as if they were there.
    CAIRN_OPENCL_NUMBER, ///< The number `field`, of `type`.
} cairn_opencl_what;

typedef struct cairn_opencl_parameter {
    cairn_opencl_what what;
    cairn_ir_field    field;
    cairn_ir_type     type;    ///< Of an element, or of the number.
    bool              written; ///< ARRAY, TUPLES: the kernel writes it.
} cairn_opencl_parameter;

typedef struct cairn_opencl_kernel {
    char                   *text;      ///< NUL-terminated.
    cairn_opencl_parameter *parameter; ///< [parameters] in their order.
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
