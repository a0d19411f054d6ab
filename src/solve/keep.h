// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Checkpoints of a solver: states that are written beside its iterations, and read before
/// the first. When to begin with one, and how far its writing is, travels with the sums of
/// the iterations (sums.h): a solver that keeps checkpoints has no message more.

#ifndef CAIRN_SOLVE_KEEP_H
#define CAIRN_SOLVE_KEEP_H

#include "checkpoint/checkpoint.h"
#include "solve/sums.h"

#include <cairn/solve.h>

/// What a checkpoint must agree with to be this system's.
typedef struct cairn_solve_identity {
    const char *format;         ///< Of the matrix; "": an operator's.
    char        method[128];    ///< With the preconditioner.
    uint64_t    fingerprint[2]; ///< Of the matrix; 0: an operator's.
} cairn_solve_identity;

typedef struct cairn_keeper {
    const cairn_solve_checkpoints *how;
    const cairn_solve_identity    *identity;
    const char                    *format; ///< Of the matrix now.
    cairn_row_sums                *sums;
    cairn_checkpoint_writer       *writer;
    const double                  *b;        ///< [rows]
    uint64_t                       print[2]; ///< Of b, as a matrix has one.
    double                         begun;    ///< When the last one began; seconds.
    bool                           due;      ///< One begins when it can, on all ranks.
    int                            quiet; ///< Steps until sums tell of what has begun.
    int64_t                        from;  ///< Generation that the start was read from.
    int64_t                        complete; ///< The last generation that is.
    int64_t                        kept;     ///< Iteration of the last that was begun.
    cairn_checkpoint               restart;  ///< What was read.
    cairn_solve_state              start;    ///< The same, as a solver takes it.
    cairn_solve_info              *info;
} cairn_keeper;

/// Read the state to begin with, where one is asked for.
///
/// Collective.
///
/// @param[out] keeper  Ends with cairn_keeper_end(), whatever is returned.
/// @param[out] start   The state; as it was where none is asked for.
/// @retval CAIRN_BAD_FILE  There is none of this system; the message has file and reason.
cairn_status cairn_keeper_read(cairn_keeper             *keeper,
                               const char               *method,
                               const cairn_solve_state **start);

/// Open the folder where states are written.
///
/// Collective.
///
/// @retval CAIRN_BAD_FILE  The state to begin with is of another right-hand side.
cairn_status cairn_keeper_open(cairn_keeper *keeper);

/// An iteration has ended: go on with what is under way, begin the next when it is due.
///
/// Collective, and waits for nothing.
void cairn_keeper_step(cairn_keeper *keeper, const cairn_solve_state *state);

/// The solver ends: wait for what is under way, write the last state where the solution was
/// not reached, and release all.
///
/// Collective.
///
/// @param[in] state  NULL: nothing is written any more.
void cairn_keeper_end(cairn_keeper *keeper, const cairn_solve_state *state);

#endif
