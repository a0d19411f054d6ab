// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// New values for a solver's pattern. Where each entry of compressed rows is stored is found
/// when the first ones come: many matrices get none. Who brings coordinates says whether new
/// values will come, and it is found while they are at hand.

#include "api/door.h"
#include "api/refill/entry_index.h"
#include "api/refill/solver_rows.h"
#include "convert/value_words.h"
#include "tensor/statistics.h"

#include <string.h>

enum { MARKS = 8 }; ///< Columns an entry, up to which each is marked.

/* ---- the pattern ---- */

/// Columns that have entries, of arrays by columns.
static cairn_status list_columns(const cairn_solver_rows *a, cairn_local *local)
{
    const int64_t lines = cairn_rows_lines(a);

    CAIRN_TRY(CAIRN_NEW(local->env, lines, &local->pattern.column));
    for (int64_t j = 0; j < lines; j++)
        if (cairn_rows_ptr(a, j) < cairn_rows_ptr(a, j + 1))
            local->pattern.column[local->pattern.columns++] = j;
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
        if (mark[j]) local->pattern.column[local->pattern.columns++] = j;
    cairn_free(local->env, mark);
    return CAIRN_OK;
}

/// Likewise of arrays by rows.
static cairn_status find_columns(const cairn_solver_rows *a, cairn_local *local)
{
    const int64_t n = cairn_rows_entries(a), extent = local->shape.extent[1];
    const bool    marks = extent / MARKS <= n;

    CAIRN_TRY(CAIRN_NEW(local->env, marks && extent < n ? extent : n,
                        &local->pattern.column));
    if (marks) {
        CAIRN_TRY(mark_columns(a, local));
    } else {
        for (int64_t k = 0; k < n; k++)
            local->pattern.column[k] = cairn_rows_idx(a, k);
        if (n > 0) local->pattern.columns = cairn_distinct(local->pattern.column, n);
    }
    return CAIRN_OK;
}

/// The columns of the pattern: values that are 0 now may be others at the next update.
static cairn_status keep_columns(const cairn_solver_rows *a, cairn_local *local)
{
    local->pattern.kept = true;
    CAIRN_TRY(a->by_columns ? list_columns(a, local) : find_columns(a, local));
    return cairn_realloc(local->env, local->pattern.columns,
                         sizeof *local->pattern.column,
                         (void **)&local->pattern.column);
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
    cairn_free(env, refill->from);
    refill->pattern.ptr = refill->pattern.idx = NULL;
    refill->from                              = NULL;
}

void cairn_refill_destroy(cairn_env *env, cairn_refill **refill)
{
    if (!*refill) return;
    drop_pattern(env, *refill);
    cairn_refill_plan_destroy(env, &(*refill)->plan);
    cairn_free(env, *refill);
    *refill = NULL;
}

/* ---- where entries are stored ---- */

/// What entries are of.
typedef struct {
    const cairn_solver_rows *rows;  ///< NULL: they are
    const cairn_given       *given; ///< these.
    int64_t                  n;
    int64_t                  first_row, row_count; ///< All are in these.
} pattern;

static void locate_rows(const cairn_solver_rows    *a,
                        cairn_entry_index          *index,
                        const cairn_refill_targets *to)
{
    for (int64_t i = 0; i < cairn_rows_lines(a); i++)
        for (int64_t k = cairn_rows_ptr(a, i); k < cairn_rows_ptr(a, i + 1); k++) {
            cairn_coord d[2];

            cairn_rows_coord(a, i, k, d);
            const cairn_target at = cairn_entry_index_at(index, d);

            to->part[k]  = at.part;
            to->place[k] = at.value;
        }
}

static void locate_given(const cairn_given          *given,
                         cairn_entry_index          *index,
                         const cairn_refill_targets *to)
{
    for (cairn_pos k = 0; k < given->n; k++) {
        cairn_coord d[CAIRN_MAX_ORDER];

        for (int m = 0; m < given->order; m++)
            d[m] = cairn_given_coord(given, m, k);
        const cairn_target at = cairn_entry_index_at(index, d);

        to->part[k]  = at.part;
        to->place[k] = at.value;
    }
}

/// Find where the entries of the pattern, in @p entries each once, are stored.
static cairn_status locate(const cairn_tensor         *tensor,
                           const pattern              *p,
                           const cairn_entries        *entries,
                           const cairn_refill_targets *to)
{
    cairn_entry_index  index;
    const cairn_status status = cairn_entry_index_init(&index, tensor->local, entries,
                                                       p->first_row, p->row_count);

    if (status == CAIRN_OK && p->rows) locate_rows(p->rows, &index, to);
    if (status == CAIRN_OK && !p->rows) locate_given(p->given, &index, to);
    cairn_entry_index_fini(&index);
    return status;
}

static cairn_status alloc_targets(cairn_env *env, cairn_refill_targets *to)
{
    to->part = to->place = NULL;
    CAIRN_TRY(CAIRN_NEW(env, to->n, &to->part));
    return CAIRN_NEW(env, to->n, &to->place);
}

static void free_targets(cairn_env *env, cairn_refill_targets *to)
{
    cairn_free(env, to->part);
    cairn_free(env, to->place);
    cairn_free(env, to->by_place);
}

/// The number of entry @p k of the merged rows in both arrays, one after the other.
static int64_t number_in_blocks(const cairn_refill *refill, int64_t k)
{
    return cairn_load_int(refill->from, k, refill->bits / 8, refill->bits, true);
}

/// Number entries as two arrays have them, one after the other, instead of by merged rows.
/// What goes to one place is added in the order of these.
static cairn_status
renumber(cairn_env *env, const cairn_refill *refill, cairn_refill_targets *to)
{
    const int64_t *const keys[] = {to->part, to->place};
    cairn_refill_targets merged = *to;

    if (!to->by_place) {
        CAIRN_TRY(CAIRN_NEW(env, to->n, &to->by_place));
        CAIRN_TRY(cairn_sort_order(env, to->n, 2, keys, to->by_place));
    }
    merged.by_place           = NULL;
    const cairn_status status = alloc_targets(env, to);

    for (int64_t k = 0; k < to->n && status == CAIRN_OK; k++) {
        const int64_t number = number_in_blocks(refill, k);

        to->part[number]  = merged.part[k];
        to->place[number] = merged.place[k];
    }
    for (int64_t k = 0; k < to->n; k++)
        to->by_place[k] = number_in_blocks(refill, to->by_place[k]);
    to->split = refill->split;
    free_targets(env, &merged);
    return status;
}

/// Plan the refills of a tensor by where its entries are.
static cairn_status plan_by(cairn_tensor *tensor, cairn_refill_targets *to)
{
    cairn_env    *env    = &tensor->context->env;
    cairn_refill *refill = tensor->refill;

    to->split = to->n;
    if (refill->from) CAIRN_TRY(renumber(env, refill, to));
    return cairn_refill_plan_create(tensor->local, to, &refill->plan);
}

/// Plan the refills of a tensor by a walk over its positions.
///
/// @param[in,out] entries  The pattern's, sorted, each once; empty afterwards.
static cairn_status
make_plan(cairn_tensor *tensor, const pattern *p, cairn_entries *entries)
{
    cairn_env           *env    = &tensor->context->env;
    cairn_refill_targets to     = {.n = p->n};
    cairn_status         status = alloc_targets(env, &to);

    if (status == CAIRN_OK) status = locate(tensor, p, entries, &to);
    cairn_entries_fini(env, entries);
    if (status == CAIRN_OK) status = plan_by(tensor, &to);
    free_targets(env, &to);
    return status;
}

/* ---- by numbers in the place of values ---- */

/// Are entries stored by their coordinates alone, so that numbers go where values do?
static bool numbers_go_where_values_do(const cairn_tensor *tensor)
{
    const cairn_local *local = tensor->local;
    bool               same  = tensor->context->comm->size == 1;

    for (int g = 0; g < local->groups; g++) {
        const cairn_encoding *encoding = local->group[g].layout->encoding;

        same = same && encoding->val == CAIRN_VAL_UNSAID
               && !cairn_compares_values(encoding);
    }
    return same;
}

/// Read where a tensor has the numbers of its entries, from 1 on. @return false: it has not
/// each once, or is otherwise not what @p local is.
static bool read_numbers(const cairn_local    *numbered,
                         const cairn_local    *local,
                         cairn_refill_targets *to)
{
    int64_t found = 0;

    if (numbered->parts != local->parts) return false;
    for (int64_t p = 0; p < local->parts; p++) {
        const cairn_part *part = &numbered->part[p];

        if (part->view.values != local->part[p].view.values
            || part->nnz != local->part[p].nnz)
            return false;
        for (cairn_pos v = 0; v < part->view.values; v++) {
            const double number = cairn_value_get(&part->view, v);

            if (number == 0) continue;
            if (found == to->n || number > (double)to->n) return false;
            const cairn_pos k = (cairn_pos)number - 1;

            to->by_place[found++] = k;
            to->part[k]           = p;
            to->place[k]          = v;
        }
    }
    return found == to->n;
}

/// Store the entries' numbers as values, as the tensor was stored, and see where they are.
///
/// @param[out] found  They are in @p to.
static cairn_status
locate_numbers(cairn_tensor *tensor, cairn_refill_targets *to, bool *found)
{
    cairn_env        *env      = &tensor->context->env;
    cairn_solver_rows a        = tensor->refill->pattern;
    cairn_tensor     *numbered = NULL;
    double           *number;

    CAIRN_TRY(CAIRN_NEW(env, to->n, &number));
    for (int64_t k = 0; k < to->n; k++)
        number[k] = (double)(k + 1);
    a.val               = number;
    a.dtype             = CAIRN_F64;
    cairn_status status = cairn_solver_rows_store(&a, tensor->format, &numbered);

    cairn_free(env, number);
    if (status == CAIRN_OK) status = alloc_targets(env, to);
    if (status == CAIRN_OK) status = CAIRN_NEW(env, to->n, &to->by_place);
    if (status == CAIRN_OK) *found = read_numbers(numbered->local, tensor->local, to);
    cairn_tensor_destroy(&numbered);
    return status;
}

/// Plan refills by a conversion of numbers, which takes the time of two or three; or not, if
/// entries are there twice, or there is no memory for another tensor.
static cairn_status plan_by_numbers(cairn_tensor *tensor)
{
    cairn_env           *env   = &tensor->context->env;
    cairn_refill_targets to    = {.n = tensor->refill->n};
    bool                 found = false;
    cairn_status         status;

    if (!numbers_go_where_values_do(tensor)) return CAIRN_OK;
    status = locate_numbers(tensor, &to, &found);
    if (status == CAIRN_NO_MEMORY) status = CAIRN_OK;
    if (status == CAIRN_OK && found) status = plan_by(tensor, &to);
    free_targets(env, &to);
    return status;
}

/// Plan the refills of a tensor of compressed rows, of which the copy goes.
static cairn_status plan_rows(cairn_tensor *tensor)
{
    cairn_env               *env    = &tensor->context->env;
    cairn_refill            *refill = tensor->refill;
    const cairn_solver_rows *a      = &refill->pattern;
    const pattern            p      = {
                        .rows = a, .n = refill->n, .first_row = a->first_row, .row_count = a->rows};
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    cairn_status status = plan_by_numbers(tensor);

    if (status == CAIRN_OK && !refill->plan) {
        status = cairn_solver_rows_entries(a, &entries);
        if (status == CAIRN_OK) status = make_plan(tensor, &p, &entries);
        cairn_entries_fini(env, &entries);
    }
    if (status == CAIRN_OK) drop_pattern(env, refill);
    return status;
}

/// Keep the columns of sorted coordinates, as keep_columns() does those of rows.
static cairn_status keep_given(const cairn_entries *entries, cairn_local *local)
{
    local->pattern.kept = true;
    if (entries->order < 2 || entries->n == 0) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(local->env, entries->n, &local->pattern.column));
    memcpy(local->pattern.column, entries->coord[1],
           (size_t)entries->n * sizeof *local->pattern.column);
    local->pattern.columns = cairn_distinct(local->pattern.column, entries->n);
    return cairn_realloc(local->env, local->pattern.columns,
                         sizeof *local->pattern.column,
                         (void **)&local->pattern.column);
}

cairn_status cairn_refill_create_for(const cairn_given *given, cairn_tensor *tensor)
{
    cairn_env *env = &tensor->context->env;
    pattern    p   = {.given = given, .n = given->n};
    int64_t    end;

    cairn_tensor_rows(tensor, &p.first_row, &end);
    p.row_count = end - p.first_row;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &tensor->refill));
    tensor->refill->n = given->n;
    cairn_entries entries;

    cairn_entries_init(&entries, given->order);
    cairn_status status = cairn_entries_take(env, given, &entries);

    if (status == CAIRN_OK) status = keep_given(&entries, tensor->local);
    if (status == CAIRN_OK && given->n > 0) status = make_plan(tensor, &p, &entries);
    cairn_entries_fini(env, &entries);
    return status;
}

/* ---- new values ---- */

cairn_status cairn_refill_update(cairn_tensor *tensor, const cairn_refill_values *val)
{
    const cairn_refill *refill = tensor->refill;

    if (!refill->plan && refill->n > 0) CAIRN_TRY(plan_rows(tensor));
    tensor->local->updates++; /* also where some members were widened in vain */
    return refill->plan ? cairn_refill_store(tensor, val) : CAIRN_OK;
}

cairn_status cairn_tensor_update(cairn_tensor *tensor, const void *val)
{
    CAIRN_ENTER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor));
    const cairn_refill *refill = tensor->refill;
    cairn_env          *env    = &tensor->context->env;

    if (refill && (refill->n > 0 || refill->borrowed))
        CAIRN_ENTER(tensor->context, CAIRN_GIVEN(val));
    CAIRN_TRY(cairn_tensor_check_views(tensor, "update"));
    CAIRN_CHECK(
        refill, env, CAIRN_BAD_ARGUMENT,
        "update: the tensor was not made from a solver's rows, nor of coordinates "
        "for updates");
    CAIRN_CHECK(!refill->blocks, env, CAIRN_BAD_ARGUMENT,
                "update: the tensor was made of two blocks, whose values "
                "cairn_tensor_update_blocks() takes");
    if (!refill->borrowed) {
        const cairn_refill_values values = {
            {val, NULL}
        };

        return cairn_refill_update(tensor, &values);
    }
    CAIRN_CHECK(val == refill->borrowed, env, CAIRN_BAD_ARGUMENT,
                "update: the values are borrowed: change them in place");
    tensor->local->updates++;
    return CAIRN_OK;
}
