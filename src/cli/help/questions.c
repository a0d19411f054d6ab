// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The table of questions.

#include "cli/help/questions.h"

#include "cli/help/completion.h"
#include "cli/help/help.h"
#include "cli/help/man.h"

#include <stdio.h>
#include <string.h>

static cairn_status help(cli_job *job, const char *operand)
{
    (void)job;
    (void)operand;
    cli_help();
    return CAIRN_OK;
}

static cairn_status version(cli_job *job, const char *operand)
{
    (void)job;
    (void)operand;
    printf("cairn %s\n", cairn_version());
    return CAIRN_OK;
}

static cairn_status variables(cli_job *job, const char *operand)
{
    (void)job;
    (void)operand;
    cli_help_variables();
    return CAIRN_OK;
}

static const cli_question questions[] = {
    {"--help",       "--help",             "show this text; after a verb, its own",                  help     },
    {"--version",    "--version",          "the version",                                            version  },
    {"--options",    "--options",          "the CAIRN_* variables",                                  variables},
    {"--man",        "--man [PAGE]",       "a manual page (cairn, a verb, formats) as man reads it",
     cli_man                                                                                                  },
    {"--completion", "--completion SHELL", "what bash, zsh or fish completes words by",
     cli_completion                                                                                           },
};

enum { QUESTIONS = sizeof questions / sizeof questions[0] };

const cli_question *cli_question_at(int k)
{
    return k < QUESTIONS ? &questions[k] : NULL;
}

const cli_question *cli_question_find(const char *word)
{
    if (strcmp(word, "-h") == 0) word = "--help";
    for (int k = 0; k < QUESTIONS; k++)
        if (strcmp(word, questions[k].word) == 0) return &questions[k];
    return NULL;
}
