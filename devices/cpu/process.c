// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Another program, run to its end.

#include "devices/cpu/process.h"

#include "base/env.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// The program while it runs.
typedef struct {
    cairn_process *process;
    pid_t          pid;
    int            reader; ///< Of what it prints, non-blocking; -1: it has closed it.
    int            ended;  ///< Readable when it has ended; -1: this kernel has no such.
    size_t         length; ///< Of the output so far.
    bool           lost; ///< Somebody else has reaped it: its number may be another's.
} run;

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
static int spawn(run *r, int writer)
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
        failed = posix_spawn(&r->pid, r->process->arguments[0], &files, &attributes,
                             r->process->arguments, r->process->environment);
    posix_spawnattr_destroy(&attributes);

files:
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

/// Take what it has printed by now; what exceeds the capacity is read and dropped, so
/// that it never waits for us.
static void read_output(run *r)
{
    cairn_process *p = r->process;
    char           more[4096];

    while (r->reader >= 0) {
        const ssize_t n = read(r->reader, more, sizeof more);

        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) {
            close(r->reader);
            r->reader = -1;
            return;
        }
        for (ssize_t k = 0; k < n && r->length + 1 < p->capacity; k++)
            p->output[r->length++] = more[k];
    }
}

/// Whether it has ended. It is not reaped yet, so that its number, which is its group's
/// too, is nobody else's.
static bool has_ended(run *r)
{
    siginfo_t about = {0};
    int       failed;

    do
        failed = waitid(P_PID, (id_t)r->pid, &about, WEXITED | WNOHANG | WNOWAIT);
    while (failed && errno == EINTR);
    r->lost = failed != 0;
    return r->lost || about.si_pid == r->pid;
}

/// Wait until something happens, a little at most.
static void wait_for_news(const run *r)
{
    struct pollfd news[2] = {
        {.fd = r->reader, .events = POLLIN},
        {.fd = r->ended,  .events = POLLIN}
    };

    /* 1 ms where the kernel cannot tell of the end (Linux before 5.3). */
    poll(news, 2, r->ended >= 0 ? 50 : 1);
}

static bool wait_until(run *r, double end)
{
    bool ended;

    do {
        ended = has_ended(r);
        read_output(r);
        if (!ended) wait_for_news(r);
    } while (!ended && cairn_seconds() < end);
    return ended;
}

/// Reap it, and see how it went.
static void reap(run *r)
{
    cairn_process *p = r->process;
    int            status;
    pid_t          pid;

    do
        pid = waitpid(r->pid, &status, 0);
    while (pid < 0 && errno == EINTR);
    p->end    = CAIRN_PROCESS_EXITED;
    p->number = 0;
    if (pid != r->pid) return;
    if (WIFSIGNALED(status)) {
        p->end    = CAIRN_PROCESS_KILLED;
        p->number = WTERMSIG(status);
    } else
        p->number = WEXITSTATUS(status);
}

/// See it through, once it runs.
static void attend(run *r)
{
    const bool in_time = wait_until(r, cairn_seconds() + r->process->time_limit);

    if (!in_time) { /* A compiler that is asked removes its temporary files. */
        kill(-r->pid, SIGTERM);
        wait_until(r, cairn_seconds() + 0.2);
    }
    if (!r->lost) kill(-r->pid, SIGKILL);
    reap(r);
    read_output(r);
    if (!in_time) r->process->end = CAIRN_PROCESS_LATE;
}

void cairn_process_run(cairn_process *process)
{
    run r = {.process = process, .reader = -1, .ended = -1};
    int ends[2], failed;

    process->output[0] = '\0';
    process->end       = CAIRN_PROCESS_NOT_STARTED;
    process->number    = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (process->number) return;
    r.reader = ends[0];
    fcntl(r.reader, F_SETFL, O_NONBLOCK);
    failed = spawn(&r, ends[1]);
    close(ends[1]);
    if (failed)
        process->number = failed;
    else {
        r.ended = (int)syscall(SYS_pidfd_open, r.pid, 0); /* close-on-exec by itself */
        attend(&r);
    }
    process->output[r.length] = '\0';
    if (r.reader >= 0) close(r.reader);
    if (r.ended >= 0) close(r.ended);
}
