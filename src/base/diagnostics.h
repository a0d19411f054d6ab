// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A list of findings that grows. Every room looks after its own matters and says what it
/// found here; a failed allocation is remembered and told once, so that checks need not
/// look after every word.

#ifndef CAIRN_BASE_DIAGNOSTICS_H
#define CAIRN_BASE_DIAGNOSTICS_H

#include "base/env.h"

#include <cairn/doctor.h>

typedef struct cairn_diagnostics {
    cairn_env        *env;
    int64_t           count, capacity;
    cairn_diagnostic *finding; ///< [count] cairn_free().
    cairn_status      status;  ///< The first failure.
} cairn_diagnostics;

/// Say that @p what is as it should be; that something is worth knowing, or needs
/// attention, and what is to be done about it ("": nothing). `ranks` stays empty.
void cairn_diagnostics_ok(cairn_diagnostics *list,
                          const char        *what,
                          const char        *why,
                          ...) __attribute__((format(printf, 3, 4)));
void cairn_diagnostics_note(cairn_diagnostics *list,
                            const char        *what,
                            const char        *fix,
                            const char        *why,
                            ...) __attribute__((format(printf, 4, 5)));
void cairn_diagnostics_attention(cairn_diagnostics *list,
                                 const char        *what,
                                 const char        *fix,
                                 const char        *why,
                                 ...) __attribute__((format(printf, 4, 5)));

/// Read the first line of a small file that the system writes (/proc, /sys), without its
/// end. @return false: there is none; @p line is then "".
bool cairn_read_line(const char *path, char *line, size_t size);

#endif
