// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The note that a test leaves when it crashes.

#include "support/crash_note.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

/// Uses up its stack.
static int deeper(volatile char *above)
{
    volatile char here[4096];

    here[0] = above[0];
    return above[0] ? 0 : deeper(here) + here[0];
}

/// Reads where nobody may; a sanitizer would see a null pointer before it crashes.
static int nowhere(volatile char *above)
{
    volatile char *const page =
        mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return page[0] + above[0];
}

/// Run @p crash in a process of its own. @return the signal that ended it; its stderr.
static int crashed(int (*crash)(volatile char *above), char *text, size_t size)
{
    int     ends[2], status;
    ssize_t n;

    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();

    cr_assert_geq(child, 0);
    if (child == 0) {
        volatile char first[1] = {0};

        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        crash_note("seed %d", 6);
        crash_note("seed %d, variant %d", 7, 2);
        _exit(crash(first) != 0);
    }
    close(ends[1]);
    n = read(ends[0], text, size - 1);
    while (n > 0 && read(ends[0], &(char[64]){0}, 64) > 0) /* a sanitizer says more */
        continue;
    text[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) ? SIGSEGV : 0;
}

Test(crash_note, a_crash_names_the_case_at_hand)
{
    char text[4096];

    cr_expect_eq(crashed(nowhere, text, sizeof text), SIGSEGV);
    cr_expect(strncmp(text, "crash in seed 7, variant 2\n", 27) == 0, "%s", text);
}

Test(crash_note, so_does_one_without_stack)
{
    char text[4096];

    cr_expect_eq(crashed(deeper, text, sizeof text), SIGSEGV);
    cr_expect(strncmp(text, "crash in seed 7, variant 2\n", 27) == 0, "%s", text);
}
