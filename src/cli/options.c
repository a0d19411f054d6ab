// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments into texts: which option, which value, which operands.

#include "options.h"

#include "job.h"
#include "verbs.h"

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

/// Find the option called by the first @p length bytes of @p word; CLI_OPTIONS: none.
static cli_option_id find(const cli_verb *verb, const char *word, size_t length)
{
    cli_option_id id;

    for (int k = 0; (id = cli_verb_option(verb, k)) != CLI_OPTIONS; k++) {
        const char *name = table[id].name;

        if (strlen(name) == length && strncmp(name, word, length) == 0) break;
    }
    return id;
}

/// Find an option as it is written: "-o", "--iters", "--iters=3".
static cli_option_id find_word(const cli_verb *verb, const char *word, size_t length)
{
    if (strcmp(word, "-o") == 0) return find(verb, "output", strlen("output"));
    return word[1] == '-' ? find(verb, word + 2, length - 2) : CLI_OPTIONS;
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
            return cli_fail(job, CAIRN_BAD_OPTION, "option: %s: %s does not take it",
                            word, job->verb->name);
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

/// Read the option at words[0]; @p used gets how many words it took.
static cairn_status read_option(cli_job *job, int count, char *const *words, int *used)
{
    const char         *word   = words[0];
    const size_t        length = strcspn(word, "=");
    const cli_option_id id     = find_word(job->verb, word, length);
    const char         *value  = word[length] ? word + length + 1 : NULL;

    *used = 1;
    if (id == CLI_OPTIONS) return unknown_part(job, word, length);
    if (!table[id].value && value)
        return cli_fail(job, CAIRN_BAD_OPTION, "option: --%s: takes no value",
                        table[id].name);
    if (!table[id].value) value = "";
    if (!value && count > 1 && strncmp(words[1], "--", 2) != 0) {
        value = words[1];
        *used = 2;
    }
    if (!value)
        return cli_fail(job, CAIRN_BAD_OPTION, "option: %s: needs a value, %s", word,
                        table[id].value);
    job->arguments.value[id] = value;
    return CAIRN_OK;
}

static cairn_status push_operand(cli_job *job, const char *word)
{
    cli_arguments *arguments = &job->arguments;

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
    bool options = true;
    int  used;

    for (int k = 0; k < count; k += used) {
        const char *word = words[k];

        used = 1;
        if (options && strcmp(word, "--") == 0)
            options = false;
        else if (options && word[0] == '-' && word[1])
            CLI_TRY(read_option(job, count - k, words + k, &used));
        else
            CLI_TRY(push_operand(job, word));
    }
    return check_operands(job);
}
