// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn generate`: test problems.

#include "cli/arguments/problem.h"
#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"
#include "cli/output/json.h"
#include "cli/output/outputs.h"
#include "cli/output/words.h"
#include "cli/process/progress.h"

#include <inttypes.h>
#include <stdio.h>

static cairn_status check_output(cli_job *job, const char **path)
{
    *path = cli_text(job, CLI_OUTPUT);
    if (!*path)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: -o: missing; generate needs it");
    if (cli_names_entries(*path)) return CAIRN_OK;
    return cli_fail(job, CAIRN_BAD_OPTION,
                    "option: -o: %s: generate writes " CLI_ENTRIES
                    " (cairn convert makes .cairn, .npz and .h5)",
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
    cli_problem   problem;
    cairn_source *source = NULL;
    const char   *path;

    CLI_TRY(cli_problem_read(job, job->arguments.operand[0], &problem));
    CLI_TRY(check_output(job, &path));
    cli_progress_phase("make");
    CLI_TRY(
        cairn_source_generate(job->context, problem.kind, &problem.values, &source));
    const cairn_status status = write(job, source, path);

    cairn_source_destroy(&source);
    return status;
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
    .writes   = CLI_ENTRIES,
    .words    = "KIND",
    .word     = cli_problem_word,
    .options  = (const cli_option_id[]){CLI_OUTPUT, CLI_NX, CLI_NY, CLI_NZ, CLI_N,
                                        CLI_OFFSETS, CLI_DEGREE, CLI_SCALE, CLI_EDGES,
                                        CLI_ROWS, CLI_COLS, CLI_DENSITY, CLI_SEED,
                                        CLI_MEMORY, CLI_GIVE_UP, CLI_OPTIONS},
    .run      = run,
};
