// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments into texts: which option, which value, which operands.

#include "cli/arguments/options.h"

#include "cli/arguments/job.h"
#include "cli/arguments/verbs.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cli_option table[CLI_OPTIONS] = {
#define X(id, name, value, standard, help) {name, value, standard, help},
    CLI_OPTION_MAP(X)
#undef X
};

const cli_option *cli_option_row(cli_option_id id)
{
    return &table[id];
}

static bool takes(const cli_verb *verb, cli_option_id wanted)
{
    cli_option_id id;

    for (int k = 0; (id = cli_verb_option(verb, k)) != CLI_OPTIONS; k++)
        if (id == wanted) return true;
    return false;
}

/// An option of other verbs, which are named.
static cairn_status not_taken(cli_job *job, const char *word, cli_option_id id)
{
    char            others[256] = "";
    int             count       = 0;
    size_t          length      = 0;
    const cli_verb *verb;

    for (int k = 0; (verb = cli_verb_at(k)) && length < sizeof others; k++)
        if (takes(verb, id))
            length += (size_t)snprintf(others + length, sizeof others - length, "%s%s",
                                       count++ ? ", " : "", verb->name);
    return cli_fail(job, CAIRN_BAD_OPTION, "option: %s: %s does not take it; %s %s",
                    word, job->verb->name, others, count == 1 ? "does" : "do");
}

static cairn_status unknown(cli_job *job, const char *word)
{
    const char   *names[CLI_OPTIONS + 1];
    int           count = 0;
    cli_option_id id;

    while ((id = cli_verb_option(job->verb, count)) != CLI_OPTIONS)
        names[count++] = table[id].name;
    names[count]        = NULL;
    const char *name    = word + strspn(word, "-");
    const char *nearest = cairn_nearest_name(name, names);

    for (int k = 0; k < CLI_OPTIONS && word[1] == '-'; k++)
        if (strcmp(table[k].name, name) == 0)
            return not_taken(job, word, (cli_option_id)k);
    if (nearest)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: %s: no such option; did you mean --%s?", word,
                        nearest);
    return cli_fail(job, CAIRN_BAD_OPTION,
                    "option: %s: no such option (cairn %s --help lists them)", word,
                    job->verb->name);
}

/// An option without its value, for messages: "--itres=3" is about "--itres".
static cairn_status unknown_part(cli_job *job, const char *word, size_t length)
{
    char name[256];

    if (length >= sizeof name) length = sizeof name - 1;
    memcpy(name, word, length);
    name[length] = '\0';
    return unknown(job, name);
}

/// Values that getopt_long returns: an option's id, after all characters.
enum { FIRST_ID = 256 };

/// The verb's options as getopt_long wants them.
static void list_options(const cli_verb *verb, struct option *options)
{
    cli_option_id id;
    int           k = 0;

    for (; (id = cli_verb_option(verb, k)) != CLI_OPTIONS; k++)
        options[k] = (struct option){table[id].name,
                                     table[id].value ? required_argument : no_argument,
                                     NULL, FIRST_ID + (int)id};
    options[k] = (struct option){NULL, 0, NULL, 0};
}

static cli_option_id id_of(int returned)
{
    return returned == 'o' ? CLI_OUTPUT : (cli_option_id)(returned - FIRST_ID);
}

static cairn_status needs_value(cli_job *job, const cli_option *option)
{
    return cli_fail(job, CAIRN_BAD_OPTION, "option: --%s: needs a value, %s",
                    option->name, option->value);
}

/// What getopt_long could not read: optopt says why.
static cairn_status refuse(cli_job *job, int returned, const char *word)
{
    const cli_option *option =
        optopt == 'o' || optopt >= FIRST_ID ? &table[id_of(optopt)] : NULL;

    if (returned == ':') return needs_value(job, option);
    if (option)
        return cli_fail(job, CAIRN_BAD_OPTION, "option: --%s: takes no value",
                        option->name);
    return unknown_part(job, word, strcspn(word, "="));
}

/// The word of the option just read: before its value, if that is a word of its own.
static const char *word_of(char *const *words)
{
    return optarg && optarg == words[optind - 1] ? words[optind - 2]
                                                 : words[optind - 1];
}

static cairn_status take_option(cli_job *job, int returned, const char *word)
{
    const cli_option_id id     = id_of(returned);
    const size_t        length = strcspn(word, "=");

    /* Prefixes of names, which getopt_long takes, are no names here. */
    if (returned >= FIRST_ID && length != strlen(table[id].name) + strlen("--"))
        return unknown_part(job, word, length);
    /* A forgotten value must not swallow the next option. */
    if (optarg && !word[length] && strncmp(optarg, "--", 2) == 0)
        return needs_value(job, &table[id]);
    if (optarg && !*optarg) return needs_value(job, &table[id]);
    if (job->arguments.value[id])
        return cli_fail(job, CAIRN_BAD_OPTION, "option: --%s: given twice",
                        table[id].name);
    job->arguments.value[id] = optarg ? optarg : "";
    return CAIRN_OK;
}

static cairn_status read_options(cli_job *job, int count, char **words)
{
    struct option options[CLI_OPTIONS + 1];
    int           returned;

    list_options(job->verb, options);
    opterr = 0;
    optind = 0; /* 0, not 1: glibc starts over */
    while ((returned = getopt_long(count, words, ":o:", options, NULL)) != -1) {
        if (returned == '?' || returned == ':')
            return refuse(job, returned, words[optind > 1 ? optind - 1 : 1]);
        if (returned == 'o' && !takes(job->verb, CLI_OUTPUT))
            return unknown_part(job, "-o", 2);
        CLI_TRY(take_option(job, returned, word_of(words)));
    }
    return CAIRN_OK;
}

/// What an operand that is empty should have been: its word in the usage.
static cairn_status refuse_empty(cli_job *job)
{
    const char *name = job->verb->operands;

    for (int k = job->arguments.operands; k > 0 && strchr(name, ' '); k--)
        name = strchr(name, ' ') + 1;
    return cli_fail(
        job, CAIRN_BAD_OPTION, "operand: %.*s: is empty; usage: cairn %s %s",
        (int)strcspn(name, " "), name, job->verb->name, job->verb->operands);
}

static cairn_status push_operand(cli_job *job, const char *word)
{
    cli_arguments *arguments = &job->arguments;

    if (!*word && arguments->operands < job->verb->most) return refuse_empty(job);
    if (arguments->operands == job->verb->most)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "operand: %s: one too many; usage: cairn %s %s", word,
                        job->verb->name, job->verb->operands);
    arguments->operand[arguments->operands++] = word;
    return CAIRN_OK;
}

static cairn_status check_operands(cli_job *job)
{
    if (job->arguments.operands >= job->verb->least) return CAIRN_OK;
    return cli_fail(job, CAIRN_BAD_OPTION, "operand: %s: missing; usage: cairn %s %s",
                    job->verb->name, job->verb->name, job->verb->operands);
}

cairn_status cli_arguments_read(cli_job *job, int count, char *const *words)
{
    char **copy = calloc((size_t)count + 2, sizeof *copy); /* getopt_long reorders */

    if (!copy)
        return cli_fail(job, CAIRN_NO_MEMORY, "memory: arguments: out of memory");
    copy[0] = (char *)"cairn";
    for (int k = 0; k < count; k++)
        copy[k + 1] = words[k];
    cairn_status status = read_options(job, count + 1, copy);

    for (int k = optind; k <= count && status == CAIRN_OK; k++)
        status = push_operand(job, copy[k]);
    free(copy);
    return status == CAIRN_OK ? check_operands(job) : status;
}
