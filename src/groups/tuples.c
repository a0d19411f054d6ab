// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Open addressing with linear probing, at most half full.

#include "groups/tuples.h"

#include <assert.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

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

/// The slot where @p tuple is or would be.
static int64_t slot_of(const cairn_tuples *set, const int64_t *tuple)
{
    uint64_t at = cairn_tuples_hash(set->width, tuple) & (uint64_t)(set->slots - 1);

    while (set->slot[at] >= 0
           && !same(set->width, cairn_tuples_at(set, set->slot[at]), tuple))
        at = (at + 1) & (uint64_t)(set->slots - 1);
    return (int64_t)at;
}

int64_t cairn_tuples_find(const cairn_tuples *set, const int64_t *tuple)
{
    return set->slots ? set->slot[slot_of(set, tuple)] : -1;
}

/// Twice as many slots, filled again.
static cairn_status refill(cairn_env *env, cairn_tuples *set)
{
    const int64_t slots = set->slots ? 2 * set->slots : FIRST_SLOTS;
    int64_t      *slot;

    CAIRN_TRY(CAIRN_NEW(env, slots, &slot));
    memset(slot, 0xff, (size_t)slots * sizeof *slot); /* every one is -1 */
    cairn_free(env, set->slot);
    set->slot  = slot;
    set->slots = slots;
    cairn_visit(env, slots + set->n);
    for (int64_t k = 0; k < set->n; k++)
        slot[slot_of(set, cairn_tuples_at(set, k))] = k;
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
    if (2 * (set->n + 1) > set->slots) CAIRN_TRY(refill(env, set));

    assert(set->width > 0 || set->n <= 1);
    assert(2 * (set->n + 1) <= set->slots); /* probing ends */
    const int64_t at = slot_of(set, tuple);

    if (set->slot[at] < 0) {
        if (set->n == set->capacity) CAIRN_TRY(grow(env, set));
        if (set->width)
            memcpy(set->tuple + set->n * set->width, tuple,
                   (size_t)set->width * sizeof *tuple);
        set->slot[at] = set->n++;
    }
    *number = set->slot[at];
    return CAIRN_OK;
}
