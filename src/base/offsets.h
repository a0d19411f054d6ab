// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From counts to where each group begins.

#ifndef CAIRN_BASE_OFFSETS_H
#define CAIRN_BASE_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// count[0..n-1] become where each group begins, the first at @p begin.
/// @return where the last one ends.
static inline int64_t cairn_offsets(int64_t n, int64_t begin, int64_t *count)
{
    for (int64_t k = 0; k < n; k++) {
        const int64_t here = count[k];

        count[k] = begin;
        begin += here;
    }
    return begin;
}

/// The same of small counts, whose sum has 32 bits.
static inline uint32_t cairn_offsets_small(int64_t n, uint32_t begin, uint32_t *count)
{
    for (int64_t k = 0; k < n; k++) {
        const uint32_t here = count[k];

        count[k] = begin;
        begin += here;
    }
    return begin;
}

/// As cairn_offsets_small(), where most counts are 0: eight of these are written at once.
static inline uint32_t cairn_offsets_sparse(int64_t n, uint32_t begin, uint32_t *count)
{
    int64_t k = 0;

    for (; k + 8 <= n; k += 8) {
        uint64_t pair[4];

        memcpy(pair, count + k, sizeof pair);
        if (pair[0] | pair[1] | pair[2] | pair[3])
            begin = cairn_offsets_small(8, begin, count + k);
        else
            for (int j = 0; j < 8; j++)
                count[k + j] = begin;
    }
    return cairn_offsets_small(n - k, begin, count + k);
}

/// Do begins[0..n] ascend from 0 to @p end? What assertions ask.
static inline bool cairn_begins_ascend(int64_t n, const int64_t *begin, int64_t end)
{
    for (int64_t k = 0; k < n; k++)
        if (begin[k] > begin[k + 1]) return false;
    return begin[0] == 0 && begin[n] == end;
}

static inline bool
cairn_begins_ascend_small(int64_t n, const uint32_t *begin, int64_t end)
{
    for (int64_t k = 0; k < n; k++)
        if (begin[k] > begin[k + 1]) return false;
    return begin[0] == 0 && begin[n] == end;
}

#endif
