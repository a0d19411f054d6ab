// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Launchers can give every rank other arguments. What all ranks do together must be the
/// same everywhere, or one of them would wait for ever.

#ifndef CLI_ALIKE_H
#define CLI_ALIKE_H

#include "cli/arguments/job.h"

/// Fail on all ranks unless all were given the same verb, the same first word where it is
/// no file, as many operands and the same options, each with the same text, and the
/// arguments were right on all or wrong on all. A rank's own are the names of files (but
/// for the ending of one that is written, and whether --x is a file), --place, --devices,
/// --memory, --threads and --give-up. Collective.
///
/// Cost: one reduction, of two numbers an option.
///
/// @param mine  What this rank's arguments were found to be.
/// @retval CAIRN_BAD_OPTION  They differ: the first option that does is named.
cairn_status cli_check_alike(cli_job *job, cairn_status mine);

#endif
