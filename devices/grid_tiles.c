// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tiles of lists, and pieces of long ones.

#include "devices/grid_tiles.h"

#include "tensor/local.h"

#include <inttypes.h>

typedef struct {
    cairn_env               *env;
    const cairn_grid        *grid;
    const cairn_kernel_part *part;
    cairn_grid_tiles        *tiles;
    int64_t                  pieces, longs; ///< Counted, or filled so far.
    int64_t                  tile;
} division;

/* ---- Where lists begin ---- */

/// Has node @p p another row than the node before?
static bool begins_list(const division *d, int64_t p)
{
    for (int l = d->grid->level; l <= d->grid->list; l++) {
        const cairn_kernel_level *level = &d->part->level[l];
        const int64_t             bytes = level->idx_stride;

        if (!(d->grid->same >> l & 1)) continue;
        if (cairn_load_int(level->idx, p, bytes, level->idx_bits, level->idx_signed)
            != cairn_load_int(level->idx, p - 1, bytes, level->idx_bits,
                              level->idx_signed))
            return true;
    }
    return false;
}

static cairn_status find_lists(division *d)
{
    const int64_t nodes = d->part->level[d->grid->list].nodes;
    int64_t       lists = nodes > 0 ? 1 : 0;

    CAIRN_CHECK(nodes < (int64_t)1 << 32, d->env, CAIRN_UNSUPPORTED,
                "product: as a grid: %" PRId64 " nodes without a ptr are too many",
                nodes);
    for (int64_t p = 1; p < nodes; p++)
        lists += begins_list(d, p);
    CAIRN_TRY(CAIRN_NEW(d->env, lists + 1, &d->tiles->first));
    d->tiles->lists = lists;
    lists           = 0;
    for (int64_t p = 0; p < nodes; p++)
        if (p == 0 || begins_list(d, p)) d->tiles->first[lists++] = (uint32_t)p;
    d->tiles->first[lists] = (uint32_t)nodes;
    return CAIRN_OK;
}

static int64_t count_lists(const division *d)
{
    const cairn_kernel_level *level = &d->part->level[d->grid->list];

    if (d->grid->by == CAIRN_GRID_BY_PTR) return level->ptr_length - 1;
    return level->size > 0 ? d->part->values / d->grid->block / level->size : 0;
}

/// Where lists begin that no ptr tells.
static uint32_t *first_of(const cairn_grid_tiles *tiles)
{
    return tiles->visits.first ? tiles->visits.first : tiles->first;
}

/// First node, or visit, of list @p q.
static int64_t begin_of(const division *d, int64_t q)
{
    const cairn_kernel_level *level = &d->part->level[d->grid->list];

    switch (d->grid->by) {
    case CAIRN_GRID_BY_PTR:
        return cairn_load_int(level->ptr, q, level->ptr_bits / 8, level->ptr_bits,
                              false);
    case CAIRN_GRID_BY_SIZE: return q * level->size;
    default: return first_of(d->tiles)[q];
    }
}

/* ---- Tiles and pieces ---- */

static void add_piece(division *d, int64_t at, int64_t end)
{
    cairn_grid_tiles *t = d->tiles;

    if (t->piece_at) {
        t->piece_at[d->pieces]  = at;
        t->piece_end[d->pieces] = end;
    }
    d->pieces++;
}

/// A list that no tile holds: whole cuts, and what is left behind the last one; or all.
static void add_long(division *d, int64_t list, int64_t at, int64_t end)
{
    cairn_grid_tiles *t = d->tiles;

    if (t->long_list) {
        t->long_list[d->longs]   = list;
        t->piece_first[d->longs] = d->pieces;
    }
    d->longs++;
    for (; d->grid->cuts && end - at > CAIRN_CUT; at += CAIRN_CUT)
        add_piece(d, at, at + CAIRN_CUT);
    add_piece(d, at, end);
}

static void add_tile(division *d, int64_t list)
{
    if (d->tiles->tile) d->tiles->tile[d->tile] = list;
    d->tile++;
}

/// Go through the lists: count, or fill where there are arrays.
static void divide(division *d)
{
    const int64_t lists = d->tiles->lists, most = cairn_grid_tile_size(d->grid);
    int64_t       begin = lists > 0 ? begin_of(d, 0) : 0;
    int64_t       held = 0, values = 0; /* by the tile at hand */
    bool          after_long = false;

    d->tile = d->pieces = d->longs = 0;
    for (int64_t q = 0; q < lists; q++) {
        const int64_t end     = begin_of(d, q + 1);
        const int64_t length  = (end - begin) * d->grid->block;
        const bool    is_long = cairn_grid_is_long(d->grid, end - begin);

        if (held == 0 || held == most || values + length > most || is_long
            || after_long) {
            add_tile(d, q);
            held = values = 0;
        }
        held++;
        values += length;
        if (is_long) add_long(d, q, begin, end);
        after_long = is_long;
        begin      = end;
    }
    if (d->tiles->tile) d->tiles->tile[d->tile] = lists;
    if (d->tiles->piece_first) d->tiles->piece_first[d->longs] = d->pieces;
}

static cairn_status divide_lists(division *d)
{
    cairn_grid_tiles *t = d->tiles;

    if (d->grid->by != CAIRN_GRID_BY_IDX)
        t->lists = count_lists(d);
    else if (!t->visits.first)
        CAIRN_TRY(find_lists(d));
    divide(d);
    t->turns[CAIRN_GRID_MAIN] = d->tile;
    t->turns[CAIRN_GRID_LONG] = d->pieces;
    t->turns[CAIRN_GRID_JOIN] = d->longs;
    CAIRN_TRY(CAIRN_NEW(d->env, d->tile + 1, &t->tile));
    CAIRN_TRY(CAIRN_NEW(d->env, d->pieces + 1, &t->piece_at));
    CAIRN_TRY(CAIRN_NEW(d->env, d->pieces + 1, &t->piece_end));
    CAIRN_TRY(CAIRN_NEW(d->env, d->longs + 1, &t->piece_first));
    CAIRN_TRY(CAIRN_NEW(d->env, d->longs + 1, &t->long_list));
    divide(d);
    return CAIRN_OK;
}

static int64_t count_lanes(const cairn_grid *grid, const cairn_grid_work *work)
{
    const cairn_kernel_level *level  = &work->part->level[grid->level];
    const bool                stored = level->kind != CAIRN_LEVEL_DENSE;

    if (grid->listed) return cairn_grid_rows(work);
    if (grid->rows) return cairn_grid_rows(work) * grid->each;
    return (stored ? level->nodes : level->size) * grid->each;
}

cairn_status cairn_grid_tiles_make(cairn_env             *env,
                                   const cairn_grid_work *work,
                                   cairn_grid_tiles      *tiles)
{
    const cairn_grid grid  = cairn_grid_of(work->layout, work->product);
    cairn_grid_tiles fresh = {.sums = grid.group ? work->args.y_stride : grid.high};
    division     d = {.env = env, .grid = &grid, .part = work->part, .tiles = &fresh};
    cairn_status status = CAIRN_OK;

    if (grid.shape == CAIRN_GRID_REGROUPED)
        status = cairn_grid_visits_make(env, work, &fresh.visits);
    if (fresh.visits.first) fresh.lists = cairn_grid_rows(work);
    if (grid.shape == CAIRN_GRID_LANES || grid.listed)
        fresh.turns[CAIRN_GRID_MAIN] = count_lanes(&grid, work);
    else if (status == CAIRN_OK)
        status = divide_lists(&d);
    if (status == CAIRN_OK)
        *tiles = fresh;
    else
        cairn_grid_tiles_fini(env, &fresh);
    return status;
}

void cairn_grid_tiles_fini(cairn_env *env, cairn_grid_tiles *tiles)
{
    cairn_free(env, tiles->tile);
    cairn_free(env, tiles->piece_at);
    cairn_free(env, tiles->piece_end);
    cairn_free(env, tiles->piece_first);
    cairn_free(env, tiles->long_list);
    cairn_free(env, tiles->first);
    cairn_grid_visits_fini(env, &tiles->visits);
    *tiles = (cairn_grid_tiles){.tile = NULL};
}

int cairn_grid_tiles_arrays(const cairn_grid_tiles *t, cairn_grid_array_of *array)
{
    const int64_t word = (int64_t)sizeof *t->tile, half = (int64_t)sizeof *t->first;
    const cairn_grid_visits *visits = &t->visits;
    const int64_t            tiles  = t->turns[CAIRN_GRID_MAIN];
    const int64_t            pieces = t->turns[CAIRN_GRID_LONG];
    const int64_t            longs  = t->turns[CAIRN_GRID_JOIN];
    int                      n      = 0;

    if (t->tile)
        array[n++] =
            (cairn_grid_array_of){CAIRN_GRID_tile, t->tile, (tiles + 1) * word};
    if (first_of(t))
        array[n++] =
            (cairn_grid_array_of){CAIRN_GRID_first, first_of(t), (t->lists + 1) * half};
    if (visits->via)
        array[n++] =
            (cairn_grid_array_of){CAIRN_GRID_via, visits->via, visits->count * half};
    if (visits->at)
        array[n++] =
            (cairn_grid_array_of){CAIRN_GRID_at, visits->at, visits->count * word};
    if (longs == 0) return n;
    array[n++] = (cairn_grid_array_of){CAIRN_GRID_piece_at, t->piece_at, pieces * word};
    array[n++] =
        (cairn_grid_array_of){CAIRN_GRID_piece_end, t->piece_end, pieces * word};
    array[n++] = (cairn_grid_array_of){CAIRN_GRID_piece_first, t->piece_first,
                                       (longs + 1) * word};
    array[n++] =
        (cairn_grid_array_of){CAIRN_GRID_long_list, t->long_list, longs * word};
    array[n++] = (cairn_grid_array_of){CAIRN_GRID_partial, NULL,
                                       pieces * t->sums * (int64_t)sizeof(double)};
    return n;
}

void cairn_grid_tiles_use(const cairn_grid_tiles *tiles,
                          cairn_grid_role         role,
                          cairn_grid_args        *args)
{
    args->from        = 0;
    args->to          = tiles->turns[role];
    args->tile        = tiles->tile;
    args->piece_at    = tiles->piece_at;
    args->piece_end   = tiles->piece_end;
    args->piece_first = tiles->piece_first;
    args->long_list   = tiles->long_list;
    args->first       = first_of(tiles);
    args->via         = tiles->visits.via;
    args->at          = tiles->visits.at;
}
