// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn generate`: test problems.

#include "json.h"
#include "outputs.h"
#include "progress.h"
#include "values.h"
#include "verbs.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_OFFSETS    256
#define MOST_PARAMETERS 3
#define MOST_KINDS      32

/// What each kind takes; everything is required. The library has the kinds and checks
/// the values; this table is about which option belongs where.
static const struct {
    const char   *kind;
    cli_option_id takes[MOST_PARAMETERS + 1]; ///< Ended by CLI_OPTIONS.
} kinds[] = {
    {"stencil5",  {CLI_NX, CLI_NY, CLI_OPTIONS}                 },
    {"stencil7",  {CLI_NX, CLI_NY, CLI_NZ, CLI_OPTIONS}         },
    {"stencil27", {CLI_NX, CLI_NY, CLI_NZ, CLI_OPTIONS}         },
    {"banded",    {CLI_N, CLI_OFFSETS, CLI_OPTIONS}             },
    {"fem3",      {CLI_N, CLI_DEGREE, CLI_OPTIONS}              },
    {"rmat",      {CLI_SCALE, CLI_EDGES, CLI_OPTIONS}           },
    {"uniform",   {CLI_N, CLI_DEGREE, CLI_OPTIONS}              },
    {"tridiag",   {CLI_N, CLI_OPTIONS}                          },
    {"pruned",    {CLI_ROWS, CLI_COLS, CLI_DENSITY, CLI_OPTIONS}},
    {"mixed",     {CLI_N, CLI_DEGREE, CLI_OPTIONS}              },
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

static cairn_status find_kind(cli_job *job, int *kind)
{
    const char *names[KINDS + 1] = {NULL};

    for (int k = 0; k < KINDS; k++)
        names[k] = kinds[k].kind;
    return cli_choose(job, "generate", job->arguments.operand[0],
                      &(cli_choices){"test problem", names, NULL}, kind);
}

/// Read the values; what a kind does not take was not given and stays 0.
static cairn_status read_problem(cli_job *job, cairn_problem *problem, int64_t *offsets)
{
    CLI_TRY(cli_integer(job, CLI_NX, 0, &problem->nx));
    CLI_TRY(cli_integer(job, CLI_NY, 0, &problem->ny));
    CLI_TRY(cli_integer(job, CLI_NZ, 0, &problem->nz));
    CLI_TRY(cli_integer(job, CLI_N, 0, &problem->n));
    CLI_TRY(cli_integer(job, CLI_DEGREE, 0, &problem->degree));
    CLI_TRY(cli_integer(job, CLI_SCALE, 0, &problem->scale));
    CLI_TRY(cli_integer(job, CLI_EDGES, 0, &problem->edges));
    CLI_TRY(cli_integer(job, CLI_ROWS, 0, &problem->rows));
    CLI_TRY(cli_integer(job, CLI_COLS, 0, &problem->cols));
    CLI_TRY(cli_real(job, CLI_DENSITY, &problem->density));
    CLI_TRY(cli_unsigned(job, CLI_SEED, &problem->seed));
    problem->offsets = cli_given(job, CLI_OFFSETS) ? offsets : NULL;
    return cli_integers(job, CLI_OFFSETS, MOST_OFFSETS, offsets,
                        &problem->offset_count);
}

static cairn_status check_output(cli_job *job, const char **path)
{
    *path = cli_text(job, CLI_OUTPUT);
    if (!*path)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: -o: missing; generate needs it");
    if (cli_names_entries(*path)) return CAIRN_OK;
    return cli_fail(job, CAIRN_BAD_OPTION,
                    "option: -o: %s: generate writes " CLI_ENTRIES
                    " (cairn convert makes .cairn and .npz)",
                    *path);
}

static cairn_status report(cli_job *job, const cairn_source_info *info)
{
    const char *kind = job->arguments.operand[0];

    cli_progress_phase(NULL);
    if (!cli_is_first(job)) return CAIRN_OK;
    if (cli_given(job, CLI_JSON))
        return cli_json_write(job, json_pack("{s:s, s:I, s:I, s:I}", "kind", kind,
                                             "rows", (json_int_t)info->extent[0],
                                             "cols", (json_int_t)info->extent[1], "nnz",
                                             (json_int_t)info->nnz));
    printf("%s: %s, %" PRId64 " x %" PRId64 ", %s\n", cli_text(job, CLI_OUTPUT), kind,
           info->extent[0], info->extent[1], cli_word_entries(info->nnz).text);
    return CAIRN_OK;
}

static cairn_status write(cli_job *job, const cairn_source *source, const char *path)
{
    cairn_source_info info = CAIRN_SOURCE_INFO;

    CLI_TRY(cairn_source_describe(source, &info));
    cli_progress_phase("write");
    CLI_TRY(cairn_source_write(source, path));
    return cli_agree(job, report(job, &info));
}

static cairn_status run(cli_job *job)
{
    int64_t       offsets[MOST_OFFSETS];
    cairn_problem problem = {.size = sizeof(cairn_problem), .seed = 1};
    cairn_source *source  = NULL;
    const char   *path;
    int           kind;

    CLI_TRY(find_kind(job, &kind));
    CLI_TRY(check_output(job, &path));
    CLI_TRY(check_given(job, kind));
    CLI_TRY(read_problem(job, &problem, offsets));
    cli_progress_phase("make");
    CLI_TRY(cairn_source_generate(job->context, kinds[kind].kind, &problem, &source));
    const cairn_status status = write(job, source, path);

    cairn_source_destroy(&source);
    return status;
}

/// A kind, the options that it needs, and what the library says that it is.
static bool kind_word(int k, cli_word_row *row)
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

static const char about[] =
    "The same options give the same bytes on every machine and any number of ranks. A "
    "kind needs all the options that stand beside it, and takes no others. OUT ends in "
    ".mtx, in .petsc or .petsc64 (as PETSc's MatLoad() reads it), in .rua, .rsa or .hb "
    "(Harwell-Boeing, .rsa of a symmetric matrix) or .tns, written as convert does.";

static const char json[] = "kind rows cols nnz";

static const cli_example examples[] = {
    {"cairn generate stencil5 --nx 100 --ny 100 -o grid.mtx",              "10,000 rows, five "
                                                              "diagonals"},
    {"cairn generate banded --n 1000 --offsets -10,-1,0,1,10 -o band.mtx",
     "these diagonals, full"                                                                                                          },
    {NULL,                                                                 NULL                                                       },
};

const cli_verb cli_verb_generate = {
    .name     = "generate",
    .operands = "KIND -o OUT",
    .least    = 1,
    .most     = 1,
    .summary  = "A test problem, the same on every machine",
    .about    = about,
    .json     = json,
    .examples = examples,
    .words    = "KIND",
    .word     = kind_word,
    .options  = (const cli_option_id[]){CLI_OUTPUT, CLI_NX, CLI_NY, CLI_NZ, CLI_N,
                                        CLI_OFFSETS, CLI_DEGREE, CLI_SCALE, CLI_EDGES,
                                        CLI_ROWS, CLI_COLS, CLI_DENSITY, CLI_SEED,
                                        CLI_MEMORY, CLI_GIVE_UP, CLI_OPTIONS},
    .run      = run,
};
