// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The progress line.

#include "progress.h"

#include "clock.h"

#include <stdio.h>
#include <unistd.h>

#define PATIENCE 2.0 ///< Seconds before the first line.
#define INTERVAL 0.1 ///< Seconds between two.

/// The process has one standard error, hence one line.
static struct {
    double begun, shown;
    bool   visible;
} line;

static void show(void *user, const char *what, double fraction)
{
    const double now = cli_seconds();

    (void)user;
    if (now - line.begun < PATIENCE || now - line.shown < INTERVAL) return;
    if (fraction < 0)
        fprintf(stderr, "\r\033[K%s ...", what);
    else
        fprintf(stderr, "\r\033[K%s %3.0f%%", what, 100 * fraction);
    fflush(stderr);
    line.shown   = now;
    line.visible = true;
}

void cli_progress_begin(cli_job *job)
{
    if (!cli_is_first(job) || !isatty(STDERR_FILENO)) return;
    line.begun = cli_seconds();
    cairn_context_set_progress(job->context, show, NULL);
}

void cli_progress_end(void)
{
    if (line.visible) fprintf(stderr, "\r\033[K");
    line.visible = false;
}
