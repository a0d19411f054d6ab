// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries, answered at a cost that goes with what is stored. The values are those of
/// query/query.h, which says what they mean, bit for bit.
///
/// What is asked of unstored positions (which come first in key order, how many before
/// one, is padded number k an element) is arithmetic where the query is a line or a box
/// (format/query_class.h). An encoding with a query that is neither where that is needed is
/// handed to src/query whole, by all ranks.

#ifndef CAIRN_GROUPS_GROUPS_H
#define CAIRN_GROUPS_GROUPS_H

#include "format/query_class.h"
#include "query/query.h"

typedef struct cairn_groups cairn_groups;

/// Begin to answer the queries of @p encoding; cairn_groups_step() is to follow for each.
///
/// Local. Arguments and lifetimes as of cairn_query_begin().
///
/// @param[in]  definition  Ask src/query, whatever the queries are: the reference way.
/// @param[out] groups      Destroy with cairn_groups_destroy(). Unchanged on failure.
cairn_status cairn_groups_begin(cairn_env            *env,
                                const cairn_encoding *encoding,
                                const cairn_shape    *shape,
                                const cairn_interval *box,
                                const cairn_entries  *entries,
                                bool                  definition,
                                cairn_groups        **groups);

/// Answer query @p q, those that it asks for having been answered; others may be left out.
///
/// Collective if @p net is given (the same in every step); failures as of
/// cairn_query_step().
cairn_status cairn_groups_step(cairn_groups *groups, int q, const cairn_query_net *net);

void cairn_groups_destroy(cairn_env *env, cairn_groups **groups);

/// As cairn_query_at_entries().
const int64_t *cairn_groups_at_entries(const cairn_groups *groups, int q);

/// As cairn_query_span().
cairn_interval cairn_groups_span(const cairn_groups *groups, int q);

/// As cairn_query_element(). Costs a search in the group, and arithmetic.
cairn_status cairn_groups_element(cairn_groups  *groups,
                                  int            q,
                                  int64_t        number,
                                  const int64_t *group,
                                  cairn_coord   *d,
                                  bool          *found);

/// Did ranks tell each other what query @p q needs? The same on all ranks.
bool cairn_groups_is_joint(const cairn_groups *groups, int q);

/// Was it begun to ask src/query?
bool cairn_groups_is_reference(const cairn_groups *groups);

/// Class of query @p q: OTHER where src/query answers it.
cairn_query_class cairn_groups_class(const cairn_groups *groups, int q);

/// Positions and groups visited so far for query @p q.
int64_t cairn_groups_visits(const cairn_groups *groups, int q);

#endif
