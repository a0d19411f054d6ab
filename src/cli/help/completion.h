// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Completion scripts of shells, from the tables that parse the words: verbs, options of
/// each, words that values may be, names of formats, endings of files.

#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/arguments/job.h"

/// Print the script of "bash", "zsh" or "fish".
///
/// @retval CAIRN_BAD_OPTION  None of these, or none given.
cairn_status cli_completion(cli_job *job, const char *shell);

#endif
