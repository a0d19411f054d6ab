// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Spaces of forms, for groups and keys: what is known of a position when the values of
/// some forms are, up to constants. Two lists of forms cut positions into the same groups
/// where their closed spaces are equal.
///
/// Forms of a space are plain (plain.h). Rows are reduced: of each its least simple atom,
/// with a positive factor, is in no other row, so that what is reduced by them is written
/// in simpler ones.
///
/// Internal to the normal form of queries. Nothing here may fail for good: where 64 bits
/// or the tables of an algebra do not suffice, the status says so, and the text stays.

#ifndef CAIRN_FORMAT_SPACE_H
#define CAIRN_FORMAT_SPACE_H

#include "format/plain.h"

#define CAIRN_SPACE_ROWS 40 ///< Of one space.

typedef struct cairn_space {
    cairn_algebra *algebra; ///< Of plain forms.
    int            rows;
    cairn_form     row[CAIRN_SPACE_ROWS]; ///< Without constants; by their pivots.
    int            pivot[CAIRN_SPACE_ROWS];
} cairn_space;

/// Is atom @p a the floor of atom @p b and a constant over a number: f/6 of f/2, (f+4)/6
/// of (f+2)/2?
bool cairn_floor_coarsens(const cairn_algebra *algebra, int a, int b);

/// Reduce a form: less what is known, without a constant, by the greatest common divisor
/// of its factors, sign kept. No terms: it is known.
cairn_status cairn_space_reduce(const cairn_space *space, cairn_form *form);

/// Is a form, or an atom, known?
cairn_status
cairn_space_knows(const cairn_space *space, const cairn_form *form, bool *known);

/// Know a form, and the floors in the algebra that follow from it.
cairn_status cairn_space_add(cairn_space *space, const cairn_form *form);

/// Rows from which all others of a closed space follow, in an order that depends on the
/// space alone.
/// @param[in]  base  What is known besides; NULL: nothing.
/// @param[out] row   [CAIRN_SPACE_ROWS]
cairn_status cairn_space_basis(const cairn_space *space,
                               const cairn_space *base,
                               int               *rows,
                               cairn_form        *row);

/* ---- spaces of maps (group_forms.c) ---- */

/// Enter what a map's expressions divide into the algebra: floors that follow from a space
/// must be atoms before it is closed.
/// @param[in] alias  As for cairn_plain_form().
/// @param[in] map    NULL: no expressions.
cairn_status
cairn_space_enter_map(cairn_algebra *algebra, const int *alias, const cairn_map *map);

/// Know the expressions of a map.
cairn_status
cairn_space_know_map(cairn_space *space, const int *alias, const cairn_map *map);

/// The basis of the groups that a map makes: maps that make the same have the same.
/// @param[out] space  What the map knows.
/// @param[out] row    [CAIRN_SPACE_ROWS]
cairn_status cairn_space_map_basis(cairn_space     *space,
                                   const int       *alias,
                                   const cairn_map *map,
                                   int             *rows,
                                   cairn_form      *row);

#endif
