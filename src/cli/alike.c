// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments of all ranks, compared by nothing but a maximum: what is the same everywhere
/// has the same maximum as its negative has.

#include "alike.h"

#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is told first comes first: other options may be why there are other operands. */
enum { VERB, STATUS, OPTIONS, OPERANDS = OPTIONS + CLI_OPTIONS, NUMBERS };

static int verb_number(const cli_verb *verb)
{
    int k = 0;

    while (cli_verb_at(k) && cli_verb_at(k) != verb)
        k++;
    return k;
}

/// 0: not given; 1: given; more: the number that was given, moved out of the way.
static double option_number(const cli_job *job, cli_option_id id)
{
    const char *const text = job->arguments.value[id];
    const char *const name = cli_option_row(id)->value;

    if (!text) return 0;
    if (!name || strcmp(name, "N") != 0 || id == CLI_THREADS) return 1;
    const double number = strtod(text, NULL);

    if (isnan(number)) return 1; /* refused later */
    return number < 0 ? number : number + 2;
}

static void describe(const cli_job *job, cairn_status mine, double number[NUMBERS])
{
    number[STATUS]   = mine;
    number[VERB]     = verb_number(job->verb);
    number[OPERANDS] = job->arguments.operands;
    for (int id = 0; id < CLI_OPTIONS; id++)
        number[OPTIONS + id] = option_number(job, (cli_option_id)id);
}

static cairn_status refuse(cli_job *job, int k)
{
    job->message[0] = '\0'; /* whatever this rank's was */
    if (k >= OPTIONS && k < OPERANDS)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --%s: not the same on all ranks",
                        cli_option_row((cli_option_id)(k - OPTIONS))->name);
    return cli_fail(job, CAIRN_BAD_OPTION, "arguments: %s: not the same on all ranks",
                    k == VERB     ? "the verb"
                    : k == STATUS ? "whether they are right"
                                  : "how many files there are");
}

cairn_status cli_check_alike(cli_job *job, cairn_status mine)
{
    double number[2 * NUMBERS];

    describe(job, mine, number);
    for (int k = 0; k < NUMBERS; k++)
        number[NUMBERS + k] = -number[k];
    CLI_TRY(cairn_context_max(job->context, number, 2 * NUMBERS));
    for (int k = 0; k < NUMBERS; k++)
        if (number[k] != -number[NUMBERS + k]) return refuse(job, k);
    return mine;
}
