// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Blocks of 64 entries: what is wrong with one is the sign of a number (entries_look.c),
/// joined for the block; only then its rows are begun, which are within by then.

#include "entries/entries_rows.h"

#include "base/wide.h"
#include "entries/row_begins.h"

#define INLINE static inline __attribute__((always_inline))

/* An entry that falls is wrong, and so is one of the same row that is not to the right. */
#define COPY_ROWS(wide, narrow)                                                      \
    INLINE bool copy_##wide##_##narrow(const cairn_rows_copy *c, cairn_pos begin,    \
                                       cairn_pos end)                                \
    {                                                                                \
        typedef uint##wide##_t number;                                               \
        const number *const restrict i      = c->given->coord[0];                    \
        const number *const restrict j      = c->given->coord[1];                    \
        uint##narrow##_t *const restrict to = c->column;                             \
        uint32_t *const first               = c->first;                              \
        const number    base                = (number)c->given->base;                \
        const number    i0                  = (number)c->least[0] + base;            \
        const number    j0                  = (number)c->least[1] + base;            \
        const number    last                = (number)(c->most[0] - c->least[0]);    \
        const number    cols                = (number)(c->most[1] - c->least[1]);    \
        int64_t         next                = 0;                                     \
        cairn_pos       p                   = begin;                                 \
        uint8_t         differs[CAIRN_BEGINS_BLOCK];                                 \
                                                                                     \
        if (begin >= end || (number)(i[end - 1] - i0) > last) return begin >= end;   \
        /* Those behind may be another thread's, who has begun them already. */      \
        const int64_t rows = (int64_t)(number)(i[end - 1] - i0) + 1;                 \
                                                                                     \
        if (begin > 0) {                                                             \
            const number row = i[begin - 1] - i0;                                    \
                                                                                     \
            if (row > last) return false;                                            \
            next = (int64_t)row + 1;                                                 \
        }                                                                            \
        while (p < end) {                                                            \
            if (p == 0 || p + CAIRN_BEGINS_BLOCK > end) {                            \
                const number row = i[p] - i0, col = j[p] - j0;                       \
                                                                                     \
                if (row > last || col > cols                                         \
                    || (p > 0                                                        \
                        && (i[p] - i0 < i[p - 1] - i0                                \
                            || (i[p] == i[p - 1] && j[p] - j0 <= j[p - 1] - j0))))   \
                    return false;                                                    \
                to[p] = (uint##narrow##_t)j[p];                                      \
                if ((int64_t)row >= next)                                            \
                    next = cairn_begins_row(p, (int64_t)row, next, rows, first);     \
                p++;                                                                 \
                continue;                                                            \
            }                                                                        \
            number wrong = 0;                                                        \
                                                                                     \
            for (int k = 0; k < CAIRN_BEGINS_BLOCK; k++) {                           \
                const number a = i[p + k] - i0, b = j[p + k] - j0;                   \
                const number down  = i[p + k] - i[p + k - 1];                        \
                const number right = j[p + k] - j[p + k - 1];                        \
                                                                                     \
                wrong |= a | b | (number)(last - a) | (number)(cols - b) | down      \
                         | ((down - 1) & (right - 1));                               \
                differs[k] = down != 0;                                              \
                to[p + k]  = (uint##narrow##_t)j[p + k];                             \
            }                                                                        \
            if ((int##wide##_t)wrong < 0) return false;                              \
            uint64_t      mask = cairn_begins_gather(differs);                       \
            const int64_t then = next + __builtin_popcountll(mask);                  \
                                                                                     \
            if ((int64_t)(number)(i[p + CAIRN_BEGINS_BLOCK - 1] - i0) + 1 == then    \
                && then + CAIRN_BEGINS_SOME <= rows) {                               \
                cairn_begins_rows(p, mask, first + next);                            \
                next = then;                                                         \
            } else {                                                                 \
                for (; mask; mask &= mask - 1) {                                     \
                    const cairn_pos at = p + __builtin_ctzll(mask);                  \
                                                                                     \
                    next = cairn_begins_row(at, (int64_t)(number)(i[at] - i0), next, \
                                            rows, first);                            \
                }                                                                    \
            }                                                                        \
            p += CAIRN_BEGINS_BLOCK;                                                 \
        }                                                                            \
        for (; end == c->given->n && next <= (int64_t)last + 1; next++)              \
            first[next] = (uint32_t)end;                                             \
        return true;                                                                 \
    }

COPY_ROWS(32, 8)
COPY_ROWS(32, 16)
COPY_ROWS(32, 32)
COPY_ROWS(64, 8)
COPY_ROWS(64, 16)
COPY_ROWS(64, 32)
COPY_ROWS(64, 64)

bool cairn_rows_copy_fits(const cairn_rows_copy *copy)
{
    const cairn_given *given = copy->given;
    const int64_t      top =
        (given->bits == 32 ? (int64_t)INT32_MAX : INT64_MAX / 2) - given->base;

    if (given->order != 2 || given->stride != given->bits / 8
        || copy->column_bits > given->bits)
        return false;
    for (int k = 0; k < 2; k++)
        if (copy->least[k] > copy->most[k] || copy->most[k] > top) return false;
    return true;
}

CAIRN_WIDE bool
cairn_rows_copy_some(const cairn_rows_copy *copy, cairn_pos begin, cairn_pos end)
{
    switch (16 * (copy->given->bits / 8) + copy->column_bits / 8) {
    case 0x41: return copy_32_8(copy, begin, end);
    case 0x42: return copy_32_16(copy, begin, end);
    case 0x44: return copy_32_32(copy, begin, end);
    case 0x81: return copy_64_8(copy, begin, end);
    case 0x82: return copy_64_16(copy, begin, end);
    case 0x84: return copy_64_32(copy, begin, end);
    default: return copy_64_64(copy, begin, end);
    }
}
