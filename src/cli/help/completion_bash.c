// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The script for bash. What it knows is in tables at its end; what it does, before.

#include "cli/arguments/verbs.h"
#include "cli/help/completion_words.h"
#include "cli/help/questions.h"

#include <stdio.h>

/// The constant part. `cur` is the word to complete, `prev` the one before it.
static const char head[] =
    "# Completion of cairn for bash. Written by: cairn --completion bash\n"
    "\n"
    "# _cairn_words WORD...: those that begin like the word to complete.\n"
    "_cairn_words()\n"
    "{\n"
    "    local word\n"
    "    for word; do [[ $word == \"$cur\"* ]] && COMPREPLY+=(\"$word\"); done\n"
    "}\n"
    "\n"
    "# _cairn_files ENDING...: files with these endings (none: all files), and "
    "folders.\n"
    "_cairn_files()\n"
    "{\n"
    "    local file ending\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    while IFS= read -r file; do\n"
    "        if [[ -d $file || $# -eq 0 ]]; then\n"
    "            COMPREPLY+=(\"$file\")\n"
    "            continue\n"
    "        fi\n"
    "        for ending; do\n"
    "            [[ $file == *.\"$ending\" ]] && COMPREPLY+=(\"$file\") && break\n"
    "        done\n"
    "    done < <(compgen -f -- \"$cur\")\n"
    "}\n"
    "\n"
    "# Formats, and files of formats: FILE:NAME. < and > mean something else to a "
    "shell, so\n"
    "# that what takes arguments stays inside quotes: without one, an opening quote "
    "comes\n"
    "# first; with one, two continuations keep readline from closing it behind the <.\n"
    "_cairn_formats()\n"
    "{\n"
    "    local quote=${cur:0:1} name\n"
    "    [[ $quote == [\\'\\\"] ]] || quote=\n"
    "    for name in $_cairn_bare; do\n"
    "        [[ $name == \"${cur#\"$quote\"}\"* ]] && COMPREPLY+=(\"$name\")\n"
    "    done\n"
    "    for name in $_cairn_argued; do\n"
    "        [[ ${name%%<*}'<' == \"${cur#\"$quote\"}\"* ]] || continue\n"
    "        if [[ $quote ]]; then\n"
    "            COMPREPLY+=(\"$name\" \"${name%%<*}<...>\")\n"
    "        else\n"
    "            COMPREPLY+=(\"'${name%%<*}<\")\n"
    "        fi\n"
    "    done\n"
    "    compopt -o nospace 2>/dev/null\n"
    "    [[ ${#COMPREPLY[@]} -gt 0 ]] || _cairn_files\n"
    "}\n"
    "\n"
    "_cairn()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local verb= operand=0 k word\n"
    "    COMPREPLY=()\n"
    "    # --name=VALUE is three words to bash.\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur=\n"
    "    elif [[ $prev == = ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n"
    "    for ((k = 1; k < COMP_CWORD; k++)); do\n"
    "        word=${COMP_WORDS[k]}\n"
    "        if [[ $word == -* ]]; then\n"
    "            if [[ ${COMP_WORDS[k+1]} == = ]]; then\n"
    "                ((k += 2))\n"
    "            elif _cairn_takes_value \"$word\"; then\n"
    "                ((k++))\n"
    "            fi\n"
    "        elif [[ -z $verb ]]; then\n"
    "            verb=$word\n"
    "        else\n"
    "            ((operand++))\n"
    "        fi\n"
    "    done\n"
    "    if [[ -z $verb ]]; then\n"
    "        _cairn_question\n"
    "    elif _cairn_takes_value \"$prev\"; then\n"
    "        _cairn_value \"$verb\" \"$prev\"\n"
    "    elif [[ $cur == -* ]]; then\n"
    "        _cairn_options \"$verb\"\n"
    "    else\n"
    "        _cairn_operand \"$verb\" \"$operand\"\n"
    "    fi\n"
    "}\n"
    "\n";

static const char tail[] = "complete -F _cairn cairn\n";

/// The calls that offer what a value may be.
static void print_values(const cli_values *values)
{
    if (values->formats) printf(" _cairn_formats;");
    if (*values->words) printf(" _cairn_words %s;", values->words);
    if (values->files)
        printf(" _cairn_files%s%s;", *values->endings ? " " : "", values->endings);
}

/// What -o may be, which depends on the verb.
static void print_outputs(const cli_lists *lists)
{
    const cli_verb *verb;
    cli_values      values;

    for (int k = 0; (verb = cli_verb_at(k)); k++) {
        if (!verb->writes) continue;
        cli_option_values(lists, verb, cli_option_row(CLI_OUTPUT)->value, &values);
        printf("    %s:--output | %s:-o)", verb->name, verb->name);
        print_values(&values);
        printf(" ;;\n");
    }
}

static void print_option_values(const cli_lists *lists)
{
    printf("_cairn_takes_value()\n{\n    case $1 in\n    -o");
    for (int k = 0; k < CLI_OPTIONS; k++)
        if (cli_option_row((cli_option_id)k)->value)
            printf(" | --%s", cli_option_row((cli_option_id)k)->name);
    printf(") return 0 ;;\n    esac\n    return 1\n}\n\n");
    printf("_cairn_value()\n{\n    case $1:$2 in\n");
    for (int k = 0; k < CLI_OPTIONS; k++) {
        const cli_option *option = cli_option_row((cli_option_id)k);
        cli_values        values;

        if (!option->value || k == CLI_OUTPUT) continue;
        cli_option_values(lists, NULL, option->value, &values);
        printf("    *:--%s)", option->name);
        print_values(&values);
        printf(" : ;;\n");
    }
    print_outputs(lists);
    printf("    esac\n}\n\n");
}

static void print_questions(void)
{
    const cli_verb *verb;

    printf("_cairn_question()\n{\n    case $prev in\n"
           "    --completion) _cairn_words bash zsh fish ;;\n    --man) _cairn_words "
           "cairn formats");
    for (int k = 0; (verb = cli_verb_at(k)); k++)
        printf(" %s", verb->name);
    printf(" ;;\n    *) _cairn_words");
    for (int k = 0; (verb = cli_verb_at(k)); k++)
        printf(" %s", verb->name);
    printf("\n       [[ $cur == -* ]] && _cairn_words");
    for (int k = 0; cli_question_at(k); k++)
        printf(" %s", cli_question_at(k)->word);
    printf(" --mpi ;;\n    esac\n}\n\n");
}

static void print_options(void)
{
    const cli_verb *verb;
    cli_option_id   id;

    printf("_cairn_options()\n{\n    case $1 in\n");
    for (int k = 0; (verb = cli_verb_at(k)); k++) {
        printf("    %s) _cairn_words", verb->name);
        for (int o = 0; (id = cli_verb_option(verb, o)) != CLI_OPTIONS; o++)
            printf(" --%s", cli_option_row(id)->name);
        printf(" ;;\n");
    }
    printf("    esac\n}\n\n");
}

static void print_operands(void)
{
    const cli_verb *verb;
    cli_values      values;

    printf("_cairn_operand()\n{\n    case $1,$2 in\n");
    for (int k = 0; (verb = cli_verb_at(k)); k++)
        for (int n = 0; cli_operand_values(verb, n, &values); n++) {
            printf("    %s,%d)", verb->name, n);
            print_values(&values);
            printf(" : ;;\n");
        }
    printf("    esac\n}\n\n");
}

void cli_completion_bash(const cli_lists *lists)
{
    fputs(head, stdout);
    printf("_cairn_bare='%s'\n_cairn_argued='%s'\n\n", lists->bare, lists->argued);
    print_questions();
    print_option_values(lists);
    print_options();
    print_operands();
    fputs(tail, stdout);
}
