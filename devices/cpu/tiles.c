// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tiles of rows, in which all launches add to sums in a cache.

#include "devices/cpu/tiles.h"

#include "devices/cpu/product.h"
#include "share/share_rows.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Sums of a tile, unless a block of rows has more: 16 KB, half of an L1. */
enum { USUAL_VALUES = 2048 };

/* Tiles of each thread, so that threads get alike. */
enum { FEWEST_TILES = 8 };

/* Of each thread, that others take over (pieces.c). */
enum { PIECES = 8 };

/* One tile of so many is timed, launch by launch: a look at the clock takes 22 ns. */
enum { TIMED = 8 };

/// Where a tile's sums are made, by one thread at a time, and what it found launches take.
typedef struct {
    atomic_flag taken;
    double     *sums; ///< [rows of a tile][columns]
    double      seconds[CAIRN_MAX_MEMBERS];
    char        rest[112]; ///< Up to lines of its own.
} workplace;

typedef struct {
    cairn_env    *env;
    int           launches;
    cairn_launch *launch[CAIRN_MAX_MEMBERS];
    int64_t       rows, tile_rows, tiles; ///< All rows, and how they are cut.
    int64_t      *at; ///< [launches][tiles + 1] positions at which tiles begin.
    int           threads;
    int64_t      *share;  ///< [threads + 1] tiles of each thread.
    int           pieces; ///< 0: none; else at least two threads share them.
    int64_t      *piece;  ///< [pieces + 1] tiles of each.
    workplace    *place;  ///< [threads]
    double       *sums;   ///< What all of them have.
    cairn_company company;
} cpu_tiles;

/// What all tiles of a run are computed with.
typedef struct {
    cpu_tiles         *tiles;
    cairn_product_fn   run[CAIRN_MAX_MEMBERS];
    cairn_product_args args[CAIRN_MAX_MEMBERS];
    float             *y;
    const int64_t     *begin; ///< Tiles of each thread or piece.
    double             beta;
    bool               sets; ///< The first launch sets its rows.
} call;

static const cairn_cpu_product *product_of(const cpu_tiles *t, int k)
{
    return t->launch[k]->state;
}

static const cairn_kernel_part *part_of(const cpu_tiles *t, int k)
{
    return &cairn_work_part(&product_of(t, k)->work, 0)->view;
}

/// A launch without values does nothing.
static bool has_values(const cpu_tiles *t, int k)
{
    return cairn_work_group(&product_of(t, k)->work)->count > 0
           && part_of(t, k)->values > 0;
}

/* ---- a run ---- */

/// They become beta*Y, without a -0, as those of a whole Y do (plan/operands.h).
static void begin_sums(const call *c, const float *y, int64_t values, double *sums)
{
    if (c->beta == 0)
        memset(sums, 0, (size_t)values * sizeof *sums);
    else
        for (int64_t v = 0; v < values; v++)
            sums[v] = c->beta * (double)y[v] + 0.0;
}

/// Add launch @p k in the rows from @p first to before @p end, which are tile @p tile.
static int64_t
add(const call *c, int k, int64_t tile, int64_t first, int64_t end, double *sums)
{
    const cpu_tiles   *t         = c->tiles;
    const int64_t      counted[] = {0, end - first};
    cairn_product_args args      = c->args[k];

    args.row_end = args.row_lo + end;
    args.row_lo += first;
    args.y       = sums;
    args.share   = product_of(t, k)->share.kind == CAIRN_SHARE_ROWS
                       ? counted
                       : t->at + k * (t->tiles + 1) + tile;
    args.shares  = 1;
    args.cutters = 0; /* what they sum was summed before */
    return c->run[k](part_of(t, k), &args);
}

static int64_t compute_tile(const call *c, int64_t tile, workplace *place)
{
    const cpu_tiles *t       = c->tiles;
    const int64_t    columns = c->args[0].columns;
    const int64_t    first   = tile * t->tile_rows;
    const int64_t end = first + t->tile_rows < t->rows ? first + t->tile_rows : t->rows;
    const int64_t values = (end - first) * columns;
    float *const  y      = c->y + first * columns;
    int64_t       status = 0;

    if (!c->sets) begin_sums(c, y, values, place->sums);
    for (int k = 0; k < t->launches && status == 0; k++) {
        const bool   timed = tile % TIMED == 0;
        const double begin = timed ? cairn_seconds() : 0;

        if (c->run[k]) status = add(c, k, tile, first, end, place->sums);
        if (timed) place->seconds[k] += cairn_seconds() - begin;
    }
#pragma omp simd
    for (int64_t v = 0; v < values; v++)
        y[v] = (float)place->sums[v];
    return status;
}

/// The tiles of a thread, or of a piece: a task of a team.
static int64_t compute_tiles(void *user, int number)
{
    const call      *c      = user;
    const cpu_tiles *t      = c->tiles;
    int64_t          status = 0;
    int              p      = 0;

    while (atomic_flag_test_and_set(&t->place[p].taken)) /* one is free */
        p = (p + 1) % t->threads;
    for (int64_t k = c->begin[number]; k < c->begin[number + 1] && status == 0; k++)
        status = compute_tile(c, k, &t->place[p]);
    atomic_flag_clear(&t->place[p].taken);
    return status;
}

/// Sum the whole cuts of long rows, which rows add up. @return 0, or why it failed.
static int64_t sum_cuts(const call *c)
{
    int64_t status = 0;

    for (int k = 0; k < c->tiles->launches && status == 0; k++) {
        cairn_product_args args = c->args[k];

        args.shares = 0;
        if (c->run[k] && args.cuts > 0) status = c->run[k](part_of(c->tiles, k), &args);
    }
    return status;
}

static int64_t run_by_shares(call *c)
{
    const int threads = c->tiles->threads;
    int64_t   status  = 0;

    c->begin = c->tiles->share;
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1) \
    reduction(|                                                                    \
              : status)
    for (int k = 0; k < threads; k++)
        status |= compute_tiles(c, k);
    return status;
}

static int64_t run_by_pieces(call *c)
{
    const cpu_tiles            *t   = c->tiles;
    const cairn_thread_team_job job = {compute_tiles, c};
    int64_t                     status;

    c->begin = t->piece;
    return cairn_thread_team_run(&t->env->thread_team, t->threads, &job, t->pieces,
                                 &status)
               ? status
               : run_by_shares(c); /* the threads are another run's */
}

/// How the threads of this run share it, as for one product (company.h).
static bool wants_pieces(const cpu_tiles *t)
{
    const int64_t way = t->env->options.team;

    return t->pieces > 0
           && (way == CAIRN_TEAM_AUTO ? cairn_company_wants_pieces(&t->company)
                                      : way == CAIRN_TEAM_PIECES);
}

/// Of a run that took @p seconds each launch has its part of the tiles that were timed.
static void share_out_time(const cpu_tiles *t, double seconds, double *launch)
{
    double all = 0;

    for (int k = 0; k < t->launches; k++) {
        launch[k] = 0;
        for (int p = 0; p < t->threads; p++)
            launch[k] += t->place[p].seconds[k];
        all += launch[k];
    }
    for (int k = 0; k < t->launches; k++)
        launch[k] *= all > 0 ? seconds / all : 0;
}

static cairn_status run(cairn_tiles *tiles, const void *x, float *y)
{
    cpu_tiles   *t     = tiles->state;
    const double begin = cairn_seconds();
    call         c     = {.tiles = t,
                          .y     = y,
                          .beta  = product_of(t, 0)->work.op->beta,
                          .sets  = t->launch[0]->sets && has_values(t, 0)};

    for (int k = 0; k < t->launches; k++) {
        const cairn_cpu_product *p = product_of(t, k);

        c.args[k]           = cairn_work_arguments(&p->work, x, NULL);
        c.args[k].y_aligned = 0; /* sums are to stay in the caches */
        if (!has_values(t, k)) continue;
        c.run[k] = (cairn_product_fn)p->kernel.run;
        cairn_work_partition_use(&p->partition[0], &c.args[k]);
    }
    for (int p = 0; p < t->threads; p++)
        memset(t->place[p].seconds, 0, sizeof t->place[p].seconds);
    int64_t status = sum_cuts(&c);

    if (status == 0) status = wants_pieces(t) ? run_by_pieces(&c) : run_by_shares(&c);
    const double seconds = cairn_seconds() - begin;

    if (t->pieces > 0 && t->env->options.team == CAIRN_TEAM_AUTO)
        cairn_company_note(&t->company, seconds);
    share_out_time(t, seconds, tiles->seconds);
    if (status == 0) return CAIRN_OK;
    snprintf(tiles->message, sizeof tiles->message, "memory: a kernel: out of memory");
    return CAIRN_NO_MEMORY;
}

/* ---- tiles ---- */

static int64_t columns_of(const cpu_tiles *t)
{
    return product_of(t, 0)->work.op->columns;
}

/// Rows at whose multiples all launches can be cut; 0: there are none.
static int64_t grain_of(const cpu_tiles *t)
{
    int64_t grain = 1;

    for (int k = 0; k < t->launches; k++) {
        const cairn_cpu_product *p     = product_of(t, k);
        const cairn_group       *group = cairn_work_group(&p->work);
        const int64_t            own = cairn_share_row_grain(&p->share, group->layout);

        if (own <= 0 || group->count > 1
            || __builtin_mul_overflow(grain / cairn_gcd(grain, own), own, &grain))
            return 0;
    }
    return grain;
}

/// Rows of a tile: a multiple of the grain.
static int64_t tile_rows_of(const cpu_tiles *t, int64_t grain)
{
    const int64_t usual = USUAL_VALUES / columns_of(t);
    const int64_t even  = t->rows / ((int64_t)t->threads * FEWEST_TILES);
    const int64_t rows  = t->threads > 1 && even < usual ? even : usual;

    return rows < grain ? grain : rows / grain * grain;
}

static cairn_status find_positions(cpu_tiles *t)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(t->env, t->launches * (t->tiles + 1), &t->at));
    for (int k = 0; k < t->launches; k++) {
        const cairn_cpu_product *p  = product_of(t, k);
        const int64_t            lo = p->work.tensor->box[0].lo;
        int64_t *const           at = t->at + k * (t->tiles + 1);

        for (int64_t i = 0; i <= t->tiles && has_values(t, k); i++) {
            const int64_t row = i < t->tiles ? i * t->tile_rows : t->rows;

            at[i] = cairn_share_row_position(
                &p->share, cairn_work_group(&p->work)->layout, part_of(t, k), lo + row);
        }
    }
    return CAIRN_OK;
}

/// What launches do before tile @p tile, in values that they read.
static double work_before(const cpu_tiles *t, int64_t tile)
{
    double work = 0;

    for (int k = 0; k < t->launches; k++) {
        const int64_t *const at = t->at + k * (t->tiles + 1);

        if (has_values(t, k))
            work += cairn_share_values_before(&product_of(t, k)->share, part_of(t, k),
                                              at[tile], at[t->tiles]);
    }
    return work;
}

/// Deal the tiles out to @p shares, which get consecutive ones.
static cairn_status deal(const cpu_tiles *t, int shares, int64_t **share)
{
    const double all = work_before(t, t->tiles);

    CAIRN_TRY(CAIRN_NEW_ZERO(t->env, shares + 1, share));
    for (int k = 1; k <= shares; k++) {
        int64_t lo = (*share)[k - 1], hi = t->tiles;

        while (lo < hi && k < shares) {
            const int64_t mid = lo + (hi - lo) / 2;

            if (work_before(t, mid) < all * k / shares)
                lo = mid + 1;
            else
                hi = mid;
        }
        (*share)[k] = hi;
    }
    return CAIRN_OK;
}

/// As many threads as some launch has work for, and pieces where its threads can take them
/// over from each other.
static void choose_threads(cpu_tiles *t)
{
    bool team = false;

    t->threads = 1;
    for (int k = 0; k < t->launches; k++) {
        const cairn_cpu_product *p = product_of(t, k);

        team |= p->threads > 1;
        if (has_values(t, k) && p->partition[0].shares > t->threads)
            t->threads = (int)p->partition[0].shares;
    }
    t->pieces = team && t->threads > 1 ? PIECES * t->threads : 0;
}

/// A workplace for each thread.
static cairn_status make_places(cpu_tiles *t)
{
    const int64_t values = t->tile_rows * columns_of(t);

    CAIRN_TRY(CAIRN_NEW_ZERO(t->env, t->threads, &t->place));
    CAIRN_TRY(CAIRN_NEW(t->env, t->threads * values, &t->sums));
    for (int p = 0; p < t->threads; p++)
        t->place[p].sums = t->sums + p * values;
    return CAIRN_OK;
}

static void discard(cpu_tiles *t)
{
    cairn_free(t->env, t->at);
    cairn_free(t->env, t->share);
    cairn_free(t->env, t->piece);
    cairn_free(t->env, t->place);
    cairn_free(t->env, t->sums);
    cairn_free(t->env, t);
}

static void release(cairn_tiles *tiles)
{
    discard(tiles->state);
    *tiles = (cairn_tiles){0};
}

static cairn_status make(cpu_tiles *t)
{
    const int64_t grain = grain_of(t);

    CAIRN_CHECK(grain > 0 && grain <= CAIRN_TILE_VALUES / columns_of(t), t->env,
                CAIRN_UNSUPPORTED, "product: its rows cannot be cut into tiles");
    choose_threads(t);
    t->rows      = cairn_work_rows_out(&product_of(t, 0)->work);
    t->tile_rows = tile_rows_of(t, grain);
    t->tiles     = (t->rows + t->tile_rows - 1) / t->tile_rows;
    CAIRN_TRY(find_positions(t));
    CAIRN_TRY(make_places(t));
    CAIRN_TRY(deal(t, t->threads, &t->share));
    return t->pieces > 0 ? deal(t, t->pieces, &t->piece) : CAIRN_OK;
}

cairn_status cairn_cpu_tile(cairn_device        *device,
                            cairn_launch *const *launch,
                            int                  launches,
                            cairn_tiles         *tiles)
{
    cpu_tiles   *t = NULL;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &t));
    t->env      = device->env;
    t->launches = launches;
    for (int k = 0; k < launches; k++)
        t->launch[k] = launch[k];
    status = make(t);
    if (status != CAIRN_OK) {
        discard(t);
        return status;
    }
    *tiles = (cairn_tiles){.device   = device,
                           .launches = launches,
                           .rows     = t->tile_rows,
                           .run      = run,
                           .release  = release,
                           .state    = t};
    return CAIRN_OK;
}
