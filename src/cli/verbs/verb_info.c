// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn info`: the structure of a file.

#include "cli/arguments/verbs.h"
#include "cli/output/json.h"
#include "cli/output/spy.h"
#include "cli/output/words.h"
#include "cli/process/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static json_t *dims(const cairn_source_info *info)
{
    json_t *list = json_array();

    for (int m = 0; m < info->order; m++)
        json_array_append_new(list, json_integer(info->extent[m]));
    return list;
}

static json_t *object(const char *file, const cairn_source_info *info)
{
    json_t *all = json_pack("{s:o}", "file", cli_json_text(file));

    if (info->order == 2)
        json_object_update_new(all, json_pack("{s:I, s:I}", "rows",
                                              (json_int_t)info->extent[0], "cols",
                                              (json_int_t)info->extent[1]));
    else
        json_object_set_new(all, "dims", dims(info));
    json_t *rest = json_pack(
        "{s:I, s:s, s:s, s:s?, s:s?, s:o, s:o, s:o, s:o, s:o, s:o}", "nnz",
        (json_int_t)info->nnz, "field", info->field, "symmetry", info->symmetry,
        "values", info->values, "distribution", info->distribution, "diagonals",
        cli_json_count(info->diagonals), "max_row", cli_json_count(info->max_row),
        "empty_rows", cli_json_count(info->empty_rows), "bandwidth_lower",
        cli_json_count(info->bandwidth_lower), "bandwidth_upper",
        cli_json_count(info->bandwidth_upper), "read_seconds",
        cli_json_real(info->read_seconds));

    if (json_object_update_new(all, rest) == 0) return all;
    json_decref(all);
    return NULL;
}

/// The narrowest type that holds the values.
static void print_values(const cairn_source_info *info)
{
    static const struct {
        const char *name, *words;
    } types[] = {
        {"i8",  "integers of 8 bits"       },
        {"i16", "integers of 16 bits"      },
        {"f32", "exact in f32"             },
        {"f64", "need f64, or a dictionary"},
    };

    if (!info->values) return;
    if (strcmp(info->values, "iso") == 0)
        printf("values     all equal, %.17g (iso)\n", info->value);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (strcmp(info->values, types[k].name) == 0)
            printf("values     %s (%s)\n", types[k].words, types[k].name);
}

static void print(const char *file, const cairn_source_info *info)
{
    printf("%s: ", file);
    for (int m = 0; m < info->order; m++)
        printf("%s%" PRId64, m ? " x " : "", info->extent[m]);
    printf(", %s, %s %s\n", cli_word_entries(info->nnz).text, info->field,
           info->symmetry);
    print_values(info);
    if (info->distribution) printf("ranks      @ %s\n", info->distribution);
    if (info->order != 2) return;
    printf("diagonals  %" PRId64 " with entries, %" PRId64 " below to %" PRId64
           " above the main one\n",
           info->diagonals, info->bandwidth_lower, info->bandwidth_upper);
    printf("rows       longest has %s; %" PRId64 " empty\n",
           cli_word_entries(info->max_row).text, info->empty_rows);
}

static cairn_status report(cli_job *job, const cairn_source_info *info)
{
    const char *file = job->arguments.operand[0];

    cli_progress_phase(NULL);
    if (!cli_is_first(job)) return CAIRN_OK;
    if (cli_given(job, CLI_JSON)) return cli_json_write(job, object(file, info));
    print(file, info);
    return CAIRN_OK;
}

static cairn_status describe(cli_job *job, const cairn_source *source)
{
    cairn_source_info info = CAIRN_SOURCE_INFO;

    cli_progress_phase("count");
    CLI_TRY(cairn_source_describe(source, &info));
    if (cli_given(job, CLI_SPY)) CLI_TRY(cli_spy(job, source, &info));
    return cli_agree(job, report(job, &info));
}

static cairn_status run(cli_job *job)
{
    cairn_source *source = NULL;

    cli_progress_phase("read");
    CLI_TRY(cairn_source_read(job->context, job->arguments.operand[0], CAIRN_BY_NNZ,
                              &source));
    const cairn_status status = describe(job, source);

    cairn_source_destroy(&source);
    return status;
}

static const char about[] =
    "Entries are counted as stored: mirror images included, duplicates added, explicit "
    "zeros too. The picture has at most 1024 pixels a side; darker is denser. --dtype "
    "and --threads are accepted, as by every verb that reads, and change nothing here.";

static const char json[] =
    "file rows cols (or dims) nnz field symmetry values (iso i8 i16 f16 bf16 f32 f64) "
    "distribution (what a .cairn file's format says behind @, else null) diagonals "
    "max_row empty_rows bandwidth_lower bandwidth_upper (null unless it is a matrix) "
    "read_seconds";

static const cli_example examples[] = {
    {"cairn info grid.mtx --spy grid.png", "numbers, and a picture"          },
    {"cairn info flow.tns.gz --json -",    "a tensor's numbers for a program"},
    {NULL,                                 NULL                              },
};

const cli_verb cli_verb_info = {
    .name     = "info",
    .operands = "FILE",
    .least    = 1,
    .most     = 1,
    .summary  = "Structure of a matrix or tensor, and its picture",
    .about    = about,
    .json     = json,
    .examples = examples,
    .options  = (const cli_option_id[]){CLI_SPY, CLI_DTYPE, CLI_THREADS, CLI_MEMORY,
                                        CLI_GIVE_UP, CLI_OPTIONS},
    .run      = run,
};
