// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// X and Y of a caller, in a product's run (operands.h): used where they lie, or copied.
///
/// X is read where it lies where all that a rank reads is its own: on one rank, in
/// transposed products, and, on several ranks, in rows that need no column of another
/// (row_pieces.h), for which the product has to be cut: where it is not, replay.c has X
/// copied. It is copied, too, where it overlaps Y, or what sums are made in; and where Y
/// stays in the plan, which then has both. Y is written where it lies, unless it overlaps
/// what is read.

#ifndef CAIRN_PLAN_CALLERS_H
#define CAIRN_PLAN_CALLERS_H

#include "plan/operands.h"

/// Let the next run have these, up to cairn_operands_give_back(). Local.
///
/// @param[in] x  [owned rows of X][columns]; NULL: the plan's own.
/// @param[in] y  [owned rows of Y][columns]; NULL: the plan's own.
void cairn_operands_lend(cairn_operands *operands, const void *x, void *y);

/// After the run, unless it failed: a Y that was computed elsewhere is copied to @p y. The
/// plan has its own again. Local.
///
/// @param[in] y  As lent; NULL: the run failed, or it stays in the plan.
void cairn_operands_give_back(cairn_operands *operands, void *y);

/// Make the Y of the last run the X of the next one, both the plan's own, for a square
/// product that is not transposed. Where a rank has all rows they change places without a
/// copy: the next run has them exchanged, up to cairn_operands_give_back(). Else Y is
/// copied to X. Local.
///
/// @param[in] turned  The last run had them exchanged.
/// @return Whether the next run has.
bool cairn_operands_chain(cairn_operands *operands, bool turned);

/// After the last run of a chain: what lies exchanged is brought to its own place. Local.
void cairn_operands_end_chain(cairn_operands *operands, bool turned);

/// Copy X and Y of the last run into the plan's own, from where the caller has them. Local.
void cairn_operands_keep_last(cairn_operands *operands);

#endif
