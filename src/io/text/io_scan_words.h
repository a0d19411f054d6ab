// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What scanners share: digits of text, 8 bytes at a time in one 64-bit word; and where
/// entries go.

#ifndef CAIRN_IO_IO_SCAN_WORDS_H
#define CAIRN_IO_IO_SCAN_WORDS_H

#include "io/text/io_scan.h"

#include <string.h>

/// An entry as its line says it, 0-based.
typedef struct {
    cairn_coord i, j;
    double      value;
} scanned_line;

/// Append an entry and, when it stands for two, its mirror image; false when it stands
/// where none may in a file of a triangle, or when two might not fit.
static inline bool cairn_put_line(const cairn_scan *scan, const scanned_line *line)
{
    cairn_entries *const e = scan->entries;
    cairn_pos            n = e->n;

    if (n + 1 >= e->capacity) return false;
    if (scan->mirror && (line->i < line->j || (line->i == line->j && scan->skew)))
        return false;
    e->coord[0][n] = line->i;
    e->coord[1][n] = line->j;
    e->value[n++]  = line->value;
    if (scan->mirror && line->i != line->j) {
        e->coord[0][n] = line->j;
        e->coord[1][n] = line->i;
        e->value[n++]  = scan->skew ? -line->value : line->value;
    }
    e->n = n;
    return true;
}

/// The 8 bytes at @p p, the first one least significant.
static inline uint64_t cairn_load_word(const char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/// Bytes before the first one that is no digit, where digits are 0 .. 9: 8 if all are.
static inline int cairn_count_digits(uint64_t digits)
{
    /* 0x76 + 10 is 0x80. What carries beyond the first such byte does not matter. */
    const uint64_t other = ((digits + UINT64_C(0x7676767676767676)) | digits)
                           & UINT64_C(0x8080808080808080);

    return other ? __builtin_ctzll(other) >> 3 : 8;
}

/// The number that 8 digits write, the first one least significant: pairs, then fours,
/// then all, each by one multiplication.
static inline uint64_t cairn_join_digits(uint64_t digits)
{
    digits = digits * 10 + (digits >> 8);
    digits = ((digits & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)
              + (digits >> 16 & UINT64_C(0x000000ff000000ff))
                    * UINT64_C(0x0000271000000001));
    return digits >> 32;
}

/// Append the digits at @p p to @p value. Returns where they end, or NULL when 64 bits do
/// not hold the number, or when the range may end before the digits do.
static inline const char *
cairn_take_digits(const char *p, const char *end, uint64_t *value)
{
    static const uint64_t power[] = {1,      10,      100,      1000,     10000,
                                     100000, 1000000, 10000000, 100000000};

    for (;;) {
        if (end - p < 8) return NULL;

        const uint64_t word  = cairn_load_word(p) ^ UINT64_C(0x3030303030303030);
        const int      count = cairn_count_digits(word);
        /* Leading zeros instead of what is no digit; 8 bits at least, 64 at most. */
        const uint64_t few = count == 8 ? word : word << (56 - 8 * count) << 8;

        if (__builtin_mul_overflow(*value, power[count], value)
            || __builtin_add_overflow(*value, cairn_join_digits(few), value))
            return NULL;
        p += count;
        if (count < 8) return p;
    }
}

#endif
