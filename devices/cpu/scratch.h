// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A folder for temporary files that no other user may look into, and that is gone with
/// all that is in it when it is not needed any more.

#ifndef CAIRN_DEVICES_CPU_SCRATCH_H
#define CAIRN_DEVICES_CPU_SCRATCH_H

#include "base/env.h"

typedef struct cairn_scratch {
    char          path[CAIRN_OPTION_PATH];
    cairn_remain *remain; ///< Entry of the path; NULL: there was no room for one.
} cairn_scratch;

/// Make the folder (0700) where temporary files belong. Those of this user that have not
/// changed for an hour were left by processes that were killed: they are removed.
///
/// Local. Pairs with cairn_scratch_remove(); @p scratch stays where it is until then.
///
/// @retval CAIRN_IO  It cannot be made.
cairn_status cairn_scratch_make(cairn_env *env, cairn_scratch *scratch);

/// Remove the folder and the files in it.
void cairn_scratch_remove(cairn_scratch *scratch);

/// Print the path of a file in it.
/// @retval CAIRN_IO  It is too long.
cairn_status cairn_scratch_path(cairn_env           *env,
                                const cairn_scratch *scratch,
                                const char          *name,
                                char                 path[CAIRN_OPTION_PATH]);

/// Write a new file of @p length bytes.
cairn_status
cairn_scratch_write(cairn_env *env, const char *path, const char *bytes, size_t length);

#endif
