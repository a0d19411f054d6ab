// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What people see of long work: one line on standard error that overwrites itself,
/// only if standard error is a terminal, only on rank 0, only after two seconds.

#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "job.h"

/// Listen to the context from now on.
void cli_progress_begin(cli_job *job);

/// Clear the line.
void cli_progress_end(void);

#endif
