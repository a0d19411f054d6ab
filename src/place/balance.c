// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Stretches of rows, and sharing them out.

#include "place/balance.h"

#include "devices/place.h"
#include "tensor/walk.h"

#include <assert.h>
#include <math.h>

/// A walk that looks at columns.
typedef struct {
    cairn_row_stretches *stretches;
    cairn_coord          first;
    unsigned char       *of; ///< [rows] The stretch of each.
} look;

static cairn_status widen(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const look *l = user;

    (void)part;
    for (int k = 0; k < batch->n; k++) {
        const int             stretch = l->of[batch->coord[0][k] - l->first];
        cairn_interval *const seen    = &l->stretches->columns[stretch];
        const cairn_coord     j       = batch->coord[1][k];

        if (j < seen->lo) seen->lo = j;
        if (j > seen->hi) seen->hi = j;
    }
    return CAIRN_OK;
}

/// Find the columns of each stretch.
static cairn_status find_columns(const cairn_row_weights *w, cairn_row_stretches *s)
{
    cairn_env    *env    = w->tensor->env;
    cairn_walker *walker = NULL;
    look          l      = {.stretches = s, .first = w->first};
    cairn_status  status;

    CAIRN_TRY(CAIRN_NEW(env, w->rows, &l.of));
    for (int k = 0; k < s->count; k++) {
        s->columns[k] = (cairn_interval){INT64_MAX, INT64_MIN};
        for (cairn_coord i = s->row[k]; i < s->row[k + 1]; i++)
            l.of[i - w->first] = (unsigned char)k;
    }
    CAIRN_GO(done,
             cairn_walker_create(env, w->tensor->group[w->member].layout, &walker));
    status = cairn_walk_member(walker, w->tensor, w->member, widen, &l);
    cairn_walker_destroy(env, &walker);

done:
    cairn_free(env, l.of);
    return status;
}

cairn_status cairn_row_stretches_find(const cairn_row_weights *weights,
                                      bool                     columns,
                                      cairn_row_stretches     *stretches)
{
    const cairn_coord   last = weights->first + weights->rows;
    cairn_row_stretches s    = {.row = {weights->first}};

    for (int k = 1; k <= CAIRN_ROW_STRETCHES; k++) {
        const cairn_coord row =
            k < CAIRN_ROW_STRETCHES
                ? cairn_row_weights_cut(weights, (double)k / CAIRN_ROW_STRETCHES)
                : last;

        if (row <= s.row[s.count]) continue;
        s.columns[s.count] = weights->tensor->box[1];
        s.row[++s.count]   = row;
        s.before[s.count]  = cairn_row_weights_part(weights, weights->first, row);
    }
    if (columns) CAIRN_TRY(find_columns(weights, &s));
    *stretches = s;
    return CAIRN_OK;
}

/// The columns of stretches that follow each other.
static cairn_interval widen_by(cairn_interval window, const cairn_interval *columns)
{
    if (columns->lo < window.lo) window.lo = columns->lo;
    if (columns->hi > window.hi) window.hi = columns->hi;
    return window;
}

static const cairn_interval no_columns = {INT64_MAX, INT64_MIN};

/// What stretches first..end-1 take, whose columns are known.
static double seconds_of(const cairn_row_stretches *s,
                         const cairn_share_costs   *costs,
                         int                        first,
                         int                        end,
                         const cairn_interval      *window)
{
    const double width =
        window->lo <= window->hi ? (double)(window->hi - window->lo + 1) : 0;

    return costs->start + costs->kernel * (s->before[end] - s->before[first])
           + costs->in * width + costs->out * (double)(s->row[end] - s->row[first]);
}

double cairn_row_stretches_seconds(const cairn_row_stretches *s,
                                   const cairn_share_costs   *costs,
                                   int                        first,
                                   int                        end)
{
    cairn_interval window = no_columns;

    if (first >= end) return 0;
    for (int k = first; k < end; k++)
        window = widen_by(window, &s->columns[k]);
    return seconds_of(s, costs, first, end, &window);
}

/// Divisions of the first stretches among the first devices.
typedef struct {
    double        seconds[CAIRN_ROW_STRETCHES + 1]; ///< Of the best, by where it ends,
    unsigned char from[CAIRN_ROW_STRETCHES + 1];    ///< whose last device begins here.
} divisions;

/// Let one more device have what follows the divisions @p before.
static void let_share(const cairn_row_stretches *s,
                      const cairn_share_costs   *costs,
                      bool                       may_rest,
                      const divisions           *before,
                      divisions                 *with)
{
    for (int end = 0; end <= s->count; end++) {
        with->seconds[end] = may_rest ? before->seconds[end] : INFINITY;
        with->from[end]    = (unsigned char)end;
    }
    for (int first = 0; first < s->count; first++) {
        cairn_interval window = no_columns;

        for (int end = first + 1; end <= s->count; end++) {
            window = widen_by(window, &s->columns[end - 1]);
            const double seconds =
                fmax(before->seconds[first], seconds_of(s, costs, first, end, &window));

            if (seconds >= with->seconds[end]) continue;
            with->seconds[end] = seconds;
            with->from[end]    = (unsigned char)first;
        }
    }
}

double cairn_row_stretches_balance(const cairn_row_stretches *s,
                                   const cairn_share_costs   *costs,
                                   int                        devices,
                                   bool                       each,
                                   int                       *end)
{
    divisions        with[CAIRN_MAX_SHARES + 1];
    const divisions *all      = &with[devices];
    const bool       may_rest = !each || s->count < devices;

    assert(devices >= 1 && devices <= CAIRN_MAX_SHARES);
    for (int k = 0; k <= s->count; k++)
        with[0].seconds[k] = k == 0 ? 0 : INFINITY;
    for (int d = 0; d < devices; d++)
        let_share(s, &costs[d], may_rest, &with[d], &with[d + 1]);
    for (int d = devices - 1, at = s->count; d >= 0; at = with[d + 1].from[at], d--)
        end[d] = at;
    return all->seconds[s->count];
}
