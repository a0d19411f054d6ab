// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A history as a picture, SVG: residuals on a logarithmic scale over iterations, a line for
/// each power of ten, the tolerance dashed.

#include "cli/output/save.h"
#include "cli/solve/solve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 440, LEFT = 70, RIGHT = 20, TOP = 40, BOTTOM = 50 };

#define LEAST 1e-30 ///< What is drawn of a residual that is 0.

/// What goes where.
typedef struct {
    int     high, low; ///< Powers of ten at the top and the bottom.
    int64_t steps;     ///< At least 1.
} frame;

static double across(const frame *f, int64_t k)
{
    return LEFT + (double)(WIDTH - LEFT - RIGHT) * (double)k / (double)f->steps;
}

static double down(const frame *f, double residual)
{
    const double power = log10(fmax(residual, LEAST));

    return TOP
           + (HEIGHT - TOP - BOTTOM) * (f->high - power) / (double)(f->high - f->low);
}

static frame fit(const cli_solve *solve)
{
    double most = 1, least = solve->options.tolerance;

    for (int64_t k = 0; k < solve->points; k++) {
        most  = fmax(most, solve->point[k].residual);
        least = fmin(least, solve->point[k].residual);
    }
    frame f = {.high  = (int)ceil(log10(most)),
               .low   = (int)floor(log10(fmax(least, LEAST))),
               .steps = solve->points > 1 ? solve->points - 1 : 1};

    if (f.low >= f.high) f.low = f.high - 1;
    return f;
}

/// The title, lines for powers of ten, and numbers of iterations.
static void draw_frame(const cli_solve *solve, const frame *f, FILE *file)
{
    const int every = (f->high - f->low + 9) / 10;

    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"%d\" y=\"24\" font-size=\"14\">|r| / |b| of %s, "
            "preconditioner %s</text>\n",
            WIDTH, HEIGHT, LEFT, solve->options.method,
            solve->options.precondition ? solve->options.precondition : "none");
    for (int power = f->high; power >= f->low; power -= every) {
        const double y = TOP
                         + (HEIGHT - TOP - BOTTOM) * (double)(f->high - power)
                               / (double)(f->high - f->low);

        fprintf(file,
                "<path d=\"M%d %.1f H%d\" stroke=\"#ddd\"/>\n"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">1e%d</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 6, y + 4, power);
    }
    for (int k = 0; k <= 4; k++) {
        const int64_t at = f->steps * k / 4;

        if (k > 0 && at == f->steps * (k - 1) / 4) continue;
        fprintf(file,
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%" PRId64 "</text>\n",
                across(f, at), HEIGHT - BOTTOM + 18, at);
    }
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">iteration</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10);
}

static void draw_history(const cli_solve *solve, const frame *f, FILE *file)
{
    if (solve->options.tolerance > 0)
        fprintf(file,
                "<path d=\"M%d %.1f H%d\" stroke=\"#a33\" stroke-dasharray=\"6 4\"/>\n",
                LEFT, down(f, solve->options.tolerance), WIDTH - RIGHT);
    fprintf(file, "<polyline fill=\"none\" stroke=\"#246\" stroke-width=\"1.5\" "
                  "points=\"");
    for (int64_t k = 0; k < solve->points; k++)
        fprintf(file, "%s%.1f,%.1f", k % 8 ? " " : "\n", across(f, k),
                down(f, solve->point[k].residual));
    fprintf(file, "\"/>\n</svg>\n");
}

cairn_status cli_solve_draw(const cli_solve *solve, const char *path)
{
    cli_job    *job = solve->run.job;
    const frame f   = fit(solve);
    cli_save    save;

    CLI_TRY(cli_save_begin(job, path, &save));
    draw_frame(solve, &f, save.file);
    draw_history(solve, &f, save.file);
    const bool written = !ferror(save.file) && fflush(save.file) == 0;

    return cli_save_end(
        job, &save,
        written ? CAIRN_OK : cli_fail(job, CAIRN_IO, "write: %s: it failed", path));
}
