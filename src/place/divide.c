// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Weights of rows, and cuts between them.

#include "place/divide.h"

#include "rows/row_share.h"
#include "tensor/walk.h"

#include <math.h>

static cairn_status
count_batch(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const cairn_row_weights *w = user;

    (void)part;
    for (int k = 0; k < batch->n; k++)
        w->before[batch->coord[0][k] - w->first + 1]++;
    return CAIRN_OK;
}

static cairn_status walk(cairn_row_weights *w)
{
    const cairn_layout *layout = w->tensor->group[w->member].layout;
    cairn_env          *env    = w->tensor->env;
    cairn_walker       *walker = NULL;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, w->rows + 1, &w->before));
    CAIRN_TRY(cairn_walker_create(env, layout, &walker));
    const cairn_status status =
        cairn_walk_member(walker, w->tensor, w->member, count_batch, w);

    cairn_walker_destroy(env, &walker);
    for (int64_t r = 0; r < w->rows; r++)
        w->before[r + 1] += w->before[r];
    return status;
}

static int64_t positions_before(const cairn_row_weights *w, cairn_coord row)
{
    return w->before ? w->before[row - w->first]
                     : cairn_row_positions_before(w->tensor, w->member, row);
}

static double weight_before(const cairn_row_weights *w, cairn_coord row)
{
    const bool none = positions_before(w, w->first + w->rows) == 0;

    return (double)(none ? row - w->first : positions_before(w, row));
}

cairn_status cairn_row_weights_init(const cairn_local *tensor,
                                    int                member,
                                    cairn_row_weights *weights)
{
    const cairn_encoding *encoding = tensor->group[member].layout->encoding;
    cairn_row_weights     w        = {.tensor = tensor,
                                      .member = member,
                                      .first  = tensor->box[0].lo,
                                      .rows   = tensor->box[0].hi - tensor->box[0].lo + 1,
                                      .grain  = cairn_encoding_grain(encoding)};
    const cairn_status    status =
        cairn_row_positions_known(tensor, member) ? CAIRN_OK : walk(&w);

    if (status == CAIRN_OK)
        *weights = w;
    else
        cairn_row_weights_fini(&w);
    return status;
}

void cairn_row_weights_fini(cairn_row_weights *weights)
{
    if (weights->tensor) cairn_free(weights->tensor->env, weights->before);
    *weights = (cairn_row_weights){0};
}

static double weight_of_all(const cairn_row_weights *w)
{
    return weight_before(w, w->first + w->rows);
}

double cairn_row_weights_part(const cairn_row_weights *weights,
                              cairn_coord              first,
                              cairn_coord              end)
{
    const double all = weight_of_all(weights);

    if (all == 0) return 0;
    return (weight_before(weights, end) - weight_before(weights, first)) / all;
}

cairn_coord cairn_row_weights_floor(const cairn_row_weights *weights, cairn_coord row)
{
    const cairn_coord whole = row / weights->grain * weights->grain;

    return whole > weights->first ? whole : weights->first;
}

/// The first row before which at least @p weight lies.
static cairn_coord first_row(const cairn_row_weights *w, double weight)
{
    int64_t lo = 0, hi = w->rows;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (weight_before(w, w->first + mid) < weight)
            lo = mid + 1;
        else
            hi = mid;
    }
    return w->first + lo;
}

cairn_coord cairn_row_weights_cut(const cairn_row_weights *weights, double part)
{
    const cairn_coord end    = weights->first + weights->rows;
    const double      weight = part * weight_of_all(weights);
    const cairn_coord row    = first_row(weights, weight);
    const cairn_coord below =
        cairn_row_weights_floor(weights, row > weights->first ? row - 1 : row);
    const cairn_coord next  = (below / weights->grain + 1) * weights->grain;
    const cairn_coord above = next < end ? next : end;

    return weight - weight_before(weights, below)
                   < weight_before(weights, above) - weight
               ? below
               : above;
}
