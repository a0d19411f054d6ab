// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Pieces of a part: where they begin, and a kernel's call for each.

#include "devices/cpu/pieces.h"

/* A piece of 4,000 entries takes some microseconds, a hundred times what taking it costs;
   with fewer than 4 a late thread keeps much, with more than 8 nothing is gained. */
enum { FEWEST = 4, MOST = 8, ENTRIES = 4000 };

static int pieces_of_each(const cairn_kernel_part *part, int64_t threads)
{
    const int64_t pieces = part->values / threads / ENTRIES;

    return pieces < FEWEST ? FEWEST : pieces > MOST ? MOST : (int)pieces;
}

cairn_status cairn_cpu_pieces_make(cairn_env                  *env,
                                   const cairn_share          *share,
                                   const cairn_kernel_part    *part,
                                   int64_t                     rows,
                                   const cairn_work_partition *partition,
                                   cairn_cpu_pieces           *pieces)
{
    const int64_t    threads = partition->shares;
    const int        most    = (int)threads * pieces_of_each(part, threads);
    cairn_cpu_pieces fresh   = {.pieces = 0};

    *pieces = fresh;
    if (threads < 2 || threads > CAIRN_THREAD_TEAM_MOST || part->values == 0
        || share->kind == CAIRN_SHARE_NONE || share->kind == CAIRN_SHARE_SCATTER)
        return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, most + 1, &fresh.begin));
    fresh.pieces = (int)cairn_share_fill_beside(share, part, rows, most, partition->cut,
                                                partition->cuts, fresh.begin);
    *pieces      = fresh;
    return CAIRN_OK;
}

void cairn_cpu_pieces_fini(cairn_env *env, cairn_cpu_pieces *pieces)
{
    cairn_free(env, pieces->begin);
    *pieces = (cairn_cpu_pieces){0};
}

/// What all pieces are called with.
typedef struct {
    cairn_product_fn          run;
    const cairn_kernel_part  *part;
    const cairn_product_args *args;
    const int64_t            *begin;
    int64_t                   pieces;
} call;

/// Some whole cuts of long rows.
static int64_t sum_cuts(void *user, int piece)
{
    const call        *c    = user;
    cairn_product_args args = *c->args;
    const int64_t      from = args.cuts * piece / c->pieces;
    const int64_t      to   = args.cuts * (piece + 1) / c->pieces;

    args.cut += from;
    args.cuts    = to - from;
    args.cutters = 1;
    args.shares  = 0;
    return c->run(c->part, &args);
}

/// Some rows, after all cuts.
static int64_t sum_rows(void *user, int piece)
{
    const call        *c    = user;
    cairn_product_args args = *c->args;

    args.share  = c->begin + piece;
    args.shares = 1;
    if (args.y_sum) args.y_sum += piece; /* leaves of all pieces are each their own */
    args.cutters = 0;
    return c->run(c->part, &args);
}

bool cairn_cpu_pieces_run(const cairn_cpu_pieces   *pieces,
                          cairn_thread_team        *team,
                          int                       threads,
                          cairn_product_fn          run,
                          const cairn_kernel_part  *part,
                          const cairn_product_args *args,
                          int64_t                  *status)
{
    call c = {run, part, args, pieces->begin, pieces->pieces};

    *status = 0;
    if (args->cuts > 0) {
        const cairn_thread_team_job cuts = {sum_cuts, &c};

        if (args->cuts < c.pieces) c.pieces = args->cuts;
        if (!cairn_thread_team_run(team, threads, &cuts, (int)c.pieces, status))
            return false;
        if (*status != 0) return true;
    }
    const cairn_thread_team_job rows = {sum_rows, &c};

    /* Cuts may be summed again: nothing was added to Y. */
    return cairn_thread_team_run(team, threads, &rows, pieces->pieces, status);
}
