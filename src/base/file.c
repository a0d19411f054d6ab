// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files written whole or not at all.

#include "base/file.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

static void forget_temporary(cairn_file *file)
{
    cairn_remains_drop(file->remain);
    cairn_free(file->env, file->temporary);
    file->temporary = NULL;
    file->remain    = NULL;
}

/// Make a temporary name, and enter it before it exists.
static cairn_status make_name(cairn_file *file, int attempt)
{
    cairn_text text;

    forget_temporary(file);
    cairn_text_init(&text, file->env);
    cairn_text_add(&text, "%s.part-%ld-%d", file->path, (long)getpid(), attempt);
    CAIRN_TRY(cairn_text_take(&text, &file->temporary));
    file->remain =
        cairn_remains_add(&file->env->remains, AT_FDCWD, file->temporary, false);
    return CAIRN_OK;
}

/// Something under a temporary name. @return Is it there? errno says why not.
typedef bool make_fn(cairn_file *file);

/// Open it under the first name that no file has.
static cairn_status make_temporary(cairn_file *file, make_fn *make)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        CAIRN_TRY(make_name(file, attempt));
        if (make(file)) return CAIRN_OK;
        if (errno != EEXIST) break;
    }
    /* First the message: freeing may change errno. */
    const cairn_status status = fail_io(file->env, file->path, "create");

    forget_temporary(file);
    return status;
}

/// mkstemp would give the file to its owner alone; this leaves it to the umask.
static bool make_file(cairn_file *file)
{
    file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file->fd >= 0;
}

/// The folder of a path, with the slash: it may be all there is, as in "/y.mtx".
static cairn_status folder_of(cairn_env *env, const char *path, char **folder)
{
    const char *const slash = strrchr(path, '/');

    return slash ? cairn_strndup(env, path, (size_t)(slash - path + 1), folder)
                 : cairn_strndup(env, ".", 1, folder);
}

/// By this name a file without a name is linked to one.
static void print_descriptor(int fd, char name[32])
{
    snprintf(name, 32, "/proc/self/fd/%d", fd);
}

/// A file without a name. @p file has no descriptor afterwards where there are none such:
/// not every file system has them, and they are named by way of /proc.
static cairn_status create_unnamed(cairn_file *file)
{
    char *folder, name[32];

    CAIRN_TRY(folder_of(file->env, file->path, &folder));
    file->fd = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    cairn_free(file->env, folder);
    if (file->fd < 0) return CAIRN_OK;
    print_descriptor(file->fd, name);
    if (access(name, F_OK) == 0) return CAIRN_OK;
    close(file->fd);
    file->fd = -1;
    return CAIRN_OK;
}

static void forget_names(cairn_file *file)
{
    forget_temporary(file);
    cairn_free(file->env, file->path);
    file->path = NULL;
}

/// Follow one link. @return false: @p name is none, or where it leads is too long to say.
static bool follow(char name[PATH_MAX])
{
    char          to[PATH_MAX], joined[PATH_MAX];
    const ssize_t n      = readlink(name, to, sizeof to);
    const char   *slash  = strrchr(name, '/');
    const int     folder = slash ? (int)(slash - name + 1) : 0;

    if (n <= 0 || n == sizeof to) return false;
    if (to[0] == '/')
        snprintf(joined, sizeof joined, "%.*s", (int)n, to);
    else if (folder + n < PATH_MAX)
        snprintf(joined, sizeof joined, "%.*s%.*s", folder, name, (int)n, to);
    else
        return false;
    strcpy(name, joined);
    return true;
}

enum { LINKS = 40 /* the kernel follows as many */ };

/// The name to give in the end: a link stays, and what it points to is replaced, or made.
static cairn_status final_name(cairn_env *env, const char *path, char **name)
{
    char end[PATH_MAX];
    int  links = 0;

    if (strlen(path) >= sizeof end)
        return cairn_strndup(env, path, strlen(path), name); /* open() says so */
    strcpy(end, path);
    while (links < LINKS && follow(end))
        links++;
    errno = ELOOP;
    if (links == LINKS) return fail_io(env, path, "create");
    return cairn_strndup(env, end, strlen(end), name);
}

/// Give it the permissions of the file that it replaces, and that file's owner where we
/// may: else it has another group, which gets the rights of all users.
static void keep_permissions(cairn_file *file)
{
    struct stat old, fresh;

    if (stat(file->path, &old) != 0 || fstat(file->fd, &fresh) != 0) return;
    file->mode = old.st_mode & 0777;
    if ((old.st_uid != fresh.st_uid || old.st_gid != fresh.st_gid)
        && fchown(file->fd, old.st_uid, old.st_gid) != 0 && old.st_gid != fresh.st_gid)
        file->mode = (file->mode & 0707) | (file->mode & 0007) << 3;
    /* Until it is complete others must be able to join. */
    fchmod(file->fd, file->mode | S_IRUSR | S_IWUSR);
}

static cairn_status
create(cairn_env *env, const char *path, bool named, cairn_file *file)
{
    cairn_file   fresh = {.env = env, .fd = -1};
    cairn_status status;

    CAIRN_TRY(check_target(env, path));
    CAIRN_TRY(final_name(env, path, &fresh.path));
    status = named ? CAIRN_OK : create_unnamed(&fresh);
    if (status == CAIRN_OK && fresh.fd < 0) status = make_temporary(&fresh, make_file);
    if (status == CAIRN_OK) {
        keep_permissions(&fresh);
        *file = fresh;
    } else
        forget_names(&fresh);
    return status;
}

cairn_status cairn_file_create(cairn_env *env, const char *path, cairn_file *file)
{
    return create(env, path, false, file);
}

cairn_status cairn_file_create_named(cairn_env *env, const char *path, cairn_file *file)
{
    return create(env, path, true, file);
}

cairn_status cairn_file_way_to(const cairn_file *file, cairn_file_way *way)
{
    struct stat about;

    if (fstat(file->fd, &about) != 0) return fail_io(file->env, file->path, "look at");
    *way = (cairn_file_way){
        .unnamed = !file->temporary, .device = about.st_dev, .inode = about.st_ino};
    if (way->unnamed) {
        snprintf(way->name, sizeof way->name, "/proc/%ld/fd/%d", (long)getpid(),
                 file->fd);
        return CAIRN_OK;
    }
    CAIRN_CHECK(strlen(file->temporary) < sizeof way->name, file->env, CAIRN_IO,
                "create: %s: the name is too long", file->path);
    strcpy(way->name, file->temporary);
    return CAIRN_OK;
}

/// Looked at before it is opened: opening what is another process's may do something.
static bool leads_to_it(const cairn_file_way *way)
{
    struct stat about;

    return stat(way->name, &about) == 0 && about.st_dev == way->device
           && about.st_ino == way->inode;
}

/// Every process that uses a name enters it: whichever meets a signal removes the file.
static cairn_status open_way(cairn_file *file, const cairn_file_way *way)
{
    if (!way->unnamed) {
        CAIRN_TRY(
            cairn_strndup(file->env, way->name, strlen(way->name), &file->temporary));
        file->remain =
            cairn_remains_add(&file->env->remains, AT_FDCWD, file->temporary, false);
    }
    if (!way->unnamed || leads_to_it(way))
        file->fd = open(way->name, O_WRONLY | O_CLOEXEC);
    if (way->unnamed || file->fd >= 0) return CAIRN_OK;
    return fail_io(file->env, file->path, "open the temporary file of another rank");
}

cairn_status cairn_file_join(cairn_env            *env,
                             const char           *path,
                             const cairn_file_way *way,
                             cairn_file           *file)
{
    cairn_file fresh = {.env = env, .fd = -1};

    CAIRN_TRY(cairn_strndup(env, path, strlen(path), &fresh.path));

    const cairn_status status = open_way(&fresh, way);

    if (status == CAIRN_OK)
        *file = fresh;
    else
        forget_names(&fresh);
    return status;
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

static bool link_to(const cairn_file *file, const char *name)
{
    char unnamed[32];

    print_descriptor(file->fd, unnamed);
    return linkat(AT_FDCWD, unnamed, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

static bool link_temporary(cairn_file *file)
{
    return link_to(file, file->temporary);
}

/// Give the file its name. A link cannot replace what is there, a rename can; so only
/// where something is there a file without a name gets a temporary one, for this moment.
static cairn_status name_it(cairn_file *file)
{
    if (file->mode) fchmod(file->fd, file->mode);
    if (!file->temporary) {
        if (link_to(file, file->path)) return CAIRN_OK;
        if (errno != EEXIST) return fail_io(file->env, file->path, "create");
        CAIRN_TRY(make_temporary(file, link_temporary));
    }
    const int closed = close(file->fd);

    file->fd = -1;
    if (closed != 0) return fail_io(file->env, file->path, "close");
    if (rename(file->temporary, file->path) != 0)
        return fail_io(file->env, file->path, "rename");
    return CAIRN_OK;
}

cairn_status cairn_file_commit(cairn_file *file)
{
    cairn_status status = cairn_file_sync(file);

    if (status == CAIRN_OK) status = name_it(file);
    if (status == CAIRN_OK)
        sync_folder(file->path);
    else if (file->temporary)
        unlink(file->temporary);
    cairn_file_close(file);
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
