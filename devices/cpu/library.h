// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Shared objects, from bytes in memory to functions that can be called. What runs is
/// what was checked: the bytes go into an anonymous file that no other user can reach,
/// and are loaded from there.

#ifndef CAIRN_DEVICES_CPU_LIBRARY_H
#define CAIRN_DEVICES_CPU_LIBRARY_H

#include "emit/cache.h"

/// Whether the bytes are a shared object of this machine with all that it says it has: a
/// truncated one would fault while it is loaded. What the code does is not looked at.
bool cairn_library_is_whole(const cairn_object *object);

/// Load an object and find its function @p symbol. Everything that it needs is resolved
/// now, from what the process has.
///
/// Local; any thread.
///
/// @param[out] handle  cairn_library_close(). Unchanged on failure.
/// @param[out] run     The function. Unchanged on failure.
/// @retval CAIRN_NO_KERNEL  It is not whole, cannot be loaded, or has no such function.
cairn_status cairn_library_open(cairn_env          *env,
                                const cairn_object *object,
                                const char         *symbol,
                                void              **handle,
                                void              **run);

/// Unload; NULL is accepted.
void cairn_library_close(void *handle);

#endif
