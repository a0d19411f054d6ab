// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Visits of all entries of a tensor, member by member, by walkers that are made before the
/// first visit: then nothing can fail any more.

#ifndef CAIRN_TENSOR_VISIT_VALUES_H
#define CAIRN_TENSOR_VISIT_VALUES_H

#include "tensor/walk.h"

#include <math.h>

/// The walkers of a tensor's members.
typedef struct cairn_visits {
    const cairn_local *local;
    cairn_walker      *walker[CAIRN_MAX_MEMBERS]; ///< [groups of `local`]
} cairn_visits;

/// Make the walkers. Local.
///
/// @param[out] visits  Released with cairn_visits_fini(), also on failure.
cairn_status cairn_visits_init(cairn_visits *visits, const cairn_local *local);

void cairn_visits_fini(cairn_visits *visits);

/// Visit all positions. Local. Fails only where @p visit does.
cairn_status
cairn_visits_run(const cairn_visits *visits, cairn_visit_fn visit, void *user);

/// Is this value, read from a part, an entry's? Where the layout pads, a stored 0 is none.
static inline bool cairn_is_entry(const cairn_part *part, double value)
{
    return !part->layout->pads || value != 0 || signbit(value);
}

#endif
