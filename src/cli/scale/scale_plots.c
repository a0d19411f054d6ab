// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A page of plots: a program for gnuplot that has the numbers in it, and gnuplot's run.

#include "cli/output/save.h"
#include "cli/process/child.h"
#include "cli/scale/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DRAWN_WITHIN 120 ///< Seconds for gnuplot.

/// A text in gnuplot's single quotes.
static void put_text(FILE *file, const char *text)
{
    fputc('\'', file);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', file);
        fputc((unsigned char)*text < ' ' ? '?' : *text, file);
    }
    fputc('\'', file);
}

/// Do two points lie on one line, over ranks?
static bool is_same_line(const cli_scale_point *a, const cli_scale_point *b)
{
    return a->threads == b->threads && a->simgrid == b->simgrid
           && strcmp(a->devices, b->devices) == 0;
}

/// The next point with runs from @p k on that begins a line; the number of points: none.
static int next_line(const cli_scale *study, int k)
{
    for (; k < study->points; k++) {
        bool first = study->point[k].runs > 0;

        for (int before = 0; before < k && first; before++)
            first = study->point[before].runs == 0
                    || !is_same_line(&study->point[before], &study->point[k]);
        if (first) return k;
    }
    return k;
}

/// Numbers of a line, a point a row.
static void put_line(FILE *file, const cli_scale *study, int first)
{
    fprintf(file, "# ranks seconds efficiency/%% halo/KiB imbalance\n$line%d << END\n",
            first);
    for (int k = first; k < study->points; k++) {
        const cli_scale_point   *point = &study->point[k];
        const cli_scale_verdict *v     = &point->verdict;

        if (point->runs > 0 && is_same_line(point, &study->point[first]))
            fprintf(file, "%d %.9g %.9g %.9g %.9g\n", point->ranks, v->seconds.median,
                    100 * v->efficiency, (double)point->size.halo_bytes / 1024,
                    isfinite(v->imbalance) ? v->imbalance : 1);
    }
    fprintf(file, "END\n");
}

/// What a run's seconds are made of, in parts of all, a point a row.
static void put_shares(FILE *file, const cli_scale *study)
{
    fprintf(file, "# ranks x threads, %% of a run: work memory imbalance exchange "
                  "start\n$shares << END\n");
    for (int k = 0; k < study->points; k++) {
        const cli_scale_point  *point = &study->point[k];
        const cli_scale_shares *s     = &point->verdict.share;
        const double            all =
            (s->work + s->memory + s->imbalance + s->exchange + s->start) / 100;

        if (point->runs > 0)
            fprintf(file, "\"%dx%d%s\" %.6g %.6g %.6g %.6g %.6g\n", point->ranks,
                    point->threads, point->simgrid ? " sim." : "", s->work / all,
                    s->memory / all, s->imbalance / all, s->exchange / all,
                    s->start / all);
    }
    fprintf(file, "END\n");
}

/// Name a simulated line, with how far it is from what was measured.
static void say_error(const cli_scale *study, int first, char *title, size_t size)
{
    double most = 0;
    bool   any  = false;

    for (int k = first; k < study->points; k++) {
        const cli_scale_point *point = &study->point[k];

        if (point->runs == 0 || !point->simgrid || !isfinite(point->error)) continue;
        any  = true;
        most = fabs(point->error) > fabs(most) ? point->error : most;
    }
    snprintf(title, size, "simulated (SimGrid)");
    if (any)
        snprintf(title, size, "simulated (SimGrid), up to %+.1f %% off", 100 * most);
}

/// One plot of all lines, of a column of their numbers.
static void put_plot(FILE            *file,
                     const cli_scale *study,
                     const char      *settings,
                     int              column,
                     bool             named)
{
    const char *divider = "";

    fprintf(file, "    %s\n    plot ", settings);
    for (int k = next_line(study, 0); k < study->points; k = next_line(study, k + 1)) {
        const cli_scale_point *point = &study->point[k];
        char                   title[CLI_SCALE_TEXT + 160];

        snprintf(title, sizeof title, "%d thread%s%s%s%s", point->threads,
                 point->threads == 1 ? "" : "s", *point->devices ? " on " : "",
                 point->devices, point->size.simulated ? " (simulated)" : "");
        if (point->simgrid) say_error(study, k, title, sizeof title);
        fprintf(file, "%s$line%d using 1:%d with linespoints %s %s", divider, k, column,
                point->simgrid ? "pt 6 dt 2" : "pt 7", named ? "title " : "notitle");
        if (named) put_text(file, title);
        divider = ", \\\n        ";
    }
    fprintf(file, "%s\n",
            named ? ", ideal(x) with lines dt 2 lc 'gray' title 'ideal'" : "");
}

/// Time as it would be were all of it divided by the ranks, in a weak study the same.
static void put_ideal(FILE *file, const cli_scale *study)
{
    const cli_scale_point *first   = &study->point[next_line(study, 0)];
    const double           seconds = first->verdict.seconds.median;

    if (study->settings.weak)
        fprintf(file, "ideal(ranks) = %.9g\n", seconds);
    else
        fprintf(file, "ideal(ranks) = %.9g / ranks\n", seconds * first->ranks);
}

static void put_page(FILE *file, const cli_scale *study)
{
    const bool solve = strcmp(study->settings.words[0], "solve") == 0;

    fprintf(file, "    set title 'seconds of a %s'\n", solve ? "step" : "product");
    put_plot(
        file, study,
        "set logscale x 2; set logscale y; set xlabel 'ranks'; set key bottom left "
        "Left reverse samplen 2 font ',10'",
        2, true);
    fprintf(file,
            "    set title 'efficiency, %%'; unset logscale y; set yrange [0:*]\n");
    put_plot(file, study, "", 3, false);
    put_plot(file, study, "set title 'KiB from other ranks, in all'", 4, false);
    put_plot(file, study, "set title 'slowest rank over mean'; set yrange [1:*]", 5,
             false);
    fprintf(
        file,
        "    set title 'what a run is made of, %%'; unset logscale x; set yrange "
        "[0:100]\n"
        "    set style data histograms; set style histogram rowstacked; set style "
        "fill solid 0.8; set boxwidth 0.8\n"
        "    set xlabel 'ranks x threads'; set xtics rotate by -45; set key outside "
        "bottom center horizontal\n"
        "    plot $shares using 2:xtic(1) title 'work', '' using 3 title 'memory', "
        "'' using 4 title 'imbalance', '' using 5 title 'exchange', '' using 6 title "
        "'start'\n");
}

static void put_program(FILE *file, const cli_scale *study)
{
    char title[PATH_MAX];

    snprintf(title, sizeof title, "cairn scale %s%s %.200s, %s",
             strcmp(study->settings.words[0], "run") == 0 ? "" : "solve ",
             study->settings.words[1], study->settings.matrix,
             study->settings.weak ? "weak" : "strong");
    fprintf(file,
            "# Draws plots.svg and plots.png: gnuplot plots.gp, in this folder.\n");
    for (int k = next_line(study, 0); k < study->points; k = next_line(study, k + 1))
        put_line(file, study, k);
    put_shares(file, study);
    put_ideal(file, study);
    fprintf(file,
            "do for [kind in 'svg pngcairo'] {\n"
            "    reset\n"
            "    set termoption noenhanced\n"
            "    set terminal kind size 1200,800 background rgb 'white' font ',12'\n");
    fprintf(file, "    set output kind eq 'svg' ? 'plots.svg' : 'plots.png'\n"
                  "    set grid\n    set multiplot layout 2,3 title ");
    put_text(file, title);
    fprintf(file, "\n");
    put_page(file, study);
    fprintf(file, "    unset multiplot\n    unset output\n}\n");
}

/// Draw; where that fails, the study has its numbers all the same.
static cairn_status draw(cli_scale *study)
{
    static char *const words[] = {(char *)"gnuplot", (char *)"plots.gp", NULL};
    char               log[PATH_MAX], path[PATH_MAX];
    cli_child_end      end;

    CLI_TRY(cli_scale_file(study, "plots.log", log));
    CLI_TRY(cli_scale_file(study, "plots.gp", path));
    CLI_TRY(cli_child_run(study->job,
                          &(cli_child){.words  = words,
                                       .log    = log,
                                       .folder = study->settings.folder,
                                       .within = DRAWN_WITHIN},
                          &end));
    if (end.missing)
        cli_warn(study->job, "scale: %s: no gnuplot in PATH to draw it", path);
    else if (end.late || end.signal || end.status)
        cli_warn(study->job, "scale: %s: gnuplot could not draw it: %s says why", path,
                 log);
    else
        unlink(log);
    if (end.missing) unlink(log);
    return CAIRN_OK;
}

cairn_status cli_scale_plot(cli_scale *study)
{
    char     path[PATH_MAX];
    cli_save save;

    CLI_TRY(cli_scale_file(study, "plots.gp", path));
    CLI_TRY(cli_save_begin(study->job, path, &save));
    put_program(save.file, study);
    CLI_TRY(cli_save_end(study->job, &save, CAIRN_OK));
    return draw(study);
}
