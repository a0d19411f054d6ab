// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels for the processor, loaded. Each is looked for, in this order: among those that
/// are loaded; among those that came with the library; in the cache; and else its source
/// is printed, compiled, loaded, and kept in the cache. A library that no kernel uses any
/// more stays loaded for a while, since plans made one after the other use the same.

#ifndef CAIRN_DEVICES_CPU_KERNELS_H
#define CAIRN_DEVICES_CPU_KERNELS_H

#include "devices/cpu/compile.h"
#include "devices/device.h"
#include "emit/cache.h"
#include "emit/prebuilt.h"

#define CAIRN_CPU_IDLE 64 ///< Libraries that stay loaded without a user.

/// A loaded library, or why there is none.
typedef struct cairn_cpu_library {
    struct cairn_cpu_library *next;
    char                     *key; ///< Of the request.
    void                     *handle, *run;
    char                     *why; ///< What kept it from being compiled ahead; NULL: it
                                   ///< was not. The next who asks is told.
    bool    fresh;                 ///< Compiled ahead, and not asked for yet.
    int64_t users;
    int64_t released; ///< When it lost the last one: a turn's number.
} cairn_cpu_library;

/// What a loader keeps: `user` of the cairn_kernel_loader. Tests change its limits.
typedef struct cairn_cpu_kernels {
    cairn_env            *env;
    cairn_cache           cache;
    cairn_compiler        compiler;
    const cairn_prebuilt *prebuilt; ///< [prebuilt_count]
    int                   prebuilt_count;
    int                   vector_bytes;
    char                 *machine; ///< What all keys on disk end in.
    cairn_cpu_library    *first;
    int64_t               idle, turn;
    int                   at_once; ///< Compilers that may run at the same time.
    char                  note[CAIRN_CACHE_NOTE];
} cairn_cpu_kernels;

/// Slot kernels.open of devices/device.h.
cairn_status cairn_cpu_kernels_open(cairn_device *device, cairn_kernel_loader *loader);

/// Slot kernels.close.
void cairn_cpu_kernels_close(cairn_device *device, cairn_kernel_loader *loader);

/* For getting several ahead (ahead.c). */

/// Slot ahead of the loader.
void cairn_cpu_kernels_ahead(void                       *user,
                             const cairn_kernel_request *request,
                             int                         requests);

/// Is there nothing to be done for a request: it came with the library, or is loaded?
bool cairn_cpu_kernels_has(const cairn_cpu_kernels    *kernels,
                           const cairn_kernel_request *request);

/// The key on disk: the request's, and what else the code depends on. cairn_free().
cairn_status cairn_cpu_kernels_key(const cairn_cpu_kernels    *kernels,
                                   const cairn_kernel_request *request,
                                   char                      **key);

/// Add a library without users. @p about: what it holds, `key` and list aside; it is
/// emptied, also on failure.
cairn_status cairn_cpu_kernels_add(cairn_cpu_kernels  *kernels,
                                   const char         *key,
                                   cairn_cpu_library  *about,
                                   cairn_cpu_library **library);

#endif
