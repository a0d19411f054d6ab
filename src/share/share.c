// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cuts for threads, by bisection over what lies before a position.

#include "share/share.h"

#include "tensor/local.h"

typedef struct {
    const cairn_share       *division;
    const cairn_kernel_part *part;
    int64_t                  positions; ///< To be divided.
    int64_t                  below;     ///< PTR: entries of ptr a position.
    const int64_t           *cut;       ///< Whole cuts that are not its work.
    int64_t                  cuts;
} divided;

static int64_t positions_of(const divided *d, int64_t rows)
{
    const cairn_kernel_level *level = &d->part->level[d->division->level];

    if (d->division->kind == CAIRN_SHARE_ROWS) return rows;
    return d->division->level >= d->part->first && d->division->level <= d->part->last
               ? level->nodes
               : level->size;
}

/// Nodes of whole cuts before node @p p.
static int64_t nodes_cut(const divided *d, int64_t p)
{
    int64_t lo = 0, hi = d->cuts;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (d->cut[mid] < p)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0) return 0;
    const int64_t last = p - d->cut[lo - 1];

    return (lo - 1) * CAIRN_CUT + (last < CAIRN_CUT ? last : CAIRN_CUT);
}

/// Work before position @p k: entries and, so that empty rows count, positions.
static int64_t work_before(const divided *d, int64_t k)
{
    const cairn_kernel_level *level;

    if (d->division->kind == CAIRN_SHARE_IDX) return k - nodes_cut(d, k);
    if (d->division->kind != CAIRN_SHARE_PTR) return k;
    level           = &d->part->level[d->division->ptr];
    const int64_t p = cairn_load_int(level->ptr, k * d->below, level->ptr_bits / 8,
                                     level->ptr_bits, false);

    return k + p - nodes_cut(d, p);
}

/// Are the nodes that cuts count those by which the part is divided?
static bool counts_cuts(const cairn_share *division)
{
    return division->kind == CAIRN_SHARE_PTR
               ? division->cuts.level == division->ptr
               : division->kind == CAIRN_SHARE_IDX
                     && division->cuts.level == division->level;
}

/// The first position, a multiple of the grain, with at least @p work before it.
static int64_t cut_at(const divided *d, int64_t work)
{
    int64_t lo = 0, hi = d->positions;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (work_before(d, mid) < work)
            lo = mid + 1;
        else
            hi = mid;
    }
    const int64_t grain = d->division->grain;

    lo = (lo + grain - 1) / grain * grain;
    return lo < d->positions ? lo : d->positions;
}

static int64_t index_at(const cairn_kernel_level *level, int64_t p)
{
    return cairn_load_int(level->idx, p, level->idx_stride, level->idx_bits,
                          level->idx_signed);
}

/// Move a cut up to where a new index begins.
static int64_t whole_index(const divided *d, int64_t p)
{
    const cairn_kernel_level *level = &d->part->level[d->division->level];

    while (p > 0 && p < d->positions && index_at(level, p) == index_at(level, p - 1))
        p++;
    return p;
}

int64_t cairn_share_fill(const cairn_share       *division,
                         const cairn_kernel_part *part,
                         int64_t                  rows,
                         int                      threads,
                         int64_t                 *share)
{
    return cairn_share_fill_beside(division, part, rows, threads, NULL, 0, share);
}

int64_t cairn_share_fill_beside(const cairn_share       *division,
                                const cairn_kernel_part *part,
                                int64_t                  rows,
                                int                      threads,
                                const int64_t           *cut,
                                int64_t                  cuts,
                                int64_t                 *share)
{
    divided d      = {.division = division, .part = part, .below = 1, .cut = cut};
    int64_t filled = 0;

    if (counts_cuts(division)) d.cuts = cuts;

    share[0] = share[1] = 0;
    if (division->kind == CAIRN_SHARE_NONE) return 1;
    d.positions = positions_of(&d, rows);
    for (int l = division->level + 1; l < division->ptr; l++)
        d.below *= part->level[l].size;
    const int64_t all = work_before(&d, d.positions) - work_before(&d, 0);

    for (int t = 1; t <= threads; t++) {
        int64_t at = t == threads
                         ? d.positions
                         : cut_at(&d, work_before(&d, 0)
                                          + (int64_t)((__int128)all * t / threads));

        if (division->kind == CAIRN_SHARE_IDX) at = whole_index(&d, at);
        if (at > share[filled]) share[++filled] = at;
    }
    return filled > 0 ? filled : 1;
}
