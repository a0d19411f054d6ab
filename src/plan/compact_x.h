// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows of X side by side: what some rows of a matrix read, own and others', in the order
/// of the user's columns, in a buffer that is no longer than that. Their indices are
/// numbered anew for it (rows/row_share_columns.h). Padding that names a column which no
/// entry of this rank is in reads a row of zeros, as it does in a window.

#ifndef CAIRN_PLAN_COMPACT_X_H
#define CAIRN_PLAN_COMPACT_X_H

#include "rows/row_share_columns.h"

/// Which rows of X a rank has: its own, and those that others send.
typedef struct cairn_x_rows {
    cairn_interval     owned;
    const cairn_coord *ghost; ///< [ghosts] ascending.
    cairn_pos          ghosts;
    size_t             row_bytes;
} cairn_x_rows;

/// The number of the first ghost that is not before column @p j.
cairn_pos cairn_x_rows_ghost(const cairn_x_rows *rows, cairn_coord j);

typedef struct cairn_compact_x {
    cairn_column_groups groups;
    bool                pads; ///< The first group is for padding.
    int64_t             n;
    int64_t            *list;   ///< [n] Groups, ascending.
    cairn_pos           rows;   ///< Of the buffer,
    int64_t            *source; ///< [rows] each from which owned row; or which ghost:
                                ///< -2 - k; or -1: zeros.
    char *value;                ///< [rows][row_bytes]
} cairn_compact_x;

/// List what the positions of a share read. Local.
///
/// @param[out] x  Release with cairn_compact_x_fini(), also after a failure. Without groups
///                where no index of the share's layout says them.
cairn_status cairn_compact_x_list(const cairn_row_share *share,
                                  const cairn_x_rows    *rows,
                                  cairn_compact_x       *x);

/// Bytes that the buffer, its sources and the share's indices will take.
int64_t cairn_compact_x_bytes(const cairn_row_share *share,
                              const cairn_x_rows    *rows,
                              const cairn_compact_x *x);

/// Have the share's columns numbered by what was listed, and make the buffer. Local.
cairn_status cairn_compact_x_make(cairn_row_share    *share,
                                  const cairn_x_rows *rows,
                                  cairn_compact_x    *x);

/// Copy the rows: from @p owned, [owned rows], and @p ghost, [ghosts].
void cairn_compact_x_gather(const cairn_compact_x *x,
                            size_t                 row_bytes,
                            const char            *owned,
                            const char            *ghost);

void cairn_compact_x_fini(cairn_env *env, cairn_compact_x *x);

#endif
