// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Padding of numbered rows: behind a row's entries stand the columns that it lacks, in
/// order, as far as there are any, with values of 0.

#include "convert/compiled_rank.h"

/// A row of indices of @p bits.
#define DEFINE_PAD(bits)                                                               \
    static void pad_##bits(const cairn_padded_row *r)                                  \
    {                                                                                  \
        uint##bits##_t *const idx = (uint##bits##_t *)r->idx;                          \
        int64_t               met = 0, col = r->col;                                   \
                                                                                       \
        for (int64_t s = r->count; s < r->slots; s++) {                                \
            while (met < r->count && idx[met * r->stride] == (uint##bits##_t)col)      \
                met++, col++;                                                          \
            idx[s * r->stride] = (uint##bits##_t)(col <= r->col_hi ? col++ : r->hole); \
        }                                                                              \
    }

DEFINE_PAD(8)
DEFINE_PAD(16)
DEFINE_PAD(32)
DEFINE_PAD(64)

void cairn_rank_pad_row(const cairn_padded_row *r, int idx_bits)
{
    switch (idx_bits) {
    case 8: pad_8(r); break;
    case 16: pad_16(r); break;
    case 32: pad_32(r); break;
    default: pad_64(r); break;
    }
    for (int64_t s = r->count; s < r->slots && r->val_bits == 64; s++)
        ((double *)r->val)[s * r->stride] = 0;
    for (int64_t s = r->count; s < r->slots && r->val_bits == 32; s++)
        ((float *)r->val)[s * r->stride] = 0;
}

/// Row-major combination number @p k of the complete levels in [begin, end).
static void
decode(const cairn_layout *layout, int begin, int end, int64_t k, int64_t *e)
{
    for (int l = end - 1; l >= begin; l--) {
        e[l] = layout->level[l].range.lo + k % layout->level[l].size;
        k /= layout->level[l].size;
    }
}

/// What all rows of a part have in common.
typedef struct {
    const cairn_member_build *m;
    const cairn_kernel_part  *view;
    const uint32_t           *counts;
    int64_t                   lanes; ///< Rows of a group.
} padding;

static int64_t load_ptr(const cairn_kernel_level *level, int64_t k)
{
    return cairn_load_int(level->ptr, k, level->ptr_bits / 8, level->ptr_bits, false);
}

/// The next combination of the complete levels in [begin, end), the last fastest.
static void advance(const cairn_layout *layout, int begin, int end, int64_t *e)
{
    for (int l = end - 1; l >= begin; l--) {
        if (e[l]++ < layout->level[l].range.hi) return;
        e[l] = layout->level[l].range.lo;
    }
}

/// Rows of group @p group, lanes begin..end-1: where they lie and which they are.
static void pad_lanes(const padding *p, int64_t group, int64_t begin, int64_t end)
{
    const cairn_layout       *layout = p->m->layout;
    const int                 E = layout->last, last = layout->levels - 1;
    const cairn_kernel_level *slot = &p->view->level[E], *idx = &p->view->level[last];
    const cairn_interval      rows = layout->box[p->m->rank.row];
    const int64_t             node = E ? load_ptr(slot, group) : 0;
    const int64_t             col  = layout->box[p->m->rank.col].lo;
    const int        idx_bytes = idx->idx_bits / 8, val_bytes = p->view->val_bits / 8;
    int64_t          e[CAIRN_MAX_LEVELS], i;
    cairn_padded_row r = {
        .idx      = (char *)idx->idx + (node * p->lanes + begin) * idx_bytes,
        .val      = (char *)p->view->val + (node * p->lanes + begin) * val_bytes,
        .stride   = p->lanes,
        .slots    = (E ? load_ptr(slot, group + 1) : slot->nodes) - node,
        .hole     = idx->hole,
        .col      = col,
        .val_bits = p->view->val_bits};

    decode(layout, 0, E, group, e);
    decode(layout, E + 1, last, begin, e);
    for (int64_t lane = begin; lane < end; lane++) {
        /* A row that hangs over has holes alone. */
        const bool is_row = cairn_linear_value(&layout->dim[p->m->rank.row], e, &i)
                            && i >= rows.lo && i <= rows.hi;

        r.count  = is_row ? p->counts[i - rows.lo] : 0;
        r.col_hi = is_row ? layout->box[p->m->rank.col].hi : col - 1;
        cairn_rank_pad_row(&r, idx->idx_bits);
        r.idx += idx_bytes;
        r.val += val_bytes;
        advance(layout, E + 1, last, e);
    }
}

void cairn_rank_pad(const cairn_member_build *m,
                    const uint32_t           *counts,
                    int                       threads,
                    cairn_part               *part)
{
    const cairn_layout *layout = m->layout;
    const int           E = layout->last, last = layout->levels - 1;
    padding             p      = {m, &part->view, counts, 1};
    int64_t             groups = 1;

    if (part->view.values == 0) return; /* levels may have no index */
    for (int l = E + 1; l < last; l++)
        p.lanes *= layout->level[l].size;
    for (int l = 0; l < E; l++)
        groups *= layout->level[l].size;
    if (groups == 1) {
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
        for (int t = 0; t < threads; t++)
            pad_lanes(&p, 0, p.lanes * t / threads, p.lanes * (t + 1) / threads);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int64_t group = 0; group < groups; group++)
        pad_lanes(&p, group, 0, p.lanes);
}
