// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries that give every row a number: how many entries it has (`sum` over a
/// dimension), where it comes when rows are ordered by that (`reorder`), which bucket it
/// goes to (`schedule`). The rows are counted where the entries lie; the numbers go into
/// tables by row, which phases read. Entries may be numbered along their row besides, where
/// that number is the index of the one trimmed level, and the last level, a dimension, is
/// determined by it: then an entry's number is how many of its row came before, which is
/// found while the arrays are filled. Internal to convert.
///
/// Memory: 4 bytes a row and query; 8 bytes a row and key while rows are ordered.

#ifndef CAIRN_CONVERT_COMPILED_ROWS_H
#define CAIRN_CONVERT_COMPILED_ROWS_H

#include "convert/compiled.h"

extern const cairn_pass_work cairn_count_by_query, ///< COUNT: the entries of each row.
    cairn_exchange_rows, ///< EXCHANGE: rows in windows that cross ranks are ordered together;
    cairn_number_by_query; ///< NUMBER: others, each by its own rank.

/// Keys of rows; NULL: the row itself.
typedef struct cairn_row_keys {
    int            keys;
    const int64_t *key[2 * CAIRN_MAX_LEVELS + 1];
    int64_t       *own[2 * CAIRN_MAX_LEVELS + 1];
} cairn_row_keys;

/// Append the values of a form over the row and its numbers; @p low: the first row.
/// Pairs with cairn_row_keys_fini(), on failure, too.
cairn_status cairn_row_keys_add(const cairn_member_build *m,
                                const cairn_algebra      *algebra,
                                const cairn_form         *form,
                                int64_t                   low,
                                cairn_row_keys           *keys);

void cairn_row_keys_fini(cairn_env *env, cairn_row_keys *keys);

/// The queries are to be run after all.
void cairn_rows_drop(cairn_member_build *m);

#endif
