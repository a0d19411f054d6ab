// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Memory of a conversion on a card, and what goes there and back.

#include "convert/card_steps.h"

cairn_status cairn_card_take(cairn_card_work    *w,
                             int64_t             bytes,
                             const char         *what,
                             cairn_grid_address *at)
{
    return w->grids->take(w->program, bytes, what, at);
}

/// Is an array of the target written here before entries are filled in there? Of slots all
/// that their lanes alone give.
static bool is_written_here(const cairn_compiled *c, const cairn_array *array)
{
    return c->m->rows.along && array->kind != CAIRN_ARRAY_VAL
           && array->level < c->m->layout->levels - 1;
}

cairn_status cairn_card_take_arrays(const cairn_compiled *c,
                                    cairn_card_work      *w,
                                    const cairn_part     *part,
                                    cairn_grid_address   *at)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(part, array);

    for (int k = 0; k < arrays; k++) {
        CAIRN_TRY(cairn_card_take(w, array[k].bytes, "arrays", &at[k]));
        if (part != w->part || is_written_here(c, &array[k]))
            CAIRN_TRY(w->grids->send(w->program, at[k], array[k].data, array[k].bytes));
        else
            CAIRN_TRY(w->grids->clear(w->program, at[k], array[k].bytes));
    }
    return CAIRN_OK;
}

cairn_status cairn_card_fetch_arrays(cairn_card_work *w)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(w->part, array);

    for (int k = 0; k < arrays; k++)
        if (array[k].bytes > 0)
            CAIRN_TRY(
                w->grids->fetch(w->program, array[k].data, w->to[k], array[k].bytes));
    return CAIRN_OK;
}
