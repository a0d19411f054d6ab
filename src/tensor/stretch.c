// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Levels compared one by one.

#include "tensor/stretch.h"

#include "tensor/walk.h"

/// Is it d0 or d0/c, but for factors and constants?
static bool ascends_with_rows(const cairn_algebra *algebra, const cairn_form *form)
{
    if (form->terms != 1 || form->term[0].factor < 0) return false;
    const int         number = form->term[0].atom;
    const cairn_atom *atom   = &algebra->atom[number];

    if (number < algebra->order) return number == 0;
    return atom->kind == CAIRN_ATOM_DIV && ascends_with_rows(algebra, &atom->form);
}

bool cairn_layout_ascends_with_rows(const cairn_layout *layout)
{
    return layout->partition < 0 && cairn_layout_row_level(layout) == 0
           && ascends_with_rows(layout->algebra, &layout->level[0].form);
}

/// Are positions below the level counted alike? Where it stores its nodes, they are.
static bool counts_alike(const cairn_level *a, const cairn_level *b)
{
    if ((a->trimmed && !a->gaps) || a->determined.on) return true;
    return a->range.lo == b->range.lo && a->range.hi == b->range.hi;
}

static bool has_same_widths(const cairn_level *a, const cairn_level *b)
{
    return a->arrays.idx_bits == b->arrays.idx_bits
           && a->arrays.idx_signed == b->arrays.idx_signed
           && a->global.hi == b->global.hi;
}

bool cairn_layout_stores_alike(const cairn_layout *whole, const cairn_layout *rows)
{
    for (int l = 0; l < whole->levels; l++)
        if (!has_same_widths(&whole->level[l], &rows->level[l])
            || (l > 0 && !counts_alike(&whole->level[l], &rows->level[l])))
            return false;
    return true;
}
