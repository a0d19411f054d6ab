// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Visits that read and write values.

#include "tensor/arithmetic.h"

#include "tensor/value_storage.h"

#include <string.h>

/// Number @p k of a vector of values of @p bits.
static double load(const void *vector, int64_t k, int bits)
{
    return bits == 32 ? (double)((const float *)vector)[k]
                      : ((const double *)vector)[k];
}

static double rounded(double value, int bits)
{
    return bits == 32 ? (double)(float)value : value;
}

/* ---- the diagonal ---- */

/// Where the diagonal goes, a row each from `first` on.
typedef struct {
    void   *diagonal;
    int64_t first;
    int     bits;
} taking;

static cairn_status take(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const taking *t = user;

    for (int n = 0; n < batch->n; n++) {
        if (batch->coord[0][n] != batch->coord[1][n]) continue;
        const int64_t row   = batch->coord[0][n] - t->first;
        const double  value = cairn_value_get(&part->view, batch->value[n]);

        /* hybrids' other members may pad the place: they add 0 */
        if (t->bits == 32)
            ((float *)t->diagonal)[row] += (float)value;
        else
            ((double *)t->diagonal)[row] += value;
    }
    return CAIRN_OK;
}

cairn_status cairn_local_diagonal(const cairn_local *tensor,
                                  int64_t            first,
                                  int64_t            rows,
                                  void              *diagonal)
{
    taking       t = {.diagonal = diagonal, .first = first, .bits = tensor->value_bits};
    cairn_visits visits;
    cairn_status status = cairn_visits_init(&visits, tensor);

    if (status == CAIRN_OK && rows > 0) {
        memset(diagonal, 0, (size_t)rows * (size_t)tensor->value_bits / 8);
        status = cairn_visits_run(&visits, take, &t);
    }
    cairn_visits_fini(&visits);
    return status;
}

/* ---- values of the tensor's own ---- */

/// Does another tensor have the values of a member, too?
static bool are_in_common(const cairn_local *tensor, const cairn_group *group)
{
    bool common = false;

    for (int64_t p = group->first; p < group->first + group->count; p++) {
        const cairn_kernel_part *view = &tensor->part[p].view;

        common = common
                 || (view->values > 0
                     && cairn_is_shared(cairn_group_block(group, view->val)));
    }
    return common;
}

/// Give a member wide values in a block that no other tensor has.
static cairn_status own_values(cairn_local *tensor, int member)
{
    cairn_group  *group = &tensor->group[member];
    cairn_layout *wide;

    CAIRN_TRY(cairn_group_widen(tensor, member));
    group->value_error = 0;
    if (!are_in_common(tensor, group)) return CAIRN_OK;
    CAIRN_CHECK(group->layout->values.tuple < 0, tensor->env, CAIRN_UNSUPPORTED,
                "member %d: its values are fields of tuples that another tensor has, "
                "too: destroy that one first",
                member);
    CAIRN_TRY(cairn_layout_store(tensor->env, group->layout, CAIRN_VALUE_FLOAT,
                                 tensor->value_bits, &wide));
    const cairn_status status = cairn_group_store(tensor, group, NULL, wide);

    if (status != CAIRN_OK) cairn_layout_destroy(tensor->env, &wide);
    return status;
}

cairn_status cairn_local_own_values(cairn_local *tensor)
{
    tensor->updates++; /* also where members were widened in vain */
    for (int g = 0; g < tensor->groups; g++)
        CAIRN_TRY(own_values(tensor, g));
    return CAIRN_OK;
}

/* ---- rows and columns scaled ---- */

typedef struct {
    const cairn_factors *factors;
    int                  bits;
} scaling;

static cairn_status scale(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const scaling       *s = user;
    const cairn_factors *f = s->factors;

    for (int n = 0; n < batch->n; n++) {
        double value = cairn_value_get(&part->view, batch->value[n]);

        if (!cairn_is_entry(part, value)) continue;
        if (f->left)
            value = rounded(
                load(f->left, batch->coord[0][n] - f->first, s->bits) * value, s->bits);
        if (f->right)
            value =
                rounded(value * load(f->right, batch->coord[1][n], s->bits), s->bits);
        cairn_value_set(&part->view, batch->value[n], value);
    }
    return CAIRN_OK;
}

void cairn_values_scale(const cairn_visits *visits, const cairn_factors *factors)
{
    scaling s = {.factors = factors, .bits = visits->local->value_bits};

    (void)cairn_visits_run(visits, scale, &s); /* scale() cannot fail */
}

/* ---- a multiple of the identity ---- */

/// Which rows have an entry on the diagonal, from `first` on; what is added to it.
typedef struct {
    uint8_t *has;
    int64_t  first;
    double   alpha;
    int      bits;
} shifting;

static cairn_status find(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const shifting *s = user;

    for (int n = 0; n < batch->n; n++)
        if (batch->coord[0][n] == batch->coord[1][n]
            && cairn_is_entry(part, cairn_value_get(&part->view, batch->value[n])))
            s->has[batch->coord[0][n] - s->first] = 1;
    return CAIRN_OK;
}

static cairn_status shift(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const shifting *s = user;

    for (int n = 0; n < batch->n; n++) {
        if (batch->coord[0][n] != batch->coord[1][n]) continue;
        const double value = cairn_value_get(&part->view, batch->value[n]);
        uint8_t     *has   = &s->has[batch->coord[0][n] - s->first];

        if (!*has || !cairn_is_entry(part, value)) continue;
        *has = 0;
        cairn_value_set(&part->view, batch->value[n],
                        rounded(value + s->alpha, s->bits));
    }
    return CAIRN_OK;
}

cairn_status cairn_local_find_diagonal(const cairn_local *tensor,
                                       int64_t            first,
                                       int64_t            rows,
                                       uint8_t          **has,
                                       int64_t           *without)
{
    shifting     s = {.first = first};
    cairn_visits visits;
    cairn_status status = cairn_visits_init(&visits, tensor);

    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(tensor->env, rows, &s.has);
    if (status == CAIRN_OK) status = cairn_visits_run(&visits, find, &s);
    cairn_visits_fini(&visits);
    if (status != CAIRN_OK) {
        cairn_free(tensor->env, s.has);
        return status;
    }
    *without = -1;
    for (int64_t i = rows - 1; i >= 0; i--)
        if (!s.has[i]) *without = first + i;
    *has = s.has;
    return CAIRN_OK;
}

void cairn_values_shift(const cairn_visits *visits,
                        double              alpha,
                        int64_t             first,
                        uint8_t            *has)
{
    const int bits = visits->local->value_bits;
    shifting  s    = {
            .has = has, .first = first, .alpha = rounded(alpha, bits), .bits = bits};

    (void)cairn_visits_run(visits, shift, &s); /* shift() cannot fail */
}
