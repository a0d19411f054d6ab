// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The product by walking. Rows longer than the cut get an index into a small array of
/// partial sums; all others add straight into y.

#include "expr/spmv.h"

#include "tensor/walk.h"

#include <string.h>

/// Partial sum of one long row.
typedef struct {
    double    sum;
    cairn_pos count; ///< Stored entries seen in this member.
} partial;

struct cairn_spmv {
    cairn_env         *env;
    const cairn_local *tensor;
    cairn_pos          rows;
    int                threads;
    int32_t       *long_row[CAIRN_MAX_MEMBERS]; ///< [rows] index, -1: short; or NULL.
    int32_t        long_rows[CAIRN_MAX_MEMBERS];
    partial       *partial[CAIRN_MAX_MEMBERS];
    int            walkers[CAIRN_MAX_MEMBERS]; ///< One, or one for each thread,
    cairn_walker **walker[CAIRN_MAX_MEMBERS];  ///< each restricted to its rows.
};

typedef struct {
    cairn_spmv   *spmv;
    int           member;
    const double *x;
    cairn_coord   x_first, y_first;
    double       *y;
} product;

static bool member_pads(const cairn_local *tensor, int member)
{
    return tensor->group[member].layout->pads;
}

static cairn_status
count_batch(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const product *p = user;

    (void)part;
    for (int n = 0; n < batch->n; n++)
        p->y[batch->coord[0][n] - p->y_first] += 1;
    return CAIRN_OK;
}

/// Walk a member, every walker on a thread of its own. Banks hold disjoint rows or not:
/// each walker sees all banks, in order, and of each only its rows.
static cairn_status
walk_member(cairn_spmv *spmv, int member, cairn_visit_fn visit, product *p)
{
    const int    walkers = spmv->walkers[member];
    cairn_status status  = CAIRN_OK;

#pragma omp parallel for schedule(static) num_threads(walkers) if (walkers > 1)
    for (int t = 0; t < walkers; t++) {
        const cairn_status mine =
            cairn_walk_member(spmv->walker[member][t], spmv->tensor, member, visit, p);

#pragma omp critical(cairn_spmv_status)
        if (mine != CAIRN_OK) status = mine;
    }
    return status;
}

/// Give every thread an equal range of the level that divides the rows.
static void divide_rows(cairn_spmv *spmv, int member, int level)
{
    const cairn_level *divided = &spmv->tensor->group[member].layout->level[level];
    const int          n       = spmv->walkers[member];

    for (int t = 0; t < n; t++) {
        const int64_t lo =
            divided->range.lo + (int64_t)((__int128)divided->size * t / n);
        const int64_t next =
            divided->range.lo + (int64_t)((__int128)divided->size * (t + 1) / n);

        cairn_walker_restrict(spmv->walker[member][t], level, lo, next - 1);
    }
}

static cairn_status create_walkers(cairn_spmv *spmv, int member)
{
    const cairn_layout *layout = spmv->tensor->group[member].layout;
    const int           level  = cairn_layout_row_level(layout);
    const int           n      = level >= 0 ? spmv->threads : 1;

    CAIRN_TRY(CAIRN_NEW_ZERO(spmv->env, n, &spmv->walker[member]));
    spmv->walkers[member] = n;
    for (int t = 0; t < n; t++)
        CAIRN_TRY(cairn_walker_create(spmv->env, layout, &spmv->walker[member][t]));
    if (level >= 0) divide_rows(spmv, member, level);
    return CAIRN_OK;
}

static void destroy_walkers(cairn_spmv *spmv, int member)
{
    for (int t = 0; t < spmv->walkers[member]; t++)
        cairn_walker_destroy(spmv->env, &spmv->walker[member][t]);
    cairn_free(spmv->env, spmv->walker[member]);
}

/// Number the long rows of a member whose entries per row are in @p count.
static cairn_status number_long_rows(cairn_spmv *spmv, int member, const double *count)
{
    int32_t n = 0;

    for (cairn_pos i = 0; i < spmv->rows; i++)
        n += count[i] > CAIRN_ROW_CUT;
    if (n == 0) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(spmv->env, spmv->rows, &spmv->long_row[member]));
    CAIRN_TRY(CAIRN_NEW_ZERO(spmv->env, n, &spmv->partial[member]));
    spmv->long_rows[member] = n;
    n                       = 0;
    for (cairn_pos i = 0; i < spmv->rows; i++)
        spmv->long_row[member][i] = count[i] > CAIRN_ROW_CUT ? n++ : -1;
    return CAIRN_OK;
}

static cairn_status find_long_rows(cairn_spmv *spmv, int member)
{
    product      p   = {.spmv = spmv, .y_first = spmv->tensor->box[0].lo};
    cairn_pos    nnz = 0;
    cairn_status status;

    for (int64_t k = 0; k < spmv->tensor->group[member].count; k++)
        nnz += spmv->tensor->part[spmv->tensor->group[member].first + k].nnz;
    if (nnz <= CAIRN_ROW_CUT || member_pads(spmv->tensor, member)) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(spmv->env, spmv->rows, &p.y));
    status = walk_member(spmv, member, count_batch, &p);
    if (status == CAIRN_OK) status = number_long_rows(spmv, member, p.y);
    cairn_free(spmv->env, p.y);
    return status;
}

cairn_status cairn_spmv_create(cairn_env         *env,
                               const cairn_local *tensor,
                               int                threads,
                               cairn_spmv       **spmv)
{
    cairn_spmv  *fresh;
    cairn_status status = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    fresh->env     = env;
    fresh->tensor  = tensor;
    fresh->threads = threads > 1 ? threads : 1;
    fresh->rows    = tensor->box[0].hi - tensor->box[0].lo + 1;
    for (int k = 0; k < tensor->groups && status == CAIRN_OK; k++) {
        status = create_walkers(fresh, k);
        if (status == CAIRN_OK) status = find_long_rows(fresh, k);
    }
    if (status == CAIRN_OK)
        *spmv = fresh;
    else
        cairn_spmv_destroy(&fresh);
    return status;
}

void cairn_spmv_destroy(cairn_spmv **spmv)
{
    if (!*spmv) return;
    for (int k = 0; k < CAIRN_MAX_MEMBERS; k++) {
        cairn_free((*spmv)->env, (*spmv)->long_row[k]);
        cairn_free((*spmv)->env, (*spmv)->partial[k]);
        destroy_walkers(*spmv, k);
    }
    cairn_free((*spmv)->env, *spmv);
    *spmv = NULL;
}

/// Add to the partial sum of a long row; the first 4,096 entries go on in y itself.
static void add_long(const product *p, int32_t number, cairn_pos row, double term)
{
    partial *sum = &p->spmv->partial[p->member][number];

    if (sum->count < CAIRN_ROW_CUT)
        p->y[row] += term;
    else
        sum->sum += term;
    if (++sum->count % CAIRN_ROW_CUT == 0) {
        if (sum->count > CAIRN_ROW_CUT) p->y[row] += sum->sum;
        sum->sum = 0;
    }
}

static cairn_status
add_batch(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const product           *p        = user;
    const cairn_kernel_part *view     = &part->view;
    const int32_t           *long_row = p->spmv->long_row[p->member];

    for (int n = 0; n < batch->n; n++) {
        const cairn_pos row  = batch->coord[0][n] - p->y_first;
        const double    term = cairn_value_get(view, batch->value[n])
                            * p->x[batch->coord[1][n] - p->x_first];

        if (long_row && long_row[row] >= 0)
            add_long(p, long_row[row], row, term);
        else
            p->y[row] += term;
    }
    return CAIRN_OK;
}

/// The last, unfilled partial sums join their rows.
static void join_partials(const product *p)
{
    const int32_t *long_row = p->spmv->long_row[p->member];

    for (cairn_pos i = 0; long_row && i < p->spmv->rows; i++) {
        if (long_row[i] < 0) continue;
        partial *sum = &p->spmv->partial[p->member][long_row[i]];

        if (sum->count > CAIRN_ROW_CUT && sum->count % CAIRN_ROW_CUT != 0)
            p->y[i] += sum->sum;
        *sum = (partial){0, 0};
    }
}

cairn_status cairn_spmv_run(cairn_spmv   *spmv,
                            int           member,
                            const double *x,
                            cairn_coord   x_first,
                            double       *y)
{
    product p = {.spmv    = spmv,
                 .member  = member,
                 .x       = x,
                 .x_first = x_first,
                 .y       = y,
                 .y_first = spmv->tensor->box[0].lo};

    CAIRN_TRY(walk_member(spmv, member, add_batch, &p));
    join_partials(&p);
    return CAIRN_OK;
}
