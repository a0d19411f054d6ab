// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// New values for a solver's pattern. Where each entry is stored is found when the first
/// ones come: many matrices get none.

#include "api/door.h"
#include "api/entry_index.h"
#include "api/solver_rows.h"
#include "tensor/statistics.h"

#include <stdlib.h>
#include <string.h>

enum { MARKS = 8 }; ///< Columns an entry, up to which each is marked.

/* ---- the pattern ---- */

/// Columns that have entries, of arrays by columns.
static cairn_status list_columns(const cairn_solver_rows *a, cairn_local *local)
{
    const int64_t lines = cairn_rows_lines(a);

    CAIRN_TRY(CAIRN_NEW(local->env, lines, &local->column));
    for (int64_t j = 0; j < lines; j++)
        if (cairn_rows_ptr(a, j) < cairn_rows_ptr(a, j + 1))
            local->column[local->columns++] = j;
    return CAIRN_OK;
}

/// Columns that have entries, ascending, by a mark for each column of the matrix.
static cairn_status mark_columns(const cairn_solver_rows *a, cairn_local *local)
{
    const int64_t n      = cairn_rows_entries(a);
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

/// Likewise of arrays by rows.
static cairn_status find_columns(const cairn_solver_rows *a, cairn_local *local)
{
    const int64_t n = cairn_rows_entries(a), extent = local->shape.extent[1];
    const bool    marks = extent / MARKS <= n;

    CAIRN_TRY(CAIRN_NEW(local->env, marks && extent < n ? extent : n, &local->column));
    if (marks) {
        CAIRN_TRY(mark_columns(a, local));
    } else {
        for (int64_t k = 0; k < n; k++)
            local->column[k] = cairn_rows_idx(a, k);
        if (n > 0) local->columns = cairn_distinct(local->column, n);
    }
    return CAIRN_OK;
}

/// The columns of the pattern: values that are 0 now may be others at the next update.
static cairn_status keep_columns(const cairn_solver_rows *a, cairn_local *local)
{
    local->pattern = true;
    CAIRN_TRY(a->by_columns ? list_columns(a, local) : find_columns(a, local));
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
    refill->n           = cairn_rows_entries(a);
    refill->pattern     = *a;
    refill->pattern.ptr = refill->pattern.idx = refill->pattern.val = NULL;
    CAIRN_TRY(
        copy(env, a->ptr, cairn_rows_lines(a) + 1, a->ptr_bits, &refill->pattern.ptr));
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
    cairn_free(env, (*refill)->sums);
    cairn_free(env, *refill);
    *refill = NULL;
}

/* ---- where entries are stored ---- */

static void
locate(const cairn_tensor *tensor, cairn_entry_index *index, cairn_target *target)
{
    const cairn_solver_rows *a = &tensor->refill->pattern;

    for (int64_t i = 0; i < cairn_rows_lines(a); i++)
        for (int64_t k = cairn_rows_ptr(a, i); k < cairn_rows_ptr(a, i + 1); k++) {
            cairn_coord d[2];

            cairn_rows_coord(a, i, k, d);
            target[k] = cairn_entry_index_at(index, d[0], d[1]);
        }
}

static int by_place(const void *a, const void *b)
{
    const cairn_target *s = &((const cairn_refill_sum *)a)->target;
    const cairn_target *t = &((const cairn_refill_sum *)b)->target;

    if (s->part != t->part) return s->part < t->part ? -1 : 1;
    return s->value < t->value ? -1 : s->value > t->value;
}

/// Places that several entries go to: of the sorted places of all, those that are there
/// again, each once.
static void find_shared(cairn_refill *refill)
{
    cairn_refill_sum *sum  = refill->sums;
    int64_t           kept = 0;

    qsort(sum, (size_t)refill->n, sizeof *sum, by_place);
    for (int64_t k = 1; k < refill->n; k++)
        if (by_place(&sum[k - 1], &sum[k]) == 0
            && (kept == 0 || by_place(&sum[kept - 1], &sum[k]) != 0))
            sum[kept++] = sum[k];
    refill->shared = kept;
}

/// Let entries that share a place find its sum.
static cairn_status share_places(cairn_env *env, cairn_refill *refill)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(env, refill->n, &refill->sums));
    for (int64_t k = 0; k < refill->n; k++)
        refill->sums[k].target = refill->target[k];
    find_shared(refill);
    for (int64_t k = 0; k < refill->n; k++) {
        const cairn_refill_sum  key = {.target = refill->target[k]};
        const cairn_refill_sum *its =
            bsearch(&key, refill->sums, (size_t)refill->shared, sizeof key, by_place);

        if (its) refill->target[k].part = ~(int64_t)(its - refill->sums);
    }
    return cairn_realloc(env, refill->shared, sizeof *refill->sums,
                         (void **)&refill->sums);
}

/// Find where entries, which are those of the pattern, each once, are stored.
static cairn_status find_places(cairn_tensor *tensor, const cairn_entries *entries)
{
    cairn_refill     *refill = tensor->refill;
    cairn_env        *env    = &tensor->context->env;
    cairn_entry_index index;
    cairn_status      status =
        cairn_entry_index_init(&index, tensor->local, entries,
                               refill->pattern.first_row, refill->pattern.rows);

    if (status == CAIRN_OK) status = CAIRN_NEW(env, refill->n, &refill->target);
    if (status == CAIRN_OK) locate(tensor, &index, refill->target);
    cairn_entry_index_fini(&index);
    if (status == CAIRN_OK && entries->n < refill->n)
        status = share_places(env, refill);
    return status;
}

/// Find where the entries of the pattern are stored, which is then of no more use.
static cairn_status find_targets(cairn_tensor *tensor)
{
    cairn_env    *env    = &tensor->context->env;
    cairn_refill *refill = tensor->refill;
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    cairn_status status = cairn_solver_rows_entries(&refill->pattern, &entries);

    if (status == CAIRN_OK) status = find_places(tensor, &entries);
    cairn_entries_fini(env, &entries);
    if (status == CAIRN_OK) {
        drop_pattern(env, refill);
        return CAIRN_OK;
    }
    cairn_free(env, refill->target);
    cairn_free(env, refill->sums);
    refill->target = NULL;
    refill->sums   = NULL;
    refill->shared = 0;
    return status;
}

/* ---- new values ---- */

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
        tensor->local->updates++; /* also where some members were widened in vain */
        return cairn_refill_store(tensor, val);
    }
    tensor->local->updates++;
    return CAIRN_OK;
}
