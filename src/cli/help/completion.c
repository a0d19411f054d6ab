// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What words may stand where.

#include "cli/help/completion.h"

#include "cli/arguments/values.h"
#include "cli/help/completion_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void add_word(char *list, size_t size, const char *word)
{
    const size_t n = strlen(list);

    snprintf(list + n, size - n, "%s%s", n ? " " : "", word);
}

static void add_choices(cli_values *values, const cli_choices *choices)
{
    for (int k = 0; choices->now[k]; k++)
        add_word(values->words, sizeof values->words, choices->now[k]);
}

/// Endings without their dots.
static void add_endings(char endings[128], const char *dotted)
{
    size_t n = 0;

    for (const char *c = dotted; *c && n < 127; c++)
        if (*c != '.') endings[n++] = *c;
    endings[n] = '\0';
}

void cli_option_values(const cli_lists *lists,
                       const cli_verb  *verb,
                       const char      *value,
                       cli_values      *values)
{
    static const struct {
        const char        *value;
        bool               formats, files;
        const char        *endings;
        const cli_choices *choices;
    } rows[] = {
        {"SPEC", true,  false, NULL,  NULL              },
        {"SRC",  true,  false, NULL,  NULL              },
        {"FILE", false, true,  NULL,  NULL              },
        {"DIR",  false, true,  NULL,  NULL              },
        {"PNG",  false, true,  "png", NULL              },
        {"OUT",  false, true,  NULL,  NULL              },
        {"WHAT", false, true,  "mtx", &cli_xs           },
        {"TYPE", false, false, NULL,  &cli_dtypes       },
        {"KIND", false, false, NULL,  &cli_targets      },
        {"HOW",  false, false, NULL,  &cli_distributions},
    };

    *values = (cli_values){.formats = false};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (strcmp(rows[k].value, value) != 0) continue;
        values->formats = rows[k].formats;
        values->files   = rows[k].files;
        if (rows[k].endings) add_endings(values->endings, rows[k].endings);
        if (rows[k].choices) add_choices(values, rows[k].choices);
    }
    if (strcmp(value, "OUT") == 0 && verb && verb->writes)
        add_endings(values->endings, verb->writes);
    if (strcmp(value, "LIST") == 0)
        snprintf(values->words, sizeof values->words, "%s", lists->devices);
}

/// The k-th word of usage that stands for an operand, without brackets: an option of
/// usage ("-o OUT") is none.
static bool operand_name(const cli_verb *verb, int k, char name[32])
{
    const char *text = verb->operands;

    while (*text) {
        const size_t length = strcspn(text, " ");
        const bool   option = text[0] == '-';
        const char  *begin  = text + (*text == '[');
        const size_t word   = strspn(begin, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

        if (!option && k-- == 0) {
            snprintf(name, 32, "%.*s", (int)word, begin);
            return true;
        }
        text += length;
        text += strspn(text, " ");
        if (option) text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    return false;
}

bool cli_operand_values(const cli_verb *verb, int k, cli_values *values)
{
    static const cli_lists none;
    char                   name[32];
    cli_word_row           row;

    if (!operand_name(verb, k, name)) return false;
    cli_option_values(&none, verb, name, values);
    for (int w = 0; k == 0 && verb->word && verb->word(w, &row); w++)
        add_word(values->words, sizeof values->words, row.name);
    return true;
}

static void collect_devices(cli_lists *lists)
{
    add_word(lists->devices, sizeof lists->devices, "auto");
    for (int k = 0; cairn_device_kind_name(k); k++)
        add_word(lists->devices, sizeof lists->devices, cairn_device_kind_name(k));
}

/// The name of a definition with the parameters that have no default:
/// "hybrid<f,g>" of "#hybrid<f,g,t=0.5,cap=1> = ...".
static void add_with_parameters(char *list, const char *definition)
{
    char         name[128];
    const char  *open     = strchr(definition, '<');
    const size_t length   = strcspn(definition, ">") + 1;
    const char  *standard = memchr(open, '=', length - (size_t)(open - definition));

    if (standard)
        while (*--standard != ',')
            ;
    snprintf(name, sizeof name, "%.*s%s",
             (int)(standard ? standard - definition : (long)length) - 1, definition + 1,
             standard ? ">" : "");
    add_word(list, CLI_LIST, name);
}

/// The catalogue, parted by whether a bare name is a format.
static cairn_status collect_formats(cli_job *job, cli_lists *lists)
{
    const char *next;

    for (int k = 0; (next = cairn_catalogue_name(job->context, k)); k++) {
        char name[64], *text = NULL;
        int  missing;

        snprintf(name, sizeof name, "%s", next);
        CLI_TRY(cairn_catalogue_definition(job->context, name, &text, &missing));
        if (missing)
            add_with_parameters(lists->argued, text);
        else
            add_word(lists->bare, CLI_LIST, name);
        cairn_text_free(job->context, &text);
    }
    return CAIRN_OK;
}

cairn_status cli_completion(cli_job *job, const char *shell)
{
    static const char *const shells[]               = {"bash", "zsh", "fish", NULL};
    static void (*const write[])(const cli_lists *) = {
        cli_completion_bash, cli_completion_zsh, cli_completion_fish};
    cli_lists lists = {.bare = ""};
    int       which;

    if (!shell)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --completion: which shell? (bash, zsh, fish)");
    CLI_TRY(cli_choose(job, "--completion", shell,
                       &(cli_choices){"shell", shells, NULL}, &which));
    CLI_TRY(cairn_context_create(&job->context));
    CLI_TRY(collect_formats(job, &lists));
    collect_devices(&lists);
    write[which](&lists);
    return CAIRN_OK;
}
