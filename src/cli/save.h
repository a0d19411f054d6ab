// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files of the command itself (JSON, pictures) that appear whole or not at all:
/// written under a temporary name beside the file, then renamed. What exists and is no regular
/// file (/dev/null, a pipe) is written directly, since renaming would replace it.

#ifndef CLI_SAVE_H
#define CLI_SAVE_H

#include "job.h"

#include <stdio.h>

typedef struct cli_save {
    const char *path;
    char       *name;      ///< What `temporary` will be called.
    char       *temporary; ///< NULL: `path` itself is being written.
    FILE       *file;
} cli_save;

/// Local. Pairs with cli_save_end(). @retval CAIRN_IO  It cannot be written.
cairn_status cli_save_begin(cli_job *job, const char *path, cli_save *save);

/// Finish the file if @p status is CAIRN_OK, else remove it.
///
/// @retval status, or CAIRN_IO when something could not be written.
cairn_status cli_save_end(cli_job *job, cli_save *save, cairn_status status);

#endif
