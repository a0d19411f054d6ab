// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values of one group of many nodes, under each of which lies a line along one dimension,
/// as the diagonals of a matrix do. Entries that come in the order of that dimension go to
/// as many places at once as there are nodes, more than a machine can keep track of, and
/// every line of memory that is written is read before. So entries go to a tile first, of
/// a few positions of all nodes, which stays in cache and leaves line by line past the
/// caches. The phase is the same: it fills a part that is so many positions long.

#include "base/stream.h"
#include "convert/compiled.h"

enum {
    TILE    = 512 << 10, ///< Bytes of a tile: in the cache of a core, with room left.
    WIDEST  = 512,       ///< Positions of each node, at most.
    LINE    = CAIRN_STREAM_LINE,
    STREAMS = 24,       ///< Nodes that a machine keeps track of (between 15 and 435),
    LARGE   = 16 << 20, ///< Bytes of values that do not stay in cache.
};

typedef struct {
    const cairn_compiled     *c;
    const cairn_kernel_part  *from; ///< NULL: entries.
    const cairn_convert_args *args;
    const cairn_kernel_part  *to;
    int                       bytes;      ///< Of a value.
    int64_t                   stride;     ///< Positions from node to node of a tile.
    char                     *tile, *idx; ///< Of all threads.
} tiles;

/// The dimension that a form is; -1: it is none.
static int dimension_of(const cairn_layout *layout, int l)
{
    return cairn_form_dimension(&layout->level[l].form, layout->order);
}

/// Do entries come in the order of dimension @p k, which the outermost loop says?
static bool comes_along(const cairn_compiled *c, int k)
{
    const cairn_layout *from = cairn_origin_layout(&c->origin);

    if (!from) return k == 0;
    if (from->partition >= 0 || from->levels == 0 || dimension_of(from, 0) != k)
        return false;
    return from->level[0].trimmed ? from->level[0].top && from->level[0].arrays.has_idx
                                  : !from->level[0].determined.on;
}

int64_t cairn_tiles_width(const cairn_compiled *c)
{
    const cairn_layout *to    = c->m->layout;
    const int           l     = to->levels - 1;
    const int64_t       bytes = to->values.bits / 8, line = LINE / bytes;

    if (to->first != 0 || to->last != 0 || l != 1 || to->packs.count > 0
        || c->m->rows.along || to->level[l].determined.on || dimension_of(to, l) < 0
        || !comes_along(c, dimension_of(to, l)) || c->groups.n < STREAMS
        || c->groups.n > TILE / bytes
        || (__int128)c->groups.n * to->level[l].size * bytes < LARGE)
        return 0;
    const int64_t width = TILE / bytes / c->groups.n / line * line;

    if (width < 2 * line) return 0;
    return width < WIDEST ? width : WIDEST;
}

/* ---- where rows begin ---- */

static int64_t row_at(const tiles *t, int64_t turn)
{
    if (!t->from) {
        return t->c->origin.entries->coord[0][turn];
    }
    const cairn_kernel_level *level = &t->from->level[0];

    if (!level->idx_bits) return level->lo + turn;
    return cairn_load_int(level->idx, turn, level->idx_stride, level->idx_bits,
                          level->idx_signed);
}

/// The first turn of a row that is not before @p row.
static int64_t turn_of(const tiles *t, int64_t row)
{
    int64_t lo = t->args->begin, hi = t->args->end;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (row_at(t, mid) < row)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* ---- tiles ---- */

/// Where the rows from @p first on go, from a tile that begins at @p tile.
static cairn_stream_table table_of(const tiles *t, char *tile, int64_t first)
{
    const cairn_kernel_level *level = &t->to->level[1];

    const int64_t before = first - level->lo;

    return (cairn_stream_table){.to          = (char *)t->to->val + before * t->bytes,
                                .tile        = tile,
                                .to_stride   = (size_t)(level->size * t->bytes),
                                .tile_stride = (size_t)(t->stride * t->bytes),
                                .rows        = (size_t)t->c->groups.n,
                                .clear       = true};
}

/// Rows first <= r < end, tile by tile, by thread @p thread: it has slots, and an idx that
/// it may write, of its own.
static int64_t fill_rows(const tiles *t, int thread, int64_t first, int64_t end)
{
    const cairn_compiled    *c      = t->c;
    const cairn_phase *const place  = cairn_pass_phase(c, CAIRN_CONVERT_PLACE);
    cairn_kernel_part        view   = *t->to;
    cairn_convert_args       args   = *t->args;
    const int64_t            before = thread * c->groups.n * t->stride * t->bytes;
    char *const              tile   = t->tile + before + LINE;
    int64_t                  result = 0, turn = turn_of(t, first);
    const int64_t            width = c->stores.tile;
    cairn_stream_table       table = table_of(t, tile, first);

    view.val           = tile;
    view.level[1].size = t->stride;
    if (thread > 0) {
        view.level[0].idx = t->idx + thread * c->groups.n * (int64_t)sizeof(int64_t);
        args.slot += thread * args.slots;
    }
    args.shares = 1;
    for (int64_t row = first; row < end && result == 0; row += width) {
        const int64_t next     = row + width < end ? row + width : end;
        const int64_t share[2] = {turn, turn_of(t, next)};

        view.level[1].lo = row;
        args.share       = share;
        result           = cairn_phase_call(place, t->from, &view, &args);
        turn             = share[1];
        cairn_stream_send(&table, (size_t)((next - row) * t->bytes));
    }
    cairn_stream_end(&table);
    return result;
}

/// A thread's rows are those of its range, which may begin within one: then all of it is
/// this thread's.
static int64_t first_row(const tiles *t, int thread, int threads)
{
    const cairn_kernel_level *level = &t->to->level[1];
    const int64_t             turn  = t->c->ranges.cut[thread];

    if (thread == 0) return level->lo;
    if (thread == threads || turn >= t->args->end) return level->lo + level->size;
    return row_at(t, turn);
}

static cairn_status run(const tiles *t, int threads)
{
    cairn_env *const env    = t->c->m->env;
    cairn_status     status = CAIRN_OK;
    int64_t         *result;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, threads, &result));
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (int k = 0; k < threads; k++) {
        const int64_t begin = first_row(t, k, threads);

        result[k] = fill_rows(t, k, begin, first_row(t, k + 1, threads));
    }
    for (int k = 0; k < threads && status == CAIRN_OK; k++)
        status = cairn_phase_check(env, result[k]);
    cairn_free(env, result);
    return status;
}

cairn_status cairn_tiles_fill(const cairn_compiled    *c,
                              const cairn_kernel_part *to,
                              cairn_convert_args      *args)
{
    cairn_env *const env     = c->m->env;
    const int        threads = (int)c->ranges.n;
    int64_t          outer[CAIRN_MAX_LEVELS];
    cairn_status     status;
    tiles t = {.c = c, .args = args, .to = to, .bytes = c->m->layout->values.bits / 8};

    /* what is carried, and so nodes begin in different sets of a cache */
    t.stride = c->stores.tile + LINE / t.bytes;
    t.from   = cairn_compiled_source(c);
    cairn_origin_args(&c->origin, 0, outer, args);
    CAIRN_GO(done, cairn_alloc_zero(env, threads * c->groups.n * t.stride,
                                    (size_t)t.bytes, (void **)&t.tile));
    CAIRN_GO(done,
             cairn_alloc(env, threads * c->groups.n, sizeof(int64_t), (void **)&t.idx));
    status = run(&t, threads);
done:
    cairn_free(env, t.tile);
    cairn_free(env, t.idx);
    return status;
}
