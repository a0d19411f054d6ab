// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Buckets and their loads: which has the least, the lowest number of equal ones. Loads of
/// a schedule hardly differ, so buckets stand in a ring of levels, one for each load, as
/// bits: taking the lowest bit of the lowest level costs a few instructions, whatever the
/// number of buckets. Whose load lies beyond the ring waits in a heap until the ring has
/// moved on. The loads of a few buckets are compared each time: that costs less than
/// moving the ring on, which one bucket does at every step.

#ifndef CAIRN_GROUPS_BUCKETS_H
#define CAIRN_GROUPS_BUCKETS_H

#include "base/env.h"

enum {
    CAIRN_FEW_BUCKETS  = 8,
    CAIRN_RING_LEVELS  = 1024, ///< 140 KB for 1024 buckets: inside the second cache.
    CAIRN_RING_BUCKETS = 4096, ///< More, or loads below 0: the heap alone.
};

typedef struct cairn_buckets {
    int64_t   n;
    bool      few;  ///< Loads are compared; neither ring nor heap is there.
    int64_t  *load; ///< [n]
    int64_t  *heap; ///< [heaped] buckets by (load, number),
    int64_t   heaped;
    bool      ring;    ///< the others in the ring:
    int       words;   ///< of a level's set,
    int64_t   level;   ///< no bucket has less;
    uint64_t *set;     ///< [CAIRN_RING_LEVELS][words] buckets with the load,
    uint64_t *summary; ///< [CAIRN_RING_LEVELS] bit w: word w is not 0,
    uint64_t *used;    ///< [CAIRN_RING_LEVELS / 64] levels that are not empty.
} cairn_buckets;

/// Make room for @p most buckets.
///
/// Local. Pairs with cairn_buckets_fini(). Memory: 8 bytes a bucket where they are few, else
/// 16, and 8 KB and 128 bytes a bucket for the ring.
///
/// @param[in] ring  No load is below 0.
cairn_status
cairn_buckets_init(cairn_env *env, int64_t most, bool ring, cairn_buckets *buckets);

void cairn_buckets_fini(cairn_env *env, cairn_buckets *buckets);

/// Start with @p n empty buckets, at least one.
void cairn_buckets_start(cairn_buckets *buckets, int64_t n);

/// Add @p load to the bucket with the least, the lowest number of equal ones.
///
/// @param[out] bucket  Its number.
/// @return false: its load leaves 64 bits.
bool cairn_buckets_add(cairn_buckets *buckets, int64_t load, int64_t *bucket);

/// The same for the elements order[0..n-1], one after the other.
///
/// @param[in]  load    Of each element.
/// @param[out] number  Bucket of each element.
bool cairn_buckets_add_all(cairn_buckets  *buckets,
                           int64_t         n,
                           const uint32_t *order,
                           const uint32_t *load,
                           uint32_t       *number);

#endif
