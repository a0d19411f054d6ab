// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a folder of kernels holds, and for which build.

#include "emit/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Whether the file ends as files of this build do.
static bool is_of_this_build(const cairn_cache *cache, const char *name, int64_t length)
{
    const int           fd   = openat(cache->folder, name,
                                      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const int64_t       from = length - (int64_t)sizeof(cairn_cache_trailer);
    cairn_cache_trailer end;
    bool                same = false;

    if (fd < 0) return false;
    if (from >= 0 && pread(fd, &end, sizeof end, from) == (ssize_t)sizeof end)
        same = memcmp(end.magic, CAIRN_CACHE_MAGIC, sizeof end.magic) == 0
               && memcmp(end.build, cache->build, sizeof end.build) == 0;
    close(fd);
    return same;
}

static void
count(const cairn_cache *cache, const char *name, cairn_cache_contents *contents)
{
    struct stat about;

    if (!cairn_cache_is_kernel(name, ".so") || strcmp(name + 22, ".so") != 0) return;
    if (fstatat(cache->folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0
        || !S_ISREG(about.st_mode))
        return;
    contents->kernels++;
    contents->bytes += about.st_size;
    if (!is_of_this_build(cache, name, about.st_size)) contents->foreign++;
}

void cairn_cache_count(const cairn_cache *cache, cairn_cache_contents *contents)
{
    const int            fd     = cache->folder < 0 ? -1 : dup(cache->folder);
    DIR                 *folder = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    *contents = (cairn_cache_contents){0};
    if (!folder) {
        if (fd >= 0) close(fd);
        return;
    }
    rewinddir(folder);
    while ((entry = readdir(folder)))
        count(cache, entry->d_name, contents);
    closedir(folder);
}

bool cairn_cache_is_writable(const cairn_cache *cache)
{
    char name[48];

    snprintf(name, sizeof name, "check-%ld.part", (long)getpid());
    const int fd = openat(cache->folder, name,
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0) return false;
    const bool written = write(fd, "check", 5) == 5 && fsync(fd) == 0;

    close(fd);
    unlinkat(cache->folder, name, 0);
    return written;
}
