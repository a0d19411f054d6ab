// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Starting, waiting, ending.

#include "cli/process/child.h"

#include "cli/process/clock.h"
#include "cli/process/signals.h"
#include "cli/ranks/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE    5.0      ///< Seconds between SIGTERM and SIGKILL.
#define INTERVAL 20000000 ///< Nanoseconds between two looks.

/// Where its streams go.
static int set_streams(posix_spawn_file_actions_t *actions, const cli_child *child)
{
    const char *const log   = child->log ? child->log : "/dev/null";
    int               wrong = 0;

    wrong |= posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    wrong |= posix_spawn_file_actions_addopen(actions, 1, log,
                                              O_WRONLY | O_CREAT | O_TRUNC, 0666);
    wrong |= posix_spawn_file_actions_adddup2(actions, 1, 2);
    if (child->folder)
        wrong |= posix_spawn_file_actions_addchdir_np(actions, child->folder);
    return wrong;
}

/// Signals as a shell leaves them, but for those that the command itself was started to
/// ignore.
static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t standard;
    int      wrong = 0;

    sigemptyset(&standard);
    sigaddset(&standard, SIGPIPE);
    sigaddset(&standard, SIGXFSZ);
    wrong |= posix_spawnattr_setsigdefault(attributes, &standard);
    wrong |= posix_spawnattr_setpgroup(attributes, 0);
    sigemptyset(&standard); /* those that are held back while it starts */
    wrong |= posix_spawnattr_setsigmask(attributes, &standard);
    wrong |= posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF
                                                      | POSIX_SPAWN_SETPGROUP
                                                      | POSIX_SPAWN_SETSIGMASK);
    return wrong;
}

/// @return 0, or what errno would be.
static int start(const cli_child *child, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t          attributes;
    int                        wrong;

    if ((wrong = posix_spawn_file_actions_init(&actions)) != 0) return wrong;
    if ((wrong = posix_spawnattr_init(&attributes)) == 0) {
        wrong = set_streams(&actions, child) || set_signals(&attributes) ? ENOMEM : 0;
        if (wrong == 0)
            wrong = posix_spawnp(pid, child->words[0], &actions, &attributes,
                                 child->words, cli_launcher_environment());
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return wrong;
}

/// Wait for it, and end it when its time is over.
static void wait_for(pid_t pid, double within, cli_child_end *end)
{
    const struct timespec interval = {.tv_nsec = INTERVAL};
    const double          begun    = cli_seconds();
    int                   how      = 0;
    pid_t                 ended;

    while ((ended = waitpid(pid, &how, WNOHANG)) == 0
           || (ended < 0 && errno == EINTR)) {
        const double passed = cli_seconds() - begun;

        if (within > 0 && passed > within && !end->late) {
            end->late = true;
            kill(-pid, SIGTERM);
        }
        if (end->late && passed > within + GRACE) kill(-pid, SIGKILL);
        nanosleep(&interval, NULL);
    }
    if (WIFEXITED(how)) end->status = WEXITSTATUS(how);
    if (WIFSIGNALED(how)) end->signal = WTERMSIG(how);
}

cairn_status cli_child_run(cli_job *job, const cli_child *child, cli_child_end *end)
{
    pid_t pid;

    *end = (cli_child_end){.missing = false};
    cli_signals_hold();
    const int wrong = start(child, &pid);

    cli_signals_child(wrong == 0 ? pid : 0);
    if (wrong == ENOENT || wrong == EACCES) {
        end->missing = true;
        return CAIRN_OK;
    }
    if (wrong)
        return cli_fail(job, CAIRN_IO, "start: %s: %s", child->words[0],
                        strerror(wrong));
    wait_for(pid, child->within, end);
    cli_signals_child(0);
    return CAIRN_OK;
}
