// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Temporary name, rename.

#include "save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cairn_status refuse(cli_job *job, const char *path)
{
    return cli_fail(job, CAIRN_IO, "write: %s: %s", path, strerror(errno));
}

static bool is_special(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

/// mkstemp makes files that only their owner reads; give them the usual rights.
static void usual_rights(int fd)
{
    const mode_t mask = umask(0);

    umask(mask);
    (void)!fchmod(fd, 0666 & ~mask);
}

/// The name to rename to: a link stays, and what it points to is replaced.
static char *final_name(const char *path)
{
    struct stat info;
    char       *target = NULL;

    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) target = realpath(path, NULL);
    return target ? target : strdup(path);
}

static cairn_status open_temporary(cli_job *job, cli_save *save)
{
    save->name = final_name(save->path);
    if (!save->name || asprintf(&save->temporary, "%s.XXXXXX", save->name) < 0) {
        free(save->name);
        return cli_fail(job, CAIRN_NO_MEMORY, "write: %s: out of memory", save->path);
    }
    const int fd = mkstemp(save->temporary);

    if (fd >= 0) {
        usual_rights(fd);
        save->file = fdopen(fd, "w");
        if (save->file) return CAIRN_OK;
        close(fd);
        unlink(save->temporary);
    }
    const cairn_status status = refuse(job, save->path);

    free(save->temporary);
    free(save->name);
    return status;
}

cairn_status cli_save_begin(cli_job *job, const char *path, cli_save *save)
{
    *save = (cli_save){.path = path};
    if (!is_special(path)) return open_temporary(job, save);
    save->file = fopen(path, "w");
    return save->file ? CAIRN_OK : refuse(job, path);
}

cairn_status cli_save_end(cli_job *job, cli_save *save, cairn_status status)
{
    const bool written = !ferror(save->file) && fflush(save->file) == 0;

    if (!written && status == CAIRN_OK) status = refuse(job, save->path);
    if (fclose(save->file) != 0 && status == CAIRN_OK) status = refuse(job, save->path);
    if (!save->temporary) return status;
    if (status == CAIRN_OK && rename(save->temporary, save->name) != 0)
        status = refuse(job, save->path);
    if (status != CAIRN_OK) unlink(save->temporary);
    free(save->temporary);
    free(save->name);
    return status;
}
