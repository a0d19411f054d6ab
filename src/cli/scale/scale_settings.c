// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The arguments of a scaling study.

#include "cli/arguments/problem.h"
#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"
#include "cli/ranks/launcher.h"
#include "cli/scale/scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_RANKS 1000000

cli_option_id cli_scale_passed(int k)
{
    static const cli_option_id passed[] = {
        CLI_FORMAT,       CLI_CANDIDATES,
        CLI_PLACE,        CLI_DISTRIBUTE,
        CLI_DTYPE,        CLI_K,
        CLI_TRANSPOSE,    CLI_ITERS,
        CLI_WARMUP,       CLI_X,
        CLI_REPRODUCIBLE, CLI_MEMORY,
        CLI_GIVE_UP,      CLI_PRECONDITION,
        CLI_TOL,          CLI_MAX_ITERATIONS,
        CLI_RHS,          CLI_OPTIONS,
    };

    return passed[k];
}

/// One of `run`, or `solve` with its method; the last operand is the matrix.
static cairn_status read_operation(cli_job *job, cli_scale_settings *settings)
{
    const cli_arguments *given = &job->arguments;
    const int            words = given->operands - 1;
    const bool           solve = strcmp(given->operand[0], "solve") == 0;
    const cli_verb      *verb;
    int                  which, put = 0;

    if (solve)
        CLI_TRY(cli_verb_find(job, given->operand[0], &verb));
    else
        CLI_TRY(cli_choose(job, "scale", given->operand[0], &cli_studies, &which));
    if (words < (solve ? 2 : 1))
        return cli_fail(job, CAIRN_BAD_OPTION, "operand: scale %s: %s is missing",
                        given->operand[0], solve ? "METHOD or FILE" : "FILE");
    if (words > (solve ? 2 : 1))
        return cli_fail(job, CAIRN_BAD_OPTION, "operand: %s: one too many",
                        given->operand[words]);
    if (!solve) settings->words[put++] = "run";
    for (int k = 0; k < words; k++)
        settings->words[put++] = given->operand[k];
    settings->matrix = given->operand[words];
    return CAIRN_OK;
}

static cairn_status read_growth(cli_job *job, cli_scale_settings *settings)
{
    settings->weak = cli_given(job, CLI_WEAK);
    if (settings->weak && cli_given(job, CLI_STRONG))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --weak: the study is --strong already");
    if (settings->weak && !cli_problem_is_named(settings->matrix))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --weak: %s is no test problem that could grow "
                        "(stencil7:nx=64,ny=64,nz=64)",
                        settings->matrix);
    return CAIRN_OK;
}

/// Numbers of a list, ascending as they will be shown, each once.
static cairn_status read_list(cli_job *job, cli_option_id id, cli_scale_list *list)
{
    CLI_TRY(cli_integers(job, id, CLI_SCALE_LIST, list->value, &list->count));
    for (int k = 0; k < list->count; k++) {
        if (list->value[k] < 1 || list->value[k] > MOST_RANKS)
            return cli_fail(job, CAIRN_BAD_OPTION,
                            "option: --%s: %" PRId64 " is not between 1 and %d",
                            cli_option_row(id)->name, list->value[k], MOST_RANKS);
        if (k > 0 && list->value[k] <= list->value[k - 1])
            return cli_fail(
                job, CAIRN_BAD_OPTION,
                "option: --%s: %" PRId64 " behind %" PRId64 ": they do not ascend",
                cli_option_row(id)->name, list->value[k], list->value[k - 1]);
    }
    return CAIRN_OK;
}

/// Powers of two up to the processors.
static void list_ranks(cli_scale_list *ranks)
{
    const int64_t processors = sysconf(_SC_NPROCESSORS_ONLN);

    for (int64_t n = 1; n == 1 || (n <= processors && ranks->count < CLI_SCALE_LIST);
         n *= 2)
        ranks->value[ranks->count++] = n;
}

/// Lists of devices, divided by semicolons.
static cairn_status read_devices(cli_job *job, cli_scale_devices *devices)
{
    const char *text = cli_text(job, CLI_DEVICES);

    devices->count = text ? 0 : 1;
    while (text) {
        const size_t length = strcspn(text, ";");

        if (devices->count == CLI_SCALE_DEVICES || length == 0
            || length >= CLI_SCALE_TEXT)
            return cli_fail(job, CAIRN_BAD_OPTION,
                            "option: --devices: up to %d lists of 1 to %d characters, "
                            "divided by semicolons",
                            CLI_SCALE_DEVICES, CLI_SCALE_TEXT - 1);
        memcpy(devices->text[devices->count++], text, length);
        text = text[length] ? text + length + 1 : NULL;
    }
    return CAIRN_OK;
}

static cairn_status read_simulated(cli_job *job, cli_scale_settings *settings)
{
    settings->platform = cli_text(job, CLI_SIMULATE);
    if (!settings->platform && cli_given(job, CLI_SIMULATED))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --simulated-ranks: only with --simulate");
    if (!settings->platform) return CAIRN_OK;
    settings->simulated = settings->ranks;
    CLI_TRY(read_list(job, CLI_SIMULATED, &settings->simulated));
    if (access(settings->platform, R_OK) == 0) return CAIRN_OK;
    return cli_fail(job, CAIRN_IO, "simulate: %s: cannot be read", settings->platform);
}

cairn_status cli_scale_settings_read(cli_job *job, cli_scale_settings *settings)
{
    *settings = (cli_scale_settings){
        .threads  = {.value = {1}, .count = 1},
        .repeat   = 3,
        .within   = 600,
        .folder   = cli_given(job, CLI_FOLDER) ? cli_text(job, CLI_FOLDER)
                                               : cli_option_row(CLI_FOLDER)->standard,
        .launcher = cli_text(job, CLI_LAUNCHER),
    };

    if (cli_launcher_present())
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "scale: %s: is not to be started by a launcher: it starts its "
                        "own",
                        job->arguments.operand[0]);
    CLI_TRY(read_operation(job, settings));
    CLI_TRY(read_growth(job, settings));
    CLI_TRY(read_list(job, CLI_RANKS, &settings->ranks));
    if (settings->ranks.count == 0) list_ranks(&settings->ranks);
    CLI_TRY(read_list(job, CLI_THREADS, &settings->threads));
    CLI_TRY(read_devices(job, &settings->devices));
    CLI_TRY(cli_integer(job, CLI_REPEAT, 1, &settings->repeat));
    if (settings->repeat > CLI_SCALE_RUNS)
        return cli_fail(job, CAIRN_BAD_OPTION, "option: --repeat: more than %d runs",
                        CLI_SCALE_RUNS);
    CLI_TRY(read_simulated(job, settings));
    if (!settings->launcher) settings->processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return cli_wait(job, CLI_WITHIN, &settings->within);
}
