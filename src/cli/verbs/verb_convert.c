// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn convert`: store a file in a format and write that.

#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"
#include "cli/output/chosen.h"
#include "cli/output/json.h"
#include "cli/output/outputs.h"
#include "cli/output/visits.h"
#include "cli/output/words.h"
#include "cli/process/clock.h"
#include "cli/process/progress.h"
#include "cli/ranks/gather.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Seconds of the whole and of its parts, the slowest rank's, and what came out.
typedef struct {
    double  all, read, store, write;
    int64_t bytes;
} cost;

/// Is it a file of a format's arrays, not of entries?
static bool is_arrays(const char *path)
{
    static const char *const endings[] = {".cairn", ".npz", ".h5", ".hdf5"};
    const char *const        ending    = strrchr(path, '.');

    for (size_t k = 0; ending && k < sizeof endings / sizeof *endings; k++)
        if (strcmp(ending, endings[k]) == 0) return true;
    return false;
}

static cairn_status check_output(cli_job *job)
{
    const char *path = cli_text(job, CLI_OUTPUT);

    if (!cli_given(job, CLI_TO))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --to: missing; convert needs it");
    if (!path)
        return cli_fail(job, CAIRN_BAD_OPTION, "option: -o: missing; convert needs it");
    if (is_arrays(path) || cli_names_entries(path)) return CAIRN_OK;
    return cli_fail(job, CAIRN_BAD_OPTION,
                    "option: -o: %s: the ending is none of " CLI_ENTRIES
                    " .npz .h5 .hdf5 .cairn",
                    path);
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

/// What ranks sent each other of rows that went to other ranks.
typedef struct {
    int64_t entries, bytes, messages, asked;
} exchange;

static exchange exchange_of(const cairn_tensor *tensor)
{
    exchange its;

    its.bytes = cairn_path_sent(cairn_tensor_path(tensor), &its.entries, &its.messages);
    its.asked = cairn_path_asked(cairn_tensor_path(tensor));
    return its;
}

/// What is converted: a source or, of a .cairn file, the tensor that it holds.
typedef struct {
    cairn_source    *source;
    cairn_tensor    *from;
    cairn_tensor    *to;
    bool             native;
    exchange         reading;    ///< Of a .cairn file that other ranks wrote.
    char            *candidates; ///< Where --to is "auto": the text of --candidates,
    cairn_auto_info  chosen;     ///< and what came of it.
    cairn_part_info *part;       ///< [parts] Of what came out, of all ranks.
    int64_t          parts;
} conversion;

static void conversion_fini(cli_job *job, conversion *c)
{
    cairn_text_free(job->context, &c->candidates);
    cairn_parts_free(c->to, &c->part);
    cairn_source_destroy(&c->source);
    cairn_tensor_destroy(&c->from);
    cairn_tensor_destroy(&c->to);
}

/// A .cairn file is read as the tensor that it is; if its values must be rounded, its
/// entries are stored anew.
static cairn_status read_file(cli_job *job, conversion *c)
{
    const char *file = job->arguments.operand[0];

    CLI_TRY(cairn_file_is_native(job->context, file, &c->native));
    if (!c->native)
        return cairn_source_read(job->context, file, CAIRN_BY_NNZ, &c->source);
    CLI_TRY(cairn_tensor_read(job->context, file, &c->from));
    c->reading = exchange_of(c->from);
    if (cairn_tensor_dtype(c->from) == job->dtype) return CAIRN_OK;
    CLI_TRY(cairn_source_from_tensor(c->from, &c->source));
    cairn_tensor_destroy(&c->from);
    return CAIRN_OK;
}

/// NULL, of a .cairn file: its own format.
static cairn_status store(cli_job *job, const cairn_format *format, conversion *c)
{
    if (!format) format = cairn_tensor_format(c->from);
    if (c->source) return cairn_tensor_create(c->source, format, job->dtype, &c->to);
    return cairn_tensor_convert(c->from, format, &c->to);
}

/// A file of entries gets the explicit zeros that padded arrays cannot hold from what was
/// read; the native file is the arrays alone.
static cairn_status write_file(cli_job *job, conversion *c, int64_t *bytes)
{
    const char *path = cli_text(job, CLI_OUTPUT);

    if (is_arrays(path)) return cairn_tensor_write(c->to, path, bytes);
    if (c->from) CLI_TRY(cairn_source_from_tensor(c->from, &c->source));
    cairn_tensor_destroy(&c->from);
    return cairn_tensor_write_text(c->to, c->source, path, bytes);
}

static bool is_chosen(const cli_job *job)
{
    return strcmp(cli_text(job, CLI_TO), "auto") == 0;
}

/// Before anything else is read: what is wrong with them is found at once.
static cairn_status read_candidates(cli_job *job, conversion *c)
{
    const char *path = cli_text(job, CLI_CANDIDATES);

    return path ? cairn_candidates_read(job->context, path, &c->candidates) : CAIRN_OK;
}

/// Choose a format for y = A x. NULL: the tensor of the file is best left as it is.
static cairn_status choose(cli_job *job, conversion *c, cairn_format **format)
{
    const cairn_auto_options options = {.size       = sizeof(cairn_auto_options),
                                        .candidates = c->candidates,
                                        .origin     = cli_text(job, CLI_CANDIDATES)};

    /* --candidates takes the place of all formats, the tensor's own among them. */
    if (c->from && !c->candidates)
        return cairn_tensor_auto(c->from, NULL, &options, format, &c->chosen);
    if (!c->source) CLI_TRY(cairn_source_from_tensor(c->from, &c->source));
    return cairn_format_auto(c->source, job->dtype, NULL, &options, format, &c->chosen);
}

static cairn_status
convert(cli_job *job, cairn_format **format, conversion *c, cost *cost, double *since)
{
    cli_progress_phase("read");
    CLI_TRY(read_file(job, c));
    CLI_TRY(lap(job, since, &cost->read));
    cli_progress_phase("store");
    if (!*format) CLI_TRY(choose(job, c, format));
    CLI_TRY(store(job, *format, c));
    if (is_arrays(cli_text(job, CLI_OUTPUT))) cairn_source_destroy(&c->source);
    CLI_TRY(lap(job, since, &cost->store));
    cli_progress_phase("write");
    CLI_TRY(write_file(job, c, &cost->bytes));
    CLI_TRY(cairn_tensor_parts(c->to, &c->parts, &c->part));
    return lap(job, since, &cost->write);
}

/// null: rows stayed with their ranks.
static json_t *exchange_json(const exchange *its)
{
    if (its->messages == 0 && its->asked == 0) return json_null();
    return json_pack("{s:I, s:I, s:I, s:I}", "entries", (json_int_t)its->entries,
                     "bytes", (json_int_t)its->bytes, "messages",
                     (json_int_t)its->messages, "asked", (json_int_t)its->asked);
}

static void print_exchange(const char *when, const exchange *its)
{
    if (its->messages > 0)
        printf("%s: %" PRId64 " entries went to other ranks, %" PRId64
               " bytes in %" PRId64 " message%s\n",
               when, its->entries, its->bytes, its->messages,
               its->messages == 1 ? "" : "s");
    if (its->asked > 0)
        printf("%s: ranks asked each other about places of rows: %" PRId64 " bytes\n",
               when, its->asked);
}

static json_t *parts_json(const conversion *done)
{
    json_t *list = json_array();

    for (int64_t p = 0; p < done->parts; p++)
        if (json_array_append_new(list, cli_json_part(&done->part[p])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static cairn_status report_json(cli_job *job, const cost *c, const conversion *done)
{
    const exchange storing = exchange_of(done->to);

    json_t *object = json_pack(
        "{s:f, s:{s:f, s:f, s:f}, s:I, s:s, s:s?, s:o, s:s?, s:o, s:{s:o, s:o}, "
        "s:s?, s:o, s:o}",
        "seconds", c->all, "phases", "read", c->read, "store", c->store, "write",
        c->write, "bytes", (json_int_t)c->bytes, "format",
        cairn_format_text(cairn_tensor_format(done->to)), "distribution",
        cairn_format_distribution(cairn_tensor_format(done->to), -1), "path",
        cli_json_path(cairn_tensor_path(done->to)), "rates",
        cairn_path_rates(cairn_tensor_path(done->to)), "program",
        cli_json_program(cairn_tensor_path(done->to)), "exchange", "read",
        exchange_json(&done->reading), "store", exchange_json(&storing), "route",
        cairn_tensor_route(done->to), "why", cli_json_text(cairn_tensor_why(done->to)),
        "parts", parts_json(done));

    if (object && is_chosen(job)
        && json_object_set_new(object, "auto", cli_chosen_json(&done->chosen)) != 0) {
        json_decref(object);
        object = NULL;
    }
    return cli_json_write(job, object);
}

/// The rules are told where there was a format to come from.
static void print_rules(const conversion *conversion)
{
    const cairn_path *path = cairn_tensor_path(conversion->to);

    if (!conversion->native || cairn_path_steps(path) == 0) return;
    printf("rules:");
    for (int k = 0; k < cairn_path_steps(path); k++)
        printf(" %s", cairn_path_at(path, k).rule);
    printf("\n");
}

/// What made it slower than it need be here; queries that have no function anywhere are
/// told in JSON alone.
static void warn(cli_job *job, const cairn_tensor *to)
{
    const char *const why = cairn_tensor_why(to);

    if (why && why != cairn_tensor_interpreted(to))
        cli_warn(job, "convert: without compiled functions, slow: %s", why);
}

static cairn_status report(cli_job *job, const cost *c, const conversion *conversion)
{
    if (!cli_is_first(job)) return CAIRN_OK;
    cli_progress_phase(NULL);
    warn(job, conversion->to);
    if (cli_given(job, CLI_JSON)) return report_json(job, c, conversion);
    const exchange storing = exchange_of(conversion->to);

    printf("%s: %s in %s (read %s, store %s, write %s)\n", cli_text(job, CLI_OUTPUT),
           cli_word_bytes(c->bytes).text, cli_word_seconds(c->all).text,
           cli_word_seconds(c->read).text, cli_word_seconds(c->store).text,
           cli_word_seconds(c->write).text);
    if (is_chosen(job)) {
        printf("format    %s\n",
               cairn_format_text(cairn_tensor_format(conversion->to)));
        cli_chosen_print(&conversion->chosen);
    }
    print_rules(conversion);
    print_exchange("read", &conversion->reading);
    print_exchange("store", &storing);
    cli_visits_print(cairn_tensor_path(conversion->to));
    return CAIRN_OK;
}

static cairn_status run(cli_job *job)
{
    const double  begun      = cli_seconds();
    double        since      = begun;
    cairn_format *format     = NULL;
    cost          c          = {0};
    conversion    conversion = {.chosen = CAIRN_AUTO_INFO};

    CLI_TRY(check_output(job));
    CLI_TRY(cli_check_candidates(job, is_chosen(job), "--to auto"));
    /* A file of formats may be missing on one rank only. */
    cairn_status status =
        is_chosen(job)
            ? CAIRN_OK
            : cli_agree(
                job, cairn_format_create(job->context, cli_text(job, CLI_TO), &format));

    if (status == CAIRN_OK) status = read_candidates(job, &conversion);
    if (status == CAIRN_OK) status = convert(job, &format, &conversion, &c, &since);
    c.all = since - begun;
    if (status == CAIRN_OK) status = cli_agree(job, report(job, &c, &conversion));
    conversion_fini(job, &conversion);
    cairn_format_destroy(&format);
    return status;
}

static const char about[] =
    "OUT ends in .mtx (a matrix: coordinates, row by row, 17 digits), .tns (a tensor "
    "of any order, likewise), .petsc or .petsc64 (a matrix, as PETSc's MatLoad() "
    "reads it: integers of 32 bits where they suffice, or of 64), .rua, .rsa, .pua, "
    ".psa or .hb (a matrix, Harwell-Boeing of that type, .hb as .rua: S is symmetric "
    "to the bit, P has entries that are all 1), .cairn (the format's arrays "
    "themselves, with checksums; read on any number of ranks), .npz (arrays of any "
    "format, for numpy, binsparse and SciPy; written by one rank) or .h5, .hdf5 (the "
    "same in HDF5, for binsparse). --dtype f32 rounds. Functions are compiled for many "
    "entries; where there is no compiler it "
    "takes longer, with a warning. --to auto chooses a format for y = A x, as run "
    "--format auto does, and says which and why; with --candidates, among the formats "
    "of a file, one a line. A .cairn file stays in the format that it is in where no "
    "other is worth storing it anew in the products that CAIRN_REPLAYS says, else "
    "1000.";

static const char json[] =
    "seconds phases{read store write} bytes (of OUT) format distribution (what its "
    "text says behind @, else null) program[] (the passes, as cairn format has them) "
    "exchange{read store}{entries bytes messages asked} (of rows that went to other "
    "ranks, and of questions about places of rows; null: none did) rates (that chose "
    "them, likewise) path[] (the rewrite rules that say what was done: from the "
    "format of a .cairn file, else from coordinates) route (compiled, prebuilt or "
    "reference: by compiled functions alone, that did what the rules say in fewer "
    "passes; or the rules, all or some, were executed one by one) why (functions were "
    "missing, or what was interpreted beside them; else null) parts[]{member rank "
    "share bank nnz bytes given values (how they are stored: \"i8\", ...)} and, with "
    "--to auto, auto{} as run has it";

static const cli_example examples[] = {
    {"cairn convert grid.mtx --to 'bdia<64>' -o grid.cairn", "its arrays, in a file"},
    {"cairn convert grid.cairn --to csr -o grid.mtx",        "back to text"         },
    {"cairn convert grid.mtx --to auto -o best.cairn",
     "a format that suits it, and why"                                              },
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
    .writes   = CLI_ENTRIES " .npz .h5 .hdf5 .cairn",
    .options =
        (const cli_option_id[]){CLI_TO, CLI_CANDIDATES, CLI_OUTPUT, CLI_DTYPE,
                                CLI_THREADS, CLI_MEMORY, CLI_GIVE_UP, CLI_OPTIONS},
    .run = run,
};
