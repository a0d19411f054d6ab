// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Compiled kernels on disk: one file a kernel, in a folder that is the user's alone. A
/// file is the shared object as the compiler made it, then its whole key, then a trailer
/// (magic, lengths, build id, checksum), so that a truncated, damaged or foreign file is
/// known for what it is. Names are hashes of keys; the key inside decides.
///
/// Nothing here stops work: what is wrong with a file makes it absent, and it is compiled
/// again and replaced; a folder that cannot be used or written to means that kernels are
/// not kept, and `note` says why. Code runs from the bytes that were verified, never from
/// the file (devices/cpu/library.h).
///
/// Many processes use a folder at once, also over a network file system: files appear
/// whole, by renaming, and a lock for each key lets one process compile while the others
/// wait for its file. The lock dies with its holder.

#ifndef CAIRN_EMIT_CACHE_H
#define CAIRN_EMIT_CACHE_H

#include "base/env.h"
#include "emit/build_id.h"

#define CAIRN_CACHE_NOTE    512          ///< Bytes of the longest note.
#define CAIRN_CACHE_LARGEST (64 << 20)   ///< Bytes of the largest file believed.
#define CAIRN_CACHE_BYTES   (256 << 20)  ///< Of a folder, unless an option says.
#define CAIRN_CACHE_MAGIC   "CAIRNK\r\n" ///< [8] Also tells of text transfers.

/// A shared object in memory; both 0: none.
typedef struct cairn_object {
    char   *bytes; ///< cairn_free().
    int64_t length;
} cairn_object;

/// How a file ends.
typedef struct cairn_cache_trailer {
    char          magic[8];
    uint64_t      object_length, key_length; ///< Bytes; the key without a NUL.
    unsigned char build[CAIRN_BUILD_ID];     ///< Of the writer.
    uint64_t      check; ///< crc32 << 32 | adler32 of all bytes before this field.
} cairn_cache_trailer;

typedef struct cairn_cache {
    cairn_env *env;
    int        folder; ///< Descriptor; -1: nothing is kept.
    int64_t    limit;  ///< Bytes that files may take.
    double patience;   ///< Seconds to wait for a process that compiles the same kernel.
    unsigned char build[CAIRN_BUILD_ID]; ///< Ours.
    char          path[CAIRN_OPTION_PATH];
    char          note[CAIRN_CACHE_NOTE]; ///< What first went wrong; "": nothing.
} cairn_cache;

/// The lock of one key.
typedef struct cairn_cache_lock {
    int fd; ///< -1: not held.
} cairn_cache_lock;

/// Open the folder that the options name, making it (0700) where it is missing.
///
/// Local. Cannot fail: with no folder that is ours alone nothing is kept. Pairs with
/// cairn_cache_close().
void cairn_cache_open(cairn_env *env, cairn_cache *cache);

/// Close what cairn_cache_open() opened.
void cairn_cache_close(cairn_cache *cache);

/// Read a kernel.
///
/// Local.
///
/// @param[in]  key     Everything that its code depends on, the build of Cairn included.
/// @param[out] object  Both 0 when there is no file that is whole and of this key and
///                     build. Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  Also for a file larger than is left.
cairn_status
cairn_cache_find(cairn_cache *cache, const char *key, cairn_object *object);

/// Read a kernel, or become the one who compiles it: if another process is at it, wait
/// for what it stores, at most `patience` seconds.
///
/// Local.
///
/// @param[out] object  As of cairn_cache_find(). If there is none, compile, store, and
///                     unlock.
/// @param[out] lock    To be given back by cairn_cache_unlock() in any case. Not held
///                     when an object was found, when waiting took too long, or where
///                     the file system has no locks.
cairn_status cairn_cache_find_or_lock(cairn_cache      *cache,
                                      const char       *key,
                                      cairn_object     *object,
                                      cairn_cache_lock *lock);

/// Become the one who compiles a kernel, without waiting.
///
/// Local.
///
/// @param[out] lock  To be given back by cairn_cache_unlock() in any case; not held where
///                   nothing is kept, or the file system has no locks.
/// @return false: another process is at it.
bool cairn_cache_try_lock(cairn_cache *cache, const char *key, cairn_cache_lock *lock);

void cairn_cache_unlock(cairn_cache_lock *lock);

/// Keep a kernel, in place of whatever has its name, and let the longest unused go if the
/// folder has become too large.
///
/// Local. Cannot fail: what cannot be stored is not, and a note says why.
void cairn_cache_store(cairn_cache *cache, const char *key, const cairn_object *object);

/// What a folder holds.
typedef struct cairn_cache_contents {
    int64_t kernels, bytes;
    int64_t foreign; ///< Kernels of another build: of no use to this one.
} cairn_cache_contents;

/// Count the kernels of the folder; all 0 where nothing is kept. Local.
void cairn_cache_count(const cairn_cache *cache, cairn_cache_contents *contents);

/// Can files be written to the open folder? One is, and removed. On failure errno says
/// why. Local.
bool cairn_cache_is_writable(const cairn_cache *cache);

/// Forget an object; one without bytes is accepted.
void cairn_object_free(cairn_env *env, cairn_object *object);

/* The pieces, for each other and for tests. */

/// Note what kept the cache from being used, "FOLDER: NAME: WHY", unless something was
/// noted before.
void cairn_cache_remark(cairn_cache *cache, const char *name, const char *why);

/// Whether a file or folder can be trusted: it is this user's or root's, and no other
/// user may write to it. @p mode is as of stat().
bool cairn_cache_is_ours(uint32_t owner, uint32_t mode);

/// The trailer of a file of this object and key, checksum included.
cairn_cache_trailer
cairn_cache_seal(const cairn_cache *cache, const char *key, const cairn_object *object);

/// Whether @p length bytes are a whole file of this key and build.
/// @param[out] object_length  Bytes of the object at their beginning.
bool cairn_cache_verify(const cairn_cache *cache,
                        const char        *key,
                        const char        *bytes,
                        int64_t            length,
                        int64_t           *object_length);

/// Is this the name of a kernel ("cairn_" and 16 hexadecimal digits), and @p after next?
bool cairn_cache_is_kernel(const char *name, const char *after);

/// Remove the longest unused files if all are larger than the limit (but never the
/// newest), and what writers that died have left.
void cairn_cache_prune(cairn_cache *cache);

#endif
