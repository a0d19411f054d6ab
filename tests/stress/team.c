// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Work in pieces on plain memory, with threads that are late at random: each piece is done
/// once in every run, whoever does it. The thread sanitizer looks at this.
///
/// stress_team [RUNS [SEED]]

#include "base/thread_team.h"
#include "support/seed.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_PIECES = 64, MOST_THREADS = 5 };

static struct {
    int64_t     done[MOST_PIECES]; ///< By run; no lock: a piece is one thread's.
    int64_t     add;
    int         bad;  ///< Piece that fails; -1: none.
    _Atomic int late; ///< Member that is late; -1: none.
} work;

static void stop(const char *what, uint64_t seed)
{
    fprintf(stderr, "stress_team: %s: seed %llu\n", what, (unsigned long long)seed);
    exit(1);
}

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % below;
}

static int64_t add_one(void *user, int piece)
{
    (void)user;
    work.done[piece] += work.add;
    return piece == work.bad ? 7 : 0;
}

static void be_late(int member)
{
    if (member == atomic_load(&work.late))
        nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
}

static void run(cairn_thread_team *team, int threads, uint64_t *state, uint64_t seed)
{
    const cairn_thread_team_job job    = {.task = add_one};
    const int                   pieces = 1 + (int)draw(state, MOST_PIECES);
    int64_t                     status = -1, before[MOST_PIECES];

    for (int k = 0; k < MOST_PIECES; k++)
        before[k] = work.done[k];
    work.add = 1 + (int64_t)draw(state, 1000);
    work.bad = draw(state, 5) ? -1 : (int)draw(state, (uint64_t)pieces);
    atomic_store(&work.late,
                 draw(state, 20) ? -1 : (int)draw(state, (uint64_t)threads));
    if (!cairn_thread_team_run(team, 1 + (int)draw(state, (uint64_t)threads), &job,
                               pieces, &status))
        stop("nobody has the threads, and they are taken", seed);
    if (status != (work.bad >= 0 ? 7 : 0)) stop("not the failure that there was", seed);
    for (int k = 0; k < MOST_PIECES; k++)
        if (work.done[k] - before[k] != (k < pieces ? work.add : 0))
            stop("a piece was not done once", seed);
}

int main(int argc, char **argv)
{
    const int      runs  = argc > 1 ? atoi(argv[1]) : 20000;
    const uint64_t seed  = argc > 2 ? strtoull(argv[2], NULL, 10) : seed_clock() + 1;
    uint64_t       state = seed * 2 + 1;

    for (int threads = 2; threads <= MOST_THREADS; threads++) {
        static cairn_thread_team team;

        cairn_thread_team_init(&team);
        if (cairn_thread_team_prepare(&team, threads) != threads)
            stop("no threads", seed);
        team.before = be_late;
        for (int k = 0; k < runs / 4; k++)
            run(&team, threads, &state, seed);
        if (atomic_load(&team.taken_over) == 0) stop("nothing was taken over", seed);
        printf("%d threads: %d runs, %lld pieces taken over\n", threads, runs / 4,
               (long long)atomic_load(&team.taken_over));
        cairn_thread_team_fini(&team);
    }
    return 0;
}
