// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The rates that come with the library: seconds of one thread, for each leaf.

#ifndef CAIRN_AUTO_RATES_H
#define CAIRN_AUTO_RATES_H

#include "auto/leaf.h"

/// What things take in a leaf (cairn_suggest_work), in seconds.
typedef struct cairn_rates {
    double launch, team;    ///< A product, and more with several threads.
    double row, unit, turn; ///< Each of the work.
    double value;           ///< Each value; of a byte beyond the caches:
    double byte;            ///< this.
    double near, far;       ///< Lines of X from beyond the first, the second cache.
    double lead;            ///< Each value of the longest list beyond a thread's share.
    double edge;            ///< Each value where something overhangs.
    double scattered;       ///< Each scattered row.
    double store, convert;  ///< To store a member: at all, and each entry.
} cairn_rates;

/// The rates of the leaf that is most like @p leaf.
///
/// @param[in] many  Of a product with several columns: for each.
const cairn_rates *cairn_rates_of(const cairn_leaf *leaf, bool many);

/* Seconds for each row of Y that a member adds to after others. */
extern const double cairn_rate_join;

/* Seconds to deal entries out to several members: at all, and for each entry. */
extern const double cairn_rate_split, cairn_rate_partition;

#endif
