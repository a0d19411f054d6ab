// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The diagonal out, and values changed where they are: rows and columns scaled, a multiple of
/// the identity added. What can fail comes before the first value is written.

#include "api/collective_arguments.h"
#include "api/door.h"
#include "tensor/value_storage.h"
#include "tensor/visit_values.h"

#include <inttypes.h>
#include <string.h>

/// Number @p k of a vector of the tensor's type.
static double load(const void *vector, int64_t k, cairn_dtype dtype)
{
    return dtype == CAIRN_F32 ? (double)((const float *)vector)[k]
                              : ((const double *)vector)[k];
}

/// Round to the tensor's type: of two f32 a product or sum in f64, rounded once more, has the
/// bits of one in f32.
static double rounded(double value, cairn_dtype dtype)
{
    return dtype == CAIRN_F32 ? (double)(float)value : value;
}

static int64_t rows_of(const cairn_tensor *tensor, int64_t *first)
{
    int64_t end;

    cairn_tensor_rows(tensor, first, &end);
    return end - *first;
}

/* ---- the diagonal ---- */

/// Where the diagonal goes, a row each from `first` on.
typedef struct {
    void       *diagonal;
    int64_t     first;
    cairn_dtype dtype;
} taking;

static cairn_status take(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const taking *t = user;

    for (int n = 0; n < batch->n; n++) {
        if (batch->coord[0][n] != batch->coord[1][n]) continue;
        const int64_t row   = batch->coord[0][n] - t->first;
        const double  value = cairn_value_get(&part->view, batch->value[n]);

        /* hybrids' other members may pad the place: they add 0 */
        if (t->dtype == CAIRN_F32)
            ((float *)t->diagonal)[row] += (float)value;
        else
            ((double *)t->diagonal)[row] += value;
    }
    return CAIRN_OK;
}

cairn_status cairn_tensor_diagonal(const cairn_tensor *tensor, void *diagonal)
{
    CAIRN_ENTER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor));
    taking        t    = {.diagonal = diagonal, .dtype = tensor->dtype};
    const int64_t rows = rows_of(tensor, &t.first);
    cairn_visits  visits;

    if (rows > 0) CAIRN_ENTER(tensor->context, CAIRN_GIVEN(diagonal));
    CAIRN_TRY(cairn_check_matrix(tensor, "diagonal"));
    CAIRN_TRY(cairn_check_own_order(tensor, "diagonal"));
    cairn_status status = cairn_visits_init(&visits, tensor->local);

    if (status == CAIRN_OK && rows > 0) {
        memset(diagonal, 0, (size_t)rows * (size_t)tensor->local->value_bits / 8);
        status = cairn_visits_run(&visits, take, &t);
    }
    cairn_visits_fini(&visits);
    return status;
}

/* ---- values of the tensor's own ---- */

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

/// Does another tensor have the values of a member, too?
static bool are_in_common(const cairn_local *local, const cairn_group *group)
{
    bool common = false;

    for (int64_t p = group->first; p < group->first + group->count; p++) {
        const cairn_kernel_part *view = &local->part[p].view;

        common = common
                 || (view->values > 0
                     && cairn_is_shared(cairn_group_block(group, view->val)));
    }
    return common;
}

/// Give a member wide values in a block that no other tensor has.
static cairn_status own_values(cairn_local *local, int member)
{
    cairn_group  *group = &local->group[member];
    cairn_layout *wide;

    CAIRN_TRY(cairn_group_widen(local, member));
    group->value_error = 0;
    if (!are_in_common(local, group)) return CAIRN_OK;
    CAIRN_CHECK(group->layout->values.tuple < 0, local->env, CAIRN_UNSUPPORTED,
                "member %d: its values are fields of tuples that another tensor has, "
                "too: destroy that one first",
                member);
    CAIRN_TRY(cairn_layout_store(local->env, group->layout, CAIRN_VALUE_FLOAT,
                                 local->value_bits, &wide));
    const cairn_status status = cairn_group_store(local, group, NULL, wide);

    if (status != CAIRN_OK) cairn_layout_destroy(local->env, &wide);
    return status;
}

/// Make all that writing needs, on all ranks or none.
///
/// Collective.
static cairn_status prepare(cairn_tensor *tensor, cairn_visits *visits)
{
    cairn_status status = CAIRN_OK;

    *visits = (cairn_visits){.local = tensor->local};
    tensor->local->updates++; /* also where members were widened in vain */
    for (int g = 0; g < tensor->local->groups && status == CAIRN_OK; g++)
        status = own_values(tensor->local, g);
    if (status == CAIRN_OK) status = cairn_visits_init(visits, tensor->local);
    return cairn_comm_agree(tensor->context->comm, status);
}

/* ---- rows and columns scaled ---- */

/// Factors by row from `first` on, and by column.
typedef struct {
    const void *left, *right;
    int64_t     first;
    cairn_dtype dtype;
} scaling;

static cairn_status scale(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const scaling *s = user;

    for (int n = 0; n < batch->n; n++) {
        double value = cairn_value_get(&part->view, batch->value[n]);

        if (!cairn_is_entry(part, value)) continue;
        if (s->left)
            value =
                rounded(load(s->left, batch->coord[0][n] - s->first, s->dtype) * value,
                        s->dtype);
        if (s->right)
            value =
                rounded(value * load(s->right, batch->coord[1][n], s->dtype), s->dtype);
        cairn_value_set(&part->view, batch->value[n], value);
    }
    return CAIRN_OK;
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
    cairn_comm   *comm   = tensor->context->comm;
    scaling       s      = {.left = left, .right = right, .dtype = tensor->dtype};
    const int64_t rows   = rows_of(tensor, &s.first);
    const bool    square = is_square(tensor);
    const bool    gives  = right || (square && rows == 0);
    void         *all    = NULL;
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
        s.right = all;
    }
    status = prepare(tensor, &visits);
    if (status == CAIRN_OK) status = cairn_visits_run(&visits, scale, &s);
    cairn_visits_fini(&visits);
    cairn_free(comm->env, all);
    return status;
}

/* ---- a multiple of the identity ---- */

enum { ABSENT, FOUND, SHIFTED }; ///< What a row's diagonal is.

/// What is added, and what was found of each row from `first` on.
typedef struct {
    double      alpha;
    int64_t     first;
    cairn_dtype dtype;
    uint8_t    *state;
} shifting;

/// Mark the rows that have an entry on the diagonal.
static cairn_status find(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const shifting *s = user;

    for (int n = 0; n < batch->n; n++)
        if (batch->coord[0][n] == batch->coord[1][n]
            && cairn_is_entry(part, cairn_value_get(&part->view, batch->value[n])))
            s->state[batch->coord[0][n] - s->first] = FOUND;
    return CAIRN_OK;
}

/// Shift each of these entries; of one that is stored twice, the first.
static cairn_status shift(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const shifting *s = user;

    for (int n = 0; n < batch->n; n++) {
        if (batch->coord[0][n] != batch->coord[1][n]) continue;
        const double value = cairn_value_get(&part->view, batch->value[n]);
        uint8_t     *state = &s->state[batch->coord[0][n] - s->first];

        if (*state != FOUND || !cairn_is_entry(part, value)) continue;
        *state = SHIFTED;
        cairn_value_set(&part->view, batch->value[n],
                        rounded(value + s->alpha, s->dtype));
    }
    return CAIRN_OK;
}

/// Does any member pad?
static bool pads(const cairn_local *local)
{
    bool any = false;

    for (int g = 0; g < local->groups; g++)
        any = any || local->group[g].layout->pads;
    return any;
}

/// Refuse a matrix of which a row of this rank has no diagonal. Local.
static cairn_status
check_diagonal(const cairn_tensor *tensor, shifting *s, int64_t rows)
{
    cairn_env   *env = &tensor->context->env;
    cairn_visits visits;
    cairn_status status = cairn_visits_init(&visits, tensor->local);

    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(env, rows, &s->state);
    if (status == CAIRN_OK) status = cairn_visits_run(&visits, find, s);
    cairn_visits_fini(&visits);
    CAIRN_TRY(status);
    for (int64_t i = 0; i < rows; i++)
        CAIRN_CHECK(s->state[i] == FOUND, env, CAIRN_BAD_ARGUMENT,
                    "shift: tensor: row %" PRId64 " has no entry on the diagonal: make "
                    "the tensor with one in every row%s",
                    s->first + i,
                    pads(tensor->local)
                        ? ", other than 0, which is padding in its format"
                        : "");
    return CAIRN_OK;
}

cairn_status cairn_tensor_shift(cairn_tensor *tensor, double alpha)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor));
    cairn_comm   *comm = tensor->context->comm;
    shifting      s = {.alpha = rounded(alpha, tensor->dtype), .dtype = tensor->dtype};
    const int64_t rows      = rows_of(tensor, &s.first);
    cairn_status  status    = check_writable(tensor, "shift");
    cairn_collective same   = {0};
    cairn_visits     visits = {.local = tensor->local};

    cairn_collective_real(&same, "alpha", alpha);
    if (status == CAIRN_OK && !is_square(tensor))
        status =
            cairn_fail(comm->env, CAIRN_BAD_SHAPE,
                       "shift: tensor: it has %" PRId64 " rows and %" PRId64
                       " columns, and is not square",
                       tensor->local->shape.extent[0], tensor->local->shape.extent[1]);
    if (status == CAIRN_OK) status = check_diagonal(tensor, &s, rows);
    status = cairn_comm_agree_on(comm, status, &same);
    if (status == CAIRN_OK) status = prepare(tensor, &visits);
    if (status == CAIRN_OK) status = cairn_visits_run(&visits, shift, &s);
    cairn_visits_fini(&visits);
    cairn_free(comm->env, s.state);
    return status;
}
