// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Largest values and sums of ranks, joined.

#include "comm/norm.h"

#include <string.h>

/// Add the ranks' sums, the low ones by halves, so that those of many ranks fit.
///
/// Collective.
static cairn_status add_up(cairn_comm *comm, cairn_fixed_sum *sum)
{
    const int64_t half    = (int64_t)1 << CAIRN_FIXED_LOW / 2;
    int64_t       part[3] = {sum->high, sum->low / half, sum->low % half};

    CAIRN_TRY(comm->ops->allreduce(comm, part, 3, CAIRN_SUM));
    part[1] += part[2] / half;
    sum->high = part[0] + part[1] / half;
    sum->low  = part[1] % half * half + part[2] % half;
    return CAIRN_OK;
}

/// Find the largest of the ranks' sums.
///
/// Collective.
static cairn_status find_largest(cairn_comm *comm, cairn_fixed_sum *sum)
{
    int64_t high = sum->high;

    CAIRN_TRY(comm->ops->allreduce(comm, &high, 1, CAIRN_MAX));
    if (sum->high < high) sum->low = -1;
    CAIRN_TRY(comm->ops->allreduce(comm, &sum->low, 1, CAIRN_MAX));
    sum->high = high;
    return CAIRN_OK;
}

cairn_status cairn_comm_norm(cairn_comm     *comm,
                             cairn_norm     *norm,
                             cairn_norm_kind kind,
                             double         *result)
{
    int64_t bits = cairn_norm_largest(norm);
    double  largest;

    CAIRN_TRY(comm->ops->allreduce(comm, &bits, 1, CAIRN_MAX));
    memcpy(&largest, &bits, sizeof largest);
    if (kind == CAIRN_NORM_MAX || !isfinite(largest) || largest == 0) {
        *result = largest;
        return CAIRN_OK;
    }
    const int       exponent = ilogb(largest);
    cairn_fixed_sum sum      = cairn_norm_sum(norm, exponent);

    CAIRN_TRY(norm->row ? find_largest(comm, &sum) : add_up(comm, &sum));
    const double value = cairn_fixed_value(&sum);

    *result = ldexp(norm->squares ? sqrt(value) : value, exponent);
    return CAIRN_OK;
}
