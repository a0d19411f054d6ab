// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The second look: all of w.x and of (1'|A|).|x|, member by member, against all of y.

#ifndef CAIRN_GUARD_COMPARE_H
#define CAIRN_GUARD_COMPARE_H

#include "guard/guard_state.h"

/// w.x and (1'|A|).|x|, or parts of them.
typedef struct cairn_guard_product {
    long double sum, size;
} cairn_guard_product;

/// Those of member @p m. Local; by all threads.
cairn_guard_product cairn_guard_multiply_member(const cairn_guard_x *x, int m);

/// How a check ended.
typedef struct cairn_guard_verdict {
    bool   checked;    ///< Else x is not finite, or too large.
    double difference; ///< |1'y - w.x|
    double bound;
} cairn_guard_verdict;

/// Hold @p y, [rows of this rank], against @p x. Local; by all threads.
cairn_guard_verdict cairn_guard_compare(const cairn_guard_x *x, const void *y);

#endif
