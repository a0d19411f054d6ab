// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// In memory, then by the library; or straight into a pipe.

#include "cli/output/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static cairn_status refuse(cli_job *job, const char *path)
{
    return cli_fail(job, CAIRN_IO, "write: %s: %s", path, strerror(errno));
}

static bool is_special(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

cairn_status cli_save_begin(cli_job *job, const char *path, cli_save *save)
{
    *save = (cli_save){.path = path, .direct = is_special(path)};
    save->file =
        save->direct ? fopen(path, "w") : open_memstream(&save->bytes, &save->length);
    return save->file ? CAIRN_OK : refuse(job, path);
}

cairn_status cli_save_end(cli_job *job, cli_save *save, cairn_status status)
{
    const bool written = !ferror(save->file) && fflush(save->file) == 0;

    if (!written && status == CAIRN_OK) status = refuse(job, save->path);
    if (fclose(save->file) != 0 && status == CAIRN_OK) status = refuse(job, save->path);
    if (status == CAIRN_OK && !save->direct)
        status = cairn_context_write_file(job->context, save->path, save->bytes,
                                          save->length);
    free(save->bytes);
    return status;
}
