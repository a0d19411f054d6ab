// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A path while it is planned: what the table would look like after the rules chosen so
/// far. Internal to convert.

#ifndef CAIRN_RULES_PATH_STATE_H
#define CAIRN_RULES_PATH_STATE_H

#include "rules/digit.h"
#include "rules/path.h"

typedef struct cairn_path_state {
    cairn_env     *env;
    cairn_algebra *algebra;
    const int64_t *extent; ///< NULL: not known.
    int            order;
    cairn_path    *path; ///< The rules so far.
    int            levels;
    cairn_digit   *level;       ///< [CAIRN_TABLE_LEVELS] what each level holds.
    int            first, last; ///< Trimmed range; without one first > last.
    bool           sorted;      ///< The entries are in the order of (e0, e1, ...).
} cairn_path_state;

/// Start at the dimensions in order, all trimmed, sorted: coordinates.
/// Pairs with cairn_path_state_fini(), which keeps the path.
cairn_status cairn_path_state_init(cairn_env        *env,
                                   int               order,
                                   const int64_t    *extent,
                                   cairn_path_state *state);

void cairn_path_state_fini(cairn_path_state *state);

/// Append a rule to a path.
cairn_status cairn_path_add(cairn_path *path, cairn_rule rule, cairn_rule_work work);

/// Append a rule and follow what it does to positions, range and order. What a changed
/// or appended level holds is the caller's to say.
cairn_status cairn_path_state_apply(cairn_path_state *state, cairn_rule rule);

/// Append rules after which the levels hold exactly @p target[0..n-1], in that order.
///
/// The state's levels must determine every dimension, and the queries that the targets
/// use must be levels.
cairn_status
cairn_path_state_derive(cairn_path_state *state, const cairn_digit *target, int n);

/// As cairn_path_state_derive(), for any levels: by way of the dimensions, level by level.
cairn_status cairn_path_state_derive_by_parts(cairn_path_state  *state,
                                              const cairn_digit *target,
                                              int                n);

/// Append a level that is 0 everywhere.
cairn_status cairn_path_state_add_zero(cairn_path_state *state);

/// Add a linear combination of levels to level @p l, and divide by @p den: @p factor is
/// [levels], that of level @p l is not used, @p constant is added, too.
cairn_status cairn_path_state_add_linear(cairn_path_state *state,
                                         const int64_t    *factor,
                                         int               levels,
                                         int64_t           constant,
                                         int64_t           den,
                                         int               l);

#endif
