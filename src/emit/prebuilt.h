// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels that come with the library: compiled when it was built, so that common work
/// never waits and runs where no compiler is. Each was compiled for several widths of
/// vectors, and the machine says at run time which of them it can execute. Their keys are
/// those of requests, without processor or compiler.

#ifndef CAIRN_EMIT_PREBUILT_H
#define CAIRN_EMIT_PREBUILT_H

#include <stddef.h>
#include <stdint.h>

/// Widths of vectors, in bytes, that prebuilt kernels are compiled for.
#define CAIRN_PREBUILT_LEVELS 3 ///< 16, 32, 64.

/// A kernel. Its fields are distances in bytes, each from the field itself, which the linker
/// knows. Addresses it does not know: with them every process would write the whole table
/// when it begins, and have pages of its own for it.
typedef struct cairn_prebuilt {
    int32_t key;                        ///< To the key, a string.
    int32_t run[CAIRN_PREBUILT_LEVELS]; ///< To the function for vectors of 16 << k
                                        ///< bytes; 0: there is none.
} cairn_prebuilt;

/// What a field of a row is the distance to; NULL: nothing.
static inline void *cairn_prebuilt_at(const int32_t *field)
{
    return *field ? (void *)((intptr_t)field + *field) : NULL;
}

/// The table: sorted by key as strcmp() orders, no key twice. It is written when the
/// library is built (kernels/ in the build tree).
extern const cairn_prebuilt *const cairn_prebuilt_table; ///< [cairn_prebuilt_count]
extern const int                   cairn_prebuilt_count;

/// Find a kernel in a table of @p count rows.
///
/// Any thread.
///
/// @param[in]  vector_bytes  The machine's widest vectors: 16, 32 or 64.
/// @return The function for the widest vectors that the machine has; NULL: there is none.
void *cairn_prebuilt_find(const cairn_prebuilt *table,
                          int                   count,
                          const char           *key,
                          int                   vector_bytes);

#endif
