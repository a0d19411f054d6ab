// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Elements of a group by their numbers, run by run: what cairn_groups_element() says of
/// number after number, at a search for each group and a few operations a number.

#ifndef CAIRN_GROUPS_ELEMENTS_H
#define CAIRN_GROUPS_ELEMENTS_H

#include "groups/groups.h"

typedef struct cairn_elements cairn_elements;

/// Begin to read elements of query @p q, which was answered.
///
/// Local. Reads of one query are one thread's.
///
/// @param[out] elements  Destroy with cairn_elements_destroy(), before the groups.
cairn_status cairn_elements_create(cairn_env       *env,
                                   cairn_groups    *groups,
                                   int              q,
                                   cairn_elements **elements);

void cairn_elements_destroy(cairn_env *env, cairn_elements **elements);

/// Does the query put all groups in one order? Then a number says all, and
/// cairn_elements_places() finds elements for many of them.
bool cairn_elements_are_places(const cairn_elements *elements);

/// Are all elements that have a number this rank's entries, each with one of its own in its
/// group?
bool cairn_elements_are_entries(const cairn_elements *elements);

/// From now on this rank's entries may count as none in cairn_elements_of_groups(), where
/// that is sooner seen than which one has a number.
void cairn_elements_leave_entries(cairn_elements *elements);

/// Find the elements with @p n numbers, where @p ok, which becomes false where there is
/// none.
///
/// @param[out] d  [order] columns of [n]: positions; 0 where there is no element.
cairn_status cairn_elements_places(cairn_elements     *elements,
                                   int                 n,
                                   const int64_t      *number,
                                   cairn_coord *const *d,
                                   bool               *ok);

/// Read the elements with the numbers @p first to @p first + @p n - 1 of a group.
///
/// Cost: if it is the group of the call before and the numbers go on, nothing is searched.
///
/// @param[out] d      [order] columns of [n]: positions; 0 where there is no element.
/// @param[out] found  [n]
/// @retval CAIRN_NO_MEMORY, and what cairn_groups_element() fails with.
cairn_status cairn_elements_read(cairn_elements     *elements,
                                 const int64_t      *group,
                                 int64_t             first,
                                 int                 n,
                                 cairn_coord *const *d,
                                 bool               *found);

/// Numbers of another group from which reading them together pays; fewer are found with
/// those of other groups.
enum {
    CAIRN_ELEMENTS_WORTH_READING = 4
}; /* measured: bench_queries, a group a position */

/// Find the elements with @p n numbers, each of a group of its own, where @p ok, which
/// becomes false where there is none.
///
/// @param[in]  group  [groupBy] columns of [n].
/// @param[out] d      [order] columns of [n]: positions; 0 where there is no element.
cairn_status cairn_elements_of_groups(cairn_elements       *elements,
                                      int                   n,
                                      const int64_t        *number,
                                      const int64_t *const *group,
                                      cairn_coord *const   *d,
                                      bool                 *ok);

#endif
