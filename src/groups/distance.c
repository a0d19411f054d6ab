// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbering with a distance: an element gets the first number of its group that is free,
/// not below its start, nor nearer than the distance to the last one of its keys. Where
/// numbers and keys are few against elements, the numbers taken are bits, and keys count.
/// Else the numbers given in a group form chains (union-find): each leads to the next one
/// that may be free, so that a search costs nearly nothing however full the group is.

#include "groups/distance.h"

#include "format/columns.h"
#include "groups/tuples.h"

#include <string.h>

static int64_t start_of(const cairn_numbering *b, int64_t p)
{
    return b->start ? b->start[p] : b->one_start;
}

/// The element that comes k-th.
static int64_t element(const cairn_numbering *b, int64_t k)
{
    return b->order ? b->order[k] : k;
}

static cairn_status overflow(cairn_env *env)
{
    return cairn_fail(env, CAIRN_OVERFLOW, "query: enum: a number leaves 64 bits");
}

/* ---- chains ---- */

/// Numbers given, with the next that may be free; and the last one given to each key.
typedef struct {
    cairn_tuples taken, keys;
    int64_t     *next, *last;
    int64_t     *chain; ///< Taken numbers on the way to a free one.
} chains;

/// First free number of the group from @p from on; what was passed leads to it directly.
static int64_t find_free(chains *c, int64_t group, int64_t from)
{
    int64_t tuple[2] = {group, from}, at, passed = 0;

    while ((at = cairn_tuples_find(&c->taken, tuple)) >= 0) {
        c->chain[passed++] = at;
        tuple[1]           = c->next[at];
    }
    while (passed > 0)
        c->next[c->chain[--passed]] = tuple[1];
    return tuple[1];
}

/// Number element @p p of group @p g.
static cairn_status
take(cairn_env *env, const cairn_numbering *b, chains *c, int64_t g, int64_t p)
{
    int64_t key[CAIRN_MAX_WIDTH], tuple[2] = {g, start_of(b, p)}, at, after;

    key[0] = g;
    for (int k = 0; k < b->bys; k++)
        key[k + 1] = b->by[k][p];

    const int64_t known = c->keys.n;

    CAIRN_TRY(cairn_tuples_add(env, &c->keys, key, &at));
    if (at < known) {
        if (__builtin_add_overflow(c->last[at], b->distance, &after))
            return overflow(env);
        if (after > tuple[1]) tuple[1] = after;
    }
    tuple[1] = find_free(c, tuple[0], tuple[1]);
    if (tuple[1] == INT64_MAX) return overflow(env);
    b->number[p] = c->last[at] = tuple[1];
    CAIRN_TRY(cairn_tuples_add(env, &c->taken, tuple, &at));
    c->next[at] = tuple[1] + 1;
    return CAIRN_OK;
}

static cairn_status number_by_chains(cairn_env *env, cairn_numbering *b)
{
    chains       c = {.next = NULL};
    cairn_status status;

    cairn_tuples_init(&c.taken, 2);
    cairn_tuples_init(&c.keys, 1 + b->bys);
    CAIRN_GO(done, CAIRN_NEW(env, b->n, &c.next));
    CAIRN_GO(done, CAIRN_NEW(env, b->n, &c.last));
    CAIRN_GO(done, CAIRN_NEW(env, b->n, &c.chain));
    for (int64_t g = 0; g < b->groups; g++)
        for (int64_t k = b->first[g]; k < b->first[g + 1]; k++) {
            const int64_t p = element(b, k);

            b->number[p] = CAIRN_NO_NUMBER;
            if (start_of(b, p) != CAIRN_NO_NUMBER)
                CAIRN_GO(done, take(env, b, &c, g, p));
        }
    status = CAIRN_OK;
done:
    cairn_tuples_fini(env, &c.taken);
    cairn_tuples_fini(env, &c.keys);
    cairn_free(env, c.next);
    cairn_free(env, c.last);
    cairn_free(env, c.chain);
    return status;
}

/* ---- bits ---- */

/* What may be held for each element: keys of 16 bytes, numbers of a bit. */
enum { KEYS_PER_ELEMENT = 2, BITS_PER_ELEMENT = 64, ALWAYS = 1 << 16 };

enum { MOST_LEVELS = 11 }; /* of bits over bits: 64 to that power are all numbers */

/// The last number of a key, and in which group that was.
typedef struct {
    int64_t group, last;
} seen;

typedef struct {
    int64_t   lo[CAIRN_MAX_LEVELS], size[CAIRN_MAX_LEVELS]; ///< Ranges of the keys,
    int64_t   keys, words;        ///< and what is needed of both.
    seen     *key;                ///< [keys]
    uint64_t *bits;               ///< All levels. No level's last word gets full.
    uint64_t *taken[MOST_LEVELS]; ///< [0]: numbers of the group, from its least start
                                  ///< on; [l + 1]: words of [l] that have no 0.
    int levels;
} slots;

/// Ranges of the keys' integers; false if there are too many keys.
static bool find_keys(const cairn_numbering *b, slots *s)
{
    const int64_t most = KEYS_PER_ELEMENT * b->n + ALWAYS;

    s->keys = 1;
    for (int k = 0; k < b->bys; k++) {
        const cairn_interval its =
            b->n > 0 ? cairn_columns_range(b->n, b->by[k]) : (cairn_interval){0, 0};

        s->lo[k] = its.lo;
        if (__builtin_sub_overflow(its.hi, its.lo, &s->size[k]) || s->size[k] >= most)
            return false;
        s->size[k]++;
        if (__builtin_mul_overflow(s->keys, s->size[k], &s->keys) || s->keys > most)
            return false;
    }
    return true;
}

/// Least and largest start of a group; none: lo > hi.
static cairn_interval starts_of(const cairn_numbering *b, int64_t g)
{
    cairn_interval starts = {INT64_MAX, INT64_MIN};

    if (!b->start)
        return b->first[g] < b->first[g + 1] && b->one_start != CAIRN_NO_NUMBER
                   ? (cairn_interval){b->one_start, b->one_start}
                   : starts;
    for (int64_t k = b->first[g]; k < b->first[g + 1]; k++) {
        const int64_t start = b->start[element(b, k)];

        if (start == CAIRN_NO_NUMBER) continue;
        starts.lo = start < starts.lo ? start : starts.lo;
        starts.hi = start > starts.hi ? start : starts.hi;
    }
    return starts;
}

/// Bits that a group of n elements can need: an element is at most the distance beyond
/// the largest number before it, or at its start. False: too many, or beyond 64 bits.
static bool find_bits(const cairn_numbering *b, slots *s)
{
    const int64_t most = BITS_PER_ELEMENT * b->n + ALWAYS;

    s->words = 1;
    for (int64_t g = 0; g < b->groups; g++) {
        const cairn_interval starts = starts_of(b, g);
        int64_t              end;

        if (starts.lo > starts.hi) continue;
        if (__builtin_mul_overflow(b->first[g + 1] - b->first[g], b->distance, &end)
            || __builtin_add_overflow(end, starts.hi, &end) || end == INT64_MAX
            || __builtin_sub_overflow(end, starts.lo, &end) || end >= most)
            return false;
        if (end / 64 + 1 > s->words) s->words = end / 64 + 1;
    }
    return true;
}

static int64_t key_of(const cairn_numbering *b, const slots *s, int64_t p)
{
    int64_t key = 0;

    for (int k = 0; k < b->bys; k++)
        key = key * s->size[k] + (b->by[k][p] - s->lo[k]);
    return key;
}

/// First free number from @p from on: up to a level where there is one, and down again.
static int64_t next_free(const slots *s, int64_t from)
{
    uint64_t open = ~s->taken[0][from / 64] >> from % 64;
    int      l    = 0;

    if (open) return from + __builtin_ctzll(open);
    while (!(open = ~s->taken[l][from / 64] >> from % 64)) {
        from = from / 64 + 1;
        l++;
    }
    from += __builtin_ctzll(open);
    while (l-- > 0)
        from = from * 64 + __builtin_ctzll(~s->taken[l][from]);
    return from;
}

static void take_slot(slots *s, int64_t number)
{
    for (int l = 0;; l++, number /= 64) {
        uint64_t *const word = &s->taken[l][number / 64];

        *word |= UINT64_C(1) << number % 64;
        if (~*word) return;
    }
}

/// Free the numbers of a group, the largest of which is @p most: word by word, or each by
/// itself where they are far apart.
static void
free_slots(const cairn_numbering *b, slots *s, int64_t g, int64_t lo, int64_t most)
{
    const int64_t n = b->first[g + 1] - b->first[g];

    for (int l = 0, bits = 6; l < s->levels; l++, bits += 6) {
        if (most >> bits <= n) {
            memset(s->taken[l], 0, (size_t)((most >> bits) + 1) * sizeof *s->taken[l]);
            continue;
        }
        for (int64_t k = b->first[g]; k < b->first[g + 1]; k++) {
            const int64_t number = b->number[element(b, k)];

            if (number != CAIRN_NO_NUMBER) s->taken[l][(number - lo) >> bits] = 0;
        }
    }
}

/// Number elements of a group that have one start, as long as keys ascend, or descend: they
/// differ, nothing is near anything, and numbers follow each other.
/// @return whether these were all.
static bool number_in_turn(cairn_numbering *b, int64_t g)
{
    const int64_t  begin = b->first[g], end = b->first[g + 1];
    const int64_t *by = b->by[0];
    int64_t        k = begin, last = 0;
    bool           up = false;

    for (; k < end; k++) {
        const int64_t p = element(b, k), key = by[p];

        if (k == begin + 1) up = key > last;
        if (k > begin && (key == last || (key > last) != up)) return false;
        b->number[p] = b->one_start + (k - begin);
        last         = key;
    }
    return true;
}

/// Number one group; numbers of the bits count from @p lo. @p plain: elements have one
/// start, which is lo, and one key.
static inline __attribute__((always_inline)) void
number_group(cairn_numbering *b, slots *s, int64_t g, int64_t lo, bool plain)
{
    int64_t most = 0, least = 0;

    for (int64_t k = b->first[g]; k < b->first[g + 1]; k++) {
        const int64_t p = element(b, k), start = plain ? lo : start_of(b, p);
        seen *const   key   = &s->key[plain ? b->by[0][p] - s->lo[0] : key_of(b, s, p)];
        const int64_t after = key->group == g ? key->last + b->distance : 0;
        int64_t       from, number;

        if (start == CAIRN_NO_NUMBER) {
            b->number[p] = CAIRN_NO_NUMBER;
            continue;
        }
        from   = start - lo > least ? start - lo : least;
        from   = after > from ? after : from;
        number = next_free(s, from);
        take_slot(s, number);
        least        = from == least ? number + 1 : least;
        *key         = (seen){g, number};
        most         = number > most ? number : most;
        b->number[p] = lo + number;
    }
    free_slots(b, s, g, lo, most);
}

/// Levels up to one of a single word, and a word behind what is needed of the lowest.
static cairn_status make_levels(cairn_env *env, slots *s)
{
    int64_t begin[MOST_LEVELS], all = 0, words = s->words + 1;

    for (s->levels = 0;; words = (words - 1) / 64 + 1) {
        begin[s->levels++] = all;
        all += words;
        if (words == 1) break;
    }
    CAIRN_TRY(CAIRN_NEW_ZERO(env, all, &s->bits));
    for (int l = 0; l < s->levels; l++)
        s->taken[l] = s->bits + begin[l];
    return CAIRN_OK;
}

static cairn_status number_by_bits(cairn_env *env, cairn_numbering *b, slots *s)
{
    cairn_status status;

    CAIRN_GO(done, CAIRN_NEW(env, s->keys, &s->key));
    CAIRN_GO(done, make_levels(env, s));
    memset(s->key, 0xff, (size_t)s->keys * sizeof *s->key); /* in no group */
    cairn_visit(env, s->keys + s->words + b->groups + b->n * (3 + b->bys));
    if (b->bys == 1 && !b->start && b->one_start != CAIRN_NO_NUMBER) {
        for (int64_t g = 0; g < b->groups; g++)
            if (!number_in_turn(b, g)) number_group(b, s, g, b->one_start, true);
    } else {
        for (int64_t g = 0; g < b->groups; g++)
            number_group(b, s, g, starts_of(b, g).lo, false);
    }
    status = CAIRN_OK;
done:
    cairn_free(env, s->key);
    cairn_free(env, s->bits);
    return status;
}

cairn_status cairn_number_distance(cairn_env *env, cairn_numbering *batch)
{
    slots s = {.keys = 0};

    if (find_keys(batch, &s) && find_bits(batch, &s))
        return number_by_bits(env, batch, &s);
    return number_by_chains(env, batch);
}
