// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files written whole or not at all.

#include "base/file.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cairn_status fail_io(cairn_env *env, const char *path, const char *what)
{
    return cairn_fail(env, CAIRN_IO, "%s: %s: %s", what, path, strerror(errno));
}

/// Renaming over a device or a pipe would replace it.
static cairn_status check_target(cairn_env *env, const char *path)
{
    struct stat about;

    if (stat(path, &about) != 0) return CAIRN_OK;
    CAIRN_CHECK(S_ISREG(about.st_mode), env, CAIRN_IO,
                "create: %s: it is there and not a regular file", path);
    return CAIRN_OK;
}

static cairn_status make_name(cairn_file *file, int attempt)
{
    cairn_text text;

    cairn_free(file->env, file->temporary);
    file->temporary = NULL;
    cairn_text_init(&text, file->env);
    cairn_text_add(&text, "%s.part-%ld-%d", file->path, (long)getpid(), attempt);
    return cairn_text_take(&text, &file->temporary);
}

/// mkstemp would give the file to its owner alone; this leaves it to the umask.
static cairn_status create_temporary(cairn_file *file)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        CAIRN_TRY(make_name(file, attempt));
        file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->fd >= 0) return CAIRN_OK;
        if (errno != EEXIST) break;
    }
    return fail_io(file->env, file->path, "create");
}

static void forget_names(cairn_file *file)
{
    cairn_free(file->env, file->temporary);
    cairn_free(file->env, file->path);
    file->temporary = file->path = NULL;
}

/// The name to rename to: a link stays, and what it points to is replaced.
static cairn_status final_name(cairn_env *env, const char *path, char **name)
{
    struct stat about;
    const bool  link   = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
    char *const target = link ? realpath(path, NULL) : NULL;

    if (target) path = target;
    const cairn_status status = cairn_strndup(env, path, strlen(path), name);

    free(target);
    return status;
}

cairn_status cairn_file_create(cairn_env *env, const char *path, cairn_file *file)
{
    cairn_file   fresh = {.env = env, .fd = -1};
    cairn_status status;

    CAIRN_TRY(check_target(env, path));
    CAIRN_TRY(final_name(env, path, &fresh.path));
    status = create_temporary(&fresh);
    if (status == CAIRN_OK)
        *file = fresh;
    else
        forget_names(&fresh);
    return status;
}

cairn_status cairn_file_join(cairn_env  *env,
                             const char *path,
                             const char *temporary,
                             cairn_file *file)
{
    cairn_file fresh = {.env = env, .fd = -1};

    CAIRN_TRY(cairn_strndup(env, path, strlen(path), &fresh.path));
    fresh.fd = open(temporary, O_WRONLY | O_CLOEXEC);
    if (fresh.fd < 0) {
        /* First the message: freeing may change errno. */
        const cairn_status status =
            fail_io(env, path, "open the temporary file of another rank");

        forget_names(&fresh);
        return status;
    }
    *file = fresh;
    return CAIRN_OK;
}

cairn_status
cairn_file_write_at(cairn_file *file, const void *bytes, size_t length, int64_t offset)
{
    for (size_t done = 0; done < length;) {
        const ssize_t n = pwrite(file->fd, (const char *)bytes + done, length - done,
                                 offset + (int64_t)done);

        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_io(file->env, file->path, "write");
        done += (size_t)n;
    }
    return CAIRN_OK;
}

cairn_status cairn_file_sync(cairn_file *file)
{
    if (fsync(file->fd) != 0) return fail_io(file->env, file->path, "sync");
    return CAIRN_OK;
}

/// A rename is lasting once its folder is on the disk. Some file systems cannot sync a
/// folder; the file is complete then, so that is no failure.
static void sync_folder(const char *path)
{
    const char *const slash = strrchr(path, '/');
    char              name[4096];

    /* With the slash: it may be all there is, as in "/y.mtx". */
    if (slash) snprintf(name, sizeof name, "%.*s", (int)(slash - path + 1), path);

    const int fd = open(slash ? name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

cairn_status cairn_file_commit(cairn_file *file)
{
    cairn_status status = cairn_file_sync(file);
    const int    closed = close(file->fd);

    file->fd = -1;
    if (status == CAIRN_OK && closed != 0)
        status = fail_io(file->env, file->path, "close");
    if (status == CAIRN_OK && rename(file->temporary, file->path) != 0)
        status = fail_io(file->env, file->path, "rename");
    if (status == CAIRN_OK)
        sync_folder(file->path);
    else
        unlink(file->temporary);
    forget_names(file);
    return status;
}

void cairn_file_discard(cairn_file *file)
{
    if (file->temporary) unlink(file->temporary);
    cairn_file_close(file);
}

cairn_status
cairn_file_put(cairn_env *env, const char *path, const void *bytes, size_t length)
{
    cairn_file file;

    CAIRN_TRY(cairn_file_create(env, path, &file));
    const cairn_status status = cairn_file_write_at(&file, bytes, length, 0);

    if (status == CAIRN_OK) return cairn_file_commit(&file);
    cairn_file_discard(&file);
    return status;
}

cairn_status cairn_file_length(cairn_env *env, const char *path, int64_t *bytes)
{
    struct stat about;

    if (stat(path, &about) != 0) return fail_io(env, path, "look at");
    *bytes = about.st_size;
    return CAIRN_OK;
}

void cairn_file_close(cairn_file *file)
{
    if (!file->path) return;
    if (file->fd >= 0) close(file->fd);
    file->fd = -1;
    forget_names(file);
}
