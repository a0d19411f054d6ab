// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Padding that only entries' own indices make: nodes with the same indices, which are not
/// merged, have each other's. Internal to convert.

#ifndef CAIRN_CONVERT_PADDING_NODES_H
#define CAIRN_CONVERT_PADDING_NODES_H

#include "convert/build_steps.h"

/// Give holes of a determined level the indices that nodes with the same tuple have at the
/// same place below them. Where nodes are merged, or no node is asked, none has any.
///
/// Cost: each index is loaded twice at most; none where nodes are merged.
///
/// @param[in] tuples  [last + 1] indices of nodes, as in cairn_build_padding().
/// @return false: nodes do not ascend, and nothing was written.
bool cairn_padding_from_nodes(cairn_env          *env,
                              const cairn_layout *layout,
                              cairn_part         *part,
                              int                 l,
                              int64_t *const     *tuples);

#endif
