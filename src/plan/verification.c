// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sums of entries, row by row. Rows of a transposed product are sums of partial sums of all
/// ranks, which are sent to the row's owner.

#include "plan/verification.h"

#include "comm/renumber.h"

#include <math.h>
#include <string.h>

/// Row sums of one column of X: r the sum, s the sum of sizes.
typedef struct {
    long double r, s;
} row_sum;

/// What is compared, and the errors so far.
typedef struct {
    const cairn_verification *of;
    double                    rel, abs;
    cairn_coord              *column; ///< [columns] That entries meet, ascending,
    char                     *x; ///< and these rows of X, fetched; NULL: they are here.
    int64_t                   columns;
} check;

/// Errors of one row.
static void compare_row(check *c, double y, row_sum sum)
{
    const long double alpha = c->of->operands->op.alpha;
    const long double r = alpha * sum.r, s = fabsl(alpha) * sum.s;
    const bool        nan_y = isnan(y), nan_r = isnan((double)r);

    if (nan_y && nan_r) return;
    /* Equal infinities differ by nothing; a NaN against none differs by everything. */
    const double d = nan_y != nan_r   ? INFINITY
                     : (double)r == y ? 0
                                      : (double)fabsl((long double)y - r);
    double       q = d == 0 ? 0 : s == 0 ? INFINITY : (double)(d / s);

    if (isnan(q)) q = INFINITY; /* a NaN would get lost among the ranks' maxima */
    if (d > c->abs) c->abs = d;
    if (q > c->rel) c->rel = q;
}

/// A value as the element type has it.
static double value_at(const check *c, const void *values, int64_t k)
{
    return c->of->operands->value_bits == 32 ? (double)((const float *)values)[k]
                                             : ((const double *)values)[k];
}

/// The term of entry @p k that meets value x.
static row_sum term(const check *c, cairn_pos k, double x)
{
    const double      a   = c->of->entries->value[k];
    const bool        f32 = c->of->operands->value_bits == 32;
    const long double t   = (long double)(f32 ? (double)(float)a : a) * x;

    return (row_sum){t, fabsl(t)};
}

/// The row of X that column @p j of the source meets.
static const void *row_of_x(const check *c, cairn_coord j)
{
    const cairn_operands *o   = c->of->operands;
    int64_t               low = 0, high = c->columns - 1;

    if (!c->x) return cairn_operands_x_row(o, j);
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (c->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return c->x + (size_t)(low * o->op.columns) * (size_t)o->value_bits / 8;
}

/// Column @p k of Y = A X. Entries are sorted by row.
static void compare_column(check *c, int64_t k)
{
    const cairn_operands *o       = c->of->operands;
    const cairn_entries  *e       = c->of->entries;
    const int64_t         columns = o->op.columns;
    const int64_t         first = c->of->first_row, end = c->of->end_row;
    cairn_pos             n = 0;

    for (int64_t i = first; i < end; i++) {
        row_sum sum = {0, 0};

        for (; n < e->n && e->coord[0][n] == i; n++) {
            const row_sum t = term(c, n, value_at(c, row_of_x(c, e->coord[1][n]), k));

            sum.r += t.r;
            sum.s += t.s;
        }
        compare_row(c, value_at(c, c->of->y, (i - first) * columns + k), sum);
    }
}

/// Partial sum of a rank: its part of one row of a transposed product.
typedef struct {
    int64_t row;
    row_sum sum;
} partial;

/// Work space of a transposed product's check.
typedef struct {
    cairn_pos *order;   ///< [entries] by column of A.
    partial   *partial; ///< [entries] at most; sorted by row.
    int64_t   *counts;  ///< [2][ranks] sent and received.
    row_sum   *sum;     ///< [owned rows]
} transposed;

/// The partial sums of one column of X, by row, and how many go to each rank.
static void sum_partials(const check *c, transposed *w, int64_t k)
{
    const cairn_operands *o       = c->of->operands;
    const cairn_entries  *e       = c->of->entries;
    const int64_t         columns = o->op.columns;
    const int64_t         first   = c->of->first_column;
    int64_t               n       = 0;

    memset(w->counts, 0, 2 * (size_t)o->comm->size * sizeof *w->counts);
    for (cairn_pos p = 0; p < e->n; p++) {
        const cairn_pos at = w->order[p];
        const int64_t   j  = e->coord[1][at];
        const row_sum   t =
            term(c, at, value_at(c, c->of->x, (e->coord[0][at] - first) * columns + k));

        if (n == 0 || w->partial[n - 1].row != j) {
            memset(&w->partial[n], 0, sizeof *w->partial);
            w->partial[n++].row = j;
            w->counts[cairn_rows_owner(&o->y_rows, j)]++;
        }
        w->partial[n - 1].sum.r += t.r;
        w->partial[n - 1].sum.s += t.s;
    }
}

/// Column @p k of a transposed product. Collective.
static cairn_status compare_transposed(check *c, transposed *w, int64_t k)
{
    const cairn_operands *o        = c->of->operands;
    cairn_comm           *comm     = o->comm;
    int64_t              *received = w->counts + comm->size;
    const int64_t         first = c->of->first_row, end = c->of->end_row;
    int64_t               n      = 0;
    partial              *theirs = NULL;

    sum_partials(c, w, k);
    CAIRN_TRY(cairn_comm_exchange(comm, w->partial, w->counts, sizeof *w->partial,
                                  (void **)&theirs, received));
    for (int r = 0; r < comm->size; r++)
        n += received[r];
    for (int64_t i = 0; i < end - first; i++)
        w->sum[i] = (row_sum){0, 0};
    for (int64_t p = 0; p < n; p++) {
        w->sum[theirs[p].row - first].r += theirs[p].sum.r;
        w->sum[theirs[p].row - first].s += theirs[p].sum.s;
    }
    cairn_free(comm->env, theirs);
    for (int64_t i = 0; i < end - first; i++)
        compare_row(c, value_at(c, c->of->y, i * o->op.columns + k), w->sum[i]);
    return CAIRN_OK;
}

static cairn_status prepare_transposed(const check *c, transposed *w)
{
    cairn_comm    *comm   = c->of->operands->comm;
    const int64_t *key[1] = {c->of->entries->coord[1]};

    CAIRN_TRY(CAIRN_NEW(comm->env, c->of->entries->n, &w->order));
    CAIRN_TRY(CAIRN_NEW(comm->env, c->of->entries->n, &w->partial));
    CAIRN_TRY(CAIRN_NEW(comm->env, 2 * comm->size, &w->counts));
    CAIRN_TRY(CAIRN_NEW(comm->env, c->of->end_row - c->of->first_row, &w->sum));
    return cairn_sort_order(comm->env, c->of->entries->n, 1, key, w->order);
}

/// Unless some rank has failed (@p mine).
static cairn_status compare_all_transposed(check *c, cairn_status mine)
{
    cairn_comm  *comm = c->of->operands->comm;
    transposed   w    = {0};
    cairn_status status =
        cairn_comm_agree(comm, mine == CAIRN_OK ? prepare_transposed(c, &w) : mine);

    for (int64_t k = 0; k < c->of->operands->op.columns; k++)
        if (status == CAIRN_OK) status = compare_transposed(c, &w, k);
    cairn_free(comm->env, w.order);
    cairn_free(comm->env, w.partial);
    cairn_free(comm->env, w.counts);
    cairn_free(comm->env, w.sum);
    return status;
}

/// The columns that this rank's entries meet.
static cairn_status list_columns(check *c)
{
    const cairn_operands *o     = c->of->operands;
    const cairn_entries  *e     = c->of->entries;
    const int64_t        *key[] = {e->coord[1]};
    cairn_pos            *order = NULL;
    cairn_status          status;

    CAIRN_GO(done, CAIRN_NEW(o->comm->env, e->n, &order));
    CAIRN_GO(done, CAIRN_NEW(o->comm->env, e->n, &c->column));
    CAIRN_GO(done, cairn_sort_order(o->comm->env, e->n, 1, key, order));
    for (cairn_pos k = 0; k < e->n; k++)
        if (c->columns == 0 || c->column[c->columns - 1] != e->coord[1][order[k]])
            c->column[c->columns++] = e->coord[1][order[k]];
    status =
        cairn_alloc(o->comm->env, c->columns + 1,
                    (size_t)o->op.columns * (size_t)o->value_bits / 8, (void **)&c->x);
done:
    cairn_free(o->comm->env, order);
    return status;
}

/// What rows by places have fetched is not what the source's rows meet. Collective, unless
/// some rank has failed (@p mine).
static cairn_status fetch_x(check *c, cairn_status mine)
{
    const cairn_operands *o = c->of->operands;

    if (!c->of->by_places || o->op.transposed) return mine;
    CAIRN_TRY(cairn_comm_agree(o->comm, mine == CAIRN_OK ? list_columns(c) : mine));
    return cairn_rows_fetch(o->comm, &o->x_rows,
                            (size_t)o->op.columns * (size_t)o->value_bits / 8, c->of->x,
                            c->columns, c->column, c->x);
}

static cairn_status compare(check *c, cairn_status mine)
{
    mine = fetch_x(c, mine);
    if (c->of->operands->op.transposed) return compare_all_transposed(c, mine);
    if (mine != CAIRN_OK) return mine; /* which others learn when they are done */
    for (int64_t k = 0; k < c->of->operands->op.columns; k++)
        compare_column(c, k);
    return CAIRN_OK;
}

cairn_status cairn_verification_run(const cairn_verification *of,
                                    cairn_status              mine,
                                    double                   *rel,
                                    double                   *abs)
{
    check              c      = {.of = of};
    const cairn_status status = compare(&c, mine);

    cairn_free(of->operands->comm->env, c.column);
    cairn_free(of->operands->comm->env, c.x);
    *rel = c.rel;
    *abs = c.abs;
    return status;
}
