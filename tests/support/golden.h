// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Texts that are compared with files of tests/golden: a change there is reviewed as
/// code. What differs is written as NAME.actual into the folder where the test runs.

#ifndef CAIRN_TESTS_GOLDEN_H
#define CAIRN_TESTS_GOLDEN_H

#include "support/scratch.h"

/// Keep those lines of a text that contain @p word.
static inline void golden_keep(char *text, const char *word)
{
    char *to = text;

    for (char *line = text, *next; *line; line = next) {
        const size_t n     = strcspn(line, "\n");
        const char  *found = strstr(line, word);

        next = line + n + (line[n] == '\n');
        if (!found || found > line + n) continue;
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    *to = '\0';
}

/// Compare @p text with tests/golden/@p name, or with those of its lines that contain
/// @p word (NULL: all).
static inline void
golden_expect_lines(const char *name, const char *word, const char *text)
{
    char   path[512], actual[256], *expected = NULL;
    size_t length;

    snprintf(path, sizeof path, CAIRN_SOURCE_DIR "/tests/golden/%s", name);
    if (access(path, R_OK) == 0) expected = scratch_read(path, &length);
    if (expected && word) golden_keep(expected, word);
    if (expected && strcmp(expected, text) == 0) {
        free(expected);
        return;
    }
    snprintf(actual, sizeof actual, "%s.actual", strrchr(path, '/') + 1);
    scratch_write(actual, text, strlen(text));
    free(expected);
    cr_expect(false, "tests/golden/%s differs from %s", name, actual);
}

/// Compare @p text with tests/golden/@p name.
static inline void golden_expect(const char *name, const char *text)
{
    golden_expect_lines(name, NULL, text);
}

#endif
