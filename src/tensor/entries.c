// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries: growing, reordering, sorting with duplicates added.

#include "tensor/entries.h"

#include <string.h>

void cairn_entries_init(cairn_entries *entries, int order)
{
    *entries = (cairn_entries){.order = order};
}

void cairn_entries_fini(cairn_env *env, cairn_entries *entries)
{
    for (int k = 0; k < entries->order; k++)
        cairn_free(env, entries->coord[k]);
    cairn_free(env, entries->value);
    cairn_entries_init(entries, entries->order);
}

cairn_status
cairn_entries_reserve(cairn_env *env, cairn_entries *entries, cairn_pos capacity)
{
    if (capacity <= entries->capacity) return CAIRN_OK;
    CAIRN_TRY(cairn_check_memory(
        env, "entries", (__int128)capacity * cairn_entry_bytes(entries->order)));
    /* The capacity is raised last: after a failure some arrays are merely longer. */
    for (int k = 0; k < entries->order; k++)
        CAIRN_TRY(cairn_realloc(env, capacity, sizeof(cairn_coord),
                                (void **)&entries->coord[k]));
    CAIRN_TRY(cairn_realloc(env, capacity, sizeof(double), (void **)&entries->value));
    entries->capacity = capacity;
    return CAIRN_OK;
}

/// By half, but not past the memory limit while one more entry still fits below it.
static cairn_status grow(cairn_env *env, cairn_entries *entries)
{
    const cairn_pos most = env->memory_limit / cairn_entry_bytes(entries->order);
    const cairn_pos need = entries->n + 1;
    cairn_pos       want = entries->n + entries->n / 2 + 64;

    if (want > most) want = most > need ? most : need;
    return cairn_entries_reserve(env, entries, want);
}

cairn_status cairn_entries_add(cairn_env         *env,
                               cairn_entries     *entries,
                               const cairn_coord *coord,
                               double             value)
{
    if (entries->n == entries->capacity) CAIRN_TRY(grow(env, entries));
    for (int k = 0; k < entries->order; k++)
        entries->coord[k][entries->n] = coord[k];
    entries->value[entries->n++] = value;
    return CAIRN_OK;
}

cairn_status
cairn_entries_permute(cairn_env *env, cairn_entries *entries, const cairn_pos *order)
{
    const cairn_pos n       = entries->n;
    int64_t        *scratch = NULL;

    CAIRN_TRY(CAIRN_NEW(env, n, &scratch));
    for (int k = 0; k < entries->order; k++) {
        cairn_coord *coord = entries->coord[k];

        for (cairn_pos p = 0; p < n; p++)
            scratch[p] = coord[order[p]];
        if (n) memcpy(coord, scratch, (size_t)n * sizeof *coord);
    }

    double *value = (double *)(void *)scratch; /* counted blocks have no type yet */

    for (cairn_pos p = 0; p < n; p++)
        value[p] = entries->value[order[p]];
    if (n) memcpy(entries->value, value, (size_t)n * sizeof *value);
    cairn_free(env, scratch);
    return CAIRN_OK;
}

/// -1, 0, 1: how entry p compares with entry q by coordinates.
static int compare(const cairn_entries *entries, cairn_pos p, cairn_pos q)
{
    for (int k = 0; k < entries->order; k++) {
        const cairn_coord a = entries->coord[k][p], b = entries->coord[k][q];

        if (a != b) return a < b ? -1 : 1;
    }
    return 0;
}

static bool sorted(const cairn_entries *entries, bool *duplicates)
{
    *duplicates = false;
    for (cairn_pos p = 1; p < entries->n; p++) {
        const int order = compare(entries, p - 1, p);

        if (order > 0) return false;
        if (order == 0) *duplicates = true;
    }
    return true;
}

static cairn_status sort_by_coordinates(cairn_env *env, cairn_entries *entries)
{
    const int64_t *key[CAIRN_MAX_ORDER];
    cairn_pos     *order = NULL;
    cairn_status   status;

    for (int k = 0; k < entries->order; k++)
        key[k] = entries->coord[k];
    CAIRN_TRY(CAIRN_NEW(env, entries->n, &order));
    CAIRN_GO(done, cairn_sort_order(env, entries->n, entries->order, key, order));
    CAIRN_GO(done, cairn_entries_permute(env, entries, order));
done:
    cairn_free(env, order);
    return status;
}

/// Entries are sorted and stand in the order in which duplicates are to be added.
static void add_duplicates(cairn_entries *entries)
{
    cairn_pos last = 0;

    for (cairn_pos p = 1; p < entries->n; p++) {
        if (compare(entries, last, p) == 0) {
            entries->value[last] += entries->value[p];
            continue;
        }
        last++;
        for (int k = 0; k < entries->order; k++)
            entries->coord[k][last] = entries->coord[k][p];
        entries->value[last] = entries->value[p];
    }
    if (entries->n) entries->n = last + 1;
}

cairn_status cairn_entries_sort(cairn_env *env, cairn_entries *entries)
{
    bool duplicates;

    if (!sorted(entries, &duplicates)) {
        CAIRN_TRY(sort_by_coordinates(env, entries));
        duplicates = true;
    }
    if (duplicates) add_duplicates(entries);
    return CAIRN_OK;
}
