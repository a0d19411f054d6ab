// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows computed again, and held against sums of columns.

#include "guard/guard_repair.h"

#include "guard/guard_compare.h"
#include "tensor/visit_values.h"

#include <inttypes.h>
#include <math.h>

/// Rows computed again.
typedef struct {
    const cairn_guard   *guard;
    cairn_x_rows         columns;
    cairn_guard_x        x;
    cairn_guard_product *row;    ///< [rows] Of all members.
    cairn_guard_product  member; ///< Of the one at hand.
    bool                 strays; ///< It has a row or column that it had not.
} again;

static cairn_status
add_to_rows(void *user, const cairn_part *part, const cairn_batch *batch)
{
    again *s = user;

    for (int n = 0; n < batch->n; n++) {
        const double  a = cairn_value_get(&part->view, batch->value[n]);
        const int64_t i = batch->coord[0][n];
        const int64_t k = cairn_guard_place(s->guard, &s->columns, batch->coord[1][n]);

        if (!cairn_is_entry(part, a)) continue;
        if (k < 0 || i < s->guard->rows.lo || i > s->guard->rows.hi) {
            s->strays = true;
            continue;
        }
        const long double    term = (long double)a * cairn_guard_x_at(&s->x, k);
        cairn_guard_product *row  = &s->row[i - s->guard->rows.lo];

        row->sum += term;
        row->size += fabsl(term);
        s->member.sum += term;
        s->member.size += fabsl(term);
    }
    return CAIRN_OK;
}

/// Compute all rows again, and fail where a member's do not have the sums that it had.
static cairn_status compute_again(const cairn_visits *visits, again *s)
{
    const cairn_guard *g = s->guard;

    for (int m = 0; m < g->members; m++) {
        s->member = (cairn_guard_product){0, 0};
        CAIRN_TRY(
            cairn_walk_member(visits->walker[m], visits->local, m, add_to_rows, s));
        const cairn_guard_product was  = cairn_guard_multiply_member(&s->x, m);
        const double              size = (double)fmaxl(was.size, 0);
        const double              d    = (double)fabsl(was.sum - s->member.sum);

        CAIRN_CHECK(!s->strays && d <= cairn_guard_bound(g, size), g->comm->env,
                    CAIRN_NOT_VERIFIED,
                    "guard: rank %d: member %d: its arrays are not what they were: its "
                    "rows have the sum %.17g, and by its columns it is %.17g",
                    g->comm->rank, m, (double)s->member.sum, (double)was.sum);
    }
    return CAIRN_OK;
}

/// Put right rows of y that are wrong. @return how many; @param[out] first  The first.
static int64_t repair(const again *s, void *y, int64_t *first)
{
    const cairn_guard *g     = s->guard;
    const bool         f32   = cairn_guard_is_narrow(g);
    int64_t            wrong = 0;

    for (int64_t i = cairn_interval_size(g->rows); i-- > 0;) {
        const double d = (double)fabsl(cairn_guard_value(g, y, i) - s->row[i].sum);

        if (d <= cairn_guard_bound(g, s->row[i].size)) continue; /* a NaN is not */
        if (f32)
            ((float *)y)[i] = (float)s->row[i].sum;
        else
            ((double *)y)[i] = (double)s->row[i].sum;
        wrong++;
        *first = i;
    }
    return wrong;
}

cairn_status cairn_guard_repair(cairn_guard          *g,
                                const cairn_operands *operands,
                                const void           *x,
                                void                 *y)
{
    cairn_env   *env = g->comm->env;
    cairn_visits visits;
    int64_t      at     = 0;
    again        s      = {.guard   = g,
                           .columns = cairn_operands_x_rows(operands),
                           .x       = cairn_guard_x_of(g, operands, x)};
    cairn_status status = cairn_visits_init(&visits, g->local);

    if (status == CAIRN_OK)
        status = CAIRN_NEW_ZERO(env, cairn_interval_size(g->rows), &s.row);
    if (status == CAIRN_OK) status = compute_again(&visits, &s);
    if (status == CAIRN_OK) {
        const int64_t wrong = repair(&s, y, &at);

        g->info.rows += wrong;
        cairn_log(env,
                  "guard: rank %d: %" PRId64 " row%s of the result, from row %" PRId64
                  " on, had another value than the arrays say: computed again",
                  g->comm->rank, wrong, wrong == 1 ? "" : "s", g->rows.lo + at);
    }
    cairn_visits_fini(&visits);
    cairn_free(env, s.row);
    return status;
}
