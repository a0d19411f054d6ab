// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries, executed from their text. `sum` counts, `enum` numbers, `reorder` orders,
/// `schedule` hands out; each sees *elements*: the positions of the tensor's box for
/// (value), the groups of an earlier query for (q). Stored positions are looked at one
/// by one; positions that are not stored only when something asks for them (padding, a
/// sum over `eq 0`, a condition class that stored and unstored elements share).
///
/// Source: Liu et al., UniSparse, OOPSLA 2024, section 4.2; the meaning is fixed in
/// docs/language.md.
///
/// Over several ranks sum, enum and reorder are global, schedule and `distance` are one
/// rank's own. Every rank learns the entries of all, and says by itself what queries mean
/// for the whole tensor; of each rank's own, what they mean for that rank's rows.

#ifndef CAIRN_QUERY_QUERY_H
#define CAIRN_QUERY_QUERY_H

#include "entries/entries.h"
#include "format/algebra.h"

/// What queries need of other ranks; handed in by the caller. NULL: one rank.
typedef struct cairn_query_net {
    void *user;
    int   rank, size;
    /// As cairn_comm_exchange(): counts[r] records of @p size bytes to rank r.
    cairn_status (*exchange)(void          *user,
                             const void    *send,
                             const int64_t *counts,
                             size_t         size,
                             void         **recv,
                             int64_t       *recv_counts);
    /// Largest and sum of one integer over the ranks.
    cairn_status (*max)(void *user, int64_t *value);
    cairn_status (*sum)(void *user, int64_t *value);
    /// Every rank passes its status; the first failure becomes everybody's.
    cairn_status (*agree)(void *user, cairn_status mine);
} cairn_query_net;

/// The value of an element that `none` left without a number.
#define CAIRN_NO_NUMBER INT64_MIN

typedef struct cairn_query_set cairn_query_set;

/// Begin to run the queries of @p encoding; cairn_query_step() is to follow for each.
///
/// Local.
///
/// @param[in]  shape    Global extents.
/// @param[in]  box      [order] the positions that are this rank's: rows of mode 0, which
///                      ascend with ranks, everything of the others. Empty: it has none.
/// @param[in]  entries  Sorted by (d0, d1, ...), without duplicates, inside the box.
///                      Must outlive the set, unchanged.
/// @param[out] set      Destroy with cairn_query_set_destroy(). Unchanged on failure.
cairn_status cairn_query_begin(cairn_env            *env,
                               const cairn_encoding *encoding,
                               const cairn_shape    *shape,
                               const cairn_interval *box,
                               const cairn_entries  *entries,
                               cairn_query_set     **set);

/// Run query @p q, those before it having run.
///
/// Collective if @p net is given, the same in every step: from the first one on each rank
/// holds the entries of all.
///
/// @retval CAIRN_BAD_QUERY  Two elements of one group got the same number; the message
///                          names the query (by name or position), group and number.
/// @retval CAIRN_NO_MEMORY  Also when the groups to order are more than the limit holds.
/// @retval CAIRN_OVERFLOW   An expression or a number leaves 64 bits.
cairn_status cairn_query_step(cairn_query_set *set, int q, const cairn_query_net *net);

void cairn_query_set_destroy(cairn_env *env, cairn_query_set **set);

/// Values of query @p q at the entries: [n], in their order; borrowed from the set.
/// CAIRN_NO_NUMBER where a `none` applies.
const int64_t *cairn_query_at_entries(const cairn_query_set *set, int q);

/// Smallest and largest value of query @p q over the elements in this rank's box whose
/// value a map can meet (for reorder and schedule: all local groups, empty ones too);
/// empty when there are none.
cairn_interval cairn_query_span(const cairn_query_set *set, int q);

/// The element of an enum or reorder query that has @p number, in the group with the
/// values @p group of the query's groupBy expressions (ignored by reorder, whose places
/// run on over all groups).
///
/// Not for several threads. Costs a binary search where the group is a line along one
/// dimension (or along one expression of the earlier query's groups); otherwise the
/// group's positions are listed once, at its first use.
///
/// @param[out] d  [order] the position, or the first position in id order of a group of
///                an earlier query.
/// @param[out] found  false when no element of this rank's box has it (a bubble, an
///                    overhanging row, a group that crosses ranks and where the element
///                    is unknown); then @p d is left alone.
/// @retval CAIRN_NO_MEMORY  The group's positions do not fit.
cairn_status cairn_query_element(cairn_query_set *set,
                                 int              q,
                                 int64_t          number,
                                 const int64_t   *group,
                                 cairn_coord     *d,
                                 bool            *found);

#endif
