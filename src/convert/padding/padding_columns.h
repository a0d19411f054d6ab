// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A recipe run for many positions at once: variables are columns, and what a query finds
/// is read run by run (groups/elements.h). Internal to convert.

#ifndef CAIRN_CONVERT_PADDING_COLUMNS_H
#define CAIRN_CONVERT_PADDING_COLUMNS_H

#include "convert/build_steps.h"
#include "convert/padding/padding_plan.h"
#include "groups/elements.h"

enum { CAIRN_PADDING_ROWS = 512 }; ///< Of a column: all columns stay in cache.

/// Places of numbered groups on their lines, as listed (convert/numbers/compiled_blocks.h).
typedef struct cairn_padding_places {
    int64_t  numbers; ///< Of each line; 0: they are searched for.
    int32_t *place;   ///< [lines][numbers] or NULL.
    int64_t *spare;   ///< Column: lines, then places.
} cairn_padding_places;

typedef struct cairn_padding_columns {
    const cairn_member_build *m;
    const cairn_recipe       *recipe;
    int                       l;     ///< The determined level that it is of.
    uint32_t                  above; ///< Levels that it may read.
    cairn_padding_plan        plan;
    cairn_form *form; ///< [steps][CAIRN_MAX_LEVELS] groupBy of the query that a step's
                      ///< query is taken over.
    uint32_t            *checks; ///< [steps] levels to which a position found is held.
    cairn_elements      *elements[CAIRN_KNOWN_STEPS]; ///< Of steps that are queries,
    cairn_padding_places places;                 ///< but of groups that have numbers.
    int64_t             *memory;                 ///< Of all columns.
    int64_t             *var[CAIRN_MAX_VARS];    ///< Variables' columns.
    int64_t             *dim[CAIRN_MAX_ORDER];   ///< Dimensions of the positions found,
    int64_t             *other[CAIRN_MAX_ORDER]; ///< or of those of numbers in a row.
    int64_t *spare[CAIRN_MAX_LEVELS], *value; ///< What combinations are computed into.
    bool     ok[CAIRN_PADDING_ROWS];
} cairn_padding_columns;

/// Make the columns for the recipe of level @p l. Pairs with cairn_padding_columns_fini(),
/// on failure, too.
///
/// @param[in] above      Levels that it may read.
/// @param[in] positions  That will be padded.
cairn_status cairn_padding_columns_init(const cairn_member_build *m,
                                        int                       l,
                                        uint32_t                  above,
                                        int64_t                   positions,
                                        cairn_padding_columns    *columns);

void cairn_padding_columns_fini(cairn_padding_columns *columns);

/// Does the recipe find nothing but entries of this member, each at the position that the
/// levels above say? There the entry's own index is, since nodes of level E all have
/// different indices: so holes stay holes.
bool cairn_padding_columns_are_of_entries(const cairn_padding_columns *columns);

/// Run the recipe for @p n positions, the indices of whose levels above are in `var`; `ok`
/// says where it gives a position that is there.
cairn_status cairn_padding_columns_run(cairn_padding_columns *columns, int n);

/// Values of a combination.
///
/// @param[out]    spare  [n]
/// @param[in,out] ok     [n] false where it has none.
/// @return spare, or the column of a variable that is all of it.
const int64_t *cairn_padding_columns_value(const cairn_padding_columns *columns,
                                           const cairn_linear          *linear,
                                           int                          n,
                                           int64_t                     *spare,
                                           bool                        *ok);

#endif
