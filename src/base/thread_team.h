// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Threads for work in pieces that must not wait for one of them. Each has pieces of its
/// own, next to each other, and takes them in order; who is done takes over the last piece
/// that another has not begun. A thread that lost its core to another process is waited
/// for with one piece at most, the one that it is in.
///
/// A thread takes its own pieces by an exchange on a line of the cache that no other
/// writes or reads while all are on time. A plain store would need a fence behind it
/// before the look at what a thief may have taken, which costs as much.
///
/// Threads that wait look for some ten microseconds, then sleep: they never give their core
/// away and go on looking, since who does so beside a busy process loses the core for
/// that one's whole turn, while who sleeps is given it back when it is woken.

#ifndef CAIRN_BASE_THREAD_TEAM_H
#define CAIRN_BASE_THREAD_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CAIRN_THREAD_TEAM_MOST   = 64,   ///< Threads, the caller's among them.
    CAIRN_THREAD_TEAM_PIECES = 32767 ///< Of a run.
};

/// Does piece @p piece. @return 0, or why the run fails.
typedef int64_t (*cairn_thread_team_task)(void *user, int piece);

/// What is done in a run.
typedef struct cairn_thread_team_job {
    cairn_thread_team_task task;
    void                  *user;
} cairn_thread_team_job;

/// A thread's pieces, on lines of their own.
typedef struct cairn_thread_team_member {
    _Atomic uint64_t range; ///< Number of the run, next piece, end: 32, 16, 16 bits.
    struct cairn_thread_team *team; ///< It is one of; said before its thread is made.
    char                      rest[112];
} cairn_thread_team_member;

/// A word that threads wait for, likewise.
typedef struct cairn_thread_team_word {
    _Atomic uint32_t now;
    _Atomic uint32_t sleepers;
    char             rest[120];
} cairn_thread_team_word;

typedef struct cairn_thread_team {
    pthread_mutex_t       lock; ///< Of `threads` and `ends`, and of all who sleep.
    pthread_cond_t        started, finished;
    pthread_t             thread[CAIRN_THREAD_TEAM_MOST];
    int                   threads; ///< Made so far, beside the caller's.
    bool                  ends;
    atomic_flag           taken;   ///< A run is under way.
    _Atomic int           members; ///< Threads that take part in it.
    _Atomic int64_t       failed;  ///< What a task returned; 0: none failed.
    cairn_thread_team_job job;
    void (*before)(int member); ///< NULL, but for tests, which make threads late.
    _Atomic int64_t          taken_over; ///< Pieces, of all runs.
    cairn_thread_team_word   go;         ///< Runs that were started.
    cairn_thread_team_word   left;       ///< Pieces that are not done.
    cairn_thread_team_member member[CAIRN_THREAD_TEAM_MOST];
} cairn_thread_team;

/// Start without threads. Pairs with cairn_thread_team_fini(), which ends them.
void cairn_thread_team_init(cairn_thread_team *team);
void cairn_thread_team_fini(cairn_thread_team *team);

/// Make threads, so that @p threads can work, this one among them; asleep until a run. Any
/// thread. @return how many can.
int cairn_thread_team_prepare(cairn_thread_team *team, int threads);

/// Do pieces 0..pieces-1 by at most @p threads threads, this one among them. Allocates
/// nothing.
///
/// @param[in]  pieces  At most CAIRN_THREAD_TEAM_PIECES.
/// @param[out] status  0, or what a task returned that failed; all others were done.
/// @return false: another run has the threads, and nothing was done.
bool cairn_thread_team_run(cairn_thread_team           *team,
                           int                          threads,
                           const cairn_thread_team_job *job,
                           int                          pieces,
                           int64_t                     *status);

/// The same of tasks that cannot fail, with threads made where they lack, and by this thread
/// alone where another run has them. For passes that follow each other within some ten
/// microseconds, between which threads are still awake; those of the pool (thread_pool.h)
/// sleep at once.
///
/// @param[in] tasks  0: wake threads, for another run will come within 50 us. At most 32767.
void cairn_thread_team_do(cairn_thread_team *team,
                          int                threads,
                          void (*task)(void *user, int number),
                          void *user,
                          int   tasks);

#endif
