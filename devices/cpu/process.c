// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Another program, run to its end.

#include "devices/cpu/process.h"

#include "base/env.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// The child's descriptors. The order matters where the program runs with some of the
/// three closed, and the pipe got their numbers.
static int set_files(posix_spawn_file_actions_t *files, int writer)
{
    int failed = posix_spawn_file_actions_adddup2(files, writer, STDOUT_FILENO);

    if (!failed)
        failed = posix_spawn_file_actions_adddup2(files, writer, STDERR_FILENO);
    if (failed) return failed;
    return posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY,
                                            0);
}

/// A group of its own, and signals as a program expects to find them.
static int set_attributes(posix_spawnattr_t *attributes)
{
    const short flags =
        POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    sigset_t none, standard;
    int      failed;

    sigemptyset(&none);
    sigemptyset(&standard);
    for (int k = 0; k < 4; k++)
        sigaddset(&standard, (const int[]){SIGPIPE, SIGCHLD, SIGINT, SIGXFSZ}[k]);
    failed = posix_spawnattr_setflags(attributes, flags);
    if (!failed) failed = posix_spawnattr_setpgroup(attributes, 0);
    if (!failed) failed = posix_spawnattr_setsigmask(attributes, &none);
    if (!failed) failed = posix_spawnattr_setsigdefault(attributes, &standard);
    return failed;
}

/// Start it, with @p writer as what it prints to. @return 0 or an errno.
static int spawn(cairn_process *p, int writer)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          attributes;
    int                        failed = posix_spawn_file_actions_init(&files);

    if (failed) return failed;
    failed = posix_spawnattr_init(&attributes);
    if (failed) goto files;
    failed = set_files(&files, writer);
    if (!failed) failed = set_attributes(&attributes);
    if (!failed)
        failed = posix_spawn(&p->pid, p->arguments[0], &files, &attributes,
                             p->arguments, p->environment);
    posix_spawnattr_destroy(&attributes);

files:
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

/// Spawn it from its cores, which it inherits: with OMP_PROC_BIND the calling thread
/// stands on a single one. A thread that cannot be moved starts it where it is.
static int spawn_on_cores(cairn_process *p, int writer)
{
    cpu_set_t cores, was;
    bool      moved;

    CPU_ZERO(&cores);
    for (int k = 0; p->cores && k < CAIRN_PU_MOST; k++)
        if (cairn_pu_set_has(p->cores, k)) CPU_SET((size_t)k, &cores);
    moved = p->cores && sched_getaffinity(0, sizeof was, &was) == 0
            && sched_setaffinity(0, sizeof cores, &cores) == 0;
    const int failed = spawn(p, writer);

    if (moved) sched_setaffinity(0, sizeof was, &was);
    return failed;
}

/// Take what it has printed by now; what exceeds the capacity is read and dropped, so
/// that it never waits for us.
static void read_output(cairn_process *p)
{
    char more[4096];

    while (p->reader >= 0) {
        const ssize_t n = read(p->reader, more, sizeof more);

        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) {
            close(p->reader);
            p->reader = -1;
            return;
        }
        for (ssize_t k = 0; k < n && p->length + 1 < p->capacity; k++)
            p->output[p->length++] = more[k];
    }
}

/// Whether it has ended. It is not reaped yet, so that its number, which is its group's
/// too, is not another process's.
static bool has_ended(cairn_process *p)
{
    siginfo_t about = {0};
    int       failed;

    do
        failed = waitid(P_PID, (id_t)p->pid, &about, WEXITED | WNOHANG | WNOWAIT);
    while (failed && errno == EINTR);
    p->lost = failed != 0;
    return p->lost || about.si_pid == p->pid;
}

/// Wait until something happens, a little at most.
static void wait_for_news(const cairn_process *p)
{
    struct pollfd news[2] = {
        {.fd = p->reader, .events = POLLIN},
        {.fd = p->ended,  .events = POLLIN}
    };

    /* 1 ms where the kernel cannot tell of the end (Linux before 5.3). */
    poll(news, 2, p->ended >= 0 ? 50 : 1);
}

static bool wait_until(cairn_process *p, double end)
{
    bool ended;

    do {
        ended = has_ended(p);
        read_output(p);
        if (!ended) wait_for_news(p);
    } while (!ended && cairn_seconds() < end);
    return ended;
}

/// Enter its group; 0: what had its number may be another's from now on.
static void enter_group(const cairn_process *p, pid_t group)
{
    if (p->remain) atomic_store(&p->remain->group, group);
}

/// Reap it, and see how it went.
static void reap(cairn_process *p)
{
    int   status;
    pid_t pid;

    enter_group(p, 0);
    do
        pid = waitpid(p->pid, &status, 0);
    while (pid < 0 && errno == EINTR);
    p->end    = CAIRN_PROCESS_EXITED;
    p->number = 0;
    if (pid != p->pid) return;
    if (WIFSIGNALED(status)) {
        p->end    = CAIRN_PROCESS_KILLED;
        p->number = WTERMSIG(status);
    } else
        p->number = WEXITSTATUS(status);
}

void cairn_process_start(cairn_process *p)
{
    sigset_t was;
    int      ends[2];

    p->output[0] = '\0';
    p->end       = CAIRN_PROCESS_NOT_STARTED;
    p->pid       = 0;
    p->reader = p->ended = -1;
    p->length            = 0;
    p->lost              = false;
    p->until             = cairn_seconds() + p->time_limit;
    p->number            = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (p->number) return;
    p->reader = ends[0];
    fcntl(p->reader, F_SETFL, O_NONBLOCK);
    cairn_remains_hold_signals(&was);
    p->number = spawn_on_cores(p, ends[1]);
    if (!p->number) enter_group(p, p->pid);
    cairn_remains_let_signals(&was);
    close(ends[1]);
    if (p->number) {
        p->pid = 0;
        return;
    }
    p->ended = (int)syscall(SYS_pidfd_open, p->pid, 0); /* close-on-exec by itself */
}

void cairn_process_finish(cairn_process *p)
{
    if (p->pid) {
        const bool in_time = wait_until(p, p->until);

        if (!in_time) { /* A compiler that is asked removes its temporary files. */
            kill(-p->pid, SIGTERM);
            wait_until(p, cairn_seconds() + 0.2);
        }
        if (!p->lost) kill(-p->pid, SIGKILL);
        reap(p);
        read_output(p);
        if (!in_time) p->end = CAIRN_PROCESS_LATE;
    }
    p->output[p->length] = '\0';
    if (p->reader >= 0) close(p->reader);
    if (p->ended >= 0) close(p->ended);
    p->reader = p->ended = -1;
}

void cairn_process_run(cairn_process *process)
{
    cairn_process_start(process);
    cairn_process_finish(process);
}
