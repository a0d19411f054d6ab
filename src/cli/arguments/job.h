// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A job: one verb with its arguments, on every rank alike. A verb returns a status;
/// the line on standard error is job->message if a verb decided the failure, otherwise
/// the context's. main.c prints it, once, on rank 0.

#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "cli/arguments/options.h"

#include <cairn/cairn.h>

/// Pass a failure up.
#define CLI_TRY(call)                                    \
    do {                                                 \
        const cairn_status try_status_ = (call);         \
        if (try_status_ != CAIRN_OK) return try_status_; \
    } while (0)

/// A command line, and what it is good for.
typedef struct cli_example {
    const char *command, *meaning;
} cli_example;

/// A word that a verb's first operand may be: "stencil5", the options that it needs, and
/// what it is.
typedef struct cli_word_row {
    const char *name;
    char        options[48]; ///< "--nx --ny"; "": none of its own.
    const char *help;
} cli_word_row;

typedef struct cli_verb {
    const char        *name;
    const char        *operands;    ///< "FILE", as usage shows it.
    int                least, most; ///< Numbers of operands.
    const char        *summary;     ///< One line.
    const char        *about;       ///< Paragraphs, divided by empty lines.
    const char        *json;        ///< Fields of the object that --json writes.
    const cli_example *examples;    ///< Ended by a command NULL.
    const char        *writes;      ///< Endings that -o may have: ".mtx .tns"; NULL: it
                                    ///< takes no -o.
    const char *words;              ///< What the first operand is: "kind"; NULL: free.
    bool (*word)(int k, cli_word_row *row); ///< Its k-th word; false past the last.
    const cli_option_id *options;           ///< Its own, ended by CLI_OPTIONS.
    bool threads_of_others; ///< --threads is about programs that it starts, and a list.
    cairn_status (*run)(cli_job *job);
} cli_verb;

struct cli_job {
    const cli_verb *verb; ///< NULL until it is known.
    cli_arguments   arguments;
    cairn_context  *context;
    cairn_dtype     dtype;
    char            message[2048]; ///< "WHAT: WHERE: WHY" of the command's own failure.
};

/// The text of an option; NULL when it was not given.
const char *cli_text(const cli_job *job, cli_option_id id);

/// Was it given?
bool cli_given(const cli_job *job, cli_option_id id);

/// Set the message of a failure, and return @p status. Of several the first counts.
__attribute__((format(printf, 3, 4))) cairn_status
cli_fail(cli_job *job, cairn_status status, const char *format, ...);

/// Tell people what is worth knowing of work that succeeds: a line on standard error,
/// "cairn: warning: WHAT: WHY". Rank 0 alone.
__attribute__((format(printf, 2, 3))) void
cli_warn(const cli_job *job, const char *format, ...);

/// Fail because @p what of @p where is for a later version.
cairn_status cli_not_yet(cli_job *job, const char *what, const char *where);

/// All ranks fail when one did. Collective.
cairn_status cli_agree(cli_job *job, cairn_status mine);

/// Rank 0 prints and writes reports.
bool cli_is_first(const cli_job *job);

/// Bring what was printed to standard output to its reader. Local.
/// @retval CAIRN_IO  For example: no space left.
cairn_status cli_flush(cli_job *job);

#endif
