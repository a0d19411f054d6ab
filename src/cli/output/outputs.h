// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files that a command is to write: none of them is one that it reads, or writes twice.

#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include "cli/arguments/job.h"

/// Endings of files that hold entries, in any format of the library.
#define CLI_ENTRIES ".mtx .tns .petsc .petsc64 .hb .rua .rsa .pua .psa"

/// Has a name one of the endings of CLI_ENTRIES? Local.
bool cli_names_entries(const char *path);

/// Refuse a file to be written that is also another operand or option, whatever the names
/// by which they go (links, "./a" and "a"). Pipes and devices may be named again. Refuse one
/// whose folder is not there, and one that is a folder.
///
/// Local.
/// @retval CAIRN_BAD_OPTION
/// @retval CAIRN_IO  A folder is missing, or nothing may be made in it, or it has the name.
cairn_status cli_check_outputs(cli_job *job);

#endif
