// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels on disk: the folder, and reading and writing one file.

#include "emit/cache.h"

#include "emit/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 60 /* seconds; a kernel takes a tenth of one */ };

void cairn_cache_remark(cairn_cache *cache, const char *name, const char *why)
{
    if (cache->note[0]) return;
    snprintf(cache->note, sizeof cache->note, "cache: %.300s%s%s: %s", cache->path,
             name[0] ? "/" : "", name, why);
}

bool cairn_cache_is_ours(uint32_t owner, uint32_t mode)
{
    return (owner == geteuid() || owner == 0) && !(mode & (S_IWGRP | S_IWOTH));
}

/// Make a folder and those above it. That one is there already is no failure here: what
/// cannot be opened afterwards says so itself.
static void make_folders(const char *path)
{
    char   prefix[CAIRN_OPTION_PATH];
    size_t length = strlen(path);

    for (size_t k = 1; k <= length; k++) {
        if (path[k] != '/' && path[k] != '\0') continue;
        memcpy(prefix, path, k);
        prefix[k] = '\0';
        mkdir(prefix, 0700);
    }
}

/// Close the folder again: it is not to be used.
static void give_up(cairn_cache *cache, const char *why)
{
    cairn_cache_remark(cache, "", why);
    cairn_cache_close(cache);
}

void cairn_cache_open(cairn_env *env, cairn_cache *cache)
{
    struct stat about;

    *cache = (cairn_cache){.env = env, .folder = -1, .patience = PATIENCE};
    cache->limit =
        env->options.cache_size > 0 ? env->options.cache_size : CAIRN_CACHE_BYTES;
    if (!cairn_options_cache(&env->options, cache->path)) return;
    if (cairn_build_id(cache->build) == 0) {
        give_up(cache, "not used: Cairn was linked without a build id");
        return;
    }
    make_folders(cache->path);
    cache->folder = open(cache->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cache->folder < 0 || fstat(cache->folder, &about) != 0)
        give_up(cache, strerror(errno));
    else if (!cairn_cache_is_ours(about.st_uid, about.st_mode))
        give_up(cache, "not used: it is another's, or others may write to it");
}

void cairn_cache_close(cairn_cache *cache)
{
    if (cache->folder >= 0) close(cache->folder);
    cache->folder = -1;
}

void cairn_object_free(cairn_env *env, cairn_object *object)
{
    cairn_free(env, object->bytes);
    *object = (cairn_object){0};
}

/// The name of a key's file.
static void print_name(const char *key, char name[CAIRN_KERNEL_SYMBOL + 4])
{
    cairn_kernel_symbol(key, name);
    strcat(name, ".so");
}

/// Open a file for reading if it may be believed. A link, a pipe or a device is not
/// opened, or not waited for.
static int open_trusted(const cairn_cache *cache, const char *name, struct stat *about)
{
    const int fd = openat(cache->folder, name,
                          O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd < 0) return -1;
    if (fstat(fd, about) == 0 && S_ISREG(about->st_mode)
        && cairn_cache_is_ours(about->st_uid, about->st_mode)
        && about->st_size <= CAIRN_CACHE_LARGEST)
        return fd;
    close(fd);
    return -1;
}

/// Read up to @p length bytes. @return how many there were.
static int64_t read_all(int fd, char *bytes, int64_t length)
{
    int64_t done = 0;

    while (done < length) {
        const ssize_t n = pread(fd, bytes + done, (size_t)(length - done), done);

        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += n;
    }
    return done;
}

/// Say when a file was used, for cairn_cache_prune(); access times are often off. Once an
/// hour is enough, and spares the disk.
static void mark_used(int fd, const struct stat *about)
{
    if (time(NULL) - about->st_mtime > 3600) futimens(fd, NULL);
}

cairn_status cairn_cache_find(cairn_cache *cache, const char *key, cairn_object *object)
{
    char         name[CAIRN_KERNEL_SYMBOL + 4];
    struct stat  about;
    cairn_object read = {0};
    cairn_status status;

    print_name(key, name);
    const int fd = cache->folder < 0 ? -1 : open_trusted(cache, name, &about);

    if (fd < 0) {
        *object = read;
        return CAIRN_OK;
    }
    CAIRN_GO(close, CAIRN_NEW(cache->env, about.st_size, &read.bytes));
    const int64_t length = read_all(fd, read.bytes, about.st_size);

    if (cairn_cache_verify(cache, key, read.bytes, length, &read.length))
        mark_used(fd, &about);
    else
        cairn_object_free(cache->env, &read);
    *object = read;

close:
    close(fd);
    return status;
}

static bool write_all(int fd, const void *bytes, size_t length)
{
    const char *from = bytes;

    while (length > 0) {
        const ssize_t n = write(fd, from, length);

        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        from += n, length -= (size_t)n;
    }
    return true;
}

/// A file being written.
typedef struct {
    char          name[128];
    cairn_remain *remain; ///< Entry of the name.
    int           fd;     ///< -1: errno says why there is none.
} temporary_file;

/// Create a file under a name that no other writer has; with many nodes at one folder,
/// process numbers alone would not do.
static void
create_temporary(const cairn_cache *cache, const char *name, temporary_file *file)
{
    file->fd = -1;
    for (int attempt = 0; attempt < 100; attempt++) {
        snprintf(file->name, sizeof file->name, "%s.part-%ld-%d", name, (long)getpid(),
                 attempt);
        file->remain =
            cairn_remains_add(&cache->env->remains, cache->folder, file->name, false);
        file->fd = openat(cache->folder, file->name,
                          O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file->fd >= 0) return;
        cairn_remains_drop(file->remain);
        if (errno != EEXIST) return;
    }
}

void cairn_cache_store(cairn_cache *cache, const char *key, const cairn_object *object)
{
    char           name[CAIRN_KERNEL_SYMBOL + 4];
    temporary_file file;

    if (cache->folder < 0) return;
    print_name(key, name);
    const cairn_cache_trailer trailer = cairn_cache_seal(cache, key, object);

    create_temporary(cache, name, &file);
    if (file.fd < 0) {
        cairn_cache_remark(cache, name, strerror(errno));
        return;
    }
    bool done = write_all(file.fd, object->bytes, (size_t)object->length)
                && write_all(file.fd, key, strlen(key))
                && write_all(file.fd, &trailer, sizeof trailer);

    done = close(file.fd) == 0 && done; /* file systems of a network may say it here */
    if (done) done = renameat(cache->folder, file.name, cache->folder, name) == 0;
    if (!done) {
        cairn_cache_remark(cache, name, strerror(errno));
        unlinkat(cache->folder, file.name, 0);
    }
    cairn_remains_drop(file.remain);
    if (done) cairn_cache_prune(cache);
}
