// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A matrix's rows, cut at random for ranks that are threads.

#ifndef CAIRN_TESTS_QUERY_RANKS_H
#define CAIRN_TESTS_QUERY_RANKS_H

#include "query_fixture.h"
#include "query_net.h"
#include "query_random.h"

/// Rank r is to own rows cut[r] .. cut[r+1]-1; some own none.
static inline void draw_cuts(drawer *w, cairn_coord rows, int size, cairn_coord *cut)
{
    cut[0] = 0;
    for (int r = 1; r < size; r++)
        cut[r] =
            cut[r - 1] + draw(w, (uint32_t)(rows - cut[r - 1]) / (draw(w, 2) + 1) + 1);
    cut[size] = rows;
}

/// The entries of rows begin .. end-1, and the box of these rows.
static inline void take_rows(const cairn_entries *all,
                             const cairn_shape   *shape,
                             cairn_coord          begin,
                             cairn_coord          end,
                             cairn_interval      *box,
                             cairn_entries       *own)
{
    for (int k = 0; k < shape->order; k++)
        box[k] = (cairn_interval){0, shape->extent[k] - 1};
    box[0] = (cairn_interval){begin, end - 1};
    cairn_entries_init(own, shape->order);
    for (cairn_pos p = 0; p < all->n; p++) {
        cairn_coord d[3];

        for (int k = 0; k < shape->order; k++)
            d[k] = all->coord[k][p];
        if (d[0] >= begin && d[0] < end)
            cr_assert_eq(cairn_entries_add(&env, own, d, all->value[p]), CAIRN_OK);
    }
}

#endif
