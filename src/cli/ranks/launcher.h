// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Was this process started by an MPI launcher? Starting MPI alone costs 0.4 s, so the
/// command starts it only when the environment says that there is a job to join.

#ifndef CLI_LAUNCHER_H
#define CLI_LAUNCHER_H

#include <stdbool.h>

/// Is there a launcher?
bool cli_launcher_present(void);

/// This process's rank as the launcher tells it, before MPI is started; 0 without one.
int cli_launcher_rank(void);

/// Set what Open MPI needs, for programs that are started from now on:
/// as root; with @p crowded more threads than processors; ranks not bound, since each has as
/// many threads as the command says. What is set already stays.
void cli_launcher_prepare(bool crowded);

/// The environment of programs that are started.
char **cli_launcher_environment(void);

#endif
