// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sums of columns.

#include "guard/column_sums.h"

#include "tensor/visit_values.h"

#include <math.h>

enum { LEAF = CAIRN_GUARD_LEAF, BLOCK = CAIRN_GUARD_BLOCK };

/// Sums on their way.
typedef struct {
    cairn_guard *guard;
    cairn_x_rows rows;
    long double *w;    ///< [columns] Of the member at hand,
    long double *size; ///< [columns]
    int64_t     *row;  ///< [rows] Entries, of all members.
    bool strays; ///< An index has turned: it has another row or column than can be.
} columns_summing;

static cairn_status
add_to_columns(void *user, const cairn_part *part, const cairn_batch *batch)
{
    columns_summing *s = user;

    for (int n = 0; n < batch->n; n++) {
        const double  a = cairn_value_get(&part->view, batch->value[n]);
        const int64_t i = batch->coord[0][n];
        const int64_t k = cairn_guard_place(s->guard, &s->rows, batch->coord[1][n]);

        if (!cairn_is_entry(part, a)) continue;
        if (k < 0 || i < s->guard->rows.lo || i > s->guard->rows.hi) {
            s->strays = true;
            continue;
        }
        s->row[i - s->guard->rows.lo]++;
        s->w[k] += a;
        s->size[k] += fabsl(a);
    }
    return CAIRN_OK;
}

/* Of so many columns one that is not 0 is listed at no more bytes than all take. */
enum { LISTED = 4 };

static double sum_of_all(const cairn_guard *g, int64_t k)
{
    long double w = 0;

    for (int m = 0; m < g->members; m++)
        w += g->sums[m].w[k];
    return (double)w;
}

static double size_of_all(const cairn_guard *g, int64_t k)
{
    long double size = 0;

    for (int m = 0; m < g->members; m++)
        size += g->sums[m].size[k];
    return (double)size;
}

static void forget_columns(cairn_env *env, cairn_guard_columns *all)
{
    cairn_free(env, all->w);
    cairn_free(env, all->at);
    cairn_free(env, all->size);
    *all = (cairn_guard_columns){.w = NULL};
}

/// Of columns from @p first + @p k on, before @p end, those in a row, up to a block, whose
/// sums are not 0.
static int64_t in_a_row(const cairn_guard *g, int64_t first, int64_t k, int64_t end)
{
    int64_t n = 0;

    while (n < BLOCK && k + n < end && sum_of_all(g, first + k + n) != 0)
        n++;
    return n;
}

/// List blocks and single columns that are not 0 of those from @p first on; or, where
/// all->at is NULL, count them.
static void list_columns(const cairn_guard *g, int64_t first, cairn_guard_columns *all)
{
    const int64_t blocks = all->blocks, n = all->columns;
    int64_t       block = 0, single = 0;

    for (int64_t k = 0, row; k<n; k += row> 0 ? row : 1) {
        row = in_a_row(g, first, k, n);
        if (row == BLOCK) {
            for (int64_t c = 0; all->at && c < BLOCK; c++)
                all->w[block * BLOCK + c] = sum_of_all(g, first + k + c);
            if (all->at) all->at[block] = k;
            block++;
            continue;
        }
        for (int64_t c = 0; c < row; c++, single++) {
            if (!all->at) continue;
            all->w[blocks * BLOCK + single] = sum_of_all(g, first + k + c);
            all->at[blocks + single]        = k + c;
        }
    }
    all->blocks  = block;
    all->singles = single;
}

/// Join the members' sums of @p columns columns from @p first on. Local.
static cairn_status join_columns(cairn_env           *env,
                                 const cairn_guard   *g,
                                 int64_t              first,
                                 int64_t              columns,
                                 cairn_guard_columns *all)
{
    const int64_t leaves = (columns + LEAF - 1) / LEAF,
                  sample = cairn_guard_sample(columns);

    forget_columns(env, all);
    all->columns = columns;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, leaves * sample, &all->size));
    for (int64_t k = 0; k < columns; k++)
        if (k % LEAF < sample)
            all->size[k / LEAF * sample + k % LEAF] = size_of_all(g, first + k);
    list_columns(g, first, all);
    const int64_t listed = all->blocks * BLOCK + all->singles;

    if (listed > columns / LISTED) {
        all->blocks  = 0;
        all->singles = columns;
        CAIRN_TRY(CAIRN_NEW(env, columns, &all->w));
        for (int64_t k = 0; k < columns; k++)
            all->w[k] = sum_of_all(g, first + k);
        return CAIRN_OK;
    }
    CAIRN_TRY(CAIRN_NEW(env, listed, &all->w));
    CAIRN_TRY(CAIRN_NEW(env, all->blocks + all->singles, &all->at));
    list_columns(g, first, all);
    return CAIRN_OK;
}

cairn_status cairn_guard_sum_columns(cairn_guard *g, const cairn_operands *operands)
{
    const cairn_local *local = g->local;
    cairn_env         *env   = g->comm->env;
    cairn_visits       visits;
    const int64_t      rows   = cairn_interval_size(g->rows);
    columns_summing    s      = {.guard = g, .rows = cairn_operands_x_rows(operands)};
    cairn_status       status = cairn_visits_init(&visits, local);

    if (status == CAIRN_OK) status = CAIRN_NEW(env, g->columns, &s.w);
    if (status == CAIRN_OK) status = CAIRN_NEW(env, g->columns, &s.size);
    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(env, rows, &s.row);
    for (int m = 0; m < local->groups && status == CAIRN_OK; m++) {
        for (int64_t k = 0; k < g->columns; k++)
            s.w[k] = s.size[k] = 0;
        status = cairn_walk_member(visits.walker[m], local, m, add_to_columns, &s);
        if (s.strays)
            status =
                cairn_fail(env, CAIRN_NOT_VERIFIED,
                           "guard: rank %d: member %d: its arrays are not what they "
                           "were: an entry is in a row or column that it has not",
                           g->comm->rank, m);
        for (int64_t k = 0; k < g->columns; k++) {
            g->sums[m].w[k]    = (double)s.w[k];
            g->sums[m].size[k] = (double)s.size[k];
        }
    }
    g->longest = 0;
    for (int64_t i = 0; i < rows && status == CAIRN_OK; i++)
        if (s.row[i] > g->longest) g->longest = s.row[i];
    if (status == CAIRN_OK)
        status = join_columns(env, g, 0, g->own, &g->all[CAIRN_GUARD_OWN]);
    if (status == CAIRN_OK)
        status = join_columns(env, g, g->own, g->columns - g->own,
                              &g->all[CAIRN_GUARD_GHOSTS]);
    if (status == CAIRN_OK) g->updates = local->updates; /* else summed again */
    cairn_visits_fini(&visits);
    cairn_free(env, s.w);
    cairn_free(env, s.size);
    cairn_free(env, s.row);
    return status;
}

cairn_status cairn_guard_allocate_sums(cairn_guard *guard)
{
    for (int m = 0; m < guard->members; m++) {
        CAIRN_TRY(CAIRN_NEW(guard->comm->env, guard->columns, &guard->sums[m].w));
        CAIRN_TRY(CAIRN_NEW(guard->comm->env, guard->columns, &guard->sums[m].size));
    }
    return CAIRN_OK;
}

void cairn_guard_forget_sums(cairn_guard *guard)
{
    cairn_env *env = guard->comm->env;

    for (int m = 0; m < guard->members; m++) {
        cairn_free(env, guard->sums[m].w);
        cairn_free(env, guard->sums[m].size);
    }
    for (int k = 0; k < CAIRN_GUARD_SIDES; k++)
        forget_columns(env, &guard->all[k]);
}
