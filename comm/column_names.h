// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Columns that a rank's rows have, each once, and other numbers for them: what ranks ask
/// each other goes with how many columns there are, not with entries.

#ifndef CAIRN_COMM_COLUMN_NAMES_H
#define CAIRN_COMM_COLUMN_NAMES_H

#include "comm/comm.h"
#include "comm/distribute.h"

#include <cairn/kernel.h>

/// A column and its name.
typedef struct cairn_column_name {
    cairn_coord column; ///< -1: none is here.
    cairn_coord name;
} cairn_column_name;

/// A table that is found by columns: each stands at its hash, or at the next place behind it
/// that was free.
typedef struct cairn_column_names {
    int64_t            n; ///< Columns, at most half of the places.
    int                bits;
    cairn_column_name *at; ///< [2^bits]
} cairn_column_names;

/// Where a column is, or is to be: by the fraction of its product with the golden ratio
/// (D. Knuth, The Art of Computer Programming, volume 3, section 6.4).
static inline int64_t cairn_column_place(const cairn_column_names *names,
                                         cairn_coord               column)
{
    const int64_t last = ((int64_t)1 << names->bits) - 1;
    int64_t       k    = (int64_t)((uint64_t)column * UINT64_C(0x9e3779b97f4a7c15)
                          >> (64 - names->bits));

    while (names->at[k].column != column && names->at[k].column >= 0)
        k = (k + 1) & last;
    return k;
}

/// The name of a column that is there.
static inline cairn_coord cairn_column_name_of(const cairn_column_names *names,
                                               cairn_coord               column)
{
    return names->at[cairn_column_place(names, column)].name;
}

/// List the columns of level 1, with themselves as names.
///
/// Local.
///
/// @param[in]  held   Bytes that count against the limit beside them.
/// @param[out] names  Destroy with cairn_column_names_destroy(). Unchanged on failure.
///
/// Cost: 32 to 64 bytes for each column, and while the table grows half as much more.
cairn_status cairn_column_names_create(cairn_env               *env,
                                       const cairn_kernel_part *view,
                                       int64_t                  held,
                                       cairn_column_names     **names);

void cairn_column_names_destroy(cairn_env *env, cairn_column_names **names);

/// Bytes of the table.
int64_t cairn_column_names_bytes(const cairn_column_names *names);

/// Give each column the number that its name has where it is known.
///
/// Collective. On failure names are to be destroyed.
///
/// @param[in] rows  Who knows of which, and
/// @param[in] own   [own rows] what becomes of them: each of another.
///
/// Cost: a sort of the names, 32 bytes for each, a question and an answer of 8 bytes.
cairn_status cairn_column_names_fetch(cairn_comm         *comm,
                                      const cairn_rows   *rows,
                                      const cairn_coord  *own,
                                      cairn_column_names *names);

#endif
