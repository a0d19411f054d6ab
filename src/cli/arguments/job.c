// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Failures of the command itself, and who reports them.

#include "cli/arguments/job.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

cairn_status cli_fail(cli_job *job, cairn_status status, const char *format, ...)
{
    va_list arguments;

    if (job->message[0]) return status;
    va_start(arguments, format);
    vsnprintf(job->message, sizeof job->message, format, arguments);
    va_end(arguments);
    return status;
}

void cli_warn(const cli_job *job, const char *format, ...)
{
    va_list arguments;

    if (!cli_is_first(job)) return;
    fprintf(stderr, "cairn: warning: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
}

const char *cli_text(const cli_job *job, cli_option_id id)
{
    return job->arguments.value[id];
}

bool cli_given(const cli_job *job, cli_option_id id)
{
    return cli_text(job, id) != NULL;
}

cairn_status cli_not_yet(cli_job *job, const char *what, const char *where)
{
    return cli_fail(job, CAIRN_UNSUPPORTED, "%s: %s: not in this version", what, where);
}

cairn_status cli_agree(cli_job *job, cairn_status mine)
{
    return cairn_context_agree(job->context, mine);
}

bool cli_is_first(const cli_job *job)
{
    const int left = cairn_context_given_up(job->context);

    return cairn_context_rank(job->context) == (left < 0 ? 0 : left);
}

cairn_status cli_flush(cli_job *job)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return CAIRN_OK;
    return cli_fail(job, CAIRN_IO, "output: standard output: %s",
                    errno ? strerror(errno) : "cannot be written");
}
