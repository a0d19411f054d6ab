// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The progress line, and the thread that writes it.

#include "cli/process/progress.h"

#include "cli/process/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE 2.0 ///< Seconds before the first line.
#define INTERVAL 0.2 ///< Seconds between two.

/// The process has one standard error, hence one line.
static struct {
    pthread_t       thread;
    pthread_mutex_t lock; ///< Of all below.
    pthread_cond_t  ended;
    bool            running, visible;
    double          begun, phase_begun;
    const char     *what;
    double          fraction; ///< Below 0: unknown.
} line = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

/// Leave the line to what is printed next.
static void clear(void)
{
    if (line.visible) fprintf(stderr, "\r\033[K");
    line.visible = false;
}

static void set(const char *what, double fraction)
{
    pthread_mutex_lock(&line.lock);
    if (!what) clear();
    if (!line.what || !what || strcmp(line.what, what) != 0)
        line.phase_begun = cli_seconds();
    line.what     = what;
    line.fraction = fraction;
    pthread_mutex_unlock(&line.lock);
}

static void listen(void *user, const char *what, double fraction)
{
    (void)user;
    set(what, fraction);
}

static void show(double now)
{
    fprintf(stderr, "\r\033[K%s ", line.what);
    if (line.fraction >= 0) fprintf(stderr, "%3.0f%%, ", 100 * line.fraction);
    fprintf(stderr, "%.0f s", now - line.phase_begun);
    fflush(stderr);
    line.visible = true;
}

/// Wait for the end, or for the next line's time.
static void wait_interval(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(1e9 * INTERVAL);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&line.ended, &line.lock, &until);
}

static void *write_lines(void *nothing)
{
    pthread_mutex_lock(&line.lock);
    while (line.running) {
        const double now = cli_seconds();

        if (line.what && now - line.begun >= PATIENCE) show(now);
        wait_interval();
    }
    clear();
    pthread_mutex_unlock(&line.lock);
    return nothing;
}

/// Signals are the first thread's.
static bool start_thread(void)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&line.thread, NULL, write_lines, NULL) == 0;

    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void cli_progress_begin(cli_job *job)
{
    if (!cli_is_first(job) || !isatty(STDERR_FILENO)) return;
    pthread_mutex_lock(&line.lock);
    line.begun         = cli_seconds();
    const bool running = line.running = start_thread();

    pthread_mutex_unlock(&line.lock);
    if (running) cairn_context_set_progress(job->context, listen, NULL);
}

void cli_progress_phase(const char *what)
{
    set(what, -1);
}

void cli_progress_report(void *user, const char *message)
{
    (void)user;
    pthread_mutex_lock(&line.lock);
    clear();
    fprintf(stderr, "cairn: warning: %s\n", message);
    pthread_mutex_unlock(&line.lock);
}

void cli_progress_end(void)
{
    pthread_mutex_lock(&line.lock);
    const bool running = line.running;

    line.running = false;
    pthread_cond_signal(&line.ended);
    pthread_mutex_unlock(&line.lock);
    if (running) pthread_join(line.thread, NULL);
}
