// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A solution: what was asked and what came of it (verb_solve.c), and how it is told
/// (solve_report.c).

#ifndef CLI_SOLVE_H
#define CLI_SOLVE_H

#include "cli/run/run.h"

#include <stdatomic.h>

/// One iteration.
typedef struct cli_solve_point {
    double residual; ///< |r| / |b|
    double when;     ///< cli_seconds() at its end.
} cli_solve_point;

typedef struct cli_solve {
    cli_run                 run; ///< The plan, and what it took.
    cairn_solve_options     options;
    const char             *rhs; ///< "ones" or a file.
    cairn_solve_checkpoints checkpoints;
    cairn_solve_switch      other;    ///< Of --format auto or --switch-to.
    cairn_solve_switch_info switched; ///< What became of it.
    cairn_solve_info        info;
    atomic_bool             asked; ///< A signal asks for an end.
    char                   *why;   ///< It did not converge: why; else NULL.
    cli_solve_point        *point; ///< [points] Iterations 0, 1, ...; rank 0 alone.
    int64_t                 points, room;
    bool                    full; ///< There was no memory for another.
} cli_solve;

/// What is told: as an object (NULL: no memory), or to people. Rank 0.
json_t *cli_solve_object(const cli_solve *solve);
void    cli_solve_print(const cli_solve *solve);

/// Draw the history as --picture says. Rank 0.
cairn_status cli_solve_draw(const cli_solve *solve, const char *path);

#endif
