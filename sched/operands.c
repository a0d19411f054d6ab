// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// X and Y of a product on one rank.

#include "sched/operands.h"

#include "sched/needs.h"

#include <string.h>

static cairn_pos owned(const cairn_operands *o, const cairn_rows *rows)
{
    return rows->first[o->comm->rank + 1] - rows->first[o->comm->rank];
}

/// Values of X, or of Y, that this rank owns.
static cairn_pos values(const cairn_operands *o, const cairn_rows *rows)
{
    return owned(o, rows) * o->op.columns;
}

/// The operand that has columns of A as rows, and so a window.
static cairn_rows *windowed_rows(cairn_operands *o)
{
    return o->op.transposed ? &o->y_rows : &o->x_rows;
}

static int window_bits(const cairn_operands *o)
{
    return o->op.transposed ? 64 : o->value_bits;
}

/// Collective.
static cairn_status
share_rows(cairn_operands *o, const cairn_shape *shape, const cairn_rows *rows)
{
    cairn_env   *env     = o->comm->env;
    cairn_rows  *columns = windowed_rows(o);
    cairn_status status =
        cairn_rows_copy(env, rows, o->op.transposed ? &o->x_rows : &o->y_rows);

    CAIRN_TRY(cairn_comm_agree(o->comm, status));
    if (shape->extent[0] == shape->extent[1])
        status = cairn_rows_copy(env, rows, columns);
    else
        status = cairn_rows_equal(o->comm, shape->extent[1], 1, columns);
    return cairn_comm_agree(o->comm, status);
}

static cairn_status create_halo(cairn_operands *o, const cairn_local *tensor)
{
    const cairn_halo_row row    = {.way        = o->op.transposed ? CAIRN_HALO_SUM
                                                                  : CAIRN_HALO_FETCH,
                                   .columns    = o->op.columns,
                                   .value_bits = window_bits(o)};
    cairn_rows          *rows   = windowed_rows(o);
    cairn_coord         *column = NULL;
    cairn_pos            n      = 0;
    cairn_status         status = cairn_comm_agree(
                o->comm, cairn_columns_needed(o->comm, tensor, rows, &column, &n));

    if (status == CAIRN_OK)
        status = cairn_halo_create(o->comm, rows, &row, column, n, &o->halo);
    cairn_free(o->comm->env, column);
    return status;
}

static bool has_own_wide(const cairn_operands *o, bool wide)
{
    return wide && o->value_bits == 32 && !o->op.transposed;
}

/// Bytes of X and Y: the window with its halo, and the operand that has none.
static __int128 operand_bytes(const cairn_operands *o)
{
    const cairn_pos xs = values(o, &o->x_rows), ys = values(o, &o->y_rows);
    const __int128  window = cairn_halo_bytes(o->halo);

    if (!o->op.transposed) return window + (__int128)ys * o->value_bits / 8;
    return window + (__int128)(o->value_bits == 32 ? xs + ys : xs) * o->value_bits / 8;
}

static cairn_status check_memory(cairn_operands *o, int64_t held, bool wide)
{
    __int128 bytes = operand_bytes(o);

    if (has_own_wide(o, wide))
        bytes += (__int128)values(o, &o->y_rows) * (int64_t)sizeof *o->wide;
    CAIRN_TRY(
        cairn_check_memory(o->comm->env, "x and y beside the arrays", held + bytes));
    o->memory = (int64_t)bytes;
    return CAIRN_OK;
}

/// The owned rows inside the window.
static char *owned_window(const cairn_operands *o)
{
    const cairn_rows *rows = o->op.transposed ? &o->y_rows : &o->x_rows;

    return (char *)cairn_halo_window(o->halo)
           + (size_t)(rows->first[o->comm->rank] * o->op.columns)
                 * (size_t)window_bits(o) / 8;
}

/// The t-th of the threads' shares of n things begins here.
static cairn_pos share_begin(const cairn_operands *o, cairn_pos n, int t)
{
    return n / o->threads * t + n % o->threads * t / o->threads;
}

/// Write the owned rows of the window first by the threads that will use them, so that
/// they lie near these where a machine has several memories.
static void touch_window(cairn_operands *o)
{
    const cairn_pos bytes = values(o, windowed_rows(o)) * window_bits(o) / 8;
    char *const     first = owned_window(o);

#pragma omp parallel for schedule(static) num_threads(o->threads) if (o->threads > 1)
    for (int t = 0; t < o->threads; t++) {
        const cairn_pos from = share_begin(o, bytes, t);

        memset(first + from, 0, (size_t)(share_begin(o, bytes, t + 1) - from));
    }
}

static cairn_status allocate_transposed(cairn_operands *o)
{
    cairn_env   *env  = o->comm->env;
    const size_t size = (size_t)o->value_bits / 8;

    CAIRN_TRY(cairn_alloc_zero(env, values(o, &o->x_rows), size, &o->block[0]));
    o->x    = o->block[0];
    o->wide = (double *)owned_window(o);
    o->y    = o->wide;
    if (o->value_bits == 64) return CAIRN_OK;
    CAIRN_TRY(cairn_alloc_zero(env, values(o, &o->y_rows), size, &o->block[1]));
    o->y = o->block[1];
    return CAIRN_OK;
}

static cairn_status allocate_wide(cairn_operands *o)
{
    CAIRN_TRY(cairn_alloc_zero(o->comm->env, values(o, &o->y_rows), sizeof(double),
                               &o->block[1]));
    o->wide = o->block[1];
    return CAIRN_OK;
}

static cairn_status allocate(cairn_operands *o, bool wide)
{
    cairn_env      *env = o->comm->env;
    const cairn_pos ys  = values(o, &o->y_rows);

    touch_window(o);
    if (o->op.transposed) return allocate_transposed(o);
    CAIRN_TRY(cairn_alloc_zero(env, ys, (size_t)o->value_bits / 8, &o->block[0]));
    o->x = owned_window(o);
    o->y = o->block[0];
    if (o->value_bits == 64) o->wide = o->y;
    return has_own_wide(o, wide) ? allocate_wide(o) : CAIRN_OK;
}

/// Collective.
static cairn_status init(cairn_operands    *o,
                         const cairn_local *tensor,
                         const cairn_rows  *rows,
                         int64_t            held,
                         bool               wide)
{
    CAIRN_TRY(share_rows(o, &tensor->shape, rows));
    CAIRN_TRY(create_halo(o, tensor));
    cairn_status status = check_memory(o, held, wide);

    if (status == CAIRN_OK) status = allocate(o, wide);
    return cairn_comm_agree(o->comm, status);
}

cairn_status cairn_operands_create(cairn_comm                  *comm,
                                   const cairn_local           *tensor,
                                   const cairn_rows            *rows,
                                   const cairn_product_options *op,
                                   int                          threads,
                                   int64_t                      held,
                                   bool                         wide,
                                   cairn_operands             **operands)
{
    cairn_operands *fresh = NULL;

    cairn_status status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);

    if (status == CAIRN_OK)
        *fresh = (cairn_operands){.comm       = comm,
                                  .op         = *op,
                                  .value_bits = tensor->value_bits,
                                  .threads    = threads,
                                  .users      = 1};
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) status = init(fresh, tensor, rows, held, wide);
    if (status == CAIRN_OK)
        *operands = fresh;
    else
        cairn_operands_leave(&fresh);
    return status;
}

cairn_status cairn_operands_join(cairn_operands *operands, int64_t held, bool wide)
{
    cairn_operands *o    = operands;
    const bool      add  = has_own_wide(o, wide) && !o->wide;
    const int64_t   more = add ? values(o, &o->y_rows) * (int64_t)sizeof *o->wide : 0;

    CAIRN_TRY(cairn_check_memory(o->comm->env, "another way to run a product",
                                 (__int128)held + o->memory + more));
    if (add) CAIRN_TRY(allocate_wide(o));
    o->memory += more;
    o->users++;
    return CAIRN_OK;
}

void cairn_operands_leave(cairn_operands **operands)
{
    cairn_operands *o = *operands;

    *operands = NULL;
    if (!o || --o->users > 0) return;
    cairn_env *env = o->comm->env;

    cairn_halo_destroy(&o->halo);
    cairn_rows_fini(env, &o->x_rows);
    cairn_rows_fini(env, &o->y_rows);
    cairn_free(env, o->block[0]);
    cairn_free(env, o->block[1]);
    cairn_free(env, o);
}

const void *cairn_operands_x(const cairn_operands *operands)
{
    return operands->op.transposed ? operands->x : cairn_halo_window(operands->halo);
}

void *cairn_operands_y(const cairn_operands *operands, bool wide)
{
    if (operands->op.transposed) return cairn_halo_window(operands->halo);
    return wide ? operands->wide : operands->y;
}

/// Values from..to-1 of Y become beta*Y where its sums are made.
static void scale_range(const cairn_operands *o, cairn_pos from, cairn_pos to)
{
    const double beta = o->op.beta;
    float *const y    = o->y;

    for (cairn_pos k = from; k < to; k++)
        if (o->value_bits == 64)
            o->wide[k] = beta == 0 ? 0 : beta * o->wide[k];
        else if (o->op.transposed)
            o->wide[k] = beta == 0 ? 0 : beta * (double)y[k];
        else
            y[k] = beta == 0 ? 0 : (float)(beta * (double)y[k]);
}

static void widen_range(const cairn_operands *o, cairn_pos from, cairn_pos to)
{
    for (cairn_pos k = from; k < to; k++)
        o->wide[k] = (double)((const float *)o->y)[k];
}

static void round_range(const cairn_operands *o, cairn_pos from, cairn_pos to)
{
    for (cairn_pos k = from; k < to; k++)
        ((float *)o->y)[k] = (float)o->wide[k];
}

/// Do something to values first..first+n-1 of Y, each thread to its share.
static void
some_of_y(const cairn_operands *o,
          cairn_pos             first,
          cairn_pos             n,
          void (*range)(const cairn_operands *o, cairn_pos from, cairn_pos to))
{
#pragma omp parallel for schedule(static) num_threads(o->threads) if (o->threads > 1)
    for (int t = 0; t < o->threads; t++)
        range(o, first + share_begin(o, n, t), first + share_begin(o, n, t + 1));
}

static void
all_of_y(const cairn_operands *o,
         void (*range)(const cairn_operands *o, cairn_pos from, cairn_pos to))
{
    some_of_y(o, 0, values(o, &o->y_rows), range);
}

/// The first value of row @p row of Y, which is owned.
static cairn_pos first_value(const cairn_operands *o, cairn_coord row)
{
    return (row - o->y_rows.first[o->comm->rank]) * o->op.columns;
}

/// Values of rows @p rows.
static cairn_pos count_values(const cairn_operands *o, cairn_interval rows)
{
    return (rows.hi - rows.lo + 1) * o->op.columns;
}

/// Addition of what was computed apart: values from..to-1.
typedef struct {
    void       *sum;
    const void *part;
    int         sum_bits, part_bits;
} addition;

static void add_range(const addition *a, cairn_pos from, cairn_pos to)
{
    double *const       wide = a->sum;
    float *const        sum  = a->sum;
    const double *const twin = a->part;
    const float *const  part = a->part;

    if (a->sum_bits == 64)
        for (cairn_pos k = from; k < to; k++)
            wide[k] += twin[k];
    else if (a->part_bits == 64)
        for (cairn_pos k = from; k < to; k++)
            sum[k] = (float)((double)sum[k] + twin[k]);
    else
        for (cairn_pos k = from; k < to; k++)
            sum[k] += part[k];
}

void cairn_operands_add(cairn_operands *operands,
                        cairn_interval  rows,
                        const void     *part,
                        bool            wide)
{
    const cairn_operands *o        = operands;
    const bool            all      = o->op.transposed != 0;
    const int             sum_bits = all ? 64 : o->value_bits;
    const cairn_pos       first    = all ? 0 : first_value(o, rows.lo);
    const cairn_pos       n =
        all ? o->y_rows.first[o->comm->size] * o->op.columns : count_values(o, rows);
    const addition a = {.sum =
                            (char *)cairn_operands_y(o, false) + first * (sum_bits / 8),
                        .part      = part,
                        .sum_bits  = sum_bits,
                        .part_bits = wide ? 64 : o->value_bits};

#pragma omp parallel for schedule(static) num_threads(o->threads) if (o->threads > 1)
    for (int t = 0; t < o->threads; t++)
        add_range(&a, share_begin(o, n, t), share_begin(o, n, t + 1));
}

void cairn_operands_clear(cairn_operands *operands, cairn_interval rows)
{
    const size_t size = (size_t)operands->value_bits / 8;

    memset((char *)operands->y + (size_t)first_value(operands, rows.lo) * size, 0,
           (size_t)count_values(operands, rows) * size);
}

cairn_status cairn_operands_begin(cairn_operands *operands, bool set)
{
    const cairn_operands *o    = operands;
    const bool            keep = o->op.beta == 1 || (o->op.beta == 0 && set);

    if (o->op.transposed) {
        all_of_y(o, scale_range);
        cairn_halo_clear(o->halo);
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_halo_begin(o->halo));
    if (!keep) all_of_y(o, scale_range);
    return cairn_halo_end(o->halo);
}

cairn_status cairn_operands_end(cairn_operands *operands)
{
    if (!operands->op.transposed) return CAIRN_OK;
    CAIRN_TRY(cairn_halo_begin(operands->halo));
    CAIRN_TRY(cairn_halo_end(operands->halo));
    if (operands->value_bits == 32) all_of_y(operands, round_range);
    return CAIRN_OK;
}

/// Is there an f64 twin beside Y?
static bool has_twin(const cairn_operands *o)
{
    return o->value_bits == 32 && !o->op.transposed;
}

/// Do something to some rows and their f64 twins.
static void
with_twins(const cairn_operands *o,
           cairn_interval        rows,
           void (*range)(const cairn_operands *o, cairn_pos from, cairn_pos to))
{
    if (has_twin(o))
        some_of_y(o, first_value(o, rows.lo), count_values(o, rows), range);
}

void cairn_operands_widen(cairn_operands *operands, cairn_interval rows)
{
    with_twins(operands, rows, widen_range);
}

void cairn_operands_narrow(cairn_operands *operands, cairn_interval rows)
{
    with_twins(operands, rows, round_range);
}

int64_t cairn_operands_bytes(const cairn_operands *operands)
{
    const cairn_operands *o = operands;
    cairn_pos             received, sent;

    cairn_halo_counts(o->halo, &received, &sent);
    return (values(o, &o->x_rows) + values(o, &o->y_rows)) * o->value_bits / 8
           + (received + sent) * o->op.columns * window_bits(o) / 8;
}
