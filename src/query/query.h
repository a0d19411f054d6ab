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
/// rank's own. A group whose positions all lie in one rank's box is answered there; the
/// elements of the others travel to a rank chosen by their group, are answered there
/// by the same code, and the answers return.

#ifndef CAIRN_QUERY_QUERY_H
#define CAIRN_QUERY_QUERY_H

#include "entries/entries.h"
#include "format/algebra.h"

/// What queries need of other ranks; handed in by whoever knows them. NULL: one rank.
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

/// Run all queries of @p encoding.
///
/// Collective if @p net is given.
///
/// @param[in]  shape    Global extents.
/// @param[in]  box      [order] the positions that are this rank's: rows of mode 0,
///                      everything of the others. Empty: this rank has none.
/// @param[in]  entries  Sorted by (d0, d1, ...), without duplicates, inside the box.
///                      Must outlive the set, unchanged.
/// @param[out] set      Destroy with cairn_query_set_destroy(). Unchanged on failure.
///
/// @retval CAIRN_BAD_QUERY  Two elements of one group got the same number; the message
///                          names the query (by name or position), group and number.
/// @retval CAIRN_NO_MEMORY  Also when the groups to order are more than the limit holds.
cairn_status cairn_query_run(cairn_env             *env,
                             const cairn_encoding  *encoding,
                             const cairn_shape     *shape,
                             const cairn_interval  *box,
                             const cairn_entries   *entries,
                             const cairn_query_net *net,
                             cairn_query_set      **set);

/// As cairn_query_run() without running any query yet.
///
/// Local. To be followed by cairn_query_step() for every query in turn.
cairn_status cairn_query_begin(cairn_env            *env,
                               const cairn_encoding *encoding,
                               const cairn_shape    *shape,
                               const cairn_interval *box,
                               const cairn_entries  *entries,
                               cairn_query_set     **set);

/// Run query @p q, those before it having run.
///
/// Collective if @p net is given; failures as of cairn_query_run().
cairn_status cairn_query_step(cairn_query_set *set, int q, const cairn_query_net *net);

void cairn_query_set_destroy(cairn_env *env, cairn_query_set **set);

/// Values of query @p q at the entries: [n], in their order; borrowed from the set.
/// CAIRN_NO_NUMBER where a `none` applies.
///
/// The first call for a query may look them up: not for several threads.
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

/// Decide for every entry which member of a hybrid stores it: the rule of thresholds
/// and `keep`. For a format that is no hybrid everything goes to member 0.
///
/// Collective if @p net is given.
///
/// @param[out] member  [entries->n]; caller's array.
/// @retval CAIRN_BAD_FORMAT  The first member stores no index and there is no query.
cairn_status cairn_decompose(cairn_env             *env,
                             const cairn_format    *format,
                             const cairn_shape     *shape,
                             const cairn_interval  *box,
                             const cairn_entries   *entries,
                             const cairn_query_net *net,
                             uint8_t               *member);

/// The query by whose values a hybrid deals its entries out, in its normal form.
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
