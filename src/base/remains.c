// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a signal would leave. Removing calls nothing but what signal-safety(7) lists, and
/// getdents64, which the list lacks only because it has no function of its own.

#include "base/remains.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    TURNS  = 50,      /* looks at a folder in which a process still writes */
    MOMENT = 2000000, /* nanoseconds between two */
};

/// An entry with nothing in it; NULL: all are taken.
static cairn_remain *take_entry(cairn_remains *remains)
{
    for (int k = 0; k < CAIRN_REMAINS; k++)
        if (!atomic_exchange(&remains->entry[k].taken, true)) return &remains->entry[k];
    return NULL;
}

cairn_remain *
cairn_remains_add(cairn_remains *remains, int base, const char *name, bool is_folder)
{
    cairn_remain *const entry = take_entry(remains);

    if (!entry) return NULL;
    entry->base      = base;
    entry->is_folder = is_folder;
    atomic_store(&entry->name, name);
    return entry;
}

void cairn_remains_hold_signals(sigset_t *was)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, was);
}

void cairn_remains_let_signals(const sigset_t *was)
{
    pthread_sigmask(SIG_SETMASK, was, NULL);
}

cairn_remain *cairn_remains_add_group(cairn_remains *remains, pid_t group)
{
    cairn_remain *const entry = take_entry(remains);

    if (entry) atomic_store(&entry->group, group);
    return entry;
}

void cairn_remains_drop(cairn_remain *remain)
{
    if (!remain) return;
    atomic_store(&remain->name, NULL);
    atomic_store(&remain->group, 0);
    atomic_store(&remain->taken, false);
}

static void wait_a_moment(void)
{
    const struct timespec moment = {.tv_nsec = MOMENT};

    nanosleep(&moment, NULL);
}

/// What the kernel says of a folder's entry (getdents(2)).
typedef struct {
    uint64_t       inode;
    int64_t        next;
    unsigned short bytes;
    unsigned char  kind;
    char           name[];
} folder_entry;

/// Remove the files in a folder. (opendir() would allocate.)
static void empty(int folder)
{
    _Alignas(folder_entry) char list[2048];
    long                        n;

    while ((n = syscall(SYS_getdents64, folder, list, sizeof list)) > 0)
        for (long at = 0; at < n;) {
            const folder_entry *entry = (const folder_entry *)(list + at);

            unlinkat(folder, entry->name, 0); /* fails for "." and ".." */
            at += entry->bytes;
        }
}

/// Processes that were killed may end a moment later, and make a file until then. Where
/// there is no folder any more none is made.
static void remove_folder(int base, const char *name)
{
    for (int turn = 0; turn < TURNS; turn++) {
        const int folder =
            openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (folder < 0) return;
        empty(folder);
        close(folder);
        if (unlinkat(base, name, AT_REMOVEDIR) == 0) return;
        wait_a_moment();
    }
}

/// @return was anything entered?
static bool remove_entered(cairn_remains *remains)
{
    bool any = false;

    for (int k = 0; k < CAIRN_REMAINS; k++) {
        cairn_remain     *entry = &remains->entry[k];
        const char *const name  = atomic_load(&entry->name);
        const pid_t       group = atomic_load(&entry->group);

        if (group > 0) kill(-group, SIGKILL);
        if (!name) continue;
        any = true;
        if (entry->is_folder)
            remove_folder(entry->base, name);
        else
            unlinkat(entry->base, name, 0);
    }
    return any;
}

void cairn_remains_remove(cairn_remains *remains)
{
    /* Again: another thread may have been about to make what was entered. */
    if (!remove_entered(remains)) return;
    wait_a_moment();
    remove_entered(remains);
}
