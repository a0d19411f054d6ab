// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries through buckets: a pass counts them by the first bits of their words, one
/// deals them out, straight from where they were given; then every bucket is sorted in
/// cache and unpacked from there. Equal words meet in one bucket, in the order given, so
/// that the result is the same for any number of threads.

#include "tensor/entries_words.h"

#include <stdatomic.h>
#include <string.h>

enum {
    BUCKET_BITS  = 10,
    BUCKET_ITEMS = 1 << 13, ///< On average, at most: 128 KB, and as much for handles.
    /* Buckets are often alike in size, and in cache all would fall to the same few places:
     * one line of distance makes dealing 1.1 to 2 times faster. */
    GAP   = 4,
    SHARE = 100000, ///< Entries worth a thread.
};

/// The buckets while they are counted, filled, sorted.
typedef struct {
    const cairn_given *given;
    const cairn_words *words;
    int                shift;   ///< Bits of a word below those that choose the bucket.
    int64_t            buckets; ///< A power of two.
    int                threads;
    _Atomic bool       outside; ///< An entry is not within the extents.
    cairn_pos         *next;    ///< [threads][buckets] where the next item goes.
    cairn_pos         *begin;   ///< [buckets] its first item,
    cairn_pos         *count;   ///< [buckets] its items,
    cairn_pos         *made;    ///< [buckets] and the entries that they become.
    cairn_item        *items;
    cairn_entries     *entries; ///< To be filled,
    cairn_pos         *at;      ///< [buckets] each bucket's from here on.
    cairn_pos          most;    ///< Items of the largest bucket.
    cairn_item        *scratch; ///< [most] for each thread that sorts.
    _Atomic int64_t    taken;   ///< Buckets that somebody sorts, or has sorted.
} dealing;

/* ---- words ---- */

static bool add_up_bits(int order, cairn_words *words)
{
    words->bits = 0;
    for (int k = 0; k < order; k++)
        words->bits += words->range[k].bits;
    return words->bits < 64;
}

bool cairn_words_measure(const cairn_given *given, cairn_words *words)
{
    if (given->n == 0) return false;
    for (int k = 0; k < given->order; k++) {
        const cairn_coord *const coord = given->coord[k];
        cairn_coord              least = coord[0], most = coord[0];

        for (cairn_pos p = 1; p < given->n; p++) {
            const cairn_coord d = coord[p * given->stride];

            least = d < least ? d : least;
            most  = d > most ? d : most;
        }
        words->range[k] = cairn_key_range_between(least, most);
    }
    return add_up_bits(given->order, words);
}

bool cairn_words_within(const cairn_given *given, cairn_words *words)
{
    for (int k = 0; k < given->order; k++) {
        const cairn_coord extent = given->extent[k];

        words->range[k] = cairn_key_range_between(0, extent > 0 ? extent - 1 : 0);
    }
    return add_up_bits(given->order, words);
}

/* Loops over entries are inlined with a constant order, and have what they read in copies
 * of their own: what they write might be any of it. */
#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t pack(const cairn_given *given,
                     const cairn_words *words,
                     int                order,
                     cairn_pos          p)
{
    uint64_t word = 0;

    for (int k = 0; k < order; k++)
        word =
            cairn_pack_key(word, given->coord[k][p * given->stride], &words->range[k]);
    return word;
}

INLINE void unpack(const cairn_words *words,
                   int                order,
                   uint64_t           word,
                   cairn_entries     *entries,
                   cairn_pos          p)
{
    for (int k = order - 1; k >= 0; k--) {
        const int bits = words->range[k].bits;

        entries->coord[k][p] =
            words->range[k].least + (cairn_coord)(word & ~(~UINT64_C(0) << bits));
        word >>= bits;
    }
}

/* ---- dealing ---- */

static cairn_pos share_begin(const dealing *d, int thread)
{
    return (cairn_pos)((__int128)d->given->n * thread / d->threads);
}

/// Count a thread's entries by bucket.
/// @return true: one is not within the extents.
INLINE bool count_share(const dealing *d, int thread, int order)
{
    const cairn_given  given   = *d->given;
    const cairn_words  words   = *d->words;
    const int          shift   = d->shift;
    const cairn_pos    end     = share_begin(d, thread + 1);
    cairn_pos *const   next    = d->next + thread * d->buckets;
    const uint64_t     last    = (uint64_t)d->buckets - 1;
    const cairn_coord *extent  = given.extent;
    bool               outside = false;

    memset(next, 0, (size_t)d->buckets * sizeof *next);
    for (cairn_pos p = share_begin(d, thread); p < end; p++) {
        for (int k = 0; extent && k < order; k++)
            outside |=
                (uint64_t)given.coord[k][p * given.stride] >= (uint64_t)extent[k];
        next[pack(&given, &words, order, p) >> shift & last]++;
    }
    return outside;
}

INLINE void deal_share(const dealing *d, int thread, int order)
{
    const cairn_given given = *d->given;
    const cairn_words words = *d->words;
    const int         shift = d->shift;
    const cairn_pos   end   = share_begin(d, thread + 1);
    cairn_pos *const  next  = d->next + thread * d->buckets;
    cairn_item *const items = d->items;

    for (cairn_pos p = share_begin(d, thread); p < end; p++) {
        const uint64_t  word = pack(&given, &words, order, p);
        const cairn_pos to   = next[word >> shift]++;
        const double    v    = given.value ? given.value[p] : 1.0;

        items[to].word = word;
        memcpy(&items[to].load, &v, sizeof v);
    }
}

static void count_task(void *user, int thread)
{
    dealing *const d     = user;
    const int      order = d->given->order;

    if (order == 2 ? count_share(d, thread, 2) : count_share(d, thread, order))
        d->outside = true;
}

static void deal_task(void *user, int thread)
{
    const dealing *const d = user;

    if (d->given->order == 2)
        deal_share(d, thread, 2);
    else
        deal_share(d, thread, d->given->order);
}

/// From counts to begins: the threads' items of a bucket follow each other.
static void place_buckets(dealing *d)
{
    cairn_pos before = 0;

    for (int64_t b = 0; b < d->buckets; b++) {
        d->begin[b] = before;
        for (int t = 0; t < d->threads; t++) {
            cairn_pos *const next = &d->next[t * d->buckets + b];
            const cairn_pos  here = *next;

            *next = before;
            before += here;
        }
        d->count[b] = before - d->begin[b];
        before += GAP;
    }
}

static cairn_pos largest(const dealing *d)
{
    cairn_pos most = 0;

    for (int64_t b = 0; b < d->buckets; b++)
        most = d->count[b] > most ? d->count[b] : most;
    return most;
}

static void count_all(cairn_env *env, dealing *d)
{
    d->shift = d->words->bits;
    for (int64_t k = d->buckets; k > 1 && d->shift > 0; k /= 2)
        d->shift--;
    cairn_crew_run(&env->crew, d->threads, count_task, d, d->threads);
    place_buckets(d);
}

/* ---- sorting ---- */

/// Write the items of a bucket from entry @p to on, adding duplicates.
/// @param order  Of the items; NULL: they stand in it.
/// @return Entries written.
INLINE cairn_pos write_items(const cairn_words *words,
                             int                modes,
                             cairn_pos          count,
                             const cairn_item  *items,
                             const uint64_t    *order,
                             cairn_entries     *to,
                             cairn_pos          at)
{
    const cairn_words layout  = *words;
    cairn_entries     entries = *to;
    cairn_pos         n       = at;
    uint64_t          last    = 0;

    for (cairn_pos k = 0; k < count; k++) {
        const cairn_item *item =
            order ? cairn_handled_item(items, order, k) : &items[k];
        double value;

        memcpy(&value, &item->load, sizeof value);
        if (k > 0 && item->word == last) {
            entries.value[n - 1] += value;
            continue;
        }
        last = item->word;
        unpack(&layout, modes, last, &entries, n);
        entries.value[n++] = value;
    }
    return n - at;
}

/// Sort bucket @p b; what is sorted goes to the entries while it is in cache.
/// @return Entries that it became.
static cairn_pos sort_bucket(const dealing *d, int64_t b, cairn_item *scratch)
{
    const int       modes = d->given->order;
    const int       split = d->words->range[modes - 1].bits;
    const cairn_pos count = d->count[b], at = d->at[b];
    cairn_item     *items = d->items + d->begin[b];
    const uint64_t *order = NULL;
    uint64_t *const room  = (uint64_t *)(void *)scratch;

    if (count <= CAIRN_HANDLES) order = cairn_sort_handles(count, split, items, room);
    if (order && modes == 2)
        return write_items(d->words, 2, count, items, order, d->entries, at);
    if (order) return write_items(d->words, modes, count, items, order, d->entries, at);
    items = cairn_sort_items(count, d->shift, split, items, scratch);
    return write_items(d->words, modes, count, items, NULL, d->entries, at);
}

static void sort_task(void *user, int sorter)
{
    dealing *const d = user;

    for (int64_t b; (b = atomic_fetch_add(&d->taken, 1)) < d->buckets;)
        d->made[b] = sort_bucket(d, b, d->scratch + sorter * d->most);
}

/// Threads that sort: each has room for the largest bucket, all together for half of the
/// items, or for one bucket.
static int count_sorters(const dealing *d)
{
    const cairn_pos fit = d->most > 0 ? d->given->n / 2 / d->most : 1;

    return fit < 1 ? 1 : fit < d->threads ? (int)fit : d->threads;
}

/// Bring the entries of the buckets together where duplicates left gaps.
static void close_gaps(const dealing *d, cairn_entries *entries)
{
    cairn_pos from = 0, n = 0;

    for (int64_t b = 0; b < d->buckets; from += d->count[b++]) {
        const size_t bytes = (size_t)d->made[b] * sizeof *entries->value;

        if (n < from && bytes > 0) {
            for (int k = 0; k < entries->order; k++)
                memmove(entries->coord[k] + n, entries->coord[k] + from, bytes);
            memmove(entries->value + n, entries->value + from, bytes);
        }
        n += d->made[b];
    }
    entries->n = n;
}

static cairn_status sort_buckets(cairn_env *env, dealing *d)
{
    d->most           = largest(d);
    const int sorters = count_sorters(d);

    CAIRN_TRY(CAIRN_NEW(env, d->most * sorters, &d->scratch));
    cairn_crew_run(&env->crew, d->threads, deal_task, d, d->threads);
    d->at    = d->next; /* no item goes anywhere any more */
    d->at[0] = 0;
    for (int64_t b = 1; b < d->buckets; b++)
        d->at[b] = d->at[b - 1] + d->count[b - 1];
    cairn_crew_run(&env->crew, sorters, sort_task, d, sorters);
    close_gaps(d, d->entries);
    return CAIRN_OK;
}

/* ---- all ---- */

static void plan(const cairn_env *env, dealing *d)
{
    const cairn_pos n    = d->given->n;
    const cairn_pos most = n / SHARE;

    d->buckets = 1;
    while (d->buckets < 1 << BUCKET_BITS && n / d->buckets > BUCKET_ITEMS)
        d->buckets *= 2;
    d->threads = (int)(env->options.threads < most ? env->options.threads : most);
    if (d->threads < 1) d->threads = 1;
}

static cairn_status create(cairn_env *env, dealing *d)
{
    CAIRN_TRY(CAIRN_NEW(env, d->threads * d->buckets, &d->next));
    CAIRN_TRY(CAIRN_NEW(env, 3 * d->buckets, &d->begin));
    d->count = d->begin + d->buckets;
    d->made  = d->count + d->buckets;
    return CAIRN_NEW(env, d->given->n + GAP * d->buckets, &d->items);
}

cairn_status cairn_entries_by_words(cairn_env         *env,
                                    const cairn_given *given,
                                    cairn_words       *words,
                                    bool              *inside,
                                    cairn_entries     *entries)
{
    dealing      d = {.given = given, .words = words, .entries = entries};
    cairn_status status;

    plan(env, &d);
    CAIRN_GO(done, create(env, &d));
    count_all(env, &d);
    *inside = !d.outside;
    if (d.outside) goto done;
    /* Extents may say little about where the entries are. */
    if (given->extent && d.buckets > 1 && largest(&d) > given->n / 2
        && cairn_words_measure(given, words))
        count_all(env, &d);
    status = sort_buckets(env, &d);
done:
    cairn_free(env, d.scratch);
    cairn_free(env, d.items);
    cairn_free(env, d.begin);
    cairn_free(env, d.next);
    return status;
}
