// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sums of columns.

#include "guard/column_sums.h"

#include "base/mix.h"
#include "tensor/visit_values.h"

#include <math.h>
#include <string.h>

enum { STRETCH = CAIRN_GUARD_STRETCH, BLOCK = CAIRN_GUARD_BLOCK };

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

/* Where different blocks have more sums than one for so many columns, all sums are kept in
   order: these are read in less time. */
enum { DENSE = 2 };

/// Blocks that were listed before, by their hash.
enum { REMEMBERED = 128 };

typedef struct {
    bool     any;
    uint32_t which;
    double   w[BLOCK];
} remembered;

/// Which of the different blocks is this one, of which @p n were met?
static uint32_t recognise(remembered *known, const double *w, int64_t n)
{
    uint64_t hash = 0, bits;

    for (int c = 0; c < BLOCK; c++) {
        memcpy(&bits, &w[c], sizeof bits);
        hash = cairn_mix(hash ^ bits);
    }
    remembered *const at = &known[hash % REMEMBERED];

    if (at->any && memcmp(at->w, w, sizeof at->w) == 0) return at->which;
    at->any   = true;
    at->which = (uint32_t)n;
    memcpy(at->w, w, sizeof at->w);
    return at->which;
}

/// List blocks of the columns from @p first on, BLOCK at least; where all->at is NULL, count
/// them.
/// @return how many are different.
static int64_t
list_blocks(const cairn_guard *g, int64_t first, cairn_guard_columns *all)
{
    const int64_t n                 = all->columns;
    remembered    known[REMEMBERED] = {{.any = false}};
    int64_t       block = 0, different = 0;

    for (int64_t k = 0; k < n; k++) {
        if (sum_of_all(g, first + k) == 0) continue;
        /* The last block ends with the columns, and what others have is 0 there. */
        const int64_t at       = k + BLOCK <= n ? k : n - BLOCK;
        double        w[BLOCK] = {0};

        for (int64_t c = k - at; c < BLOCK; c++)
            w[c] = sum_of_all(g, first + at + c);
        const uint32_t which = recognise(known, w, different);

        if (all->at) {
            all->at[2 * block]     = (uint32_t)at;
            all->at[2 * block + 1] = which;
            memcpy(all->w + (int64_t)which * BLOCK, w, sizeof w);
        }
        if (which == different) different++;
        block++;
        k = at + BLOCK - 1;
    }
    all->blocks = block;
    return different;
}

/// Join the members' sums of @p columns columns from @p first on. Local.
static cairn_status join_columns(cairn_env           *env,
                                 const cairn_guard   *g,
                                 int64_t              first,
                                 int64_t              columns,
                                 cairn_guard_columns *all)
{
    const int64_t stretches = (columns + STRETCH - 1) / STRETCH,
                  sample    = cairn_guard_sample(columns);

    forget_columns(env, all);
    all->columns = columns;
    if (!cairn_guard_are_listed(g)) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, stretches * sample, &all->size));
    for (int64_t k = 0; k < columns; k++)
        if (k % STRETCH < sample)
            all->size[k / STRETCH * sample + k % STRETCH] = size_of_all(g, first + k);
    const int64_t different = columns < BLOCK ? columns : list_blocks(g, first, all);

    if (columns < BLOCK || different * BLOCK > columns / DENSE) {
        CAIRN_TRY(CAIRN_NEW(env, columns, &all->w));
        for (int64_t k = 0; k < columns; k++)
            all->w[k] = sum_of_all(g, first + k);
        return CAIRN_OK;
    }
    CAIRN_TRY(CAIRN_NEW(env, different * BLOCK, &all->w));
    CAIRN_TRY(CAIRN_NEW(env, all->blocks * 2, &all->at));
    list_blocks(g, first, all);
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
