// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries: coordinates and values of stored positions, a structure of arrays. Readers
/// produce them, distribution moves them, building a tensor consumes them, walking a
/// tensor gives them back. Values are f64 whatever the tensor's element type will be.

#ifndef CAIRN_ENTRIES_ENTRIES_H
#define CAIRN_ENTRIES_ENTRIES_H

#include "base/env.h"

#include <string.h>

/// Order and global extents of a tensor.
typedef struct cairn_shape {
    int         order;
    cairn_coord extent[CAIRN_MAX_ORDER];
} cairn_shape;

typedef struct cairn_entries {
    int          order;
    cairn_pos    n, capacity;
    cairn_coord *coord[CAIRN_MAX_ORDER]; ///< [order] arrays of [n], global, 0-based.
    double      *value;                  ///< [n]
} cairn_entries;

/// Start with no entries and nothing allocated. Pairs with cairn_entries_fini().
void cairn_entries_init(cairn_entries *entries, int order);

void cairn_entries_fini(cairn_env *env, cairn_entries *entries);

/// Make room for @p capacity entries in all (never shrinks).
/// @retval CAIRN_NO_MEMORY  Also when the bytes would exceed the memory limit.
cairn_status
cairn_entries_reserve(cairn_env *env, cairn_entries *entries, cairn_pos capacity);

/// Append one entry, growing by half when full.
cairn_status cairn_entries_add(cairn_env         *env,
                               cairn_entries     *entries,
                               const cairn_coord *coord,
                               double             value);

/// Bytes that one entry of @p order takes.
static inline int64_t cairn_entry_bytes(int order)
{
    return 8 * (int64_t)(order + 1);
}

/// Put the entries in order[0..n-1] first, second, ... (a permutation).
cairn_status
cairn_entries_permute(cairn_env *env, cairn_entries *entries, const cairn_pos *order);

/// Sort by (d0, d1, ...), stably, and add duplicates in the order in which they stand
/// (which is file order, so that sums have the same bits on any number of ranks).
///
/// Cost: one compare an entry when sorted. Else, where the coordinates fit 63 bits: two
/// passes that scatter the entries to buckets, then one for each 10 bits in which the
/// entries of a bucket differ, in cache; on all threads from 200,000 entries on. Memory,
/// for n entries: 16n, and for the threads 16 for each entry of the largest bucket, or
/// 8n.
cairn_status cairn_entries_sort(cairn_env *env, cairn_entries *entries);

/// Add duplicates of entries that are sorted, in the order in which they stand.
void cairn_entries_add_duplicates(cairn_entries *entries);

/// Coordinates and values in a caller's arrays, at any addresses.
typedef struct cairn_given {
    int                order;
    cairn_pos          n;
    const void        *coord[CAIRN_MAX_ORDER]; ///< The first entry's; the next one's is
    int64_t            stride;                 ///< so many bytes on.
    int                bits;                   ///< Of a coordinate, signed: 32 or 64.
    cairn_coord        base;                   ///< The caller's name for coordinate 0.
    const void        *value;                  ///< The first entry's; NULL: all are 1.
    int64_t            apart;                  ///< Bytes from value to value.
    int                value_bits;             ///< 32 or 64.
    const cairn_coord *extent; ///< [order] below which they are to lie; NULL: they do.
    bool unsorted;             ///< Seen already: they lie there, and stand in no order.
} cairn_given;

/// Coordinate @p p of those from @p first on. (What is outside of 64 bits is outside of
/// all extents.)
static inline __attribute__((always_inline)) cairn_coord
cairn_given_load(const void *first,
                 cairn_pos   p,
                 int64_t     stride,
                 int         bits,
                 cairn_coord base)
{
    const char *const at = (const char *)first + p * stride;
    int64_t           wide;
    int32_t           narrow;

    if (bits == 32) {
        memcpy(&narrow, at, sizeof narrow);
        return (cairn_coord)narrow - base;
    }
    memcpy(&wide, at, sizeof wide);
    return (cairn_coord)((uint64_t)wide - (uint64_t)base);
}

/// Coordinate @p k of entry @p p.
static inline cairn_coord
cairn_given_coord(const cairn_given *given, int k, cairn_pos p)
{
    return cairn_given_load(given->coord[k], p, given->stride, given->bits,
                            given->base);
}

/// The value of entry @p p.
static inline double cairn_given_value(const cairn_given *given, cairn_pos p)
{
    double wide;
    float  narrow;

    if (!given->value) return 1.0;
    const char *const at = (const char *)given->value + p * given->apart;

    if (given->value_bits == 32) {
        memcpy(&narrow, at, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/// Fill entries, which are empty, with those given, in the order given.
///
/// @param entries  Unchanged on failure, but for their capacity.
/// @retval CAIRN_BAD_COORD  A coordinate outside the extents; the first is told.
cairn_status
cairn_entries_copy(cairn_env *env, const cairn_given *given, cairn_entries *entries);

/// As cairn_entries_copy() and then cairn_entries_sort(), but sorted on the way: entries
/// in order are copied, the others go straight to buckets, or if they are few to columns.
cairn_status
cairn_entries_take(cairn_env *env, const cairn_given *given, cairn_entries *entries);

/// Keys of one ordering: those of a query on several ranks have values, keys and places.
enum { CAIRN_MAX_SORT_KEYS = 5 * CAIRN_MAX_LEVELS + 8 };

/// A stable ordering by several keys, the first the most significant.
///
/// @param[in]  key    [keys] arrays of [n]; not changed.
/// @param[out] order  [n]: which row comes first, second, ...; caller's array.
/// Cost: one counting pass per 11 bits of a key's range; rows in order cost one compare.
cairn_status cairn_sort_order(cairn_env            *env,
                              cairn_pos             n,
                              int                   keys,
                              const int64_t *const *key,
                              cairn_pos            *order);

#endif
