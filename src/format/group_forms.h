// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The groups of a map in as few forms as say the same, for counting: how large groups are
/// and how many goes by forms one after the other, so one that follows from the others
/// costs time and exactness.

#ifndef CAIRN_FORMAT_GROUP_FORMS_H
#define CAIRN_FORMAT_GROUP_FORMS_H

#include "format/algebra.h"

/// Forms over @p algebra that are equal where the expressions of @p map are, by the same
/// reduction as the normal form of queries (space.h), those with few values first. Where
/// the reduction needs more than 64 bits or an algebra's tables, the map as written.
///
/// @param[in]  box      [order] where they are to be counted.
/// @param[in]  queries  Ranges of the queries that the map uses; NULL: it uses none.
/// @param[out] form     [CAIRN_MAX_LEVELS], @p forms of them, at most as many as the map's.
/// @retval CAIRN_OVERFLOW   An expression of the map leaves 64 bits.
/// @retval CAIRN_NO_MEMORY  There is none.
cairn_status cairn_independent_forms(cairn_algebra        *algebra,
                                     const cairn_map      *map,
                                     const cairn_interval *box,
                                     const cairn_interval *queries,
                                     int                  *forms,
                                     cairn_form           *form);

#endif
