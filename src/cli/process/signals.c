// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Handlers of the signals by which a command is ended.

#include "cli/process/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

/// Of a person, a terminal, a batch system: some send a signal of the user's, or that of
/// the limit on processor time, a while before they kill.
static const int ending[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                             SIGXCPU, SIGUSR1, SIGUSR2};

enum { ENDING = sizeof ending / sizeof ending[0] };

/// A handler is handed nothing but the signal.
static struct {
    pthread_t                main;
    _Atomic(cairn_context *) context; ///< NULL: none.
    _Atomic(atomic_bool *)   asked;   ///< NULL: nobody wants to be asked.
    volatile sig_atomic_t    child;   ///< A process group; 0: none.
} watched;

/// Which signals this process was told to ignore. Looked at before libraries begin: UCX,
/// below Open MPI 5, takes SIGHUP for itself then, ignored or not.
static bool ignored[ENDING];

__attribute__((no_sanitize("address", "thread", "undefined"))) static void
look_at_ignored(void)
{
    struct sigaction was;

    for (int k = 0; k < ENDING; k++)
        ignored[k] = sigaction(ending[k], NULL, &was) == 0 && was.sa_handler == SIG_IGN;
}

__attribute__((section(".preinit_array"),
               used)) static void (*const first_of_all)(void) = look_at_ignored;

/// End the program that was started, and wait for it, five seconds at most before it is
/// killed: a launcher ends its ranks meanwhile.
static void end_child(pid_t pid)
{
    const struct timespec interval = {.tv_nsec = 20000000};
    int                   turns    = 250;

    kill(-pid, SIGTERM);
    while (turns-- > 0 && waitpid(pid, NULL, WNOHANG) == 0)
        nanosleep(&interval, NULL);
    kill(-pid, SIGKILL);
}

/// Clean up and end by the signal. On the main thread alone: what that would have made
/// next is then not made. Other threads hand the signal on; returning from here the main
/// thread meets it again, with its default action.
static void end(int number)
{
    atomic_bool *const asked = atomic_load(&watched.asked);

    if (asked && (number == SIGTERM || number == SIGUSR1)
        && !atomic_exchange(asked, true))
        return;
    if (!pthread_equal(pthread_self(), watched.main)) {
        pthread_kill(watched.main, number);
        return;
    }
    cairn_context *const context = atomic_load(&watched.context);

    if (watched.child > 0) end_child(watched.child);
    if (context) cairn_context_abandon(context);
    signal(number, SIG_DFL);
    raise(number);
}

/// What ends the process from another thread: MPI does, where the launcher has gone before
/// its signal was met.
static void end_of_process(void)
{
    cairn_context *const context = atomic_load(&watched.context);

    if (context) cairn_context_abandon(context);
}

/// Have them handled here; again where a library may have taken them for itself, as LLVM
/// does below OpenCL.
static void handle(void)
{
    struct sigaction action = {.sa_handler = end, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    for (int k = 0; k < ENDING; k++)
        sigaddset(&action.sa_mask, ending[k]);
    for (int k = 0; k < ENDING; k++)
        if (ignored[k])
            signal(ending[k], SIG_IGN);
        else
            sigaction(ending[k], &action, NULL);
}

void cli_signals_begin(void)
{
    watched.main = pthread_self();
    atexit(end_of_process);
    handle();
}

void cli_signals_ask(atomic_bool *asked)
{
    atomic_store(&watched.asked, asked);
    if (asked) handle();
}

void cli_signals_watch(cairn_context *context)
{
    atomic_store(&watched.context, context);
}

static void list_ending(sigset_t *set)
{
    sigemptyset(set);
    for (int k = 0; k < ENDING; k++)
        sigaddset(set, ending[k]);
}

void cli_signals_hold(void)
{
    sigset_t set;

    list_ending(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void cli_signals_child(pid_t pid)
{
    sigset_t set;

    watched.child = pid;
    list_ending(&set);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
