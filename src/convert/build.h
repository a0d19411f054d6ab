// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The reference way from entries to the arrays of any format: decompose into members,
/// run each member's queries, infer its layout, sort by e-tuples, count nodes, allocate,
/// fill. One pass of code for all formats; what differs is in the layout.

#ifndef CAIRN_CONVERT_BUILD_H
#define CAIRN_CONVERT_BUILD_H

#include "query/query.h"
#include "tensor/local.h"

/// What a build starts from.
typedef struct cairn_build {
    const cairn_format    *format;
    cairn_shape            shape;                ///< Global.
    cairn_interval         box[CAIRN_MAX_ORDER]; ///< This rank's positions.
    const cairn_entries   *entries; ///< Sorted, without duplicates, inside the box.
    const cairn_query_net *net;     ///< NULL: one rank.
    int                    rank;
    int                    value_bits; ///< 32 or 64.
    int64_t held; ///< Bytes that count beside the arrays (entries, operands).
} cairn_build;

/// Build a tensor.
///
/// Collective if a net is given.
///
/// @param[out] tensor  Destroy with cairn_local_destroy(). Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  The arrays of all parts, with `held`, exceed the limit: the
///                          message has needed and limit, and nothing was allocated.
/// @retval CAIRN_OVERFLOW   A width given by `bits` does not hold its values.
/// @retval CAIRN_BAD_QUERY  Numbers clash, are missing or leave their range.
cairn_status
cairn_local_build(cairn_env *env, const cairn_build *build, cairn_local **tensor);

#endif
