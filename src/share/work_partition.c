// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A part's work divided among threads, and the cuts of its long rows.

#include "share/work_partition.h"

#include "tensor/local.h"

/* ---- Cuts ---- */

typedef struct {
    const cairn_cuts        *cuts;
    const cairn_kernel_part *part;
    int64_t                 *cut;
    int64_t                  n;
} list;

/// The whole cuts of a row whose nodes are @p begin .. @p end - 1: something of a row is
/// left behind its last one.
static void cut_row(list *l, int64_t begin, int64_t end)
{
    for (; end - begin > CAIRN_CUT; begin += CAIRN_CUT)
        l->cut[l->n++] = begin;
}

/// Does node @p p have the row of the node before?
static bool same_row(const list *l, int64_t p)
{
    for (int k = l->part->first; k <= l->part->last; k++) {
        const cairn_kernel_level *level = &l->part->level[k];

        if (!(l->cuts->same >> k & 1)) continue;
        if (cairn_load_int(level->idx, p, level->idx_stride, level->idx_bits,
                           level->idx_signed)
            != cairn_load_int(level->idx, p - 1, level->idx_stride, level->idx_bits,
                              level->idx_signed))
            return false;
    }
    return true;
}

/// The cuts of what stands under one parent.
static void cut_nodes(list *l, int64_t begin, int64_t end)
{
    int64_t row = begin;

    if (end - begin <= CAIRN_CUT) return;
    for (int64_t p = begin + 1; p < end && l->cuts->same; p++) {
        if (same_row(l, p)) continue;
        cut_row(l, row, p);
        row = p;
    }
    cut_row(l, row, end);
}

static void find_cuts(list *l)
{
    const cairn_kernel_level *level = &l->part->level[l->cuts->level];
    const int                 bytes = level->ptr_bits / 8;
    int64_t                   begin = 0;

    if (!level->ptr) {
        cut_nodes(l, 0, level->nodes);
        return;
    }
    for (int64_t q = 0; q + 1 < level->ptr_length; q++) {
        const int64_t end =
            cairn_load_int(level->ptr, q + 1, bytes, level->ptr_bits, false);

        cut_nodes(l, begin, end);
        begin = end;
    }
}

cairn_status cairn_work_partition_cut(cairn_env               *env,
                                      const cairn_cuts        *cuts,
                                      const cairn_kernel_part *part,
                                      int64_t                  columns,
                                      int64_t                  threads,
                                      cairn_work_partition    *partition)
{
    const int64_t nodes = cuts->any ? part->level[cuts->level].nodes : 0;
    list          found = {.cuts = cuts, .part = part};

    partition->cutters = 1;
    if (nodes <= CAIRN_CUT) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(env, nodes / CAIRN_CUT, &partition->cut));
    found.cut = partition->cut;
    find_cuts(&found);
    partition->cuts = found.n;
    if (found.n == 0) return CAIRN_OK;
    partition->cutters = threads < found.n ? threads : found.n;
    return CAIRN_NEW(env, (found.cut[found.n - 1] / CAIRN_CUT + 1) * columns,
                     &partition->partial);
}

/* ---- The whole ---- */

static cairn_status fill(cairn_env               *env,
                         const cairn_share       *share,
                         const cairn_kernel_part *part,
                         int64_t                  rows,
                         int64_t                  threads,
                         cairn_work_partition    *d)
{
    const int64_t fields = share->kind == CAIRN_SHARE_SCATTER ? CAIRN_SHARE_FIELDS : 1;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, threads * fields + 1, &d->share));
    if (share->kind == CAIRN_SHARE_SCATTER)
        return cairn_work_partition_scatter(env, share, part, threads, d);
    d->shares = cairn_share_fill_beside(share, part, rows, (int)threads, d->cut,
                                        d->cuts, d->share);
    return CAIRN_OK;
}

cairn_status cairn_work_partition_make(cairn_env               *env,
                                       const cairn_share       *share,
                                       const cairn_kernel_part *part,
                                       int64_t                  rows,
                                       int64_t                  columns,
                                       int64_t                  threads,
                                       cairn_work_partition    *partition)
{
    cairn_work_partition fresh = {.shares = 1};
    cairn_status         status =
        cairn_work_partition_cut(env, &share->cuts, part, columns, threads, &fresh);

    if (status == CAIRN_OK) status = fill(env, share, part, rows, threads, &fresh);
    if (status == CAIRN_OK)
        *partition = fresh;
    else
        cairn_work_partition_fini(env, &fresh);
    return status;
}

void cairn_work_partition_fini(cairn_env *env, cairn_work_partition *partition)
{
    cairn_free(env, partition->share);
    cairn_free(env, partition->cut);
    cairn_free(env, partition->partial);
    cairn_free(env, partition->own);
    cairn_free(env, partition->step);
    cairn_free(env, partition->alike);
    *partition = (cairn_work_partition){0};
}

void cairn_work_partition_use(const cairn_work_partition *partition,
                              cairn_product_args         *args)
{
    args->share   = partition->share;
    args->shares  = partition->shares;
    args->cut     = partition->cut;
    args->cuts    = partition->cuts;
    args->cutters = partition->cutters;
    args->partial = partition->partial;
    args->first   = partition->first;
    args->last    = partition->last;
    args->step    = partition->step;
    args->alike   = partition->alike;
    args->steps   = partition->steps;
}
