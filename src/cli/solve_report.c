// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is told of a solution.

#include "json.h"
#include "solve.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LINES = 20 }; ///< Of a history, about.

static const char *outcome(const cli_solve *solve)
{
    static const char *const words[] = {"converged", "limit", "stopped", "breakdown"};

    return words[solve->info.outcome];
}

static json_t *history(const cli_solve *solve)
{
    json_t *list = json_array();

    for (int64_t k = 0; k < solve->points; k++)
        if (json_array_append_new(list, cli_json_real(solve->point[k].residual)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

json_t *cli_solve_object(const cli_solve *solve)
{
    const cairn_solve_info *info   = &solve->info;
    const bool              bounds = info->upper > 0;
    json_t                 *all    = cli_run_object(&solve->run);
    json_t                 *own    = json_pack(
                           "{s:s, s:s, s:s, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:f, s:f, s:f, "
                                              "s:I, s:I, s:f, "
                                              "s:o}",
                           "method", solve->options.method, "precondition",
        solve->options.precondition ? solve->options.precondition : "none", "outcome",
                           outcome(solve), "tolerance", solve->options.tolerance, "iterations",
                           (json_int_t)info->iterations, "residual", cli_json_real(info->residual),
                           "true_residual", cli_json_real(info->true_residual), "lower",
                           cli_json_real(bounds ? info->lower : NAN), "upper",
                           cli_json_real(bounds ? info->upper : NAN), "why", cli_json_text(solve->why),
                           "products", (json_int_t)info->products, "reductions",
                           (json_int_t)info->reductions, "seconds_solve", info->seconds,
                           "seconds_products", info->product_seconds, "seconds_precondition",
                           info->precondition_seconds, "first", (json_int_t)info->first, "checkpoints",
                           (json_int_t)info->checkpoints, "seconds_checkpoint", info->checkpoint_seconds,
                           "history", history(solve));

    if (all && own && json_object_update_new(all, own) == 0) return all;
    json_decref(all);
    return NULL;
}

/// Some twenty of the iterations, the first and the last among them.
static void print_history(const cli_solve *solve)
{
    const int64_t stride = (solve->points + LINES - 1) / LINES;

    printf("\n  iteration  residual\n");
    for (int64_t k = 0; k < solve->points; k++)
        if (k % stride == 0 || k + 1 == solve->points)
            printf("  %-9" PRId64 "  %.3e\n", solve->info.first + k,
                   solve->point[k].residual);
}

static void print_times(const cli_solve *solve)
{
    const cairn_solve_info *info = &solve->info;

    if (info->iterations > info->first)
        printf("a step    %s median; products %s of all\n",
               cli_word_seconds(solve->run.seconds.median).text,
               cli_word_percent(info->product_seconds / info->seconds).text);
    printf("all       %s: %" PRId64 " products, %" PRId64 " reductions\n",
           cli_word_seconds(info->seconds).text, info->products, info->reductions);
    printf("before    read %s, store %s, plan %s\n",
           cli_word_seconds(solve->run.seconds.read).text,
           cli_word_seconds(solve->run.seconds.convert).text,
           cli_word_seconds(solve->run.seconds.prepare).text);
}

void cli_solve_print(const cli_solve *solve)
{
    const cairn_solve_info *info = &solve->info;

    cli_run_print_setting(&solve->run);
    printf("method    %s, preconditioner %s\n", solve->options.method,
           solve->options.precondition ? solve->options.precondition : "none");
    if (info->upper > 0) printf("bounds    %.6g to %.6g\n", info->lower, info->upper);
    print_times(solve);
    if (solve->checkpoints.folder)
        printf("kept      %" PRId64
               " checkpoint%s in %s, for which iterations waited %s\n",
               info->checkpoints, info->checkpoints == 1 ? "" : "s",
               solve->checkpoints.folder,
               cli_word_seconds(info->checkpoint_seconds).text);
    print_history(solve);
    printf("\n%s after %" PRId64 " iteration%s: residual %.3g, computed anew %.3g\n",
           info->outcome == CAIRN_SOLVE_CONVERGED ? "converged" : "NOT converged",
           info->iterations, info->iterations == 1 ? "" : "s", info->residual,
           info->true_residual);
    if (solve->run.settings.files.out)
        printf("\nx in %s\n", solve->run.settings.files.out);
}
