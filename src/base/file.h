// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files written whole or not at all. One writer's file has no name until it is complete,
/// where the file system has such files: whatever ends the process, nothing is left. What
/// several processes write has a temporary name in the same folder from the beginning: one
/// creates it, the others open it by that. In the end the file is synced and gets its name.
/// What is written is what a link points to, and an older file's permissions stay.

#ifndef CAIRN_BASE_FILE_H
#define CAIRN_BASE_FILE_H

#include "base/env.h"

typedef struct cairn_file {
    cairn_env    *env;
    int           fd;        ///< -1: not open.
    char         *path;      ///< The name at the end.
    char         *temporary; ///< The name until then; NULL: it has none.
    cairn_remain *remain;    ///< Entry of the temporary name.
    mode_t        mode; ///< Permissions of the file that it replaces; 0: none is there.
} cairn_file;

/// Begin a file to be called @p path, for this process alone.
///
/// Local. Pairs with cairn_file_commit() or cairn_file_discard().
///
/// @retval CAIRN_IO  It cannot be created, or @p path is there and no regular file.
cairn_status cairn_file_create(cairn_env *env, const char *path, cairn_file *file);

/// As cairn_file_create(), under a temporary name by which others may join.
cairn_status
cairn_file_create_named(cairn_env *env, const char *path, cairn_file *file);

/// Open a temporary file that another process created, to write ranges of it. Pairs with
/// cairn_file_close().
cairn_status cairn_file_join(cairn_env  *env,
                             const char *path,
                             const char *temporary,
                             cairn_file *file);

/// Write all of @p bytes at @p offset. @retval CAIRN_IO  For example: no space left.
cairn_status
cairn_file_write_at(cairn_file *file, const void *bytes, size_t length, int64_t offset);

/// Bring what was written to the disk.
cairn_status cairn_file_sync(cairn_file *file);

/// Sync, name and close; the file is closed and its temporary name gone in any case.
cairn_status cairn_file_commit(cairn_file *file);

/// Close the file and remove what there is of it. A closed file is accepted.
void cairn_file_discard(cairn_file *file);

/// Write a file of @p length bytes, whole or not at all.
///
/// Local.
///
/// @retval CAIRN_IO  It cannot be written; what was called so before is as it was.
cairn_status
cairn_file_put(cairn_env *env, const char *path, const void *bytes, size_t length);

/// Bytes of the file called @p path. Local.
/// @retval CAIRN_IO  It cannot be looked at.
cairn_status cairn_file_length(cairn_env *env, const char *path, int64_t *bytes);

/// Close a file that was joined; the file itself stays. A closed file is accepted.
void cairn_file_close(cairn_file *file);

#endif
