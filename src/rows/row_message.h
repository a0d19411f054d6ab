// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows as a message: the arrays of a tensor that lists its entries row by row, one behind
/// the other. First 8 bytes each for the nodes of every level, for the width of what tells
/// the children of a level's nodes, and for the type of the values; then, level by level,
/// how many children each node has, or each child's parent where that is shorter, and the
/// indices, as wide as they are stored; then the values, likewise. Numbers of a
/// dictionary, which is one rank's own, are the values that they stand for.
///
/// Nothing is padded, so that a message has as many bytes as its entries need; it may lie
/// at any address. Internal to rows.

#ifndef CAIRN_ROWS_ROW_MESSAGE_H
#define CAIRN_ROWS_ROW_MESSAGE_H

#include "tensor/local.h"

/// How the children of one level's nodes are told.
typedef struct cairn_row_family {
    bool parents;  ///< Child by child the number of its parent; else counts by parent,
    int64_t least; ///< which are more than this by
    int     width; ///< numbers of 0, 1, 2, 4 or 8 bytes.
} cairn_row_family;

/// Consecutive rows, as they lie in arrays or in a message.
typedef struct cairn_row_stretch {
    const cairn_kernel_part
                    *view; ///< Arrays, where ptr counts from 0; NULL: a message.
    cairn_pos        nodes[CAIRN_MAX_LEVELS]; ///< Rows, at a complete level.
    cairn_row_family family[CAIRN_MAX_LEVELS];
    const char      *children[CAIRN_MAX_LEVELS]; ///< In a message.
    const char      *idx[CAIRN_MAX_LEVELS];
    const char      *val;
    int              kind, bits; ///< Of a value in a message.
    cairn_pos        values;
} cairn_row_stretch;

/// May rows of this tensor be sent so? It is one part whose first level is the row itself,
/// every other lists its nodes, and each value is an entry.
///
/// Local.
bool cairn_row_stretch_fits(const cairn_local *tensor);

/// Rows that lie in arrays: those of a part of a tensor that fits.
cairn_row_stretch cairn_row_stretch_of(const cairn_part *part);

/// Bytes that they have in a message.
int64_t cairn_row_stretch_bytes(const cairn_layout      *layout,
                                const cairn_row_stretch *stretch);

/// Write rows that lie in arrays. @return where the message goes on.
char *cairn_row_stretch_pack(const cairn_layout      *layout,
                             const cairn_row_stretch *stretch,
                             char                    *at);

/// Find the rows that a message begins with. @return where it goes on.
const char *cairn_row_stretch_unpack(const cairn_layout *layout,
                                     const char         *at,
                                     cairn_row_stretch  *stretch);

/// Copy rows to arrays, behind those before them.
///
/// @param[in]     layout  Of the target: that of the rows, on other rows; values as wide as
///                        the tensor's.
/// @param[in,out] at      [CAIRN_MAX_LEVELS] nodes that the target has so far, by level.
/// @param[in,out] values  Values that it has.
void cairn_row_stretch_copy(const cairn_layout      *layout,
                            const cairn_row_stretch *stretch,
                            cairn_kernel_part       *to,
                            cairn_pos               *at,
                            cairn_pos               *values);

#endif
