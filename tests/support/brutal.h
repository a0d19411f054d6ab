// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Failing allocations on purpose.

#ifndef CAIRN_TESTS_BRUTAL_H
#define CAIRN_TESTS_BRUTAL_H

#include "base/env.h"

#include <criterion/criterion.h>

/// Fail the first, second, third ... allocation of @p call until it succeeds; a failed
/// call must say that there was no memory and leave nothing allocated.
#define CAIRN_BRUTAL(env, call)                                                     \
    for (int64_t n_ = 0, live_ = (env)->live_blocks;; n_++) {                       \
        (env)->allowed        = n_;                                                 \
        const cairn_status s_ = (call);                                             \
        (env)->allowed        = -1;                                                 \
        if (s_ == CAIRN_OK) break;                                                  \
        cr_assert_eq(s_, CAIRN_NO_MEMORY, "%s", (env)->message);                    \
        cr_assert_eq((env)->live_blocks, live_, "leak after %ld blocks", (long)n_); \
        cr_assert_lt(n_, 10000, "never succeeds");                                  \
    }

#endif
