// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A solver's CSR arrays: borrowed as they are, or stored in a format with a map that
/// brings new values to their places.

#include "api/collective_arguments.h"
#include "api/door.h"
#include "api/entry_index.h"
#include "tensor/statistics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MARKS = 8 }; ///< Columns an entry, up to which each is marked.

/// What the caller handed over.
typedef struct {
    cairn_context *context;
    cairn_shape    shape;
    int64_t        first_row, rows;
    const void    *ptr, *idx, *val;
    int            ptr_bits, idx_bits;
    cairn_dtype    dtype;
} csr;

static int64_t ptr_at(const csr *a, int64_t k)
{
    return cairn_load_int(a->ptr, k, a->ptr_bits / 8, a->ptr_bits, true);
}

static int64_t idx_at(const csr *a, int64_t k)
{
    return cairn_load_int(a->idx, k, a->idx_bits / 8, a->idx_bits, true);
}

static double val_at(const csr *a, int64_t k, const void *val)
{
    return a->dtype == CAIRN_F32 ? (double)((const float *)val)[k]
                                 : ((const double *)val)[k];
}

static cairn_status check_widths(const csr *a)
{
    cairn_env *env = &a->context->env;

    CAIRN_CHECK((a->ptr_bits == 32 || a->ptr_bits == 64)
                    && (a->idx_bits == 32 || a->idx_bits == 64),
                env, CAIRN_BAD_ARGUMENT, "csr: ptr_bits and idx_bits are 32 or 64");
    for (int k = 0; k < 2; k++)
        CAIRN_CHECK(a->shape.extent[k] >= 0 && a->shape.extent[k] < INT64_MAX / 4, env,
                    CAIRN_BAD_SHAPE, "csr: extent %d is %" PRId64, k,
                    a->shape.extent[k]);
    CAIRN_CHECK(a->rows >= 0 && a->first_row >= 0
                    && a->rows <= a->shape.extent[0] - a->first_row,
                env, CAIRN_BAD_SHAPE,
                "csr: %" PRId64 " rows from %" PRId64 " on are not within 0..%" PRId64,
                a->rows, a->first_row, a->shape.extent[0] - 1);
    return CAIRN_OK;
}

/// Only rows without entries need no arrays of them.
static cairn_status check_entries(const csr *a)
{
    cairn_env *env = &a->context->env;

    if (ptr_at(a, a->rows) == 0) return CAIRN_OK;
    CAIRN_CHECK(a->idx, env, CAIRN_BAD_ARGUMENT, "cairn_tensor_from_csr: idx: is NULL");
    CAIRN_CHECK(a->val, env, CAIRN_BAD_ARGUMENT, "cairn_tensor_from_csr: val: is NULL");
    return CAIRN_OK;
}

static cairn_status check_arrays(const csr *a)
{
    cairn_env *env = &a->context->env;

    CAIRN_TRY(check_widths(a));
    CAIRN_CHECK(ptr_at(a, 0) == 0, env, CAIRN_BAD_COORD,
                "csr: ptr[0] is %" PRId64 ", not 0", ptr_at(a, 0));
    for (int64_t i = 0; i < a->rows; i++)
        CAIRN_CHECK(ptr_at(a, i) <= ptr_at(a, i + 1), env, CAIRN_BAD_COORD,
                    "csr: ptr descends after row %" PRId64, a->first_row + i);
    CAIRN_TRY(check_entries(a));
    for (int64_t k = 0; k < ptr_at(a, a->rows); k++)
        CAIRN_CHECK(idx_at(a, k) >= 0 && idx_at(a, k) < a->shape.extent[1], env,
                    CAIRN_BAD_COORD,
                    "csr: entry %" PRId64 ": column %" PRId64
                    " is not within 0..%" PRId64,
                    k, idx_at(a, k), a->shape.extent[1] - 1);
    return CAIRN_OK;
}

static cairn_status own_format(const csr *a, cairn_format **format)
{
    char text[160];

    snprintf(text, sizeof text,
             "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
             "bits<ptr = %d, idx = %d> }>",
             a->ptr_bits, a->idx_bits);
    return cairn_format_create(a->context, text, format);
}

/// A part over the caller's arrays. A row's entries may stand in any order.
static cairn_status borrow(const csr *a, cairn_tensor *tensor)
{
    cairn_env     *env    = &a->context->env;
    cairn_interval box[2] = {
        {a->first_row, a->first_row + a->rows - 1},
        {0,            a->shape.extent[1] - 1    }
    };
    const cairn_pos nodes[CAIRN_MAX_LEVELS] = {0, ptr_at(a, a->rows)};
    int64_t         offset = 0, bytes = 0;
    cairn_local    *local;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &local));
    tensor->local     = local;
    local->env        = env;
    local->shape      = a->shape;
    local->format     = tensor->format;
    local->value_bits = a->dtype == CAIRN_F32 ? 32 : 64;
    memcpy(local->box, box, sizeof box);
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &local->part));
    CAIRN_TRY(cairn_layout_create(env, tensor->format->member[0], a->shape.extent, box,
                                  NULL, local->value_bits, &local->group[0].layout));
    cairn_part *part = &local->part[0];

    part->where.rank = a->context->comm->rank;
    part->nnz        = nodes[1];
    cairn_part_place(local->group[0].layout, nodes, NULL, &offset, &bytes, part);
    part->view.level[1].ptr = a->ptr;
    part->view.level[1].idx = a->idx;
    part->view.val          = (void *)a->val;
    local->groups           = 1;
    local->parts            = 1;
    local->group[0].count   = 1;
    local->group[0].bytes   = bytes;
    return CAIRN_OK;
}

static cairn_status take_entries(const csr *a, cairn_entries *entries)
{
    cairn_env *env = &a->context->env;

    CAIRN_TRY(cairn_entries_reserve(env, entries, ptr_at(a, a->rows)));
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = ptr_at(a, i); k < ptr_at(a, i + 1); k++) {
            const cairn_coord d[2] = {a->first_row + i, idx_at(a, k)};

            CAIRN_TRY(cairn_entries_add(env, entries, d, val_at(a, k, a->val)));
        }
    return cairn_entries_sort(env, entries);
}

/// Columns that have entries, ascending, by a mark for each column of the matrix.
static cairn_status
mark_columns(const cairn_entries *entries, int64_t extent, cairn_local *local)
{
    uint8_t *mark;

    CAIRN_TRY(CAIRN_NEW_ZERO(local->env, extent, &mark));
    for (cairn_pos k = 0; k < entries->n; k++)
        mark[entries->coord[1][k]] = 1;
    for (int64_t j = 0; j < extent; j++)
        if (mark[j]) local->column[local->columns++] = j;
    cairn_free(local->env, mark);
    return CAIRN_OK;
}

/// The columns of the pattern: values that are 0 now may be others at the next update.
static cairn_status keep_pattern(const cairn_entries *entries, cairn_local *local)
{
    const int64_t extent = local->shape.extent[1];

    CAIRN_TRY(CAIRN_NEW(local->env, entries->n, &local->column));
    local->pattern = true;
    if (extent / MARKS <= entries->n) {
        CAIRN_TRY(mark_columns(entries, extent, local));
    } else if (entries->n) {
        memcpy(local->column, entries->coord[1],
               (size_t)entries->n * sizeof *local->column);
        local->columns = cairn_distinct(local->column, entries->n);
    }
    return cairn_realloc(local->env, local->columns, sizeof *local->column,
                         (void **)&local->column);
}

/// Where each of the caller's entries is stored.
static cairn_status
map_targets(const csr *a, cairn_tensor *tensor, const cairn_entries *entries)
{
    cairn_env        *env = &a->context->env;
    cairn_entry_index l;

    CAIRN_TRY(keep_pattern(entries, tensor->local));
    tensor->targets = ptr_at(a, a->rows);
    CAIRN_TRY(CAIRN_NEW(env, tensor->targets, &tensor->target));
    const cairn_status status =
        cairn_entry_index_init(&l, tensor->local, entries, a->first_row, a->rows);

    for (int64_t i = 0; i < a->rows && status == CAIRN_OK; i++)
        for (int64_t k = ptr_at(a, i); k < ptr_at(a, i + 1); k++)
            tensor->target[k] =
                cairn_entry_index_at(&l, a->first_row + i, idx_at(a, k));
    cairn_entry_index_fini(&l);
    return status;
}

/// Formats may look at values (queries over `value gt 1`, say); then the pattern's own
/// values decide where entries go, as they do in any other build.
static cairn_status store(const csr *a, cairn_tensor *tensor)
{
    cairn_env    *env = &a->context->env;
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    cairn_status status = cairn_comm_agree(a->context->comm, take_entries(a, &entries));

    if (status == CAIRN_OK)
        status = cairn_tensor_build(tensor, &a->shape, &entries, NULL);
    if (status == CAIRN_OK)
        status = cairn_comm_agree(a->context->comm, map_targets(a, tensor, &entries));
    cairn_entries_fini(env, &entries);
    return status;
}

static cairn_status
create(const csr *a, const cairn_format *format, cairn_tensor **tensor)
{
    cairn_env *env = &a->context->env;

    CAIRN_TRY(check_arrays(a));
    CAIRN_CHECK(!format || format->order == 2, env, CAIRN_BAD_SHAPE,
                "csr: the format stores tensors of order %d", format->order);
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, tensor));
    (*tensor)->context = a->context;
    (*tensor)->dtype   = a->dtype;
    (*tensor)->targets = -1;
    return format ? cairn_format_copy(a->context, format, &(*tensor)->format)
                  : own_format(a, &(*tensor)->format);
}

static cairn_status
fill(const csr *a, cairn_copy_mode mode, bool own, cairn_tensor *tensor)
{
    CAIRN_TRY(cairn_rows_given(a->context->comm, "csr", &a->shape, a->first_row,
                               a->rows, &tensor->rows));
    if (mode != CAIRN_BORROW || !own) return store(a, tensor);
    tensor->borrowed = a->val;
    return cairn_comm_agree(a->context->comm, borrow(a, tensor));
}

cairn_status cairn_tensor_from_csr(cairn_context      *context,
                                   int64_t             global_rows,
                                   int64_t             global_cols,
                                   int64_t             first_row,
                                   int64_t             rows,
                                   const void         *ptr,
                                   int                 ptr_bits,
                                   const void         *idx,
                                   int                 idx_bits,
                                   const void         *val,
                                   cairn_dtype         dtype,
                                   cairn_copy_mode     mode,
                                   const cairn_format *format,
                                   cairn_tensor      **tensor)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(ptr), CAIRN_ONE_OF(dtype, CAIRN_F32),
                         CAIRN_ONE_OF(mode, CAIRN_BORROW), CAIRN_GIVEN(tensor));
    cairn_doing(&context->env, "taking arrays");

    const csr a = {
        .context   = context,
        .shape     = {2, {global_rows, global_cols}},
        .first_row = first_row,
        .rows      = rows,
        .ptr       = ptr,
        .idx       = idx,
        .val       = val,
        .ptr_bits  = ptr_bits,
        .idx_bits  = idx_bits,
        .dtype     = dtype
    };
    const double     begin     = cairn_seconds();
    cairn_tensor    *fresh     = NULL;
    cairn_collective arguments = {0};
    cairn_status     status    = create(&a, format, &fresh);

    /* Borrowed or stored: other calls follow. */
    cairn_collective_text(&arguments, "arrays",
                          format                 ? "stored in a format"
                          : mode == CAIRN_BORROW ? "borrowed"
                                                 : "copied");
    cairn_collective_dtype(&arguments, dtype);
    if (status == CAIRN_OK) cairn_collective_format(&arguments, fresh->format);
    status = cairn_comm_agree_on(context->comm, status, &arguments);
    if (status == CAIRN_OK) status = fill(&a, mode, format == NULL, fresh);
    if (status == CAIRN_OK) {
        fresh->seconds = cairn_seconds() - begin;
        *tensor        = fresh;
    } else {
        cairn_tensor_destroy(&fresh);
    }
    return status;
}

cairn_status cairn_tensor_update(cairn_tensor *tensor, const void *val)
{
    CAIRN_ENTER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor));
    if (tensor->targets > 0 || tensor->borrowed)
        CAIRN_ENTER(tensor->context, CAIRN_GIVEN(val));
    CAIRN_TRY(cairn_tensor_check_views(tensor, "update"));
    const csr a = {.dtype = tensor->dtype};

    if (tensor->borrowed) {
        CAIRN_CHECK(val == tensor->borrowed, &tensor->context->env, CAIRN_BAD_ARGUMENT,
                    "update: the values are borrowed: change them in place");
        tensor->local->updates++;
        return CAIRN_OK;
    }
    CAIRN_CHECK(tensor->targets >= 0, &tensor->context->env, CAIRN_BAD_ARGUMENT,
                "update: the tensor was not made from a solver's rows");
    for (int64_t k = 0; k < tensor->targets; k++) {
        const cairn_target t = tensor->target[k];

        cairn_value_set(&tensor->local->part[t.part].view, t.value, 0);
    }
    for (int64_t k = 0; k < tensor->targets; k++) { /* duplicates add, in order */
        const cairn_target       t    = tensor->target[k];
        const cairn_kernel_part *view = &tensor->local->part[t.part].view;

        cairn_value_set(view, t.value,
                        cairn_value_get(view, t.value) + val_at(&a, k, val));
    }
    tensor->local->updates++;
    return CAIRN_OK;
}
