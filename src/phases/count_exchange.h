// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What ranks exchange while compiled functions count: the keys of rows that are
/// ordered together, the counts of groups that cross ranks. Each rank has counted its own
/// entries; after the exchange all passes go on as on one.
///
/// All calls are collective, and take this rank's status so far: a failure is everybody's.

#ifndef CAIRN_PHASES_COUNT_EXCHANGE_H
#define CAIRN_PHASES_COUNT_EXCHANGE_H

#include "query/query.h"

/// Does no value of a form stand on both sides of where a rank's @p rows begin? So it is
/// of quotients of rows that begin with a multiple of the divisor. Local.
bool cairn_exchange_spares(const cairn_algebra *algebra,
                           const cairn_form    *form,
                           cairn_interval       rows);

/// Find the places of this rank's rows among those of all ranks: each puts about as many in
/// order, whatever the keys are (groups/splitters.h).
///
/// @param[in]  key    [keys] columns of [n], by which rows are ordered; rows that are equal
///                    in all stay as they are numbered.
/// @param[out] place  [n]
///
/// @retval CAIRN_NO_KERNEL  More rows than 32 bits number.
///
/// Memory: 8 bytes a row and key, and twice for those that this rank puts in order, at most
/// an eighth more than its share.
cairn_status cairn_exchange_places(cairn_env             *env,
                                   const cairn_query_net *net,
                                   cairn_status           mine,
                                   int64_t                n,
                                   int                    keys,
                                   const int64_t *const  *key,
                                   uint32_t              *place);

/// A group on a line: what this rank has counted of it; then what all ranks have.
typedef struct cairn_group_counted {
    int64_t  line; ///< Line and place have the same numbers on all ranks.
    uint32_t place;
    uint32_t count;          ///< Sums of all ranks have 32 bits.
    uint32_t number, groups; ///< Groups of the line before this one, and all of it.
} cairn_group_counted;

/// Bring together what ranks have of groups. A line's are answered for by one rank, that
/// of the range of lines that it is in.
///
/// @param[in]     lines  Lines that there are: 0 .. lines-1.
/// @param[in,out] counted   [n] groups of this rank, each once, in any order.
/// @retval CAIRN_NO_KERNEL  A rank receives more groups than 32 bits number.
///
/// Memory: 40 bytes a group, and 48 for each that this rank receives.
cairn_status cairn_exchange_groups(cairn_env             *env,
                                   const cairn_query_net *net,
                                   cairn_status           mine,
                                   int64_t                lines,
                                   int64_t                n,
                                   cairn_group_counted   *counted);

#endif
