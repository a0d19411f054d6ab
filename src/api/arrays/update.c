// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// New values for a tensor that was made of a caller's arrays (convert/refill).

#include "api/arrays/solver_rows.h"
#include "api/door.h"
#include "convert/refill/refill_store.h"
#include "convert/value_words.h"

/* ---- by numbers in the place of values ---- */

/// Are entries stored by their coordinates alone, so that numbers go where values do?
static bool numbers_go_where_values_do(const cairn_tensor *tensor)
{
    const cairn_local *local = tensor->local;
    bool               same  = tensor->context->comm->size == 1;

    for (int g = 0; g < local->groups; g++) {
        const cairn_encoding *encoding = local->group[g].layout->encoding;

        same = same && encoding->val == CAIRN_VAL_UNSAID
               && !cairn_compares_values(encoding);
    }
    return same;
}

/// Store the entries' numbers as values, as the tensor was stored, and see where they are.
///
/// @param[out] found  They are in @p to.
static cairn_status
locate_numbers(cairn_tensor *tensor, cairn_refill_targets *to, bool *found)
{
    cairn_env        *env = &tensor->context->env;
    cairn_solver_rows a   = {tensor->context, "update", tensor->refill->pattern, 0, 0};
    cairn_tensor     *numbered = NULL;
    double           *number;

    CAIRN_TRY(CAIRN_NEW(env, to->n, &number));
    for (int64_t k = 0; k < to->n; k++)
        number[k] = (double)(k + 1);
    a.lines.val         = number;
    a.lines.dtype       = CAIRN_F64;
    cairn_status status = cairn_solver_rows_store(&a, tensor->format, &numbered);

    cairn_free(env, number);
    if (status == CAIRN_OK) status = cairn_refill_targets_init(env, to);
    if (status == CAIRN_OK) status = CAIRN_NEW(env, to->n, &to->by_place);
    if (status == CAIRN_OK)
        *found = cairn_refill_read_numbers(numbered->local, tensor->local, to);
    cairn_tensor_destroy(&numbered);
    return status;
}

/// Plan refills by a conversion of numbers, which takes the time of two or three; or not, if
/// entries are there twice, or there is no memory for another tensor.
static cairn_status plan_by_numbers(cairn_tensor *tensor)
{
    cairn_env           *env   = &tensor->context->env;
    cairn_refill_targets to    = {.n = tensor->refill->n};
    bool                 found = false;
    cairn_status         status;

    if (!numbers_go_where_values_do(tensor)) return CAIRN_OK;
    status = locate_numbers(tensor, &to, &found);
    if (status == CAIRN_NO_MEMORY) status = CAIRN_OK;
    if (status == CAIRN_OK && found)
        status = cairn_refill_plan_by(tensor->refill, tensor->local, &to);
    cairn_refill_targets_fini(env, &to);
    return status;
}

/// Plan the refills of a tensor of compressed rows, of which the copy goes.
static cairn_status plan_rows(cairn_tensor *tensor)
{
    cairn_refill *refill = tensor->refill;

    CAIRN_TRY(plan_by_numbers(tensor));
    if (!refill->plan) CAIRN_TRY(cairn_refill_plan_by_walk(refill, tensor->local));
    cairn_refill_drop_pattern(&tensor->context->env, refill);
    return CAIRN_OK;
}

/* ---- new values ---- */

cairn_status cairn_tensor_refill(cairn_tensor *tensor, const cairn_refill_values *val)
{
    const cairn_refill *refill = tensor->refill;

    if (!refill->plan && refill->n > 0) CAIRN_TRY(plan_rows(tensor));
    tensor->local->updates++; /* also where some members were widened in vain */
    if (!refill->plan) return CAIRN_OK;
    return cairn_refill_store(tensor->local, refill->plan, val,
                              cairn_context_threads(tensor->context));
}

cairn_status cairn_tensor_update(cairn_tensor *tensor, const void *val)
{
    CAIRN_ENTER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor));
    const cairn_refill *refill = tensor->refill;
    cairn_env          *env    = &tensor->context->env;

    if (refill && (refill->n > 0 || refill->borrowed))
        CAIRN_ENTER(tensor->context, CAIRN_GIVEN(val));
    CAIRN_TRY(cairn_tensor_check_views(tensor, "update"));
    CAIRN_CHECK(
        refill, env, CAIRN_BAD_ARGUMENT,
        "update: the tensor was not made from a solver's rows, nor of coordinates "
        "for updates");
    CAIRN_CHECK(!refill->blocks, env, CAIRN_BAD_ARGUMENT,
                "update: the tensor was made of two blocks, whose values "
                "cairn_tensor_update_blocks() takes");
    if (!refill->borrowed) {
        const cairn_refill_values values = {
            {val, NULL}
        };

        return cairn_tensor_refill(tensor, &values);
    }
    CAIRN_CHECK(val == refill->borrowed, env, CAIRN_BAD_ARGUMENT,
                "update: the values are borrowed: change them in place");
    tensor->local->updates++;
    return CAIRN_OK;
}
