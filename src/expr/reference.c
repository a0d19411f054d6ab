// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products by walking. A walk comes in batches of positions; rows longer than the cut
/// go to their partial sums, all others add straight into Y.

#include "expr/reference.h"

#include "expr/long_rows.h"
#include "tensor/walk.h"

struct cairn_reference {
    cairn_env         *env;
    const cairn_local *tensor;
    cairn_reference_op op;
    int                threads;
    cairn_long_rows    long_rows[CAIRN_MAX_MEMBERS];
    int                walkers[CAIRN_MAX_MEMBERS]; ///< One, or one for each thread,
    cairn_walker     **walker[CAIRN_MAX_MEMBERS];  ///< each restricted to its rows.
    double           **widened; ///< [threads] [columns] a row of X in f64.
};

/// One run over one member.
typedef struct {
    const cairn_reference *reference;
    cairn_long_rows       *long_rows; ///< NULL: none.
    const void            *x;
    double                *y;
    double                *widened; ///< [columns]
} pass;

/// Walk a member, every walker on a thread of its own. Banks hold disjoint rows or not:
/// each walker sees all banks, in order, and of each only its rows.
static cairn_status
walk_member(cairn_reference *r, int member, cairn_visit_fn visit, const pass *p)
{
    const int    walkers = r->walkers[member];
    cairn_status status  = CAIRN_OK;

#pragma omp parallel for schedule(static) num_threads(walkers) if (walkers > 1)
    for (int t = 0; t < walkers; t++) {
        pass mine = *p;

        mine.widened = r->widened[t];
        const cairn_status done =
            cairn_walk_member(r->walker[member][t], r->tensor, member, visit, &mine);

#pragma omp critical(cairn_reference_status)
        if (done != CAIRN_OK) status = done;
    }
    return status;
}

/// Give every thread an equal range of the level that divides the rows.
static void divide_rows(cairn_reference *r, int member, int level)
{
    const cairn_level *divided = &r->tensor->group[member].layout->level[level];
    const int          n       = r->walkers[member];

    for (int t = 0; t < n; t++) {
        const int64_t lo =
            divided->range.lo + (int64_t)((__int128)divided->size * t / n);
        const int64_t next =
            divided->range.lo + (int64_t)((__int128)divided->size * (t + 1) / n);

        cairn_walker_restrict(r->walker[member][t], level, lo, next - 1);
    }
}

static cairn_status create_walkers(cairn_reference *r, int member)
{
    const cairn_layout *layout = r->tensor->group[member].layout;
    const int           level  = r->op.transposed ? -1 : cairn_layout_row_level(layout);
    const int           n      = level >= 0 ? r->threads : 1;

    CAIRN_TRY(CAIRN_NEW_ZERO(r->env, n, &r->walker[member]));
    r->walkers[member] = n;
    for (int t = 0; t < n; t++)
        CAIRN_TRY(cairn_walker_create(r->env, layout, &r->walker[member][t]));
    if (level >= 0) divide_rows(r, member, level);
    return CAIRN_OK;
}

static void destroy_walkers(cairn_reference *r, int member)
{
    for (int t = 0; t < r->walkers[member]; t++)
        cairn_walker_destroy(r->env, &r->walker[member][t]);
    cairn_free(r->env, r->walker[member]);
}

/// Entries of every row of a member.
typedef struct {
    cairn_coord first;
    cairn_pos  *entries;
} row_count;

static cairn_status
count_batch(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const row_count *count = user;

    (void)part;
    for (int n = 0; n < batch->n; n++)
        count->entries[batch->coord[0][n] - count->first]++;
    return CAIRN_OK;
}

static cairn_status count_rows(cairn_reference *r, int member, row_count *count)
{
    cairn_status status = CAIRN_OK;

    for (int t = 0; t < r->walkers[member] && status == CAIRN_OK; t++)
        status = cairn_walk_member(r->walker[member][t], r->tensor, member, count_batch,
                                   count);
    return status;
}

/// A member that pads is not cut, and neither is a column of a transposed product.
static cairn_status find_long_rows(cairn_reference *r, int member)
{
    const cairn_group *group = &r->tensor->group[member];
    const cairn_pos    rows  = r->tensor->box[0].hi - r->tensor->box[0].lo + 1;
    row_count          count = {.first = r->tensor->box[0].lo};
    cairn_pos          nnz   = 0;

    for (int64_t k = 0; k < group->count; k++)
        nnz += r->tensor->part[group->first + k].nnz;
    if (nnz <= CAIRN_ROW_CUT || group->layout->pads || r->op.transposed)
        return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(r->env, rows, &count.entries));
    cairn_status status = count_rows(r, member, &count);

    if (status == CAIRN_OK)
        status = cairn_long_rows_init(r->env, count.entries, rows, r->op.columns,
                                      &r->long_rows[member]);
    cairn_free(r->env, count.entries);
    return status;
}

static cairn_status create_widened(cairn_reference *r)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(r->env, r->threads, &r->widened));
    for (int t = 0; t < r->threads; t++)
        CAIRN_TRY(CAIRN_NEW(r->env, r->op.columns, &r->widened[t]));
    return CAIRN_OK;
}

cairn_status cairn_reference_create(cairn_env                *env,
                                    const cairn_local        *tensor,
                                    const cairn_reference_op *op,
                                    int                       threads,
                                    cairn_reference         **reference)
{
    cairn_reference *fresh;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    fresh->env          = env;
    fresh->tensor       = tensor;
    fresh->op           = *op;
    fresh->threads      = threads > 1 ? threads : 1;
    cairn_status status = create_widened(fresh);

    for (int k = 0; k < tensor->groups && status == CAIRN_OK; k++) {
        status = create_walkers(fresh, k);
        if (status == CAIRN_OK) status = find_long_rows(fresh, k);
    }
    if (status == CAIRN_OK)
        *reference = fresh;
    else
        cairn_reference_destroy(&fresh);
    return status;
}

void cairn_reference_destroy(cairn_reference **reference)
{
    cairn_reference *r = *reference;

    if (!r) return;
    for (int k = 0; k < CAIRN_MAX_MEMBERS; k++) {
        cairn_long_rows_fini(r->env, &r->long_rows[k]);
        destroy_walkers(r, k);
    }
    for (int t = 0; t < r->threads && r->widened; t++)
        cairn_free(r->env, r->widened[t]);
    cairn_free(r->env, r->widened);
    cairn_free(r->env, r);
    *reference = NULL;
}

/// Row @p j of X in f64: itself, or a widened copy.
static const double *row_of_x(const pass *p, cairn_coord j)
{
    const cairn_pos columns = p->reference->op.columns;

    if (p->reference->tensor->value_bits == 64)
        return (const double *)p->x + j * columns;
    for (cairn_pos c = 0; c < columns; c++)
        p->widened[c] = (double)((const float *)p->x)[j * columns + c];
    return p->widened;
}

static cairn_status
add_batch(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const pass              *p       = user;
    const cairn_reference   *r       = p->reference;
    const cairn_kernel_part *view    = &part->view;
    const cairn_pos          columns = r->op.columns;
    const cairn_coord        first   = r->tensor->box[0].lo;

    for (int n = 0; n < batch->n; n++) {
        const cairn_pos row    = batch->coord[0][n] - first;
        const cairn_pos column = batch->coord[1][n];
        const double    a      = r->op.alpha * cairn_value_get(view, batch->value[n]);
        const double   *x      = row_of_x(p, r->op.transposed ? row : column);
        double         *y      = p->y + (r->op.transposed ? column : row) * columns;
        const int32_t   number = p->long_rows ? p->long_rows->number[row] : -1;

        if (number >= 0) {
            cairn_long_rows_add(p->long_rows, number, a, x, y);
            continue;
        }
        for (cairn_pos c = 0; c < columns; c++)
            y[c] += a * x[c];
    }
    return CAIRN_OK;
}

cairn_status
cairn_reference_run(cairn_reference *reference, int member, const void *x, double *y)
{
    cairn_long_rows *long_rows = &reference->long_rows[member];
    const pass       p         = {.reference = reference,
                                  .long_rows = long_rows->count > 0 ? long_rows : NULL,
                                  .x         = x,
                                  .y         = y};

    CAIRN_TRY(walk_member(reference, member, add_batch, &p));
    if (p.long_rows) cairn_long_rows_join(long_rows, y);
    return CAIRN_OK;
}
