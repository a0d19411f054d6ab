// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn format`: what a format means and, with a file, what it stores.

#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"
#include "cli/format/format_view.h"
#include "cli/output/json.h"
#include "cli/process/progress.h"

#include <stdio.h>
#include <string.h>

static cairn_status check_options(cli_job *job)
{
    const bool with_file = job->arguments.operands == 2;

    if (!cli_given(job, CLI_ARRAYS)) return CAIRN_OK;
    if (!with_file)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --arrays: without a FILE there are no elements");
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
        return cli_json_write(job, json_pack("{s:s, s:n, s:[]}", "format", text,
                                             "distribution", "members"));
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
    if (!name || job->arguments.operands == 2 || cli_given(job, CLI_PATH))
        return CAIRN_OK;
    CLI_TRY(cairn_catalogue_definition(job->context, name, &text, &missing));
    *explained          = missing > 0;
    cairn_status status = CAIRN_OK;

    if (missing > 0) status = cli_agree(job, print_definition(job, text));
    cairn_text_free(job->context, &text);
    return status;
}

/// What is asked about: a format, and another from which to come to it.
typedef struct {
    cairn_format *format;
    cairn_format *from; ///< NULL without --path.
} question;

static cairn_status show(cli_job            *job,
                         const question     *q,
                         const cairn_tensor *tensor,
                         const cairn_path   *path)
{
    cli_format_view view;
    cairn_status    status = CAIRN_OK;

    CLI_TRY(cli_format_view_init(job, q->format, tensor, path, &view));
    cli_progress_phase(NULL);
    if (cli_is_first(job))
        status =
            cli_given(job, CLI_JSON) ? cli_format_json(&view) : cli_format_print(&view);
    status = cli_agree(job, status);
    cli_format_view_fini(&view);
    return status;
}

/// Store the file in the format that --path names: what CAIRN_CONVERT says is about the
/// conversion that follows.
static cairn_status
store_first(cli_job *job, const question *q, cairn_source *source, cairn_tensor **first)
{
    char method[64];

    snprintf(method, sizeof method, "%s", cairn_context_convert(job->context));
    CLI_TRY(cairn_context_set_convert(job->context, ""));
    const cairn_status status = cairn_tensor_create(source, q->from, job->dtype, first);

    cairn_context_set_convert(job->context, method);
    return status;
}

/// Store the file; with --path in that format first, so that the conversion is done.
static cairn_status
store(cli_job *job, const question *q, cairn_source *source, cairn_tensor **tensor)
{
    cairn_tensor *first = NULL;

    if (!q->from) return cairn_tensor_create(source, q->format, job->dtype, tensor);
    CLI_TRY(store_first(job, q, source, &first));
    const cairn_status status = cairn_tensor_convert(first, q->format, tensor);

    cairn_tensor_destroy(&first);
    return status;
}

static cairn_status plan_path(cli_job            *job,
                              const question     *q,
                              const cairn_source *source,
                              cairn_path        **path)
{
    cairn_source_info info = CAIRN_SOURCE_INFO;

    if (!q->from) return CAIRN_OK;
    if (source) CLI_TRY(cairn_source_describe(source, &info));
    return cli_agree(job, cairn_path_create(job->context, q->from, q->format,
                                            source ? info.extent : NULL, path));
}

static cairn_status store_and_show(cli_job *job, const question *q)
{
    const bool    with_file = job->arguments.operands == 2;
    cairn_source *source    = NULL;
    cairn_tensor *tensor    = NULL;
    cairn_path   *path      = NULL;
    cairn_status  status    = CAIRN_OK;

    cli_progress_phase("read");
    if (with_file)
        status = cairn_source_read(job->context, job->arguments.operand[1],
                                   CAIRN_BY_NNZ, &source);
    if (status == CAIRN_OK) status = plan_path(job, q, source, &path);
    cli_progress_phase("store");
    if (status == CAIRN_OK && with_file) status = store(job, q, source, &tensor);
    cairn_source_destroy(&source);
    if (status == CAIRN_OK) status = show(job, q, tensor, path);
    cairn_path_destroy(&path);
    cairn_tensor_destroy(&tensor);
    return status;
}

static cairn_status run(cli_job *job)
{
    question q = {NULL, NULL};
    bool     explained;

    CLI_TRY(check_options(job));
    CLI_TRY(explain(job, &explained));
    if (explained) return CAIRN_OK;
    /* A file of formats may be missing on one rank only. */
    cairn_status status = cli_agree(
        job, cairn_format_create(job->context, job->arguments.operand[0], &q.format));

    if (status == CAIRN_OK && cli_given(job, CLI_PATH))
        status = cli_agree(
            job, cairn_format_create(job->context, cli_text(job, CLI_PATH), &q.from));
    if (status == CAIRN_OK) status = store_and_show(job, &q);

    cairn_format_destroy(&q.from);
    cairn_format_destroy(&q.format);
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
    "mpirun these are the sums over all ranks.\n"
    "\n"
    "With --path SRC: the rewrite rules that lead from SRC to SPEC, on one line and "
    "then "
    "one by one with what each costs. With FILE too, FILE is stored in SRC and the "
    "rules "
    "are carried out: what is shown is what they made, and the passes by which it was "
    "done, with whose rates chose them: shipped ones, or those measured on this "
    "machine.";

static const char json[] =
    "format, distribution (what its text says behind @, else null), "
    "members[]{encoding distribution levels[]{level expr kind lo size nodes merged "
    "trimmed "
    "ptr idx}} (lo size nodes null without FILE) and, with FILE, parts[]{member rank "
    "share bank nnz bytes given values (how they are stored: \"i8\", ...) "
    "arrays[]{level kind bits length bytes val values}} (bank "
    "null "
    "without partition; level -1: values; val: how they are stored, as f64 or i8, with "
    "val_error where val(f32) rounded; "
    "values "
    "only with --arrays) nnz values "
    "(padding included) bytes baseline{format bytes}; with --path: path[] (the rules) "
    "work[]{rule bytes operations passes memory} (planned, for each entry) "
    "rates (that chose the program: shipped, learned; null: an option names it) "
    "program[]{member into method pass unit rule index arrays[] stores interpreted "
    "bytes class visits alternatives[]{method bytes seconds} assumes otherwise} (class "
    "and visits of "
    "queries "
    "that are interpreted; with FILE: the passes that ran; else those planned for 10^6 "
    "entries in 10^3 rows)";

static const cli_example examples[] = {
    {"cairn format bdia",                  "what the name stands for"    },
    {"cairn format 'bdia<64>'",            "what it stores, and why"     },
    {"cairn format 'bdia<64>' grid.mtx",   "its bytes here, beside CSR's"},
    {"cairn format 'bdia<64>' --path coo", "the rules that lead there"   },
    {"cairn format '#encoding<{ idx_map<(d0,d1)->(d1,d0)>, mutation<merge(0), "
     "trim(1,1)> }>'",                "a format without a name"     },
    {NULL,                                 NULL                          },
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
                                        CLI_MEMORY, CLI_GIVE_UP, CLI_OPTIONS},
    .run      = run,
};
