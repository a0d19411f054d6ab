// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// X and Y of a product on one rank: who owns which rows of them, their memory in the
/// tensor's element type, and the halo that makes the ranks' shares of it one operand.
///
/// The rows of A are the rows of Y, or of X when the product is transposed. The other
/// operand has one row for each column of A: divided as the rows are if A is square, else
/// evenly, and seen as a window of the global index range (comm/halo.h). X is fetched; a
/// transposed product sums Y.
///
/// Sums are made in f64. For f32 there may be, beside Y, the same rows in f64 (`wide`):
/// all that is added to a row is added there, and rounded once, at the end: by the kernel
/// of the last member where it meets every row once (`rounds` of devices/product.h), else
/// by a pass over all rows. Only where one member sets each row once is it rounded as it
/// is set, which is the same. A transposed product has its window of that type. For f64
/// `wide` is where Y is.
///
/// A run has the X and Y of the plan, or those of a caller where they lie (callers.h):
/// `now` says which.
///
/// Several ways to run one product (replay.h) may share them: the last that leaves frees
/// them.

#ifndef CAIRN_PLAN_OPERANDS_H
#define CAIRN_PLAN_OPERANDS_H

#include "comm/halo.h"
#include "plan/compact_x.h"
#include "tensor/local.h"

#include <cairn/expr.h>

/// X and Y, each [owned rows][columns].
typedef struct cairn_vectors {
    const void *x;
    void       *y;
} cairn_vectors;

typedef struct cairn_operands {
    cairn_comm           *comm;
    cairn_product_options op;
    int                   value_bits;
    int                   threads; ///< For what is done to all of Y: of who runs next,
    bool                  sums_wide;      ///< and whether its sums are made in `wide`.
    int                   users;          ///< Ways to run the product that share these.
    int64_t               memory;         ///< Bytes of all of them, halo included.
    cairn_rows            x_rows, y_rows; ///< Owners of the rows of X and of Y.
    cairn_halo           *halo;           ///< Of the operand with columns of A as rows.
    void                 *x, *y;          ///< The plan's own, [owned rows][columns].
    double       *wide; ///< Rows of its Y in f64, [owned rows][columns]; or NULL.
    cairn_vectors now;  ///< Of the run at hand; between runs the plan's own.
    cairn_vectors last; ///< A caller's that the last run used where they lie; or NULLs.
    void         *block[3]; ///< Memory of what is not in a window.
} cairn_operands;

/// Prepare: divide, find the halo. X and Y have no memory yet.
///
/// Collective.
///
/// @param[in]  rows  Who owns which rows of A.
/// @param[in]  halo  There is one; else X and sums of other ranks come in other ways
///                   (cut_sums.h).
/// @param[out] operands  Left with cairn_operands_leave(). Unchanged on failure.
cairn_status cairn_operands_create(cairn_comm                  *comm,
                                   const cairn_local           *tensor,
                                   const cairn_rows            *rows,
                                   const cairn_product_options *op,
                                   int                          threads,
                                   bool                         halo,
                                   cairn_operands             **operands);

/// Allocate. X is zero; Y is, too.
///
/// Local.
///
/// @param[in]  held    Bytes that count against the limit beside the operands.
/// @param[in]  wide    Sums are made in f64, beside an f32 Y.
/// @param[in]  window  There is one. Else no run reads X through it: a product that is not
///                     transposed, on several ranks, of which every piece reads X where it
///                     lies or has a buffer (row_pieces.h).
/// @retval CAIRN_NO_MEMORY  The operands exceed the limit.
cairn_status
cairn_operands_allocate(cairn_operands *operands, int64_t held, bool wide, bool window);

/// Bytes that a window takes, or would take, beside the owned rows.
int64_t cairn_operands_window_bytes(const cairn_operands *operands);

/// Does a run on this rank read all of X where its owned rows lie?
bool cairn_operands_reads_owned_x(const cairn_operands *operands);

/// The rows of X that this rank has: those that it owns, of which there may be none, and
/// those that it fetches. Not transposed.
cairn_x_rows cairn_operands_x_rows(const cairn_operands *operands);

/// Is X of the run at hand to be read where it lies, apart from a window, if there is one?
bool cairn_operands_is_parted(const cairn_operands *operands);

/// Is there a window?
bool cairn_operands_has_window(const cairn_operands *operands);

/// Have a window, whatever there was. Local. @retval CAIRN_NO_MEMORY  There can be none.
cairn_status cairn_operands_add_window(cairn_operands *operands);

/// Copy X into the window, so that all of a run is there: its own rows, where it is_parted().
///
/// Local. @retval CAIRN_NO_MEMORY  There was no window, and can be none.
cairn_status cairn_operands_gather_x(cairn_operands *operands);

/// Copy rows @p stretch, [stretches], of an X that is_parted() into the window.
void cairn_operands_fill_window(const cairn_operands *operands,
                                const cairn_interval *stretch,
                                int64_t               stretches);

/// Bytes of the owned rows of X, and of Y.
size_t cairn_operands_x_bytes(const cairn_operands *operands);
size_t cairn_operands_y_bytes(const cairn_operands *operands);

/// Use operands that are there, for another way to run the product.
///
/// Local.
///
/// @param[in] held  Bytes that count against the limit beside them, of all ways.
/// @param[in] wide  Those of this way are, for which there is room where there was none.
/// @retval CAIRN_NO_MEMORY  They exceed the limit; no operand has joined then.
cairn_status cairn_operands_join(cairn_operands *operands, int64_t held, bool wide);

/// Leave the operands; NULL is accepted. The last user frees them.
void cairn_operands_leave(cairn_operands **operands);

/// X as members see it: an operand with columns of A as
/// rows is shifted so that the index is the global column. Of a run that is_parted() the
/// one has the halo in it and what was copied there, the other what this rank owns.
const void *cairn_operands_x(const cairn_operands *operands);
const void *cairn_operands_owned_x(const cairn_operands *operands);

/// The plan's own X as all members see it, where a run on this rank reads it all where its
/// owned rows lie; else NULL. It stays there.
const void *cairn_operands_own_x(const cairn_operands *operands);

/// Never free the operands: a device that was given up may still read X.
void cairn_operands_keep(cairn_operands *operands);

/// Row @p j of the plan's own X, which this rank has, after a run. Not transposed.
const void *cairn_operands_x_row(const cairn_operands *operands, cairn_coord j);

/// Y as members see it, likewise.
void *cairn_operands_y(const cairn_operands *operands);

/// Bytes of a value where sums are made.
size_t cairn_operands_sum_size(const cairn_operands *operands);

/// Where sums of this rank's rows are made in runs that have the plan's own Y.
typedef struct cairn_operands_sums {
    void   *at;    ///< NULL: there is no such place.
    size_t  size;  ///< Bytes of a value,
    int64_t bytes; ///< and of all.
} cairn_operands_sums;

/// Of a product that is not transposed, whose launch makes f64 sums if @p wide.
cairn_operands_sums cairn_operands_own_sums(const cairn_operands *operands, bool wide);

/// Before the first member: X comes from where it is, and Y becomes beta*Y, without a -0
/// that the members may leave there. With @p set the first member sets every row of Y,
/// and for beta = 0 nothing is done to it; with @p joined it adds to every row, so that
/// no -0 stays, and for beta = 1 nothing is done either.
///
/// Collective.
cairn_status cairn_operands_begin(cairn_operands *operands, bool set, bool joined);

/// The part of that which is done to Y. Local.
void cairn_operands_begin_y(const cairn_operands *operands, bool set, bool joined);

/// After the last member: sums of other ranks are added to a transposed product's Y, and
/// f64 sums of an f32 Y are rounded, unless the last member has @p rounded them.
///
/// Collective.
cairn_status cairn_operands_end(cairn_operands *operands, bool rounded);

/// Add the sums of a member, or of a share that has rows @p rows of A, that were made
/// apart.
///
/// @param[in] part  [rows][columns], transposed [columns of A][columns].
void cairn_operands_add(cairn_operands *operands,
                        cairn_interval  rows,
                        const double   *part);

/// Clear rows @p rows of Y, which are owned, and the accumulator: for a
/// subproduct that is the only one in these rows and is computed again.
void cairn_operands_clear(cairn_operands *operands, cairn_interval rows);

/// Fill the Y of a run that failed with NaN, where other ranks get of it. Local.
void cairn_operands_spoil_y(cairn_operands *operands);

/// Owned values of X and Y, and those that this rank receives and sends in a run.
int64_t cairn_operands_bytes(const cairn_operands *operands);

#endif
