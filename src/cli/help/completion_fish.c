// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The script for fish: one `complete` a word. Files are what fish offers by itself.

#include "cli/arguments/verbs.h"
#include "cli/help/completion_words.h"
#include "cli/help/questions.h"

#include <stdio.h>

/// Text inside '...'.
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

/// Names with parameters come whole, to be replaced by arguments: fish escapes < and >
/// of what it inserts, but not of what is typed behind.
static void print_formats(const cli_lists *lists)
{
    printf("set -g __cairn_formats %s '", lists->bare);
    for (const char *c = lists->argued; *c; c++)
        printf(*c == ' ' ? "' '" : "%c", *c);
    printf("'\n");
}

static void print_option(const cli_lists *lists, const cli_verb *verb, cli_option_id id)
{
    const cli_option *option = cli_option_row(id);
    cli_values        values;

    printf("complete -c cairn -n '__fish_seen_subcommand_from %s' -l %s", verb->name,
           option->name);
    if (id == CLI_OUTPUT) printf(" -s o");
    if (option->value) {
        cli_option_values(lists, verb, option->value, &values);
        printf(values.files || values.formats ? " -r" : " -x");
        if (values.formats) printf(" -a '$__cairn_formats'");
        if (*values.words) printf(" -a '%s'", values.words);
    }
    printf(" -d ");
    print_quoted(option->help);
    putchar('\n');
}

static void print_verb(const cli_lists *lists, const cli_verb *verb)
{
    cli_option_id id;
    cli_values    values;

    printf("complete -c cairn -n __fish_use_subcommand -f -a %s -d ", verb->name);
    print_quoted(verb->summary);
    putchar('\n');
    for (int k = 0; (id = cli_verb_option(verb, k)) != CLI_OPTIONS; k++)
        print_option(lists, verb, id);
    if (!cli_operand_values(verb, 0, &values)) return;
    if (values.formats || *values.words)
        printf("complete -c cairn -n '__fish_seen_subcommand_from %s' -a '%s'\n",
               verb->name, values.formats ? "$__cairn_formats" : values.words);
}

void cli_completion_fish(const cli_lists *lists)
{
    const cli_verb *verb;

    printf("# Completion of cairn for fish. Written by: cairn --completion fish\n");
    print_formats(lists);
    for (int k = 0; cli_question_at(k); k++) {
        printf("complete -c cairn -n __fish_use_subcommand -l %s -d ",
               cli_question_at(k)->word + 2);
        print_quoted(cli_question_at(k)->help);
        putchar('\n');
    }
    for (int k = 0; (verb = cli_verb_at(k)); k++)
        print_verb(lists, verb);
}
