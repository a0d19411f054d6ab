// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lanes filled one after the other, whatever rows stand in them. Where many lanes stand
/// side by side, a row's slots are far apart, and every store would miss the cache: then
/// some lanes are filled in a *tile* that stays there, and the tile's lines go past the
/// caches to where they belong. A tile of few lanes leaves room for the rows that are read
/// meanwhile.

#include "convert/compiled_stand.h"

#include "base/stream.h"

enum {
    FAR        = 4096,    ///< Bytes from slot to slot from which tiles pay.
    MANY       = 1 << 20, ///< Bytes of values that are not looked for in caches then.
    TILE_BYTES = 192 * 1024, ///< Of a tile.
    TILE_LANES = 64,         ///< Of it, at most,
    TILE_LEAST = 32,         ///< and at least; a multiple of the lanes of a line.
    TILE_APART = 8,          ///< Lanes between, lest slots fall into one set of L1.
};

bool cairn_lanes_are_far(const cairn_layout *layout, int64_t lanes)
{
    return lanes * layout->value_bits / 8 >= FAR;
}

/* ---- shares ---- */

/// Cut the lanes so that each share reads and writes about as much.
static void cut_lanes(const cairn_compiled *c, int64_t lanes, int64_t *cut)
{
    const int64_t  groups = c->facts.groups, shares = c->shares.n;
    const __int128 all  = c->m->bank[0].end + (__int128)c->nodes * lanes;
    __int128       done = 0;
    int64_t        t    = 0;

    for (int64_t g = 0; g < groups && shares > 1; g++) {
        const uint32_t width = c->cursor[g + 1] - c->cursor[g];

        for (int64_t k = g * lanes; k < (g + 1) * lanes; k++) {
            while (t < shares && done * shares >= all * t)
                cut[t++] = k;
            done +=
                width + (c->row_of[k] ? cairn_compiled_counts(c)[c->row_of[k] - 1] : 0);
        }
    }
    cut[0] = 0;
    for (t = t ? t : 1; t <= shares; t++)
        cut[t] = groups * lanes;
}

/* ---- tiles ---- */

/// What all tiles of a part have in common.
typedef struct {
    const cairn_compiled     *c;
    const cairn_kernel_part  *from;
    cairn_kernel_part        *to;
    const cairn_convert_args *args;
    int64_t                   lanes;
    int                       idx_bytes, val_bytes;
    bool                      tiled; ///< There is enough for tiles.
} filler;

/// Lanes of a tile of a group so wide; 0: it has too many slots.
static int64_t tile_lanes(const filler *f, int64_t width)
{
    const int64_t slot = width * (f->idx_bytes + f->val_bytes);
    const int64_t most = slot ? TILE_BYTES / slot - TILE_APART : TILE_LANES;

    if (most > TILE_LANES) return TILE_LANES;
    return most / TILE_LEAST * TILE_LEAST;
}

/// A thread's share while it is filled.
typedef struct {
    const filler      *f;
    char              *tile;
    cairn_kernel_part  to;   ///< The tile in place of values and columns.
    cairn_convert_args args; ///< Of one call,
    int64_t            facts[CAIRN_CONVERT_FACTS];
    uint32_t           cursor[2];
} worker;

/// Send the tile of @p n lanes of group @p g, from lane @p begin of all on.
static void send_tile(const worker *w, int64_t g, int64_t begin, int64_t n)
{
    const filler *f     = w->f;
    const int     last  = f->to->levels - 1;
    const int64_t first = f->c->cursor[g] * f->lanes + begin - g * f->lanes;

    cairn_stream_rows((char *)f->to->val + first * f->val_bytes,
                      (size_t)(f->lanes * f->val_bytes), w->to.val,
                      (size_t)(w->args.lanes * f->val_bytes), w->cursor[1],
                      (size_t)(n * f->val_bytes));
    cairn_stream_rows((char *)f->to->level[last].idx + first * f->idx_bytes,
                      (size_t)(f->lanes * f->idx_bytes), w->to.level[last].idx,
                      (size_t)(w->args.lanes * f->idx_bytes), w->cursor[1],
                      (size_t)(n * f->idx_bytes));
}

/// Fill lanes begin .. end-1 of one group, so wide, in the tile, and send it.
static int64_t fill_tile(worker *w, int64_t begin, int64_t end, int64_t width)
{
    const filler *f    = w->f;
    const int     last = f->to->levels - 1;
    const int64_t wide = tile_lanes(f, width) + TILE_APART;

    w->cursor[1]          = (uint32_t)width;
    w->args.begin         = 0;
    w->args.end           = end - begin;
    w->to.val             = w->tile;
    w->to.level[last].idx = w->tile + width * wide * f->val_bytes;
    w->args.cursor        = w->cursor;
    w->args.order         = f->args->order + begin;
    w->args.lanes         = wide;

    const int64_t status = cairn_phase_call(&f->c->fill, f->from, &w->to, &w->args);

    send_tile(w, begin / f->lanes, begin, end - begin);
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
    return cairn_phase_call(&f->c->fill, f->from, f->to, &w->args);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/// Fill the lanes of one share, tile by tile.
static int64_t fill_share(const filler *f, int64_t t, char *tile)
{
    const int64_t end    = f->args->share[t + 1];
    int64_t       status = 0, zero = 0;
    worker        w = {.f = f, .tile = tile, .to = *f->to, .args = *f->args};

    w.args.shares = 1;
    w.args.facts  = w.facts;
    for (int64_t k = f->args->share[t], next; k < end && status == 0; k = next) {
        const int64_t g     = k / f->lanes;
        const int64_t width = f->c->cursor[g + 1] - f->c->cursor[g];
        const int64_t many  = f->tiled ? tile_lanes(f, width) : 0;

        next = smaller(end, (g + 1) * f->lanes);
        if (many) /* to where lines begin */
            next = smaller(next, k + many - (k - g * f->lanes) % TILE_LEAST);
        status = many ? fill_tile(&w, k, next, width) : fill_group(&w, k, next);
        zero |= w.facts[0];
    }
    cairn_stream_end();
    f->args->facts[t * CAIRN_CONVERT_FACTS] = zero;
    return status;
}

static cairn_status fill_tiles(const filler *f)
{
    const cairn_compiled *c      = f->c;
    const int             shares = (int)f->args->shares;
    char                 *tiles;
    int64_t               result = 0;

    CAIRN_TRY(cairn_alloc(c->m->env, shares, TILE_BYTES, (void **)&tiles));
#pragma omp parallel for schedule(static, 1) num_threads(shares) if (shares > 1) \
    reduction(min                                                                \
              : result)
    for (int t = 0; t < shares; t++) {
        const int64_t its = fill_share(f, t, tiles + (size_t)t * TILE_BYTES);

        result = its < result ? its : result;
    }
    cairn_free(c->m->env, tiles);
    return cairn_phase_check(c->m->env, result);
}

/* ---- all ---- */

bool cairn_compiled_met_zeros(const cairn_compiled *c)
{
    if (!c->m->hoped || !c->stands) return false;
    for (int64_t t = 0; t < c->shares.n; t++)
        if (c->shares.found[t * CAIRN_CONVERT_FACTS]) return true;
    return false;
}

cairn_status cairn_lanes_stand(const cairn_compiled *c,
                               int64_t               lanes,
                               cairn_convert_args   *args,
                               cairn_part           *part)
{
    const cairn_local *from = c->origin.from;
    const int          last = c->m->layout->levels - 1;
    const filler       f    = {
                 .c    = c,
                 .from = from ? &from->part[from->group[c->origin.member].first].view : NULL,
                 .to   = &part->view,
                 .args      = args,
                 .lanes     = lanes,
                 .idx_bytes = part->view.level[last].idx_bits / 8,
                 .val_bytes = part->view.val_bits / 8,
                 .tiled     = part->view.values * (part->view.val_bits / 8) >= MANY};
    int64_t outer[CAIRN_MAX_LEVELS], *cut;

    if (lanes == 0) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(c->m->env, c->shares.n + 1, &cut));
    cut_lanes(c, lanes, cut);
    cairn_origin_args(&c->origin, 0, outer, args);
    args->order  = c->row_of;
    args->first  = c->row_first;
    args->cursor = c->cursor;
    args->lanes  = lanes;
    args->facts  = c->shares.found;
    args->share  = cut;
    args->shares = c->shares.n;
    const cairn_status status =
        cairn_lanes_are_far(c->m->layout, lanes)
            ? fill_tiles(&f)
            : cairn_phase_run(c->m->env, &c->fill, f.from, &part->view, args);

    cairn_free(c->m->env, cut);
    return status;
}
