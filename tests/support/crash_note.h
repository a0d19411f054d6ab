// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a test was doing when it crashed. A test of random cases says which one is at
/// hand; a signal that ends it writes that to stderr first, so that a log is enough to
/// repeat the case.

#ifndef CAIRN_TESTS_SUPPORT_CRASH_NOTE_H
#define CAIRN_TESTS_SUPPORT_CRASH_NOTE_H

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CRASH_NOTE_SIGNALS = 5 };

static const int crash_note_signal[CRASH_NOTE_SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE,
                                                          SIGILL, SIGABRT};
static struct sigaction crash_note_before[CRASH_NOTE_SIGNALS]; ///< A sanitizer's, say.
static char             crash_note_text[512];

/// Returns to what crashed, which then crashes again, now as it would have without this.
static inline void crash_note_write(int signal)
{
    for (int k = 0; k < CRASH_NOTE_SIGNALS; k++)
        if (crash_note_signal[k] == signal)
            sigaction(signal, &crash_note_before[k], NULL);
    if (write(STDERR_FILENO, crash_note_text, strlen(crash_note_text)) < 0) return;
}

/// On a stack of its own, for code that has used up the other.
static inline void crash_note_watch(void)
{
    static char            stack[1 << 16];
    const stack_t          own    = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_handler = crash_note_write,
                                     .sa_flags   = SA_ONSTACK};

    sigaltstack(&own, NULL);
    for (int k = 0; k < CRASH_NOTE_SIGNALS; k++)
        sigaction(crash_note_signal[k], &action, &crash_note_before[k]);
}

/// Say what is at hand from now on; formatted, one line.
__attribute__((format(printf, 1, 2))) static inline void crash_note(const char *fmt,
                                                                    ...)
{
    char    text[sizeof crash_note_text - 16];
    va_list list;

    if (!crash_note_text[0]) crash_note_watch();
    va_start(list, fmt);
    vsnprintf(text, sizeof text, fmt, list);
    va_end(list);
    snprintf(crash_note_text, sizeof crash_note_text, "crash in %s\n", text);
}

#endif
