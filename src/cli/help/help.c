// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Pages for a terminal.

#include "cli/help/help.h"

#include "cli/help/pages.h"
#include "cli/output/words.h"

#include <stdio.h>
#include <string.h>

#define TERM    24 ///< Column at which the text of a row begins.
#define MEANING 58 ///< Column at which that of an example does.

static void paragraph(const char *text)
{
    cli_paragraph out;

    printf("\n");
    cli_paragraph_begin(&out, 0, 0);
    cli_paragraph_text(&out, text);
    cli_paragraph_end(&out);
}

/// Go to column @p to, on a new line if @p at is beyond it.
static void go_to(int at, int to)
{
    if (at >= to)
        printf("\n%*s", to, "");
    else
        printf("%*s", to - at, "");
}

static void row(const char *term, const char *text)
{
    cli_paragraph out;

    go_to(printf("  %s", term), TERM);
    cli_paragraph_begin(&out, TERM, TERM);
    cli_paragraph_text(&out, text);
    cli_paragraph_end(&out);
}

static void example(const char *command, const char *meaning)
{
    const int  at  = printf("  %s", command);
    const bool fit = at < MEANING && MEANING + (int)strlen(meaning) <= CLI_COLUMNS;

    go_to(at, fit ? MEANING : (int)strlen("  cairn "));
    printf("%s\n", meaning);
}

static const cli_writer writer = {paragraph, row, example};

void cli_help(void)
{
    printf("cairn %s\n", cairn_version());
    cli_page_cairn(&writer);
    printf("\nusage: cairn VERB ... [options]      cairn VERB --help\n\nverbs:\n");
    cli_page_verbs(&writer);
    printf("\na worked example:\n");
    cli_page_path(&writer);
    cli_page_formats(&writer);
    printf("\ninstead of a verb:\n");
    cli_page_questions(&writer);
    printf("\nexit status:\n");
    cli_page_statuses(&writer);
}

/// "JSON: " and the fields.
static void print_json(const cli_verb *verb)
{
    cli_paragraph out;

    printf("\nJSON: ");
    cli_paragraph_begin(&out, (int)strlen("JSON: "), 0);
    cli_paragraph_text(&out, verb->json);
    cli_paragraph_end(&out);
}

void cli_help_verb(const cli_verb *verb)
{
    printf("usage: cairn %s%s%s [options]\n\n%s.\n", verb->name,
           *verb->operands ? " " : "", verb->operands, verb->summary);
    cli_page_about(&writer, verb);
    if (verb->word) printf("\n%s, one of:\n", verb->words);
    cli_page_words(&writer, verb);
    printf("\noptions [default]:\n");
    cli_page_options(&writer, verb);
    print_json(verb);
    printf("\nexamples:\n");
    cli_page_examples(&writer, verb);
}

void cli_help_variables(void)
{
    for (int k = 0; cairn_option_name(k); k++)
        printf("%-21s %s [%s]\n", cairn_option_name(k), cairn_option_help(k),
               cairn_option_default(k));
}
