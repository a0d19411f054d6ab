// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Code for cards, of a kernel's text: in the cache of kernels, or compiled. No card is
/// needed for it, and no driver. Several kernels are got side by side, each compiled by a
/// thread of its own: NVRTC has no lock between different programs, and takes a third of a
/// second for one.

#ifndef CAIRN_DEVICES_CUDA_COMPILE_H
#define CAIRN_DEVICES_CUDA_COMPILE_H

#include "devices/cuda/nvrtc.h"

/// What code depends on beside its text.
typedef struct cairn_cuda_origin {
    int  major, minor; ///< Of the compiler.
    char target[64];   ///< The option that names it.
} cairn_cuda_origin;

cairn_cuda_origin cairn_cuda_origin_of(const cairn_nvrtc *nvrtc);

/// The key of a file in the cache, which the processor's have no lines of.
/// @param[out] whole  Freed with cairn_free().
cairn_status cairn_cuda_code_key(cairn_env               *env,
                                 const char              *key,
                                 const cairn_cuda_origin *from,
                                 char                   **whole);

/// One kernel of several that are wanted.
typedef struct cairn_cuda_wanted {
    const char  *key, *text;
    cairn_object object; ///< Its code, cairn_object_free(). None: another process is
                         ///< compiling it, or it failed,
    char        *why;    ///< for this reason, cairn_free(). NULL: it did not.
    cairn_status status; ///< What that is: only CAIRN_NO_KERNEL would come again.
    bool         cached; ///< It was in the cache.
} cairn_cuda_wanted;

/// How they are got.
typedef struct cairn_cuda_compiling {
    cairn_env         *env;
    const cairn_nvrtc *nvrtc;
    int                threads;  ///< The caller's among them.
    bool               waits;    ///< For other processes that compile the same kernel.
    char note[CAIRN_CACHE_NOTE]; ///< Why something was not kept; "": all was.
} cairn_cuda_compiling;

/// Get the code of @p wanted kernels, whose keys all differ: found in the cache, else
/// compiled and kept there.
///
/// Local. Cannot fail: what each of them lacks it says itself.
void cairn_cuda_compile_all(cairn_cuda_compiling *how,
                            cairn_cuda_wanted    *wanted,
                            int                   count);

#endif
