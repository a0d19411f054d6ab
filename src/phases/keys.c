// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Keys of entries: their layout in words, their order.

#include "phases/keys.h"

#include <assert.h>
#include <stdlib.h>

static int bits_of(const cairn_interval *range)
{
    const uint64_t distance =
        range->hi > range->lo ? (uint64_t)range->hi - (uint64_t)range->lo : 0;

    return distance ? 64 - __builtin_clzll(distance) : 0;
}

/* From the last level up, as many as fit the lower word; then the others. */
bool cairn_key_fields_plan(int                   levels,
                           const cairn_interval *range,
                           cairn_key_fields     *fields)
{
    int word = 0;

    *fields = (cairn_key_fields){.levels = levels};
    for (int l = levels - 1; l >= 0; l--) {
        const int bits = bits_of(&range[l]);

        if (fields->bits[word] + bits > CAIRN_KEY_BITS) {
            if (word == 1 || bits > CAIRN_KEY_BITS) return false;
            word          = 1;
            fields->split = l + 1;
        }
        fields->low[l]   = range[l].lo;
        fields->shift[l] = fields->bits[word];
        fields->mask[l]  = (int64_t)(((uint64_t)1 << bits) - 1);
        fields->bits[word] += bits;
    }
    return true;
}

cairn_status cairn_keys_init(cairn_env *env, cairn_pos capacity, cairn_keys *keys)
{
    assert(capacity >= 0 && !keys->item && !keys->word[0]);
    keys->capacity = capacity;
    keys->n        = 0;
    if (keys->fields.split == 0) return CAIRN_NEW(env, capacity, &keys->item);
    CAIRN_TRY(CAIRN_NEW(env, capacity, &keys->word[0]));
    CAIRN_TRY(CAIRN_NEW(env, capacity, &keys->word[1]));
    return CAIRN_NEW(env, capacity, &keys->value);
}

void cairn_keys_fini(cairn_env *env, cairn_keys *keys)
{
    cairn_free(env, keys->item);
    cairn_free(env, keys->word[0]);
    cairn_free(env, keys->word[1]);
    cairn_free(env, keys->value);
    *keys = (cairn_keys){.n = 0};
}

void cairn_keys_args(const cairn_keys *keys, cairn_pos at, cairn_convert_args *args)
{
    assert(at >= 0 && at <= keys->capacity);
    args->low      = keys->fields.low;
    args->shift    = keys->fields.shift;
    args->mask     = keys->fields.mask;
    args->capacity = keys->capacity - at;
    if (keys->fields.split == 0) {
        args->key   = &keys->item[at].word;
        args->moved = (double *)(void *)&keys->item[at].load;
    } else {
        args->key   = keys->word[0] + at;
        args->high  = keys->word[1] + at;
        args->moved = keys->value + at;
    }
}

/// -1, 0, 1: how key @p p compares with key @p q.
static int compare(const cairn_keys *keys, cairn_pos p, cairn_pos q)
{
    if (keys->fields.split == 0)
        return (keys->item[p].word > keys->item[q].word)
               - (keys->item[p].word < keys->item[q].word);
    for (int w = 1; w >= 0; w--)
        if (keys->word[w][p] != keys->word[w][q])
            return keys->word[w][p] < keys->word[w][q] ? -1 : 1;
    return 0;
}

void cairn_keys_grow(cairn_keys *keys, const int64_t *facts)
{
    const cairn_pos before = keys->n;

    assert(facts[0] >= 0 && facts[0] <= keys->capacity - keys->n);
    keys->n += facts[0];
    keys->unsorted = keys->unsorted || facts[1];
    keys->repeated = keys->repeated || facts[2];
    if (before == 0 || facts[0] == 0) return;
    const int order = compare(keys, before - 1, before);

    keys->unsorted = keys->unsorted || order > 0;
    keys->repeated = keys->repeated || order == 0;
}

/* ---- sorting ---- */

/// Bits of the last levels, about half of the word: where they range over less among
/// entries that are near, sorting takes fewer passes.
static int lower_bits(const cairn_key_fields *fields)
{
    const int64_t bits = fields->bits[0];
    int64_t       best = 0;

    for (int l = 0; l < fields->levels; l++)
        if (llabs(2 * fields->shift[l] - bits) < llabs(2 * best - bits))
            best = fields->shift[l];
    return (int)best;
}

static cairn_status sort_items(cairn_env *env, int threads, cairn_keys *keys)
{
    cairn_item *scratch, *sorted = keys->item;

    CAIRN_TRY(CAIRN_NEW(env, keys->n, &scratch));
    const cairn_status status = cairn_sort_fields(
        env, threads, keys->n, keys->fields.bits[0], keys->fields.levels,
        keys->fields.shift, lower_bits(&keys->fields), keys->settled, keys->item,
        scratch, &sorted);

    cairn_free(env, sorted == scratch ? keys->item : scratch);
    keys->item     = sorted;
    keys->capacity = sorted == scratch ? keys->n : keys->capacity;
    return status;
}

/// Put 8-byte elements in the order @p order, by way of @p scratch.
static void permute(cairn_pos n, const cairn_pos *order, void *array, uint64_t *scratch)
{
    memcpy(scratch, array, (size_t)n * sizeof *scratch);
    for (cairn_pos k = 0; k < n; k++)
        memcpy((char *)array + k * 8, &scratch[order[k]], sizeof *scratch);
}

static cairn_status sort_words(cairn_env *env, cairn_keys *keys)
{
    const int64_t *key[2]  = {(const int64_t *)keys->word[1],
                              (const int64_t *)keys->word[0]};
    cairn_pos     *order   = NULL;
    uint64_t      *scratch = NULL;
    cairn_status   status;

    CAIRN_TRY(CAIRN_NEW(env, keys->n, &order));
    CAIRN_GO(done, CAIRN_NEW(env, keys->n, &scratch));
    CAIRN_GO(done, cairn_sort_order(env, keys->n, 2, key, order));
    permute(keys->n, order, keys->word[0], scratch);
    permute(keys->n, order, keys->word[1], scratch);
    permute(keys->n, order, keys->value, scratch);
done:
    cairn_free(env, scratch);
    cairn_free(env, order);
    return status;
}

static void copy_key(cairn_keys *keys, cairn_pos to, cairn_pos from)
{
    if (keys->fields.split == 0) {
        keys->item[to] = keys->item[from];
        return;
    }
    keys->word[0][to] = keys->word[0][from];
    keys->word[1][to] = keys->word[1][from];
    keys->value[to]   = keys->value[from];
}

static void add_value(cairn_keys *keys, cairn_pos to, cairn_pos from)
{
    double sum, more;

    if (keys->fields.split) {
        keys->value[to] += keys->value[from];
        return;
    }
    memcpy(&sum, &keys->item[to].load, sizeof sum);
    memcpy(&more, &keys->item[from].load, sizeof more);
    sum += more;
    memcpy(&keys->item[to].load, &sum, sizeof sum);
}

bool cairn_keys_differ(const cairn_keys *keys)
{
    const cairn_item *item  = keys->item;
    uint64_t          equal = 0;

    assert(!keys->unsorted);
    if (keys->fields.split == 0) { /* all are compared, without a branch */
        for (cairn_pos k = 1; k < keys->n; k++)
            equal |= item[k - 1].word == item[k].word;
        return !equal;
    }
    for (cairn_pos k = 1; k < keys->n && !equal; k++)
        equal = compare(keys, k - 1, k) == 0;
    return !equal;
}

bool cairn_keys_ascend(const cairn_keys *keys, int low)
{
    bool ascend = true;

    assert(keys->fields.split == 0 && low <= CAIRN_KEY_BITS);
    for (cairn_pos k = 1; k < keys->n; k++)
        ascend &= keys->item[k - 1].word >> low <= keys->item[k].word >> low;
    return ascend;
}

/* PACK notes whether keys are equal only where they come in order: those that were sorted
 * are compared. */
void cairn_keys_combine(cairn_keys *keys)
{
    cairn_pos n = 0;

    assert(!keys->unsorted);
    keys->repeated = keys->repeated || !cairn_keys_differ(keys);
    if (!keys->repeated) return;
    for (cairn_pos k = 0; k < keys->n; k++) {
        if (n > 0 && compare(keys, n - 1, k) == 0)
            add_value(keys, n - 1, k);
        else
            copy_key(keys, n++, k);
    }
    keys->n        = n;
    keys->repeated = false;
}

cairn_status cairn_keys_sort(cairn_env *env, int threads, cairn_keys *keys)
{
    if (!keys->unsorted) return CAIRN_OK;
    CAIRN_TRY(keys->fields.split ? sort_words(env, keys)
                                 : sort_items(env, threads, keys));
    keys->unsorted = false;
    return CAIRN_OK;
}
