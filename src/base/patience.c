// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How long to wait, and how to.

#include "base/patience.h"

#include <sched.h>
#include <time.h>

#define SECONDS_TO_TELL 60.0
#define LONGEST_LOOK    1.0    ///< Seconds between two looks that count as waiting.
#define SPIN            100e-6 ///< Seconds of waiting without sleep.
#define LONGEST_REST    1e-3   ///< Seconds

cairn_patience cairn_patience_begin(const cairn_env *env)
{
    const cairn_options *o   = &env->options;
    const double         now = cairn_seconds();

    return (cairn_patience){
        .begin   = now,
        .seen    = now,
        .tell    = o->wait_warn.set ? o->wait_warn.seconds : SECONDS_TO_TELL,
        .give_up = o->give_up.seconds,
    };
}

double cairn_patience_waited(cairn_patience *patience)
{
    const double now = cairn_seconds(), missed = now - patience->seen - LONGEST_LOOK;

    if (missed > 0) patience->begin += missed;
    patience->seen = now;
    return now - patience->begin;
}

double cairn_patience_due(const cairn_patience *patience)
{
    const double tell = patience->tell, give_up = patience->give_up;

    if (tell <= 0 || give_up <= 0) return tell + give_up;
    return tell < give_up ? tell : give_up;
}

cairn_wait_turn cairn_patience_turn(cairn_patience *patience, double waited)
{
    if (patience->give_up > 0 && waited >= patience->give_up) {
        patience->reached = patience->give_up;
        return CAIRN_WAIT_GIVE_UP;
    }
    if (patience->tell <= 0 || waited < patience->tell) return CAIRN_WAIT_ON;
    while (patience->tell <= waited) {
        patience->reached = patience->tell;
        patience->tell *= 2;
    }
    return CAIRN_WAIT_TELL;
}

bool cairn_patience_goes_on(cairn_patience *patience,
                            cairn_env      *env,
                            const char     *kind,
                            const char     *who,
                            const char     *what)
{
    const double          waited = cairn_patience_waited(patience);
    const cairn_wait_turn turn   = cairn_patience_turn(patience, waited);

    if (turn == CAIRN_WAIT_TELL)
        cairn_log(env, "%s: %s: waited for %.3g s: %s", kind, who, patience->reached,
                  what);
    return turn != CAIRN_WAIT_GIVE_UP;
}

void cairn_patience_rest(const cairn_patience *patience)
{
    const double waited = cairn_seconds() - patience->begin;
    const double rest   = waited / 16 < LONGEST_REST ? waited / 16 : LONGEST_REST;

    if (waited < SPIN) {
        sched_yield();
        return;
    }
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * rest)}, NULL);
}
