// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments of all ranks, compared by nothing but a maximum: what is the same everywhere
/// has the same maximum as its negative has. Texts are compared by their hashes.

#include "cli/ranks/alike.h"

#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"

#include <stdint.h>
#include <string.h>

/* What is told first comes first: other options may be why there are other operands. */
enum { VERB, STATUS, OPTIONS, OPERANDS = OPTIONS + CLI_OPTIONS, WORD, NUMBERS };

/// How much of an argument must be the same.
typedef enum {
    WHOLE,  ///< All of its text.
    GIVEN,  ///< Only that it is there: a rank's own file, memory, threads, devices.
    SPEC,   ///< A format's text, or its name in a file whose own name may differ.
    CHOICE, ///< One of the words of --x, or that it is a file.
    ENDING, ///< That of a file's name, which says what kind of file is written.
} part;

static const part parts[CLI_OPTIONS] = {
    [CLI_JSON] = GIVEN,     [CLI_SPY] = GIVEN,        [CLI_CANDIDATES] = GIVEN,
    [CLI_OUT] = GIVEN,      [CLI_PLAN] = GIVEN,       [CLI_PLAN_OUT] = GIVEN,
    [CLI_TRACE] = GIVEN,    [CLI_PLACE] = GIVEN,      [CLI_DEVICES] = GIVEN,
    [CLI_MEMORY] = GIVEN,   [CLI_THREADS] = GIVEN,    [CLI_GIVE_UP] = GIVEN,
    [CLI_FORMAT] = SPEC,    [CLI_TO] = SPEC,          [CLI_PATH] = SPEC,
    [CLI_OUTPUT] = ENDING,  [CLI_X] = CHOICE,         [CLI_RHS] = CHOICE,
    [CLI_PICTURE] = GIVEN,  [CLI_CHECKPOINT] = GIVEN, [CLI_RESTART] = GIVEN,
    [CLI_SWITCH_TO] = SPEC,
};

static int verb_number(const cli_verb *verb)
{
    int k = 0;

    while (cli_verb_at(k) && cli_verb_at(k) != verb)
        k++;
    return k;
}

/// Where the part of an argument begins that must be the same; "": nothing of it.
static const char *compared(part which, const char *text)
{
    const char *from = text;

    switch (which) {
    case WHOLE: return text;
    case GIVEN: return "";
    case SPEC: /* FILE:NAME<...> from its colon on */
        for (const char *c = text; *c && *c != '<'; c++)
            if (*c == ':') from = c;
        return from;
    case CHOICE:
        for (int k = 0; cli_xs.now[k]; k++)
            if (strcmp(cli_xs.now[k], text) == 0) return text;
        return "";
    case ENDING: from = strrchr(text, '.'); return from ? from : "";
    }
    return text;
}

/// 0: not given; else 1 and the hash of what must be the same (FNV-1a), as a double has
/// it without a loss.
static double argument_number(part which, const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    if (!text) return 0;
    for (const char *c = compared(which, text); *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    return 1 + (double)(hash >> 12);
}

/// A first operand that is no file; NULL: there is none.
static const char *first_word(const cli_job *job)
{
    const bool file = !job->verb || strncmp(job->verb->operands, "FILE", 4) == 0;

    return file || job->arguments.operands == 0 ? NULL : job->arguments.operand[0];
}

static void describe(const cli_job *job, cairn_status mine, double number[NUMBERS])
{
    number[STATUS]   = mine;
    number[VERB]     = verb_number(job->verb);
    number[OPERANDS] = job->arguments.operands;
    number[WORD]     = argument_number(SPEC, first_word(job));
    for (int id = 0; id < CLI_OPTIONS; id++)
        number[OPTIONS + id] = argument_number(parts[id], job->arguments.value[id]);
}

static cairn_status refuse(cli_job *job, int k)
{
    job->message[0] = '\0'; /* whatever this rank's was */
    if (k >= OPTIONS && k < OPERANDS)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --%s: not the same on all ranks",
                        cli_option_row((cli_option_id)(k - OPTIONS))->name);
    if (k == WORD)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "operand: %.*s: not the same on all ranks",
                        (int)strcspn(job->verb->operands, " "), job->verb->operands);
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
