// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Two visits: the largest value, and sums of terms scaled by it.

#include "tensor/norm.h"

#include <string.h>

cairn_status cairn_norm_init(cairn_norm        *norm,
                             const cairn_local *tensor,
                             bool               squares,
                             bool               by_rows,
                             int64_t            first,
                             int64_t            rows)
{
    *norm = (cairn_norm){
        .visits = {.local = tensor}, .squares = squares, .first = first, .rows = rows};
    CAIRN_TRY(cairn_visits_init(&norm->visits, tensor));
    return by_rows ? CAIRN_NEW_ZERO(tensor->env, rows, &norm->row) : CAIRN_OK;
}

void cairn_norm_fini(cairn_norm *norm)
{
    cairn_free(norm->visits.local->env, norm->row);
    cairn_visits_fini(&norm->visits);
}

static cairn_status look(void *user, const cairn_part *part, const cairn_batch *batch)
{
    int64_t *largest = user;

    for (int n = 0; n < batch->n; n++) {
        const double size = fabs(cairn_value_get(&part->view, batch->value[n]));
        int64_t      bits;

        memcpy(&bits, &size, sizeof bits);
        if (bits > *largest) *largest = bits;
    }
    return CAIRN_OK;
}

int64_t cairn_norm_largest(const cairn_norm *norm)
{
    int64_t largest = 0;

    (void)cairn_visits_run(&norm->visits, look, &largest); /* look() cannot fail */
    return largest;
}

typedef struct {
    const cairn_norm *norm;
    int               exponent;
    cairn_fixed_sum   whole; ///< Unless it is by rows.
} summing;

static cairn_status add(void *user, const cairn_part *part, const cairn_batch *batch)
{
    summing          *s    = user;
    const cairn_norm *norm = s->norm;

    for (int n = 0; n < batch->n; n++) {
        const double size = fabs(cairn_value_get(&part->view, batch->value[n]));
        const double term = ldexp(size, -s->exponent);

        cairn_fixed_add(norm->row ? &norm->row[batch->coord[0][n] - norm->first]
                                  : &s->whole,
                        norm->squares ? term * term : term);
    }
    return CAIRN_OK;
}

cairn_fixed_sum cairn_norm_sum(cairn_norm *norm, int exponent)
{
    summing s = {.norm = norm, .exponent = exponent};

    (void)cairn_visits_run(&norm->visits, add, &s); /* add() cannot fail */
    for (int64_t i = 0; norm->row && i < norm->rows; i++)
        if (cairn_fixed_is_less(&s.whole, &norm->row[i])) s.whole = norm->row[i];
    return s.whole;
}
