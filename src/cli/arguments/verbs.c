// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The table of verbs, in the order in which help shows them.

#include "cli/arguments/verbs.h"

#include "cli/arguments/values.h"

#include <string.h>

static const cli_verb *const verbs[] = {
    &cli_verb_info,   &cli_verb_generate, &cli_verb_format, &cli_verb_convert,
    &cli_verb_run,    &cli_verb_solve,    &cli_verb_emit,   &cli_verb_devices,
    &cli_verb_doctor, &cli_verb_scale,    &cli_verb_whatif,
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static const char *const later[] = {"expr", "tune", NULL};

/// Options of every verb.
static const cli_option_id common[] = {CLI_JSON, CLI_MPI, CLI_HELP};

enum { COMMON = sizeof common / sizeof common[0] };

const cli_verb *cli_verb_at(int k)
{
    return k < VERBS ? verbs[k] : NULL;
}

cairn_status cli_verb_find(cli_job *job, const char *name, const cli_verb **verb)
{
    const char *names[VERBS + 1] = {NULL};
    int         which;

    for (int k = 0; k < VERBS; k++)
        names[k] = verbs[k]->name;
    if (strcmp(name, "help") == 0)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "verb: help: no such verb; ask cairn --help, or cairn VERB "
                        "--help");
    CLI_TRY(
        cli_choose(job, "verb", name, &(cli_choices){"verb", names, later}, &which));
    *verb = verbs[which];
    return CAIRN_OK;
}

cli_option_id cli_verb_option(const cli_verb *verb, int k)
{
    int own = 0;

    while (verb->options[own] != CLI_OPTIONS)
        own++;
    if (k < own) return verb->options[k];
    return k - own < COMMON ? common[k - own] : CLI_OPTIONS;
}
