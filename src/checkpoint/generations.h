// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The names in a folder of checkpoints, and what is removed there. Nothing is touched whose
/// name is not exactly one of ours. All functions are local; one rank calls them.

#ifndef CAIRN_CHECKPOINT_GENERATIONS_H
#define CAIRN_CHECKPOINT_GENERATIONS_H

#include "base/env.h"

enum {
    CAIRN_GENERATION_PATH = 4096, ///< Bytes of the longest path, with its end.
    CAIRN_GENERATION_MOST = 8,    ///< Manifests that are looked at: two, as a rule.
    CAIRN_MANIFEST        = -1,   ///< In place of a share's number.
};

/// A path in a folder whose own is at most CAIRN_GENERATION_PATH - 64 long.
///
/// @param[in] share  The rank that wrote it, or CAIRN_MANIFEST.
void cairn_generation_path(char       *path,
                           const char *folder,
                           int64_t     generation,
                           int         share);

/// The generations that have a manifest, the newest first, at most CAIRN_GENERATION_MOST.
///
/// @param[out] newest  The greatest number that any file of the folder has; 0: none.
/// @retval CAIRN_IO
cairn_status cairn_generations_list(cairn_env  *env,
                                    const char *folder,
                                    int64_t    *generation,
                                    int        *count,
                                    int64_t    *newest);

/// Remove what has no manifest, and temporary files. Nobody may be writing.
void cairn_generations_sweep(cairn_env *env, const char *folder);

/// Remove all generations but two. What cannot be removed stays.
void cairn_generations_keep(const char *folder, int64_t one, int64_t other);

#endif
