// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What two maps say about the order of entries, without looking at any: whether visiting
/// the source in its own order meets the levels of the target in theirs. What cannot be
/// proved is taken for false.

#ifndef CAIRN_LOWER_CONVERT_ORDER_H
#define CAIRN_LOWER_CONVERT_ORDER_H

#include "format/known.h"
#include "format/layout.h"

/// Facts about filling @p to from @p from (NULL: coordinates, sorted). A number of one of the
/// target's queries tells its element, an element its number, and what an `enum` numbers as
/// entries come ascends with them.
typedef struct cairn_convert_facts {
    int sorted;   ///< Entries come in the order of levels 0..sorted-1 of the target.
    int grouped;  ///< With levels 0..S-1 fixed they come in the order of S..grouped-1.
    int distinct; ///< First level through which the tuples of entries differ; levels
                  ///< when only all of them do.
    int same[CAIRN_MAX_LEVELS]; ///< Of each level of the target: a level of the source
                                ///< that has the same indices; -1: none.
} cairn_convert_facts;

/// Find the facts.
///
/// Local. Of a source with indirect levels nothing below the first of them is used.
cairn_status cairn_convert_facts_find(cairn_env           *env,
                                      const cairn_layout  *from,
                                      const cairn_layout  *to,
                                      cairn_convert_facts *facts);

/// Through how many of the values of @p map, over dimensions, the entries come in order.
cairn_status cairn_convert_sorted_by(cairn_env          *env,
                                     const cairn_layout *from,
                                     const cairn_map    *map,
                                     int                *sorted);

/// With dimension @p row and levels 0..begin-1 of the target fixed: entries come in the
/// order of levels begin..sorted-1.
cairn_status cairn_convert_sorted_within(cairn_env          *env,
                                         const cairn_layout *from,
                                         const cairn_layout *to,
                                         int                 row,
                                         int                 begin,
                                         int                *sorted);

/// The fewest levels, from the first on, by which entries have to be put in order, stably:
/// those that agree in them come in the order of the others, through the last that is
/// trimmed, or numbers banks. Levels behind it need no order.
cairn_status cairn_convert_levels_to_sort(cairn_env          *env,
                                          const cairn_layout *from,
                                          const cairn_layout *to,
                                          int                *levels);

/// The first level of the target through which dimension @p row is known, that is follows
/// from its index and those above it; the number of levels: through none.
cairn_status cairn_convert_known_through(cairn_env          *env,
                                         const cairn_layout *to,
                                         int                 row,
                                         int                *level);

/// Does visiting the levels of @p layout meet the dimensions in their order?
cairn_status
cairn_convert_by_rows(cairn_env *env, const cairn_layout *layout, bool *by_rows);

#endif
