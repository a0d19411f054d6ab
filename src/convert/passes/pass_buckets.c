// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// APPEND by buckets: each bucket is ordered in cache, and goes from there to where its lines
/// begin. No sorted entries lie in memory in between. Lines are what the first level, a
/// dimension, has indices for; all levels below are trimmed and dimensions, too, in their
/// order, so that a word is a key.
///
/// Few entries are ordered by column instead: placed in their rows, which are counted
/// already, they stand as they are to.
///
/// An entry that was given twice is found when its bucket is ordered, or among its row's.
/// Then there are fewer nodes than were counted: who has the buckets has repeats added up
/// (cairn_bucketed_combine()), and comes again. What comes again is ordered.

#include "convert/passes.h"
#include "entries/sort_lines.h"

#include <stdatomic.h>
#include <string.h>

/// While buckets are ordered and scattered.
typedef struct {
    const cairn_compiled *c;
    cairn_bucketed       *bucketed;
    cairn_kernel_part    *to;
    cairn_convert_args    args;
    int                   split; ///< Bits of a word below its line.
    int64_t               lines; ///< At most, of one bucket.
    cairn_item     *scratch; ///< [room] for each thread: scratch, and what is sorted,
    int64_t         room;
    uint32_t       *begin; ///< [lines + 1] for each.
    _Atomic int64_t taken; ///< Buckets that threads have begun.
    _Atomic bool    repeated;
    _Atomic int64_t result; ///< Of a phase that failed; else 0.
} bucketing;

static int split_of(const cairn_bucketed *bucketed)
{
    return bucketed->words.bits - bucketed->words.range[0].bits;
}

/// The line of a word, among the groups of the target.
static int64_t line_of(const cairn_bucketed *bucketed, uint64_t word, int64_t lo)
{
    return (int64_t)(word >> split_of(bucketed)) + bucketed->words.range[0].least - lo;
}

/// Fields of a word as the phase reads them.
static void set_fields(const cairn_bucketed *bucketed, cairn_key_fields *fields)
{
    int64_t shift = 0;

    *fields = (cairn_key_fields){.levels = bucketed->order};
    for (int l = bucketed->order - 1; l >= 0; l--) {
        const cairn_key_range *range = &bucketed->words.range[l];

        fields->low[l]   = range->least;
        fields->shift[l] = shift;
        fields->mask[l]  = (int64_t)(((uint64_t)1 << range->bits) - 1);
        shift += range->bits;
    }
}

/// The lines of bucket @p b that are groups: from @p first up to the one returned.
static int64_t lines_of(const bucketing *d, int64_t b, int64_t *first)
{
    const int64_t lo  = d->c->m->layout->level[0].range.lo;
    const int64_t end = line_of(d->bucketed, d->bucketed->least[b + 1], lo);

    *first = line_of(d->bucketed, d->bucketed->least[b], lo);
    return end < d->c->facts.groups ? end : d->c->facts.groups;
}

/// Order bucket @p b and fill its nodes; its cursors then stand where its lines begin.
/// @return false: an entry is there twice.
static bool do_bucket(bucketing *d, int64_t b, cairn_item *scratch, uint32_t *begin)
{
    const cairn_bucketed *const bucketed = d->bucketed;
    const cairn_pos             n = bucketed->count[b], at = bucketed->at[b];
    cairn_item *const           items = bucketed->items + bucketed->begin[b];
    cairn_item *const           sorted =
        bucketed->combined ? items : scratch + bucketed->most + CAIRN_LINES_PAST;
    uint32_t *const    cursor = d->c->groups.begin;
    cairn_convert_args args   = d->args;
    const uint64_t     least  = bucketed->least[b] >> d->split;
    int64_t            first;
    const int64_t      end = lines_of(d, b, &first);

    if (end <= first) return true;
    if (bucketed->combined)
        cairn_lines_begin(n, d->split, least, end - first, items, begin);
    else if (!cairn_sort_lines(n, d->split, least, end - first, items, scratch, sorted,
                               begin))
        return false;
    for (int64_t k = first; k < end; k++)
        cursor[k] = (uint32_t)at + begin[k - first];
    args.end             = n;
    args.offset          = &at;
    args.key             = &sorted[0].word;
    args.moved           = (double *)(void *)&sorted[0].load;
    const int64_t result = cairn_phase_call(
        cairn_pass_keys_phase(d->c, CAIRN_CONVERT_SCATTER), NULL, d->to, &args);

    if (result != 0) d->result = result;
    return true;
}

static void bucket_task(void *user, int sorter)
{
    bucketing *const  d       = user;
    cairn_item *const scratch = d->scratch + sorter * d->room;
    uint32_t *const   begin   = d->begin + sorter * (d->lines + 1);

    for (int64_t b; (b = atomic_fetch_add(&d->taken, 1)) < d->bucketed->buckets;) {
        if (!do_bucket(d, b, scratch, begin)) d->repeated = true;
        if (d->repeated || d->result != 0) return;
    }
}

/// Lines before the first bucket and behind the last have no entries.
static void fill_cursors(bucketing *d)
{
    const int64_t groups = d->c->facts.groups;
    int64_t       first, end = 0;

    for (int64_t b = 0; b < d->bucketed->buckets; b++) {
        end = lines_of(d, b, &first);
        if (b == 0)
            for (int64_t k = 0; k < first && k < groups; k++)
                d->c->groups.begin[k] = 0;
        if (end - first > d->lines) d->lines = end - first;
    }
    for (int64_t k = end; k < groups; k++)
        d->c->groups.begin[k] = (uint32_t)d->bucketed->n;
}

static cairn_status run(bucketing *d)
{
    cairn_env *const env     = d->c->m->env;
    const int        sorters = cairn_bucketed_sorters(d->bucketed, d->room);
    cairn_status     status;

    fill_cursors(d);
    CAIRN_GO(done, CAIRN_NEW(env, sorters * d->room, &d->scratch));
    CAIRN_GO(done, CAIRN_NEW(env, sorters * (d->lines + 1), &d->begin));
    cairn_thread_pool_run(&env->thread_pool, sorters, bucket_task, d, sorters);
    CAIRN_GO(done, cairn_phase_check(env, d->result));
    d->bucketed->repeats = d->repeated;
    if (d->repeated)
        status = cairn_fail(env, CAIRN_NO_KERNEL, "convert: an entry is there twice");
done:
    cairn_free(env, d->begin);
    cairn_free(env, d->scratch);
    return status;
}

/* ---- by columns ---- */

/// Place entries that are ordered by column in their rows, straight in the arrays.
static cairn_status place_columns(cairn_compiled *c, const cairn_kernel_part *view)
{
    const cairn_columns      *columns = c->build->bucketed->columns;
    const cairn_kernel_level *level   = &view->level[1];
    const size_t              bytes   = (size_t)c->facts.groups * sizeof *columns->line;

    CAIRN_TRY(cairn_columns_place(c->m->env, columns, level->idx_bits,
                                  (void *)level->idx, (double *)view->val));
    c->build->bucketed->repeats =
        !columns->once && cairn_columns_repeat(columns, level->idx_bits, level->idx);
    CAIRN_CHECK(!c->build->bucketed->repeats, c->m->env, CAIRN_NO_KERNEL,
                "convert: an entry is there twice");
    memcpy(c->groups.begin, columns->line + c->m->layout->level[0].range.lo, bytes);
    return CAIRN_OK;
}

static cairn_status append_in_order(cairn_compiled *c, const cairn_pass_call *call)
{
    cairn_key_fields fields;
    bucketing        d = {.c        = c,
                          .bucketed = c->build->bucketed,
                          .to       = &call->part->view,
                          .split    = split_of(c->build->bucketed),
                          .room     = 2 * c->build->bucketed->most + CAIRN_LINES_PAST,
                          .args     = *call->args};

    set_fields(d.bucketed, &fields);
    d.args.low   = fields.low;
    d.args.shift = fields.shift;
    d.args.mask  = fields.mask;
    return run(&d);
}

static cairn_status append_buckets(cairn_compiled *c, const cairn_pass_call *call)
{
    const cairn_bucketed *bucketed = c->build->bucketed;

    CAIRN_TRY(bucketed->columns ? place_columns(c, &call->part->view)
                                : append_in_order(c, call));
    c->groups.begin[c->facts.groups] = (uint32_t)bucketed->n;
    cairn_compiled_write_ptrs(c, call->bank, &call->part->view);
    return CAIRN_OK;
}

const cairn_pass_work cairn_append_buckets = {.write = append_buckets};
