// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn convert`: store a file in a format and write that.

#include "clock.h"
#include "gather.h"
#include "json.h"
#include "values.h"
#include "verbs.h"
#include "words.h"

#include <stdio.h>
#include <string.h>

/// Seconds of the whole and of its parts, the slowest rank's, and what came out.
typedef struct {
    double  all, read, store, write;
    int64_t bytes;
} cost;

static cairn_status check_output(cli_job *job)
{
    static const char *const endings[] = {".mtx", ".tns", ".cairn"};
    const char              *path      = cli_text(job, CLI_OUTPUT);

    if (!cli_given(job, CLI_TO))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --to: missing; convert needs it");
    if (!path)
        return cli_fail(job, CAIRN_BAD_OPTION, "option: -o: missing; convert needs it");
    const char *ending = strrchr(path, '.');

    for (size_t k = 0; ending && k < sizeof endings / sizeof *endings; k++)
        if (strcmp(ending, endings[k]) == 0) return CAIRN_OK;
    return cli_fail(job, CAIRN_BAD_OPTION,
                    "option: -o: %s: the ending is none of .mtx .tns .cairn", path);
}

static cairn_status report(cli_job *job, const cost *c)
{
    const char *path = cli_text(job, CLI_OUTPUT);

    if (!cli_is_first(job)) return CAIRN_OK;
    if (cli_given(job, CLI_JSON))
        return cli_json_write(job, json_pack("{s:f, s:{s:f, s:f, s:f}, s:I}", "seconds",
                                             c->all, "phases", "read", c->read, "store",
                                             c->store, "write", c->write, "bytes",
                                             (json_int_t)c->bytes));
    printf("%s: %s in %s (read %s, store %s, write %s)\n", path,
           cli_word_bytes(c->bytes).text, cli_word_seconds(c->all).text,
           cli_word_seconds(c->read).text, cli_word_seconds(c->store).text,
           cli_word_seconds(c->write).text);
    return CAIRN_OK;
}

/// Seconds since @p since, which becomes now. Ranks end each phase together.
static cairn_status lap(cli_job *job, double *since, double *seconds)
{
    CLI_TRY(cli_barrier(job));
    const double now = cli_seconds();

    *seconds = now - *since;
    *since   = now;
    return CAIRN_OK;
}

/// Text gets the explicit zeros that padded arrays cannot hold from the source, which is
/// still there; the native file is the arrays alone.
static cairn_status write_tensor(cli_job            *job,
                                 const cairn_tensor *tensor,
                                 const cairn_source *source,
                                 cost               *c,
                                 double             *since)
{
    const char *path = cli_text(job, CLI_OUTPUT);

    CLI_TRY(source ? cairn_tensor_write_text(tensor, source, path, &c->bytes)
                   : cairn_tensor_write(tensor, path, &c->bytes));
    return lap(job, since, &c->write);
}

static bool is_text(const char *path)
{
    const size_t n = strlen(path);

    return n >= 4
           && (strcmp(path + n - 4, ".mtx") == 0 || strcmp(path + n - 4, ".tns") == 0);
}

static cairn_status
convert(cli_job *job, const cairn_format *format, cost *c, double *since)
{
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;

    CLI_TRY(cairn_source_read(job->context, job->arguments.operand[0], CAIRN_BY_NNZ,
                              &source));
    cairn_status status = lap(job, since, &c->read);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, job->dtype, &tensor);
    if (!is_text(cli_text(job, CLI_OUTPUT))) cairn_source_destroy(&source);
    if (status == CAIRN_OK) status = lap(job, since, &c->store);
    if (status == CAIRN_OK) status = write_tensor(job, tensor, source, c, since);
    cairn_source_destroy(&source);
    cairn_tensor_destroy(&tensor);
    return status;
}

static cairn_status run(cli_job *job)
{
    const double  begun  = cli_seconds();
    double        since  = begun;
    cairn_format *format = NULL;
    cost          c      = {0};

    CLI_TRY(check_output(job));
    /* A file of formats may be missing on one rank only. */
    cairn_status status = cli_agree(
        job, cairn_format_create(job->context, cli_text(job, CLI_TO), &format));

    if (status == CAIRN_OK) status = convert(job, format, &c, &since);

    cairn_format_destroy(&format);
    CLI_TRY(status);
    c.all = since - begun;
    return cli_agree(job, report(job, &c));
}

static const char about[] =
    "OUT ends in .mtx (a matrix: coordinates, row by row, 17 digits), .tns (a tensor "
    "of "
    "any order, likewise) or .cairn (the format's arrays themselves, with checksums; "
    "read on any number of ranks). --dtype f32 rounds.";

static const char json[] = "seconds phases{read store write} bytes (of OUT)";

static const cli_example examples[] = {
    {"cairn convert grid.mtx --to 'bdia<64>' -o grid.cairn", "its arrays, in a file"},
    {"cairn convert grid.cairn --to csr -o grid.mtx",        "back to text"         },
    {NULL,                                                   NULL                   },
};

const cli_verb cli_verb_convert = {
    .name     = "convert",
    .operands = "FILE --to SPEC -o OUT",
    .least    = 1,
    .most     = 1,
    .summary  = "Store a file in a format and write that",
    .about    = about,
    .json     = json,
    .examples = examples,
    .options  = (const cli_option_id[]){CLI_TO, CLI_OUTPUT, CLI_DTYPE, CLI_THREADS,
                                        CLI_MEMORY, CLI_OPTIONS},
    .run      = run,
};
