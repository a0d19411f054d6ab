// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a process would leave behind if a signal ended it now: files under temporary
/// names, folders of compilers, the compilers themselves, and simulators. A process enters
/// the name of such a thing here before it makes it, and removes the name when the
/// thing is gone; a handler of signals removes the things that are entered. Nothing
/// here handles signals: that is for programs.

#ifndef CAIRN_BASE_REMAINS_H
#define CAIRN_BASE_REMAINS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/select.h> // sigset_t
#include <sys/types.h>

#define CAIRN_REMAINS 64 ///< Entries at a time; what exceeds them is not known here.

/// One thing.
typedef struct cairn_remain {
    _Atomic bool          taken;
    _Atomic(const char *) name;      ///< NULL: no file is entered.
    int                   base;      ///< What a relative name belongs to; or AT_FDCWD.
    bool                  is_folder; ///< Of files, all of which go with it.
    _Atomic pid_t         group;     ///< Processes that go with it; 0: none.
} cairn_remain;

typedef struct cairn_remains {
    cairn_remain entry[CAIRN_REMAINS];
} cairn_remains;

/// Enter a file or a folder before it is made. The name stays the caller's, and stays
/// where it is until cairn_remains_drop(); its letters may change (mkdtemp).
///
/// Any thread.
///
/// @return the entry; NULL where there is no room for it, which is no failure.
cairn_remain *
cairn_remains_add(cairn_remains *remains, int base, const char *name, bool is_folder);

/// Hold signals back from this thread until cairn_remains_let_signals(): while a process is
/// started, and not yet entered, a handler would not know of it.
///
/// @param[out] was  Those that were held back before.
void cairn_remains_hold_signals(sigset_t *was);

/// Let through what was let through before.
void cairn_remains_let_signals(const sigset_t *was);

/// Enter a group of processes that leaves no file: it is killed. Dropped before its leader
/// is reaped, for its number may be another's from then on.
///
/// Any thread. @return As cairn_remains_add().
cairn_remain *cairn_remains_add_group(cairn_remains *remains, pid_t group);

/// It is gone, or has its name for good. NULL is accepted. Any thread.
void cairn_remains_drop(cairn_remain *remain);

/// Kill and remove all that is entered. The process must end now: what it still makes is
/// not looked at any more.
///
/// Any thread, and in handlers of signals, whatever they have interrupted.
void cairn_remains_remove(cairn_remains *remains);

#endif
