// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Norms by sums of integers, whose results do not depend on the order of their terms. Terms
/// are scaled by a power of two so that the largest value is in 1..2, and its square in 1..4;
/// what lies below 2^-80 is cut off.

#include "api/collective_arguments.h"
#include "api/door.h"
#include "tensor/visit_values.h"

#include <string.h>

enum { HIGH = 20, LOW = 60 }; ///< Bits below the point, and below these.

/// A sum of terms below 4: high * 2^-20 + low * 2^-80.
typedef struct {
    int64_t high, low; ///< 0 <= low < 2^60
} fixed;

static const int64_t low_mask = ((int64_t)1 << LOW) - 1;

/// Add a term, 0 <= term <= 4.
static void add(fixed *sum, double term)
{
    const double  scaled = ldexp(term, HIGH);
    const int64_t high   = (int64_t)scaled;

    sum->low += (int64_t)ldexp(scaled - (double)high, LOW);
    sum->high += high + (sum->low >> LOW);
    sum->low &= low_mask;
}

static double value_of(const fixed *sum)
{
    return ldexp((double)sum->high, -HIGH) + ldexp((double)sum->low, -HIGH - LOW);
}

/// One norm.
typedef struct {
    uint64_t largest;  ///< The bits of the largest absolute value; a NaN's are larger.
    int      exponent; ///< Of it.
    bool     squares;
    int64_t  first; ///< Row of sum[0];
    fixed   *sum;   ///< by rows,
    fixed    whole; ///< where they are not NULL.
} summing;

static cairn_status look(void *user, const cairn_part *part, const cairn_batch *batch)
{
    summing *s = user;

    for (int n = 0; n < batch->n; n++) {
        const double size = fabs(cairn_value_get(&part->view, batch->value[n]));
        uint64_t     bits;

        memcpy(&bits, &size, sizeof bits);
        if (bits > s->largest) s->largest = bits;
    }
    return CAIRN_OK;
}

static cairn_status sum_up(void *user, const cairn_part *part, const cairn_batch *batch)
{
    summing *s = user;

    for (int n = 0; n < batch->n; n++) {
        const double size = fabs(cairn_value_get(&part->view, batch->value[n]));
        const double term = ldexp(size, -s->exponent);

        add(s->sum ? &s->sum[batch->coord[0][n] - s->first] : &s->whole,
            s->squares ? term * term : term);
    }
    return CAIRN_OK;
}

/// The largest absolute value on all ranks, or a NaN.
///
/// Collective.
static cairn_status find_largest(const cairn_tensor *tensor,
                                 const cairn_visits *visits,
                                 summing            *s,
                                 double             *m)
{
    cairn_comm *comm = tensor->context->comm;
    int64_t     bits;

    CAIRN_TRY(cairn_visits_run(visits, look, s));
    bits = (int64_t)s->largest;
    CAIRN_TRY(comm->ops->allreduce(comm, &bits, 1, CAIRN_MAX));
    memcpy(m, &bits, sizeof bits);
    return CAIRN_OK;
}

/// The largest of the rows' sums.
static fixed largest_row(const summing *s, int64_t rows)
{
    fixed most = {0, 0};

    for (int64_t i = 0; i < rows; i++)
        if (s->sum[i].high > most.high
            || (s->sum[i].high == most.high && s->sum[i].low > most.low))
            most = s->sum[i];
    return most;
}

/// Add the ranks' sums, the low ones by halves, so that those of many ranks fit; or find the
/// largest.
///
/// Collective.
static cairn_status join(cairn_comm *comm, bool adds, fixed *sum)
{
    const int64_t half    = (int64_t)1 << LOW / 2;
    int64_t       part[3] = {sum->high, sum->low / half, sum->low % half};

    if (adds) {
        CAIRN_TRY(comm->ops->allreduce(comm, part, 3, CAIRN_SUM));
        part[1] += part[2] / half;
        sum->high = part[0] + part[1] / half;
        sum->low  = part[1] % half * half + part[2] % half;
        return CAIRN_OK;
    }
    CAIRN_TRY(comm->ops->allreduce(comm, part, 1, CAIRN_MAX));
    if (sum->high < part[0]) sum->low = -1;
    CAIRN_TRY(comm->ops->allreduce(comm, &sum->low, 1, CAIRN_MAX));
    sum->high = part[0];
    return CAIRN_OK;
}

cairn_status
cairn_tensor_norm(const cairn_tensor *tensor, cairn_norm_kind kind, double *norm)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor),
                         CAIRN_ONE_OF(kind, CAIRN_NORM_MAX), CAIRN_GIVEN(norm));
    cairn_comm      *comm    = tensor->context->comm;
    const bool       by_rows = kind == CAIRN_NORM_INFINITY;
    summing          s       = {.squares = kind == CAIRN_NORM_FROBENIUS};
    cairn_collective same    = {0};
    cairn_visits     visits  = {.local = tensor->local};
    int64_t          end;
    double           largest = 0;
    cairn_status     status  = by_rows ? cairn_check_matrix(tensor, "norm") : CAIRN_OK;

    if (status == CAIRN_OK && by_rows) status = cairn_check_whole_rows(tensor, "norm");

    cairn_collective_int(&same, "kind", kind);
    cairn_tensor_rows(tensor, &s.first, &end);
    if (status == CAIRN_OK) status = cairn_visits_init(&visits, tensor->local);
    if (status == CAIRN_OK && by_rows)
        status = CAIRN_NEW_ZERO(comm->env, end - s.first, &s.sum);
    status = cairn_comm_agree_on(comm, status, &same);
    if (status == CAIRN_OK) status = find_largest(tensor, &visits, &s, &largest);
    if (status == CAIRN_OK && kind != CAIRN_NORM_MAX && isfinite(largest)
        && largest > 0) {
        s.exponent = ilogb(largest);
        status     = cairn_visits_run(&visits, sum_up, &s);
        if (by_rows) s.whole = largest_row(&s, end - s.first);
        if (status == CAIRN_OK) status = join(comm, !by_rows, &s.whole);
        const double sum = value_of(&s.whole);

        largest = ldexp(s.squares ? sqrt(sum) : sum, s.exponent);
    }
    if (status == CAIRN_OK) *norm = largest;
    cairn_visits_fini(&visits);
    cairn_free(comm->env, s.sum);
    return status;
}
