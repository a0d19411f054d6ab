// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The check of a product: the same sums over the matrix's entries, in long double, by
/// nothing that the product uses.

#ifndef CAIRN_PLAN_VERIFICATION_H
#define CAIRN_PLAN_VERIFICATION_H

#include "plan/operands.h"

/// A product that has run, and the entries that it is held to. Rows and columns of X, Y and
/// entries are the user's.
typedef struct cairn_verification {
    const cairn_operands *operands;
    const cairn_entries  *entries;            ///< Of this rank's rows, sorted.
    const void           *x, *y;              ///< Of the operands' type; this rank's
    int64_t               first_row, end_row; ///< rows of Y,
    int64_t               first_column;       ///< and those of X from this one on.
    bool by_places; ///< The operands have rows by places: rows of X that
                    ///< entries meet are fetched.
} cairn_verification;

/// Compare Y with the sums of entries.
///
/// Collective, where the product is transposed or by places.
///
/// @param[in]  mine  This rank's status so far.
/// @param[out] rel   The largest of |y - r| / sum |a x| of this rank's rows, and
/// @param[out] abs   of |y - r|; as far as they were compared on failure.
/// @return  @p mine, or why nothing could be compared; not yet that of all ranks.
cairn_status cairn_verification_run(const cairn_verification *check,
                                    cairn_status              mine,
                                    double                   *rel,
                                    double                   *abs);

#endif
