// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Touches of operands: how often a walk over stored entries meets a line of X or Y that
/// no cache has any more, in the order in which the entries are stored.

#ifndef CAIRN_AUTO_TOUCHES_H
#define CAIRN_AUTO_TOUCHES_H

#include "auto/sample.h"
#include "tensor/local.h"

/* Elements in a cache line, and lines that a first cache holds, and a second one beside
   what streams through it. */
enum { CAIRN_LINE = 8, CAIRN_NEAR_LINES = 512, CAIRN_FAR_LINES = 8192 };

typedef struct cairn_touches {
    int64_t near, far; ///< Lines from beyond the first cache, the second.
} cairn_touches;

/// Count. Time is counted in lines that are met; a line that was not met yet was by the
/// run before. Where there are more lines than 2^26, nothing is counted.
///
/// Local.
///
/// @param[in]  part     Of order 2, of @p group.
/// @param[out] touches  Unchanged on failure.
/// @retval CAIRN_NO_MEMORY
cairn_status cairn_touches_count(cairn_env          *env,
                                 const cairn_group  *group,
                                 const cairn_part   *part,
                                 const cairn_sample *sample,
                                 cairn_touches      *touches);

#endif
