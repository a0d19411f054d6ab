// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Y of a product in a run: where its sums are made and in which type, what they begin
/// with, what is added to them, and how they become Y.

#include "plan/operands_steps.h"

#include <string.h>

/// Rows of Y in f64: a caller's where sums can be made there.
static double *wide_rows(const cairn_operands *o)
{
    const bool there = o->value_bits == 64
                       && (!o->op.transposed || cairn_operands_owns_window(o))
                       && o->now.y != o->y;

    return there ? o->now.y : o->wide;
}

/// Are sums made in f64?
static bool sums_wide(const cairn_operands *o)
{
    return o->value_bits == 64 || o->op.transposed || o->sums_wide;
}

void *cairn_operands_y(const cairn_operands *operands)
{
    if (operands->op.transposed && !cairn_operands_owns_window(operands))
        return cairn_halo_window(operands->halo);
    return sums_wide(operands) ? (void *)wide_rows(operands) : operands->now.y;
}

size_t cairn_operands_sum_size(const cairn_operands *operands)
{
    return sums_wide(operands) ? sizeof(double) : sizeof(float);
}

cairn_operands_sums cairn_operands_own_sums(const cairn_operands *operands, bool wide)
{
    const bool   f64  = operands->value_bits == 64 || wide;
    const size_t size = f64 ? sizeof(double) : sizeof(float);

    return (cairn_operands_sums){
        f64 ? (void *)operands->wide : operands->y, size,
        cairn_operands_owned_values(operands, &operands->y_rows) * (int64_t)size};
}

/// Set values from..to-1 of the accumulator to 0.
static void clear_range(const cairn_operands *o, cairn_pos from, cairn_pos to)
{
    const size_t size = cairn_operands_sum_size(o);
    char *const  sums = sums_wide(o) ? (char *)wide_rows(o) : (char *)o->now.y;

    memset(sums + (size_t)from * size, 0, (size_t)(to - from) * size);
}

/// They become beta*Y there. Not -0, which becomes 0 when 0 is added: a
/// kernel may add 0 to a row without entries, or leave the row alone.
static void scale_range(const cairn_operands *o, cairn_pos from, cairn_pos to)
{
    const double        beta = o->op.beta;
    const float *const  y32  = o->now.y;
    const double *const y    = o->now.y;
    double *const       sums = wide_rows(o);

    if (o->value_bits == 64)
        for (cairn_pos k = from; k < to; k++)
            sums[k] = beta * y[k] + 0.0;
    else
        for (cairn_pos k = from; k < to; k++)
            sums[k] = beta * (double)y32[k] + 0.0;
}

static void round_range(const cairn_operands *o, cairn_pos from, cairn_pos to)
{
    for (cairn_pos k = from; k < to; k++)
        ((float *)o->now.y)[k] = (float)o->wide[k];
}

static void copy_range(const cairn_operands *o, cairn_pos from, cairn_pos to)
{
    memcpy((double *)o->now.y + from, o->wide + from,
           (size_t)(to - from) * sizeof *o->wide);
}

/// Apply a function to values first..first+n-1 of Y, each thread to its range.
static void
some_of_y(const cairn_operands *o,
          cairn_pos             first,
          cairn_pos             n,
          void (*range)(const cairn_operands *o, cairn_pos from, cairn_pos to))
{
#pragma omp parallel for schedule(static) num_threads(o->threads) if (o->threads > 1)
    for (int t = 0; t < o->threads; t++)
        range(o, first + cairn_operands_share_begin(o, n, t),
              first + cairn_operands_share_begin(o, n, t + 1));
}

static void
all_of_y(const cairn_operands *o,
         void (*range)(const cairn_operands *o, cairn_pos from, cairn_pos to))
{
    some_of_y(o, 0, cairn_operands_owned_values(o, &o->y_rows), range);
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

void cairn_operands_add(cairn_operands *operands,
                        cairn_interval  rows,
                        const double   *part)
{
    const cairn_operands *o     = operands;
    const bool            all   = o->op.transposed != 0;
    const cairn_pos       first = all ? 0 : first_value(o, rows.lo);
    double *const         sum   = (double *)cairn_operands_y(o) + first;
    const cairn_pos       n =
        all ? o->y_rows.first[o->comm->size] * o->op.columns : count_values(o, rows);

#pragma omp parallel for schedule(static) num_threads(o->threads) if (o->threads > 1)
    for (int t = 0; t < o->threads; t++)
        for (cairn_pos k = cairn_operands_share_begin(o, n, t);
             k < cairn_operands_share_begin(o, n, t + 1); k++)
            sum[k] += part[k];
}

void cairn_operands_clear(cairn_operands *operands, cairn_interval rows)
{
    const size_t size  = (size_t)operands->value_bits / 8;
    const size_t first = (size_t)first_value(operands, rows.lo);
    const size_t n     = (size_t)count_values(operands, rows);

    double *const wide = wide_rows(operands);

    memset((char *)operands->now.y + first * size, 0, n * size);
    if (wide) memset(wide + first, 0, n * sizeof *wide);
}

void cairn_operands_spoil_y(cairn_operands *operands)
{
    const cairn_operands *o = operands;
    const cairn_pos       n = cairn_operands_owned_values(o, &o->y_rows);

    if (n == 0) return;
    memset(o->now.y, 0xff, cairn_operands_y_bytes(o)); /* a NaN of either width */
    if (o->wide) memset(o->wide, 0xff, (size_t)n * sizeof *o->wide);
}

void cairn_operands_begin_y(const cairn_operands *operands, bool set, bool joined)
{
    const cairn_operands *o     = operands;
    const bool            stays = o->op.transposed  ? false
                                  : o->op.beta == 0 ? set
                                  : o->op.beta == 1 ? joined && o->value_bits == 64
                                                    : false;

    if (!stays) all_of_y(o, o->op.beta == 0 ? clear_range : scale_range);
}

cairn_status cairn_operands_begin(cairn_operands *operands, bool set, bool joined)
{
    const cairn_operands *o = operands;

    if (o->op.transposed) {
        cairn_operands_begin_y(o, set, joined);
        cairn_halo_clear(o->halo);
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_halo_begin(o->halo, o->now.x));
    cairn_operands_begin_y(o, set, joined);
    return cairn_halo_end(o->halo);
}

cairn_status cairn_operands_end(cairn_operands *operands, bool rounded)
{
    cairn_operands *o = operands;

    if (o->op.transposed) {
        CAIRN_TRY(cairn_halo_begin(o->halo, NULL));
        CAIRN_TRY(cairn_halo_end(o->halo));
    }
    if (o->value_bits == 32 && sums_wide(o) && !rounded) all_of_y(o, round_range);
    if (o->value_bits == 64 && wide_rows(o) != o->now.y) all_of_y(o, copy_range);
    return CAIRN_OK;
}
