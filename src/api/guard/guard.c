// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Checks of products by sums of columns.

#include "api/guard/guard.h"

#include "api/door.h"
#include "api/guard/guard_passes.h"
#include "api/tensors/visit_values.h"
#include "plan/replay_y_sum.h"

#include <omp.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Terms of a sum that is then joined to others in long double, and additions of each of
   its eight parts, which are joined by three: more than those of the passes. */
enum { LEAF = CAIRN_GUARD_LEAF, LEAF_ADDITIONS = LEAF / 8 + 3 };

/// Numbers that are worth waking threads for.
enum { PARALLEL = 32768 };

/* ---- where columns are ---- */

/// The number of column @p j among those that this rank has. @return -1: it has not.
static int64_t place_of(const cairn_x_rows *rows, const cairn_guard *g, cairn_coord j)
{
    if (rows->owned.lo <= j && j <= rows->owned.hi) return j - rows->owned.lo;
    const cairn_pos k = cairn_x_rows_ghost(rows, j);

    return k < rows->ghosts && rows->ghost[k] == j ? g->own + k : -1;
}

static double value_of(const cairn_plan *plan, const void *values, int64_t k)
{
    return plan->tensor->dtype == CAIRN_F32 ? (double)((const float *)values)[k]
                                            : ((const double *)values)[k];
}

/// Values of X at the columns of this rank, in two pieces.
typedef struct {
    const cairn_plan *plan;
    const void       *own, *ghost;
    int64_t           n; ///< Own ones.
} operand;

static operand operand_of(const cairn_plan *plan, const void *x)
{
    return (operand){plan, x, cairn_halo_fetched(plan->replay->common.operands->halo),
                     plan->guard->own};
}

static double x_at(const operand *x, int64_t k)
{
    return k < x->n ? value_of(x->plan, x->own, k)
                    : value_of(x->plan, x->ghost, k - x->n);
}

/* ---- sums of columns ---- */

/// Sums on their way.
typedef struct {
    cairn_guard *guard;
    cairn_x_rows rows;
    long double *w;     ///< [columns] Of the member at hand,
    long double *size;  ///< [columns]
    int64_t     *row;   ///< [rows] Entries, of all members.
    int64_t      first; ///< Row,
    int64_t      end;   ///< and the one behind the last.
    bool strays; ///< An index has turned: it has another row or column than can be.
} columns_summing;

static cairn_status
add_to_columns(void *user, const cairn_part *part, const cairn_batch *batch)
{
    columns_summing *s = user;

    for (int n = 0; n < batch->n; n++) {
        const double  a = cairn_value_get(&part->view, batch->value[n]);
        const int64_t i = batch->coord[0][n];
        const int64_t k = place_of(&s->rows, s->guard, batch->coord[1][n]);

        if (!cairn_is_entry(part, a)) continue;
        if (k < 0 || i < s->first || i >= s->end) {
            s->strays = true;
            continue;
        }
        s->row[i - s->first]++;
        s->w[k] += a;
        s->size[k] += fabsl(a);
    }
    return CAIRN_OK;
}

/* Of so many columns one that is not 0 is listed at no more bytes than all take. */
enum { LISTED = 4 };

enum { BLOCK = CAIRN_GUARD_BLOCK };

/// Columns of each leaf whose sizes are looked at first: of few columns all; else a line of
/// the caches, one in 64.
static int64_t sample_of(int64_t columns)
{
    enum { FEW = 8 * LEAF };

    return columns <= FEW ? LEAF : BLOCK;
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
    const int64_t leaves = (columns + LEAF - 1) / LEAF, sample = sample_of(columns);

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

/// Sum a tensor's columns, member by member. Local.
/// @retval CAIRN_NOT_VERIFIED  An index has turned.
static cairn_status sum_columns(const cairn_plan *plan, cairn_guard *g)
{
    const cairn_tensor *tensor = plan->tensor;
    const cairn_local  *local  = tensor->local;
    cairn_env          *env    = &tensor->context->env;
    cairn_visits        visits;
    columns_summing     s      = {.guard = g,
                                  .rows = cairn_operands_x_rows(plan->replay->common.operands)};
    cairn_status        status = cairn_visits_init(&visits, local);

    cairn_tensor_rows(tensor, &s.first, &s.end);
    if (status == CAIRN_OK) status = CAIRN_NEW(env, g->columns, &s.w);
    if (status == CAIRN_OK) status = CAIRN_NEW(env, g->columns, &s.size);
    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(env, s.end - s.first, &s.row);
    for (int m = 0; m < local->groups && status == CAIRN_OK; m++) {
        for (int64_t k = 0; k < g->columns; k++)
            s.w[k] = s.size[k] = 0;
        status = cairn_walk_member(visits.walker[m], local, m, add_to_columns, &s);
        if (s.strays)
            status =
                cairn_fail(env, CAIRN_NOT_VERIFIED,
                           "guard: rank %d: member %d: its arrays are not what they "
                           "were: an entry is in a row or column that it has not",
                           tensor->context->comm->rank, m);
        for (int64_t k = 0; k < g->columns; k++) {
            g->sums[m].w[k]    = (double)s.w[k];
            g->sums[m].size[k] = (double)s.size[k];
        }
    }
    g->longest = 0;
    for (int64_t i = 0; i < s.end - s.first && status == CAIRN_OK; i++)
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

cairn_status cairn_guard_create(const cairn_plan *plan, cairn_guard **guard)
{
    const cairn_tensor *tensor = plan->tensor;
    cairn_env          *env    = &tensor->context->env;
    const cairn_x_rows  rows   = cairn_operands_x_rows(plan->replay->common.operands);
    cairn_guard        *g      = NULL;
    cairn_status        status = CAIRN_NEW_ZERO(env, 1, &g);

    if (status != CAIRN_OK) return status;
    g->info    = (cairn_guard_info)CAIRN_GUARD_INFO;
    g->own     = rows.owned.hi - rows.owned.lo + 1;
    g->columns = g->own + rows.ghosts;
    g->members = tensor->local->groups;
    for (int m = 0; m < g->members && status == CAIRN_OK; m++) {
        status = CAIRN_NEW(env, g->columns, &g->sums[m].w);
        if (status == CAIRN_OK) status = CAIRN_NEW(env, g->columns, &g->sums[m].size);
    }
    if (status == CAIRN_OK) status = sum_columns(plan, g);
    if (status == CAIRN_OK)
        *guard = g;
    else
        cairn_guard_destroy(env, &g);
    return status;
}

void cairn_guard_destroy(cairn_env *env, cairn_guard **guard)
{
    cairn_guard *g = *guard;

    if (!g) return;
    for (int m = 0; m < g->members; m++) {
        cairn_free(env, g->sums[m].w);
        cairn_free(env, g->sums[m].size);
    }
    for (int k = 0; k < CAIRN_GUARD_SIDES; k++)
        forget_columns(env, &g->all[k]);
    cairn_free(env, g);
    *guard = NULL;
}

/* ---- comparing ---- */

/// w.x and size.|x| of a member.
typedef struct {
    long double sum, size;
} product_sum;

/// Up to LEAF values as f64: where they lie, or in @p room.
static const double *
leaf_of(const cairn_plan *plan, const void *values, int64_t i, int64_t n, double *room)
{
    if (plan->tensor->dtype == CAIRN_F64) return (const double *)values + i;
    for (int64_t k = 0; k < n; k++)
        room[k] = ((const float *)values)[i + k];
    return room;
}

/// Of consecutive columns, from @p first on: this thread's leaves. Sums of eight lanes are
/// what vectors add.
static product_sum multiply_leaves(const cairn_plan       *plan,
                                   const cairn_guard_sums *sums,
                                   int64_t                 first,
                                   int64_t                 columns,
                                   const void             *x)
{
    long double sum = 0, size = 0;

#pragma omp for nowait
    for (int64_t i = 0; i < columns; i += LEAF) {
        const int64_t       n = i + LEAF < columns ? LEAF : columns - i;
        double              room[LEAF], lane[8] = {0}, width[8] = {0};
        const double *const value = leaf_of(plan, x, i, n, room);
        const double *const w = sums->w + first + i, *const s = sums->size + first + i;
        int64_t k = 0;

        for (; k + 8 <= n; k += 8)
#pragma omp simd
            for (int l = 0; l < 8; l++) {
                lane[l] += w[k + l] * value[k + l];
                width[l] += s[k + l] * fabs(value[k + l]);
            }
        for (int l = 0; k + l < n; l++) {
            lane[l] += w[k + l] * value[k + l];
            width[l] += s[k + l] * fabs(value[k + l]);
        }
        for (int l = 0; l < 8; l++) {
            sum += lane[l];
            size += width[l];
        }
    }
    return (product_sum){sum, size};
}

/// Of consecutive columns, from @p first on, by all threads.
static product_sum multiply_piece(const cairn_plan       *plan,
                                  const cairn_guard_sums *sums,
                                  int64_t                 first,
                                  int64_t                 columns,
                                  const void             *x)
{
    product_sum all = {0, 0};

    /* Not a reduction: clang adds long doubles by a library that is nowhere else needed. */
#pragma omp parallel num_threads( \
    plan->tensor->context->env.options.threads) if (columns > PARALLEL)
    {
        const product_sum its = multiply_leaves(plan, sums, first, columns, x);

#pragma omp critical(cairn_guard_sum)
        {
            all.sum += its.sum;
            all.size += its.size;
        }
    }
    return all;
}

static product_sum multiply(const cairn_guard *g, int m, const operand *x)
{
    const product_sum own = multiply_piece(x->plan, &g->sums[m], 0, g->own, x->own);
    const product_sum rest =
        multiply_piece(x->plan, &g->sums[m], g->own, g->columns - g->own, x->ghost);

    return (product_sum){own.sum + rest.sum, own.size + rest.size};
}

/// The sum of y: this thread's leaves.
static long double sum_leaves(const cairn_plan *plan, const void *y, int64_t rows)
{
    long double sum = 0;

#pragma omp for nowait
    for (int64_t i = 0; i < rows; i += LEAF) {
        const int64_t       n = i + LEAF < rows ? LEAF : rows - i;
        double              room[LEAF], lane[8] = {0};
        const double *const value = leaf_of(plan, y, i, n, room);
        int64_t             k     = 0;

        for (; k + 8 <= n; k += 8)
#pragma omp simd
            for (int l = 0; l < 8; l++)
                lane[l] += value[k + l];
        for (int l = 0; k + l < n; l++)
            lane[l] += value[k + l];
        for (int l = 0; l < 8; l++)
            sum += lane[l];
    }
    return sum;
}

/// The sum of y, by all threads.
static long double sum_up(const cairn_plan *plan, const void *y, int64_t rows)
{
    long double sum = 0;

#pragma omp parallel num_threads( \
    plan->tensor->context->env.options.threads) if (rows > PARALLEL)
    {
        const long double its = sum_leaves(plan, y, rows);

#pragma omp critical(cairn_guard_sum)
        sum += its;
    }
    return sum;
}

/// What sums may differ by, of terms that have this size in all.
static double bound_of(const cairn_plan *plan, long double size)
{
    const cairn_guard *g      = plan->guard;
    const double       n      = (double)(g->longest + 2 * LEAF_ADDITIONS + g->members);
    const double       narrow = plan->tensor->dtype == CAIRN_F32 ? FLT_EPSILON : 0;

    /* Products below the normal numbers lose what no eps counts. */
    return 4 * (n * DBL_EPSILON + narrow) * (double)size
           + n * (double)g->columns * (narrow > 0 ? FLT_MIN : DBL_MIN);
}

static int64_t rows_of(const cairn_plan *plan)
{
    int64_t first, end;

    cairn_plan_rows(plan, &first, &end);
    return end - first;
}

cairn_guard_verdict
cairn_guard_compare(const cairn_plan *plan, const void *x, const void *y)
{
    const cairn_guard *g   = plan->guard;
    const operand      at  = operand_of(plan, x);
    product_sum        all = {0, 0};

    for (int m = 0; m < g->members; m++) {
        const product_sum its = multiply(g, m, &at);

        all.sum += its.sum;
        all.size += its.size;
    }
    const double      most      = plan->tensor->dtype == CAIRN_F32 ? FLT_MAX : DBL_MAX;
    const long double sum       = sum_up(plan, y, rows_of(plan));
    const cairn_guard_verdict v = {.checked    = all.size <= most, /* a NaN is not */
                                   .difference = (double)fabsl(sum - all.sum),
                                   .bound      = bound_of(plan, all.size)};

    return v;
}

/* ---- the first look ---- */

/// 1'y - w.x, and a part of (1'|A|).|x|.
typedef struct {
    long double difference, size;
} first_look;

/// Numbers [begin, end) of a vector.
static cairn_guard_vector
stretch_of(const cairn_plan *plan, const void *value, int64_t begin, int64_t end)
{
    const bool   narrow = plan->tensor->dtype == CAIRN_F32;
    const size_t width  = narrow ? sizeof(float) : sizeof(double);

    return (cairn_guard_vector){(const char *)value + (size_t)begin * width,
                                end - begin, narrow};
}

/// Where thread @p t's share of @p n begins, a multiple of @p grain.
static int64_t begin_of(int64_t n, int64_t grain, int t, int threads)
{
    const int64_t grains = (n + grain - 1) / grain,
                  begin  = grains * t / threads * grain;

    return begin < n ? begin : n;
}

/// Thread @p t's share of w.x and of the sample of sizes.
static void take_columns(const cairn_plan          *plan,
                         const cairn_guard_columns *all,
                         const void                *x,
                         int                        t,
                         int                        threads,
                         first_look                *look)
{
    const int64_t            sample = sample_of(all->columns);
    const int64_t            from   = begin_of(all->columns, LEAF, t, threads);
    const int64_t            to     = begin_of(all->columns, LEAF, t + 1, threads);
    const cairn_guard_vector own    = stretch_of(plan, x, from, to);
    const cairn_guard_vector v      = stretch_of(plan, x, 0, all->columns);

    look->size +=
        cairn_guard_multiply_sizes(all->size + from / LEAF * sample, sample, &own);
    if (!all->at) {
        look->difference -= cairn_guard_multiply(all->w + from, &own);
        return;
    }
    const int64_t block      = begin_of(all->blocks, 1, t, threads);
    const int64_t block_end  = begin_of(all->blocks, 1, t + 1, threads);
    const int64_t single     = begin_of(all->singles, BLOCK, t, threads);
    const int64_t single_end = begin_of(all->singles, BLOCK, t + 1, threads);

    look->difference -= cairn_guard_multiply_blocks(
        all->w + block * BLOCK, all->at + block, block_end - block, &v);
    look->difference -= cairn_guard_multiply_some(all->w + all->blocks * BLOCK + single,
                                                  all->at + all->blocks + single,
                                                  single_end - single, &v);
}

/// @param[in] y  NULL: it has been added up.
static first_look
look_at_share(const operand *x, const void *y, int64_t rows, int t, int threads)
{
    const cairn_plan  *plan = x->plan;
    const cairn_guard *g    = plan->guard;
    first_look         look = {0, 0};

    if (y) {
        const cairn_guard_vector v =
            stretch_of(plan, y, begin_of(rows, LEAF, t, threads),
                       begin_of(rows, LEAF, t + 1, threads));

        look.difference = cairn_guard_add_up(&v);
    }
    take_columns(plan, &g->all[CAIRN_GUARD_OWN], x->own, t, threads, &look);
    take_columns(plan, &g->all[CAIRN_GUARD_GHOSTS], x->ghost, t, threads, &look);
    return look;
}

/// Sums of columns that a first look reads.
static int64_t listed_of(const cairn_guard *g)
{
    int64_t listed = 0;

    for (int k = 0; k < CAIRN_GUARD_SIDES; k++)
        listed += g->all[k].blocks * BLOCK + g->all[k].singles;
    return listed;
}

/// Does y, or its sum, agree with x by the bound that some columns give?
static bool agrees(const cairn_plan  *plan,
                   const void        *x,
                   const void        *y,
                   const long double *sum,
                   int64_t            rows)
{
    const cairn_guard *g       = plan->guard;
    const operand      at      = operand_of(plan, x);
    const int          threads = plan->tensor->context->env.options.threads;
    const int64_t      read    = (sum ? 0 : rows) + listed_of(g);
    first_look         all     = {sum ? *sum : 0, 0};

    /* Not a reduction: clang adds long doubles by a library that is nowhere else needed. */
#pragma omp parallel num_threads(threads) if (read > PARALLEL)
    {
        const first_look its = look_at_share(
            &at, sum ? NULL : y, rows, omp_get_thread_num(), omp_get_num_threads());

#pragma omp critical(cairn_guard_sum)
        {
            all.difference += its.difference;
            all.size += its.size;
        }
    }
    /* A NaN is not. */
    return fabsl(all.difference) <= bound_of(plan, all.size)
           && isfinite((double)all.size);
}

/* ---- finding and repairing ---- */

/// Rows computed again.
typedef struct {
    const cairn_plan *plan;
    cairn_x_rows      rows;
    operand           x;
    int64_t           first, end; ///< Rows.
    product_sum      *row;        ///< [rows] Of all members.
    product_sum       member;     ///< Of the one at hand.
    bool              strays;     ///< It has a row or column that it had not.
} again;

static cairn_status
add_to_rows(void *user, const cairn_part *part, const cairn_batch *batch)
{
    again *s = user;

    for (int n = 0; n < batch->n; n++) {
        const double  a = cairn_value_get(&part->view, batch->value[n]);
        const int64_t i = batch->coord[0][n];
        const int64_t k = place_of(&s->rows, s->plan->guard, batch->coord[1][n]);

        if (!cairn_is_entry(part, a)) continue;
        if (k < 0 || i < s->first || i >= s->end) {
            s->strays = true;
            continue;
        }
        const long double term = (long double)a * x_at(&s->x, k);
        product_sum      *row  = &s->row[i - s->first];

        row->sum += term;
        row->size += fabsl(term);
        s->member.sum += term;
        s->member.size += fabsl(term);
    }
    return CAIRN_OK;
}

/// Compute all rows again, and fail where a member's do not have the sums that it had.
static cairn_status compute_again(const cairn_visits *visits, again *s)
{
    const cairn_plan  *plan    = s->plan;
    const cairn_guard *g       = plan->guard;
    cairn_context     *context = plan->tensor->context;

    for (int m = 0; m < g->members; m++) {
        s->member = (product_sum){0, 0};
        CAIRN_TRY(
            cairn_walk_member(visits->walker[m], visits->local, m, add_to_rows, s));
        const product_sum was  = multiply(g, m, &s->x);
        const double      size = (double)fmaxl(was.size, 0);
        const double      d    = (double)fabsl(was.sum - s->member.sum);

        CAIRN_CHECK(!s->strays && d <= bound_of(plan, size), &context->env,
                    CAIRN_NOT_VERIFIED,
                    "guard: rank %d: member %d: its arrays are not what they were: its "
                    "rows have the sum %.17g, and by its columns it is %.17g",
                    context->comm->rank, m, (double)s->member.sum, (double)was.sum);
    }
    return CAIRN_OK;
}

/// Put right rows of y that are wrong. @return how many; @param[out] first  The first.
static int64_t
repair(const cairn_plan *plan, const again *s, void *y, int64_t rows, int64_t *first)
{
    const bool f32   = plan->tensor->dtype == CAIRN_F32;
    int64_t    wrong = 0;

    for (int64_t i = rows; i-- > 0;) {
        const double d = (double)fabsl(value_of(plan, y, i) - s->row[i].sum);

        if (d <= bound_of(plan, s->row[i].size)) continue; /* a NaN is not */
        if (f32)
            ((float *)y)[i] = (float)s->row[i].sum;
        else
            ((double *)y)[i] = (double)s->row[i].sum;
        wrong++;
        *first = i;
    }
    return wrong;
}

static cairn_status
find_and_repair(const cairn_plan *plan, const void *x, void *y, int64_t rows)
{
    cairn_context *context = plan->tensor->context;
    cairn_guard   *g       = plan->guard;
    cairn_visits   visits;
    int64_t        at     = 0;
    again          s      = {.plan = plan,
                             .rows = cairn_operands_x_rows(plan->replay->common.operands),
                             .x    = operand_of(plan, x)};
    cairn_status   status = cairn_visits_init(&visits, plan->tensor->local);

    cairn_tensor_rows(plan->tensor, &s.first, &s.end);
    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(&context->env, rows, &s.row);
    if (status == CAIRN_OK) status = compute_again(&visits, &s);
    if (status == CAIRN_OK) {
        const int64_t wrong = repair(plan, &s, y, rows, &at);

        g->info.rows += wrong;
        cairn_log(&context->env,
                  "guard: rank %d: %" PRId64 " row%s of the result, from row %" PRId64
                  " on, had another value than the arrays say: computed again",
                  context->comm->rank, wrong, wrong == 1 ? "" : "s", s.first + at);
    }
    cairn_visits_fini(&visits);
    cairn_free(&context->env, s.row);
    return status;
}

cairn_status cairn_guard_check(const cairn_plan  *plan,
                               const void        *x,
                               void              *y,
                               const long double *sum)
{
    cairn_guard *const g      = plan->guard;
    const double       begin  = cairn_seconds();
    cairn_status       status = CAIRN_OK;

    if (g->updates != plan->tensor->local->updates) CAIRN_TRY(sum_columns(plan, g));
    if (agrees(plan, x, y, sum, rows_of(plan))) {
        g->info.checked++;
    } else {
        const cairn_guard_verdict v = cairn_guard_compare(plan, x, y);

        g->closer++;
        g->info.checked += v.checked;
        g->info.unchecked += !v.checked;
        if (v.checked && !(v.difference <= v.bound)) {
            g->info.found++;
            status = find_and_repair(plan, x, y, rows_of(plan));
        }
    }
    g->info.seconds += cairn_seconds() - begin;
    return status;
}

/* The other way of a plan whose places are open may be the one in use after any run. */

void cairn_guard_begin(const cairn_plan *plan)
{
    cairn_replay_forget_y_sum(plan->replay);
    if (plan->adapt.other) cairn_replay_forget_y_sum(plan->adapt.other);
}

cairn_status cairn_guard_end(const cairn_plan *plan, const void *x, void *y)
{
    long double sum;
    const bool  made = cairn_replay_y_sum(plan->replay, &sum);

    return cairn_guard_check(plan, x, y, made ? &sum : NULL);
}

/* ---- the calls ---- */

static cairn_status check_plan(const cairn_plan *plan)
{
    CAIRN_TRY(cairn_check_plain_product(plan, "guard: plan", CAIRN_UNSUPPORTED));
    CAIRN_CHECK(!plan->tensor->places && !plan->permuted, &plan->tensor->context->env,
                CAIRN_UNSUPPORTED, "guard: plan: its rows are by places");
    return CAIRN_OK;
}

cairn_status cairn_plan_guard(cairn_plan *plan)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_GIVEN(plan));
    cairn_comm  *comm   = plan->tensor->context->comm;
    cairn_guard *guard  = NULL;
    cairn_status status = check_plan(plan);

    if (status == CAIRN_OK && !plan->guard) status = cairn_guard_create(plan, &guard);
    status = cairn_comm_agree(comm, status);
    if (status != CAIRN_OK)
        cairn_guard_destroy(comm->env, &guard);
    else if (guard) {
        plan->guard = guard;
        cairn_replay_sum_y(plan->replay);
        if (plan->adapt.other) cairn_replay_sum_y(plan->adapt.other);
    }
    return status;
}

cairn_status cairn_plan_guard_info(const cairn_plan *plan, cairn_guard_info *info)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_GIVEN(plan),
                         CAIRN_GIVEN(info), CAIRN_SIZED(info, cairn_guard_info));
    cairn_comm      *comm = plan->tensor->context->comm;
    cairn_guard_info own  = CAIRN_GUARD_INFO;

    CAIRN_TRY(cairn_comm_agree(comm, CAIRN_OK));
    if (plan->guard) own = plan->guard->info;
    int64_t counts[] = {own.checked, own.unchecked, own.found, own.rows};

    CAIRN_TRY(comm->ops->allreduce(comm, counts, 4, CAIRN_SUM));
    own.checked   = counts[0];
    own.unchecked = counts[1];
    own.found     = counts[2];
    own.rows      = counts[3];
    CAIRN_WRITE(info, own);
    return CAIRN_OK;
}
