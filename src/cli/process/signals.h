// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ctrl-C, the end of a terminal, a batch system that ends a job: the command ends by that
/// signal, as its caller expects, but not before what it would leave behind is removed.

#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <cairn/cairn.h>

#include <stdatomic.h>
#include <sys/types.h>

/// Handle SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1 and SIGUSR2, unless they are
/// ignored (nohup, `&` in scripts).
/// Local; on the main thread, before there are others.
void cli_signals_begin(void);

/// From now on the first SIGTERM or SIGUSR1 makes @p asked true, and nothing more: batch
/// systems send them a while before they kill, and there is something to save. Another one
/// ends the process. NULL: each ends it, as ever. Local.
void cli_signals_ask(atomic_bool *asked);

/// From now on what @p context would leave behind is removed; NULL: there is none any
/// more. Local.
void cli_signals_watch(cairn_context *context);

/// Hold signals back while another program is started, until cli_signals_child(). Local; on
/// the main thread.
void cli_signals_hold(void);

/// From now on the process group @p pid is ended, and waited for, before the command ends by
/// a signal; 0: there is none any more. Local; on the main thread.
void cli_signals_child(pid_t pid);

#endif
