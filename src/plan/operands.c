// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// X and Y of a product on one rank: who owns which rows, their memory, the window on X.

#include "plan/halo_columns.h"
#include "plan/operands_steps.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

/// The operand whose rows are columns of A: it has the window.
static cairn_rows *windowed_rows(cairn_operands *o)
{
    return o->op.transposed ? &o->y_rows : &o->x_rows;
}

size_t cairn_operands_x_bytes(const cairn_operands *operands)
{
    return (size_t)cairn_operands_owned_values(operands, &operands->x_rows)
           * (size_t)operands->value_bits / 8;
}

size_t cairn_operands_y_bytes(const cairn_operands *operands)
{
    return (size_t)cairn_operands_owned_values(operands, &operands->y_rows)
           * (size_t)operands->value_bits / 8;
}

/// Bytes of a row of X.
static size_t row_bytes(const cairn_operands *o)
{
    return (size_t)o->op.columns * (size_t)o->value_bits / 8;
}

bool cairn_operands_reads_owned_x(const cairn_operands *operands)
{
    return operands->op.transposed || cairn_operands_owns_window(operands);
}

/// The first row of X that this rank owns.
static cairn_coord first_owned(const cairn_operands *o)
{
    return o->x_rows.first[o->comm->rank];
}

cairn_x_rows cairn_operands_x_rows(const cairn_operands *operands)
{
    const cairn_operands *o    = operands;
    cairn_x_rows          rows = {
                 .owned     = {first_owned(o), o->x_rows.first[o->comm->rank + 1] - 1},
                 .row_bytes = row_bytes(o)
    };

    assert(!o->op.transposed);
    rows.ghost = cairn_halo_needs(o->halo, &rows.ghosts);
    return rows;
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

static cairn_status
create_halo(cairn_operands *o, const cairn_local *tensor, bool needed)
{
    const cairn_halo_row row    = {.way        = o->op.transposed ? CAIRN_HALO_SUM
                                                                  : CAIRN_HALO_FETCH,
                                   .columns    = o->op.columns,
                                   .value_bits = window_bits(o)};
    cairn_rows          *rows   = windowed_rows(o);
    cairn_coord         *column = NULL;
    cairn_pos            n      = 0;
    cairn_status         status = CAIRN_OK;

    if (needed)
        status = cairn_comm_agree(
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
    const cairn_pos xs    = cairn_operands_owned_values(o, &o->x_rows),
                    ys    = cairn_operands_owned_values(o, &o->y_rows);
    const __int128 window = cairn_halo_bytes(o->halo);

    if (!o->op.transposed)
        return window
               + (__int128)(cairn_operands_has_window(o) ? ys : xs + ys) * o->value_bits
                     / 8;
    return window + (__int128)(o->value_bits == 32 ? xs + ys : xs) * o->value_bits / 8;
}

static cairn_status check_memory(cairn_operands *o, int64_t held, bool wide)
{
    __int128 bytes = operand_bytes(o);

    if (has_own_wide(o, wide))
        bytes += (__int128)cairn_operands_owned_values(o, &o->y_rows)
                 * (int64_t)sizeof *o->wide;
    CAIRN_TRY(
        cairn_check_memory(o->comm->env, "x and y beside the arrays", held + bytes));
    o->memory = (int64_t)bytes;
    return CAIRN_OK;
}

bool cairn_operands_has_window(const cairn_operands *operands)
{
    return cairn_halo_window(operands->halo) != NULL;
}

cairn_status cairn_operands_add_window(cairn_operands *operands)
{
    if (cairn_operands_has_window(operands)) return CAIRN_OK;
    return cairn_halo_map(operands->halo, windowed_rows(operands));
}

/// The owned rows inside the window; NULL: there is none.
static char *owned_window(const cairn_operands *o)
{
    const cairn_rows *rows = o->op.transposed ? &o->y_rows : &o->x_rows;

    if (!cairn_operands_has_window(o)) return NULL;
    return (char *)cairn_halo_window(o->halo)
           + (size_t)(rows->first[o->comm->rank] * o->op.columns)
                 * (size_t)window_bits(o) / 8;
}

/// Write the owned rows of the window first by the threads that will use them, so that
/// they lie near these where a machine has several memories.
static void touch_window(cairn_operands *o)
{
    assert(o->halo && o->threads >= 1);
    const cairn_pos bytes =
        cairn_operands_owned_values(o, windowed_rows(o)) * window_bits(o) / 8;
    char *const first = owned_window(o);

#pragma omp parallel for schedule(static) num_threads(o->threads) if (o->threads > 1)
    for (int t = 0; t < o->threads; t++) {
        const cairn_pos from = cairn_operands_share_begin(o, bytes, t);

        memset(first + from, 0,
               (size_t)(cairn_operands_share_begin(o, bytes, t + 1) - from));
    }
}

static cairn_status allocate_transposed(cairn_operands *o)
{
    cairn_env   *env  = o->comm->env;
    const size_t size = (size_t)o->value_bits / 8;

    assert(!o->block[0] && !o->block[1]);
    CAIRN_TRY(cairn_alloc_zero(env, cairn_operands_owned_values(o, &o->x_rows), size,
                               &o->block[0]));
    o->x    = o->block[0];
    o->wide = (double *)owned_window(o);
    o->y    = o->wide;
    if (o->value_bits == 64) return CAIRN_OK;
    CAIRN_TRY(cairn_alloc_zero(env, cairn_operands_owned_values(o, &o->y_rows), size,
                               &o->block[1]));
    o->y = o->block[1];
    return CAIRN_OK;
}

static cairn_status allocate_wide(cairn_operands *o)
{
    CAIRN_TRY(cairn_alloc_zero(o->comm->env, cairn_operands_owned_values(o, &o->y_rows),
                               sizeof(double), &o->block[1]));
    o->wide = o->block[1];
    return CAIRN_OK;
}

/// Where the plan's own X is.
static cairn_status allocate_x(cairn_operands *o)
{
    o->x = owned_window(o);
    if (o->x) return CAIRN_OK;
    CAIRN_TRY(cairn_alloc_zero(o->comm->env, cairn_operands_owned_values(o, &o->x_rows),
                               (size_t)o->value_bits / 8, &o->block[2]));
    o->x = o->block[2];
    return CAIRN_OK;
}

static cairn_status allocate(cairn_operands *o, bool wide)
{
    cairn_env      *env = o->comm->env;
    const cairn_pos ys  = cairn_operands_owned_values(o, &o->y_rows);

    if (cairn_operands_has_window(o)) touch_window(o);
    if (o->op.transposed) return allocate_transposed(o);
    CAIRN_TRY(cairn_alloc_zero(env, ys, (size_t)o->value_bits / 8, &o->block[0]));
    CAIRN_TRY(allocate_x(o));
    o->y = o->block[0];
    if (o->value_bits == 64) o->wide = o->y;
    return has_own_wide(o, wide) ? allocate_wide(o) : CAIRN_OK;
}

cairn_status
cairn_operands_allocate(cairn_operands *operands, int64_t held, bool wide, bool window)
{
    cairn_operands *o = operands;

    assert(window || !cairn_operands_reads_owned_x(o));
    if (window) CAIRN_TRY(cairn_operands_add_window(o));
    CAIRN_TRY(check_memory(o, held, wide));
    CAIRN_TRY(allocate(o, wide));
    o->now = (cairn_vectors){o->x, o->y};
    return CAIRN_OK;
}

int64_t cairn_operands_window_bytes(const cairn_operands *operands)
{
    const int64_t bytes = cairn_halo_window_bytes(operands->halo, &operands->x_rows);

    return bytes - (int64_t)cairn_operands_x_bytes(operands);
}

bool cairn_operands_is_parted(const cairn_operands *operands)
{
    return !cairn_operands_reads_owned_x(operands)
           && operands->now.x != owned_window(operands);
}

cairn_status cairn_operands_gather_x(cairn_operands *operands)
{
    cairn_operands *o = operands;

    assert(cairn_operands_is_parted(o));
    CAIRN_TRY(cairn_operands_add_window(o));
    memmove(owned_window(o), o->now.x, cairn_operands_x_bytes(o));
    if (o->last.x == o->now.x) o->last.x = NULL;
    o->now.x = owned_window(o);
    return CAIRN_OK;
}

cairn_status cairn_operands_create(cairn_comm                  *comm,
                                   const cairn_local           *tensor,
                                   const cairn_rows            *rows,
                                   const cairn_product_options *op,
                                   int                          threads,
                                   bool                         halo,
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
    if (status == CAIRN_OK) status = share_rows(fresh, &tensor->shape, rows);
    if (status == CAIRN_OK) status = create_halo(fresh, tensor, halo);
    if (status == CAIRN_OK)
        *operands = fresh;
    else
        cairn_operands_leave(&fresh);
    return status;
}

cairn_status cairn_operands_join(cairn_operands *operands, int64_t held, bool wide)
{
    cairn_operands *o   = operands;
    const bool      add = has_own_wide(o, wide) && !o->wide;
    const int64_t   more =
        add ? cairn_operands_owned_values(o, &o->y_rows) * (int64_t)sizeof *o->wide : 0;

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
    for (int k = 0; k < 3; k++)
        cairn_free(env, o->block[k]);
    cairn_free(env, o);
}

const void *cairn_operands_x(const cairn_operands *operands)
{
    const cairn_operands *o = operands;

    if (o->op.transposed || (cairn_operands_owns_window(o) && o->now.x != o->x))
        return o->now.x;
    return cairn_halo_window(o->halo);
}

const void *cairn_operands_own_x(const cairn_operands *operands)
{
    return cairn_operands_reads_owned_x(operands) ? operands->x : NULL;
}

void cairn_operands_keep(cairn_operands *operands)
{
    operands->users++; /* one that never leaves */
}

const void *cairn_operands_owned_x(const cairn_operands *operands)
{
    return (const void *)((uintptr_t)operands->now.x
                          - (uintptr_t)first_owned(operands) * row_bytes(operands));
}

const void *cairn_operands_x_row(const cairn_operands *operands, cairn_coord j)
{
    const cairn_operands *o    = operands;
    const cairn_x_rows    rows = cairn_operands_x_rows(o);

    return rows.owned.lo <= j && j <= rows.owned.hi
               ? (const char *)o->x + (size_t)(j - rows.owned.lo) * rows.row_bytes
               : (const char *)cairn_halo_fetched(o->halo)
                     + (size_t)cairn_x_rows_ghost(&rows, j) * rows.row_bytes;
}

void cairn_operands_fill_window(const cairn_operands *operands,
                                const cairn_interval *stretch,
                                int64_t               stretches)
{
    const cairn_operands *o     = operands;
    const size_t          bytes = row_bytes(o);
    const cairn_coord     first = first_owned(o);
    const char *const     from  = o->now.x;
    char *const           to    = owned_window(o);

    assert(cairn_operands_is_parted(o));
    for (int64_t k = 0; k < stretches; k++) {
        const size_t at = (size_t)(stretch[k].lo - first) * bytes;

        memcpy(to + at, from + at, (size_t)(stretch[k].hi - stretch[k].lo + 1) * bytes);
    }
}

int64_t cairn_operands_bytes(const cairn_operands *operands)
{
    const cairn_operands *o = operands;
    cairn_pos             received, sent;

    cairn_halo_counts(o->halo, &received, &sent);
    return (cairn_operands_owned_values(o, &o->x_rows)
            + cairn_operands_owned_values(o, &o->y_rows))
               * o->value_bits / 8
           + (received + sent) * o->op.columns * window_bits(o) / 8;
}
