// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where rows begin among entries that come by rows: 64 entries are compared with those
/// before them at once, and of the bits that say which differ follow the begins. Inlined
/// into functions that are compiled for several machines (base/wide.h).

#ifndef CAIRN_ENTRIES_ROW_BEGINS_H
#define CAIRN_ENTRIES_ROW_BEGINS_H

#include <stdint.h>
#include <string.h>

enum {
    CAIRN_BEGINS_BLOCK = 64, ///< Entries that are compared at once: the bits of a word.
    CAIRN_BEGINS_SOME =
        8, ///< Rows that are begun before it is asked whether there are more.
    CAIRN_BEGINS_AHEAD =
        16, ///< Rows that are begun at once: the numbers of a cache line.
};

/// Bytes that are 0 or 1 as the bits of a word.
static inline __attribute__((always_inline)) uint64_t
cairn_begins_gather(const uint8_t *differs)
{
    uint64_t mask = 0, bytes;

    for (int k = 0; k < CAIRN_BEGINS_BLOCK / 8; k++) {
        memcpy(&bytes, differs + 8 * k, sizeof bytes);
        mask |= bytes * UINT64_C(0x0102040810204080) >> 56 << 8 * k;
    }
    return mask;
}

/// Row @p row begins at entry @p k, and so do those from @p next on, which have no entries.
/// How many these are is as good as random, so that no branch asks: as many rows as a line
/// has begin there, and those among them that have entries begin once more when their turn
/// comes. @return the row after it.
static inline __attribute__((always_inline)) int64_t
cairn_begins_row(int64_t k, int64_t row, int64_t next, int64_t rows, uint32_t *first)
{
    if (next + CAIRN_BEGINS_AHEAD <= rows) {
        for (int j = 0; j < CAIRN_BEGINS_AHEAD; j++)
            first[next + j] = (uint32_t)k;
        next += CAIRN_BEGINS_AHEAD;
    }
    for (; next <= row; next++)
        first[next] = (uint32_t)k;
    return row + 1;
}

/// Every row from the one of @p first on has entries, and as many begin as @p mask has bits:
/// the entries from @p k on that do. Some more than there are begin, too, until their turn
/// comes: up to CAIRN_BEGINS_SOME.
static inline __attribute__((always_inline)) void
cairn_begins_rows(int64_t k, uint64_t mask, uint32_t *first)
{
    const int count = __builtin_popcountll(mask);

    for (int j = 0; j < count; j += CAIRN_BEGINS_SOME)
        for (int i = j; i < j + CAIRN_BEGINS_SOME; i++) {
            first[i] = (uint32_t)(k + __builtin_ctzll(mask | UINT64_C(1) << 63));
            mask &= mask - 1;
        }
}

#endif
