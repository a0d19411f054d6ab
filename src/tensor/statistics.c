// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Counting entries by rows and by diagonals. Diagonals are collected in a hash set
/// that grows with what it holds.

#include "tensor/statistics.h"

#include <stdlib.h>
#include <string.h>

/* No diagonal: coordinates are 0 or more, so a difference is never the least integer. */
#define EMPTY INT64_MIN

typedef struct {
    int64_t *slot;        ///< [slots] diagonals, or EMPTY.
    int64_t  slots, used; ///< slots is a power of two, more than twice `used`.
} diagonal_set;

static cairn_status set_init(cairn_env *env, int64_t slots, diagonal_set *set)
{
    CAIRN_TRY(CAIRN_NEW(env, slots, &set->slot));
    set->slots = slots;
    set->used  = 0;
    for (int64_t k = 0; k < slots; k++)
        set->slot[k] = EMPTY;
    return CAIRN_OK;
}

static void set_insert(diagonal_set *set, int64_t diagonal)
{
    /* Fibonacci hashing: neighbouring diagonals, the usual case, spread evenly. */
    const uint64_t spread = (uint64_t)diagonal * UINT64_C(0x9E3779B97F4A7C15);
    const int64_t  mask   = set->slots - 1;
    int64_t        at     = (int64_t)(spread >> 20) & mask;

    while (set->slot[at] != EMPTY && set->slot[at] != diagonal)
        at = (at + 1) & mask;
    set->used += set->slot[at] == EMPTY;
    set->slot[at] = diagonal;
}

static cairn_status set_grow(cairn_env *env, diagonal_set *set)
{
    diagonal_set larger;

    CAIRN_TRY(set_init(env, 2 * set->slots, &larger));
    for (int64_t k = 0; k < set->slots; k++)
        if (set->slot[k] != EMPTY) set_insert(&larger, set->slot[k]);
    cairn_free(env, set->slot);
    *set = larger;
    return CAIRN_OK;
}

/// Keep what is used, ascending, at the front of the set's own array.
static void set_to_list(diagonal_set *set)
{
    int64_t n = 0;

    for (int64_t k = 0; k < set->slots; k++)
        if (set->slot[k] != EMPTY) set->slot[n++] = set->slot[k];
    set->used = cairn_distinct(set->slot, n);
}

static cairn_status count_diagonals(cairn_env           *env,
                                    const cairn_entries *entries,
                                    cairn_statistics    *statistics)
{
    diagonal_set set;
    cairn_status status;

    CAIRN_TRY(set_init(env, 64, &set));
    for (cairn_pos p = 0; p < entries->n; p++) {
        const int64_t diagonal = entries->coord[1][p] - entries->coord[0][p];

        if (2 * set.used + 2 > set.slots) CAIRN_GO(free_set, set_grow(env, &set));
        set_insert(&set, diagonal);
    }
    set_to_list(&set);
    CAIRN_GO(free_set,
             cairn_realloc(env, set.used, sizeof *set.slot, (void **)&set.slot));
    statistics->diagonals = set.used;
    statistics->diagonal  = set.slot;
    if (set.used) {
        const int64_t least = set.slot[0], most = set.slot[set.used - 1];

        statistics->bandwidth_lower = least < 0 ? -least : 0;
        statistics->bandwidth_upper = most > 0 ? most : 0;
    }
    return CAIRN_OK;

free_set:
    cairn_free(env, set.slot);
    return status;
}

static void count_rows(const cairn_entries *entries, cairn_statistics *statistics)
{
    const cairn_coord *row   = entries->coord[0];
    cairn_pos          start = 0;

    for (cairn_pos p = 0; p < entries->n; p++) {
        if (p == 0 || row[p] != row[p - 1]) {
            statistics->filled_rows++;
            start = p;
        }
        if (p - start + 1 > statistics->max_row) statistics->max_row = p - start + 1;
    }
}

cairn_status cairn_statistics_count(cairn_env           *env,
                                    const cairn_entries *entries,
                                    cairn_statistics    *statistics)
{
    cairn_statistics counted = {.nnz = entries->n};

    count_rows(entries, &counted);
    if (entries->order == 2) CAIRN_TRY(count_diagonals(env, entries, &counted));
    *statistics = counted;
    return CAIRN_OK;
}

void cairn_statistics_fini(cairn_env *env, cairn_statistics *statistics)
{
    cairn_free(env, statistics->diagonal);
    *statistics = (cairn_statistics){.nnz = 0};
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int64_t cairn_distinct(int64_t *value, int64_t n)
{
    int64_t kept = 0;

    if (n) qsort(value, (size_t)n, sizeof *value, compare);
    for (int64_t k = 0; k < n; k++)
        if (k == 0 || value[k] != value[kept - 1]) value[kept++] = value[k];
    return kept;
}
