// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Preconditioners out of a tensor's entries.

#include "api/systems/solve.h"
#include "tensor/visit_values.h"

static cairn_status add(void *user, const cairn_part *part, const cairn_batch *batch)
{
    for (int n = 0; n < batch->n; n++)
        cairn_block_factors_add(user, batch->coord[0][n], batch->coord[1][n],
                                cairn_value_get(&part->view, batch->value[n]));
    return CAIRN_OK;
}

/// The blocks on the diagonal, factored.
static cairn_status read_blocks(const cairn_tensor *tensor, cairn_preconditioner *m)
{
    cairn_env   *env = &tensor->context->env;
    int64_t      first, end;
    cairn_visits visits;

    CAIRN_TRY(cairn_check_own_order(tensor, "solve: block-jacobi"));
    cairn_tensor_rows(tensor, &first, &end);
    CAIRN_TRY(
        cairn_block_factors_create(env, first, end - first, m->block, &m->factors));
    cairn_status status = cairn_visits_init(&visits, tensor->local);

    if (status == CAIRN_OK) status = cairn_visits_run(&visits, add, m->factors);
    cairn_visits_fini(&visits);
    return status == CAIRN_OK ? cairn_block_factors_factor(env, m->factors) : status;
}

cairn_status cairn_precondition_read(const cairn_tensor   *tensor,
                                     cairn_preconditioner *m)
{
    cairn_env *env = &tensor->context->env;
    int64_t    first, end;

    if (m->kind == CAIRN_PRECONDITION_BLOCKS) return read_blocks(tensor, m);
    if (m->kind != CAIRN_PRECONDITION_JACOBI) return CAIRN_OK;
    cairn_tensor_rows(tensor, &first, &end);
    CAIRN_TRY(CAIRN_NEW(env, end - first, &m->inverse));
    CAIRN_TRY(cairn_tensor_diagonal(tensor, m->inverse));
    return cairn_precondition_invert(env, first, end - first, m);
}
