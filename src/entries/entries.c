// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries: growing, reordering.

#include "entries/entries.h"

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
