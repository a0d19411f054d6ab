// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Generated kernels as people meet them: their text, and filling the cache of compiled
/// ones before they are needed. Plans (plan.h) ask for kernels by themselves.
///
/// A kernel is generated from a format's layout. Its code does not depend on extents, but
/// for the widths of indices and positions that follow from them.

#ifndef CAIRN_EMIT_H
#define CAIRN_EMIT_H

#include <cairn/expr.h>
#include <cairn/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The language of a kernel's text.
typedef enum cairn_kernel_language {
    CAIRN_KERNEL_C,      ///< C with OpenMP, for the processor.
    CAIRN_KERNEL_OPENCL, ///< OpenCL C 1.2; its work-items have no vectors.
    CAIRN_KERNEL_CUDA,   ///< What CUDA C++ and C11 have in common, for NVRTC.
} cairn_kernel_language;

/// What kernels are for.
typedef struct cairn_kernel_target {
    size_t      size; ///< sizeof(cairn_kernel_target); CAIRN_KERNEL_TARGET sets it.
    cairn_dtype dtype;
    int64_t     extent[2]; ///< Of the matrix. One may be 0; 0, 0, where nothing is
                           ///< multiplied, stands for a million by a million.
    int vector_bytes;      ///< Of the widest vectors: 16, 32, 64; 0: this machine's.
    cairn_kernel_language language; ///< Of the text; C and CUDA are compiled ahead.
    int cuda_arch; ///< CUDA: the generation of the card, 90 for sm_90, which the text
                   ///< then says how to be compiled for; 0: none.
} cairn_kernel_target;

/// f64, C, extents that are not known, this machine's vectors.
// clang-format off
#define CAIRN_KERNEL_TARGET \
    { sizeof(cairn_kernel_target), CAIRN_F64, {0, 0}, 0, CAIRN_KERNEL_C, 0 }
// clang-format on

/// Write the kernels of a product as one file of C, OpenCL C or CUDA: a function for each
/// member of the format, as a plan would call them one after the other; of CUDA's there
/// may be several. The text stands alone.
///
/// Local.
///
/// @param[in]  options  NULL: y = A x.
/// @param[out] text     Freed with cairn_text_free(). Unchanged on failure.
/// @retval CAIRN_BAD_SHAPE     The format is for another order than 2.
/// @retval CAIRN_BAD_ARGUMENT  The options are wrong; no such width of vectors, or
///                             generation of cards.
/// @retval CAIRN_UNSUPPORTED   CUDA: cards have no kernel for a member of the format; the
///                             processor does its product.
CAIRN_API cairn_status cairn_kernels_text(cairn_context               *context,
                                          const cairn_format          *format,
                                          const cairn_product_options *options,
                                          const cairn_kernel_target   *target,
                                          char                       **text);

/// How kernels were come by.
typedef struct cairn_kernel_counts {
    size_t size;     ///< sizeof(cairn_kernel_counts); CAIRN_KERNEL_COUNTS sets it.
    int    prebuilt; ///< They come with the library.
    int    cached;   ///< They were in the cache.
    int    compiled; ///< They were compiled now.
} cairn_kernel_counts;

/// None; its size is set.
// clang-format off
#define CAIRN_KERNEL_COUNTS \
    { sizeof(cairn_kernel_counts), 0, 0, 0 }
// clang-format on

/// Fill the cache: get every kernel that plans of a product ask for, for sparse and dense
/// matrices of the target's extents, and those that bring such a matrix into the format
/// from coordinates (a file, say), or from a tensor in compressed rows or coordinates. Of a
/// format that names a type of values (`val(i8)`), products of such values, too.
/// With extents 0, 0: for extents that make indices of 16 and of 32 bits. `vector_bytes` is
/// not read: kernels are for this machine.
///
/// Where the language is CUDA: every kernel that products of such matrices may ask cards
/// for, of the generation `cuda_arch`; 0: of the cards that are here. CUDA's compiler makes
/// them (NVRTC, CAIRN_NVRTC), and no card is needed. A card finds them where its driver is
/// not older than the compiler, and where no other release of that is.
///
/// Conversions are not done: the programs of all that such a matrix may need, by how many
/// entries it has and how they lie, list the functions that they call. One conversion calls
/// some of them.
///
/// Local; tenths of a second for each kernel that is compiled.
///
/// @param[out] counts  Unchanged on failure.
/// @retval CAIRN_NO_KERNEL     There is no compiler, or it failed.
/// @retval CAIRN_BAD_ARGUMENT  The target's values or the options are wrong.
/// @retval CAIRN_NO_DEVICE     CUDA: `cuda_arch` is 0, and there is no card.
/// @retval CAIRN_BAD_OPTION    CUDA: the cache is switched off.
/// @retval CAIRN_IO            CUDA: the cache cannot be used.
CAIRN_API cairn_status cairn_kernels_precompile(cairn_context               *context,
                                                const cairn_format          *format,
                                                const cairn_product_options *options,
                                                const cairn_kernel_target   *target,
                                                cairn_kernel_counts         *counts);

/// Deprecated, here for one version: cairn_kernels_precompile(). Sizes need not be set here.
CAIRN_DEPRECATED("use cairn_kernels_precompile()")
static inline cairn_status cairn_kernels_warm(cairn_context               *context,
                                              const cairn_format          *format,
                                              const cairn_product_options *options,
                                              const cairn_kernel_target   *target,
                                              cairn_kernel_counts         *counts)
{
    cairn_product_options op  = CAIRN_PRODUCT_OPTIONS;
    cairn_kernel_target   own = CAIRN_KERNEL_TARGET;

    if (options) op = *options;
    if (target) own = *target;
    op.size  = sizeof op;
    own.size = sizeof own;
    if (counts) counts->size = sizeof *counts;
    return cairn_kernels_precompile(context, format, &op, target ? &own : NULL, counts);
}

#ifdef __cplusplus
}
#endif

#endif
