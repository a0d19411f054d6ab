// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Calls with wrong arguments, each in a process of its own, so that one that crashes or
/// does not return is a failure with a name. tests/check_misuse.sh reads the first two
/// words of each use: every argument of every public function stands there.

#ifndef CAIRN_TESTS_MISUSE_H
#define CAIRN_TESTS_MISUSE_H

#include "support/api.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static cairn_context *misused; ///< Whose message is looked at.

/// Where calls put what they must not: nothing may be written here.
enum { MISUSE_ROOM = 32768, MISUSE_BYTE = 0x5a };

static union {
    unsigned char byte[2][MISUSE_ROOM];
    long double   aligned;
} misuse_out;

#define OUT(type)   ((type *)(void *)misuse_out.byte[0])
#define OTHER(type) ((type *)(void *)misuse_out.byte[1])

/// The same for a struct that begins with its size, which is right.
#define SIZED(type)       ((type *)misuse_sized(0, sizeof(type)))
#define SIZED_OTHER(type) ((type *)misuse_sized(1, sizeof(type)))

static size_t misuse_size[2]; ///< Of these structs; 0: there is none.
static int    misuses;

static inline void *misuse_sized(int k, size_t size)
{
    misuse_size[k] = size;
    memcpy(misuse_out.byte[k], &size, sizeof size);
    return misuse_out.byte[k];
}

static inline bool misuse_begins(void)
{
    fflush(NULL);
    memset(&misuse_out, MISUSE_BYTE, sizeof misuse_out);
    misuses++;
    const pid_t child = fork();

    if (child != 0) return false;
    for (int s = 1; s < 32; s++)
        signal(s, SIG_DFL); /* not Criterion's */
    alarm(60);
    return true;
}

enum { WELL, ACCEPTED, UNTOLD, TOUCHED, WRONG_ANSWER };

static inline bool is_touched(void)
{
    for (int k = 0; k < 2; k++) {
        const size_t head = misuse_size[k] ? sizeof misuse_size[k] : 0;

        if (head && memcmp(misuse_out.byte[k], &misuse_size[k], head) != 0) return true;
        for (size_t n = head; n < MISUSE_ROOM; n++)
            if (misuse_out.byte[k][n] != MISUSE_BYTE) return true;
    }
    return false;
}

/// End the child: the call must have failed, and said so in words that begin with @p told
/// (NULL: there was no context to say them in), its outputs untouched.
static inline void misuse_refused(cairn_status status, const char *told)
{
    const char *message = cairn_context_message(misused);

    if (status >= CAIRN_OK) _exit(ACCEPTED);
    if (told && (!message[0] || strncmp(message, told, strlen(told)) != 0)) {
        fprintf(stderr, "status %d: '%s'\n", status, message);
        _exit(UNTOLD);
    }
    _exit(is_touched() ? TOUCHED : WELL);
}

static inline void
misuse_judge(const char *function, const char *argument, const char *call, int line)
{
    static const char *const how[]  = {[ACCEPTED]     = "was accepted",
                                       [UNTOLD]       = "was refused in other words",
                                       [TOUCHED]      = "touched its outputs",
                                       [WRONG_ANSWER] = "gave another answer"};
    int                      status = 0;

    wait(&status);
    cr_expect(!WIFSIGNALED(status), "line %d: %s: %s: signal %d of (%s)", line,
              function, argument, WTERMSIG(status), call);
    if (WIFEXITED(status) && WEXITSTATUS(status) != WELL)
        cr_expect_fail("line %d: %s: %s: (%s) %s", line, function, argument, call,
                       WEXITSTATUS(status) <= WRONG_ANSWER ? how[WEXITSTATUS(status)]
                                                           : "ended the process");
}

/// Is refused in words that name function and argument.
#define REFUSES(function, argument, ...)                                          \
    do {                                                                          \
        if (misuse_begins())                                                      \
            misuse_refused(function(__VA_ARGS__), #function ": " #argument ": "); \
        misuse_judge(#function, #argument, #__VA_ARGS__, __LINE__);               \
    } while (0)

/// Is refused in words of the work.
#define FAILS(function, argument, ...)                                  \
    do {                                                                \
        if (misuse_begins()) misuse_refused(function(__VA_ARGS__), ""); \
        misuse_judge(#function, #argument, #__VA_ARGS__, __LINE__);     \
    } while (0)

/// Is refused without a context to keep a message.
#define SILENT(function, argument, ...)                                   \
    do {                                                                  \
        if (misuse_begins()) misuse_refused(function(__VA_ARGS__), NULL); \
        misuse_judge(#function, #argument, #__VA_ARGS__, __LINE__);       \
    } while (0)

/// Is allowed: @p answer, an expression with the call, is true.
#define ALLOWS(function, argument, answer)                          \
    do {                                                            \
        if (misuse_begins()) _exit((answer) ? WELL : WRONG_ANSWER); \
        misuse_judge(#function, #argument, #answer, __LINE__);      \
    } while (0)

#endif
