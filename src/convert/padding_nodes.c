// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Padding from nodes alike.

#include "convert/padding_nodes.h"

#include "base/wide.h"

enum { AT_ONCE = 1024 }; ///< Nodes whose tuples are compared level by level.

/// Which of @p n nodes from @p from on have the tuple of the one behind them?
/// @return whether none has a larger one.
CAIRN_WIDE static bool
find_alike(int last, int64_t *const *tuples, cairn_pos from, int n, uint64_t *alike)
{
    uint64_t falls = 0;

    for (int k = 0; k < n; k++)
        alike[k] = 1;
    for (int l = 0; l <= last; l++) {
        const int64_t *const its = tuples[l] + from;

        for (int k = 0; k < n; k++) {
            falls |= alike[k] & (its[k] > its[k + 1]);
            alike[k] &= its[k] == its[k + 1];
        }
    }
    return falls == 0;
}

/// Of the nodes from @p begin to @p end, which are alike, @p each indices below a node.
static void share_indices(const cairn_kernel_level *view,
                          cairn_pos                 begin,
                          cairn_pos                 end,
                          int64_t                   each)
{
    for (int64_t at = begin * each; at < (begin + 1) * each; at++) {
        const int64_t behind = at + (end - begin) * each;
        int64_t       index  = view->hole;

        for (int64_t k = at; k < behind && index == view->hole; k += each)
            index = cairn_load_int(view->idx, k, view->idx_stride, view->idx_bits,
                                   view->idx_signed);
        if (index == view->hole) continue;
        for (int64_t k = at; k < behind; k += each)
            if (cairn_load_int(view->idx, k, view->idx_stride, view->idx_bits,
                               view->idx_signed)
                == view->hole)
                cairn_store_int((void *)view->idx, k, view->idx_stride, view->idx_bits,
                                index);
    }
}

bool cairn_padding_from_nodes(cairn_env          *env,
                              const cairn_layout *layout,
                              cairn_part         *part,
                              int                 l,
                              int64_t *const     *tuples)
{
    const cairn_kernel_level *view = &part->view.level[l];
    const int                 last = layout->last;

    if (!layout->level[l].per_node || last < 0 || layout->level[last].merged)
        return true;
    const cairn_pos nodes = part->view.level[last].nodes;
    const int64_t   each  = nodes ? view->idx_length / nodes : 0;
    uint64_t        alike[AT_ONCE];

    cairn_visit(env, nodes);
    /* nothing is written where they fall */
    for (int pass = 0; pass < 2; pass++)
        for (cairn_pos at = 0, begin = 0; at + 1 < nodes; at += AT_ONCE) {
            const int n = (int)(nodes - 1 - at < AT_ONCE ? nodes - 1 - at : AT_ONCE);

            if (!find_alike(last, tuples, at, n, alike)) return false;
            for (int k = 0; pass == 1 && k < n; k++) {
                if (alike[k] && at + k + 2 < nodes) continue;
                const cairn_pos end = at + k + 1 + (cairn_pos)alike[k];

                if (end - begin > 1) {
                    share_indices(view, begin, end, each);
                    cairn_visit(env, 2 * (end - begin) * each);
                }
                begin = end;
            }
        }
    return true;
}
