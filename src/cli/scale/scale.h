// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A scaling study: what was asked (scale_settings.c), its points and their runs, kept in a
/// folder (scale_folder.c, scale_run.c), what they say (scale_limits.c), and how that is
/// told (scale_report.c, scale_plots.c).

#ifndef CLI_SCALE_H
#define CLI_SCALE_H

#include "cli/arguments/job.h"

#include <limits.h>

enum {
    CLI_SCALE_LIST    = 32,  ///< Most of a list: numbers of ranks, of threads.
    CLI_SCALE_RUNS    = 99,  ///< Most of --repeat.
    CLI_SCALE_DEVICES = 8,   ///< Most lists of devices.
    CLI_SCALE_TEXT    = 120, ///< Bytes of a list of devices.
};

/// Whole numbers of a list.
typedef struct cli_scale_list {
    int64_t value[CLI_SCALE_LIST];
    int     count;
} cli_scale_list;

/// Lists of devices; "": what `run` takes by itself.
typedef struct cli_scale_devices {
    char text[CLI_SCALE_DEVICES][CLI_SCALE_TEXT];
    int  count;
} cli_scale_devices;

/// What the arguments say.
typedef struct cli_scale_settings {
    const char    *words[CLI_OPERANDS + 1]; ///< "run" "spmv", "solve" "cg"; NULL ends.
    const char    *matrix;                  ///< File or test problem.
    bool           weak;                    ///< The problem grows with the ranks.
    cli_scale_list ranks, threads;
    cli_scale_devices devices;
    int64_t           repeat;            ///< Runs of each point.
    double            within;            ///< Seconds of one run, with all before it.
    const char       *folder, *launcher; ///< launcher NULL: mpirun, else mpiexec.
    int            processors; ///< Of the machine, for the ranks' threads; 0: unknown.
    const char    *platform;   ///< SimGrid's file; NULL: nothing is simulated.
    cli_scale_list simulated;  ///< Numbers of ranks that are.
} cli_scale_settings;

/// Read and check the arguments. @retval CAIRN_BAD_OPTION, CAIRN_UNSUPPORTED
cairn_status cli_scale_settings_read(cli_job *job, cli_scale_settings *settings);

/// The k-th option that is handed on to the runs; CLI_OPTIONS past the last.
cli_option_id cli_scale_passed(int k);

/// What one run of a point took, in seconds.
typedef struct cli_scale_run {
    double median, fastest; ///< Of the product.
    double mean, slowest;   ///< Of the ranks' own work in one product.
} cli_scale_run;

/// What runs of a point have in common.
typedef struct cli_scale_size {
    int64_t rows, cols, nnz;
    int64_t halo, halo_bytes, bytes; ///< Rows and bytes from other ranks, bytes in all.
    double  flops;                   ///< Of a product.
    bool    simulated;               ///< By the models of simulated devices.
} cli_scale_size;

/// Why a point takes what it does, beside the work of the product itself.
typedef enum cli_scale_limit {
    CLI_SCALE_PRODUCT,   ///< Nothing else takes a twentieth.
    CLI_SCALE_MEMORY,    ///< An entry takes longer than at the base: what is shared.
    CLI_SCALE_CROWD,     ///< That or exchange, with more threads than processors.
    CLI_SCALE_IMBALANCE, ///< Ranks wait for the slowest.
    CLI_SCALE_EXCHANGE,  ///< Ranks wait for messages.
    CLI_SCALE_START,     ///< Around the work: threads, kernels, barriers.
} cli_scale_limit;

/// A product's seconds, taken apart; they sum up to those of the run.
typedef struct cli_scale_shares {
    double work, memory, imbalance, exchange, start;
} cli_scale_shares;

/// What a point says beside the base of its devices (docs/scaling.md).
typedef struct cli_scale_verdict {
    cli_scale_run    seconds; ///< Medians over the runs; fastest the least of them.
    cli_scale_shares share;
    double           speedup, efficiency; ///< NAN: no base.
    double           imbalance;           ///< The slowest rank over the mean.
    double           stretch;             ///< Time of an entry over that at the base.
    cli_scale_limit  limit;
    char             sentence[200];
} cli_scale_verdict;

/// One point of a study.
typedef struct cli_scale_point {
    int               ranks, threads;
    const char       *devices; ///< "": none were named.
    char             *matrix;  ///< What runs read: grown, where the study is weak.
    int               runs;    ///< That are finished,
    cli_scale_run     run[CLI_SCALE_RUNS];
    cli_scale_size    size;
    char              failed[400]; ///< Why it is not finished; "": it is, or not yet.
    bool              wrong;       ///< That is wrong whatever the machine.
    cli_scale_verdict verdict;
    bool              simgrid; ///< Its ranks are SimGrid's.
    double            error;   ///< Of its seconds to the measured ones; NAN: none are.
} cli_scale_point;

/// A study.
typedef struct cli_scale {
    cli_job           *job;
    cli_scale_settings settings;
    cli_scale_point   *point; ///< [points]
    int                points;
    int                lock;  ///< Of the folder; below 0: none.
    int                fresh; ///< Runs that were made now,
    int                kept;  ///< and that were there.
} cli_scale;

/// Make the folder, or hold it against this study, and keep others out of it.
/// @retval CAIRN_BAD_OPTION  It is another study's. @retval CAIRN_IO
cairn_status cli_scale_folder_open(cli_scale *study);
void         cli_scale_folder_close(cli_scale *study);

/// Name a file of the folder, with an ending.
/// @retval CAIRN_BAD_OPTION  The name is too long.
cairn_status cli_scale_file(cli_scale *study, const char *name, char path[PATH_MAX]);

enum { CLI_SCALE_RECORD = -1 }; ///< The run that records a product for SimGrid.

/// Name what belongs to the @p run-th run (from 0) of a point, or to its record.
cairn_status cli_scale_run_file(cli_scale             *study,
                                const cli_scale_point *point,
                                int                    run,
                                const char            *ending,
                                char                   path[PATH_MAX]);

/// Take the @p run-th run of a point from its file, if that is there and whole.
cairn_status
cli_scale_take(cli_scale *study, cli_scale_point *point, int run, bool *taken);

/// Make the run. What goes wrong with it is the point's failure, not the study's.
cairn_status cli_scale_make(cli_scale *study, cli_scale_point *point, int run);

/// Record a product of a point that is simulated, or count a solver's step, and have SimGrid
/// replay it. What goes wrong
/// is the point's failure. After cli_scale_judge() of what was measured.
cairn_status cli_scale_simulate(cli_scale *study, cli_scale_point *point);

/// Write the record of a step of CG on a point's ranks, counted from the matrix. What is not
/// counted (another method, format or distribution) is the point's failure.
cairn_status cli_scale_skeleton(cli_scale             *study,
                                cli_scale_point       *point,
                                const cli_scale_point *base,
                                const char            *path);

/// Fill the verdicts of all points that have runs.
void cli_scale_judge(cli_scale *study);

/// What a point is compared with: of the measured points with the same devices that on the
/// fewest processors, of these that of the fewest ranks; NULL: none has runs.
const cli_scale_point *cli_scale_base(const cli_scale       *study,
                                      const cli_scale_point *point);

/// Has a point more threads than the machine has processors?
bool cli_scale_is_crowded(const cli_scale *study, const cli_scale_point *point);

/// The word of a limit: "memory".
const char *cli_scale_limit_word(cli_scale_limit limit);

/// Write points.csv and points.json into the folder, and tell.
cairn_status cli_scale_report(cli_scale *study);

/// Write plots.gp, and have gnuplot draw plots.svg and plots.png.
cairn_status cli_scale_plot(cli_scale *study);

#endif
