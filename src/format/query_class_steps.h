// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the steps of finding a query's order share. Internal to query_class.

#ifndef CAIRN_FORMAT_QUERY_CLASS_STEPS_H
#define CAIRN_FORMAT_QUERY_CLASS_STEPS_H

#include "format/query_class.h"

/// What of a form is not the same for all positions of a group: linear terms by open
/// dimension, and floors and remainders.
typedef struct cairn_varying {
    int64_t factor[CAIRN_MAX_ORDER];
    int     dims; ///< How many of these are not 0,
    int     dim;  ///< and one of them.
    int     atoms, term[CAIRN_MAX_TERMS];
} cairn_varying;

/// Find it.
///
/// @param[in] constant  Bit q: query q is the same for all positions of a group.
/// @return false: something else varies, too (a query's value).
bool cairn_varying_find(const cairn_query_order *o,
                        const cairn_form        *form,
                        uint32_t                 constant,
                        cairn_varying           *v);

/// All keys of a query in the order of their significance.
typedef struct cairn_key_list {
    int               n, leading;
    const cairn_form *form[3 * CAIRN_MAX_LEVELS];
} cairn_key_list;

/// Do the keys repeat with a period along one open dimension, so that a group is lines of
/// few rows? Sets `runs`.
bool cairn_query_runs_find(cairn_query_order    *o,
                           const cairn_key_list *keys,
                           uint32_t              constant);

#endif
