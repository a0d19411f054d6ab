// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A calendar queue of buckets, and a binary heap for what its calendar does not reach; few
/// buckets are compared.
///
/// Source: Brown, Calendar Queues, CACM 31(10), 1988, DOI 10.1145/63039.63045; here a day
/// is one load, so that nothing within it needs sorting but bits.

#include "groups/buckets.h"

#include <string.h>

enum { USED_WORDS = CAIRN_RING_LEVELS / 64 };

/* ---- the heap ---- */

static bool less(const cairn_buckets *b, int64_t x, int64_t y)
{
    return b->load[x] != b->load[y] ? b->load[x] < b->load[y] : x < y;
}

static void swap(cairn_buckets *b, int64_t x, int64_t y)
{
    const int64_t bucket = b->heap[x];

    b->heap[x] = b->heap[y];
    b->heap[y] = bucket;
}

/// Let the bucket at the top sink to where its load belongs.
static void sink(cairn_buckets *b)
{
    int64_t at = 0, child;

    while ((child = 2 * at + 1) < b->heaped) {
        if (child + 1 < b->heaped && less(b, b->heap[child + 1], b->heap[child]))
            child++;
        if (!less(b, b->heap[child], b->heap[at])) return;
        swap(b, at, child);
        at = child;
    }
}

static void push(cairn_buckets *b, int64_t bucket)
{
    int64_t at = b->heaped++;

    b->heap[at] = bucket;
    for (; at > 0 && less(b, b->heap[at], b->heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(b, at, (at - 1) / 2);
}

static int64_t pop(cairn_buckets *b)
{
    const int64_t bucket = b->heap[0];

    b->heap[0] = b->heap[--b->heaped];
    sink(b);
    return bucket;
}

/* ---- the ring ---- */

static int64_t slot_of(int64_t load)
{
    return load & (CAIRN_RING_LEVELS - 1);
}

static void ring_put(cairn_buckets *b, int64_t bucket)
{
    const int64_t slot = slot_of(b->load[bucket]);

    b->set[slot * b->words + bucket / 64] |= UINT64_C(1) << bucket % 64;
    b->summary[slot] |= UINT64_C(1) << bucket / 64;
    b->used[slot / 64] |= UINT64_C(1) << slot % 64;
}

static void ring_remove(cairn_buckets *b, int64_t bucket)
{
    const int64_t   slot = slot_of(b->load[bucket]);
    uint64_t *const word = &b->set[slot * b->words + bucket / 64];

    *word &= ~(UINT64_C(1) << bucket % 64);
    if (*word) return;
    b->summary[slot] &= ~(UINT64_C(1) << bucket / 64);
    if (!b->summary[slot]) b->used[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

/// Levels from the lowest on to the next that is not empty, or -1: all are.
static int64_t ring_distance(const cairn_buckets *b)
{
    const int64_t  from  = slot_of(b->level);
    const uint64_t first = b->used[from / 64] >> from % 64;

    if (first) return __builtin_ctzll(first);
    for (int k = 1; k <= USED_WORDS; k++) {
        const int64_t word = (from / 64 + k) % USED_WORDS;

        if (b->used[word]) return k * 64 - from % 64 + __builtin_ctzll(b->used[word]);
    }
    return -1;
}

/// Move on to the least load, and take in what the ring reaches from there. Loads in the
/// heap are beyond all in the ring.
static void ring_advance(cairn_buckets *b)
{
    const int64_t distance = ring_distance(b);

    if (distance == 0) return;
    b->level = distance < 0 ? b->load[b->heap[0]] : b->level + distance;
    while (b->heaped && b->load[b->heap[0]] - b->level < CAIRN_RING_LEVELS)
        ring_put(b, pop(b));
}

static int64_t ring_take(cairn_buckets *b)
{
    ring_advance(b);

    const int64_t slot   = slot_of(b->level);
    const int     word   = __builtin_ctzll(b->summary[slot]);
    const int64_t bucket = word * 64 + __builtin_ctzll(b->set[slot * b->words + word]);

    ring_remove(b, bucket);
    return bucket;
}

/// Empty the ring of the buckets of the round before.
static void ring_clear(cairn_buckets *b)
{
    for (int64_t k = 0; k < b->n; k++)
        if (b->load[k] - b->level < CAIRN_RING_LEVELS) ring_remove(b, k);
    b->level = 0;
}

/* ---- both ---- */

cairn_status
cairn_buckets_init(cairn_env *env, int64_t most, bool ring, cairn_buckets *buckets)
{
    const bool    few = most <= CAIRN_FEW_BUCKETS;
    cairn_buckets b   = {.few   = few,
                         .ring  = ring && !few && most <= CAIRN_RING_BUCKETS,
                         .words = (int)((most + 63) / 64)};
    cairn_status  status;

    CAIRN_GO(undo, CAIRN_NEW(env, most, &b.load));
    if (!few) CAIRN_GO(undo, CAIRN_NEW(env, most, &b.heap));
    if (b.ring) {
        CAIRN_GO(undo, CAIRN_NEW_ZERO(env, CAIRN_RING_LEVELS * b.words, &b.set));
        CAIRN_GO(undo, CAIRN_NEW_ZERO(env, CAIRN_RING_LEVELS, &b.summary));
        CAIRN_GO(undo, CAIRN_NEW_ZERO(env, USED_WORDS, &b.used));
    }
    *buckets = b;
    return CAIRN_OK;
undo:
    cairn_buckets_fini(env, &b);
    return status;
}

void cairn_buckets_fini(cairn_env *env, cairn_buckets *buckets)
{
    cairn_free(env, buckets->load);
    cairn_free(env, buckets->heap);
    cairn_free(env, buckets->set);
    cairn_free(env, buckets->summary);
    cairn_free(env, buckets->used);
    *buckets = (cairn_buckets){.n = 0};
}

void cairn_buckets_start(cairn_buckets *b, int64_t n)
{
    if (b->ring) ring_clear(b);
    b->n      = n;
    b->heaped = b->ring || b->few ? 0 : n;
    for (int64_t k = 0; k < n; k++) {
        b->load[k] = 0;
        if (b->ring) ring_put(b, k);
    }
    for (int64_t k = 0; k < b->heaped; k++)
        b->heap[k] = k;
}

static int64_t least_of_few(const cairn_buckets *b)
{
    int64_t its = 0;

    for (int64_t k = 1; k < b->n; k++)
        its = b->load[k] < b->load[its] ? k : its;
    return its;
}

bool cairn_buckets_add(cairn_buckets *b, int64_t load, int64_t *bucket)
{
    *bucket = b->few ? least_of_few(b) : b->ring ? ring_take(b) : b->heap[0];
    if (__builtin_add_overflow(b->load[*bucket], load, &b->load[*bucket])) return false;
    if (b->few) return true;
    if (!b->ring)
        sink(b);
    else if (b->load[*bucket] - b->level < CAIRN_RING_LEVELS)
        ring_put(b, *bucket);
    else
        push(b, *bucket);
    return true;
}

/* ---- many ---- */

/// Elements order[begin..end-1] to hand out.
typedef struct {
    int64_t         begin, end;
    const uint32_t *order, *load;
    uint32_t       *number;
} elements;

/// The bucket leaves the level for a higher one, in the ring or beyond.
static bool lift(cairn_buckets *b, int64_t bucket, uint32_t load)
{
    int64_t *const its = &b->load[bucket];

    if (__builtin_add_overflow(*its, load, its)) return false;
    if (*its - b->level < CAIRN_RING_LEVELS)
        ring_put(b, bucket);
    else
        push(b, bucket);
    return true;
}

/// Hand out to the buckets of one word of the lowest level: those that are lifted come
/// to other levels, so that the word can stay in a register.
static bool hand_out_word(cairn_buckets *b, int64_t slot, int w, elements *e)
{
    uint64_t *const word = &b->set[slot * b->words + w];
    uint64_t        bits = *word;
    bool            fits = true;

    while (bits && e->begin < e->end && fits) {
        const int64_t  bucket = w * 64 + __builtin_ctzll(bits);
        const uint32_t next   = e->order[e->begin++];

        e->number[next] = (uint32_t)bucket;
        if (e->load[next] == 0) continue;
        bits &= bits - 1;
        fits = lift(b, bucket, e->load[next]);
    }
    *word = bits;
    if (bits) return fits;
    b->summary[slot] &= ~(UINT64_C(1) << w);
    if (!b->summary[slot]) b->used[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    return fits;
}

static bool hand_out_to_few(cairn_buckets *b, elements *e)
{
    bool fits = true;

    for (; e->begin < e->end && fits; e->begin++) {
        const uint32_t next   = e->order[e->begin];
        const int64_t  bucket = least_of_few(b);
        int64_t *const its    = &b->load[bucket];

        fits            = !__builtin_add_overflow(*its, e->load[next], its);
        e->number[next] = (uint32_t)bucket;
    }
    return fits;
}

bool cairn_buckets_add_all(cairn_buckets  *b,
                           int64_t         n,
                           const uint32_t *order,
                           const uint32_t *load,
                           uint32_t       *number)
{
    elements e    = {0, n, order, load, number};
    bool     fits = true;

    if (b->few) return hand_out_to_few(b, &e);
    while (b->ring && e.begin < n && fits) {
        ring_advance(b);
        const int64_t slot = slot_of(b->level);

        fits = hand_out_word(b, slot, __builtin_ctzll(b->summary[slot]), &e);
    }
    for (; e.begin < n && fits; e.begin++) {
        int64_t bucket;

        fits                   = cairn_buckets_add(b, load[order[e.begin]], &bucket);
        number[order[e.begin]] = (uint32_t)bucket;
    }
    return fits;
}
