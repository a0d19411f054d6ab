// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A run: what was asked (run_settings.c), what happened (run_load.c, run_time.c, verb_run.c
/// and verb_solve.c), what is told (run_report.c).

#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/arguments/job.h"

#include <jansson.h>

/// Files that a run reads beside the matrix, and writes. NULL: not given.
typedef struct cli_run_files {
    const char *x; ///< "ones", "ramp" or a file.
    const char *plan;
    const char *out, *trace, *plan_out; ///< Written.
} cli_run_files;

enum { CLI_BLOCKS = 40 }; ///< Bytes of "blocks<p,q>".

/// What the options say.
typedef struct cli_run_settings {
    const char    *op, *file;
    const char    *format;          ///< As written.
    bool           choose;          ///< It is "auto".
    const char    *candidates;      ///< File of formats to choose among; NULL: none.
    const char    *place, *devices; ///< NULL: not given.
    cairn_division division;
    char           blocks[CLI_BLOCKS]; ///< Of "2d".
    const char *
        said; ///< "graph", "cost", "blocks<2,1>": as if a format that says nothing said this
              ///< behind its @; or NULL.
    int64_t       columns; ///< Of the dense operand; 1 for spmv.
    int64_t       iters, warmup;
    int64_t       chain; ///< Products of a run, each Y the next X; 0: one.
    cli_run_files files;
    bool          verify;
} cli_run_settings;

/// Read and check the options of a run. @retval CAIRN_BAD_OPTION, CAIRN_UNSUPPORTED
cairn_status cli_run_settings_read(cli_job *job, cli_run_settings *settings);

/// What stands where nothing is given; and those options of a run that other verbs have, too:
/// formats, places and distributions, read and checked.
cli_run_settings cli_run_settings_standard(cli_job *job);
cairn_status     cli_run_settings_common(cli_job *job, cli_run_settings *settings);

/// Columns of the dense operand of an operation: --k, one for spmv.
/// @retval CAIRN_BAD_OPTION  --k is no number, or given with spmv.
cairn_status cli_read_columns(cli_job *job, const char *op, int64_t *columns);

/// The k-th operation, for help and completion; false past the last.
bool cli_operation_word(int k, cli_word_row *row);

/// What a run took, of all ranks the slowest.
typedef struct cli_run_seconds {
    double read, convert, prepare; ///< Before it.
    double median, fastest, total; ///< Of the timed runs, all ranks together.
} cli_run_seconds;

/// The result beside an independent sum, and products beside sums of columns.
typedef struct cli_run_verdict {
    double           rel_error, abs_error;
    bool             ok;
    bool             guarded; ///< --guard:
    cairn_guard_info guard;   ///< what it found.
} cli_run_verdict;

/// How a format was chosen.
typedef struct cli_run_choice {
    char            *candidates; ///< Text of the file that was named; or NULL.
    cairn_auto_info *info;       ///< NULL: the format was given.
    bool
        later; ///< It is chosen beside what runs, which begins as if none were named, or
               ///< as a .cairn file has it.
} cli_run_choice;

/// What happened.
typedef struct cli_run {
    cli_job         *job;
    cli_run_settings settings;
    cairn_format    *format;
    cairn_source    *source; ///< NULL when it is no longer needed.
    cairn_tensor    *tensor;
    bool        from_tensor; ///< Of a .cairn file: its rows stayed with their ranks.
    cairn_plan *plan;
    cairn_product_options product;
    cli_run_choice        choice;
    int64_t
        align; ///< Ranks begin at multiples of so many rows; 0: as the format has it.
    cairn_source_info matrix;
    cairn_plan_info   moved;
    cli_run_seconds   seconds;
    cairn_plan_part  *part; ///< [parts] of all ranks.
    int64_t           parts;
    cli_run_verdict   verdict;
} cli_run;

/// Products of a run.
static inline int64_t cli_run_products(const cli_run *run)
{
    return run->settings.chain > 0 ? run->settings.chain : 1;
}

/// Read the file and store it. Collective.
cairn_status cli_run_load(cli_run *run);

/// Prepare the product. Collective.
cairn_status cli_run_prepare(cli_run *run);

/// Warn of what makes a run slower than it need be. Collective; after cli_run_collect().
cairn_status cli_run_warn(cli_run *run);

/// Free what there is.
void cli_run_release(cli_run *run);

/// Run the plan untimed and timed, and fill the seconds.
///
/// Collective. A run's time is that between two barriers, the slowest rank's. Every chain
/// begins with the X that the plan has when this is called.
cairn_status cli_run_time(cli_run *run);

/// Fill the parts of all ranks, their seconds included. Collective.
cairn_status cli_run_collect(cli_run *run);

/// What `run` tells, as an object with its fields; NULL: no memory.
json_t *cli_run_object(const cli_run *run);

/// What --guard found, for people: nothing where it was not given. Rank 0.
void cli_run_print_guard(const cli_run *run);

/// Print how a format was chosen, what came before, and what parts do. Rank 0.
void cli_run_print_setting(const cli_run *run);
void cli_run_print_parts(const cli_run *run);

/// Tell, as JSON or to people. Rank 0.
cairn_status cli_run_report(const cli_run *run);

#endif
