// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The diagonal out, and values changed where they are (tensor/arithmetic.h). What can fail
/// comes before the first value is written, on all ranks.

#include "api/collective_arguments.h"
#include "api/door.h"
#include "tensor/arithmetic.h"

#include <inttypes.h>

static int64_t rows_of(const cairn_tensor *tensor, int64_t *first)
{
    int64_t end;

    cairn_tensor_rows(tensor, first, &end);
    return end - *first;
}

cairn_status cairn_tensor_diagonal(const cairn_tensor *tensor, void *diagonal)
{
    CAIRN_ENTER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor));
    int64_t       first;
    const int64_t rows = rows_of(tensor, &first);

    if (rows > 0) CAIRN_ENTER(tensor->context, CAIRN_GIVEN(diagonal));
    CAIRN_TRY(cairn_check_matrix(tensor, "diagonal"));
    CAIRN_TRY(cairn_check_own_order(tensor, "diagonal"));
    return cairn_local_diagonal(tensor->local, first, rows, diagonal);
}

/// Refuse a tensor whose values this call may not write.
static cairn_status check_writable(const cairn_tensor *tensor, const char *call)
{
    const cairn_local *local = tensor->local;

    CAIRN_TRY(cairn_check_matrix(tensor, call));
    CAIRN_TRY(cairn_check_own_order(tensor, call));
    CAIRN_TRY(cairn_tensor_check_views(tensor, call));
    for (int g = 0; g < local->groups; g++) {
        const cairn_group *group = &local->group[g];

        for (int64_t p = group->first; p < group->first + group->count; p++)
            CAIRN_CHECK(local->part[p].view.values == 0
                            || cairn_group_block(group, local->part[p].view.val),
                        local->env, CAIRN_BAD_ARGUMENT,
                        "%s: tensor: its values are a caller's: change them there, and "
                        "call cairn_tensor_update(); or convert the tensor",
                        call);
    }
    return CAIRN_OK;
}

/// Make all that writing needs, on all ranks or none.
///
/// Collective.
static cairn_status prepare(cairn_tensor *tensor, cairn_visits *visits)
{
    cairn_status status = cairn_local_own_values(tensor->local);

    *visits = (cairn_visits){.local = tensor->local};
    if (status == CAIRN_OK) status = cairn_visits_init(visits, tensor->local);
    return cairn_comm_agree(tensor->context->comm, status);
}

/// Has it as many rows as columns, so that ranks have columns as they have rows?
static bool is_square(const cairn_tensor *tensor)
{
    const cairn_shape *shape = &tensor->local->shape;

    return shape->order == 2 && shape->extent[0] == shape->extent[1];
}

cairn_status
cairn_tensor_scale(cairn_tensor *tensor, const void *left, const void *right)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor));
    cairn_comm   *comm    = tensor->context->comm;
    cairn_factors factors = {.left = left, .right = right};
    const int64_t rows    = rows_of(tensor, &factors.first);
    const bool    square  = is_square(tensor);
    const bool    gives   = right || (square && rows == 0);
    void         *all     = NULL;
    int64_t       columns;
    int64_t       given  = right != NULL;
    cairn_status  status = check_writable(tensor, "scale");
    cairn_visits  visits;

    CAIRN_TRY(cairn_comm_agree(comm, status));
    CAIRN_TRY(comm->ops->allreduce(comm, &given, 1, CAIRN_MAX));
    if (given && !gives)
        status =
            cairn_fail(comm->env, CAIRN_BAD_ARGUMENT,
                       "cairn_tensor_scale: right: is NULL here, not on all ranks");
    CAIRN_TRY(cairn_comm_agree(comm, status));
    if (given && square) {
        CAIRN_TRY(cairn_comm_gather(
            comm, right, rows, (size_t)tensor->local->value_bits / 8, &all, &columns));
        factors.right = all;
    }
    status = prepare(tensor, &visits);
    if (status == CAIRN_OK) cairn_values_scale(&visits, &factors);
    cairn_visits_fini(&visits);
    cairn_free(comm->env, all);
    return status;
}

/// Does any member pad?
static bool pads(const cairn_local *local)
{
    bool any = false;

    for (int g = 0; g < local->groups; g++)
        any = any || local->group[g].layout->pads;
    return any;
}

/// Refuse a matrix that is not square, or of which a row of this rank has no diagonal. Local.
///
/// @param[out] has  As of cairn_local_find_diagonal(); NULL on failure.
static cairn_status
check_diagonal(const cairn_tensor *tensor, int64_t first, int64_t rows, uint8_t **has)
{
    cairn_env         *env   = &tensor->context->env;
    const cairn_shape *shape = &tensor->local->shape;
    int64_t            without;

    CAIRN_CHECK(is_square(tensor), env, CAIRN_BAD_SHAPE,
                "shift: tensor: it has %" PRId64 " rows and %" PRId64
                " columns, and is not square",
                shape->extent[0], shape->extent[1]);
    CAIRN_TRY(cairn_local_find_diagonal(tensor->local, first, rows, has, &without));
    if (without < 0) return CAIRN_OK;
    cairn_free(env, *has);
    *has = NULL;
    return cairn_fail(
        env, CAIRN_BAD_ARGUMENT,
        "shift: tensor: row %" PRId64 " has no entry on the diagonal: make "
        "the tensor with one in every row%s",
        without,
        pads(tensor->local) ? ", other than 0, which is padding in its format" : "");
}

cairn_status cairn_tensor_shift(cairn_tensor *tensor, double alpha)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor));
    cairn_comm      *comm = tensor->context->comm;
    int64_t          first;
    const int64_t    rows   = rows_of(tensor, &first);
    cairn_status     status = check_writable(tensor, "shift");
    cairn_collective same   = {0};
    cairn_visits     visits = {.local = tensor->local};
    uint8_t         *has    = NULL;

    cairn_collective_real(&same, "alpha", alpha);
    if (status == CAIRN_OK) status = check_diagonal(tensor, first, rows, &has);
    status = cairn_comm_agree_on(comm, status, &same);
    if (status == CAIRN_OK) status = prepare(tensor, &visits);
    if (status == CAIRN_OK) cairn_values_shift(&visits, alpha, first, has);
    cairn_visits_fini(&visits);
    cairn_free(comm->env, has);
    return status;
}
