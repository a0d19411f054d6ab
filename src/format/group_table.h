// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Groups counted by listing every position of a small box: exact for any forms.
/// Internal to format.

#ifndef CAIRN_FORMAT_GROUP_TABLE_H
#define CAIRN_FORMAT_GROUP_TABLE_H

#include "format/algebra.h"

#define CAIRN_TABLE_POSITIONS 16384 ///< Most positions to list: a few milliseconds.

typedef struct cairn_group_counts {
    int64_t groups;  ///< Distinct tuples of the outer forms.
    int64_t largest; ///< Positions of the largest of them.
    int64_t inner;   ///< Most distinct tuples of the inner forms in one of them.
} cairn_group_counts;

/// Count groups over the positions of @p box in the dimensions @p used, on which alone
/// the forms depend; the others stay at their low end. All counts are 0 for an empty box.
cairn_status cairn_group_table(cairn_env            *env,
                               const cairn_algebra  *algebra,
                               int                   outer,
                               const cairn_form     *outer_form,
                               int                   inner,
                               const cairn_form     *inner_form,
                               const cairn_interval *box,
                               uint32_t              used,
                               cairn_group_counts   *counts);

#endif
