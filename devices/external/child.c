// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program at the other end of a socket. It is started as MPI wants it (posix_spawn,
/// which runs no fork handlers), in a process group of its own, so that what it started
/// ends with it. A signal that ends us kills it; if we die otherwise, it reads the end of
/// the socket.

#include "devices/external/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 64 };

/// The child's descriptors; ours are all above those, and closed there.
static int set_files(posix_spawn_file_actions_t *files, int socket, int segment)
{
    int failed =
        posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    /* Standard output is ours alone: reports, JSON. */
    if (!failed && fcntl(STDERR_FILENO, F_GETFD) >= 0)
        failed = posix_spawn_file_actions_adddup2(files, STDERR_FILENO, STDOUT_FILENO);
    else if (!failed)
        failed = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null",
                                                  O_WRONLY, 0);
    if (!failed)
        failed =
            posix_spawn_file_actions_adddup2(files, socket, CAIRN_SIMULATOR_SOCKET);
    if (!failed && segment >= 0)
        failed =
            posix_spawn_file_actions_adddup2(files, segment, CAIRN_SIMULATOR_SEGMENT);
    return failed;
}

/// A group of its own, and signals as a program expects to find them.
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, standard;
    int      failed;

    sigemptyset(&none);
    sigfillset(&standard);
    failed = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP
                                                      | POSIX_SPAWN_SETSIGMASK
                                                      | POSIX_SPAWN_SETSIGDEF);
    if (!failed) failed = posix_spawnattr_setpgroup(attributes, 0);
    if (!failed) failed = posix_spawnattr_setsigmask(attributes, &none);
    if (!failed) failed = posix_spawnattr_setsigdefault(attributes, &standard);
    return failed;
}

/// @return 0 or an errno.
static int spawn(char **words, char **environment, int socket, int segment, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          attributes;
    char                       path[CAIRN_OPTION_PATH];
    int                        failed = cairn_locate_program(words[0], path);

    if (failed) return failed;
    failed = posix_spawn_file_actions_init(&files);
    if (failed) return failed;
    failed = posix_spawnattr_init(&attributes);
    if (failed) goto files;
    failed = set_files(&files, socket, segment);
    if (!failed) failed = set_attributes(&attributes);
    if (!failed)
        failed = posix_spawn(pid, path, &files, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);

files:
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

/// A descriptor above those that the child is given, so that none is in the way.
static int lift(int fd)
{
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, 16);

    close(fd);
    return high;
}

/// Two ends; -1 where there are none.
static bool make_sockets(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) return false;
    for (int k = 0; k < 2; k++)
        ends[k] = lift(ends[k]);
    if (ends[0] >= 0 && ends[1] >= 0) return true;
    for (int k = 0; k < 2; k++)
        if (ends[k] >= 0) close(ends[k]);
    return false;
}

static cairn_status list_environment(cairn_env *env, char ***list)
{
    static const char *const none[] = {NULL};
    const size_t             length = cairn_environment(none, NULL, 0);

    CAIRN_TRY(CAIRN_NEW(env, (int64_t)length, list));
    cairn_environment(none, *list, length);
    return CAIRN_OK;
}

/// Where the numbers of a program's messages start: elsewhere each time, so that no
/// program comes to count on them.
static uint32_t first_number(pid_t pid)
{
    return (uint32_t)(1e6 * cairn_seconds()) ^ (uint32_t)pid * 2654435761u;
}

/// The number after @p last: each is used once in 2^32 messages (a full period, by Hull
/// and Dobell), and none is guessed by adding 1, as a program that answers early would.
static uint32_t next_number(uint32_t last)
{
    return 1664525u * last + 1013904223u;
}

cairn_status cairn_external_start(cairn_env            *env,
                                  const char           *id,
                                  const char           *command,
                                  int                   segment,
                                  double                time_limit,
                                  cairn_external_child *child)
{
    char         *words[WORDS + 1] = {NULL}, **environment = NULL;
    cairn_remain *remain = NULL;
    pid_t         pid    = 0;
    sigset_t      was;
    int           ends[2], count = 0;

    for (const char *at = command; *at && count < WORDS; at += strlen(at) + 1)
        words[count++] = (char *)(uintptr_t)at;
    CAIRN_TRY(list_environment(env, &environment));
    if (!make_sockets(ends)) {
        cairn_free(env, environment);
        return cairn_fail(env, CAIRN_NO_DEVICE, "device: %s: no socket: %s", id,
                          strerror(errno));
    }
    cairn_remains_hold_signals(&was);
    const int failed = spawn(words, environment, ends[1], segment, &pid);

    if (!failed) remain = cairn_remains_add_group(&env->remains, pid);
    cairn_remains_let_signals(&was);
    close(ends[1]);
    cairn_free(env, environment);
    if (failed) {
        close(ends[0]);
        return cairn_fail(env, CAIRN_NO_DEVICE, "device: %s: %s cannot be started: %s",
                          id, words[0],
                          failed == EACCES ? "it is no program that may be executed"
                                           : strerror(failed));
    }
    *child = (cairn_external_child){.pid        = pid,
                                    .socket     = ends[0],
                                    .time_limit = time_limit,
                                    .number     = first_number(pid),
                                    .remain     = remain};
    return CAIRN_OK;
}

/// Whether it has ended. It is not reaped yet, so that its number, which is its group's
/// too, is not another process's. True also where the host program has it reaped.
static bool has_ended(const cairn_external_child *child)
{
    siginfo_t about = {0};
    int       failed;

    do
        failed = waitid(P_PID, (id_t)child->pid, &about, WEXITED | WNOHANG | WNOWAIT);
    while (failed && errno == EINTR);
    return failed || about.si_pid == child->pid;
}

/// Give it so many seconds to end by itself.
static bool wait_gone(const cairn_external_child *child, double seconds)
{
    const double          end   = cairn_seconds() + seconds;
    const struct timespec pause = {.tv_nsec = 500000};

    while (!has_ended(child)) {
        if (cairn_seconds() > end) return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

/// Whatever it does: afterwards it is gone, and what it started. @return how it ended by
/// itself; below 0: it did not, or that is not known.
static int finish(cairn_external_child *child, double patience)
{
    int   status = -1;
    pid_t pid;

    if (child->socket >= 0) close(child->socket);
    child->socket = -1;
    if (child->pid == 0) return status;
    const bool by_itself = wait_gone(child, patience);

    kill(-child->pid, SIGKILL);
    cairn_remains_drop(child->remain);
    child->remain = NULL;
    do
        pid = waitpid(child->pid, &status, 0);
    while (pid < 0 && errno == EINTR);
    child->pid = 0;
    return by_itself && pid > 0 ? status : -1;
}

void cairn_external_end(cairn_external_child *child)
{
    const cairn_simulator_message quit = {.magic   = CAIRN_SIMULATOR_MAGIC,
                                          .version = CAIRN_SIMULATOR_VERSION,
                                          .kind    = CAIRN_SIMULATOR_QUIT};

    if (child->pid == 0) return;
    if (child->socket >= 0)
        (void)!send(child->socket, &quit, sizeof quit, MSG_NOSIGNAL | MSG_DONTWAIT);
    finish(child, 1);
}

/// Wait until there is something to read. @return false: nothing came in time.
static bool wait_answer(const cairn_external_child *child)
{
    const double  end  = cairn_seconds() + child->time_limit;
    struct pollfd news = {.fd = child->socket, .events = POLLIN};

    for (;;) {
        const double left = end - cairn_seconds();

        if (left <= 0) return false;
        /* A minute at a time: the limit may be longer than poll() can say. */
        if (poll(&news, 1, left < 60 ? (int)(1000 * left) + 1 : 60000) > 0) return true;
    }
}

/// Say how a program ended that should not have.
static void tell_end(int status, char *why, size_t size)
{
    if (status >= 0 && WIFSIGNALED(status))
        snprintf(why, size, "its program was killed by signal %d", WTERMSIG(status));
    else if (status >= 0)
        snprintf(why, size, "its program ended with status %d", WEXITSTATUS(status));
    else
        snprintf(why, size, "its program closed the connection");
}

/// Are they times that a machine may take? What is below 0, or no number, or goes on for
/// thirty years is none.
static bool are_seconds(const cairn_simulator_message *answer)
{
    const double each[3] = {answer->in, answer->compute, answer->out};

    for (int k = 0; k < 3; k++)
        if (!(each[k] >= 0 && each[k] < 1e9)) return false;
    return true;
}

static const char unasked[] = "its program sent an answer that was not asked for";

/// Is this an answer to that message? Says why not.
static bool is_answer(const cairn_simulator_message *answer,
                      ssize_t                        bytes,
                      const cairn_simulator_message *asked,
                      char                          *why,
                      size_t                         size)
{
    if (bytes >= (ssize_t)(2 * sizeof(uint32_t))
        && answer->magic == CAIRN_SIMULATOR_MAGIC
        && answer->version != CAIRN_SIMULATOR_VERSION)
        snprintf(why, size, "its program speaks version %u, not %d", answer->version,
                 CAIRN_SIMULATOR_VERSION);
    else if (bytes != sizeof *answer)
        snprintf(why, size, "its program's answer is none: %zd bytes, not %zu", bytes,
                 sizeof *answer);
    else if (answer->magic == CAIRN_SIMULATOR_MAGIC && answer->number != asked->number)
        snprintf(why, size, "%s", unasked);
    else if (answer->magic != CAIRN_SIMULATOR_MAGIC || answer->kind != asked->kind
             || answer->status > CAIRN_SIMULATOR_FAILED
             || !memchr(answer->text, '\0', sizeof answer->text))
        snprintf(why, size, "its program's answer is none");
    else if (!are_seconds(answer))
        snprintf(why, size,
                 "its program's answer is none: it takes %g s, %g s and %g s",
                 answer->in, answer->compute, answer->out);
    else
        return true;
    return false;
}

/// Is there an answer to no question? The end of the socket does not count.
static bool has_more(const cairn_external_child *child)
{
    char    byte;
    ssize_t n;

    do
        n = recv(child->socket, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

/// Send a message and read its answer. @return Its bytes; 0 or less: the program is gone.
/// -2: none came in time.
static ssize_t exchange(const cairn_external_child    *child,
                        const cairn_simulator_message *message,
                        cairn_simulator_message       *answer)
{
    ssize_t n;

    if (send(child->socket, message, sizeof *message, MSG_NOSIGNAL) < 0) return -1;
    if (!wait_answer(child)) return -2;
    do
        n = recv(child->socket, answer, sizeof *answer, MSG_TRUNC);
    while (n < 0 && errno == EINTR);
    return n;
}

/// Ask a program that is there. Says why there is no answer; how it ended, `*patience`
/// seconds may tell.
static bool ask(const cairn_external_child    *child,
                const cairn_simulator_message *message,
                cairn_simulator_message       *answer,
                double                        *patience,
                char                          *why,
                size_t                         size)
{
    *patience = 0;
    if (has_more(child)) {
        snprintf(why, size, "%s", unasked);
        return false;
    }
    const ssize_t n = exchange(child, message, answer);

    if (n == -2)
        snprintf(why, size, "its program did not answer within %g s",
                 child->time_limit);
    if (n == 0 || n == -1) *patience = 0.2;
    if (n <= 0 || !is_answer(answer, n, message, why, size)) return false;
    if (!has_more(child)) return true;
    snprintf(why, size, "%s", unasked);
    return false;
}

bool cairn_external_ask(cairn_external_child    *child,
                        cairn_simulator_message *message,
                        char                    *why,
                        size_t                   size)
{
    cairn_simulator_message answer = {0};
    double                  patience;

    if (child->pid == 0) {
        snprintf(why, size, "its program is gone");
        return false;
    }
    child->number    = next_number(child->number);
    message->magic   = CAIRN_SIMULATOR_MAGIC;
    message->version = CAIRN_SIMULATOR_VERSION;
    message->number  = child->number;
    if (!ask(child, message, &answer, &patience, why, size)) {
        const int status = finish(child, patience);

        if (patience > 0) tell_end(status, why, size);
        return false;
    }
    for (char *at = answer.text; *at; at++) /* It is put into messages and reports. */
        if ((unsigned char)*at < ' ' || *at == 0x7f) *at = ' ';
    *message = answer;
    return true;
}
