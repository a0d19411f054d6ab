// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Who answers which query of a member: functions, by numbers of rows and along them
/// (compiled_rows.h) or numbers of groups and of entries along lines (compiled_blocks.h); or
/// src/groups, on coordinates.
/// Internal to convert.

#ifndef CAIRN_CONVERT_COMPILED_NUMBERS_H
#define CAIRN_CONVERT_COMPILED_NUMBERS_H

#include "convert/compiled.h"

/// Judge each query of a member by itself: sets `rows`, `blocks` and `interpreted`.
///
/// Local. On several ranks rows must be theirs.
cairn_status cairn_numbers_find(cairn_member_build *m, const cairn_build *build);

/// Have the members' queries be answered as was found on all ranks; where that differs,
/// all on coordinates. @p status: of this rank so far; a failure is everybody's.
///
/// Collective; the build has a net.
cairn_status cairn_numbers_agree(cairn_member_build *members,
                                 int                 count,
                                 const cairn_build  *build,
                                 cairn_status        status);

/// What a query gives, as a pass is printed. A sum: NONE.
cairn_number_rule cairn_numbers_rule(const cairn_query *query);

/// Write the passes that give the numbers of a member's queries.
cairn_status cairn_numbers_write(const cairn_compiled *c, cairn_pass_writer *w);

/// All queries that are not idle, as bits.
static inline uint32_t cairn_numbers_all(const cairn_encoding *encoding)
{
    return ((1U << encoding->queries) - 1) & ~encoding->idle;
}

/// Do functions give some numbers? And is none left to be run on coordinates?
bool cairn_numbers_any(const cairn_member_build *m);
bool cairn_numbers_known(const cairn_member_build *m);

/// The numbers that a query gave to entries, of this rank, once it was answered.
cairn_interval cairn_numbers_span(const cairn_member_build *m, int q);

/// Can the member start from the levels of the tensor given?
cairn_status
cairn_numbers_direct(cairn_member_build *m, const cairn_build *build, bool *direct);

/// Run the passes that give the numbers, among the entries of @p origin, which come before
/// there is a layout.
///
/// Collective if the build has a net; then the answer is the same on all ranks.
///
/// @param[in]  status   Of this rank so far; a failure is everybody's.
/// @param[out] counted  False: it cannot be compiled. Then the queries have to be run; or,
///                      if @p origin is a tensor, counted among its coordinates.
cairn_status cairn_numbers_count(cairn_member_build *m,
                                 const cairn_build  *build,
                                 const cairn_origin *origin,
                                 cairn_status        status,
                                 bool               *counted);

/// Has nothing been counted yet that must be?
bool cairn_numbers_uncounted(const cairn_member_build *m);

/// Forget what was counted; have all queries be run on coordinates, too.
void cairn_numbers_forget(cairn_member_build *m);
void cairn_numbers_drop(cairn_member_build *m);

#endif
