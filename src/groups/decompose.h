// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Hybrids: which member stores which entries.

#ifndef CAIRN_GROUPS_DECOMPOSE_H
#define CAIRN_GROUPS_DECOMPOSE_H

#include "query/query.h"

/// Decide for every entry which member of a hybrid stores it: the rule of thresholds
/// and `keep`. For a format that is no hybrid everything goes to member 0.
///
/// Collective if @p net is given.
///
/// @param[in]  definition  Ask src/query for numbers: the reference way.
/// @param[out] member      [entries->n]; caller's array.
/// @retval CAIRN_BAD_FORMAT  The first member stores no index and there is no query.
cairn_status cairn_decompose(cairn_env             *env,
                             const cairn_format    *format,
                             const cairn_shape     *shape,
                             const cairn_interval  *box,
                             const cairn_entries   *entries,
                             bool                   definition,
                             const cairn_query_net *net,
                             uint8_t               *member);

/// The query by whose values a hybrid assigns its entries, in its normal form.
/// @param[out] query  Borrows its expressions from the format.
/// @retval CAIRN_BAD_FORMAT  The first member stores no index and there is no query.
cairn_status cairn_decompose_query(cairn_env          *env,
                                   const cairn_format *format,
                                   const cairn_shape  *shape,
                                   cairn_query        *query);

/// Where `keep` cuts a level of so many indices: its share of the size, rounded up; a
/// product that is an integer but for its last bit is that integer.
int64_t cairn_decompose_cut(double keep, int64_t size);

/// Which member the groups of that query go to, by their values; without `keep`.
///
/// Collective if @p net is given; @p mine is this rank's status so far.
///
/// @param[in]  total   [n] values, of all groups that an entry of this rank is in at least.
/// @param[out] member  [n]; caller's array.
cairn_status cairn_decompose_totals(cairn_env             *env,
                                    const cairn_format    *format,
                                    const cairn_shape     *shape,
                                    const cairn_query     *query,
                                    const cairn_query_net *net,
                                    cairn_status           mine,
                                    int64_t                n,
                                    const uint32_t        *total,
                                    uint8_t               *member);

#endif
