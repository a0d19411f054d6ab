// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is told of a solution.

#include "cli/output/json.h"
#include "cli/output/words.h"
#include "cli/solve/solve.h"

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

/// What became of another format.
static json_t *other(const cli_solve *solve)
{
    const cairn_solve_switch_info *o = &solve->switched;

    if (!solve->options.other) return json_null();
    return json_pack("{s:s?, s:o, s:o, s:f, s:o, s:o, s:s}", "format",
                     o->format[0] ? o->format : NULL, "tried",
                     o->tried < 0 ? json_null() : json_integer(o->tried), "switched",
                     o->switched < 0 ? json_null() : json_integer(o->switched),
                     "seconds", o->seconds, "before",
                     cli_json_real(o->before > 0 ? o->before : NAN), "after",
                     cli_json_real(o->after > 0 ? o->after : NAN), "why", o->why);
}

json_t *cli_solve_object(const cli_solve *solve)
{
    const cairn_solve_info *info   = &solve->info;
    const bool              bounds = info->upper > 0;
    json_t                 *all    = cli_run_object(&solve->run);
    json_t                 *own    = json_pack(
                           "{s:s, s:s, s:s, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:f, s:f, s:f, "
                                              "s:I, s:I, s:f, "
                                              "s:o, s:o}",
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
                           "other", other(solve), "history", history(solve));

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

/// What became of another format, and when.
static void print_other(const cli_solve *solve)
{
    const cairn_solve_switch_info *o = &solve->switched;

    if (!solve->options.other) return;
    printf("beside    %s: %s; it took %s\n", o->format[0] ? o->format : "no format",
           o->why[0] ? o->why : "it was named", cli_word_seconds(o->seconds).text);
    if (o->before > 0)
        printf("          tried after iteration %" PRId64
               ": a product takes %s, and took %s; %s\n",
               o->tried, cli_word_seconds(o->after).text,
               cli_word_seconds(o->before).text,
               o->switched < 0 ? "it stays as it was" : "it is kept");
}

/// In what the last iterations were.
static void print_switch(const cli_solve *solve)
{
    const cairn_solve_switch_info *o = &solve->switched;

    if (o->switched >= 0)
        printf(" (in %s from iteration %" PRId64 " on)", o->format, o->switched + 1);
}

void cli_solve_print(const cli_solve *solve)
{
    const cairn_solve_info *info = &solve->info;

    cli_run_print_setting(&solve->run);
    printf("method    %s, preconditioner %s\n", solve->options.method,
           solve->options.precondition ? solve->options.precondition : "none");
    if (info->upper > 0) printf("bounds    %.6g to %.6g\n", info->lower, info->upper);
    print_times(solve);
    cli_run_print_guard(&solve->run);
    if (solve->checkpoints.folder)
        printf("kept      %" PRId64
               " checkpoint%s in %s, for which iterations waited %s\n",
               info->checkpoints, info->checkpoints == 1 ? "" : "s",
               solve->checkpoints.folder,
               cli_word_seconds(info->checkpoint_seconds).text);
    print_other(solve);
    print_history(solve);
    printf("\n%s after %" PRId64 " iteration%s",
           info->outcome == CAIRN_SOLVE_CONVERGED ? "converged" : "NOT converged",
           info->iterations, info->iterations == 1 ? "" : "s");
    print_switch(solve);
    printf(": residual %.3g, computed anew %.3g\n", info->residual,
           info->true_residual);
    if (solve->run.settings.files.out)
        printf("\nx in %s\n", solve->run.settings.files.out);
}
