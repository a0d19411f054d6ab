// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a signal would leave is entered, crossed out, and removed.

#include "../support/scratch.h"
#include "base/remains.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static cairn_remains remains;
static char          folder[64];

static void up(void)
{
    scratch_create(folder);
}

static void down(void)
{
    cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
}

TestSuite(remains, .init = up, .fini = down, .timeout = 240);

Test(remains, are_removed_unless_crossed_out)
{
    char          kept[128], lost[128];
    cairn_remain *first, *second;

    snprintf(kept, sizeof kept, "%s/kept", folder);
    snprintf(lost, sizeof lost, "%s/lost", folder);
    first  = cairn_remains_add(&remains, AT_FDCWD, kept, false);
    second = cairn_remains_add(&remains, AT_FDCWD, lost, false);
    scratch_write(kept, "k", 1);
    scratch_write(lost, "l", 1);
    cr_assert(first && second);
    cairn_remains_drop(first);
    cairn_remains_remove(&remains);
    cr_expect_eq(access(kept, F_OK), 0);
    cr_expect_neq(access(lost, F_OK), 0);
    unlink(kept);
}

/// Names may belong to a folder that is open; entries are used again; what there is no room
/// for is not known.
Test(remains, have_room_for_so_many)
{
    const int     base = open(folder, O_RDONLY | O_DIRECTORY);
    cairn_remain *entry[CAIRN_REMAINS];

    for (int turn = 0; turn < 2; turn++) {
        for (int k = 0; k < CAIRN_REMAINS; k++)
            cr_assert(entry[k] = cairn_remains_add(&remains, base, "file", false));
        cr_expect_null(cairn_remains_add(&remains, base, "file", false));
        cairn_remains_drop(NULL);
        for (int k = turn; k < CAIRN_REMAINS; k++)
            cairn_remains_drop(entry[k]);
        if (turn == 0) continue;
        close(openat(base, "file", O_CREAT | O_WRONLY, 0600));
        cairn_remains_remove(&remains);
        cr_expect_neq(faccessat(base, "file", F_OK, 0), 0);
    }
    close(base);
}

/// A folder goes with its files, however many, and with those who make more of them.
Test(remains, that_are_folders_go_with_their_writers)
{
    char inside[128], name[192];

    snprintf(inside, sizeof inside, "%s/inside", folder);
    cairn_remain *entry = cairn_remains_add(&remains, AT_FDCWD, inside, true);

    cr_assert_eq(mkdir(inside, 0700), 0);
    for (int k = 0; k < 300; k++) {
        snprintf(name, sizeof name, "%s/file-with-a-long-name-%d", inside, k);
        scratch_write(name, "x", 1);
    }
    const pid_t writer = fork();

    if (writer == 0) {
        setpgid(0, 0);
        for (int k = 0;; k++) {
            snprintf(name, sizeof name, "%s/more-%d", inside, k % 1000);
            close(open(name, O_CREAT | O_WRONLY, 0600));
        }
    }
    setpgid(writer, writer);
    atomic_store(&entry->group, writer);
    cairn_remains_remove(&remains);
    cr_expect_neq(access(inside, F_OK), 0);
    int status = 0;

    cr_expect_eq(waitpid(writer, &status, 0), writer);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/// Processes that have no file are killed, unless they were crossed out.
Test(remains, that_are_processes_are_killed)
{
    pid_t         child[2];
    cairn_remain *entry[2];
    int           status = 0;

    for (int k = 0; k < 2; k++) {
        child[k] = fork();
        if (child[k] == 0)
            for (setpgid(0, 0);;)
                pause();
        setpgid(child[k], child[k]);
        cr_assert(entry[k] = cairn_remains_add_group(&remains, child[k]));
    }
    cairn_remains_drop(entry[0]);
    cairn_remains_remove(&remains);
    cr_expect_eq(waitpid(child[1], &status, 0), child[1]);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    cr_expect_eq(waitpid(child[0], &status, WNOHANG), 0);
    kill(child[0], SIGTERM);
    cr_expect_eq(waitpid(child[0], &status, 0), child[0]);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    cairn_remains_drop(entry[1]);
}

static volatile sig_atomic_t came;

static void note_signal(int number)
{
    came = number;
}

Test(remains, are_entered_before_a_signal_is_met)
{
    sigset_t was;

    signal(SIGUSR2, note_signal);
    cairn_remains_hold_signals(&was);
    raise(SIGUSR2);
    cr_expect_eq(came, 0, "met before what was started is entered");
    cairn_remains_let_signals(&was);
    cr_expect_eq(came, SIGUSR2);
}
