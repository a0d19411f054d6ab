// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Another program, run to its end in bounded time. It is ended with this one.

#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include "cli/arguments/job.h"

/// A program and how it is run.
typedef struct cli_child {
    char *const *words; ///< Its name, found in PATH, and arguments; ended by NULL.
    const char  *log; ///< File of all that it prints, made anew; NULL: nothing is kept.
    const char  *folder; ///< Where it runs; NULL: here.
    double       within; ///< Seconds after which it is ended; 0: never.
} cli_child;

/// How it ended.
typedef struct cli_child_end {
    bool missing; ///< There is no such program.
    bool late;    ///< It was ended after the time that it has.
    int  status;  ///< Its exit status, if no signal ended it.
    int  signal;  ///< The signal that did; 0: none.
} cli_child_end;

/// Run a program in a process group of its own, without input, and wait for it. A late one
/// gets SIGTERM, and SIGKILL five seconds after; so it does when a signal ends the command.
///
/// Local. On the main thread.
/// @retval CAIRN_IO  It cannot be started, though it is there.
cairn_status cli_child_run(cli_job *job, const cli_child *child, cli_child_end *end);

#endif
