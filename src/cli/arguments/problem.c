// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parameters of test problems, out of options and out of words.

#include "cli/arguments/problem.h"

#include "cli/arguments/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARAMETERS 3

/// What each kind takes; everything is required. The library has the kinds and checks
/// the values; this table is about which option belongs where.
static const struct {
    const char   *kind;
    cli_option_id takes[MOST_PARAMETERS + 1]; ///< Ended by CLI_OPTIONS.
    cli_option_id grows; ///< The extent that is the slowest to change along the rows.
} kinds[] = {
    {"stencil5",  {CLI_NX, CLI_NY, CLI_OPTIONS},                  CLI_NY   },
    {"stencil7",  {CLI_NX, CLI_NY, CLI_NZ, CLI_OPTIONS},          CLI_NZ   },
    {"stencil27", {CLI_NX, CLI_NY, CLI_NZ, CLI_OPTIONS},          CLI_NZ   },
    {"banded",    {CLI_N, CLI_OFFSETS, CLI_OPTIONS},              CLI_N    },
    {"fem3",      {CLI_N, CLI_DEGREE, CLI_OPTIONS},               CLI_N    },
    {"rmat",      {CLI_SCALE, CLI_EDGES, CLI_OPTIONS},            CLI_EDGES},
    {"uniform",   {CLI_N, CLI_DEGREE, CLI_OPTIONS},               CLI_N    },
    {"tridiag",   {CLI_N, CLI_OPTIONS},                           CLI_N    },
    {"pruned",    {CLI_ROWS, CLI_COLS, CLI_DENSITY, CLI_OPTIONS}, CLI_ROWS },
    {"mixed",     {CLI_N, CLI_DEGREE, CLI_OPTIONS},               CLI_N    },
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/// All options that describe a problem, of whatever kind.
static const cli_option_id parameters[] = {
    CLI_NX,    CLI_NY,    CLI_NZ,   CLI_N,    CLI_OFFSETS, CLI_DEGREE,
    CLI_SCALE, CLI_EDGES, CLI_ROWS, CLI_COLS, CLI_DENSITY, CLI_OPTIONS,
};

static bool takes(int kind, cli_option_id id)
{
    for (const cli_option_id *t = kinds[kind].takes; *t != CLI_OPTIONS; t++)
        if (*t == id) return true;
    return false;
}

/// Every parameter of the kind, and no other.
static cairn_status check_given(cli_job *job, int kind)
{
    for (const cli_option_id *id = parameters; *id != CLI_OPTIONS; id++) {
        const char *name = cli_option_row(*id)->name;

        if (takes(kind, *id) && !cli_given(job, *id))
            return cli_fail(job, CAIRN_BAD_OPTION, "option: --%s: missing; %s needs it",
                            name, kinds[kind].kind);
        if (!takes(kind, *id) && cli_given(job, *id))
            return cli_fail(job, CAIRN_BAD_OPTION, "option: --%s: %s does not take it",
                            name, kinds[kind].kind);
    }
    return CAIRN_OK;
}

static cairn_status find_kind(cli_job *job, const char *word, int *kind)
{
    const char *names[KINDS + 1] = {NULL};

    for (int k = 0; k < KINDS; k++)
        names[k] = kinds[k].kind;
    return cli_choose(job, "generate", word,
                      &(cli_choices){"test problem", names, NULL}, kind);
}

/// Read the values; what a kind does not take was not given and stays 0.
static cairn_status read_values(cli_job *job, cairn_problem *values, int64_t *offsets)
{
    CLI_TRY(cli_integer(job, CLI_NX, 0, &values->nx));
    CLI_TRY(cli_integer(job, CLI_NY, 0, &values->ny));
    CLI_TRY(cli_integer(job, CLI_NZ, 0, &values->nz));
    CLI_TRY(cli_integer(job, CLI_N, 0, &values->n));
    CLI_TRY(cli_integer(job, CLI_DEGREE, 0, &values->degree));
    CLI_TRY(cli_integer(job, CLI_SCALE, 0, &values->scale));
    CLI_TRY(cli_integer(job, CLI_EDGES, 0, &values->edges));
    CLI_TRY(cli_integer(job, CLI_ROWS, 0, &values->rows));
    CLI_TRY(cli_integer(job, CLI_COLS, 0, &values->cols));
    CLI_TRY(cli_real(job, CLI_DENSITY, &values->density));
    CLI_TRY(cli_unsigned(job, CLI_SEED, &values->seed));
    values->offsets = cli_given(job, CLI_OFFSETS) ? offsets : NULL;
    return cli_integers(job, CLI_OFFSETS, CLI_OFFSETS_MOST, offsets,
                        &values->offset_count);
}

cairn_status cli_problem_read(cli_job *job, const char *kind, cli_problem *problem)
{
    int which;

    CLI_TRY(find_kind(job, kind, &which));
    CLI_TRY(check_given(job, which));
    *problem = (cli_problem){
        .kind   = kinds[which].kind,
        .values = {.size = sizeof(cairn_problem), .seed = 1},
    };
    return read_values(job, &problem->values, problem->offsets);
}

/// The kind that a word begins with; below 0: none.
static int kind_of(const char *word)
{
    const size_t length = strcspn(word, ":");

    for (int k = 0; k < KINDS && word[length]; k++)
        if (strlen(kinds[k].kind) == length
            && strncmp(word, kinds[k].kind, length) == 0)
            return k;
    return -1;
}

bool cli_problem_is_named(const char *file)
{
    return kind_of(file) >= 0;
}

/// The parameter of a name; CLI_OPTIONS: none.
static cli_option_id parameter(const char *name)
{
    for (const cli_option_id *id = parameters; *id != CLI_OPTIONS; id++)
        if (strcmp(cli_option_row(*id)->name, name) == 0) return *id;
    return strcmp(name, "seed") == 0 ? CLI_SEED : CLI_OPTIONS;
}

/// Take "nx=3,offsets=-1,0,1" apart, in place: an item without = goes on with the last
/// value.
static cairn_status split(cli_job *job, char *items, cli_arguments *given)
{
    char *next = items, *end = NULL;

    while (next) {
        char *const item  = next;
        char *const comma = strchr(item, ',');
        char *const equal = strchr(item, '=');
        const bool  named = equal && (!comma || equal < comma);

        next = comma ? comma + 1 : NULL;
        if (!named && !end)
            return cli_fail(job, CAIRN_BAD_OPTION, "%s: is no NAME=VALUE", item);
        if (!named) *end = ',';
        if (comma) *comma = '\0';
        end = comma;
        if (!named) continue;
        *equal                 = '\0';
        const cli_option_id id = parameter(item);

        if (id == CLI_OPTIONS)
            return cli_fail(job, CAIRN_BAD_OPTION, "%s: is no parameter", item);
        if (given->value[id])
            return cli_fail(job, CAIRN_BAD_OPTION, "%s: is given twice", item);
        given->value[id] = equal + 1;
    }
    return CAIRN_OK;
}

/// Say of which word a message is that was made for options.
static cairn_status
refuse_word(cli_job *job, const char *word, const cli_job *inner, cairn_status status)
{
    static const char option[] = "option: --";
    const bool        named = strncmp(inner->message, option, sizeof option - 1) == 0;

    return cli_fail(job, status, "matrix: %s: %s", word,
                    inner->message + (named ? sizeof option - 1 : 0));
}

/// What a word gives as if by options, in the job @p inner: its values lie in @p copy.
static cairn_status
read_word(cli_job *job, const char *word, char *copy, cli_job *inner)
{
    *inner = (cli_job){.verb = job->verb};
    strcpy(copy, word + strcspn(word, ":") + 1);
    const cairn_status status = split(inner, copy, &inner->arguments);

    return status == CAIRN_OK ? CAIRN_OK : refuse_word(job, word, inner, status);
}

cairn_status cli_problem_parse(cli_job *job, const char *word, cli_problem *problem)
{
    static cli_job inner; /* too large for a stack */
    char *const    copy = malloc(strlen(word) + 1);

    if (!copy) return cli_fail(job, CAIRN_NO_MEMORY, "memory: %s", word);
    cairn_status status = read_word(job, word, copy, &inner);

    if (status == CAIRN_OK) {
        status = cli_problem_read(&inner, kinds[kind_of(word)].kind, problem);
        if (status != CAIRN_OK) refuse_word(job, word, &inner, status);
    }
    free(copy);
    return status;
}

/// How many times a power of two @p times is; below 0: it is none.
static int doublings(int64_t times)
{
    int n = 0;

    for (; times > 1 && times % 2 == 0; times /= 2)
        n++;
    return times == 1 ? n : -1;
}

/// Print the word anew, where @p inner has its texts: what grows, grown.
static cairn_status print_grown(cli_job       *job,
                                const cli_job *inner,
                                const char    *word,
                                int64_t        times,
                                FILE          *to)
{
    const int kind    = kind_of(word);
    int64_t   value   = 0;
    char      divider = ':';

    fprintf(to, "%s", kinds[kind].kind);
    for (int k = 0; k < CLI_OPTIONS; k++) {
        const char   *text  = inner->arguments.value[k];
        cli_job       reads = *inner;
        const int64_t add   = k == CLI_SCALE ? doublings(times) : 0;
        const int64_t by    = k == (int)kinds[kind].grows ? times : 1;

        if (!text) continue;
        fprintf(to, "%c%s=", divider, cli_option_row((cli_option_id)k)->name);
        divider = ',';
        if (add == 0 && by == 1) {
            fprintf(to, "%s", text);
            continue;
        }
        if (add < 0)
            return cli_fail(job, CAIRN_BAD_OPTION,
                            "matrix: %s: grows with powers of two, not %" PRId64
                            " times",
                            word, times);
        CLI_TRY(cli_integer(&reads, (cli_option_id)k, 0, &value));
        if (__builtin_mul_overflow(value, by, &value)
            || __builtin_add_overflow(value, add, &value))
            return cli_fail(job, CAIRN_BAD_OPTION,
                            "matrix: %s: %" PRId64 " times as large is beyond 64 bits",
                            word, times);
        fprintf(to, "%" PRId64, value);
    }
    return CAIRN_OK;
}

cairn_status
cli_problem_grow(cli_job *job, const char *word, int64_t times, char **grown)
{
    static cli_job     inner;   /* too large for a stack */
    static cli_problem checked; /* likewise */
    char *const        copy   = malloc(strlen(word) + 1);
    size_t             length = 0;
    FILE *const        to     = copy ? open_memstream(grown, &length) : NULL;
    cairn_status       status = CAIRN_NO_MEMORY;

    if (to) status = cli_problem_parse(job, word, &checked);
    if (to && status == CAIRN_OK) status = read_word(job, word, copy, &inner);
    if (to && status == CAIRN_OK) status = print_grown(job, &inner, word, times, to);
    if (to && fclose(to) != 0 && status == CAIRN_OK) status = CAIRN_NO_MEMORY;
    if (status == CAIRN_NO_MEMORY) cli_fail(job, status, "memory: %s", word);
    if (status != CAIRN_OK && to) {
        free(*grown);
        *grown = NULL;
    }
    free(copy);
    return status;
}

bool cli_problem_word(int k, cli_word_row *row)
{
    const char *blank = "";

    if (k >= KINDS) return false;
    *row = (cli_word_row){.name = kinds[k].kind, .help = ""};
    for (const cli_option_id *id = kinds[k].takes; *id != CLI_OPTIONS; id++) {
        const size_t n = strlen(row->options);

        snprintf(row->options + n, sizeof row->options - n, "%s--%s", blank,
                 cli_option_row(*id)->name);
        blank = " ";
    }
    for (int p = 0; cairn_problem_name(p); p++)
        if (strcmp(cairn_problem_name(p), row->name) == 0)
            row->help = cairn_problem_help(p);
    return true;
}
