// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Pictures of matrices.

#ifndef CLI_SPY_H
#define CLI_SPY_H

#include "cli/arguments/job.h"

/// Draw a matrix into the file that --spy names.
///
/// Collective; rank 0 writes.
///
/// @retval CAIRN_BAD_SHAPE  It is no matrix.
cairn_status
cli_spy(cli_job *job, const cairn_source *source, const cairn_source_info *info);

#endif
