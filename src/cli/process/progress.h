// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What people see of long work: one line on standard error that overwrites itself,
/// only if standard error is a terminal, only on rank 0, only after two seconds. A thread
/// of its own writes it, so that work which reports nothing shows that time passes.

#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/arguments/job.h"

/// Listen to the context from now on.
void cli_progress_begin(cli_job *job);

/// Say what is being done from now on ("store"), until the context says more.
///
/// @param[in] what  Lives until the next call. NULL: nothing; the line is cleared, for
///                  a report to be printed.
void cli_progress_phase(const char *what);

/// Tell people something meanwhile, "cairn: warning: MESSAGE": a log as
/// cairn_context_set_log() takes it. Any thread.
void cli_progress_report(void *user, const char *message);

/// Clear the line, and end.
void cli_progress_end(void);

#endif
