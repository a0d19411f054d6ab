// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn format`: what a format means and, with a file, what it stores.

#include "format_view.h"
#include "json.h"
#include "values.h"
#include "verbs.h"

#include <stdio.h>
#include <string.h>

static cairn_status check_options(cli_job *job)
{
    const bool with_file = job->arguments.operands == 2;

    if (cli_given(job, CLI_PATH)) return cli_not_yet(job, "option", "--path");
    if (!cli_given(job, CLI_ARRAYS)) return CAIRN_OK;
    if (!with_file)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --arrays: without a FILE there are no elements");
    if (cairn_context_size(job->context) > 1)
        return cli_fail(job, CAIRN_UNSUPPORTED,
                        "option: --arrays: elements are shown on one rank only");
    return CAIRN_OK;
}

/// The catalogue's own spelling of a bare name; NULL: the text is something else.
static const char *catalogue_name(cli_job *job, const char *text)
{
    const char *name;

    if (*text == '#') text++;
    for (int k = 0; (name = cairn_catalogue_name(job->context, k)); k++)
        if (strcmp(name, text) == 0) return name;
    return NULL;
}

static cairn_status print_definition(cli_job *job, const char *text)
{
    if (!cli_is_first(job)) return CAIRN_OK;
    if (cli_given(job, CLI_JSON))
        return cli_json_write(job, json_pack("{s:s, s:[]}", "format", text, "members"));
    printf("%s\n", text);
    return CAIRN_OK;
}

/// A bare name that lacks arguments is no format, but can be explained.
static cairn_status explain(cli_job *job, bool *explained)
{
    const char *name    = catalogue_name(job, job->arguments.operand[0]);
    char       *text    = NULL;
    int         missing = 0;

    *explained = false;
    if (!name || job->arguments.operands == 2) return CAIRN_OK;
    CLI_TRY(cairn_catalogue_definition(job->context, name, &text, &missing));
    *explained          = missing > 0;
    cairn_status status = CAIRN_OK;

    if (missing > 0) status = cli_agree(job, print_definition(job, text));
    cairn_text_free(job->context, &text);
    return status;
}

static cairn_status
show(cli_job *job, const cairn_format *format, const cairn_tensor *tensor)
{
    cli_format_view view;
    cairn_status    status = CAIRN_OK;

    CLI_TRY(cli_format_view_init(job, format, tensor, &view));
    if (cli_is_first(job))
        status =
            cli_given(job, CLI_JSON) ? cli_format_json(&view) : cli_format_print(&view);
    status = cli_agree(job, status);
    cli_format_view_fini(&view);
    return status;
}

static cairn_status store_and_show(cli_job *job, const cairn_format *format)
{
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;

    if (job->arguments.operands < 2) return show(job, format, NULL);
    CLI_TRY(cairn_source_read(job->context, job->arguments.operand[1], CAIRN_BY_NNZ,
                              &source));
    cairn_status status = cairn_tensor_create(source, format, job->dtype, &tensor);

    cairn_source_destroy(&source);
    if (status == CAIRN_OK) status = show(job, format, tensor);
    cairn_tensor_destroy(&tensor);
    return status;
}

static cairn_status run(cli_job *job)
{
    cairn_format *format = NULL;
    bool          explained;

    CLI_TRY(check_options(job));
    CLI_TRY(explain(job, &explained));
    if (explained) return CAIRN_OK;
    /* A file of formats may be missing on one rank only. */
    cairn_status status = cli_agree(
        job, cairn_format_create(job->context, job->arguments.operand[0], &format));

    if (status == CAIRN_OK) status = store_and_show(job, format);

    cairn_format_destroy(&format);
    return status;
}

static const char about[] =
    "Without FILE: the canonical text, the levels, which arrays exist and why, and how "
    "coordinates come back from indices. A bare name that needs arguments prints its "
    "definition.\n"
    "\n"
    "With FILE: ranges and stored nodes, the arrays with their widths and bytes, all "
    "of "
    "it beside what CSR takes (COO for other orders), and how much is padding. Under "
    "mpirun these are the sums over all ranks.";

static const char json[] =
    "format, members[]{encoding levels[]{level expr kind lo size nodes merged trimmed "
    "ptr idx}} (lo size nodes null without FILE) and, with FILE, parts[]{member rank "
    "share bank nnz bytes arrays[]{level kind bits length bytes values}} (bank null "
    "without partition; level -1: values; values only with --arrays) nnz values "
    "(padding included) bytes baseline{format bytes}";

static const cli_example examples[] = {
    {"cairn format bdia",                            "what the name stands for"       },
    {"cairn format 'bdia<3>'",                       "what it stores, and why"        },
    {"cairn format 'bdia<3>' figure1a.mtx --arrays", "of a matrix, element by element"},
    {"cairn format '#encoding<{ idx_map<(d0,d1)->(d1,d0)>, mutation<merge(0), "
     "trim(1,1)> }>'",                          "a format without a name"        },
    {NULL,                                           NULL                             },
};

const cli_verb cli_verb_format = {
    .name     = "format",
    .operands = "SPEC [FILE]",
    .least    = 1,
    .most     = 2,
    .summary  = "What a format means, and what it stores of a file",
    .about    = about,
    .json     = json,
    .examples = examples,
    .options  = (const cli_option_id[]){CLI_ARRAYS, CLI_PATH, CLI_DTYPE, CLI_THREADS,
                                        CLI_MEMORY, CLI_OPTIONS},
    .run      = run,
};
