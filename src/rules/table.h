// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The table that rewrite rules work on: one row for each stored entry, its index at
/// every level, its value. Columns are borrowed until a rule changes them. Internal to
/// convert.

#ifndef CAIRN_RULES_TABLE_H
#define CAIRN_RULES_TABLE_H

#include "format/algebra.h"
#include "rules/path.h"
#include "tensor/local.h"

typedef struct cairn_table {
    cairn_env     *env;
    cairn_pos      n;
    int            levels;
    const int64_t *column[CAIRN_TABLE_LEVELS]; ///< [levels] arrays of [n].
    int64_t       *own[CAIRN_TABLE_LEVELS];    ///< The column if the table owns it.
    const double  *value;                      ///< [n]
    double        *own_value;
} cairn_table;

/// An empty table without levels. Pairs with cairn_table_fini().
void cairn_table_init(cairn_env *env, cairn_table *table);

void cairn_table_fini(cairn_table *table);

/// Start at entries in coordinates, which are borrowed.
void cairn_table_from_entries(const cairn_entries *entries, cairn_table *table);

/// Take entries over, which are empty then; the table is.
void cairn_table_take(cairn_table *table, cairn_entries *entries);

/// Start at one member of a tensor, its levels as stored: in the order of (e0, e1, ...),
/// padding left out (and stored zeros, where the layout pads). Indirect levels hold 0
/// where nothing is stored for them. Arrays that a caller brought may be in another order
/// or hold an entry twice: then they are sorted, and added up, here.
cairn_status
cairn_table_from_tensor(const cairn_local *tensor, int member, cairn_table *table);

/// Run a rule that needs nothing but the table: those on maps, and Sort. Mutations,
/// layout and widths say how the table will be stored and change nothing in it.
///
/// @retval CAIRN_NO_MEMORY
cairn_status cairn_table_run(cairn_table *table, const cairn_rule *rule);

/// Append a column, which is copied.
cairn_status cairn_table_append(cairn_table *table, const int64_t *column);

/// Let @p keeper own what the table owns: the table borrows it from now on, and a rule
/// that changes a column makes a new one.
void cairn_table_lend(cairn_table *table, cairn_table *keeper);

/// The table's columns, which are dimensions, seen as entries; borrowed.
cairn_entries cairn_table_entries(const cairn_table *table);

/// Append the rows of @p other, which has as many levels and may be emptied. A table
/// without levels becomes the other.
cairn_status cairn_table_join(cairn_table *table, cairn_table *other);

/// Copy the rows k with member[k] == @p which into an empty table.
cairn_status cairn_table_select(const cairn_table *table,
                                const uint8_t     *member,
                                int                which,
                                cairn_table       *selected);

#endif
