// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Open addressing with linear probing, at most half full.

#include "query/tuples.h"

#include <string.h>

/* Slots of all but the first integer are used again and again: 32 MB of them are the most
 * that a third-level cache holds. */
enum { FIRST_SLOTS = 64, MOST_REST = 1 << 22 };

void cairn_tuples_init(cairn_tuples *set, int width)
{
    memset(set, 0, sizeof *set);
    set->width = width;
}

void cairn_tuples_fini(cairn_env *env, cairn_tuples *set)
{
    cairn_free(env, set->tuple);
    cairn_free(env, set->slot);
    cairn_tuples_init(set, set->width);
}

static cairn_status new_slots(cairn_env *env, int64_t slots, int64_t **slot)
{
    CAIRN_TRY(CAIRN_NEW(env, slots, slot));
    memset(*slot, 0xff, (size_t)slots * sizeof **slot); /* every one is -1 */
    return CAIRN_OK;
}

/// Product of the sizes of integers @p from on, or -1 if it is more than @p most.
static int64_t product(const cairn_tuples *set, int from, int64_t most)
{
    int64_t all = 1;

    for (int k = from; k < set->width; k++)
        if (__builtin_mul_overflow(all, set->size[k], &all) || all > most) return -1;
    return all;
}

cairn_status cairn_tuples_use_ranges(cairn_env            *env,
                                     cairn_tuples         *set,
                                     const cairn_interval *range,
                                     int64_t               most)
{
    int64_t slots;
    int     from = 0;

    for (int k = 0; k < set->width; k++) {
        set->lo[k]   = range[k].lo;
        set->size[k] = cairn_interval_size(range[k]);
    }
    slots = product(set, from, most);
    if (slots < 0 && set->width > 1)
        slots = product(set, ++from, most < MOST_REST ? most : MOST_REST);
    if (slots < 0) return CAIRN_OK;
    CAIRN_TRY(new_slots(env, slots, &set->slot));
    cairn_visit(env, slots);
    set->slots  = slots;
    set->direct = true;
    set->from   = from;
    return CAIRN_OK;
}

void cairn_tuples_slots(const cairn_tuples   *set,
                        int                   n,
                        const int64_t *const *column,
                        int64_t              *slot)
{
    for (int p = 0; p < n; p++)
        slot[p] = 0;
    for (int k = set->from; k < set->width; k++)
        for (int p = 0; p < n; p++)
            slot[p] = slot[p] * set->size[k] + (column[k][p] - set->lo[k]);
}

uint64_t cairn_tuples_hash(int width, const int64_t *tuple)
{
    uint64_t hash = 0;

    for (int k = 0; k < width; k++) {
        hash = (hash ^ (uint64_t)tuple[k]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return hash;
}

static bool same(int width, const int64_t *a, const int64_t *b)
{
    for (int k = 0; k < width; k++)
        if (a[k] != b[k]) return false;
    return true;
}

/// The slot where @p tuple is or would be; -1: outside the ranges.
static int64_t slot_of(const cairn_tuples *set, const int64_t *tuple)
{
    if (set->direct) {
        int64_t at = 0;

        for (int k = set->from; k < set->width; k++) {
            const uint64_t step = (uint64_t)tuple[k] - (uint64_t)set->lo[k];

            if (step >= (uint64_t)set->size[k]) return -1;
            at = at * set->size[k] + (int64_t)step;
        }
        return at;
    }
    uint64_t at = cairn_tuples_hash(set->width, tuple) & (uint64_t)(set->slots - 1);

    while (set->slot[at] >= set->base
           && !same(set->width, cairn_tuples_at(set, set->slot[at]), tuple))
        at = (at + 1) & (uint64_t)(set->slots - 1);
    return (int64_t)at;
}

int64_t cairn_tuples_find(const cairn_tuples *set, const int64_t *tuple)
{
    const int64_t at = set->slots ? slot_of(set, tuple) : -1;

    return at < 0 || set->slot[at] < set->base ? -1 : set->slot[at];
}

/// Enough slots for the tuples from `base` on and @p more, filled again. They differ, so
/// that nothing is compared.
static cairn_status refill(cairn_env *env, cairn_tuples *set, int64_t more)
{
    int64_t  slots = FIRST_SLOTS, *slot;
    uint64_t at;

    while (slots < 2 * (set->n - set->base + more))
        slots *= 2;
    CAIRN_TRY(new_slots(env, slots, &slot));
    cairn_free(env, set->slot);
    set->slot   = slot;
    set->slots  = slots;
    set->direct = false;
    cairn_visit(env, slots + set->n - set->base);
    for (int64_t k = set->base; k < set->n; k++) {
        at = cairn_tuples_hash(set->width, cairn_tuples_at(set, k))
             & (uint64_t)(slots - 1);
        while (slot[at] >= 0)
            at = (at + 1) & (uint64_t)(slots - 1);
        slot[at] = k;
    }
    return CAIRN_OK;
}

void cairn_tuples_expect_ascending(cairn_tuples *set)
{
    set->ascending = !(set->direct && set->from == 0) && set->width > 0;
}

cairn_status cairn_tuples_seal(cairn_env *env, cairn_tuples *set)
{
    const int64_t base = set->base;

    if (!set->ascending) return CAIRN_OK;
    set->base                 = 0;
    const cairn_status status = refill(env, set, 1);

    if (status == CAIRN_OK)
        set->ascending = false;
    else
        set->base = base;
    return status;
}

/// A higher first integer leaves all tuples before it behind; a lower one ends the order.
static cairn_status follow_order(cairn_env *env, cairn_tuples *set, int64_t first)
{
    const int64_t last = set->n ? cairn_tuples_at(set, set->n - 1)[0] : first;

    if (first < last) return cairn_tuples_seal(env, set);
    if (first > last) set->base = set->n;
    return CAIRN_OK;
}

static cairn_status grow(cairn_env *env, cairn_tuples *set)
{
    const int64_t capacity = set->capacity + set->capacity / 2 + FIRST_SLOTS;

    CAIRN_TRY(cairn_realloc(env, capacity * (set->width ? set->width : 1),
                            sizeof *set->tuple, (void **)&set->tuple));
    set->capacity = capacity;
    return CAIRN_OK;
}

cairn_status cairn_tuples_add(cairn_env     *env,
                              cairn_tuples  *set,
                              const int64_t *tuple,
                              int64_t       *number)
{
    if (set->ascending) CAIRN_TRY(follow_order(env, set, tuple[0]));
    if (!set->direct && 2 * (set->n - set->base + 1) > set->slots)
        CAIRN_TRY(refill(env, set, set->n - set->base + 1));

    const int64_t at = slot_of(set, tuple);

    if (set->slot[at] < set->base) {
        if (set->n == set->capacity) CAIRN_TRY(grow(env, set));
        if (set->width)
            memcpy(set->tuple + set->n * set->width, tuple,
                   (size_t)set->width * sizeof *tuple);
        set->slot[at] = set->n++;
    }
    *number = set->slot[at];
    return CAIRN_OK;
}
