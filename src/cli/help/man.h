// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Manual pages, as man(1) reads them, from the tables that --help prints. The build
/// writes them into files (docs/man), which are installed.

#ifndef CLI_MAN_H
#define CLI_MAN_H

#include "cli/arguments/job.h"

/// Print a page: "cairn" (also NULL), a verb's name, or "formats".
///
/// @retval CAIRN_BAD_OPTION  There is no such page; the nearest is named.
cairn_status cli_man(cli_job *job, const char *page);

#endif
