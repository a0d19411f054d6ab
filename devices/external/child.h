// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The program of an external device while it runs: started without a shell, asked over a
/// socket with a time limit, and gone without a trace in the end, whatever it did.

#ifndef CAIRN_DEVICES_EXTERNAL_CHILD_H
#define CAIRN_DEVICES_EXTERNAL_CHILD_H

#include "base/env.h"

#include <cairn/simulator.h>

#include <sys/types.h>

typedef struct cairn_external_child {
    pid_t    pid;        ///< 0: there is none.
    int      socket;     ///< Ours; -1: closed.
    double   time_limit; ///< Seconds for each answer.
    uint32_t number;     ///< Of the last message.
    cairn_remain
        *remain; ///< Its group, for a signal that ends us; NULL: no room for it.
} cairn_external_child;

/// Start a program.
///
/// Local. Ended with cairn_external_end(). Other children of the process are not touched.
///
/// @param[in]  id       The device's, for messages.
/// @param[in]  command  Words, each ended by NUL, the last followed by another.
/// @param[in]  segment  Descriptor of the shared memory; -1: none yet.
/// @param[out] child    Unchanged on failure.
/// @retval CAIRN_NO_DEVICE  It cannot be started: the message says why.
cairn_status cairn_external_start(cairn_env            *env,
                                  const char           *id,
                                  const char           *command,
                                  int                   segment,
                                  double                time_limit,
                                  cairn_external_child *child);

/// Send a message and wait for its answer. On failure the program is ended.
///
/// Any thread, one at a time.
///
/// @param[in,out] message  `kind` and what belongs to it; then the answer.
/// @param[out]    why      [size] What went wrong: its signal or status, the time limit,
///                         an answer that is none, is to another message or comes unasked.
///                         Unchanged on success.
/// @return Is there one answer, of the same kind and number?
bool cairn_external_ask(cairn_external_child    *child,
                        cairn_simulator_message *message,
                        char                    *why,
                        size_t                   size);

/// Tell it to quit, and see it gone: killed if it does not go within a second.
void cairn_external_end(cairn_external_child *child);

#endif
