// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Texts that are compared with files of tests/golden: a change there is reviewed as
/// code. What differs is written as NAME.actual into the folder where the test runs.

#ifndef CAIRN_TESTS_GOLDEN_H
#define CAIRN_TESTS_GOLDEN_H

#include "support/scratch.h"

/// Compare @p text with tests/golden/@p name.
static inline void golden_expect(const char *name, const char *text)
{
    char   path[512], actual[256], *expected = NULL;
    size_t length;

    snprintf(path, sizeof path, CAIRN_SOURCE_DIR "/tests/golden/%s", name);
    if (access(path, R_OK) == 0) expected = scratch_read(path, &length);
    if (expected && strcmp(expected, text) == 0) {
        free(expected);
        return;
    }
    snprintf(actual, sizeof actual, "%s.actual", strrchr(path, '/') + 1);
    scratch_write(actual, text, strlen(text));
    free(expected);
    cr_expect(false, "tests/golden/%s differs from %s", name, actual);
}

#endif
