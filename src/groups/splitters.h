// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Records that are put in one order over all ranks: which of them a rank sorts. Each rank
/// picks records from its own at equal distances in their order, all ranks see what all have
/// picked, and cut there; so ranks get about as many records each, whatever the keys are, if
/// no two records are equal.
///
/// Source: Shi and Schaeffer, Parallel sorting by regular sampling, Journal of Parallel and
/// Distributed Computing 14(4), 1992, doi:10.1016/0743-7315(92)90075-X. Here a sample counts
/// as many records as it stands for, so that ranks may have unlike numbers of them.

#ifndef CAIRN_GROUPS_SPLITTERS_H
#define CAIRN_GROUPS_SPLITTERS_H

#include "query/query.h"

/// Records that a rank with @p n of them picks: so many that no rank gets more than an
/// eighth more than its share; fewer on more than 64 ranks.
int64_t cairn_samples(const cairn_query_net *net, int64_t n);

/// Which of @p n records, in order, is sample @p k of @p samples.
static inline int64_t cairn_sample_at(int64_t n, int64_t samples, int64_t k)
{
    return (int64_t)((__int128)n * k / samples);
}

/// Choose the records at which ranks begin, from those picked.
///
/// Collective.
///
/// @param[in]  mine      This rank's status so far.
/// @param[in]  n         Records of this rank.
/// @param[in]  width     Integers of one, compared in their order; CAIRN_MAX_SORT_KEYS - 1 at
///                       most.
/// @param[in]  sample    [cairn_samples()][width] in order.
/// @param[out] splitter  [size - 1][width], ascending: rank r gets the records from splitter
///                       r - 1 on and before splitter r.
cairn_status cairn_splitters_choose(cairn_env             *env,
                                    const cairn_query_net *net,
                                    cairn_status           mine,
                                    int64_t                n,
                                    int                    width,
                                    const int64_t         *sample,
                                    int64_t               *splitter);

/// The rank that gets a record. Local.
int cairn_splitters_rank(int            ranks,
                         int            width,
                         const int64_t *splitter,
                         const int64_t *record);

/// Sum of a number over the ranks before this one.
///
/// Collective.
cairn_status cairn_sum_before(cairn_env             *env,
                              const cairn_query_net *net,
                              cairn_status           mine,
                              int64_t                number,
                              int64_t               *before);

#endif
