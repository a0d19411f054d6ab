// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Views of a tensor's arrays.

#include "api/door.h"

#include <inttypes.h>

cairn_status cairn_tensor_check_views(const cairn_tensor *tensor, const char *call)
{
    CAIRN_CHECK(tensor->views == 0, &tensor->context->env, CAIRN_BAD_ARGUMENT,
                "%s: the tensor's arrays are looked at: %" PRId64
                " view(s) of cairn_tensor_part_get() are out",
                call, tensor->views);
    return CAIRN_OK;
}

cairn_status
cairn_tensor_part_get(cairn_tensor *tensor, int64_t part, cairn_part_view *view)
{
    CAIRN_ENTER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(view));
    CAIRN_ENTER(tensor->context, CAIRN_WITHIN(part, 0, tensor->local->parts - 1),
                CAIRN_SIZED(view, cairn_part_view));

    const cairn_part     *its = &tensor->local->part[part];
    const cairn_part_view own = {.member  = its->where.member,
                                 .given   = its->given,
                                 .nnz     = its->nnz,
                                 .queries = its->layout->encoding->queries,
                                 .span    = &its->layout->given.span[0].lo,
                                 .arrays  = &its->view};

    CAIRN_WRITE(view, own);
    tensor->views++;
    return CAIRN_OK;
}

/// Is this the struct of one of the tensor's parts?
static bool is_own(const cairn_tensor *tensor, const cairn_kernel_part *arrays)
{
    for (int64_t p = 0; p < tensor->local->parts; p++)
        if (&tensor->local->part[p].view == arrays) return true;
    return false;
}

cairn_status cairn_tensor_part_restore(cairn_tensor *tensor, cairn_part_view *view)
{
    CAIRN_ENTER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(view));
    CAIRN_ENTER(tensor->context, CAIRN_SIZED(view, cairn_part_view));
    cairn_part_view own = CAIRN_PART_VIEW;

    cairn_sized_read(&own, sizeof own, view);
    CAIRN_CHECK(own.arrays, &tensor->context->env, CAIRN_BAD_ARGUMENT,
                "cairn_tensor_part_restore: view->arrays: is NULL");
    CAIRN_CHECK(tensor->views > 0 && is_own(tensor, own.arrays), &tensor->context->env,
                CAIRN_BAD_ARGUMENT,
                "cairn_tensor_part_restore: view: is none of this tensor that is out");
    tensor->views--;
    own.arrays = NULL;
    own.span   = NULL;
    CAIRN_WRITE(view, own);
    return CAIRN_OK;
}
