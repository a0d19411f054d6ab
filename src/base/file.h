// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files written whole or not at all. A file has no name until it is complete, where the
/// file system has such files: whatever ends the process, nothing is left. One process
/// creates it, others of its machine may join it; what processes of several machines write
/// has a temporary name in the same folder from the beginning. In the end the file is
/// synced and gets its name. What is written is what a link points to, and an older file's
/// permissions stay.

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

/// How others find a file that is being written.
typedef struct cairn_file_way {
    char name[4096]; ///< Temporary, or where /proc shows its creator's descriptor.
    bool unnamed;    ///< The latter: for processes of one machine.
    /// Which file that is: in another container the same words mean another process's.
    uint64_t device, inode;
} cairn_file_way;

/// Begin a file to be called @p path, without a name where that can be.
///
/// Local. Pairs with cairn_file_commit() or cairn_file_discard().
///
/// @retval CAIRN_IO  It cannot be created, or @p path is there and no regular file.
cairn_status cairn_file_create(cairn_env *env, const char *path, cairn_file *file);

/// As cairn_file_create(), under a temporary name, by which other machines may join too.
cairn_status
cairn_file_create_named(cairn_env *env, const char *path, cairn_file *file);

/// How others find it, until it is committed or discarded. Local.
///
/// @retval CAIRN_IO  Its name is too long to be told.
cairn_status cairn_file_way_to(const cairn_file *file, cairn_file_way *way);

/// Open a file that another process created, to write ranges of it. A temporary name is
/// entered among this process's remains too.
///
/// Local. Pairs with cairn_file_close().
///
/// @param[out] file  With `fd` -1 where the file has no name and cannot be reached, for
///                   example because /proc hides other processes.
cairn_status cairn_file_join(cairn_env            *env,
                             const char           *path,
                             const cairn_file_way *way,
                             cairn_file           *file);

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
