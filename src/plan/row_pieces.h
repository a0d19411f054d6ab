// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Stretches of rows of a member, by whose rows of X they read. On several ranks most rows
/// of a stencil, a band or a mesh need no column that another rank owns: such rows are
/// multiplied by the X of a caller where it lies, and only the others need more. They read
/// a window of the whole X, with the halo in it and those of the caller's rows that they
/// need; or, where none is as long as that, rows side by side in a buffer (compact_x.h).
/// Rows are divided, never a row's columns, and every piece is computed by the function of
/// the whole: the bits are those of the undivided member.
///
/// The arrays of a piece are the member's (rows/row_share.h), but for each ptr, and for
/// columns that are numbered anew. A member whose first level does not follow the rows is
/// not cut.

#ifndef CAIRN_PLAN_ROW_PIECES_H
#define CAIRN_PLAN_ROW_PIECES_H

#include "comm/halo.h"
#include "devices/product.h"
#include "plan/compact_x.h"

/// Some consecutive rows.
typedef struct cairn_row_piece {
    bool              owned; ///< They read no X but what this rank owns. Else they read
    bool             *from;  ///< [sources of the halo] rows of these ranks, and have
    cairn_row_share   share;
    cairn_device_work work;
    cairn_launch      launch;
    cairn_interval   *needed; ///< [stretches] rows of X from the window, ascending, of
    int64_t           stretches; ///< which these are this rank's;
    cairn_compact_x   compact;   ///< or, if it has a buffer, that.
} cairn_row_piece;

/// All rows of a subproduct, in order.
typedef struct cairn_row_pieces {
    cairn_env *env;
    int        count;  ///< 0: it is not cut.
    int        owning; ///< Stretches that are `owned`, before they were cut further.
    cairn_row_piece *piece;   ///< [count]
    double           seconds; ///< Of the run at hand, of those that were computed.
} cairn_row_pieces;

/// What is to be cut. It outlives the pieces, but for the struct.
typedef struct cairn_row_pieces_of {
    const cairn_local       *tensor;
    int                      member;
    cairn_device            *device;
    const cairn_device_work *work; ///< The subproduct's, which says the rows.
    const cairn_halo        *halo;
    cairn_x_rows             x;
} cairn_row_pieces_of;

/// Cut rows where they begin or cease to read what is owned, and list what they read. What
/// reads that alone is cut further where it takes long, so that there is time in between to
/// look after messages.
///
/// Local. Cost: a walk over the member, and a look at the columns of rows that are not
/// `owned`.
///
/// @param[out] pieces  Release with cairn_row_pieces_fini(), also after a failure. Without
///                     pieces where rows cannot be taken out of the member.
/// @param[out] bytes   What buffers for their X would take; -1: some piece can have none.
cairn_status cairn_row_pieces_cut(cairn_env                 *env,
                                  const cairn_row_pieces_of *of,
                                  cairn_row_pieces          *pieces,
                                  int64_t                   *bytes);

/// Go on with pieces that were cut: they get their buffers, or, unless @p compact, read a
/// window, and have launches then. Pieces that read a window with none that is `owned`
/// would not pay: then there are none.
///
/// Local. After a failure there are no pieces.
cairn_status cairn_row_pieces_build(const cairn_row_pieces_of *of,
                                    bool                       compact,
                                    cairn_row_pieces          *pieces);

/// Find the ranks whose rows of X the rows of @p local read, which has one member.
///
/// Local. Cost: a walk over them.
///
/// @param[out] from  [sources of the halo]
cairn_status cairn_row_pieces_find_sources(const cairn_row_pieces_of *of,
                                           const cairn_local         *local,
                                           bool                      *from);

void cairn_row_pieces_fini(cairn_row_pieces *pieces);

#endif
