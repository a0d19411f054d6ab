// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Failing allocations on purpose. Those that the environment counts, that is all of the
/// library's own; what zlib, hwloc, JSON and MPI take for themselves is theirs.

#ifndef CAIRN_TESTS_BRUTAL_H
#define CAIRN_TESTS_BRUTAL_H

#include "base/env.h"

#include <criterion/criterion.h>

/// Fail the first, second, third ... allocation of @p call until it succeeds; a failed
/// call must say that there was no memory and leave nothing allocated.
#define CAIRN_BRUTAL(env, call) CAIRN_BRUTAL_AND(env, call, true)

/// As CAIRN_BRUTAL(); after every failure @p untouched must hold, too.
#define CAIRN_BRUTAL_AND(env, call, untouched)                                      \
    for (int64_t n_ = 0, live_ = (env)->live_blocks;; n_++) {                       \
        (env)->allowed        = n_;                                                 \
        const cairn_status s_ = (call);                                             \
        (env)->allowed        = -1;                                                 \
        if (s_ == CAIRN_OK) break;                                                  \
        cr_assert_eq(s_, CAIRN_NO_MEMORY, "%s: block %ld: %d: %s", #call, (long)n_, \
                     (int)s_, (env)->message);                                      \
        cr_assert_eq((env)->live_blocks, live_, "%s: leak after %ld blocks", #call, \
                     (long)n_);                                                     \
        cr_assert(untouched, "%s: not " #untouched " after %ld blocks", #call,      \
                  (long)n_);                                                        \
        cr_assert_lt(n_, 10000, "never succeeds");                                  \
    }

#endif
