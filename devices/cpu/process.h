// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Another program, run to its end: no shell, what it prints caught, its time limited. It
/// is started as MPI wants it (posix_spawn, which copies no memory and runs no fork
/// handlers) and in a process group of its own, so that what it started ends with it.

#ifndef CAIRN_DEVICES_CPU_PROCESS_H
#define CAIRN_DEVICES_CPU_PROCESS_H

#include "devices/device.h"

#include <sys/types.h>

/// How a program ended.
typedef enum {
    CAIRN_PROCESS_EXITED,      ///< `number`: its status; 0 also when the host program
                               ///< has its children's statuses thrown away.
    CAIRN_PROCESS_KILLED,      ///< `number`: the signal.
    CAIRN_PROCESS_LATE,        ///< It ran past the limit, and was killed for it.
    CAIRN_PROCESS_NOT_STARTED, ///< `number`: errno.
} cairn_process_end;

typedef struct cairn_process {
    char *const        *arguments;   ///< NULL-terminated; [0] is the program's path.
    char *const        *environment; ///< NULL-terminated.
    double              time_limit;  ///< Seconds.
    const cairn_pu_set *cores;    ///< Where it may run; NULL: where its starter does.
    char               *output;   ///< What it prints goes here, cut, NUL-terminated.
    size_t              capacity; ///< Bytes of `output`, at least 1.
    cairn_remain       *remain; ///< Entry that gets its group, while it runs; or NULL.
    cairn_process_end   end;    ///< Out.
    int                 number; ///< Out.

    /* While it runs. */
    pid_t  pid;    ///< 0: it was not started.
    int    reader; ///< Of what it prints, non-blocking; -1: it has closed it.
    int    ended;  ///< Readable when it has ended; -1: this kernel has no such.
    double until;  ///< cairn_seconds() at the limit.
    size_t length; ///< Of the output so far.
    bool   lost;   ///< It was reaped elsewhere: its number may be another process's.
} cairn_process;

/// Start a program, standard input empty, standard output and error into `output`, and do
/// not wait for it. Several may run at once.
///
/// Local. Pairs with cairn_process_finish(), also where it was not started.
void cairn_process_start(cairn_process *process);

/// See a program through: when this returns it has ended, it and its group, and nothing
/// of it is left. Its time counts from the start.
///
/// Local. Other children of the process are not touched.
void cairn_process_finish(cairn_process *process);

/// Start a program and see it through.
void cairn_process_run(cairn_process *process);

#endif
