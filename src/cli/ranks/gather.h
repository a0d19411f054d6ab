// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers of all ranks. The public interface has one reduction, the maximum; numbers
/// that are not negative are gathered with it by leaving the others' places 0.

#ifndef CLI_GATHER_H
#define CLI_GATHER_H

#include "cli/arguments/job.h"

/// Wait for all ranks. Collective.
cairn_status cli_barrier(cli_job *job);

/// Replace @p value by the largest over all ranks. Collective.
cairn_status cli_max(cli_job *job, double *value);

/// The largest of each of many values. Collective.
cairn_status cli_max_all(cli_job *job, double *values, int64_t n);

/// Every rank gives @p n values, none negative, and gets those of all ranks.
///
/// Collective. Integers are exact up to 2^53.
///
/// @param[out] all  [ranks][n], freed with free(). NULL on failure.
cairn_status cli_gather(cli_job *job, const double *mine, int64_t n, double **all);

/// As calloc(); all ranks fail when one does. Collective.
cairn_status cli_alloc_together(cli_job *job, int64_t n, size_t size, void *block);

#endif
