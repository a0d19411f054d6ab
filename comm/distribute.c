// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Row ownership.

#include "comm/distribute.h"

#include <string.h>

void cairn_rows_fini(cairn_env *env, cairn_rows *rows)
{
    cairn_free(env, rows->first);
    *rows = (cairn_rows){0};
}

cairn_status cairn_rows_copy(cairn_env *env, const cairn_rows *rows, cairn_rows *copy)
{
    cairn_rows fresh = {.size = rows->size};

    CAIRN_TRY(CAIRN_NEW(env, rows->size + 1, &fresh.first));
    memcpy(fresh.first, rows->first, (size_t)(rows->size + 1) * sizeof *rows->first);
    *copy = fresh;
    return CAIRN_OK;
}

int cairn_rows_owner(const cairn_rows *rows, cairn_coord row)
{
    int low = 0, high = rows->size - 1;

    /* The last rank whose first row is not after `row`: empty ranks before it lose. */
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;

        if (rows->first[middle] <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/// 1 where there are too few rows to keep grains whole.
static cairn_coord
usable_grain(const cairn_comm *comm, cairn_coord extent, cairn_coord grain)
{
    return grain > 1 && (__int128)comm->size * grain <= extent ? grain : 1;
}

static cairn_coord row_of_grain(cairn_coord g, cairn_coord grain, cairn_coord extent)
{
    const __int128 row = (__int128)g * grain;

    return row < extent ? (cairn_coord)row : extent;
}

/// Every rank allocates alike, or none keeps anything.
static cairn_status create_rows(cairn_comm *comm, cairn_coord extent, cairn_rows *rows)
{
    cairn_rows         fresh  = {.size = comm->size};
    const cairn_status mine   = CAIRN_NEW_ZERO(comm->env, comm->size + 1, &fresh.first);
    const cairn_status status = cairn_comm_agree(comm, mine);

    if (status != CAIRN_OK) {
        cairn_rows_fini(comm->env, &fresh);
        return status;
    }
    fresh.first[comm->size] = extent;
    *rows                   = fresh;
    return CAIRN_OK;
}

static void cut_equally(const cairn_comm *comm, cairn_coord grain, cairn_rows *rows)
{
    const cairn_coord extent = rows->first[comm->size];

    for (int r = 1; r < comm->size; r++) {
        const cairn_coord row = (cairn_coord)((__int128)extent * r / comm->size);
        const cairn_coord g   = row / grain + (row % grain > grain / 2);

        rows->first[r] = row_of_grain(g, grain, extent);
    }
}

cairn_status cairn_rows_equal(cairn_comm *comm,
                              cairn_coord extent,
                              cairn_coord grain,
                              cairn_rows *rows)
{
    CAIRN_TRY(create_rows(comm, extent, rows));
    cut_equally(comm, usable_grain(comm, extent, grain), rows);
    return CAIRN_OK;
}

/// The search for all boundaries at once. Boundary b (0 .. cuts-1) is a number of
/// grains; `low` and `high` close in on the first one whose rows before it cost the `goal`.
/// The cost of rows is below 2^31 * (2^61 + 2^63).
typedef struct {
    const cairn_row_counts *counts; ///< Of this rank.
    cairn_coord             extent, grain;
    const cairn_row_costs  *costs; ///< NULL: an entry costs 1, and ranks are alike.
    int                     cuts;
    int64_t                 total;              ///< Entries of all ranks.
    int64_t                *low, *high, *count; ///< [cuts] each, one block.
    __int128               *goal;               ///< [cuts]
} search;

/// Entries of this rank in the rows before grain @p g.
static int64_t entries_before(const search *s, cairn_coord g)
{
    return s->counts->before(s->counts->user, row_of_grain(g, s->grain, s->extent));
}

/// Cost of the rows before grain @p g, which have @p entries on all ranks.
static __int128 cost_before(const search *s, cairn_coord g, int64_t entries)
{
    if (!s->costs) return entries;
    return (__int128)s->costs->entry * entries
           + (__int128)s->costs->row * row_of_grain(g, s->grain, s->extent);
}

static int64_t speed_of(const search *s, int rank)
{
    return s->costs ? s->costs->speed[rank] : 1;
}

/// What the rows before each boundary are to cost: of the cost of all rows the part that the
/// ranks before it have of all speeds, rounded down. The cost is divided first, so that no
/// product is beyond it or beyond the square of all speeds together (2^63 at most).
static void set_goals(const search *s)
{
    const __int128 all   = cost_before(s, INT64_MAX, s->total);
    int64_t        every = 0, before = 0;

    for (int r = 0; r <= s->cuts; r++)
        every += speed_of(s, r);
    for (int b = 0; b < s->cuts; b++) {
        before += speed_of(s, b);
        s->goal[b] = all / every * before + all % every * before / every;
    }
}

static bool closed(const search *s)
{
    for (int b = 0; b < s->cuts; b++)
        if (s->low[b] < s->high[b]) return false;
    return true;
}

/// Halve every interval; the counts are the same on all ranks, so all take one course.
static cairn_status halve(cairn_comm *comm, search *s)
{
    for (int b = 0; b < s->cuts; b++)
        s->count[b] = entries_before(s, s->low[b] + (s->high[b] - s->low[b]) / 2);
    CAIRN_TRY(comm->ops->allreduce(comm, s->count, s->cuts, CAIRN_SUM));
    for (int b = 0; b < s->cuts; b++) {
        const int64_t middle = s->low[b] + (s->high[b] - s->low[b]) / 2;

        if (s->low[b] == s->high[b]) continue;
        if (cost_before(s, middle, s->count[b]) >= s->goal[b])
            s->high[b] = middle;
        else
            s->low[b] = middle + 1;
    }
    return CAIRN_OK;
}

/// The rows before the boundary found cost enough, those before the one below too little:
/// take the nearer. Boundaries stay in order, since goals are and both choices are monotone.
static cairn_status take_nearer(cairn_comm *comm, search *s, cairn_rows *rows)
{
    int64_t *const below = s->high; /* the interval is closed: high is free */

    for (int b = 0; b < s->cuts; b++) {
        s->count[b] = entries_before(s, s->low[b]);
        below[b]    = entries_before(s, s->low[b] > 0 ? s->low[b] - 1 : 0);
    }
    CAIRN_TRY(comm->ops->allreduce(comm, s->count, s->cuts, CAIRN_SUM));
    CAIRN_TRY(comm->ops->allreduce(comm, below, s->cuts, CAIRN_SUM));
    for (int b = 0; b < s->cuts; b++) {
        const cairn_coord g     = s->low[b] - (s->low[b] > 0);
        const __int128    least = s->goal[b] - cost_before(s, g, below[b]);
        const __int128    most  = cost_before(s, s->low[b], s->count[b]) - s->goal[b];

        rows->first[b + 1] =
            row_of_grain(least < most ? g : s->low[b], s->grain, s->extent);
    }
    return CAIRN_OK;
}

static cairn_status run_search(cairn_comm *comm, search *s, cairn_rows *rows)
{
    const cairn_coord grains = s->extent / s->grain + (s->extent % s->grain != 0);

    for (int b = 0; b < s->cuts; b++) {
        s->low[b]  = 0;
        s->high[b] = grains;
    }
    while (!closed(s))
        CAIRN_TRY(halve(comm, s));
    return take_nearer(comm, s, rows);
}

/// This rank's rows in ascending order; @p copy is NULL when they are so already.
static cairn_status
ascending_rows(cairn_env *env, const cairn_entries *entries, cairn_coord **copy)
{
    const cairn_pos    n     = entries->n;
    const cairn_coord *row   = entries->coord[0];
    cairn_pos         *order = NULL, p = 1;
    cairn_coord       *fresh = NULL;
    cairn_status       status;

    while (p < n && row[p - 1] <= row[p])
        p++;
    if (p >= n) return CAIRN_OK;
    CAIRN_GO(done, CAIRN_NEW(env, n, &order));
    CAIRN_GO(done, cairn_sort_order(env, n, 1, &row, order));
    CAIRN_GO(done, CAIRN_NEW(env, n, &fresh));
    for (p = 0; p < n; p++)
        fresh[p] = row[order[p]];
    *copy = fresh;
done:
    cairn_free(env, order);
    return status;
}

static cairn_status cut_by_counts(cairn_comm             *comm,
                                  const cairn_row_counts *counts,
                                  cairn_coord             grain,
                                  const cairn_row_costs  *costs,
                                  int64_t                 total,
                                  cairn_rows             *rows)
{
    search       s      = {.counts = counts,
                           .extent = rows->first[comm->size],
                           .grain  = grain,
                           .costs  = costs,
                           .cuts   = comm->size - 1,
                           .total  = total};
    cairn_status status = CAIRN_NEW(comm->env, 3 * (int64_t)s.cuts, &s.low);

    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, s.cuts, &s.goal);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    s.high  = s.low + s.cuts;
    s.count = s.high + s.cuts;
    set_goals(&s);
    status = run_search(comm, &s, rows);
done:
    cairn_free(comm->env, s.goal);
    cairn_free(comm->env, s.low);
    return status;
}

cairn_status cairn_rows_by_counts(cairn_comm             *comm,
                                  const cairn_row_counts *counts,
                                  cairn_coord             extent,
                                  cairn_coord             grain,
                                  const cairn_row_costs  *costs,
                                  cairn_rows             *rows)
{
    const cairn_coord usable = usable_grain(comm, extent, grain);
    int64_t           total  = counts->entries;
    cairn_rows        fresh;

    CAIRN_TRY(comm->ops->allreduce(comm, &total, 1, CAIRN_SUM));
    /* Where nothing costs anything no boundary is better than another. */
    if (comm->size == 1 || (total == 0 && (!costs || costs->row == 0)))
        return cairn_rows_equal(comm, extent, grain, rows);
    CAIRN_TRY(create_rows(comm, extent, &fresh));

    const cairn_status status =
        cut_by_counts(comm, counts, usable, costs, total, &fresh);

    if (status == CAIRN_OK)
        *rows = fresh;
    else
        cairn_rows_fini(comm->env, &fresh);
    return status;
}

/// Rows of entries, ascending.
typedef struct {
    const cairn_coord *row; ///< [n]
    cairn_pos          n;
} row_list;

static int64_t before_in_list(const void *user, cairn_coord row)
{
    const row_list *list = user;
    cairn_pos       low = 0, high = list->n;

    while (low < high) {
        const cairn_pos middle = low + (high - low) / 2;

        if (list->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

cairn_status cairn_rows_by_entries(cairn_comm            *comm,
                                   const cairn_entries   *entries,
                                   cairn_coord            extent,
                                   cairn_coord            grain,
                                   const cairn_row_costs *costs,
                                   cairn_rows            *rows)
{
    row_list               list   = {.row = entries->coord[0], .n = entries->n};
    const cairn_row_counts counts = {entries->n, before_in_list, &list};
    cairn_coord           *copy   = NULL;
    cairn_status           status = CAIRN_OK;

    if (comm->size > 1) status = ascending_rows(comm->env, entries, &copy);
    if (copy) list.row = copy;
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK)
        status = cairn_rows_by_counts(comm, &counts, extent, grain, costs, rows);
    cairn_free(comm->env, copy);
    return status;
}
