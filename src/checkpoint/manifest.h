// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The manifest of a generation: all that the ranks have in common, and who has which rows.
/// Numbers are little-endian.
///
///     0    "CAIRNCKM"
///     8    u32 version, u32 CRC-32 of all that follows
///     16   i64 length of the file, u64 run, i64 generation, iteration, n
///     56   u64 fingerprint[2], the low half first
///     72   u32 bits of the matrix's type (32, 64), shares, vectors, scalars
///     88   i64 bytes of the method, of the format, of the plan, each with its NUL
///     112  i64 bound[shares+1]: share s has the rows bound[s] .. bound[s+1]-1
///          vectors times: char name[32], u32 bits of its type, u32 zero
///          scalars times: char name[32], u64 bits
///          method, format, plan
///
/// A *run* is a number that a job draws when it begins to write. A share has it, too, so that
/// none is taken for another's of the same name.

#ifndef CAIRN_CHECKPOINT_MANIFEST_H
#define CAIRN_CHECKPOINT_MANIFEST_H

#include "base/text.h"
#include "checkpoint/checkpoint.h"

enum { CAIRN_MANIFEST_VERSION = 1 };

/// The longest manifest that is read, bytes: far beyond a million ranks' and any plan.
#define CAIRN_MANIFEST_LONGEST ((int64_t)64 << 20)

/// What a manifest says.
typedef struct cairn_manifest {
    uint64_t         run;
    int              shares;
    int64_t         *bound; ///< [shares+1]
    cairn_checkpoint state; ///< Without rows and values.
} cairn_manifest;

/// Append a manifest's bytes to an empty text. Local.
void cairn_manifest_encode(const cairn_manifest *manifest, cairn_text *out);

/// Understand the bytes of a manifest. Local.
///
/// @param[in]  name      Of the file, for messages.
/// @param[out] manifest  Released with cairn_manifest_fini(). Unchanged on failure.
/// @retval CAIRN_BAD_FILE   "NAME: WHY".
/// @retval CAIRN_NO_MEMORY  As many bytes again are needed.
cairn_status cairn_manifest_decode(cairn_env      *env,
                                   const char     *name,
                                   const char     *bytes,
                                   int64_t         length,
                                   cairn_manifest *manifest);

void cairn_manifest_fini(cairn_env *env, cairn_manifest *manifest);

/// Is it the type of a vector or a matrix here?
static inline bool cairn_checkpoint_is_bits(uint32_t bits)
{
    return bits == 32 || bits == 64;
}

static inline uint32_t cairn_checkpoint_bits(cairn_dtype dtype)
{
    return dtype == CAIRN_F32 ? 32 : 64;
}

#endif
