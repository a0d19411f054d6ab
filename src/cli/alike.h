// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Launchers can give every rank other arguments. What all ranks do together must be the
/// same everywhere, or one of them would wait for ever.

#ifndef CLI_ALIKE_H
#define CLI_ALIKE_H

#include "job.h"

/// Fail on all ranks unless all were given the same verb, as many operands, the same
/// options, and the same numbers (but for --threads, which is each rank's own), and the
/// arguments were right on all or wrong on all. Names of files may differ. Collective.
///
/// @param mine  What this rank's arguments were found to be.
/// @retval CAIRN_BAD_OPTION  They differ: the first option that does is named.
cairn_status cli_check_alike(cli_job *job, cairn_status mine);

#endif
