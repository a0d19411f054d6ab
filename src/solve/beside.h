// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Another way to multiply by A, made beside the iterations by a second thread of each rank:
/// a matrix in another format. Iterations go on as they began; at the end of the one by which
/// it is there on all ranks, products take it up, for a trial of a few. Then as many go the
/// old way, with nothing beside them, and what was faster is kept.
///
/// The costs: until it is there no iteration waits but for calls that the second threads
/// make of each other. What was made in vain took its one conversion, and what is slower
/// takes a few products, the fewer the slower it is. So whatever number of products
/// follows, all take at most what the better way would have taken from the beginning, a
/// few products and one conversion.
///
/// How far the second threads are and what products took travels with the sums of iterations
/// (sums.h), so that all ranks do the same at the same iteration.

#ifndef CAIRN_SOLVE_BESIDE_H
#define CAIRN_SOLVE_BESIDE_H

#include "solve/sums.h"

#include <cairn/solve.h>

enum { CAIRN_BESIDE_TRIAL = 5 }; ///< Products of a trial, each way.

/// What a second thread does.
typedef enum {
    CAIRN_BESIDE_WORKS,
    CAIRN_BESIDE_ASKS, ///< It waits for this rank's first thread,
    CAIRN_BESIDE_ENDED ///< and for nothing more.
} cairn_beside_stage;

/// What is made.
typedef struct cairn_beside_work {
    void                    *user; ///< Handed to all of them.
    cairn_solve_switch_info *info; ///< What becomes of it.

    /// What does the second thread do? Waits so many seconds at most for something to be
    /// done. Local.
    cairn_beside_stage (*look)(void *user, double seconds);

    /// Do what it asks for. Collective: all ranks' ask.
    void (*serve)(void *user);

    /// It has ended on all ranks. Collective.
    ///
    /// @param[out] matrix  The other way. Unchanged where there is none.
    /// @return The format, for checkpoints; NULL: nothing came of it.
    const char *(*take)(void *user, cairn_solve_operator *matrix);

    /// Seconds, of which differences are taken. Local.
    double (*seconds)(void *user);
} cairn_beside_work;

/// Where a solver is with it.
typedef struct cairn_beside {
    const cairn_beside_work *work; ///< NULL: there is none.
    cairn_row_sums          *sums;
    cairn_solve_operator     matrix[2]; ///< As it began, and the other.
    const char              *format[2];
    int                      way;   ///< The one in use.
    int                      stage; ///< beside.c
    int                      quiet; ///< Steps until sums tell of what is so now.
    int                      trial; ///< Products that are still to be timed.
    double least[2];                ///< Seconds of a product of this rank; 0: none yet.
} cairn_beside;

/// Begin with the way that is there. Local.
///
/// @param[in] work  NULL: no other is made.
void cairn_beside_init(cairn_beside               *beside,
                       const cairn_beside_work    *work,
                       cairn_row_sums             *sums,
                       const cairn_solve_operator *matrix,
                       const char                 *format);

/// y = A x, the way that is in use. Collective where the operator is.
cairn_status cairn_beside_apply(cairn_beside *beside, const double *x, double *y);

/// An iteration has ended.
///
/// Collective. Where nothing is to be done it says how far this rank is, with the next sums.
///
/// @return The format of the matrix from here on.
const char *cairn_beside_step(cairn_beside *beside, const cairn_solve_state *state);

#endif
