// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lanes filled one after the other, whatever rows stand in them. Where many lanes stand
/// side by side, a row's slots are far apart, and every store would miss the cache: then
/// some lanes are filled in a *tile* that stays there, and the tile's lines go past the
/// caches to where they belong. A tile of few lanes leaves room for the rows that are read
/// meanwhile.

#include "convert/stores/fill_lanes.h"

#include "base/stream.h"

enum {
    FAR        = 4096,    ///< Bytes from slot to slot from which tiles pay.
    MANY       = 1 << 20, ///< Bytes of values that are not looked for in caches then.
    TILE_BYTES = 192 * 1024, ///< Of a tile.
    TILE_LANES = 64,         ///< Of it, at most,
    TILE_LEAST = 32,         ///< and at least.
    TILE_APART = 8,          ///< Lanes between, lest slots fall into few sets of L1,
                             ///< and those of a line, in which what is carried is.
};

bool cairn_lanes_are_far(const cairn_layout *layout, int64_t lanes)
{
    return lanes * layout->values.bits / 8 >= FAR;
}

bool cairn_lanes_are_tiled(const cairn_layout *layout, int64_t lanes, int64_t values)
{
    return cairn_lanes_are_far(layout, lanes)
           && values * (layout->values.bits / 8) >= MANY;
}

/* ---- ranges ---- */

/// Cut the lanes so that each range reads and writes about as much.
static void cut_lanes(const cairn_compiled *c, int64_t lanes, int64_t *cut)
{
    const int64_t  groups = c->facts.groups, ranges = c->ranges.n;
    const __int128 all  = c->m->bank[0].end + (__int128)c->groups.n * lanes;
    __int128       done = 0;
    int64_t        t    = 0;

    for (int64_t g = 0; g < groups && ranges > 1; g++) {
        const uint32_t width = c->groups.begin[g + 1] - c->groups.begin[g];

        for (int64_t k = g * lanes; k < (g + 1) * lanes; k++) {
            while (t < ranges && done * ranges >= all * t)
                cut[t++] = k;
            done +=
                width
                + (c->slots.row_of[k] ? cairn_compiled_counts(c)[c->slots.row_of[k] - 1]
                                      : 0);
        }
    }
    cut[0] = 0;
    for (t = t ? t : 1; t <= ranges; t++)
        cut[t] = groups * lanes;
}

/* ---- tiles ---- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/// What all tiles of a part have in common.
typedef struct {
    const cairn_compiled     *c;
    const cairn_phase        *phase;
    const cairn_kernel_part  *from;
    cairn_kernel_part        *to;
    const cairn_convert_args *args;
    int64_t                   lanes;
    int                       idx_bytes, val_bytes;
    bool                      tiled; ///< There is enough for tiles.
} filler;

/// Lanes between the slots of a tile.
static int64_t lanes_apart(const filler *f)
{
    return CAIRN_STREAM_LINE / smaller(f->idx_bytes, f->val_bytes) + TILE_APART;
}

/// Lanes of a tile of a group so wide; 0: it has too many slots.
static int64_t tile_lanes(const filler *f, int64_t width)
{
    const int64_t slot = width * (f->idx_bytes + f->val_bytes);
    const int64_t most = slot ? TILE_BYTES / slot - lanes_apart(f) : TILE_LANES;

    if (most < TILE_LEAST) return 0; /* or less than none: what lies between is wide */
    if (most > TILE_LANES) return TILE_LANES;
    return most / TILE_LEAST * TILE_LEAST;
}

/// A thread's range while it is filled.
typedef struct {
    const filler      *f;
    char              *tile;
    cairn_kernel_part  to;   ///< The tile in place of values and columns.
    cairn_convert_args args; ///< Of one call,
    uint32_t           cursor[2];
} worker;

/// Where a tile's columns or values go, @p bytes each, from the group's lane @p k of all on.
static cairn_stream_table
table_of(const worker *w, int64_t k, const void *to, const void *from, int bytes)
{
    const int64_t g     = k / w->f->lanes;
    const int64_t first = w->f->c->groups.begin[g] * w->f->lanes + k - g * w->f->lanes;

    return (cairn_stream_table){.to          = (char *)to + first * bytes,
                                .tile        = (char *)from,
                                .to_stride   = (size_t)(w->f->lanes * bytes),
                                .tile_stride = (size_t)(w->args.lanes * bytes),
                                .rows        = w->cursor[1]};
}

/// Fill lanes begin .. end-1 of one group, so wide, in tiles of @p many, and send them.
static int64_t
fill_in_tiles(worker *w, int64_t begin, int64_t end, int64_t width, int64_t many)
{
    const filler *f      = w->f;
    const int     last   = f->to->levels - 1;
    int64_t       status = 0;

    w->args.lanes         = many + lanes_apart(f);
    w->args.cursor        = w->cursor;
    w->cursor[1]          = (uint32_t)width;
    w->to.val             = w->tile + CAIRN_STREAM_LINE;
    w->to.level[last].idx = (char *)w->to.val + width * w->args.lanes * f->val_bytes;
    w->args.begin         = 0;

    cairn_stream_table val = table_of(w, begin, f->to->val, w->to.val, f->val_bytes);
    cairn_stream_table idx =
        table_of(w, begin, f->to->level[last].idx, w->to.level[last].idx, f->idx_bytes);

    for (int64_t k = begin, here; k < end && status == 0; k += here) {
        here = smaller(end - k, many);
        /* The tile's lanes count from 0, and so does the list of their rows. */
        w->args.end   = here;
        w->args.order = f->args->order + k;
        status        = cairn_phase_call(f->phase, f->from, &w->to, &w->args);
        cairn_stream_send(&val, (size_t)(here * f->val_bytes));
        cairn_stream_send(&idx, (size_t)(here * f->idx_bytes));
    }
    cairn_stream_end(&val);
    cairn_stream_end(&idx);
    return status;
}

/// Fill lanes of a group with too many slots for a tile.
static int64_t fill_group(worker *w, int64_t begin, int64_t end)
{
    const filler *f = w->f;

    w->args.begin  = begin;
    w->args.end    = end;
    w->args.cursor = f->args->cursor;
    w->args.order  = f->args->order;
    w->args.lanes  = f->lanes;

    return cairn_phase_call(f->phase, f->from, f->to, &w->args);
}

/// Fill the lanes of one range, group by group.
static int64_t fill_share(const filler *f, int64_t t, char *tile)
{
    const int64_t end    = f->args->share[t + 1];
    int64_t       status = 0;
    worker        w      = {.f = f, .tile = tile, .to = *f->to, .args = *f->args};

    w.args.shares = 1;
    for (int64_t k = f->args->share[t], next; k < end && status == 0; k = next) {
        const int64_t g     = k / f->lanes;
        const int64_t width = f->c->groups.begin[g + 1] - f->c->groups.begin[g];
        const int64_t many  = f->tiled ? tile_lanes(f, width) : 0;

        next = smaller(end, (g + 1) * f->lanes);
        status =
            many ? fill_in_tiles(&w, k, next, width, many) : fill_group(&w, k, next);
    }
    return status;
}

static cairn_status fill_tiles(const filler *f)
{
    const cairn_compiled *c      = f->c;
    const int             ranges = (int)f->args->shares;
    char                 *tiles;
    int64_t               result = 0;

    CAIRN_TRY(cairn_alloc(c->m->env, ranges, TILE_BYTES, (void **)&tiles));
#pragma omp parallel for schedule(static, 1) num_threads(ranges) if (ranges > 1) \
    reduction(min                                                                \
              : result)
    for (int t = 0; t < ranges; t++) {
        const int64_t its = fill_share(f, t, tiles + (size_t)t * TILE_BYTES);

        result = its < result ? its : result;
    }
    cairn_free(c->m->env, tiles);
    return cairn_phase_check(c->m->env, result);
}

/* ---- all ---- */

cairn_status cairn_lanes_stand(const cairn_compiled *c,
                               int64_t               lanes,
                               cairn_convert_args   *args,
                               cairn_part           *part)
{
    const int    last = c->m->layout->levels - 1;
    const filler f    = {
           .c         = c,
           .phase     = cairn_pass_phase(c, CAIRN_CONVERT_STAND),
           .from      = cairn_compiled_source(c),
           .to        = &part->view,
           .args      = args,
           .lanes     = lanes,
           .idx_bytes = part->view.level[last].idx_bits / 8,
           .val_bytes = part->view.val_bits / 8,
           .tiled     = cairn_lanes_are_tiled(c->m->layout, lanes, part->view.values)};
    int64_t outer[CAIRN_MAX_LEVELS], *cut;

    if (lanes == 0) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(c->m->env, c->ranges.n + 1, &cut));
    cut_lanes(c, lanes, cut);
    cairn_origin_args(&c->origin, 0, outer, args);
    args->order  = c->slots.row_of;
    args->first  = c->rows.first;
    args->cursor = c->groups.begin;
    args->lanes  = lanes;
    args->share  = cut;
    args->shares = c->ranges.n;
    const cairn_status status =
        cairn_lanes_are_far(c->m->layout, lanes)
            ? fill_tiles(&f)
            : cairn_phase_run(c->m->env, f.phase, f.from, &part->view, args);

    cairn_free(c->m->env, cut);
    return status;
}
