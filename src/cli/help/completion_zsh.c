// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The script for zsh: one function a verb, whose options are specifications of
/// _arguments.

#include "cli/arguments/verbs.h"
#include "cli/help/completion_words.h"
#include "cli/help/questions.h"

#include <stdio.h>
#include <string.h>

static const char head[] =
    "#compdef cairn\n"
    "# Completion of cairn for zsh. Written by: cairn --completion zsh\n"
    "\n"
    "# Formats, and files of formats: FILE:NAME. < and > mean something else to the "
    "shell:\n"
    "# what takes arguments comes behind an opening quote, which stays open.\n"
    "_cairn_formats()\n"
    "{\n"
    "    local -a argued=(${${=_cairn_argued}%%<*})\n"
    "    compadd -- ${=_cairn_bare}\n"
    "    if [[ -n $compstate[quote] ]]; then\n"
    "        compadd -S '' -- ${^argued}'<'\n"
    "    else\n"
    "        compadd -Q -P \"'\" -S '' -- ${^argued}'<'\n"
    "    fi\n"
    "    _files\n"
    "}\n"
    "\n";

static const char tail[] =
    "_cairn()\n"
    "{\n"
    "    local context state state_descr line\n"
    "    typeset -A opt_args\n"
    "    _arguments -C '1: :_cairn_verbs' '*:: :->operands'\n"
    "    [[ $state == operands ]] || return 0\n"
    "    (( $+functions[_cairn_verb_$line[1]] )) && _cairn_verb_$line[1]\n"
    "}\n"
    "\n"
    "# Found in fpath, the file is the function; sourced, it names the function.\n"
    "if [[ $funcstack[1] == _cairn ]]; then\n"
    "    _cairn \"$@\"\n"
    "else\n"
    "    compdef _cairn cairn\n"
    "fi\n";

/// Help inside '...[...]...': quotes and brackets would end it.
static void print_help(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

/// An action of _arguments; where there are several things, _alternative.
static void print_action(const cli_values *values)
{
    const int kinds = values->formats + values->files + (*values->words ? 1 : 0);

    if (kinds == 0) putchar(' ');
    if (kinds > 1) printf("_alternative ");
    if (values->formats) printf("_cairn_formats");
    if (*values->words && kinds > 1) printf("\"words\\:word\\:(%s)\" ", values->words);
    if (*values->words && kinds == 1) printf("(%s)", values->words);
    if (!values->files) return;
    if (kinds > 1) printf("\"files\\:file\\:_files\"");
    if (kinds > 1) return;
    printf("_files");
    if (!*values->endings) return;
    printf(" -g \"*.(");
    for (const char *c = values->endings; *c; c++)
        putchar(*c == ' ' ? '|' : *c);
    printf(")(-.)\"");
}

static void print_option(const cli_lists *lists, const cli_verb *verb, cli_option_id id)
{
    const cli_option *option = cli_option_row(id);
    cli_values        values;

    if (id == CLI_OUTPUT)
        printf(" \\\n        '(-o --output)'{-o,--output=}'[");
    else
        printf(" \\\n        '--%s%s[", option->name, option->value ? "=" : "");
    print_help(option->help);
    putchar(']');
    if (option->value) {
        cli_option_values(lists, verb, option->value, &values);
        printf(":%s:", option->value);
        print_action(&values);
    }
    putchar('\'');
}

static void print_verb(const cli_lists *lists, const cli_verb *verb)
{
    cli_option_id id;
    cli_values    values;

    printf("_cairn_verb_%s()\n{\n    _arguments", verb->name);
    for (int k = 0; (id = cli_verb_option(verb, k)) != CLI_OPTIONS; k++)
        print_option(lists, verb, id);
    for (int n = 0; cli_operand_values(verb, n, &values); n++) {
        printf(" \\\n        '%d:operand:", n + 1);
        print_action(&values);
        putchar('\'');
    }
    printf("\n}\n\n");
}

static void print_verbs(void)
{
    const cli_verb *verb;

    printf("_cairn_verbs()\n{\n    local -a verbs questions\n    verbs=(");
    for (int k = 0; (verb = cli_verb_at(k)); k++) {
        printf("\n        '%s:", verb->name);
        print_help(verb->summary);
        putchar('\'');
    }
    printf("\n    )\n    questions=(");
    for (int k = 0; cli_question_at(k); k++) {
        printf("\n        '%s:", cli_question_at(k)->word);
        print_help(cli_question_at(k)->help);
        putchar('\'');
    }
    printf(
        "\n    )\n    _describe verb verbs\n    _describe question questions\n}\n\n");
}

void cli_completion_zsh(const cli_lists *lists)
{
    const cli_verb *verb;

    fputs(head, stdout);
    printf("typeset -g _cairn_bare='%s'\ntypeset -g _cairn_argued='%s'\n\n",
           lists->bare, lists->argued);
    print_verbs();
    for (int k = 0; (verb = cli_verb_at(k)); k++)
        print_verb(lists, verb);
    fputs(tail, stdout);
}
