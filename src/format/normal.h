// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The normal form of queries: what a text asks, in one spelling, so that storing,
/// converting and planning look at meanings. A normal form gives every element the number
/// that the text gives it; the room's README lists the five reductions. The text itself
/// stays what is printed, and what the reference way executes.

#ifndef CAIRN_FORMAT_NORMAL_H
#define CAIRN_FORMAT_NORMAL_H

#include "base/arena.h"
#include "format/encoding.h"

/// The normal form of an encoding: itself where it asks nothing, or where its integers
/// are too large for that to be safe.
///
/// Local. Queries keep their numbers, and the map its expressions, but that a query which
/// is another spelling of an earlier one is no longer used: it is `idle`.
///
/// @param[in]  arena   Owns what is made.
/// @param[out] normal  Its `written` is @p encoding. Borrows from that.
/// @retval CAIRN_NO_MEMORY  There is none; nothing else fails.
cairn_status cairn_encoding_normal(cairn_env             *env,
                                   cairn_arena           *arena,
                                   const cairn_encoding  *encoding,
                                   const cairn_encoding **normal);

/// The same for a hybrid's query, in the words of the first member's own groups if it
/// means those. Failures as above.
cairn_status cairn_format_normal_query(cairn_env          *env,
                                       cairn_arena        *arena,
                                       const cairn_format *format,
                                       const cairn_query **normal);

/// What to build member @p k from: its normal form, unless expressions of the text leave
/// 64 bits in a tensor of these extents, which the text's own execution is to find out.
/// @param[in] extent  [order] at least 0.
cairn_status cairn_format_meaning(cairn_env             *env,
                                  const cairn_format    *format,
                                  int                    k,
                                  const int64_t         *extent,
                                  const cairn_encoding **encoding);

/// Print the queries of a normal form that are not idle, by canonical names; equal texts
/// are equal meanings. Empty where there are none. Free with cairn_free().
cairn_status
cairn_normal_print(cairn_env *env, const cairn_encoding *normal, char **text);

/* ---- the meaning of normal queries ---- */

/// What elements with an entry start with, and those without: of `value` the stored
/// positions and the others, of a sum its groups whose number is not 0 and those of 0.
/// @p apart: they are numbered apart. False: it depends on more than that.
bool cairn_query_starts(const cairn_query  *query,
                        const cairn_start **stored,
                        const cairn_start **others,
                        bool               *apart);

/// Is it a sum to which every entry adds @p each, a constant, and nothing else anything?
bool cairn_query_counts(const cairn_query *query, int64_t each);

/// Are the groups those of one dimension? Which; -1: they are not.
int cairn_query_dimension(const cairn_query *query);

/// The dimension along which the positions of each group lie, visited upwards, all others
/// being the group's; -1: there is none.
int cairn_query_line(const cairn_query *query);

/// Number of the first query at or after @p q that is not idle; `queries`: none.
int cairn_encoding_next_query(const cairn_encoding *encoding, int q);

/// Does a condition on the value hold of positions that are not stored?
bool cairn_case_holds_of_others(const cairn_case *when);

#endif
