// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A plan's tensor in another format, made by a second thread beside a solver's iterations
/// (solve/beside.h). Internal to the API.

#ifndef CAIRN_API_SOLVE_BESIDE_H
#define CAIRN_API_SOLVE_BESIDE_H

#include "api/api.h"
#include "solve/beside.h"

typedef struct cairn_other_plan cairn_other_plan;

/// Let a second thread of each rank begin.
///
/// Collective.
///
/// @param[in]  plan    Whose tensor it is; not changed.
/// @param[in]  how     Both it and its texts stay as long as @p other.
/// @param[in]  products  That may come, at most.
/// @param[out] beside  For the solver; unchanged where nothing could begin, which was logged.
/// @param[out] other   End it with cairn_other_plan_end(). Unchanged on failure.
/// @return What is wrong with @p how, or CAIRN_COMM.
cairn_status cairn_other_plan_begin(cairn_plan               *plan,
                                    const cairn_solve_switch *how,
                                    int64_t                   products,
                                    cairn_beside_work        *beside,
                                    cairn_other_plan        **other);

/// Wait for the thread, say what became of it, and free all.
///
/// Local; @param[in,out] other  Set NULL. @param[in,out] info  Gets format, seconds, why.
void cairn_other_plan_end(cairn_other_plan **other, cairn_solve_switch_info *info);

#endif
