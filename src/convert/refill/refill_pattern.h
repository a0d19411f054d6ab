// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a tensor remembers of the arrays that it was made of, so that new values of theirs
/// find their places: the pattern until the first ones come, then a plan.

#ifndef CAIRN_CONVERT_REFILL_PATTERN_H
#define CAIRN_CONVERT_REFILL_PATTERN_H

#include "convert/refill/line_arrays.h"
#include "convert/refill/refill_plan.h"

/// Where new values go.
typedef struct cairn_refill {
    const void *borrowed; ///< The caller's values, which are the tensor's; or NULL.
    cairn_line_arrays pattern; ///< Copies of ptr and idx, until there is a plan.
    int64_t           n;       ///< Entries that the caller gave.
    bool              blocks;  ///< They came in two, the first of which has
    int64_t           split;   ///< so many. Until there is a plan:
    int               bits;    ///< 32 or 64, of
    void *
        from; ///< [n] for each entry of `pattern` its number in both, one after the other;
              ///< NULL: the same.
    cairn_refill_plan *plan; ///< NULL: the first update makes it.
} cairn_refill;

/// Remember a pattern: its arrays are copied, so that the caller's may go. Values that are 0
/// now may be others at the next update, so @p local keeps the pattern's columns, too.
///
/// Local. Takes as much memory as ptr and idx.
///
/// @param[out] refill  Destroy with cairn_refill_destroy(), also on failure.
cairn_status cairn_refill_create(const cairn_line_arrays *a,
                                 cairn_local             *local,
                                 cairn_refill           **refill);

/// Plan where the values of a list of coordinates go, which needs no memory of the pattern.
///
/// Local.
///
/// @param[in]  given   All are in @p rows rows from @p first_row on.
/// @param[out] refill  Destroy with cairn_refill_destroy(), also on failure.
cairn_status cairn_refill_create_for(const cairn_given *given,
                                     int64_t            first_row,
                                     int64_t            rows,
                                     cairn_local       *local,
                                     cairn_refill     **refill);

/// @param[in,out] refill  May be NULL.
void cairn_refill_destroy(cairn_env *env, cairn_refill **refill);

/// Where entries are: arrays of `part` and `place` of @p to->n, to be freed with
/// cairn_refill_targets_fini(), also on failure.
cairn_status cairn_refill_targets_init(cairn_env *env, cairn_refill_targets *to);
void         cairn_refill_targets_fini(cairn_env *env, cairn_refill_targets *to);

/// Read where a tensor has the numbers of its entries, from 1 on, as values.
///
/// Local.
///
/// @param[in]     numbered  The pattern, stored with numbers in the place of values.
/// @param[in]     local     The tensor that gets new values.
/// @param[in,out] to        With room for `by_place`, too.
/// @return  false: it has not each once, or is otherwise not what @p local is.
bool cairn_refill_read_numbers(const cairn_local    *numbered,
                               const cairn_local    *local,
                               cairn_refill_targets *to);

/// Plan by where the entries of the pattern are.
///
/// Local.
cairn_status cairn_refill_plan_by(cairn_refill         *refill,
                                  const cairn_local    *local,
                                  cairn_refill_targets *to);

/// Plan by a walk over all positions of a tensor.
///
/// Local.
cairn_status cairn_refill_plan_by_walk(cairn_refill *refill, const cairn_local *local);

/// Free the copies of the pattern, which a plan takes the place of.
void cairn_refill_drop_pattern(cairn_env *env, cairn_refill *refill);

#endif
