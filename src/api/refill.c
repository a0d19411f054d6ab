// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// New values for a solver's pattern. Where each entry is stored is found when the first
/// ones come: many matrices get none.

#include "api/door.h"
#include "api/entry_index.h"
#include "api/solver_rows.h"
#include "tensor/statistics.h"

#include <string.h>

enum { MARKS = 8 }; ///< Columns an entry, up to which each is marked.

/* ---- the pattern ---- */

/// Columns that have entries, ascending, by a mark for each column of the matrix.
static cairn_status mark_columns(const cairn_solver_rows *a, cairn_local *local)
{
    const int64_t n      = cairn_rows_ptr(a, a->rows);
    const int64_t extent = local->shape.extent[1];
    uint8_t      *mark;

    CAIRN_TRY(CAIRN_NEW_ZERO(local->env, extent, &mark));
    if (a->idx_bits == 32)
        for (int64_t k = 0; k < n; k++)
            mark[((const uint32_t *)a->idx)[k]] = 1;
    else
        for (int64_t k = 0; k < n; k++)
            mark[((const uint64_t *)a->idx)[k]] = 1;
    for (int64_t j = 0; j < extent; j++)
        if (mark[j]) local->column[local->columns++] = j;
    cairn_free(local->env, mark);
    return CAIRN_OK;
}

/// The columns of the pattern: values that are 0 now may be others at the next update.
static cairn_status keep_columns(const cairn_solver_rows *a, cairn_local *local)
{
    const int64_t n = cairn_rows_ptr(a, a->rows), extent = local->shape.extent[1];
    const bool    marks = extent / MARKS <= n;

    CAIRN_TRY(CAIRN_NEW(local->env, marks && extent < n ? extent : n, &local->column));
    local->pattern = true;
    if (marks) {
        CAIRN_TRY(mark_columns(a, local));
    } else {
        for (int64_t k = 0; k < n; k++)
            local->column[k] = cairn_rows_idx(a, k);
        if (n > 0) local->columns = cairn_distinct(local->column, n);
    }
    return cairn_realloc(local->env, local->columns, sizeof *local->column,
                         (void **)&local->column);
}

/// A copy of one of the caller's arrays.
static cairn_status
copy(cairn_env *env, const void *array, int64_t n, int bits, const void **copied)
{
    void *bytes;

    CAIRN_TRY(cairn_alloc(env, n, (size_t)bits / 8, &bytes));
    if (n > 0) memcpy(bytes, array, (size_t)n * (size_t)bits / 8);
    *copied = bytes;
    return CAIRN_OK;
}

cairn_status cairn_refill_create(const cairn_solver_rows *a, cairn_tensor *tensor)
{
    cairn_env    *env = &a->context->env;
    cairn_refill *refill;

    CAIRN_TRY(keep_columns(a, tensor->local));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &refill));
    tensor->refill      = refill;
    refill->n           = cairn_rows_ptr(a, a->rows);
    refill->pattern     = *a;
    refill->pattern.ptr = refill->pattern.idx = refill->pattern.val = NULL;
    CAIRN_TRY(copy(env, a->ptr, a->rows + 1, a->ptr_bits, &refill->pattern.ptr));
    return copy(env, a->idx, refill->n, a->idx_bits, &refill->pattern.idx);
}

static void drop_pattern(cairn_env *env, cairn_refill *refill)
{
    cairn_free(env, (void *)refill->pattern.ptr);
    cairn_free(env, (void *)refill->pattern.idx);
    refill->pattern.ptr = refill->pattern.idx = NULL;
}

void cairn_refill_destroy(cairn_env *env, cairn_refill **refill)
{
    if (!*refill) return;
    drop_pattern(env, *refill);
    cairn_free(env, (*refill)->target);
    cairn_free(env, *refill);
    *refill = NULL;
}

/* ---- where entries are stored ---- */

static cairn_status
locate(const cairn_tensor *tensor, const cairn_entries *entries, cairn_target *target)
{
    const cairn_solver_rows *a = &tensor->refill->pattern;
    cairn_entry_index        index;
    cairn_status             status =
        cairn_entry_index_init(&index, tensor->local, entries, a->first_row, a->rows);

    for (int64_t i = 0; i < a->rows && status == CAIRN_OK; i++)
        for (int64_t k = cairn_rows_ptr(a, i); k < cairn_rows_ptr(a, i + 1); k++)
            target[k] =
                cairn_entry_index_at(&index, a->first_row + i, cairn_rows_idx(a, k));
    cairn_entry_index_fini(&index);
    return status;
}

/// Find where the entries of the pattern are stored, which is then of no more use.
static cairn_status find_targets(cairn_tensor *tensor)
{
    cairn_env    *env    = &tensor->context->env;
    cairn_refill *refill = tensor->refill;
    cairn_target *target = NULL;
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    cairn_status status = cairn_solver_rows_entries(&refill->pattern, &entries);

    if (status == CAIRN_OK) status = CAIRN_NEW(env, refill->n, &target);
    if (status == CAIRN_OK) status = locate(tensor, &entries, target);
    cairn_entries_fini(env, &entries);
    if (status != CAIRN_OK) {
        cairn_free(env, target);
        return status;
    }
    refill->target = target;
    drop_pattern(env, refill);
    return CAIRN_OK;
}

/* ---- new values ---- */

static void store_values(cairn_tensor *tensor, const void *val)
{
    const cairn_refill *refill = tensor->refill;
    const bool          single = tensor->dtype == CAIRN_F32;

    for (int64_t k = 0; k < refill->n; k++) {
        const cairn_target t = refill->target[k];

        cairn_value_set(&tensor->local->part[t.part].view, t.value, 0);
    }
    for (int64_t k = 0; k < refill->n; k++) { /* duplicates add, in order */
        const cairn_target       t    = refill->target[k];
        const cairn_kernel_part *view = &tensor->local->part[t.part].view;
        const double             v =
            single ? (double)((const float *)val)[k] : ((const double *)val)[k];

        cairn_value_set(view, t.value, cairn_value_get(view, t.value) + v);
    }
}

cairn_status cairn_tensor_update(cairn_tensor *tensor, const void *val)
{
    CAIRN_ENTER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor));
    const cairn_refill *refill = tensor->refill;
    cairn_env          *env    = &tensor->context->env;

    if (refill && (refill->n > 0 || refill->borrowed))
        CAIRN_ENTER(tensor->context, CAIRN_GIVEN(val));
    CAIRN_TRY(cairn_tensor_check_views(tensor, "update"));
    CAIRN_CHECK(refill, env, CAIRN_BAD_ARGUMENT,
                "update: the tensor was not made from a solver's rows");
    if (refill->borrowed) {
        CAIRN_CHECK(val == refill->borrowed, env, CAIRN_BAD_ARGUMENT,
                    "update: the values are borrowed: change them in place");
    } else {
        if (!refill->target && refill->n > 0) CAIRN_TRY(find_targets(tensor));
        store_values(tensor, val);
    }
    tensor->local->updates++;
    return CAIRN_OK;
}
