// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Structs of the public interface, which begin with their size (`size_t size`), so that
/// one of a program and one of a library of another version can meet: what both know is
/// read or filled, what the smaller one lacks has its default, and what the library does
/// not know must be 0. A field is added behind all others, never into padding: so a size
/// says which fields there are.

#ifndef CAIRN_BASE_SIZED_H
#define CAIRN_BASE_SIZED_H

#include "base/env.h"

#define CAIRN_SIZED_MOST \
    ((size_t)1 << 20) ///< Bytes of no struct: what says so is unset.

/// What is said where a size is wrong.
typedef struct cairn_sized_names {
    const char *call;     ///< "cairn_plan_describe"
    const char *argument; ///< "info"
    const char *type;     ///< "cairn_plan_info"
} cairn_sized_names;

/// Is the size of a caller's struct one that the library of @p known bytes can take? Local.
bool cairn_sized_fits(const void *given, size_t known);

/// The same, as a failure. Local.
///
/// @param[in] given  Not NULL.
/// @param[in] known  Bytes of the struct as the library knows it.
/// @retval CAIRN_BAD_ARGUMENT  The size is 0, or none; or it is larger than @p known, and
///                             what follows is not 0.
cairn_status cairn_sized_check(cairn_env        *env,
                               cairn_sized_names names,
                               const void       *given,
                               size_t            known);

/// Read a caller's struct over the defaults in @p own, whose size becomes @p known. Local.
///
/// @param[in] given  Its size fits. NULL: the defaults stay.
void cairn_sized_read(void *own, size_t known, const void *given);

/// Fit a list of the library's structs to a caller's size of one: elements lie @p size bytes
/// apart, have that size, and 0 where the library knows nothing. Local.
///
/// @param[in]     size   From the bytes of a size_t to CAIRN_SIZED_MOST.
/// @param[in,out] list   [count] of @p known bytes each; freed on failure.
/// @retval CAIRN_NO_MEMORY
cairn_status
cairn_sized_list(cairn_env *env, size_t size, size_t known, int64_t count, void **list);

/// Fill a caller's struct, whose size fits and stays, from @p own. Local.
void cairn_sized_write(void *given, const void *own, size_t known);

#endif
