// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Checks of products by sums of columns.

#include "guard/guard.h"

#include "guard/column_sums.h"
#include "guard/guard_compare.h"
#include "guard/guard_look.h"
#include "guard/guard_repair.h"

cairn_status cairn_guard_create(const cairn_local    *local,
                                const cairn_operands *operands,
                                cairn_guard         **guard)
{
    cairn_comm        *comm   = operands->comm;
    const cairn_x_rows x      = cairn_operands_x_rows(operands);
    const cairn_coord *rows   = operands->y_rows.first + comm->rank;
    cairn_guard       *g      = NULL;
    cairn_status       status = CAIRN_NEW_ZERO(comm->env, 1, &g);

    if (status != CAIRN_OK) return status;
    g->comm    = comm;
    g->local   = local;
    g->rows    = (cairn_interval){rows[0], rows[1] - 1};
    g->info    = (cairn_guard_info)CAIRN_GUARD_INFO;
    g->own     = cairn_interval_size(x.owned);
    g->columns = g->own + x.ghosts;
    g->members = local->groups;
    status     = cairn_guard_allocate_sums(g);
    if (status == CAIRN_OK) status = cairn_guard_sum_columns(g, operands);
    if (status == CAIRN_OK)
        *guard = g;
    else
        cairn_guard_destroy(&g);
    return status;
}

void cairn_guard_destroy(cairn_guard **guard)
{
    cairn_guard *g = *guard;

    if (!g) return;
    cairn_guard_forget_sums(g);
    cairn_free(g->comm->env, g);
    *guard = NULL;
}

cairn_status cairn_guard_check(cairn_guard          *g,
                               const cairn_operands *operands,
                               const void           *x,
                               void                 *y,
                               const long double    *sum)
{
    const double        begin  = cairn_seconds();
    const cairn_guard_x at     = cairn_guard_x_of(g, operands, x);
    cairn_status        status = CAIRN_OK;

    if (g->updates != g->local->updates)
        CAIRN_TRY(cairn_guard_sum_columns(g, operands));
    if (cairn_guard_agrees(&at, y, sum)) {
        g->info.checked++;
    } else {
        const cairn_guard_verdict v = cairn_guard_compare(&at, y);

        g->closer++;
        g->info.checked += v.checked;
        g->info.unchecked += !v.checked;
        if (v.checked && !(v.difference <= v.bound)) {
            g->info.found++;
            status = cairn_guard_repair(g, operands, x, y);
        }
    }
    g->info.seconds += cairn_seconds() - begin;
    return status;
}
