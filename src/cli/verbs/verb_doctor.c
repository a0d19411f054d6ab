// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn doctor`: what would go wrong here.

#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"
#include "cli/output/json.h"
#include "cli/output/words.h"

#include <stdio.h>
#include <string.h>

static json_t *describe(const cairn_diagnostic *diagnostic)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "what", diagnostic->what, "level",
                     cairn_diagnostic_level_name(diagnostic->level), "ranks",
                     diagnostic->ranks, "why", cli_json_text(diagnostic->why), "fix",
                     cli_json_text(diagnostic->fix));
}

static json_t *object(const cairn_diagnostic *diagnostics, int count)
{
    json_t *list = json_array();

    for (int k = 0; k < count; k++)
        if (json_array_append_new(list, describe(&diagnostics[k])) != 0) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{s:o}", "findings", list);
}

enum { LEVEL = 11, WHAT = 11 }; /* Columns, with the blanks behind them. */

/// "attention  binding    ranks 2-3: bound to one core ...", and what to do below.
static void print(const cairn_diagnostic *diagnostic)
{
    cli_paragraph paragraph;

    printf("%-*s%-*s", LEVEL, cairn_diagnostic_level_name(diagnostic->level), WHAT,
           diagnostic->what);
    cli_paragraph_begin(&paragraph, LEVEL + WHAT, LEVEL + WHAT);
    if (diagnostic->ranks[0])
        cli_paragraph_say(
            &paragraph, "%s %s: ", strpbrk(diagnostic->ranks, "-,") ? "ranks" : "rank",
            diagnostic->ranks);
    cli_paragraph_text(&paragraph, diagnostic->why);
    cli_paragraph_end(&paragraph);
    if (!diagnostic->fix[0]) return;
    printf("%*s", LEVEL + WHAT, "");
    cli_paragraph_begin(&paragraph, LEVEL + WHAT, LEVEL + WHAT);
    cli_paragraph_say(&paragraph, "fix: %s", diagnostic->fix);
    cli_paragraph_end(&paragraph);
}

static int count_level(const cairn_diagnostic *diagnostics, int count, int level)
{
    int n = 0;

    for (int k = 0; k < count; k++)
        n += diagnostics[k].level == level;
    return n;
}

static cairn_status report(cli_job *job, const cairn_diagnostic *diagnostics, int count)
{
    if (!cli_is_first(job)) return CAIRN_OK;
    if (cli_given(job, CLI_JSON))
        return cli_json_write(job, object(diagnostics, count));
    for (int k = 0; k < count; k++)
        print(&diagnostics[k]);
    return cli_flush(job);
}

static cairn_status run(cli_job *job)
{
    cairn_diagnostic *diagnostics = NULL;
    int               count       = 0;

    if (cli_given(job, CLI_DEVICES))
        CLI_TRY(cli_agree(job, cairn_devices_check(job->context, NULL,
                                                   cli_text(job, CLI_DEVICES), 0)));
    CLI_TRY(cairn_doctor(job->context, &count, &diagnostics));
    const cairn_status status = cli_agree(job, report(job, diagnostics, count));
    const int wrong = count_level(diagnostics, count, CAIRN_DIAGNOSTIC_ATTENTION);

    cairn_diagnostics_free(job->context, &diagnostics);
    CLI_TRY(status);
    if (wrong == 0) return CAIRN_OK;
    return cli_fail(job, CAIRN_ATTENTION,
                    "doctor: this machine: %d finding%s attention", wrong,
                    wrong == 1 ? " needs" : "s need");
}

static const char about[] =
    "Looks at MPI and how ranks were started and bound, at threads, the compiler of "
    "kernels and their cache, memory, drivers and clocks. Alone it looks at this "
    "process; "
    "under a launcher at every rank, and alike findings are put together. A finding is "
    "ok, "
    "a note, or needs attention: something will fail, or be far slower than it need "
    "be; "
    "then the command ends with 1.\n"
    "\n"
    "What the findings mean is told in docs/devices.md.";

static const char json[] =
    "findings[]{what level ranks why fix}; level is ok, note or attention; ranks is "
    "\"2-3, 7\", or empty for all";

static const cli_example examples[] = {
    {"cairn doctor",              "is this machine in order?"         },
    {"mpirun -n 4 cairn doctor",  "are four ranks, started like this?"},
    {"cairn doctor --threads 16", "and if they had 16 threads?"       },
    {NULL,                        NULL                                },
};

const cli_verb cli_verb_doctor = {
    .name     = "doctor",
    .operands = "",
    .least    = 0,
    .most     = 0,
    .summary  = "What would go wrong here",
    .about    = about,
    .json     = json,
    .examples = examples,
    .options  = (const cli_option_id[]){CLI_DEVICES, CLI_THREADS, CLI_MEMORY,
                                        CLI_GIVE_UP, CLI_OPTIONS},
    .run      = run,
};
