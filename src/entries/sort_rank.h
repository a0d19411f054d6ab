// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks of a few keys: how many of them are less than each. That compares each with
/// each, but many at a time and without a branch, so that short lines, as most matrices
/// have, take a fraction of what sorting by digits does.

#ifndef CAIRN_ENTRIES_SORT_RANK_H
#define CAIRN_ENTRIES_SORT_RANK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CAIRN_RANK_MOST = 128, ///< Keys that are ranked at once, at most,
    CAIRN_RANK_BITS = 31,  ///< of so many bits.
    CAIRN_RANK_PAST = 32,  ///< Handles and ranks past the last that may be touched.
};

/// A function that ranks keys. Wider vectors compare more at once.
typedef struct cairn_ranker {
    int most; ///< Keys up to which ranking is faster than sorting by digits.

    /// Rank the keys that are the upper halves of handle[0..n-1], 1 <= n <= most.
    ///
    /// @param handle  [n + CAIRN_RANK_PAST], of which those past n may be anything.
    /// @param rank    [n + CAIRN_RANK_PAST]; equal keys have the same rank.
    void (*rank)(int n, const uint64_t *handle, uint16_t *rank);

    bool (*usable)(void); ///< On this machine.
} cairn_ranker;

extern const cairn_ranker cairn_ranker_avx512; ///< 8, 16 or 32 at a time.

/// All of them, the widest first; NULL past the last.
const cairn_ranker *cairn_ranker_at(int k);

/// The best that this machine can use.
const cairn_ranker *cairn_ranker_choose(void);

#endif
