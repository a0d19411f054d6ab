// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn whatif`: what a plan would take on a machine that is not here.

#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"
#include "cli/output/json.h"
#include "cli/output/words.h"
#include "cli/process/progress.h"
#include "cli/ranks/gather.h"
#include "cli/run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What a rank has of its own, as numbers that are gathered.
enum {
    BYTES,
    ENTRIES,
    MESSAGES,
    HALO_BYTES,
    INSIDE,
    ALL,
    WORK,
    EXCHANGE,
    VECTORS,
    SUMS,
    NUMBERS
};

typedef struct cli_whatif {
    cli_run              run;
    cairn_whatif_options options;
    cairn_whatif         answer;
    double              *rank; ///< [ranks][NUMBERS] On rank 0 and all others.
} cli_whatif;

/// `spmv FILE`, `spmm FILE`, or `solve METHOD FILE`.
static cairn_status read_operation(cli_whatif *whatif)
{
    cli_job             *job      = whatif->run.job;
    cli_run_settings    *settings = &whatif->run.settings;
    const cli_arguments *given    = &job->arguments;
    const bool           solve    = strcmp(given->operand[0], "solve") == 0;
    const int            needed   = solve ? 3 : 2;
    int                  which;

    if (!solve)
        CLI_TRY(cli_choose(job, "whatif", given->operand[0], &cli_studies, &which));
    if (given->operands != needed)
        return cli_fail(job, CAIRN_BAD_OPTION, "operand: whatif %s: %s",
                        given->operand[0],
                        given->operands > needed ? "one too many"
                        : solve                  ? "METHOD or FILE is missing"
                                                 : "FILE is missing");
    settings->op   = given->operand[0];
    settings->file = given->operand[needed - 1];
    if (!solve) {
        if (cli_given(job, CLI_PRECONDITION))
            return cli_fail(job, CAIRN_BAD_OPTION,
                            "option: --precondition: %s is no solver", settings->op);
        return cli_read_columns(job, settings->op, &settings->columns);
    }
    whatif->options.method       = given->operand[1];
    whatif->options.precondition = cli_text(job, CLI_PRECONDITION);
    settings->columns            = 1;
    if (cli_given(job, CLI_K))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --k: a solver has one column; --k is for spmm");
    return job->dtype == CAIRN_F64 ? CAIRN_OK
                                   : cli_not_yet(job, "f32", "option: --dtype");
}

static cairn_status read_settings(cli_whatif *whatif)
{
    cli_job *job = whatif->run.job;

    whatif->run.settings    = cli_run_settings_standard(job);
    whatif->options.machine = cli_text(job, CLI_MACHINE);
    CLI_TRY(read_operation(whatif));
    if (!whatif->options.machine)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --machine: is missing: the FILE of the other machine");
    return cli_run_settings_common(job, &whatif->run.settings);
}

/// Have every rank's numbers everywhere.
static cairn_status gather(cli_whatif *whatif)
{
    const cairn_whatif *answer        = &whatif->answer;
    const double        mine[NUMBERS] = {
               [BYTES]      = (double)answer->bytes,
               [ENTRIES]    = (double)answer->entries,
               [MESSAGES]   = (double)answer->messages,
               [HALO_BYTES] = (double)answer->halo_bytes,
               [INSIDE]     = answer->inside,
               [ALL]        = answer->mine.all,
               [WORK]       = answer->mine.work,
               [EXCHANGE]   = answer->mine.exchange,
               [VECTORS]    = answer->mine.vectors,
               [SUMS]       = answer->mine.sums,
    };

    return cli_gather(whatif->run.job, mine, NUMBERS, &whatif->rank);
}

static const double *numbers_of(const cli_whatif *whatif, int rank)
{
    return whatif->rank + (size_t)rank * NUMBERS;
}

static json_t *rank_object(const double *number)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f}", "bytes",
                     (json_int_t)number[BYTES], "entries", (json_int_t)number[ENTRIES],
                     "messages", (json_int_t)number[MESSAGES], "halo_bytes",
                     (json_int_t)number[HALO_BYTES], "inside", number[INSIDE],
                     "seconds", number[ALL], "seconds_work", number[WORK],
                     "seconds_exchange", number[EXCHANGE], "seconds_vectors",
                     number[VECTORS], "seconds_sums", number[SUMS]);
}

static json_t *answer_object(const cli_whatif *whatif)
{
    const cli_run      *run    = &whatif->run;
    const cairn_whatif *answer = &whatif->answer;
    const bool          known  = answer->measurements > 0;
    json_t *const       ranks  = json_array();

    for (int r = 0; r < cairn_context_size(run->job->context); r++)
        json_array_append_new(ranks, rank_object(numbers_of(whatif, r)));
    return json_pack(
        "{s:s, s:s?, s:s?, s:o, s:I, s:I, s:I, s:s, s:s, s:o, s:i, s:s, s:f, s:o, s:o, "
        "s:I, s:i, s:o, s:o}",
        "op", run->settings.op, "method", whatif->options.method, "precondition",
        whatif->options.precondition, "matrix", cli_json_text(run->settings.file),
        "rows", (json_int_t)run->matrix.extent[0], "cols",
        (json_int_t)run->matrix.extent[1], "nnz", (json_int_t)run->matrix.nnz, "dtype",
        run->job->dtype == CAIRN_F32 ? "f32" : "f64", "format",
        cairn_format_text(run->format), "machine", cli_json_text(answer->machine),
        "ranks", cairn_context_size(run->job->context), "clock", "predicted", "seconds",
        answer->seconds, "seconds_low", known ? json_real(answer->low) : json_null(),
        "seconds_high", known ? json_real(answer->high) : json_null(), "held_out",
        (json_int_t)answer->measurements, "families", answer->families, "error",
        known ? json_pack("[f, f, f]", answer->error[0], answer->error[1],
                          answer->error[2])
              : json_null(),
        "rank", ranks);
}

static void print_bar(const cairn_whatif *answer)
{
    if (answer->measurements == 0) {
        printf(
            "error     not known: nothing to hold out was measured on this machine\n");
        return;
    }
    printf("error     %s to %s, if products are as far from such rates as here\n",
           cli_word_seconds(answer->low).text, cli_word_seconds(answer->high).text);
    printf("          (measured over predicted, of %" PRId64 " held-out products of %d "
           "families: %.2f, %.2f, %.2f)\n",
           answer->measurements, answer->families, answer->error[0], answer->error[1],
           answer->error[2]);
}

static void print_answer(const cli_whatif *whatif)
{
    const cli_run      *run    = &whatif->run;
    const cairn_whatif *answer = &whatif->answer;
    const int           ranks  = cairn_context_size(run->job->context);
    const bool          solve  = whatif->options.method != NULL;

    printf("whatif %s%s%s %s: %" PRId64 " x %" PRId64 ", %s, %d rank%s of %s\n",
           run->settings.op, solve ? " " : "", solve ? whatif->options.method : "",
           run->settings.file, run->matrix.extent[0], run->matrix.extent[1],
           cli_word_entries(run->matrix.nnz).text, ranks, ranks > 1 ? "s" : "",
           answer->machine);
    printf("format    %s\n", cairn_format_text(run->format));
    printf("predicted %s %s\n", cli_word_seconds(answer->seconds).text,
           solve ? "a step" : "a run");
    print_bar(answer);
    printf("\n  rank  bytes       messages  halo        inside  work      exchange  "
           "%sseconds\n",
           solve ? "vectors   sums      " : "");
    for (int r = 0; r < ranks; r++) {
        const double *number = numbers_of(whatif, r);

        printf("  %-4d  %-10s  %-8.0f  %-10s  %-6s  %-8s  %-8s  ", r,
               cli_word_bytes((int64_t)number[BYTES]).text, number[MESSAGES],
               cli_word_bytes((int64_t)number[HALO_BYTES]).text,
               cli_word_percent(number[INSIDE]).text,
               cli_word_seconds(number[WORK]).text,
               cli_word_seconds(number[EXCHANGE]).text);
        if (solve)
            printf("%-8s  %-8s  ", cli_word_seconds(number[VECTORS]).text,
                   cli_word_seconds(number[SUMS]).text);
        printf("%s\n", cli_word_seconds(number[ALL]).text);
    }
}

static cairn_status report(const cli_whatif *whatif)
{
    cli_job *job = whatif->run.job;

    if (!cli_is_first(job)) return CAIRN_OK;
    if (cli_given(job, CLI_JSON)) return cli_json_write(job, answer_object(whatif));
    print_answer(whatif);
    return cli_flush(job);
}

static cairn_status execute(cli_whatif *whatif)
{
    cli_run *run = &whatif->run;

    CLI_TRY(cli_run_load(run));
    CLI_TRY(cli_run_prepare(run));
    CLI_TRY(cairn_plan_whatif(run->plan, &whatif->options, &whatif->answer));
    CLI_TRY(gather(whatif));
    cli_progress_phase(NULL);
    return cli_agree(run->job, report(whatif));
}

static cairn_status run_verb(cli_job *job)
{
    cli_whatif whatif = {
        .run     = {.job = job, .matrix = CAIRN_SOURCE_INFO, .moved = CAIRN_PLAN_INFO},
        .options = CAIRN_WHATIF_OPTIONS,
        .answer  = CAIRN_WHATIF
    };

    CLI_TRY(read_settings(&whatif));
    whatif.run.product = (cairn_product_options){.size = sizeof(cairn_product_options),
                                                 .columns = whatif.run.settings.columns,
                                                 .alpha   = 1};
    const cairn_status status = execute(&whatif);

    free(whatif.rank);
    cli_run_release(&whatif.run);
    return status;
}

static const char about[] =
    "Predicts a run of `run`, or a step of `solve METHOD`, on a machine of which "
    "--machine "
    "FILE has the rates: what its devices take to start, for a byte and for an entry, "
    "and "
    "what messages take inside a host and between hosts. The plan is made here, on as "
    "many "
    "ranks as are asked about (mpirun -n 4 cairn whatif ...), so that entries, bytes, "
    "messages and the rows that are computed meanwhile are counted; nothing is run.\n"
    "\n"
    "The error says how far such rates are from products: rates are fitted to what "
    "this "
    "machine has measured (CAIRN_COSTS), but for some families of formats, and asked "
    "of "
    "these. Four fifths of the held-out measurements lie in it. It is not known where "
    "nothing was measured, says nothing of messages, and cannot know whether the file "
    "is "
    "right.";

static const char json[] =
    "op method precondition (null: none) matrix rows cols nnz dtype format machine "
    "ranks "
    "clock (predicted) seconds (of a run, or of a solver's step) seconds_low "
    "seconds_high "
    "held_out (measurements) families (of formats) error[] (measured over predicted of "
    "these: a tenth, the half, nine tenths are less); all of these null where nothing "
    "was "
    "held out; rank[]{bytes entries messages halo_bytes inside (share of its rows) "
    "seconds "
    "seconds_work seconds_exchange seconds_vectors seconds_sums}";

static const cli_example examples[] = {
    {"cairn whatif spmv grid.mtx --machine card.json",                                "one device"},
    {"mpirun -n 4 cairn whatif solve cg grid.mtx --machine cards.json",
     "a step of CG on four"                                                                       },
    {"mpirun -n 4 cairn whatif spmv grid.mtx --distribute cost --machine cards.json",
     "rows by what they take"                                                                     },
    {NULL,                                                                            NULL        },
};

const cli_verb cli_verb_whatif = {
    .name     = "whatif",
    .operands = "OP FILE",
    .least    = 2,
    .most     = 3,
    .summary  = "Predict a plan on another machine, from its rates",
    .about    = about,
    .json     = json,
    .examples = examples,
    .words    = "OP",
    .word     = cli_operation_word,
    .options =
        (const cli_option_id[]){CLI_MACHINE, CLI_PRECONDITION, CLI_FORMAT,
                                CLI_CANDIDATES, CLI_DISTRIBUTE, CLI_DTYPE, CLI_K,
                                CLI_THREADS, CLI_MEMORY, CLI_GIVE_UP, CLI_OPTIONS},
    .run = run_verb,
};
