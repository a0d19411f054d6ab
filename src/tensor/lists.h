// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lists of numbers looked at whole, without a branch a number: whether something is wrong
/// with them, not where. `check.c` asks here first, and looks for the place only where
/// something is.

#ifndef CAIRN_TENSOR_LISTS_H
#define CAIRN_TENSOR_LISTS_H

#include "tensor/local.h"

#include <stdbool.h>

/// Does the level's ptr begin with 0, never fall, and end with the level's nodes?
bool cairn_ptr_rises(const cairn_kernel_level *level);

/// Does no element of the level's ptr fall below the one before it?
bool cairn_ptr_never_falls(const cairn_kernel_level *level);

/// Is every index of the level within @p range? Not of fields of tuples, for which the
/// answer is no.
bool cairn_idx_is_within(const cairn_kernel_level *level, cairn_interval range);

/// The least and the greatest of the indices @p begin .. @p end - 1 that the level stores;
/// lo > hi: there is none.
///
/// @param[in] holes  It is a determined level, whose `hole` is no index.
cairn_interval
cairn_idx_span(const cairn_kernel_level *level, bool holes, int64_t begin, int64_t end);

/// Is each of the level's indices @p begin .. @p end - 1 within @p range, and do they ascend
/// from one node to the next, from that before the first on, under each parent, by a ptr that
/// rises (cairn_ptr_rises())? Each is read from memory once. Not of fields of tuples, for
/// which the answer is no.
bool cairn_idx_ascends_within(const cairn_kernel_level *level,
                              cairn_interval            range,
                              int64_t                   begin,
                              int64_t                   end);

/// Do the indices of the level, which are within @p range, ascend from one node to the
/// next under each parent? Not of fields of tuples, for which the answer is no.
///
/// @param[in] has_ptr  The level's; without one all nodes have one parent.
bool cairn_idx_ascends(const cairn_kernel_level *level,
                       bool                      has_ptr,
                       cairn_interval            range);

#endif
