// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The check of a product: the same sums over a source's entries, in long double, by
/// nothing that the product uses. Rows of a transposed product are sums of partial sums
/// of all ranks, which are sent to the row's owner.

#include "api/door.h"
#include "api/plans/permuted.h"
#include "plan/callers.h"

#include <math.h>
#include <string.h>

/// Row sums of one column of X: r the sum, s the sum of sizes.
typedef struct {
    long double r, s;
} row_sum;

/// What is compared, and the errors so far.
typedef struct {
    const cairn_plan    *plan;
    const cairn_entries *entries;
    double               rel, abs;
    cairn_coord         *column; ///< [columns] That entries meet, ascending,
    char                *x;      ///< and these rows of X, fetched; NULL: they are here.
    int64_t              columns;
} check;

/// Errors of one row.
static void compare_row(check *c, double y, row_sum sum)
{
    const long double alpha = c->plan->replay->common.operands->op.alpha;
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
static double value_at(const cairn_plan *plan, const void *values, int64_t k)
{
    return plan->tensor->dtype == CAIRN_F32 ? (double)((const float *)values)[k]
                                            : ((const double *)values)[k];
}

/// The term of entry @p k that meets value x.
static row_sum term(const check *c, cairn_pos k, double x)
{
    const double      a   = c->entries->value[k];
    const bool        f32 = c->plan->tensor->dtype == CAIRN_F32;
    const long double t   = (long double)(f32 ? (double)(float)a : a) * x;

    return (row_sum){t, fabsl(t)};
}

/// The row of X that column @p j of the source meets.
static const void *row_of_x(const check *c, cairn_coord j)
{
    const cairn_operands *o   = c->plan->replay->common.operands;
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
    const cairn_operands *o       = c->plan->replay->common.operands;
    const cairn_entries  *e       = c->entries;
    const int64_t         columns = o->op.columns;
    int64_t               first, end;
    cairn_pos             n = 0;

    cairn_plan_rows(c->plan, &first, &end);
    for (int64_t i = first; i < end; i++) {
        row_sum sum = {0, 0};

        for (; n < e->n && e->coord[0][n] == i; n++) {
            const row_sum t =
                term(c, n, value_at(c->plan, row_of_x(c, e->coord[1][n]), k));

            sum.r += t.r;
            sum.s += t.s;
        }
        compare_row(
            c, value_at(c->plan, cairn_plan_own_y(c->plan), (i - first) * columns + k),
            sum);
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
    const cairn_operands *o       = c->plan->replay->common.operands;
    const cairn_entries  *e       = c->entries;
    const int64_t         columns = o->op.columns;
    int64_t               first, end, n = 0;

    cairn_plan_columns(c->plan, &first, &end);
    memset(w->counts, 0, 2 * (size_t)o->comm->size * sizeof *w->counts);
    for (cairn_pos p = 0; p < e->n; p++) {
        const cairn_pos at = w->order[p];
        const int64_t   j  = e->coord[1][at];
        const row_sum   t  = term(c, at,
                                  value_at(c->plan, cairn_plan_own_x(c->plan),
                                           (e->coord[0][at] - first) * columns + k));

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
    const cairn_operands *o        = c->plan->replay->common.operands;
    cairn_comm           *comm     = o->comm;
    int64_t              *received = w->counts + comm->size;
    int64_t               first, end, n = 0;
    partial              *theirs = NULL;

    cairn_plan_rows(c->plan, &first, &end);
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
        compare_row(c,
                    value_at(c->plan, cairn_plan_own_y(c->plan), i * o->op.columns + k),
                    w->sum[i]);
    return CAIRN_OK;
}

static cairn_status prepare_transposed(const check *c, transposed *w)
{
    cairn_comm    *comm   = c->plan->replay->common.comm;
    const int64_t *key[1] = {c->entries->coord[1]};
    int64_t        first, end;

    cairn_plan_rows(c->plan, &first, &end);
    CAIRN_TRY(CAIRN_NEW(comm->env, c->entries->n, &w->order));
    CAIRN_TRY(CAIRN_NEW(comm->env, c->entries->n, &w->partial));
    CAIRN_TRY(CAIRN_NEW(comm->env, 2 * comm->size, &w->counts));
    CAIRN_TRY(CAIRN_NEW(comm->env, end - first, &w->sum));
    return cairn_sort_order(comm->env, c->entries->n, 1, key, w->order);
}

/// Unless some rank has failed (@p mine).
static cairn_status compare_all_transposed(check *c, cairn_status mine)
{
    cairn_comm  *comm = c->plan->replay->common.comm;
    transposed   w    = {0};
    cairn_status status =
        cairn_comm_agree(comm, mine == CAIRN_OK ? prepare_transposed(c, &w) : mine);

    for (int64_t k = 0; k < c->plan->replay->common.operands->op.columns; k++)
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
    const cairn_operands *o     = c->plan->replay->common.operands;
    const cairn_entries  *e     = c->entries;
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
    const cairn_operands *o = c->plan->replay->common.operands;

    if (!c->plan->tensor->places || o->op.transposed) return mine;
    CAIRN_TRY(cairn_comm_agree(o->comm, mine == CAIRN_OK ? list_columns(c) : mine));
    return cairn_rows_fetch(o->comm, &o->x_rows,
                            (size_t)o->op.columns * (size_t)o->value_bits / 8,
                            cairn_plan_own_x(c->plan), c->columns, c->column, c->x);
}

static cairn_status compare(check *c, cairn_status mine)
{
    mine = fetch_x(c, mine);
    if (c->plan->replay->common.operands->op.transposed)
        return compare_all_transposed(c, mine);
    if (mine != CAIRN_OK) return mine; /* which others learn when they are done */
    for (int64_t k = 0; k < c->plan->replay->common.operands->op.columns; k++)
        compare_column(c, k);
    return CAIRN_OK;
}

static bool same_rows(const cairn_rows *a, const cairn_rows *b)
{
    return a->size == b->size
           && memcmp(a->first, b->first, (size_t)(a->size + 1) * sizeof *a->first) == 0;
}

/// Can it be compared? Its entries are sorted then.
static cairn_status check_source(const cairn_plan *plan, const cairn_source *source)
{
    cairn_env        *env   = &plan->tensor->context->env;
    const cairn_shape shape = cairn_tensor_users_shape(plan->tensor);

    CAIRN_CHECK(source->shape.order == 2 && source->shape.extent[0] == shape.extent[0]
                    && source->shape.extent[1] == shape.extent[1],
                env, CAIRN_BAD_ARGUMENT,
                "verify: source: it has other extents than the tensor");
    CAIRN_CHECK(same_rows(&source->rows, cairn_tensor_users_rows(plan->tensor)), env,
                CAIRN_BAD_ARGUMENT,
                "verify: source: it was divided anew since the tensor was made of it");
    CAIRN_CHECK(!plan->tensor->places || plan->permuted, env, CAIRN_BAD_ARGUMENT,
                "verify: plan: it is permuted, and has its vectors by places");
    CAIRN_CHECK(plan->replay->common.operands->op.beta == 0, env, CAIRN_BAD_ARGUMENT,
                "verify: beta: it is %g, and what Y held before is gone",
                plan->replay->common.operands->op.beta);
    return cairn_source_sort(source);
}

cairn_status cairn_plan_verify(cairn_plan         *plan,
                               const cairn_source *source,
                               double             *rel_error,
                               double             *abs_error)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : CAIRN_CONTEXT_OF(source),
                         CAIRN_GIVEN(plan), CAIRN_GIVEN(source), CAIRN_GIVEN(rel_error),
                         CAIRN_GIVEN(abs_error));
    cairn_doing(&source->context->env, "verifying");

    cairn_context *context = plan->tensor->context;
    const double   limit   = plan->tensor->dtype == CAIRN_F32 ? 1e-5 : 1e-12;
    check          c       = {.plan = plan, .entries = &source->entries};

    cairn_operands_keep_last(plan->replay->common.operands);
    const cairn_status status   = compare(&c, check_source(plan, source));
    double             error[2] = {c.rel, c.abs};

    cairn_free(&context->env, c.column);
    cairn_free(&context->env, c.x);

    CAIRN_TRY(cairn_context_max_if(context, status, error, 2));
    *rel_error = error[0];
    *abs_error = error[1];
    CAIRN_CHECK(error[0] <= limit, &context->env, CAIRN_NOT_VERIFIED,
                "verify: the relative error is %.3g, above %.0e", error[0], limit);
    return CAIRN_OK;
}
