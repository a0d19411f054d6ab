// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries to buckets: a pass counts them by the first bits of their words, one scatters
/// them out. Where the first bits say little, since a few of their values have most of
/// the entries, more of them are counted, and neighbours share a bucket.

#include "entries/entries_partition.h"

#include <stdatomic.h>
#include <string.h>

enum {
    BUCKET_BITS  = 10,
    BUCKET_ITEMS = 1 << 14, ///< On average, at most: 256 KB, and handles.
    FINE_BITS    = 14,      ///< Counted where buckets are not alike.
    /* Buckets are often alike in size, and in cache all would fall to the same few places:
     * one line of distance makes scattering 1.1 to 2 times faster. */
    GAP   = 4,
    AHEAD = 4, ///< Items between a prefetch and its use, within a bucket.
    /* Entries between a prefetch and its use, where they were given: fetching lines of all
     * buckets, the processor does not run far enough ahead by itself. */
    FAR    = 128,
    SHARE  = 100000,  ///< Entries worth a thread.
    SAMPLE = 1 << 12, ///< Entries that are looked at first.
};

/// While entries are counted and scattered.
typedef struct {
    const cairn_given *given;
    cairn_bucketed    *to;
    int                shift; ///< Bits of a word below those that are counted.
    int64_t            bins;  ///< Values of these, a power of two.
    cairn_pos         *next;  ///< [threads][bins] counts; then, by bucket, where the
                              ///< next item goes.
    uint16_t    *bucket;      ///< [bins] where each goes; NULL: to one of its own.
    _Atomic bool outside;     ///< An entry is not within the extents.
} partitioning;

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
        cairn_coord least = cairn_given_coord(given, k, 0), most = least;

        for (cairn_pos p = 1; p < given->n; p++) {
            const cairn_coord d = cairn_given_coord(given, k, p);

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

/// The word of entry @p p.
static uint64_t pack(const cairn_given *given, const cairn_words *words, cairn_pos p)
{
    uint64_t word = 0;

    for (int k = 0; k < given->order; k++)
        word = cairn_pack_key(word, cairn_given_coord(given, k, p), &words->range[k]);
    return word;
}

/* Matrices have loops of their own, which hold all they need in registers, for the widths
   and distances that programs have. */
#define INLINE static inline __attribute__((always_inline))

/// Calls of a loop with these as constants; with others it does nothing.
#define OF_SHAPE(loop, given, ...)                                                    \
    ((given)->bits == 64 && (given)->stride == 16  ? loop(given, 16, 64, __VA_ARGS__) \
     : (given)->bits == 64 && (given)->stride == 8 ? loop(given, 8, 64, __VA_ARGS__)  \
     : (given)->bits == 32 && (given)->stride == 8 ? loop(given, 8, 32, __VA_ARGS__)  \
                                                   : loop(given, 4, 32, __VA_ARGS__))

/// Is it one of these, its values (if there are any) f64 and side by side?
static bool are_pairs(const cairn_given *given)
{
    const int64_t width = given->bits / 8;

    return given->order == 2 && (given->stride == width || given->stride == 2 * width)
           && (!given->value
               || (given->value_bits == 64 && given->apart == (int64_t)sizeof(double)));
}

/// How the coordinates of a pair become a word.
typedef struct {
    uint64_t low[2], extent[2];
    int      bits; ///< Of the second.
} pairing;

static pairing pair_up(const cairn_given *given, const cairn_words *words)
{
    pairing p = {.bits = words->range[1].bits};

    for (int k = 0; k < 2; k++) {
        p.low[k]    = (uint64_t)words->range[k].least;
        p.extent[k] = given->extent ? (uint64_t)given->extent[k] : UINT64_MAX;
    }
    return p;
}

/// Ask for an entry that comes later, and its value if it has one.
INLINE void fetch(const cairn_given *given,
                  const double      *value,
                  cairn_pos          p,
                  int64_t            stride,
                  int                bits)
{
    const cairn_pos later = (p + FAR) * stride;

    __builtin_prefetch((const char *)given->coord[0] + later);
    if (stride == bits / 8) __builtin_prefetch((const char *)given->coord[1] + later);
    if (value) __builtin_prefetch(value + p + FAR);
}

/* ---- counting ---- */

static cairn_pos share_begin(const partitioning *d, int thread)
{
    return (cairn_pos)((__int128)d->given->n * thread / d->to->threads);
}

/// Count entries by bin.
/// @return true: one is not within the extents.
INLINE bool count_pairs(const cairn_given  *given,
                        int64_t             stride,
                        int                 width,
                        const partitioning *d,
                        cairn_pos           begin,
                        cairn_pos           end,
                        cairn_pos          *next)
{
    const cairn_given from    = *given;
    const pairing     to      = pair_up(given, &d->to->words);
    const uint64_t    last    = (uint64_t)d->bins - 1;
    const int         shift   = d->shift;
    bool              outside = false;

    for (cairn_pos p = begin; p < end; p++) {
        const uint64_t i =
            (uint64_t)cairn_given_load(from.coord[0], p, stride, width, from.base);
        const uint64_t j =
            (uint64_t)cairn_given_load(from.coord[1], p, stride, width, from.base);

        fetch(&from, NULL, p, stride, width);
        outside |= (i >= to.extent[0]) | (j >= to.extent[1]);
        next[((i - to.low[0]) << to.bits | (j - to.low[1])) >> shift & last]++;
    }
    return outside;
}

static bool is_outside(const cairn_given *given, cairn_pos p)
{
    bool outside = false;

    for (int k = 0; given->extent && k < given->order; k++)
        outside |=
            (uint64_t)cairn_given_coord(given, k, p) >= (uint64_t)given->extent[k];
    return outside;
}

static void count_task(void *user, int thread)
{
    partitioning *const      d     = user;
    const cairn_given *const given = d->given;
    const uint64_t           last  = (uint64_t)d->bins - 1;
    const cairn_pos  begin = share_begin(d, thread), end = share_begin(d, thread + 1);
    cairn_pos *const next    = d->next + thread * d->bins;
    bool             outside = false;

    memset(next, 0, (size_t)d->bins * sizeof *next);
    if (are_pairs(given))
        outside = OF_SHAPE(count_pairs, given, d, begin, end, next) && given->extent;
    else
        for (cairn_pos p = begin; p < end; p++) {
            outside |= is_outside(given, p);
            next[pack(given, &d->to->words, p) >> d->shift & last]++;
        }
    if (outside) d->outside = true;
}

/// Count by the first @p bits bits of a word, or by as many as it has.
static void count_bins(cairn_env *env, partitioning *d, int bits)
{
    const int all = d->to->words.bits;

    d->shift = all > bits ? all - bits : 0;
    d->bins  = (int64_t)1 << bits;
    cairn_thread_pool_run(&env->thread_pool, d->to->threads, count_task, d,
                          d->to->threads);
}

static cairn_pos bin_count(const partitioning *d, int64_t bin)
{
    cairn_pos n = 0;

    for (int t = 0; t < d->to->threads; t++)
        n += d->next[t * d->bins + bin];
    return n;
}

static cairn_pos largest(const partitioning *d)
{
    cairn_pos most = 0;

    for (int64_t b = 0; b < d->bins; b++) {
        const cairn_pos n = bin_count(d, b);

        most = n > most ? n : most;
    }
    return most;
}

/* ---- buckets ---- */

/// Let neighbours share a bucket as long as it is not full.
static void share_buckets(partitioning *d)
{
    const cairn_pos full = d->given->n >> BUCKET_BITS > BUCKET_ITEMS
                               ? d->given->n >> BUCKET_BITS
                               : BUCKET_ITEMS;
    cairn_pos       in   = 0;
    int64_t         last = 0;

    for (int64_t b = 0; b < d->bins; b++) {
        const cairn_pos here = bin_count(d, b);

        if (in > 0 && in + here > full) {
            last++;
            in = 0;
        }
        in += here;
        d->bucket[b] = (uint16_t)last;
    }
    d->to->buckets = last + 1;
}

static int64_t bucket_of(const partitioning *d, int64_t bin)
{
    return d->bucket ? d->bucket[bin] : bin;
}

/// From counts to begins: the threads' items of a bucket follow each other. What a thread
/// has of the bins of a bucket is added up where the bucket's number is.
static void place_buckets(partitioning *d)
{
    cairn_bucketed *const to = d->to;
    /* There may be more bins than words: those behind are empty. */
    const uint64_t past   = (uint64_t)1 << to->words.bits;
    cairn_pos      before = 0, items = 0;

    for (int64_t bin = 0, b = 0; bin < d->bins; b++) {
        int64_t end = bin + 1;

        while (end < d->bins && bucket_of(d, end) == b)
            end++;
        to->begin[b]         = before;
        to->at[b]            = items;
        const uint64_t least = d->shift < 64 ? (uint64_t)bin << d->shift : 0;

        to->least[b] = least < past ? least : past;
        for (int t = 0; t < to->threads; t++) {
            cairn_pos *const next = d->next + t * d->bins;
            cairn_pos        here = 0;

            for (int64_t k = bin; k < end; k++)
                here += next[k];
            next[b] = before;
            before += here;
        }
        to->count[b] = before - to->begin[b];
        to->most     = to->count[b] > to->most ? to->count[b] : to->most;
        items += to->count[b];
        before += GAP;
        bin = end;
    }
    to->least[to->buckets] = past;
}

static inline void put(cairn_item *to, uint64_t word, double value)
{
    __builtin_prefetch(to + AHEAD, 1);
    to->word = word;
    memcpy(&to->load, &value, sizeof value);
}

INLINE void partition_pairs(const cairn_given  *given,
                            int64_t             stride,
                            int                 width,
                            const partitioning *d,
                            cairn_pos           begin,
                            cairn_pos           end,
                            cairn_pos          *next)
{
    const cairn_given     from   = *given;
    const pairing         to     = pair_up(given, &d->to->words);
    const uint16_t *const bucket = d->bucket;
    const double *const   value  = from.value;
    cairn_item *const     items  = d->to->items;
    const int             shift  = d->shift;

    for (cairn_pos p = begin; p < end; p++) {
        const uint64_t i =
            (uint64_t)cairn_given_load(from.coord[0], p, stride, width, from.base)
            - to.low[0];
        const uint64_t j =
            (uint64_t)cairn_given_load(from.coord[1], p, stride, width, from.base)
            - to.low[1];
        const uint64_t bin = (i << to.bits | j) >> shift;
        double         v;

        fetch(&from, value, p, stride, width);
        memcpy(&v, value + p, sizeof v);
        put(&items[next[bucket ? bucket[bin] : bin]++], i << to.bits | j, v);
    }
}

static void partition_task(void *user, int thread)
{
    const partitioning *const d     = user;
    const cairn_given *const  given = d->given;
    const cairn_pos  begin = share_begin(d, thread), end = share_begin(d, thread + 1);
    cairn_pos *const next = d->next + thread * d->bins;

    if (are_pairs(given) && given->value) {
        OF_SHAPE(partition_pairs, given, d, begin, end, next);
        return;
    }
    for (cairn_pos p = begin; p < end; p++) {
        const uint64_t word = pack(given, &d->to->words, p), bin = word >> d->shift;

        put(&d->to->items[next[d->bucket ? d->bucket[bin] : bin]++], word,
            cairn_given_value(given, p));
    }
}

/* ---- all ---- */

static int bits_of_buckets(cairn_pos n)
{
    int bits = 0;

    while (bits < BUCKET_BITS && n >> bits > BUCKET_ITEMS)
        bits++;
    return bits;
}

static cairn_status create_counts(cairn_env *env, partitioning *d, int bits)
{
    cairn_free(env, d->next);
    d->next = NULL;
    return CAIRN_NEW(env, (int64_t)d->to->threads << bits, &d->next);
}

/// Do a few entries, from here and there, say that buckets of @p bits bits are unlike?
static bool seems_skewed(const partitioning *d, int bits)
{
    const cairn_pos   n                      = d->given->n;
    const cairn_words words                  = d->to->words;
    uint16_t          seen[1 << BUCKET_BITS] = {0}, most = 0;

    for (int k = 0; k < SAMPLE && words.bits > bits; k++) {
        const cairn_pos p    = (cairn_pos)((__int128)n * k / SAMPLE);
        const uint64_t  word = pack(d->given, &words, p);
        uint16_t *const its =
            &seen[word >> (words.bits - bits) & ((1 << BUCKET_BITS) - 1)];

        if (++*its > most) most = *its;
    }
    return (__int128)most * n > (__int128)2 * CAIRN_HANDLES * SAMPLE;
}

static cairn_status count_fine(cairn_env *env, partitioning *d)
{
    CAIRN_TRY(create_counts(env, d, FINE_BITS));
    CAIRN_TRY(CAIRN_NEW(env, 1 << FINE_BITS, &d->bucket));
    count_bins(env, d, FINE_BITS);
    share_buckets(d);
    return CAIRN_OK;
}

/// Count until no bucket is too large, if more bits can help.
static cairn_status count_all(cairn_env *env, partitioning *d)
{
    const cairn_given *given = d->given;
    const int          bits  = bits_of_buckets(given->n);

    /* Extents may say little about where the entries are; then counting tells. */
    if (bits > 0 && seems_skewed(d, bits)) {
        CAIRN_TRY(count_fine(env, d));
        if (d->outside || largest(d) <= given->n / 2) return CAIRN_OK;
        cairn_free(env, d->bucket);
        d->bucket = NULL;
    }
    CAIRN_TRY(create_counts(env, d, bits));
    count_bins(env, d, bits);
    d->to->buckets = d->bins;
    if (d->outside) return CAIRN_OK;
    if (given->extent && bits > 0 && largest(d) > given->n / 2
        && cairn_words_measure(given, &d->to->words))
        count_bins(env, d, bits);
    if (bits == 0 || d->shift == 0 || largest(d) <= CAIRN_HANDLES) return CAIRN_OK;
    return count_fine(env, d);
}

cairn_status cairn_bucketed_create(cairn_env *env, cairn_bucketed *to)
{
    CAIRN_TRY(CAIRN_NEW(env, 4 * to->buckets, &to->begin));
    CAIRN_TRY(CAIRN_NEW(env, to->buckets + 1, &to->least));
    to->count = to->begin + to->buckets;
    to->made  = to->count + to->buckets;
    to->at    = to->made + to->buckets;
    return CAIRN_NEW(env, to->n + GAP * to->buckets + AHEAD, &to->items);
}

cairn_status cairn_entries_partition(cairn_env         *env,
                                     const cairn_given *given,
                                     const cairn_words *words,
                                     bool              *inside,
                                     cairn_bucketed    *bucketed)
{
    const cairn_pos worth = given->n / SHARE;
    partitioning    d     = {.given = given, .to = bucketed};
    cairn_status    status;

    *bucketed = (cairn_bucketed){
        .order = given->order, .n = given->n, .room = given->n, .words = *words};
    bucketed->threads =
        (int)(env->options.threads < worth ? env->options.threads : worth);
    if (bucketed->threads < 1) bucketed->threads = 1;
    CAIRN_GO(done, count_all(env, &d));
    *inside = !d.outside;
    if (d.outside) goto done;
    CAIRN_GO(done, cairn_bucketed_create(env, bucketed));
    place_buckets(&d);
    cairn_thread_pool_run(&env->thread_pool, bucketed->threads, partition_task, &d,
                          bucketed->threads);
done:
    cairn_free(env, d.bucket);
    cairn_free(env, d.next);
    return status;
}

void cairn_bucketed_fini(cairn_env *env, cairn_bucketed *bucketed)
{
    if (bucketed->columns) cairn_columns_fini(env, bucketed->columns);
    cairn_free(env, bucketed->columns);
    cairn_free(env, bucketed->items);
    cairn_free(env, bucketed->least);
    cairn_free(env, bucketed->begin);
    *bucketed = (cairn_bucketed){.n = 0};
}
