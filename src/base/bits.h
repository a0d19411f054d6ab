// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers that are noted, each as a bit of an array of words: the first is bit 0 of word 0.

#ifndef CAIRN_BASE_BITS_H
#define CAIRN_BASE_BITS_H

#include <stdint.h>

/// Words for the bits of @p n numbers, at least one.
static inline int64_t cairn_bits_words(int64_t n)
{
    return n / 64 + 1;
}

static inline void cairn_bits_set(uint64_t *word, int64_t k)
{
    word[k / 64] |= UINT64_C(1) << k % 64;
}

/// The first number from @p k on, below @p n, that is noted; else @p n. Words without any
/// are passed over at once: few numbers of billions may be noted.
static inline int64_t cairn_bits_next(const uint64_t *word, int64_t k, int64_t n)
{
    for (; k < n; k = (k / 64 + 1) * 64) {
        const uint64_t rest = word[k / 64] >> k % 64;

        if (rest && k + __builtin_ctzll(rest) < n) return k + __builtin_ctzll(rest);
    }
    return n;
}

#endif
