// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Scattered products on threads: every thread owns a range of indices of the level that
/// tells the row, and under each parent the nodes with indices of its own. Nodes stand in
/// ascending order under a parent, so that these are neighbours: where they begin and end
/// is found once.
///
/// Ranges are chosen by the entries in them, counted in buckets of neighbouring indices.

#include "share/work_partition.h"
#include "tensor/local.h"

enum {
    FEW     = 64,      ///< Nodes under a parent, on the average, that are listed.
    BUCKETS = 1 << 16, ///< At most.
    LEAST   = 3,   ///< 2^LEAST indices in a bucket: a cache line of Y has one owner.
    MANY    = 1024 ///< Threads so many that fewer may have shorter steps.
};

typedef struct {
    cairn_env                *env;
    const cairn_kernel_part  *part;
    const cairn_kernel_level *level;
    int64_t                   parents;
    int                       shift;   ///< 2^shift indices a bucket.
    int64_t                   buckets; ///< In which the level's indices lie.
    int64_t                  *before;  ///< [buckets + 1] entries before each.
    int64_t                   threads;
    int64_t                  *bound;  ///< [threads + 1] first bucket of each.
    int64_t                  *low;    ///< [threads] parents that each goes through:
    int64_t                  *high;   ///< low <= q < high.
    int64_t                  *next;   ///< [threads + 1] while these are looked for.
    bool                      whole;  ///< Each goes through all.
    bool                      listed; ///< Their nodes may be listed.
} scatter;

static int64_t node_at(const scatter *s, int64_t q)
{
    return cairn_load_int(s->level->ptr, q, s->level->ptr_bits / 8, s->level->ptr_bits,
                          false);
}

static int64_t index_at(const scatter *s, int64_t p)
{
    return cairn_load_int(s->level->idx, p, s->level->idx_stride, s->level->idx_bits,
                          s->level->idx_signed);
}

static int64_t bucket_of(const scatter *s, int64_t p)
{
    return (index_at(s, p) - s->level->lo) >> s->shift;
}

/// Count entries by bucket. @return false: indices do not ascend, or are not the level's.
static bool count_entries(scatter *s)
{
    for (int64_t q = 0; q < s->parents; q++) {
        const int64_t end  = node_at(s, q + 1);
        int64_t       last = s->level->lo;

        for (int64_t p = node_at(s, q); p < end; p++) {
            const int64_t index = index_at(s, p);

            if (index < last || index - s->level->lo >= s->level->size) return false;
            s->before[((index - s->level->lo) >> s->shift) + 1]++;
            last = index;
        }
    }
    for (int64_t k = 0; k < s->buckets; k++)
        s->before[k + 1] += s->before[k];
    return true;
}

/// Choose ranges of about as many entries for @p threads, or for as many as get some.
static void choose_ranges(scatter *s, int64_t threads)
{
    const int64_t all    = s->before[s->buckets];
    int64_t       filled = 0, at = 0;

    s->bound[0] = 0;
    for (int64_t t = 1; t <= threads; t++) {
        const int64_t work = (int64_t)((__int128)all * t / threads);

        while (at < s->buckets && s->before[at] < work)
            at++;
        if (t == threads) at = s->buckets;
        if (at > s->bound[filled]) s->bound[++filled] = at;
    }
    s->threads = filled;
}

static int64_t owner_of(const scatter *s, int64_t bucket)
{
    int64_t lo = 0, hi = s->threads - 1;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo + 1) / 2;

        if (s->bound[mid] <= bucket)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

/// The first thread from @p t on that has no parent yet; s->threads: all have.
static int64_t next_without(const scatter *s, int64_t t)
{
    while (s->next[t] != t)
        t = s->next[t] = s->next[s->next[t]];
    return t;
}

static void begin_search(const scatter *s)
{
    for (int64_t t = 0; t <= s->threads; t++)
        s->next[t] = t;
}

/// Write down parent @p q, or what is @p past it, for those of its threads that have none
/// yet: each thread is met once, however many parents it has nodes under.
static void give_parent(const scatter *s, int64_t q, int64_t past, int64_t *parent)
{
    const int64_t begin = node_at(s, q), end = node_at(s, q + 1);

    if (begin == end) return;
    const int64_t to = owner_of(s, bucket_of(s, end - 1));
    int64_t       t  = next_without(s, owner_of(s, bucket_of(s, begin)));

    for (; t <= to; t = next_without(s, t)) {
        parent[t]  = q + past;
        s->next[t] = t + 1;
    }
}

/// Which parents have nodes of each thread's, from the first to the last.
static void choose_parents(const scatter *s)
{
    for (int64_t t = 0; t < s->threads; t++) {
        s->low[t]  = s->whole ? 0 : s->parents;
        s->high[t] = s->whole ? s->parents : 0;
    }
    if (s->whole) return;
    begin_search(s);
    for (int64_t q = 0; q < s->parents && next_without(s, 0) < s->threads; q++)
        give_parent(s, q, 0, s->low);
    begin_search(s);
    for (int64_t q = s->parents; q-- > 0 && next_without(s, 0) < s->threads;)
        give_parent(s, q, 1, s->high);
}

/// Parents that all threads together go through.
static int64_t visits(const scatter *s)
{
    int64_t n = 0;

    for (int64_t t = 0; t < s->threads; t++)
        n += s->high[t] > s->low[t] ? s->high[t] - s->low[t] : 0;
    return n;
}

/// As many threads as leave more to do than to look up.
static void choose_threads(scatter *s, int64_t threads)
{
    /* What an entry takes does not go with how narrow its value is: it adds to a Y. */
    const int64_t bytes =
        s->part->val_kind == CAIRN_VALUE_FLOAT && s->part->val_bits == 32 ? 4 : 8;
    const int64_t most = s->part->values * bytes / (2 * (s->level->ptr_bits / 8));

    for (;; threads = s->threads / 2) {
        choose_ranges(s, threads);
        choose_parents(s);
        if (s->threads < 2 || visits(s) <= most) return;
    }
}

/// The first of nodes p .. end-1 in bucket @p bound or behind.
static int64_t first_from(const scatter *s, int64_t p, int64_t end, int64_t bound)
{
    while (p < end) {
        const int64_t mid = p + (end - p) / 2;

        if (bucket_of(s, mid) < bound)
            p = mid + 1;
        else
            end = mid;
    }
    return p;
}

/// Write down where thread @p t's nodes begin and end; its entries come after @p at.
static void list_nodes(const scatter *s, int64_t t, int64_t at, char *first, char *last)
{
    const int bits = s->level->ptr_bits;

    for (int64_t q = s->low[t]; q < s->high[t]; q++, at++) {
        const int64_t end   = node_at(s, q + 1);
        const int64_t begin = first_from(s, node_at(s, q), end, s->bound[t]);
        const int64_t stop  = first_from(s, begin, end, s->bound[t + 1]);

        cairn_store_int(first, at, bits / 8, bits, begin);
        cairn_store_int(last, at, bits / 8, bits, stop);
    }
}

static cairn_status list_all(const scatter *s, cairn_work_partition *d)
{
    const int64_t n = visits(s), bytes = s->level->ptr_bits / 8;
    int64_t       at = 0;

    CAIRN_TRY(CAIRN_NEW(s->env, 2 * n * bytes, &d->own));
    d->visits = n;
    d->first  = d->own;
    d->last   = d->own + n * bytes;
    d->shares = s->threads;
    for (int64_t t = 0; t < s->threads; t++) {
        int64_t *const share = d->share + CAIRN_SHARE_FIELDS * t;

        share[0] = s->low[t];
        share[1] = s->high[t];
        share[2] = at - s->low[t];
        if (s->high[t] <= s->low[t]) continue;
        list_nodes(s, t, at, d->own, d->own + n * bytes);
        at += s->high[t] - s->low[t];
    }
    return CAIRN_OK;
}

/// One thread has all nodes: the ptr itself says where they begin and end.
static void take_all(const scatter *s, cairn_work_partition *d)
{
    d->visits   = s->parents;
    d->share[0] = 0;
    d->share[1] = s->parents;
    d->share[2] = 0;
    d->first    = s->level->ptr;
    d->last     = (const char *)s->level->ptr + s->level->ptr_bits / 8;
}

/// Where a thread's list has come to.
typedef struct {
    int64_t k, q, p;
} position;

/// List the nodes of parent @p q. @return false: a step is too long for its type.
static bool step_through(const scatter *s, int64_t q, position *at, uint16_t *step)
{
    const int64_t end = node_at(s, q + 1);
    int64_t       t   = 0;

    for (int64_t p = node_at(s, q); p < end; p++) {
        const int64_t bucket = bucket_of(s, p);

        if (s->bound[t + 1] <= bucket) t++; /* mostly the next one's */
        if (s->bound[t + 1] <= bucket) t = owner_of(s, bucket);
        if (q - at[t].q > UINT16_MAX || p - at[t].p > UINT16_MAX) return false;
        step[2 * at[t].k]     = (uint16_t)(q - at[t].q);
        step[2 * at[t].k + 1] = (uint16_t)(p - at[t].p);
        at[t]                 = (position){at[t].k + 1, q, p};
    }
    return true;
}

/// Where each thread's list begins, and with which node; a thread may have none.
static void
begin_lists(const scatter *s, const cairn_work_partition *partition, position *at)
{
    for (int64_t t = 0; t < s->threads; t++) {
        int64_t *const share = partition->share + CAIRN_SHARE_FIELDS * t;

        at[t] = (position){.k = s->before[s->bound[t]]};
        if (s->low[t] < s->high[t]) {
            const int64_t q = s->low[t];

            at[t].q = q;
            at[t].p = first_from(s, node_at(s, q), node_at(s, q + 1), s->bound[t]);
        }
        share[0] = at[t].k;
        share[1] = s->before[s->bound[t + 1]];
        share[2] = at[t].q;
        share[3] = at[t].p;
    }
}

/// List all nodes, by thread; or give up, where they stand too far apart.
static cairn_status list_steps(const scatter *s, cairn_work_partition *partition)
{
    position *at;
    bool      fits = true;

    CAIRN_TRY(CAIRN_NEW(s->env, 2 * s->level->nodes, &partition->step));
    CAIRN_TRY(CAIRN_NEW(s->env, s->threads, &at));
    begin_lists(s, partition, at);
    for (int64_t q = 0; q < s->parents && fits; q++)
        fits = step_through(s, q, at, partition->step);
    cairn_free(s->env, at);
    if (fits) {
        partition->steps  = s->level->nodes;
        partition->shares = s->threads;
        return CAIRN_OK;
    }
    take_all(s, partition);
    cairn_free(s->env, partition->step);
    partition->step = NULL;
    return CAIRN_OK;
}

/// List nodes where few stand under a parent. With many threads those of each are far
/// apart: fewer are tried, too.
static cairn_status try_steps(scatter *s, int64_t threads, cairn_work_partition *d)
{
    do {
        choose_ranges(s, threads);
        choose_parents(s);
        if (s->threads < 2 || !s->listed || s->level->nodes >= FEW * visits(s))
            return CAIRN_OK;
        CAIRN_TRY(list_steps(s, d));
        threads = s->threads / 4;
    } while (d->steps == 0 && s->threads > MANY);
    return CAIRN_OK;
}

static cairn_status divide(scatter *s, int64_t threads, cairn_work_partition *d)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(s->env, s->buckets + 1, &s->before));
    CAIRN_TRY(CAIRN_NEW_ZERO(s->env, threads + 1, &s->bound));
    CAIRN_TRY(CAIRN_NEW_ZERO(s->env, threads, &s->low));
    CAIRN_TRY(CAIRN_NEW_ZERO(s->env, threads, &s->high));
    CAIRN_TRY(CAIRN_NEW(s->env, threads + 1, &s->next));
    if (!count_entries(s)) return CAIRN_OK;
    CAIRN_TRY(try_steps(s, threads, d));
    if (d->steps > 0) return CAIRN_OK;
    choose_threads(s, threads);
    return s->threads > 1 ? list_all(s, d) : CAIRN_OK;
}

cairn_status cairn_work_partition_scatter(cairn_env               *env,
                                          const cairn_share       *share,
                                          const cairn_kernel_part *part,
                                          int64_t                  threads,
                                          cairn_work_partition    *partition)
{
    scatter s = {.env    = env,
                 .part   = part,
                 .level  = &part->level[share->level],
                 .shift  = LEAST,
                 .whole  = share->ptr < 0,
                 .listed = share->listed};

    partition->shares = 1;
    if (part->values == 0) return CAIRN_OK;
    s.parents = s.level->ptr_length - 1;
    take_all(&s, partition);
    if (threads < 2) return CAIRN_OK;
    while (s.level->size >> s.shift >= BUCKETS)
        s.shift++;
    s.buckets                 = (s.level->size >> s.shift) + 1;
    const cairn_status status = divide(&s, threads, partition);

    cairn_free(env, s.before);
    cairn_free(env, s.bound);
    cairn_free(env, s.low);
    cairn_free(env, s.high);
    cairn_free(env, s.next);
    return status;
}
