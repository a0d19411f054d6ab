// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Filling the cache of kernels, shared by the files that ask for products and for
/// conversions. Internal to api.

#ifndef CAIRN_API_WARM_H
#define CAIRN_API_WARM_H

#include "api/api.h"
#include "emit/kernel.h"

typedef struct cairn_warming {
    cairn_context             *context;
    const cairn_format        *format;
    int                        value_bits;
    const cairn_kernel_loader *loader;
    cairn_kernel              *kernel; ///< [kernels] all different.
    int                        kernels;
    cairn_kernel_counts        counts;
} cairn_warming;

/// Keep a kernel until the end and count it, unless it is there: the same code serves
/// several extents. It is the warming's now, and released on failure.
cairn_status cairn_warming_keep(cairn_warming *w, cairn_kernel *kernel);

/// Ask for what turns coordinates, and matrices stored as coordinates or as compressed
/// rows, into the format, whatever the matrix of these extents: the functions that the
/// programs of such conversions list.
///
/// What the format does not take is left out, and so is what has no compiled way.
/// @retval CAIRN_NO_KERNEL  There is no compiler, or it failed.
cairn_status cairn_warming_convert(cairn_warming *w, const int64_t *extent);

/// Fail unless a target's `cuda_arch` is 0, or a generation of cards.
/// @retval CAIRN_BAD_ARGUMENT
cairn_status cairn_kernel_arch_check(cairn_env *env, const cairn_kernel_target *target);

/// Extents of the matrices that are thought of.
typedef struct cairn_warming_extents {
    const int64_t (*extent)[2]; ///< [count]
    int count;
} cairn_warming_extents;

/// Compile what cards may ask for of the format's product, into the cache: kernels of the
/// target's generation of cards, which need not be here; 0: of those that are.
///
/// Kernels depend on a matrix through widths of indices alone, and on what is a choice of
/// two each (how many terms an item has under way, whether 32 bits hold all positions).
/// @retval CAIRN_NO_DEVICE  No generation is named, and no card is here.
/// @retval CAIRN_NO_KERNEL  There is no compiler, or it failed.
/// @retval CAIRN_IO         The cache cannot be used.
cairn_status cairn_warming_cards(cairn_warming               *w,
                                 const cairn_product_options *op,
                                 const cairn_kernel_target   *target,
                                 const cairn_warming_extents *extents);

#endif
