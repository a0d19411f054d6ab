// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn scale`: one operation on more and more ranks.

#include "cli/arguments/problem.h"
#include "cli/arguments/verbs.h"
#include "cli/process/progress.h"
#include "cli/run/run.h"
#include "cli/scale/scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The matrix of a point; a weak study's grows with the ranks.
static cairn_status name_matrix(cli_scale *study, cli_scale_point *point)
{
    const cli_scale_settings *settings = &study->settings;

    if (cli_problem_is_named(settings->matrix))
        return cli_problem_grow(study->job, settings->matrix,
                                settings->weak ? point->ranks : 1, &point->matrix);
    point->matrix = strdup(settings->matrix);
    return point->matrix ? CAIRN_OK
                         : cli_fail(study->job, CAIRN_NO_MEMORY, "memory: the points");
}

/// Devices, then threads, then ranks; last what is simulated, with the first of all.
static cairn_status list_points(cli_scale *study)
{
    const cli_scale_settings *s = &study->settings;
    const int                 count =
        s->devices.count * s->threads.count * s->ranks.count + s->simulated.count;

    study->point = calloc((size_t)count, sizeof *study->point);
    if (!study->point)
        return cli_fail(study->job, CAIRN_NO_MEMORY, "memory: %d points", count);
    for (int d = 0; d < s->devices.count; d++)
        for (int t = 0; t < s->threads.count; t++)
            for (int r = 0; r < s->ranks.count; r++) {
                cli_scale_point *const point = &study->point[study->points++];

                point->devices = s->devices.text[d];
                point->threads = (int)s->threads.value[t];
                point->ranks   = (int)s->ranks.value[r];
                CLI_TRY(name_matrix(study, point));
            }
    for (int r = 0; r < s->simulated.count; r++) {
        cli_scale_point *const point = &study->point[study->points++];

        point->simgrid = true;
        point->devices = s->devices.text[0];
        point->threads = (int)s->threads.value[0];
        point->ranks   = (int)s->simulated.value[r];
        CLI_TRY(name_matrix(study, point));
    }
    return CAIRN_OK;
}

/// One run of a point: what is in the folder, or else made now.
static cairn_status run_point(cli_scale *study, cli_scale_point *point, int run)
{
    static char doing[160]; /* shown until the next */
    const int   each = study->points - study->settings.simulated.count;
    bool        taken;

    if (*point->failed) return CAIRN_OK;
    CLI_TRY(cli_scale_take(study, point, run, &taken));
    study->kept += taken;
    if (taken) return CAIRN_OK;
    snprintf(doing, sizeof doing, "run %d of %d: ranks %d, threads %d%s%.60s",
             run * each + (int)(point - study->point) + 1,
             each * (int)study->settings.repeat, point->ranks, point->threads,
             *point->devices ? ", " : "", point->devices);
    cli_progress_phase(doing);
    return cli_scale_make(study, point, run);
}

/// All runs, in turns, so that what else the machine does meets all points alike.
static cairn_status run_points(cli_scale *study)
{
    for (int run = 0; run < study->settings.repeat; run++)
        for (int k = 0; k < study->points; k++)
            if (!study->point[k].simgrid)
                CLI_TRY(run_point(study, &study->point[k], run));
    return CAIRN_OK;
}

/// What is simulated has its speeds from what was measured.
static cairn_status simulate_points(cli_scale *study)
{
    static char doing[64]; /* shown until the next */

    if (!study->settings.platform) return CAIRN_OK;
    cli_scale_judge(study);
    for (int k = 0; k < study->points; k++) {
        if (!study->point[k].simgrid) continue;
        snprintf(doing, sizeof doing, "simulate: ranks %d", study->point[k].ranks);
        cli_progress_phase(doing);
        CLI_TRY(cli_scale_simulate(study, &study->point[k]));
    }
    return CAIRN_OK;
}

/// Tell what failed; all of it is tried again when the command is given once more.
static cairn_status tell_failed(cli_scale *study)
{
    const cli_scale_point *first  = NULL;
    int                    failed = 0;
    bool                   wrong  = true;

    for (int k = 0; k < study->points; k++) {
        if (!*study->point[k].failed) continue;
        if (!first) first = &study->point[k];
        wrong &= study->point[k].wrong;
        failed++;
    }
    if (failed == 0) return CAIRN_OK;
    return cli_fail(study->job,
                    wrong && failed == study->points ? CAIRN_BAD_OPTION : CAIRN_COMM,
                    "scale: %d of %d points: failed, and the next command tries them "
                    "again; ranks %d, threads %d: %s",
                    failed, study->points, first->ranks, first->threads, first->failed);
}

static cairn_status execute(cli_scale *study)
{
    bool any = false;

    CLI_TRY(list_points(study));
    CLI_TRY(cli_scale_folder_open(study));
    CLI_TRY(run_points(study));
    CLI_TRY(simulate_points(study));
    cli_progress_phase(NULL);
    for (int k = 0; k < study->points; k++)
        any |= study->point[k].runs > 0;
    if (any) {
        cli_scale_judge(study);
        CLI_TRY(cli_scale_plot(study));
        CLI_TRY(cli_scale_report(study));
    }
    return tell_failed(study);
}

static cairn_status run(cli_job *job)
{
    static cli_scale study; /* too large for a stack */

    study = (cli_scale){.job = job, .lock = -1};
    CLI_TRY(cli_scale_settings_read(job, &study.settings));
    const cairn_status status = execute(&study);

    cli_scale_folder_close(&study);
    for (int k = 0; k < study.points; k++)
        free(study.point[k].matrix);
    free(study.point);
    return status;
}

static const char about[] =
    "Runs an operation on every number of ranks, with every number of threads a rank "
    "(--threads 1,2; 1 by itself), on every list of devices (--devices "
    "'cpu;cpu:2,opencl': of the command the default), each --repeat times, in turns, "
    "and "
    "says how the time goes down and what limits it. A run is what cairn run, or cairn "
    "solve, does under the launcher, with the options that are given here; --x, "
    "--candidates and FILE are read by all ranks.\n"
    "\n"
    "The study is kept in a folder. What is finished is not run again: a command that "
    "was stopped, failed in some points, or shall have more ranks, is given once more "
    "and "
    "goes on. Points that failed are told, with why, and do not stop the others; the "
    "status is then 1.\n"
    "\n"
    "--weak: the problem grows with the ranks. In place of FILE a test problem stands "
    "in "
    "one word, KIND:NAME=VALUE,..., whose last extent is multiplied by the number of "
    "ranks: ny of stencil5, nz of the other stencils, n, rows, and of rmat edges, "
    "whose "
    "scale grows with them. Every rank makes its own rows of it.\n"
    "\n"
    "Speedup and efficiency compare entries a second, and entries a second and thread, "
    "with the base: of the same devices the point with the fewest ranks times threads. "
    "Seconds of a product are taken apart: work of the ranks, in the mean; of it what "
    "an "
    "entry takes more than at the base (memory, or processors that are fewer than "
    "threads); imbalance, up to the slowest rank; what is left is the start of threads "
    "and kernels as the base has it on one rank, else exchange. What of these takes "
    "most, "
    "and at least a twentieth, is the limit.\n"
    "\n"
    "--simulate FILE adds points on ranks that there need not be: of each of "
    "--simulated-ranks a product is recorded, by as many ranks on the processors that "
    "there are, and replayed by SimGrid's smpirun on the hosts and the network of its "
    "platform FILE. Sizes and messages are the product's; work has the speed that was "
    "measured at the base, of the platform's first host. Steps of `solve cg` are "
    "counted from the matrix instead, so that there may be thousands of ranks. Such "
    "points say simulated, "
    "and "
    "how far they are from what was measured on as many ranks.\n"
    "\n"
    "points.csv and points.json have the numbers, plots.svg and plots.png show them "
    "where "
    "gnuplot is, by plots.gp.";

static const char json[] =
    "op matrix scaling (strong, weak) folder processors (null: of other machines) "
    "runs_made runs_kept (found in the folder) points[]{clock (measured, simulated) "
    "simulator (simgrid, or null) error (of its "
    "seconds to the measured ones, or null) ranks threads devices "
    "matrix crowded (more threads than processors) runs seconds[] (the runs' medians) "
    "failed (why, or null)} and, of points that have runs, {rows cols nnz "
    "seconds_median "
    "(of the runs' medians) seconds_min gflops speedup efficiency halo halo_bytes "
    "bytes_per_run imbalance (of the slowest rank's work to the mean) seconds_work "
    "seconds_memory seconds_imbalance seconds_exchange seconds_start limit (product, "
    "memory, processors, imbalance, exchange, start) why}";

static const cli_example examples[] = {
    {"cairn scale spmv grid.mtx --ranks 1,2,4",                                      "the same matrix on more ranks"},
    {"cairn scale spmv stencil7:nx=64,ny=64,nz=64 --weak --ranks 1,2,4,8",
     "as many rows on each"                                                                                         },
    {"cairn scale spmm grid.mtx --k 8 --ranks 1,2 --threads 1,2 --folder spmm",
     "ranks beside threads"                                                                                         },
    {"cairn scale spmv grid.mtx --ranks 2,4,8 --launcher 'mpirun --hostfile hosts'",
     "on other machines"                                                                                            },
    {NULL,                                                                           NULL                           },
};

const cli_verb cli_verb_scale = {
    .name     = "scale",
    .operands = "OP FILE",
    .least    = 2,
    .most     = 3,
    .summary  = "A scaling study: more and more ranks, and what limits them",
    .about    = about,
    .json     = json,
    .examples = examples,
    .words    = "OP",
    .word     = cli_operation_word,
    .options =
        (const cli_option_id[]){
                                CLI_RANKS, CLI_STRONG, CLI_WEAK, CLI_REPEAT,
                                CLI_WITHIN, CLI_FOLDER, CLI_LAUNCHER, CLI_SIMULATE,
                                CLI_SIMULATED, CLI_FORMAT, CLI_CANDIDATES, CLI_PLACE,
                                CLI_DEVICES, CLI_DISTRIBUTE, CLI_DTYPE, CLI_K,
                                CLI_TRANSPOSE, CLI_THREADS, CLI_MEMORY, CLI_GIVE_UP,
                                CLI_ITERS, CLI_WARMUP, CLI_X, CLI_PRECONDITION,
                                CLI_TOL, CLI_MAX_ITERATIONS, CLI_RHS, CLI_REPRODUCIBLE,
                                CLI_OPTIONS},
    .threads_of_others = true,
    .run               = run,
};
