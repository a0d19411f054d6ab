// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries that need not be run: a format that numbers the entries of each row (or column)
/// along it gives them the numbers in which they are visited, and its padding the columns
/// that the row lacks. Both are done while the arrays are filled. Internal to convert.
///
/// What is looked for, in the normal form (format/normal.h): a sum that counts the entries
/// of rows, and an enum that numbers them upwards along their row from 0, all other
/// positions from that sum on; the map uses the enum alone, as the index of its one
/// trimmed level; and at the end a level c that slot and row determine.

#ifndef CAIRN_CONVERT_COMPILED_RANK_H
#define CAIRN_CONVERT_COMPILED_RANK_H

#include "convert/compiled.h"

/// Does it count the entries of rows? Does it number those along the rows that query
/// `count` of @p rank counts? Sets their dimensions.
bool cairn_rank_is_count(const cairn_query *query);
bool cairn_rank_is_number(const cairn_query *query, cairn_rank *rank);

/// Do the entries of a row stand in a lane that the row alone gives, and is all that is
/// determined the row's, but a last level that is the column?
bool cairn_rank_fits_lanes(const cairn_layout *layout, const cairn_rank *rank);

/// Can a member's queries be left out? Sets `rank` of the member.
///
/// Local.
cairn_status cairn_rank_find(cairn_member_build *m, const cairn_build *build);

/// Do the entries of the tensor to start from come along the rows that are numbered, so
/// that its levels can be read directly?
cairn_status
cairn_rank_is_direct(cairn_member_build *m, const cairn_build *build, bool *direct);

/// The spans that the queries would have had, from the fewest and the most entries of a
/// row that has any (the most 0: there are none).
void cairn_rank_set_spans(cairn_member_build *m, int64_t fewest, int64_t most);

/// One row in the arrays: its slots are @c stride positions apart.
typedef struct cairn_padded_row {
    char   *idx, *val; ///< Of slot 0.
    int64_t stride;
    int64_t count, slots;      ///< Of entries, of all.
    int64_t hole, col, col_hi; ///< Columns that there are, from `col` on.
    int     val_bits;
} cairn_padded_row;

/// Fill the padding of a row whose entries are in place.
void cairn_rank_pad_row(const cairn_padded_row *row, int idx_bits);

/// Fill the padding of a part whose entries are in place: indices and values.
/// @param[in] counts  Entries of every row of the box.
void cairn_rank_pad(const cairn_member_build *m,
                    const uint32_t           *counts,
                    int                       threads,
                    cairn_part               *part);

#endif
