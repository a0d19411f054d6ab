// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files of the command itself (JSON, pictures) that appear whole or not at all: made in
/// memory, then written by the library. What exists and is no regular file (/dev/null, a
/// pipe) is written directly, since it cannot be replaced.

#ifndef CLI_SAVE_H
#define CLI_SAVE_H

#include "cli/arguments/job.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_save {
    const char *path;
    bool        direct; ///< `path` itself is being written.
    FILE       *file;
    char       *bytes; ///< [length] What there is so far, if not.
    size_t      length;
} cli_save;

/// Local. Pairs with cli_save_end(). @retval CAIRN_IO  It cannot be written.
cairn_status cli_save_begin(cli_job *job, const char *path, cli_save *save);

/// Write the file if @p status is CAIRN_OK, else nothing.
///
/// @retval status, or CAIRN_IO when something could not be written.
cairn_status cli_save_end(cli_job *job, cli_save *save, cairn_status status);

#endif
