// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks by a bitmap of all words that are possible, 64 of them at a time.

#include "entries/sort_dense.h"

#include <string.h>

/* Bits of the map for each item, at most: clearing and adding them up takes a turn for
 * 64. The map and its sums take 12 bytes an item then, of the 16 that scratch has. */
enum { EACH = 64 };

/// The words that are there, and how many before each 64.
typedef struct {
    uint64_t *bits;   ///< [places]
    uint32_t *before; ///< [places]
    int64_t   places;
} bitmap;

bool cairn_dense_fits(cairn_pos n, int split, int64_t lines)
{
    return split < 48 && lines <= (EACH * n) >> split;
}

#define INLINE static inline __attribute__((always_inline))

/// @return How many words there are, each counted once.
INLINE uint32_t mark(cairn_pos         n,
                     uint64_t          low,
                     const cairn_item *items,
                     const bitmap     *map)
{
    const bitmap m   = *map;
    uint32_t     sum = 0;

    memset(m.bits, 0, (size_t)m.places * sizeof *m.bits);
    for (cairn_pos k = 0; k < n; k++) {
        const uint64_t at = items[k].word - low;

        m.bits[at >> 6] |= (uint64_t)1 << (at & 63);
    }
    for (int64_t k = 0; k < m.places; k++) {
        m.before[k] = sum;
        sum += (uint32_t)__builtin_popcountll(m.bits[k]);
    }
    return sum;
}

INLINE uint32_t rank_of(const bitmap *m, uint64_t at)
{
    const uint64_t less = m->bits[at >> 6] & (((uint64_t)1 << (at & 63)) - 1);

    return m->before[at >> 6] + (uint32_t)__builtin_popcountll(less);
}

INLINE bool order_all(cairn_pos         n,
                      uint64_t          low,
                      const cairn_item *items,
                      const bitmap     *map,
                      cairn_item       *to)
{
    const bitmap m = *map;

    if (mark(n, low, items, &m) != n) return false;
    for (cairn_pos k = 0; k < n; k++)
        to[rank_of(&m, items[k].word - low)] = items[k];
    return true;
}

static bool order_anywhere(cairn_pos         n,
                           uint64_t          low,
                           const cairn_item *items,
                           const bitmap     *map,
                           cairn_item       *to)
{
    return order_all(n, low, items, map, to);
}

#if defined(__x86_64__)
/// Bits are counted by an instruction.
__attribute__((target("popcnt,bmi,bmi2"))) static bool
order_counting(cairn_pos         n,
               uint64_t          low,
               const cairn_item *items,
               const bitmap     *map,
               cairn_item       *to)
{
    return order_all(n, low, items, map, to);
}

static bool counts_bits(void)
{
    return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi2");
}
#else
#    define order_counting order_anywhere

static bool counts_bits(void)
{
    return false;
}
#endif

bool cairn_sort_dense(cairn_pos         n,
                      int               split,
                      uint64_t          first,
                      int64_t           lines,
                      const cairn_item *items,
                      cairn_item       *scratch,
                      cairn_item       *to,
                      uint32_t         *begin)
{
    const int64_t words = lines << split;
    bitmap map = {.bits = (uint64_t *)(void *)scratch, .places = (words + 63) / 64};

    map.before = (uint32_t *)(map.bits + map.places);
    if (!(counts_bits() ? order_counting : order_anywhere)(n, first << split, items,
                                                           &map, to))
        return false;
    for (int64_t k = 0; k < lines; k++)
        begin[k] = rank_of(&map, (uint64_t)k << split);
    begin[lines] = (uint32_t)n;
    return true;
}
