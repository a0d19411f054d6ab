// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Patterns of refills. Where each entry of compressed rows is stored is found when the first
/// new values come: many matrices get none. Who brings coordinates says whether new values
/// will come, and it is found while they are at hand.

#include "convert/refill/refill_pattern.h"

#include "convert/refill/entry_index.h"
#include "tensor/statistics.h"

#include <string.h>

/* ---- the pattern ---- */

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

cairn_status cairn_refill_create(const cairn_line_arrays *a,
                                 cairn_local             *local,
                                 cairn_refill           **refill)
{
    cairn_env    *env = local->env;
    cairn_refill *own;

    CAIRN_TRY(cairn_lines_keep_columns(a, local));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &own));
    *refill          = own;
    own->n           = cairn_lines_entries(a);
    own->pattern     = *a;
    own->pattern.ptr = own->pattern.idx = own->pattern.val = NULL;
    CAIRN_TRY(
        copy(env, a->ptr, cairn_lines_count(a) + 1, a->ptr_bits, &own->pattern.ptr));
    return copy(env, a->idx, own->n, a->idx_bits, &own->pattern.idx);
}

void cairn_refill_drop_pattern(cairn_env *env, cairn_refill *refill)
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
    cairn_refill_drop_pattern(env, *refill);
    cairn_refill_plan_destroy(env, &(*refill)->plan);
    cairn_free(env, *refill);
    *refill = NULL;
}

/* ---- where entries are stored ---- */

cairn_status cairn_refill_targets_init(cairn_env *env, cairn_refill_targets *to)
{
    to->part = to->place = NULL;
    CAIRN_TRY(CAIRN_NEW(env, to->n, &to->part));
    return CAIRN_NEW(env, to->n, &to->place);
}

void cairn_refill_targets_fini(cairn_env *env, cairn_refill_targets *to)
{
    cairn_free(env, to->part);
    cairn_free(env, to->place);
    cairn_free(env, to->by_place);
}

/// What entries are of.
typedef struct {
    const cairn_line_arrays *lines; ///< NULL: they are
    const cairn_given       *given; ///< these.
    int64_t                  n;
    int64_t                  first_row, row_count; ///< All are in these.
} pattern;

static void locate_lines(const cairn_line_arrays    *a,
                         cairn_entry_index          *index,
                         const cairn_refill_targets *to)
{
    for (int64_t i = 0; i < cairn_lines_count(a); i++)
        for (int64_t k = cairn_lines_ptr(a, i); k < cairn_lines_ptr(a, i + 1); k++) {
            cairn_coord d[2];

            cairn_lines_coord(a, i, k, d);
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
static cairn_status locate(const cairn_local          *local,
                           const pattern              *p,
                           const cairn_entries        *entries,
                           const cairn_refill_targets *to)
{
    cairn_entry_index  index;
    const cairn_status status =
        cairn_entry_index_init(&index, local, entries, p->first_row, p->row_count);

    if (status == CAIRN_OK && p->lines) locate_lines(p->lines, &index, to);
    if (status == CAIRN_OK && !p->lines) locate_given(p->given, &index, to);
    cairn_entry_index_fini(&index);
    return status;
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
    const cairn_status status = cairn_refill_targets_init(env, to);

    for (int64_t k = 0; k < to->n && status == CAIRN_OK; k++) {
        const int64_t number = number_in_blocks(refill, k);

        to->part[number]  = merged.part[k];
        to->place[number] = merged.place[k];
    }
    for (int64_t k = 0; k < to->n; k++)
        to->by_place[k] = number_in_blocks(refill, to->by_place[k]);
    to->split = refill->split;
    cairn_refill_targets_fini(env, &merged);
    return status;
}

bool cairn_refill_read_numbers(const cairn_local    *numbered,
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

/* ---- plans ---- */

cairn_status cairn_refill_plan_by(cairn_refill         *refill,
                                  const cairn_local    *local,
                                  cairn_refill_targets *to)
{
    to->split = to->n;
    if (refill->from) CAIRN_TRY(renumber(local->env, refill, to));
    return cairn_refill_plan_create(local, to, &refill->plan);
}

/// Plan by a walk over a tensor's positions.
///
/// @param[in,out] entries  The pattern's, sorted, each once; empty afterwards.
static cairn_status plan_by_entries(cairn_refill      *refill,
                                    const cairn_local *local,
                                    const pattern     *p,
                                    cairn_entries     *entries)
{
    cairn_env           *env    = local->env;
    cairn_refill_targets to     = {.n = p->n};
    cairn_status         status = cairn_refill_targets_init(env, &to);

    if (status == CAIRN_OK) status = locate(local, p, entries, &to);
    cairn_entries_fini(env, entries);
    if (status == CAIRN_OK) status = cairn_refill_plan_by(refill, local, &to);
    cairn_refill_targets_fini(env, &to);
    return status;
}

cairn_status cairn_refill_plan_by_walk(cairn_refill *refill, const cairn_local *local)
{
    cairn_env               *env = local->env;
    const cairn_line_arrays *a   = &refill->pattern;
    const pattern            p   = {
                     .lines = a, .n = refill->n, .first_row = a->first_row, .row_count = a->rows};
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    cairn_status status = cairn_lines_take(env, a, &entries);

    if (status == CAIRN_OK) status = plan_by_entries(refill, local, &p, &entries);
    cairn_entries_fini(env, &entries);
    return status;
}

/// Keep the columns of sorted coordinates, as cairn_lines_keep_columns() does those of rows.
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

cairn_status cairn_refill_create_for(const cairn_given *given,
                                     int64_t            first_row,
                                     int64_t            rows,
                                     cairn_local       *local,
                                     cairn_refill     **refill)
{
    cairn_env    *env = local->env;
    const pattern p   = {
          .given = given, .n = given->n, .first_row = first_row, .row_count = rows};
    cairn_entries entries;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, refill));
    (*refill)->n = given->n;
    cairn_entries_init(&entries, given->order);
    cairn_status status = cairn_entries_take(env, given, &entries);

    if (status == CAIRN_OK) status = keep_given(&entries, local);
    if (status == CAIRN_OK && given->n > 0)
        status = plan_by_entries(*refill, local, &p, &entries);
    cairn_entries_fini(env, &entries);
    return status;
}
