// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Keys: the index tuple of every entry, packed into one word or two, with its value.
/// Sorted keys are what any layout can be filled from, in order.
///
/// Memory: 16 bytes an entry (24 when the tuple takes more than 63 bits), and as much
/// again while they are sorted.

#ifndef CAIRN_PHASES_KEYS_H
#define CAIRN_PHASES_KEYS_H

#include "entries/sort_items.h"
#include "phases/phase.h"
#include "tensor/local.h"

#include <string.h>

enum { CAIRN_KEY_BITS = 63 }; ///< Of a word: words are never negative.

/// How a tuple lies in words: level l at `shift` of its word.
typedef struct cairn_key_fields {
    int     levels, split; ///< Levels 0..split-1 are in the upper word.
    int     bits[2];       ///< Of each word.
    int64_t low[CAIRN_MAX_LEVELS], shift[CAIRN_MAX_LEVELS], mask[CAIRN_MAX_LEVELS];
} cairn_key_fields;

typedef struct cairn_keys {
    cairn_key_fields fields;
    cairn_pos        n, capacity;
    cairn_item      *item;    ///< [capacity] one word: key and the bits of the value.
    uint64_t        *word[2]; ///< [capacity] two words: lower, upper,
    double          *value;   ///< and values.
    bool             unsorted, repeated;
    int              settled; ///< Of one word, the lowest bits that are not sorted by.
} cairn_keys;

/// Lay out the fields of levels with these ranges.
/// @return false when two words do not hold them.
bool cairn_key_fields_plan(int                   levels,
                           const cairn_interval *range,
                           cairn_key_fields     *fields);

/// Make room; `fields` is set. Pairs with cairn_keys_fini().
cairn_status cairn_keys_init(cairn_env *env, cairn_pos capacity, cairn_keys *keys);
void         cairn_keys_fini(cairn_env *env, cairn_keys *keys);

/// Set the arguments through which phases see the keys from number @p at on.
void cairn_keys_args(const cairn_keys *keys, cairn_pos at, cairn_convert_args *args);

/// Take over what a PACK phase that began at the end has found.
void cairn_keys_grow(cairn_keys *keys, const int64_t *facts);

/// Sort by key, stably, on up to @p threads threads; by what is above `settled`.
cairn_status cairn_keys_sort(cairn_env *env, int threads, cairn_keys *keys);

/// Does no key come twice? Keys are sorted; of those with `settled` bits neighbours are
/// compared.
bool cairn_keys_differ(const cairn_keys *keys);

/// Do words of one word's keys ascend, without their lowest @p low bits?
bool cairn_keys_ascend(const cairn_keys *keys, int low);

/// Add the values of equal keys in their order: one is left of each. Keys are sorted.
void cairn_keys_combine(cairn_keys *keys);

/// Index of key @p k at level @p l.
static inline int64_t cairn_keys_index(const cairn_keys *keys, cairn_pos k, int l)
{
    const cairn_key_fields *f = &keys->fields;
    const uint64_t          word =
        f->split == 0 ? keys->item[k].word : keys->word[l < f->split][k];

    return f->low[l] + (int64_t)(word >> f->shift[l] & (uint64_t)f->mask[l]);
}

static inline double cairn_keys_value(const cairn_keys *keys, cairn_pos k)
{
    double value;

    if (keys->fields.split) return keys->value[k];
    memcpy(&value, &keys->item[k].load, sizeof value);
    return value;
}

#endif
