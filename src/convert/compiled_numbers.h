// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries that are not run on coordinates, whatever kind they are of: numbers along rows
/// (compiled_rank.h), numbers of rows (compiled_rows.h), numbers of groups along lines
/// (compiled_blocks.h). Internal to convert.

#ifndef CAIRN_CONVERT_COMPILED_NUMBERS_H
#define CAIRN_CONVERT_COMPILED_NUMBERS_H

#include "convert/build_steps.h"

/// Which kind a member's queries are of, if any. Sets the member's fields.
///
/// Local. Not on several ranks.
cairn_status cairn_numbers_find(cairn_member_build *m, const cairn_build *build);

/// Are they of one?
bool cairn_numbers_known(const cairn_member_build *m);

/// Can the member start from the levels of the tensor given?
cairn_status
cairn_numbers_direct(cairn_member_build *m, const cairn_build *build, bool *direct);

/// Count what there is to count before a build, among the entries of @p origin.
///
/// Local.
///
/// @param[out] counted  False: it cannot be compiled. Then the queries have to be run, or
///                      are of another kind now; if @p origin is a tensor, groups along
///                      lines may be counted among its coordinates.
cairn_status cairn_numbers_count(cairn_member_build *m,
                                 const cairn_build  *build,
                                 const cairn_origin *origin,
                                 bool               *counted);

/// Has nothing been counted yet that must be?
bool cairn_numbers_uncounted(const cairn_member_build *m);

/// Forget what was counted; drop the queries' kind, too.
void cairn_numbers_forget(cairn_member_build *m);
void cairn_numbers_drop(cairn_member_build *m);

#endif
