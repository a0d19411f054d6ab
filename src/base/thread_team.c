// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Who takes which piece, and who waits for whom. A late thread may look for pieces when
/// its run has long ended and another one is under way: what it finds then is that run's,
/// since a range says which run it is of, and what is to be done is read behind the
/// exchange that took a piece: the run cannot end before that piece is done.

#include "base/thread_team.h"

/* Looks with a pause of the processor: 10 to 50 us; and five times that for what was
 * announced, since waking alone takes as long. */
enum { LOOKS = 400, LOOKS_ANNOUNCED = 5 * LOOKS };

static void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

void cairn_thread_team_init(cairn_thread_team *team)
{
    *team = (cairn_thread_team){.threads = 0};
    atomic_flag_clear(&team->taken);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->started, NULL);
    pthread_cond_init(&team->finished, NULL);
}

void cairn_thread_team_fini(cairn_thread_team *team)
{
    pthread_mutex_lock(&team->lock);
    team->ends = true;
    pthread_cond_broadcast(&team->started);
    pthread_mutex_unlock(&team->lock);
    for (int k = 0; k < team->threads; k++)
        pthread_join(team->thread[k], NULL);
    pthread_cond_destroy(&team->finished);
    pthread_cond_destroy(&team->started);
    pthread_mutex_destroy(&team->lock);
}

/* ---- Pieces ---- */

static uint64_t range_of(uint32_t run, int next, int end)
{
    return (uint64_t)run << 32 | (uint64_t)next << 16 | (uint64_t)end;
}

static int next_of(uint64_t range)
{
    return (int)(range >> 16 & 0xffff);
}

static int end_of(uint64_t range)
{
    return (int)(range & 0xffff);
}

/// Take the first piece of a thread that has not begun, or the last.
static bool take(cairn_thread_team_member *member, bool first, int *piece)
{
    uint64_t seen = atomic_load_explicit(&member->range, memory_order_acquire);

    while (next_of(seen) < end_of(seen)) {
        const uint64_t rest = first ? seen + ((uint64_t)1 << 16) : seen - 1;

        *piece = first ? next_of(seen) : end_of(seen) - 1;
        if (atomic_compare_exchange_weak_explicit(&member->range, &seen, rest,
                                                  memory_order_acq_rel,
                                                  memory_order_acquire))
            return true;
    }
    return false;
}

/// The thread that has most left; -1: none has any.
static int most_left(cairn_thread_team *team, int self, int members)
{
    int most = 0, which = -1;

    for (int k = 0; k < members; k++) {
        const uint64_t seen =
            atomic_load_explicit(&team->member[k].range, memory_order_relaxed);
        const int left = end_of(seen) - next_of(seen);

        if (k == self || left <= most) continue;
        most  = left;
        which = k;
    }
    return which;
}

static bool take_over(cairn_thread_team *team, int self, int members, int *piece)
{
    for (int k; (k = most_left(team, self, members)) >= 0;)
        if (take(&team->member[k], false, piece)) {
            atomic_fetch_add_explicit(&team->taken_over, 1, memory_order_relaxed);
            return true;
        }
    return false;
}

static void finish(cairn_thread_team *team, uint32_t did)
{
    if (did == 0 || atomic_fetch_sub(&team->left.now, did) != did) return;
    if (!atomic_load(&team->left.sleepers)) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&team->finished);
    pthread_mutex_unlock(&team->lock);
}

/// Do one's own pieces, then others'.
/// @param members  Who take part.
static void take_part(cairn_thread_team *team, int self, int members)
{
    uint32_t did   = 0;
    int      piece = 0;

    if (self >= members) return;
    while (take(&team->member[self], true, &piece)
           || take_over(team, self, members, &piece)) {
        if (__builtin_expect(team->before != NULL, 0)) team->before(self);
        const int64_t status = team->job.task(team->job.user, piece);

        if (__builtin_expect(status != 0, 0)) atomic_store(&team->failed, status);
        did++;
    }
    finish(team, did);
}

/* ---- Threads ---- */

/// Wait until a run starts after number @p seen. @return false: the team ends.
static bool await_run(cairn_thread_team *team, uint32_t seen, int looks)
{
    bool goes_on;

    for (int k = 0; k < looks; k++) {
        if (atomic_load_explicit(&team->go.now, memory_order_acquire) != seen)
            return true;
        pause_core();
    }
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->go.sleepers, 1);
    while (atomic_load(&team->go.now) == seen && !team->ends)
        pthread_cond_wait(&team->started, &team->lock);
    atomic_fetch_sub(&team->go.sleepers, 1);
    goes_on = !team->ends;
    pthread_mutex_unlock(&team->lock);
    return goes_on;
}

static void *serve(void *given)
{
    cairn_thread_team_member *const mine    = given;
    cairn_thread_team *const        team    = mine->team;
    const int                       self    = (int)(mine - team->member);
    uint32_t                        seen    = 0;
    int                             members = 1;

    /* A run without pieces says that another will follow. */
    while (await_run(team, seen, members == 0 ? LOOKS_ANNOUNCED : LOOKS)) {
        seen    = atomic_load_explicit(&team->go.now, memory_order_acquire);
        members = atomic_load_explicit(&team->members, memory_order_relaxed);
        take_part(team, self, members);
    }
    return NULL;
}

int cairn_thread_team_prepare(cairn_thread_team *team, int threads)
{
    if (threads > CAIRN_THREAD_TEAM_MOST) threads = CAIRN_THREAD_TEAM_MOST;
    pthread_mutex_lock(&team->lock);
    while (team->threads + 1 < threads) {
        cairn_thread_team_member *const member = &team->member[team->threads + 1];

        member->team = team;
        if (pthread_create(&team->thread[team->threads], NULL, serve, member) != 0)
            break;
        team->threads++;
    }
    const int all = team->threads + 1;

    pthread_mutex_unlock(&team->lock);
    return threads < all ? threads : all;
}

/* ---- A run ---- */

static void start(cairn_thread_team *team, int members, int pieces)
{
    const uint32_t run = atomic_load_explicit(&team->go.now, memory_order_relaxed) + 1;

    atomic_store_explicit(&team->failed, 0, memory_order_relaxed);
    atomic_store_explicit(&team->members, members, memory_order_relaxed);
    atomic_store_explicit(&team->left.now, (uint32_t)pieces, memory_order_relaxed);
    for (int k = 0; k < members; k++)
        atomic_store_explicit(
            &team->member[k].range,
            range_of(run, pieces * k / members, pieces * (k + 1) / members),
            memory_order_release);
    atomic_store(&team->go.now, run);
    if (!atomic_load(&team->go.sleepers)) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->started);
    pthread_mutex_unlock(&team->lock);
}

static bool all_done(cairn_thread_team *team)
{
    return atomic_load_explicit(&team->left.now, memory_order_acquire) == 0;
}

/// Wait for pieces that others are in. Asleep, so that one that waits for a core gets this
/// thread's.
static void await_pieces(cairn_thread_team *team)
{
    for (int k = 0; k < LOOKS; k++) {
        if (all_done(team)) return;
        pause_core();
    }
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->left.sleepers, 1);
    while (atomic_load(&team->left.now) != 0)
        pthread_cond_wait(&team->finished, &team->lock);
    atomic_store(&team->left.sleepers, 0);
    pthread_mutex_unlock(&team->lock);
}

bool cairn_thread_team_run(cairn_thread_team           *team,
                           int                          threads,
                           const cairn_thread_team_job *job,
                           int                          pieces,
                           int64_t                     *status)
{
    if (atomic_flag_test_and_set_explicit(&team->taken, memory_order_acquire))
        return false;
    if (threads > pieces) threads = pieces;
    team->job = *job;
    start(team, threads, pieces);
    take_part(team, 0, threads);
    if (!all_done(team)) await_pieces(team);
    *status = atomic_load_explicit(&team->failed, memory_order_relaxed);
    atomic_flag_clear_explicit(&team->taken, memory_order_release);
    return true;
}

/// A task that cannot fail.
typedef struct {
    void (*task)(void *user, int number);
    void *user;
} sure_task;

static int64_t do_sure_task(void *given, int piece)
{
    const sure_task *sure = given;

    sure->task(sure->user, piece);
    return 0;
}

void cairn_thread_team_do(cairn_thread_team *team,
                          int                threads,
                          void (*task)(void *user, int number),
                          void *user,
                          int   tasks)
{
    sure_task                   sure = {task, user};
    const cairn_thread_team_job job  = {do_sure_task, &sure};
    int64_t                     status;

    if (threads > tasks && tasks > 0) threads = tasks;
    threads = threads > 1 ? cairn_thread_team_prepare(team, threads) : 1;
    if (threads > 1 && cairn_thread_team_run(team, threads, &job, tasks, &status))
        return;
    for (int k = 0; k < tasks; k++)
        task(user, k);
}
