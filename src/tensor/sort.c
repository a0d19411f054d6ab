// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A stable ordering by several keys: least significant digit radix sort of pairs of a
/// word and a row number. Neighbouring keys whose ranges fit 64 bits together become
/// one word, so that a matrix is sorted in as many passes as its coordinates have
/// digits, and each pass reads memory in order.

#include "tensor/entries.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

typedef struct {
    uint64_t  word;
    cairn_pos row;
} item;

/// The least key and the bits that the distance to the greatest one takes.
typedef struct {
    int64_t least;
    int     bits;
} key_range;

static bool in_order(cairn_pos n, int keys, const int64_t *const *key)
{
    for (cairn_pos p = 1; p < n; p++) {
        int k = 0;

        while (k < keys && key[k][p - 1] == key[k][p])
            k++;
        if (k < keys && key[k][p - 1] > key[k][p]) return false;
    }
    return true;
}

static key_range range_of(cairn_pos n, const int64_t *key)
{
    int64_t least = key[0], most = key[0];

    for (cairn_pos p = 1; p < n; p++) {
        if (key[p] < least) least = key[p];
        if (key[p] > most) most = key[p];
    }

    /* Unsigned: the distance of two int64_t may need all 64 bits. */
    const uint64_t distance = (uint64_t)most - (uint64_t)least;

    return (key_range){least, distance ? 64 - __builtin_clzll(distance) : 0};
}

static void make_words(cairn_pos             n,
                       int                   keys,
                       const int64_t *const *key,
                       const key_range      *range,
                       item                 *items)
{
    for (cairn_pos p = 0; p < n; p++) {
        uint64_t word = 0;

        for (int k = 0; k < keys; k++) {
            const uint64_t distance =
                (uint64_t)key[k][items[p].row] - (uint64_t)range[k].least;

            /* A shift by 64 happens for the first key only, where word is 0. */
            word = (range[k].bits < 64 ? word << range[k].bits : 0) | distance;
        }
        items[p].word = word;
    }
}

/// One stable counting pass; false when the digit is the same everywhere.
static bool sort_digit(cairn_pos n, int shift, const item *from, item *to)
{
    cairn_pos count[DIGITS] = {0};

    for (cairn_pos p = 0; p < n; p++)
        count[from[p].word >> shift & (DIGITS - 1)]++;
    if (count[from[0].word >> shift & (DIGITS - 1)] == n) return false;

    cairn_pos before = 0;

    for (int d = 0; d < DIGITS; d++) {
        const cairn_pos here = count[d];

        count[d] = before;
        before += here;
    }
    for (cairn_pos p = 0; p < n; p++)
        to[count[from[p].word >> shift & (DIGITS - 1)]++] = from[p];
    return true;
}

static void sort_words(cairn_pos n, int bits, item **items, item **other)
{
    for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
        if (!sort_digit(n, shift, *items, *other)) continue;

        item *const swap = *items;

        *items = *other;
        *other = swap;
    }
}

/// Least significant group of keys first; a group is as many keys as fit one word.
static void sort_groups(cairn_pos             n,
                        int                   keys,
                        const int64_t *const *key,
                        item                **items,
                        item                **other)
{
    for (int end = keys; end > 0;) {
        key_range range[CAIRN_MAX_LEVELS + CAIRN_MAX_ORDER];
        int       begin = end - 1;
        int       bits  = (range[begin] = range_of(n, key[begin])).bits;

        while (begin > 0) {
            range[begin - 1] = range_of(n, key[begin - 1]);
            if (bits + range[begin - 1].bits > 64) break;
            bits += range[--begin].bits;
        }
        make_words(n, end - begin, key + begin, range + begin, *items);
        sort_words(n, bits, items, other);
        end = begin;
    }
}

cairn_status cairn_sort_order(cairn_env            *env,
                              cairn_pos             n,
                              int                   keys,
                              const int64_t *const *key,
                              cairn_pos            *order)
{
    CAIRN_CHECK(keys <= CAIRN_MAX_LEVELS + CAIRN_MAX_ORDER, env, CAIRN_BAD_ARGUMENT,
                "sort: %d keys: at most %d", keys, CAIRN_MAX_LEVELS + CAIRN_MAX_ORDER);
    if (in_order(n, keys, key)) {
        for (cairn_pos p = 0; p < n; p++)
            order[p] = p;
        return CAIRN_OK;
    }

    item *items = NULL, *other = NULL;

    CAIRN_TRY(CAIRN_NEW(env, n, &items));

    const cairn_status status = CAIRN_NEW(env, n, &other);

    if (status == CAIRN_OK) {
        for (cairn_pos p = 0; p < n; p++)
            items[p].row = p;
        sort_groups(n, keys, key, &items, &other);
        for (cairn_pos p = 0; p < n; p++)
            order[p] = items[p].row;
        cairn_free(env, other);
    }
    cairn_free(env, items);
    return status;
}
