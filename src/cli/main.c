// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The command: arguments, context, verb, and the one line on standard error.

#include "cli/arguments/job.h"
#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"
#include "cli/help/help.h"
#include "cli/help/questions.h"
#include "cli/output/outputs.h"
#include "cli/process/progress.h"
#include "cli/process/signals.h"
#include "cli/ranks/alike.h"
#include "cli/ranks/launcher.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_A_PROCESSOR 4 ///< At most, of a rank.

/// Is one of the words before "--" this one?
static bool has_word(int count, char *const *words, const char *word)
{
    for (int k = 0; k < count && strcmp(words[k], "--") != 0; k++)
        if (strcmp(words[k], word) == 0) return true;
    return false;
}

/// Print the line about a failure. Arguments and file names may hold anything; what
/// would break the line or the terminal is shown as a question mark.
static void print_failure(const cli_job *job, cairn_status status)
{
    const char *text = job->message;
    char        line[4096];

    if (!*text && job->context) text = cairn_context_message(job->context);
    if (*text)
        snprintf(line, sizeof line, "%s", text);
    else
        snprintf(line, sizeof line, "%s: context: %s",
                 job->verb ? job->verb->name : "start", cairn_status_text(status));
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    fprintf(stderr, "cairn: %s\n", line);
}

/// Is the first word a question, or --help among a verb's? Then answer it.
static bool answer(cli_job *job, int count, char *const *words, cairn_status *status)
{
    /* MPI is not started for this: only the launcher knows which rank this is. */
    const bool first = cli_launcher_rank() == 0;
    const bool help =
        job->verb && (has_word(count, words, "--help") || has_word(count, words, "-h"));
    const cli_question *question = count ? cli_question_find(words[0]) : NULL;

    if (!help && !question) return false;
    job->message[0] = '\0'; /* A question is no verb, and needs to be none. */
    *status         = CAIRN_OK;
    if (help && first) cli_help_verb(job->verb);
    if (!help && first) *status = question->answer(job, count > 1 ? words[1] : NULL);
    return true;
}

static cairn_status find_verb(cli_job *job, int count, char *const *words)
{
    if (count == 0)
        return cli_fail(
            job, CAIRN_BAD_OPTION,
            "usage: cairn VERB ... [options]: no verb given (cairn --help)");
    if (words[0][0] == '-')
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: %s: not before the verb (cairn --help)", words[0]);
    return cli_verb_find(job, words[0], &job->verb);
}

/// Threads, of which there may be some more than processors, but not any number: each has
/// a stack, and a process that cannot have them is ended by the OpenMP runtime. Ranks may
/// have different machines.
static cairn_status apply_threads(cli_job *job)
{
    const int64_t processors = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t       threads    = 0;

    if (job->verb->threads_of_others) return CAIRN_OK;
    CLI_TRY(cli_integer(job, CLI_THREADS, 1, &threads));
    if (processors > 0 && threads > THREADS_A_PROCESSOR * processors)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --threads: %" PRId64
                        " is more than %d times the processors, %" PRId64,
                        threads, THREADS_A_PROCESSOR, processors);
    if (threads) CLI_TRY(cairn_context_set_threads(job->context, (int)threads));
    return CAIRN_OK;
}

static cairn_status apply_memory(cli_job *job)
{
    int64_t memory = 0;

    CLI_TRY(cli_bytes(job, CLI_MEMORY, &memory));
    return memory ? cairn_context_set_memory(job->context, memory) : CAIRN_OK;
}

static cairn_status apply_give_up(cli_job *job)
{
    double give_up = -1;

    CLI_TRY(cli_wait(job, CLI_GIVE_UP, &give_up));
    cairn_context_set_patience(job->context, -1, give_up);
    return CAIRN_OK;
}

/// Options that each rank has its own values of: what is wrong on one fails on all, and
/// rank 0 says which option it is, and on which rank.
static cairn_status apply_own(cli_job *job)
{
    static const struct {
        cli_option_id id;
        cairn_status (*apply)(cli_job *job);
    } own[] = {
        {CLI_MEMORY,  apply_memory },
        {CLI_GIVE_UP, apply_give_up},
        {CLI_THREADS, apply_threads},
    };
    enum { OWN = sizeof own / sizeof own[0] };
    const int    size = cairn_context_size(job->context);
    cairn_status mine[OWN];
    double       wrong[OWN]; /* 0: nowhere; else the size less the first such rank */

    for (int k = 0; k < OWN; k++) {
        mine[k]  = own[k].apply(job);
        wrong[k] = mine[k] == CAIRN_OK ? 0 : size - cairn_context_rank(job->context);
    }
    CLI_TRY(cairn_context_max(job->context, wrong, OWN));
    for (int k = 0; k < OWN; k++) {
        if (wrong[k] == 0) continue;
        return mine[k] != CAIRN_OK
                   ? mine[k]
                   : cli_fail(job, CAIRN_BAD_OPTION,
                              "option: --%s: is wrong on rank %d",
                              cli_option_row(own[k].id)->name, size - (int)wrong[k]);
    }
    return CAIRN_OK;
}

/// Options that most verbs share.
static cairn_status apply_common(cli_job *job)
{
    const char *word  = cli_text(job, CLI_DTYPE);
    int         dtype = 0;

    if (word) CLI_TRY(cli_choose(job, "option: --dtype", word, &cli_dtypes, &dtype));
    job->dtype = dtype ? CAIRN_F32 : CAIRN_F64;
    CLI_TRY(apply_own(job));
    return cli_agree(job, cli_is_first(job) ? cli_check_outputs(job) : CAIRN_OK);
}

static cairn_status run_verb(cli_job *job)
{
    CLI_TRY(apply_common(job));
    cli_progress_begin(job);
    const cairn_status status = job->verb->run(job);

    cli_progress_end();
    CLI_TRY(status);
    return cli_agree(job, cli_is_first(job) ? cli_flush(job) : CAIRN_OK);
}

/// After a wait was given up the job ends without MPI's end: the launcher kills the other
/// ranks when the first has gone, so that the one that prints should be this one.
static void let_first_report(const cli_job *job)
{
    if (job->context && cairn_context_given_up(job->context) >= 0 && !cli_is_first(job))
        sleep(1);
}

/// What the process ends with: 1, right, but it failed here; 2, wrong whatever the machine.
static int exit_of(cairn_status status)
{
    if (status == CAIRN_OK) return 0;
    return cairn_status_failed_here(status) ? 1 : 2;
}

/// Have --give-up hold while ranks make a context, which has no patience of its own before it
/// is there. What is wrong with the option is told when there is one.
static void limit_start(cli_job *job)
{
    double seconds = 0;
    char   text[32];

    if (!cli_given(job, CLI_GIVE_UP)) return;
    if (cli_wait(job, CLI_GIVE_UP, &seconds) != CAIRN_OK) return;
    snprintf(text, sizeof text, "%.3f", seconds);
    if (seconds >= 0.001 && seconds <= 1e9) setenv("CAIRN_GIVE_UP", text, 1);
}

/// Run with a context, also when the arguments were already found wrong: under a
/// launcher every rank must pass MPI's end, and rank 0 must have printed before any
/// rank ends with a failure, since launchers then kill the others.
static int finish(cli_job *job, bool launched, cairn_status status)
{
    if (launched && status == CAIRN_OK) limit_start(job);
    const cairn_status created = launched ? cairn_context_create_world(&job->context)
                                          : cairn_context_create(&job->context);

    cli_signals_watch(job->context);
    if (created == CAIRN_OK)
        cairn_context_set_log(job->context, cli_progress_report, job);
    if (created == CAIRN_OK) status = cli_check_alike(job, status);
    if (status == CAIRN_OK) status = created;
    if (status == CAIRN_OK) status = run_verb(job);
    const bool first = job->context ? cli_is_first(job) : cli_launcher_rank() == 0;

    if (status != CAIRN_OK && first) print_failure(job, status);
    let_first_report(job);
    cli_signals_watch(NULL);
    cairn_context_destroy(&job->context);
    return exit_of(status);
}

static int end_answer(cli_job *job, cairn_status status)
{
    if (status == CAIRN_OK) status = cli_flush(job);
    if (status != CAIRN_OK) print_failure(job, status);
    cairn_context_destroy(&job->context);
    return exit_of(status);
}

/// A stream that was closed must not become the next file that is opened, or what is
/// printed would go into that. Held open the wrong way round, it still fails.
static void hold_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    static cli_job job;
    int            count    = argc - 1;
    char         **words    = argv + 1;
    bool           launched = cli_launcher_present();

    hold_streams();
    /* A reader that has gone is a failed write, which has a status of its own; so is a
     * file that may not be so long. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    /* hwloc would print on standard error what a status and a message say better. */
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    cli_signals_begin();
    if (count > 0 && strcmp(words[0], "--mpi") == 0) {
        launched = true;
        count--;
        words++;
    }
    cairn_status status = find_verb(&job, count, words);

    if (answer(&job, count, words, &status)) return end_answer(&job, status);
    if (status == CAIRN_OK) status = cli_arguments_read(&job, count - 1, words + 1);
    launched = launched || has_word(count, words, "--mpi");
    return finish(&job, launched, status);
}
