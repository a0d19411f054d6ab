// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Norms over all ranks, of what each has summed (tensor/norm.h).

#ifndef CAIRN_COMM_NORM_H
#define CAIRN_COMM_NORM_H

#include "comm/comm.h"
#include "tensor/norm.h"

#include <cairn/values.h>

/// Compute a norm.
///
/// Collective. The same bits on any number of ranks.
///
/// @param[in,out] norm    Initialized for this kind on all ranks; summed up afterwards.
/// @param[out]    result  Infinite with an infinity, a NaN with a NaN. Unchanged on failure.
///
/// Cost: two reductions; three by rows; one of the largest value.
cairn_status cairn_comm_norm(cairn_comm     *comm,
                             cairn_norm     *norm,
                             cairn_norm_kind kind,
                             double         *result);

#endif
