// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Another way to multiply by A, made beside the iterations.

#include "solve/beside.h"

#include <math.h>
#include <string.h>

/* All products are timed, but only those behind the conversion have the machine for
   themselves: so there are some the old way, too. */
enum {
    MADE,    ///< It is being made.
    TRIED,   ///< Products go the other way for a trial,
    RETRIED, ///< and the old way.
    WEIGHED, ///< All ranks' seconds are on their way.
    SETTLED,
};

/// A reduction that is under way at an iteration's end says what was so before it.
enum { QUIET = 2 };

/// Seconds that a rank waits for its second thread to ask for the next call: they come one
/// behind the other, where one iteration for each would be many. Calls that are served so at
/// a time.
static const double linger = 50e-6;
enum { SERVED_AT_ONCE = 64 };

/// A way that is so many times slower than the one before was beside the conversion, or so
/// many times faster, is not tried to the end: a conversion takes half of a core at most.
static const double slower = 2, faster = 4;

void cairn_beside_init(cairn_beside               *beside,
                       const cairn_beside_work    *work,
                       cairn_row_sums             *sums,
                       const cairn_solve_operator *matrix,
                       const char                 *format)
{
    *beside = (cairn_beside){
        .work   = work,
        .sums   = sums,
        .matrix = {*matrix, *matrix},
        .format = {format,  NULL   },
        .stage  = work ? MADE : SETTLED,
    };
}

cairn_status cairn_beside_apply(cairn_beside *beside, const double *x, double *y)
{
    cairn_beside *const         b = beside;
    const cairn_solve_operator *a = &b->matrix[b->way];

    if (b->stage == SETTLED) return a->apply(a->user, x, y);
    const double       begin  = b->work->seconds(b->work->user);
    const cairn_status status = a->apply(a->user, x, y);
    const double       took   = b->work->seconds(b->work->user) - begin;
    double *const      least  = &b->least[b->way];

    *least = *least > 0 ? fmin(*least, took) : took;
    if (b->trial > 0) b->trial--;
    return status;
}

/// From here on products go this way, and some are timed.
static void turn(cairn_beside *b, int stage, int way)
{
    b->stage      = stage;
    b->way        = way;
    b->trial      = CAIRN_BESIDE_TRIAL;
    b->least[way] = 0;
}

/// Do what all ranks' second threads ask for, and what they ask for at once behind that.
/// Collective.
static void serve(cairn_beside *b)
{
    const cairn_beside_work *work = b->work;
    cairn_comm              *comm = b->sums->comm;
    int64_t                  asks = 1;

    for (int k = 0; asks && k < SERVED_AT_ONCE; k++) {
        work->serve(work->user);
        asks = work->look(work->user, linger) == CAIRN_BESIDE_ASKS;
        if (comm->ops->allreduce(comm, &asks, 1, CAIRN_MIN) != CAIRN_OK) return;
    }
    b->quiet = QUIET;
}

/// It is there, or will never be. Collective.
static void take(cairn_beside *b, const cairn_solve_state *state)
{
    b->format[1] = b->work->take(b->work->user, &b->matrix[1]);
    if (!b->format[1]) {
        b->stage = SETTLED;
        return;
    }
    b->work->info->tried = state->iteration;
    turn(b, TRIED, 1);
}

/// What this rank has measured goes with the next sums, and is in all ranks' after those.
static void weigh(cairn_beside *b)
{
    b->stage = WEIGHED;
    b->quiet = QUIET + 1;
}

/// All ranks' seconds together say which way is faster.
static void settle(cairn_beside *b, const cairn_solve_state *state)
{
    const double *heard = b->sums->notices.heard;
    const double  ranks = b->sums->comm->size;

    b->work->info->before = heard[CAIRN_SUMS_BEFORE] / ranks;
    b->work->info->after  = heard[CAIRN_SUMS_AFTER] / ranks;
    b->stage              = SETTLED;
    b->way                = b->work->info->after < b->work->info->before;
    if (b->way == 1) b->work->info->switched = state->iteration;
}

static bool is_obvious(const double *heard)
{
    const double before = heard[CAIRN_SUMS_BEFORE], after = heard[CAIRN_SUMS_AFTER];

    return after > 0 && (after > slower * before || after * faster < before);
}

/// What the next sums say of this rank.
static void say(cairn_beside *b)
{
    double *const            says = b->sums->notices.says;
    const cairn_beside_stage stage =
        b->stage == MADE ? b->work->look(b->work->user, 0) : CAIRN_BESIDE_WORKS;

    says[CAIRN_SUMS_ASKS]   = stage == CAIRN_BESIDE_ASKS;
    says[CAIRN_SUMS_ENDED]  = stage == CAIRN_BESIDE_ENDED;
    says[CAIRN_SUMS_BEFORE] = b->least[0];
    says[CAIRN_SUMS_AFTER]  = b->least[1];
}

const char *cairn_beside_step(cairn_beside *beside, const cairn_solve_state *state)
{
    cairn_beside *const b     = beside;
    const double *const heard = b->sums->notices.heard;
    const double        ranks = b->sums->comm->size;

    if (b->stage == SETTLED) return b->format[b->way];
    if (b->quiet > 0) b->quiet--;
    if (b->stage == MADE && b->quiet == 0 && heard[CAIRN_SUMS_ENDED] == ranks)
        take(b, state);
    else if (b->stage == MADE && b->quiet == 0 && heard[CAIRN_SUMS_ASKS] == ranks)
        serve(b);
    else if (b->stage == TRIED && is_obvious(heard))
        settle(b, state);
    else if (b->stage == TRIED && b->trial == 0)
        turn(b, RETRIED, 0);
    else if (b->stage == RETRIED && b->trial == 0)
        weigh(b);
    else if (b->stage == WEIGHED && b->quiet == 0)
        settle(b, state);
    say(b);
    return b->format[b->way];
}
