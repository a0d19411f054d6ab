// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Halo columns: the columns of stored entries that other ranks own.

#include "plan/halo_columns.h"

#include "tensor/walk.h"

typedef struct {
    cairn_env   *env;
    cairn_coord  lo, hi; ///< Owned here.
    cairn_coord *column;
    cairn_pos    n, capacity;
} column_list;

static cairn_status add_column(column_list *list, cairn_coord j)
{
    if (j >= list->lo && j < list->hi) return CAIRN_OK;
    if (list->n == list->capacity) {
        const cairn_pos more = list->capacity * 2 + 1024;

        CAIRN_TRY(cairn_realloc(list->env, more, sizeof *list->column,
                                (void **)&list->column));
        list->capacity = more;
    }
    list->column[list->n++] = j;
    return CAIRN_OK;
}

static cairn_status
list_columns(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const bool pads = part->layout->pads;

    for (int k = 0; k < batch->n; k++) {
        if (pads && cairn_value_get(&part->view, batch->value[k]) == 0)
            continue; /* padding needs no halo */
        CAIRN_TRY(add_column(user, batch->coord[1][k]));
    }
    return CAIRN_OK;
}

static cairn_status walk_members(const cairn_local *tensor, column_list *list)
{
    for (int m = 0; m < tensor->groups; m++) {
        cairn_walker *walker;

        CAIRN_TRY(cairn_walker_create(list->env, tensor->group[m].layout, &walker));
        const cairn_status status =
            cairn_walk_member(walker, tensor, m, list_columns, list);

        cairn_walker_destroy(list->env, &walker);
        if (status != CAIRN_OK) return status;
    }
    return CAIRN_OK;
}

static cairn_status collect(const cairn_local *tensor, column_list *list)
{
    for (cairn_pos k = 0; k < tensor->pattern.columns; k++)
        CAIRN_TRY(add_column(list, tensor->pattern.column[k]));
    return tensor->pattern.kept ? CAIRN_OK : walk_members(tensor, list);
}

cairn_status cairn_columns_needed(cairn_comm        *comm,
                                  const cairn_local *tensor,
                                  const cairn_rows  *owners,
                                  cairn_coord      **column,
                                  cairn_pos         *n)
{
    column_list list = {.env = comm->env,
                        .lo  = owners->first[comm->rank],
                        .hi  = owners->first[comm->rank + 1]};

    if (comm->size > 1) {
        const cairn_status status = collect(tensor, &list);

        if (status != CAIRN_OK) {
            cairn_free(comm->env, list.column);
            return status;
        }
    }
    *column = list.column;
    *n      = list.n;
    return CAIRN_OK;
}
