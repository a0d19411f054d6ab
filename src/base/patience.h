// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Waits that end by themselves, or not: for other ranks, a device's queue, a program.
/// A waiting process looks at the clock now and then, logs what it waits for when that
/// takes long (CAIRN_WAIT_WARN), and gives up where that was asked for (CAIRN_GIVE_UP).

#ifndef CAIRN_BASE_PATIENCE_H
#define CAIRN_BASE_PATIENCE_H

#include "base/env.h"

/// One wait.
typedef struct cairn_patience {
    double begin;   ///< By cairn_seconds(), later by what is no waiting.
    double seen;    ///< The last look at the clock.
    double tell;    ///< Seconds of waiting after which to tell next; 0: never.
    double give_up; ///< And after which to give up; 0: never.
    double reached; ///< The one of these that the last turn is about, for messages.
} cairn_patience;

typedef enum {
    CAIRN_WAIT_ON,
    CAIRN_WAIT_TELL, ///< Say who is waited for: once, then after twice the time.
    CAIRN_WAIT_GIVE_UP,
} cairn_wait_turn;

/// Begin to wait. Any thread.
cairn_patience cairn_patience_begin(const cairn_env *env);

/// Seconds waited so far. Between two looks a second counts at most: a process that did
/// not look for longer was itself stopped.
double cairn_patience_waited(cairn_patience *patience);

/// Seconds of waiting at which the next turn comes; 0: none will.
double cairn_patience_due(const cairn_patience *patience);

/// What is to be done after @p waited seconds.
cairn_wait_turn cairn_patience_turn(cairn_patience *patience, double waited);

/// Take the turn that has come; if it is time to, tell in the log: "KIND: WHO: waited for 5 s:
/// WHAT".
///
/// @return  false: to give up.
bool cairn_patience_goes_on(cairn_patience *patience,
                            cairn_env      *env,
                            const char     *kind,
                            const char     *who,
                            const char     *what);

/// Give the core away, then sleep: longer the longer the wait has lasted, and never for
/// more than a sixteenth of it, so that short waits stay short.
void cairn_patience_rest(const cairn_patience *patience);

#endif
