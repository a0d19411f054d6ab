// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A folder for temporary files.

#include "devices/cpu/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "cairn-cc-"

enum {
    LEFT_OVER = 3600, /* seconds; a compiler has one minute */
    LOOK_AT   = 4096, /* entries of the temporary folder, which all users share */
};

/// Remove the files in a folder, and close it.
static void empty(DIR *folder)
{
    for (const struct dirent *entry; (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0); /* fails for "." and ".." */
    closedir(folder);
}

/// A folder of this user's that a process has left behind that was killed.
static bool is_left_over(int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 && about.st_uid == geteuid()
           && time(NULL) - about.st_mtime > LEFT_OVER;
}

static void remove_left_over(int base, const char *name)
{
    const int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR      *folder = fd >= 0 && is_left_over(fd) ? fdopendir(fd) : NULL;

    if (folder) {
        empty(folder);
        unlinkat(base, name, AT_REMOVEDIR);
    } else if (fd >= 0)
        close(fd);
}

static void remove_all_left_over(const char *base)
{
    DIR *folder = opendir(base);
    int  seen   = 0;

    if (!folder) return;
    for (const struct dirent *entry; seen < LOOK_AT && (entry = readdir(folder));
         seen++)
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0
            && strlen(entry->d_name) == strlen(PREFIX "XXXXXX"))
            remove_left_over(dirfd(folder), entry->d_name);
    closedir(folder);
}

cairn_status cairn_scratch_make(cairn_env *env, cairn_scratch *scratch)
{
    const char *base = cairn_temporary_folder();
    const int   n =
        snprintf(scratch->path, sizeof scratch->path, "%s/" PREFIX "XXXXXX", base);

    CAIRN_CHECK(n < (int)sizeof scratch->path, env, CAIRN_IO,
                "temporary folder: %.200s...: its name is too long", base);
    /* Entered before it is there: mkdtemp chooses the letters in place. */
    scratch->remain = cairn_remains_add(&env->remains, AT_FDCWD, scratch->path, true);
    if (!mkdtemp(scratch->path)) {
        const int why = errno;

        cairn_remains_drop(scratch->remain);
        return cairn_fail(env, CAIRN_IO, "temporary folder: %s: %s", base,
                          strerror(why));
    }
    remove_all_left_over(base);
    return CAIRN_OK;
}

void cairn_scratch_remove(cairn_scratch *scratch)
{
    DIR *folder = opendir(scratch->path);

    if (folder) {
        empty(folder);
        rmdir(scratch->path);
    }
    cairn_remains_drop(scratch->remain);
}

cairn_status cairn_scratch_path(cairn_env           *env,
                                const cairn_scratch *scratch,
                                const char          *name,
                                char                 path[CAIRN_OPTION_PATH])
{
    const int n = snprintf(path, CAIRN_OPTION_PATH, "%s/%s", scratch->path, name);

    CAIRN_CHECK(n < CAIRN_OPTION_PATH, env, CAIRN_IO,
                "temporary folder: %s: its name is too long", scratch->path);
    return CAIRN_OK;
}

cairn_status
cairn_scratch_write(cairn_env *env, const char *path, const char *bytes, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    CAIRN_CHECK(fd >= 0, env, CAIRN_IO, "create: %s: %s", path, strerror(errno));
    while (length > 0) {
        const ssize_t n = write(fd, bytes, length);

        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        bytes += n, length -= (size_t)n;
    }
    const bool closed = close(fd) == 0;

    CAIRN_CHECK(length == 0 && closed, env, CAIRN_IO, "write: %s: %s", path,
                strerror(errno));
    return CAIRN_OK;
}
