// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Help texts. They need no context and are printed before anything else is looked at.

#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/arguments/job.h"

/// Print what Cairn is, its verbs and a worked example.
void cli_help(void);

/// Print usage, options, JSON fields and an example of a verb.
void cli_help_verb(const cli_verb *verb);

/// Print the CAIRN_* variables.
void cli_help_variables(void);

#endif
