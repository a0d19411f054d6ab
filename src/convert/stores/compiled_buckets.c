// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Buckets between a source and its groups.

#include "convert/stores/compiled_buckets.h"

#include "format/normal.h"

#include <string.h>

enum {
    WORTH  = 1 << 20, ///< Entries whose groups a core's cache does not hold.
    BUCKET = 1 << 13, ///< Entries of one, on average, at most:
    BITS   = 10,      ///< unless there are too many buckets then.
    GAP    = 4,       ///< Items between buckets, which else fall on one place in cache.
    AHEAD  = 4,       ///< Items that are asked for past the last.
    SAMPLE = 1 << 11, ///< Entries that show how far apart groups are,
    SPREAD = 4,       ///< if they are in more than one of so many buckets.
    /* Groups of which two lines each, one of indices and one of values, are a quarter of a
     * last cache of 32 MB: what one thread moves straight there does not wait for memory. */
    NEAR = 1 << 16,
};

/// While entries are in buckets.
typedef struct {
    const cairn_compiled *c;
    int64_t               shift; ///< Bits of a group below its bucket.
    int64_t               buckets;
    cairn_pos            *begin; ///< [buckets + 1] items before each.
    uint32_t             *next;  ///< [threads][buckets] where the next item goes.
    cairn_item           *items;
} bucketing;

static int bits_of(int64_t n)
{
    return n > 0 ? 64 - __builtin_clzll((uint64_t)n) : 0;
}

/// Bits of the groups that number buckets.
static int bits_of_buckets(const cairn_compiled *c)
{
    int bits = 0;

    while (bits < BITS && c->facts.entries >> bits > BUCKET)
        bits++;
    return bits;
}

/// Groups are the indices of the first level, whose range no query has narrowed.
static void number_buckets(const cairn_compiled *c, bucketing *d)
{
    const cairn_interval *range = &c->range[0];
    const int all = bits_of(range->hi - range->lo), few = bits_of_buckets(c);

    d->shift   = all > few ? all - few : 0;
    d->buckets = ((range->hi - range->lo) >> d->shift) + 1;
}

/// Are there more entries than a core's cache has groups for? Where everything has to be
/// compiled, fewer do, as soon as there are several buckets.
static bool is_worth(const cairn_compiled *c)
{
    return c->facts.entries >= WORTH
           || (!cairn_compiled_may_fall_back(c->m->env)
               && 1 << bits_of_buckets(c) > SPREAD);
}

static bool may_call(const cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;
    cairn_key_fields    fields;

    if (!is_worth(c) || c->facts.entries > INT32_MAX || to->first != 1
        || to->partition >= 0 || to->packs.count > 0
        || cairn_encoding_next_query(c->m->encoding, 0) < c->m->encoding->queries)
        return false;
    for (int l = 0; l < to->levels; l++)
        if (to->level[l].determined.on) return false;
    return cairn_key_fields_plan(to->levels, c->range, &fields) && fields.split == 0;
}

/* Where these functions cannot be had, entries are scattered without them. */
void cairn_buckets_call(const cairn_compiled *c, cairn_pass_writer *w)
{
    const cairn_convert_spec spec = cairn_compiled_spec(c, CAIRN_CONVERT_BUCKET);
    cairn_convert_spec       fill = cairn_compiled_spec(c, CAIRN_CONVERT_SCATTER);

    if (!may_call(c)) return;
    fill.source       = CAIRN_CONVERT_KEYS;
    fill.from         = NULL;
    fill.members.one  = false;
    fill.keys.grouped = fill.ahead        = true;
    cairn_passes_call(w, &spec)->optional = true;
    cairn_passes_call(w, &fill)->optional = true;
}

/* ---- asking ---- */

/// Buckets with entries, after those of a sample were counted by group.
static int64_t count_touched(const cairn_compiled *c, const bucketing *d)
{
    int64_t touched = 0;

    for (int64_t g = 0; g < c->facts.groups;) {
        int64_t  end  = g + ((int64_t)1 << d->shift);
        uint32_t some = 0;

        if (end > c->facts.groups) end = c->facts.groups;
        for (; g < end; g++)
            some |= c->groups.begin[g];
        touched += some != 0;
    }
    return touched;
}

cairn_status cairn_buckets_ask(const cairn_compiled *c, bool *scattered)
{
    const cairn_group *group = cairn_origin_group(&c->origin);
    const int64_t      turns = c->ranges.cut[c->ranges.n];
    const int64_t      some  = turns * SAMPLE / (c->facts.entries + 1) + 1;
    cairn_convert_args args  = {
         .groups = c->facts.groups, .cursor = c->groups.begin, .facts = c->ranges.found};
    int64_t   outer[CAIRN_MAX_LEVELS];
    bucketing d;

    *scattered = false;
    if (!cairn_pass_phase(c, CAIRN_CONVERT_BUCKET)
        || !cairn_pass_keys_phase(c, CAIRN_CONVERT_SCATTER))
        return CAIRN_OK;
    number_buckets(c, &d);
    if (d.buckets <= SPREAD || (group && group->count != 1)) return CAIRN_OK;
    if (c->ranges.n == 1 && c->facts.groups <= NEAR && c->facts.entries >= WORTH)
        return CAIRN_OK;
    memset(c->groups.begin, 0, (size_t)c->facts.groups * sizeof *c->groups.begin);
    cairn_origin_args(&c->origin, 0, outer, &args);
    args.begin             = turns / 2;
    args.end               = turns / 2 + some < turns ? turns / 2 + some : turns;
    const int64_t share[2] = {args.begin, args.end};

    args.share  = share;
    args.shares = 1;
    CAIRN_TRY(cairn_phase_run(c->m->env, cairn_pass_phase(c, CAIRN_CONVERT_HISTOGRAM),
                              cairn_compiled_source(c),
                              (cairn_kernel_part *)&c->empty.view, &args));
    *scattered = count_touched(c, &d) > d.buckets / SPREAD;
    return CAIRN_OK;
}

/* ---- buckets ---- */

/// The first group of bucket @p b; behind the last bucket there is one more.
static int64_t first_group(const bucketing *d, int64_t b)
{
    const int64_t g = b << d->shift;

    return g < d->c->facts.groups ? g : d->c->facts.groups;
}

/// Where the entries of thread @p t that are of group @p g begin; behind the last thread's
/// begins the next group.
static cairn_pos begin_of(const cairn_compiled *c, int64_t t, int64_t g)
{
    const int64_t groups = c->facts.groups, threads = c->ranges.n;

    if (t < threads) return c->groups.begin[t * groups + g];
    return c->groups.begin[g + 1 < groups ? g + 1 : threads * groups];
}

/// Entries of thread @p t in bucket @p b.
static cairn_pos count_in(const bucketing *d, int64_t t, int64_t b)
{
    cairn_pos n = 0;

    for (int64_t g = first_group(d, b); g < first_group(d, b + 1); g++)
        n += begin_of(d->c, t + 1, g) - begin_of(d->c, t, g);
    return n;
}

/// Where the items of each bucket begin, with gaps; those of a thread follow those of the
/// threads before it, so that they lie in the order of the source.
static void place_buckets(bucketing *d)
{
    const int64_t threads = d->c->ranges.n;
    cairn_pos     at      = 0;

    for (int64_t b = 0; b < d->buckets; b++) {
        d->begin[b] = at;
        for (int64_t t = 0; t < threads; t++) {
            d->next[t * d->buckets + b] = (uint32_t)at;
            at += count_in(d, t, b);
        }
        at += GAP;
    }
    d->begin[d->buckets] = at;
}

/// From the source to buckets.
static cairn_status
scatter_to_buckets(const bucketing *d, cairn_kernel_part *to, cairn_convert_args *args)
{
    args->cursor = d->next;
    args->groups = d->buckets;
    args->bucket = d->c->keys.fields.shift[0] + d->shift;
    args->key    = &d->items->word;
    args->moved  = (double *)(void *)&d->items->load;
    args->facts  = d->c->ranges.found;
    return cairn_thread_ranges_run(d->c->m->env, &d->c->ranges, &d->c->origin,
                                   cairn_pass_phase(d->c, CAIRN_CONVERT_BUCKET), to,
                                   args);
}

/// From a bucket to its groups, whose cursors are the first thread's.
static int64_t empty_bucket(const bucketing          *d,
                            int64_t                   b,
                            cairn_kernel_part        *to,
                            const cairn_convert_args *given)
{
    cairn_item *const  its  = d->items + d->begin[b];
    cairn_convert_args args = *given;

    args.cursor = d->c->groups.begin;
    args.begin  = 0;
    args.end    = d->begin[b + 1] - d->begin[b] - GAP;
    args.key    = &its->word;
    args.moved  = (double *)(void *)&its->load;
    return cairn_phase_call(cairn_pass_keys_phase(d->c, CAIRN_CONVERT_SCATTER), NULL,
                            to, &args);
}

static cairn_status run(bucketing *d, cairn_kernel_part *to)
{
    const cairn_compiled *c      = d->c;
    cairn_convert_args    args   = {.low   = c->keys.fields.low,
                                    .shift = c->keys.fields.shift,
                                    .mask  = c->keys.fields.mask};
    int64_t               result = 0;

    place_buckets(d);
    CAIRN_TRY(scatter_to_buckets(d, to, &args));
#pragma omp parallel for schedule(dynamic, 1) reduction(min       \
                                                        : result) \
    num_threads((int)c->ranges.n) if (c->ranges.n > 1)
    for (int64_t b = 0; b < d->buckets; b++) {
        const int64_t its = empty_bucket(d, b, to, &args);

        if (its < result) result = its;
    }
    return cairn_phase_check(c->m->env, result);
}

cairn_status cairn_buckets_fill(cairn_compiled *c, cairn_part *part)
{
    cairn_env *const env = c->m->env;
    /* Those that were counted: a part that pads may have more than it was built with. */
    const int64_t entries = c->groups.begin[c->ranges.n * c->facts.groups];
    bucketing     d       = {.c = c};
    cairn_status  status;

    cairn_key_fields_plan(c->m->layout->levels, c->range, &c->keys.fields);
    number_buckets(c, &d);
    CAIRN_GO(done, CAIRN_NEW(env, d.buckets + 1, &d.begin));
    CAIRN_GO(done, CAIRN_NEW(env, c->ranges.n * d.buckets, &d.next));
    CAIRN_GO(done, CAIRN_NEW(env, entries + GAP * d.buckets + AHEAD, &d.items));
    status = run(&d, &part->view);
done:
    cairn_free(env, d.items);
    cairn_free(env, d.next);
    cairn_free(env, d.begin);
    return status;
}
